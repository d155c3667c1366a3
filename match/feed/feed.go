package feed

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// ownBytesMax bounds the answers of one frame, give or take one: further answers follow in the next.
const ownBytesMax = 32 << 10

// Match is the part that all feeds of a match share.
type Match struct {
	TickRate  int // ticks a second
	Speed     Speed
	Votes     Votes
	BytesPerS int        // most that a client is sent a second; 0: no limit. It may change between two ticks
	EveryTick bool       // a frame each tick, even an empty one
	Beat      grid.Ticks // eyes get their sight at ticks that are divisible by it ([view.BeatOf]); 0: at each. EveryTick: at each
	Counter   Counter
	Run       grid.Runner // looks with several eyes at a time; nil: one after the other. It may change between two ticks

	names    []string // by slot: of persons who took a seat over; "": the seat has its first player
	terrain  *grid.Map
	rules    *rules.Ruleset
	kinds    wire.Kinds
	classes  []pb.TypeClass // by type, as are the priorities
	priority []uint8
}

// Speed is how fast the match's ticks come, for the clients, and for the limits of a link per second: bytes and frames.
type Speed struct {
	Percent int                       // of the normal speed; 0: normal
	Version uint32                    // counts the news; 0: none yet
	Tell    func(grid.Slot) *pb.Speed // the news for a player, or for NoSlot
}

// Votes are the questions to players. Each player has news of its own, since the others must not learn of a team's vote.
type Votes struct {
	Version []uint32                  // by slot: counts the news
	Tell    func(grid.Slot) *pb.Votes // the news for a player
}

// PerSecond returns how many ticks come in a second of real time.
func (m *Match) PerSecond() int {
	if m.Speed.Percent == 0 {
		return m.TickRate
	}
	return max(1, m.TickRate*m.Speed.Percent/100)
}

// Counter counts a feed's work besides sending frames.
type Counter interface {
	Skipped()    // a client that could take no frame
	Incomplete() // a frame that could not hold all there was to tell
}

// NewMatch returns the shared part of a match's feeds. The caller sets the exported fields.
func NewMatch(m *grid.Map, ruleset *rules.Ruleset, players int) *Match {
	out := &Match{names: make([]string, players), terrain: m, rules: ruleset, kinds: wire.Kinds{Players: players, Types: len(ruleset.Types)}}
	for i := range ruleset.Types {
		out.priority = append(out.priority, ruleset.Types[i].Priority)
		out.classes = append(out.classes, wire.ClassOf(ruleset.Types[i].Class))
	}
	return out
}

// Renamed makes the feeds tell all clients that a person with that name has taken over a player's seat.
func (m *Match) Renamed(slot grid.Slot, name string) { m.names[slot] = name }

// NameAs makes the feeds send the same names as the feeds of another Match of the same match.
func (m *Match) NameAs(o *Match) { copy(m.names, o.names) }

// NewMeter returns a traffic meter for frames of the match.
func (m *Match) NewMeter() *wire.Meter { return wire.NewMeter(m.kinds, m.classes) }

// Source is the world that a feed shows at a tick.
type Source struct {
	World *sim.World
	Cache *view.Cache  // prepared for the world's tick
	Away  grid.SlotSet // players without a connection
	// StandIn are the absent players for whom a bot plays on.
	StandIn grid.SlotSet
	Result  *sim.Result // nil: not told yet
	Synced  uint64      // so many records are on disk
}

// Feed makes the frames of all clients that see one world.
type Feed struct {
	*Match
	whole bool // its frames are never cut
	eyes  []*eyes
	src   Source
	sizes wire.Sizes  // scratch
	look  func(i int) // lookWith, which is made once
}

// ForPlayers returns a feed for players.
func (m *Match) ForPlayers() *Feed { return m.newFeed(false) }

// ForSpectators returns a feed for spectators.
func (m *Match) ForSpectators() *Feed { return m.newFeed(true) }

func (m *Match) newFeed(whole bool) *Feed {
	f := &Feed{Match: m, whole: whole}
	f.look = f.lookWith
	return f
}

// eyes is the state for all clients with the same sight: those on one team, or spectators with the eyes of all.
type eyes struct {
	team    grid.Team // [grid.NoTeam]: all eyes
	builder *view.Builder
	tracker *view.Tracker
	meter   *wire.Meter // for its clients' frames
	view    view.View
	diff    view.Diff
	owner   view.OwnerDiff // of the player in turn
	shared  []encoded      // this tick's, by base
	single  encoded        // of a client that is short of bytes
	plain   []byte         // scratch: rows that are to be packed
}

// encoded is the part of a frame that is the same for all who have the same eyes
// and come from base.
type encoded struct {
	base     grid.Tick
	form     Form
	snapshot bool
	bytes    []byte
	sizes    wire.Sizes
}

// Form is a client's choice for the frames' common part.
type Form struct {
	Mask   view.MaskOptions
	Packed bool // rows are packed
}

// FormOf returns the choice in a hello.
func FormOf(h wire.Hello) Form {
	return Form{Mask: view.MaskOptions{MaskRows: !h.DerivesFog}, Packed: h.Packed}
}

// with returns the state of a team's eyes, or of all eyes. Its clients begin with a snapshot.
func (f *Feed) with(team grid.Team) *eyes {
	for _, e := range f.eyes {
		if e.team == team {
			return e
		}
	}
	e := f.newEyes(team)
	f.eyes = append(f.eyes, e)
	return e
}

// newEyes returns eyes without any sight so far.
func (f *Feed) newEyes(team grid.Team) *eyes {
	e := &eyes{team: team, builder: view.NewBuilder(team), meter: f.NewMeter()}
	e.tracker = view.NewTracker(view.Rules{
		W: f.terrain.W, H: f.terrain.H,
		TickRate: view.TickRateOf(f.rules, f.TickRate),
		Keep:     grid.Ticks(view.KeepSeconds * f.TickRate),
		Every:    f.beat(),
		Values:   f.rules.Values,
	})
	return e
}

// Keep drops the eyes that keep does not want, and reports whether any are left.
func (f *Feed) Keep(keep func(team grid.Team) bool) bool {
	f.eyes = slices.DeleteFunc(f.eyes, func(e *eyes) bool { return !keep(e.team) })
	return len(f.eyes) > 0
}

// Restart makes all clients begin with a snapshot: the next source is not the
// tick after the last.
func (f *Feed) Restart() {
	f.src = Source{}
	for i, e := range f.eyes {
		f.eyes[i] = f.newEyes(e.team)
	}
}

// MeterOf returns a meter that knows the types of the handles in the frames for a team's eyes.
func (f *Feed) MeterOf(team grid.Team) *wire.Meter {
	for _, e := range f.eyes {
		if e.team == team {
			return e.meter.Clone()
		}
	}
	return f.NewMeter()
}

// View returns the view that the last [Feed.Look] made for a team's eyes, nil if they have no client.
func (f *Feed) View(team grid.Team) *view.View {
	for _, e := range f.eyes {
		if e.team == team {
			return &e.view
		}
	}
	return nil
}

// Shows reports whether the last [Feed.Look] was at the tick, with a team's eyes
// among others.
func (f *Feed) Shows(team grid.Team, now grid.Tick) bool {
	return slices.ContainsFunc(f.eyes, func(e *eyes) bool { return e.team == team && e.view.Tick == now })
}

// Look takes in a tick of the world, once for all clients.
func (f *Feed) Look(src Source) {
	f.src = src
	f.Run.Run(len(f.eyes), f.look)
}

// lookWith looks with the i-th eyes. It writes to no other state, so that several calls can run at a time.
func (f *Feed) lookWith(i int) {
	e, src := f.eyes[i], &f.src
	e.view.Quiet = e.tracker.Quiet()
	e.builder.BuildFrom(src.Cache, src.World, &e.view)
	for i := range e.view.Players {
		e.view.Players[i].Name = f.names[i]
		switch p, slot := &e.view.Players[i], grid.Slot(i); {
		case src.StandIn.Has(slot) && (p.State == view.Playing || p.State == view.Left):
			p.State = view.StandIn
		case src.Away.Has(slot) && p.State == view.Playing:
			p.State = view.Away
		}
	}
	e.tracker.Update(&e.view)
	e.shared = e.shared[:0]
}

// beat returns the ticks from one at which eyes are told to the next.
func (m *Match) beat() grid.Ticks {
	if m.EveryTick || m.Beat < 1 {
		return 1
	}
	return m.Beat
}

// AtBeat reports whether the tick that was looked at last is one at which eyes are
// told.
func (f *Feed) AtBeat() bool { return f.now()%grid.Tick(f.beat()) == 0 }

// now returns the tick that is shown.
func (f *Feed) now() grid.Tick { return f.src.World.Tick() }

// Begin adds a receiver's client to this feed, with the eyes of its team. A client that resumes goes on from the last
// frame that it applied, if that frame was complete.
func (f *Feed) Begin(r *Receiver) {
	e := f.with(r.Team)
	r.allowed = f.Allowed(r) // as the welcome says
	r.Backlog.recall(r.Hello.Resume != "", r.Applied)
	base := r.Applied - r.Applied%grid.Tick(f.beat()) // of a partial frame it has the state before
	if r.Hello.Resume != "" && e.tracker.Covers(base) && base > r.Backlog.shortUntil {
		r.base, r.sent, r.acked = base, r.Applied, r.Applied
	}
}

// Send sends a client the rows that it lacks, if it can take them. It reports false if the client has taken no frame
// for too long and must go.
func (f *Feed) Send(r *Receiver) (ok bool) {
	e, now := f.with(r.Team), f.now()
	if !f.AtBeat() {
		f.sendPartial(r, now)
		return true
	}
	if r.base != 0 && !e.tracker.Covers(r.base) {
		r.base = 0 // it was away from the tick for too long
	}
	if r.base == 0 {
		r.delta = nil
	}
	if f.whole && f.refill(r, now) <= 0 || f.holdBack(r, now) {
		return f.skip(r, now)
	}
	r.mute = 0
	r.ownerRows = f.appendOwn(r.ownerRows[:0], e, r)
	limit := f.refill(r, now)
	if f.behind(r, now) {
		limit = 0 // only the rows that are never cut, so that its clock and its own units live
	}
	if r.delta == nil {
		x := f.encode(e, r.base, r.form)
		if f.whole || len(x.bytes)+len(r.ownerRows) <= limit {
			f.sendShared(r, e, x)
			return true
		}
		r.delta = e.tracker.NewDeltaState(r.base)
	}
	f.sendWithin(r, e, limit-len(r.ownerRows))
	return true
}

// Lacks reports whether the client was not sent all that its eyes saw at the last beat:
// its frame was skipped, or could not hold all.
func (f *Feed) Lacks(r *Receiver) bool {
	if r.base == 0 || r.delta != nil {
		return true
	}
	now := f.now()
	return r.base != now-now%grid.Tick(f.beat())
}

// sendPartial sends a client between two beats its own urgent part: answers, chat, and settings. A client that does not
// hold the last beat gets them with its next frame, as does a client whose link or settings allow few frames.
func (f *Feed) sendPartial(r *Receiver, now grid.Tick) {
	if f.Lacks(r) || r.narrow || r.pace.FramesPerS > 0 || !r.Room() || f.behind(r, now) {
		return
	}
	r.ownerRows = f.appendTalk(r.ownerRows[:0], r)
	if len(r.ownerRows) == 0 {
		return
	}
	buf := wire.AppendPartial(wire.AppendClock(r.Buffer(), now, grid.Ticks(now-r.sent), false))
	f.sizes.Clear()
	e := f.with(r.Team)
	buf = append(buf, r.ownerRows...)
	e.meter.Measure(buf, &f.sizes)
	r.Meter.Frame(len(buf), &f.sizes, false)
	r.sent = now
	r.credit -= len(buf)
	r.SendFrame(buf, now)
}

// sendShared sends a client the frame of all clients with its eyes, and its own part.
func (f *Feed) sendShared(r *Receiver, e *eyes, x *encoded) {
	now := f.now()
	if len(x.bytes)+len(r.ownerRows) == 0 && !x.snapshot && !f.EveryTick && grid.Ticks(now-r.sent) < grid.Ticks(f.PerSecond()) {
		r.base = now // an empty frame: it holds this tick already
		return
	}
	f.send(r, e, x)
}

// sendWithin sends a client that is short of bytes a frame of its own: the most important rows that it lacks, in about
// room bytes.
func (f *Feed) sendWithin(r *Receiver, e *eyes, room int) {
	want := view.Interest{Priority: f.priority, Camera: r.camera.At, Radius: r.camera.Radius}
	e.tracker.DiffWithin(&e.diff, r.delta, r.base, r.form.Mask, want, max(0, room))
	x := &e.single
	*x = encoded{snapshot: e.diff.Snapshot, bytes: e.appendTeam(x.bytes[:0], f.kinds, r.form)}
	e.meter.Measure(x.bytes, &x.sizes)
	f.Counter.Incomplete()
	if r.Backlog.shortUntil = f.now(); r.delta.Pending() == 0 {
		r.delta = nil // it has all that its team has
	}
	f.send(r, e, x)
}

// send puts a frame together and gives it to the writer. There is room: only
// this goroutine sends.
func (f *Feed) send(r *Receiver, e *eyes, x *encoded) {
	now := f.now()
	buf := wire.AppendClock(r.Buffer(), now, grid.Ticks(now-r.sent), x.snapshot)
	head := len(buf)
	buf = append(append(buf, x.bytes...), r.ownerRows...)
	f.sizes.Clear()
	e.meter.Measure(buf[:head], &f.sizes)
	e.meter.Measure(r.ownerRows, &f.sizes)
	f.sizes.Add(&x.sizes)
	r.Meter.Frame(len(buf), &f.sizes, x.snapshot)
	r.base, r.sent = now, now
	r.credit -= len(buf)
	r.SendFrame(buf, now)
}

// encode returns the shared part of the frame for clients that come from base.
func (f *Feed) encode(e *eyes, base grid.Tick, form Form) *encoded {
	for i := range e.shared {
		if x := &e.shared[i]; x.base == base && x.form == form {
			return x
		}
	}
	n := len(e.shared)
	if n < cap(e.shared) {
		e.shared = e.shared[:n+1]
	} else {
		e.shared = append(e.shared, encoded{})
	}
	x := &e.shared[n]
	*x = encoded{base: base, form: form, bytes: x.bytes[:0]}
	e.tracker.Diff(&e.diff, base, form.Mask)
	x.snapshot = e.diff.Snapshot
	x.bytes = e.appendTeam(x.bytes, f.kinds, form)
	e.meter.Measure(x.bytes, &x.sizes)
	return x
}

// appendTeam appends the difference that was made last.
func (e *eyes) appendTeam(b []byte, k wire.Kinds, form Form) []byte {
	if !form.Packed {
		return wire.AppendTeam(b, &e.diff, k)
	}
	e.plain = wire.AppendTeam(e.plain[:0], &e.diff, k)
	return wire.AppendPacked(b, e.plain)
}

// appendTalk appends the receiver's own part besides its eyes' sight: answers, chat, and settings.
func (f *Feed) appendTalk(b []byte, r *Receiver) []byte {
	q := r.Backlog
	q.applied(r.acked)
	synced, now := f.src.Synced, f.now()
	var answers wire.Answers
	for len(b) < ownBytesMax {
		row := q.Answers.next(synced, now)
		if row == nil {
			break
		}
		b = answers.Append(b, &row.What)
	}
	b = answers.Flush(b)
	for row := q.Said.next(synced, now); row != nil; row = q.Said.next(synced, now) {
		if l := &row.What; l.Ping != 0 {
			b = wire.AppendPinged(b, l.Slot, l.Ping, l.Point)
		} else {
			b = wire.AppendSaid(b, l)
		}
	}
	if n := f.Allowed(r); n != r.allowed {
		r.allowed = n
		b = appendFrame(b, &pb.ServerFrame{Budget: &pb.Budget{BytesPerS: uint32(n)}})
	}
	if news := r.SpeedNews(f); news != nil {
		b = appendFrame(b, &pb.ServerFrame{Speed: news})
	}
	if news := r.VotesNews(f); news != nil {
		b = appendFrame(b, &pb.ServerFrame{Votes: news})
	}
	return b
}

// appendOwn appends the part for the receiver's client alone. A spectator has no slot, so it has no owner state.
func (f *Feed) appendOwn(b []byte, e *eyes, r *Receiver) []byte {
	b = f.appendTalk(b, r)
	q := r.Backlog
	synced, now := f.src.Synced, f.now()
	d := &e.owner
	d.Cancelled = d.Cancelled[:0]
	e.tracker.DiffOwner(d, r.Slot, r.base)
	for row := q.Cancelled.next(synced, now); row != nil; row = q.Cancelled.next(synced, now) {
		// The number may name another unit by the time that it can be told.
		if e.tracker.InSightSince(row.What.Unit, row.At) {
			d.Cancelled = append(d.Cancelled, row.What)
		}
	}
	b = wire.AppendOwn(b, d)
	if f.src.Result != nil && !r.toldEnd {
		r.toldEnd = true
		b = appendEnded(b, f.src.Result)
	}
	return b
}

func appendEnded(b []byte, r *sim.Result) []byte {
	e := &pb.Ended{Reason: r.Reason}
	if r.Winner != grid.NoTeam {
		e.Winners = []uint32{uint32(r.Winner)}
	}
	for _, p := range r.Players {
		e.Scores = append(e.Scores, &pb.Score{Kills: uint32(p.Killed), Assists: uint32(p.Assists), Losses: uint32(p.Lost), Made: uint32(p.Made), Points: p.Score})
	}
	e.SeriesTicks = uint32(r.Series.Step)
	for _, p := range r.Series.Players {
		e.Series = append(e.Series, &pb.Series{Gathered: amounts(p.Gathered), Army: amounts(p.Army)})
	}
	return appendFrame(b, &pb.ServerFrame{Ended: e})
}

func amounts(list []int32) []uint32 {
	out := make([]uint32, len(list))
	for i, n := range list {
		out[i] = uint32(max(0, n))
	}
	return out
}

func appendFrame(b []byte, f *pb.ServerFrame) []byte {
	out, err := proto.MarshalOptions{}.MarshalAppend(b, f)
	if err != nil {
		panic("feed: results and numbers are plain data: " + err.Error())
	}
	return out
}
