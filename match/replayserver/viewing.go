package replayserver

import (
	"crypto/rand"
	"fmt"
	"net/netip"
	"sort"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// percents are the speeds of a replay.
var percents = [...]uint32{25, 50, 100, 200, 400, 800, 1600}

// How a viewing is paced.
const (
	frameGap   = 45 * time.Millisecond  // between two frames: about 20 a second
	nearTime   = 2                      // seconds of match time that a seek ahead plays without a snapshot
	slipTime   = 250 * time.Millisecond // a viewing that is later than this goes on from where it is
	blockedGap = 10 * time.Millisecond  // until it is asked again whether a client has room
	statusGap  = time.Second
	reachGap   = 250 * time.Millisecond // between two looks at how far a match that runs may be shown
	busyGap    = 50 * time.Millisecond  // the same, at whether it may play on while live matches need the processor
	socketsMax = 2
	nobody     = time.Hour // until something is due, if nothing is
)

// viewing is one cursor with its clients. Its goroutine owns all unmarked fields.
type viewing struct {
	service *Service
	rec     *playback.Recording
	right   shared.Right
	hold    *quota.Hold
	info    atomic.Pointer[shared.Viewing] // any goroutine may read it

	requests chan func()        // run by the goroutine
	ends     chan *link.Refusal // why it is to end; the first one counts
	done     chan struct{}      // closed when it has ended
	reason   *link.Refusal      // why it has ended; read it after done

	cursor  *playback.Cursor
	match   *feed.Match
	welcome *pb.Welcome
	named   int         // version of the seating whose names were told, from 1; 0: none
	source  feed.Source // of the tick looked at last
	looked  grid.Tick   // by all clients' feeds; 0: none yet

	viewers   [socketsMax]*viewer
	abandoned time.Time // since when it has no client
	parted    bool      // the last one took leave

	percent  uint32
	paused   bool
	goal     grid.Tick // where it seeks
	seeking  bool
	begun    bool // the seek has gone to its checkpoint
	direct   bool // the seek plays on, without a snapshot
	sought   time.Time
	waiting  bool // live matches need the processor
	wants    bool // it is counted in service.wanting
	state    pb.ReplayState
	clockAt  time.Time // when the cursor was, or was to be, at clockTick
	clockTik grid.Tick
	framed   time.Time                     // when the last frames were made
	cameras  [grid.SlotsMax][]notes.Camera // where the players looked, ascending by tick
	first    grid.Tick                     // the first tick that can be shown
	last     grid.Tick                     // the last one, as of this moment
	// beat is the number of ticks between two shown ones: of a running match the ticks that its own clients are shown.
	beat grid.Tick
}

// newViewing returns a viewing without clients.
func newViewing(s *Service, rec *playback.Recording, right shared.Right, hold *quota.Hold) (*viewing, error) {
	v := &viewing{
		service: s, rec: rec, right: right,
		requests: make(chan func(), 4), ends: make(chan *link.Refusal, 1), done: make(chan struct{}),
		percent: 100, state: pb.ReplayState_REPLAY_STATE_SEEKING,
		abandoned: time.Now().Add(admitWait), // its opener is about to join, however busy the machine is
	}
	var err error
	if v.cursor, err = rec.Cursor(); err != nil {
		return nil, err
	}
	if right.Eyes != grid.NoTeam && int(right.Eyes) >= v.cursor.Teams() {
		return nil, &link.Refusal{Code: "no_seat", Text: fmt.Sprintf("the match has no team %d", right.Eyes+1)}
	}
	v.hold = hold
	setup := rec.Setup
	v.match = feed.NewMatch(setup.Map, setup.Rules, len(setup.Players))
	v.match.TickRate = setup.TickRate
	shown := spec.Match{ID: string(right.Match), Map: setup.Map, Rules: setup.Rules, Pack: rec.Pack, Options: setup.Options}
	for i, p := range setup.Players {
		seat := rec.Seats[i]
		shown.Seats = append(shown.Seats, spec.Seat{Name: v.nameOf(&seat), Team: p.Team, Start: p.Start, Color: seat.Color, Bot: p.Bot || seat.Bot, Faction: p.Faction})
	}
	v.welcome = shown.Welcome(v.cursor.World())
	v.beat = 1
	if !right.Live {
		v.loadCameras()
	}
	if right.Live {
		v.match.Beat = view.BeatOf(setup.Rules, v.match.TickRate)
		v.beat = grid.Tick(v.match.Beat)
	}
	v.first = v.shown(rec.First() + v.beat)
	v.reach(time.Now())
	if v.seek(v.first); right.Live {
		v.seek(v.last)
	}
	v.info.Store(&shared.Viewing{Right: right})
	s.metrics.viewings.Inc()
	return v, nil
}

// nameOf returns the name that a player has today.
func (v *viewing) nameOf(seat *spec.Seat) string {
	if v.right.Names == nil || seat.Account == "" || seat.Bot {
		return seat.Name
	}
	if name, ok := v.right.Names[shared.AccountID(seat.Account)]; ok {
		return name
	}
	return DeletedName
}

// loadCameras takes over the notes of the players' cameras.
func (v *viewing) loadCameras() {
	n, err := v.rec.Notes()
	if err != nil {
		v.service.log.Warn("the cameras of a match cannot be read", "match", v.right.Match, "error", err)
	}
	if n == nil {
		return
	}
	for _, c := range n.Cameras {
		if int(c.Slot) < len(v.cameras) {
			v.cameras[c.Slot] = append(v.cameras[c.Slot], c)
		}
	}
}

// cameraOf returns where a player looked at a tick.
func (v *viewing) cameraOf(slot grid.Slot, t grid.Tick) (c notes.Camera, ok bool) {
	list := v.cameras[slot]
	n := sort.Search(len(list), func(i int) bool { return list[i].Tick > t })
	if n == 0 {
		return c, false
	}
	return list[n-1], true
}

// release gives back a viewing's resources.
func (v *viewing) release() {
	v.hold.Release()
	v.service.remove(v)
	v.rec.Close()
	v.service.metrics.viewings.Dec()
	close(v.done)
}

// end makes the viewing end. It does not wait.
func (v *viewing) end(why *link.Refusal) {
	select {
	case v.ends <- why:
	default: // another call was first
	}
}

// do runs f on the viewing's goroutine. It reports false if that has ended.
func (v *viewing) do(f func()) bool {
	ran := make(chan struct{})
	select {
	case v.requests <- func() { defer close(ran); f() }:
	case <-v.done:
		return false
	}
	select {
	case <-ran:
		return true
	case <-v.done:
		return false
	}
}

// join makes a connection a client of the viewing, in place of the one at its index.
// With the token used it came back.
func (v *viewing) join(conn *link.Conn, index int, used tokenHash, right shared.Right, from netip.Addr) (c *viewer, err error) {
	v.do(func() {
		v.right = right
		v.info.Store(&shared.Viewing{Right: right, Address: from})
		c = v.welcomed(conn, index, used)
	})
	if c == nil { // it ended before
		<-v.done
		return nil, v.reason
	}
	return c, nil
}

// welcomed seats a connection.
func (v *viewing) welcomed(conn *link.Conn, index int, used tokenHash) *viewer {
	if old := v.viewers[index]; old != nil {
		v.dismiss(old, &link.Refusal{Code: "replaced", Text: "the replay was opened in a newer connection"})
	}
	c := &viewer{Conn: conn, index: index, eyes: v.right.Eyes, feed: v.match.ForSpectators(), muteSince: time.Now(), form: feed.FormOf(conn.Hello)}
	c.credit.at = time.Now()
	if !v.right.Live {
		c.eyes = grid.NoTeam
		if other := v.viewers[1-index]; other != nil {
			c.eyes = other.eyes
		}
	}
	c.feed.Attend(c.eyes)
	token := rand.Text()
	c.token = v.service.issue(v, index, token, used)
	out := proto.Clone(v.welcome).(*pb.Welcome)
	out.Team, out.Slot, out.Resume, out.Spectator = uint32(c.eyes), uint32(grid.NoSlot), token, true
	out.BytesPerS = uint32(v.service.cfg.BytesPerS)
	out.DelayTicks = uint32(delayTicks(&v.right, v.match.TickRate))
	if !v.right.Live {
		out.DelayTicks = 0
	}
	out.Replay = &pb.ReplayInfo{
		MatchId: string(v.right.Match), First: uint32(v.rec.First()), Last: uint32(v.last), Live: v.right.Live, EyesFixed: v.right.Live,
		MayBranch: !v.right.Live, Tick: uint32(v.cursor.Tick()),
	}
	c.Send(message(&pb.ServerFrame{Welcome: out}))
	v.viewers[index] = c
	v.service.metrics.sockets.Inc()
	c.statusDue = true
	if v.looked != 0 && !v.seeking {
		c.feed.Look(v.source)
		c.owes = true
	}
	v.rebase(time.Now())
	return c
}

func message(f *pb.ServerFrame) []byte {
	b, err := proto.Marshal(f)
	if err != nil {
		panic("replayserver: messages are plain data: " + err.Error())
	}
	return b
}

// dismiss ends a client's connection, and says why.
func (v *viewing) dismiss(c *viewer, why *link.Refusal) {
	if v.viewers[c.index] != c {
		return
	}
	c.End(why.Code, link.ClosingMessage(why))
	v.vacate(c)
}

// vacate lets a client go whose connection has ended.
func (v *viewing) vacate(c *viewer) {
	v.viewers[c.index] = nil
	v.service.metrics.sockets.Dec()
	v.abandoned, v.parted = time.Now(), c.parted
}

// grace is how long the viewing is kept without a client.
func (v *viewing) grace() time.Duration {
	if v.parted {
		return 0
	}
	return v.service.cfg.Grace
}

// run is the viewing's goroutine.
func (v *viewing) run() {
	defer v.release()
	defer v.setWants(false)
	why := errStops
	defer func() {
		v.reason = why
		for c := range v.clients {
			v.dismiss(c, why)
		}
	}()
	defer panics.Catch(v.service.log, "viewing", func() { why = link.ErrInternal })
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if err := v.rec.Failure(); err != nil {
			why = v.refusal(err)
			return
		}
		work, wait := v.next(time.Now())
		v.setWants(work)
		var slots chan<- struct{}
		if work {
			slots = v.service.cfg.Library.Slots()
		}
		timer.Reset(wait)
		select {
		case f := <-v.requests:
			f()
		case why = <-v.ends:
			return
		case <-v.service.ctx.Done():
			return
		case f, ok := <-v.inbox(0):
			v.take(v.viewers[0], &f, ok)
		case f, ok := <-v.inbox(1):
			v.take(v.viewers[1], &f, ok)
		case slots <- struct{}{}:
			if err := v.service.cfg.Library.Hold(v.work); err != nil {
				why = v.refusal(err)
				return
			}
		case <-timer.C:
			if v.idle() && time.Since(v.abandoned) >= v.grace() {
				why = errToken
				return
			}
		}
		v.flush(time.Now())
	}
}

func (v *viewing) refusal(err error) *link.Refusal {
	no, _ := v.service.openError(string(v.right.Match), err).(*link.Refusal)
	return no
}

// inbox returns a client's messages; nil: there is no such client.
func (v *viewing) inbox(i int) chan wire.ClientFrame {
	if v.viewers[i] == nil {
		return nil
	}
	return v.viewers[i].In
}

// clients yields the connections.
func (v *viewing) clients(yield func(*viewer) bool) {
	for _, c := range v.viewers {
		if c != nil && !yield(c) {
			return
		}
	}
}

// idle reports whether there are no connections.
func (v *viewing) idle() bool { return v.viewers[0] == nil && v.viewers[1] == nil }

// setWants tells the indexes whether a viewer waits for a slot.
func (v *viewing) setWants(wants bool) {
	if v.wants == wants {
		return
	}
	v.wants = wants
	n := int32(1)
	if !wants {
		n = -1
	}
	v.service.cfg.Library.Want(n)
}

// next says whether there is a world to be stepped now, and when something else is due.
func (v *viewing) next(now time.Time) (work bool, wait time.Duration) {
	if v.idle() {
		v.rebase(now)
		return false, max(0, v.grace()-now.Sub(v.abandoned))
	}
	v.reach(now)
	wait = nobody
	blocked := false
	for c := range v.clients {
		wait = min(wait, max(0, statusGap-now.Sub(c.statusAt)))
		if c.owes || c.statusDue {
			blocked = blocked || c.owes
			wait = min(wait, blockedGap)
		}
		if c.partsLeft {
			wait = min(wait, max(partGap-now.Sub(c.partAt), blockedGap))
		}
	}
	if v.right.Live || v.rec.Indexed() < v.rec.Last() {
		wait = min(wait, reachGap)
	}
	switch {
	case v.last < v.first:
		v.waiting = false
		return false, wait // a match that is younger than the delay
	case v.seeking && !(v.direct && blocked):
		work = true
	case !v.paused && !blocked && v.cursor.Tick() < v.last:
		due := v.dueAt(v.cursor.Tick() + v.beat)
		if gap := v.framed.Add(frameGap); due.Before(gap) {
			due = gap
		}
		if work = !now.Before(due); !work {
			wait = min(wait, due.Sub(now))
		}
	}
	if v.waiting = work && v.service.cfg.Library.Busy(); v.waiting && !v.service.cfg.Library.MayPlay() {
		v.rebase(now)
		return false, min(wait, busyGap)
	}
	return work, wait
}

// reach finds out how far the viewing may go.
func (v *viewing) reach(now time.Time) { v.last = v.shown(v.limit(now)) }

// limit returns the last tick that the right may be shown at the moment: a finished match's last tick, or a running
// match's last tick before the delay. 0: none yet.
func (v *viewing) limit(now time.Time) grid.Tick {
	if !v.right.Live {
		return v.rec.Last()
	}
	return v.rec.Until(delayTicks(&v.right, v.rec.Header.TickRate), now)
}

// waitTicks returns about how many ticks it takes until there is something to show.
func (v *viewing) waitTicks() uint32 {
	sum := v.rec.Summary()
	first := sum.Header.First() + 1 + delayTicks(&v.right, sum.Header.TickRate)
	return uint32(max(1, int64(first)-int64(sum.Hashed)))
}

// delayTicks returns how late a right's viewing is, rounded up.
func delayTicks(right *shared.Right, rate int) grid.Tick {
	return grid.Tick((int64(right.Delay)*int64(rate) + int64(time.Second) - 1) / int64(time.Second))
}

// shown returns the last tick up to t that is shown. The end of a match is.
func (v *viewing) shown(t grid.Tick) grid.Tick {
	if v.rec.Over() && t == v.rec.Last() {
		return t
	}
	return t - t%v.beat
}

// rebase makes the clock go on from where the cursor is.
func (v *viewing) rebase(now time.Time) { v.clockAt, v.clockTik = now, v.cursor.Tick() }

// perTick returns how long a tick is shown.
func (v *viewing) perTick() time.Duration {
	return time.Second * 100 / time.Duration(uint32(v.match.TickRate)*v.percent)
}

// dueAt returns when a tick is to be shown.
func (v *viewing) dueAt(t grid.Tick) time.Time {
	return v.clockAt.Add(time.Duration(t-v.clockTik) * v.perTick())
}

// seek makes the viewing go to a tick, or as near as there is one.
func (v *viewing) seek(t grid.Tick) {
	v.goal = max(v.first, v.shown(min(t, v.last)))
	if !v.seeking {
		v.sought = time.Now()
	}
	now := v.cursor.Tick()
	v.direct = v.looked != 0 && v.looked == now && v.goal >= now && v.goal-now <= grid.Tick(nearTime*v.match.TickRate) && (!v.seeking || v.direct)
	v.seeking, v.begun = true, false
}

// work steps the world while there is more time: a slot is held.
func (v *viewing) work(more func() bool) error {
	if v.seeking {
		return v.workSeek(more)
	}
	now := time.Now()
	target := v.shown(min(v.last, v.clockTik+grid.Tick(now.Sub(v.clockAt)/v.perTick())))
	moved := false
	for v.cursor.Tick() < target && (more() || v.cursor.Tick() != v.shown(v.cursor.Tick())) {
		if err := v.stepAndLook(); err != nil {
			return err
		}
		moved = true
	}
	if !moved {
		return nil
	}
	v.framed = now
	v.endBetween()
	v.owe()
	if v.cursor.Tick() < target && now.Sub(v.dueAt(v.cursor.Tick())) > slipTime || v.cursor.Tick() == v.last {
		v.rebase(now) // it cannot keep up, or there is no more
	}
	return nil
}

// workSeek goes on with a seek.
func (v *viewing) workSeek(more func() bool) error {
	if v.direct {
		for v.cursor.Tick() < v.goal && more() {
			if err := v.stepAndLook(); err != nil {
				return err
			}
		}
	} else {
		if !v.begun {
			for c := range v.clients {
				c.owes = false // of a tick that is left
			}
			v.looked = 0
			if err := v.cursor.Approach(v.goal); err != nil {
				return err
			}
			v.begun = true
		}
		for v.cursor.Tick() < v.goal && more() {
			if err := v.cursor.Step(); err != nil {
				return err
			}
		}
	}
	if v.cursor.Tick() < v.goal {
		return nil
	}
	v.arrive()
	return nil
}

// arrive shows the tick that was sought.
func (v *viewing) arrive() {
	if !v.direct {
		for c := range v.clients {
			c.anew(v.match)
		}
		v.look()
	}
	v.endBetween()
	v.seeking = false
	for c := range v.clients {
		c.pending, c.statusDue = 0, true
		c.owes = c.owes || c.base != v.cursor.Tick()
	}
	v.rebase(time.Now())
	v.service.metrics.seeks.Observe(time.Since(v.sought).Seconds())
}

// endBetween shows the end of a match that ended between two beats: frames are made for
// beats, and the first tick that a feed looks at is one.
func (v *viewing) endBetween() {
	if v.looked%v.beat == 0 {
		return
	}
	for c := range v.clients {
		line := c.lines
		c.anew(v.match)
		c.lines = line
		c.feed.Look(v.source)
	}
}

// stepAndLook plays a tick that is shown.
func (v *viewing) stepAndLook() error {
	if err := v.cursor.Step(); err != nil {
		return err
	}
	v.look()
	return nil
}

// look makes the views of the cursor's tick.
func (v *viewing) look() {
	v.source = feed.Source{World: v.cursor.World(), Cache: v.cursor.Look(), Away: v.cursor.Seating.Away, StandIn: v.cursor.Seating.StandIn}
	v.seat()
	out := v.cursor.Outcome()
	for c := range v.clients {
		c.feed.Look(v.source)
		for _, line := range out.Said {
			if line.Ping == 0 && line.To == ^grid.TeamSet(0) && !v.deleted(line.Slot) {
				c.hear(line)
			}
		}
	}
	v.looked = v.cursor.Tick()
}

// seat takes over the names of who sits where at the cursor's tick.
func (v *viewing) seat() {
	s := &v.cursor.Seating
	if v.named == s.Version+1 {
		return
	}
	v.named = s.Version + 1
	for i := range s.Seats {
		name := ""
		if s.Taken.Has(grid.Slot(i)) {
			name = v.nameOf(&s.Seats[i])
		}
		v.match.Renamed(grid.Slot(i), name)
	}
}

// deleted reports whether the account of who sits at a slot is gone.
func (v *viewing) deleted(slot grid.Slot) bool {
	if v.right.Names == nil || int(slot) >= len(v.cursor.Seating.Seats) {
		return false
	}
	seat := &v.cursor.Seating.Seats[slot]
	_, known := v.right.Names[shared.AccountID(seat.Account)] // a journal that was rewritten since has no account there
	return !seat.Bot && !known
}

// renew takes over the names that players have now.
func (v *viewing) renew(names map[shared.AccountID]string) {
	v.right.Names = names
	in := *v.info.Load()
	in.Names = names
	v.info.Store(&in)
	v.named = 0 // the names are told anew with the next tick
}

// owe notes that all clients lack the tick that was looked at.
func (v *viewing) owe() {
	for c := range v.clients {
		c.owes = true
	}
}

// changed makes all clients be told how the viewing stands.
func (v *viewing) changed() {
	for c := range v.clients {
		c.statusDue = true
	}
}

// take takes in a client's message; !ok: it is gone.
func (v *viewing) take(c *viewer, f *wire.ClientFrame, ok bool) {
	if !ok {
		c.Drop()
		v.vacate(c)
		return
	}
	if c.acked(f.Applied) {
		v.service.keepTokens(v, c.index, c.token) // the client has that one
	}
	if f.Resync {
		c.base, c.owes = 0, v.looked != 0 && !v.seeking
	}
	if f.Replay != nil {
		v.control(c, f.Replay)
	}
}

// control carries out a viewer's request.
func (v *viewing) control(c *viewer, r *wire.ReplayControl) {
	c.number = max(c.number, r.Number)
	now := time.Now()
	if r.Seek != nil {
		v.seek(*r.Seek)
		c.pending = r.Number
	}
	if r.Step != nil && *r.Step != 0 {
		v.paused = true
		from := int64(v.cursor.Tick())
		if v.seeking {
			from = int64(v.goal)
		}
		v.seek(grid.Tick(max(0, min(from+int64(*r.Step)*int64(v.beat), int64(v.last)))))
		c.pending = r.Number
	}
	if r.Percent != nil {
		v.percent = nearest(*r.Percent)
		v.rebase(now)
	}
	if r.Paused != nil {
		v.paused = *r.Paused
		v.rebase(now)
	}
	if r.Eyes != nil && !v.right.Live {
		v.turn(c, *r.Eyes)
	}
	v.changed()
}

// nearest returns the speed that is nearest to a requested one.
func nearest(percent uint32) uint32 {
	best := percents[0]
	off := func(p uint32) int64 { d := int64(p) - int64(percent); return max(d, -d) }
	for _, p := range percents {
		if off(p) < off(best) {
			best = p
		}
	}
	return best
}

// turn gives a client other eyes.
func (v *viewing) turn(c *viewer, eyes grid.Team) {
	if eyes != grid.NoTeam && int(eyes) >= v.cursor.Teams() {
		eyes = grid.NoTeam
	}
	if eyes == c.eyes {
		return
	}
	c.eyes = eyes
	c.anew(v.match)
	if v.looked != 0 && (!v.seeking || v.direct) && v.looked == v.cursor.Tick() {
		c.feed.Look(v.source)
		c.owes = true
	}
}

// stands returns how the viewing stands.
func (v *viewing) stands() pb.ReplayState {
	switch {
	case v.waiting:
		return pb.ReplayState_REPLAY_STATE_WAITING_FOR_SERVER
	case v.seeking:
		return pb.ReplayState_REPLAY_STATE_SEEKING
	case v.cursor.Tick() >= v.last && v.rec.Over() && v.last == v.rec.Last():
		return pb.ReplayState_REPLAY_STATE_ENDED
	}
	return pb.ReplayState_REPLAY_STATE_PLAYING
}

// flush sends the clients the missing frames, as far as they have room.
func (v *viewing) flush(now time.Time) {
	if state := v.stands(); state != v.state {
		if v.state = state; v.waiting {
			v.service.metrics.waits.Inc()
		}
		v.changed()
	}
	for c := range v.clients {
		if v.serveClient(c, now); now.Sub(c.muteSince) > link.MuteSeconds*time.Second {
			v.dismiss(c, &link.Refusal{Code: "too_slow", Text: "your connection is too slow for this replay"})
		}
	}
}
