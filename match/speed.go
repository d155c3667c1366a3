package match

import (
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/poll"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// A match's speed is how fast its clock hands out ticks. The simulation does not
// know it: a second of match time has the same ticks at every speed. While the match
// is paused no tick is played. Its connections, what clients have applied, and chat
// go on, and orders wait for the next tick.
//
//	wish of a player ──► poll.Poll: all voters wish the same ──► InputSpeed, journalled
//	                                                              │
//	                      beat: time of a tick; feeds: bytes a tick ◄┘
//
// A single player is the only voter. Bots and spectators have no vote.

const (
	speedNormal = 100
	// PausesMax is how often each player of several may ask for a pause.
	PausesMax = 3
	// pauseMost is how long a pause lasts where several people play.
	pauseMost = time.Minute
	// wishMost is how long a wish waits for the others.
	wishMost = 30 * time.Second
	// asksBurst bounds how often a player may vote: so often at once, and once
	// per second from then on.
	asksBurst = 10
	// heldMax is how many inputs of a player wait for the end of a pause.
	heldMax = 64
	// arrivedMax is how many comings and goings wait for it.
	arrivedMax = 64
	// pausesAlone is the count for a player without a limit of pauses.
	pausesAlone = 255
)

// speed is how fast a match runs, and its players' vote on another speed.
type speed struct {
	*core
	seats   *seats
	journal *matchJournal
	feeds   *feed.Match
	holds   holds

	percent    int
	pace       int // percent of the speed that the process gives the match, as sent to clients
	paused     bool
	by         grid.Slot   // the player who asked first for the pause; NoSlot: no player
	pauseStart time.Time   // when the pause began
	pass       bool        // one tick is played in spite of the pause
	beatTime   time.Time   // when clients were last told that it stands still
	of         []speedSeat // by slot
	vote       *poll.Poll  // on want; nil: no wish is open
	want       wire.Speed
	unheard    []unheard  // lines of this pause that are not on disk yet
	shown      []sim.Said // lines that were heard in the pause in which they were said
}

// unheard is a line of chat, and the number of its record.
type unheard struct {
	record uint64
	line   sim.Said
}

// speedSeat is a seat's part of the speed: its pauses, and how often it may vote.
type speedSeat struct {
	pauses int // that it asked for and got
	asks   int // it may still send at once
	filled time.Time
	queue  []sim.Input // that wait for the end of a pause
	lines  int         // lines said in this pause
}

// begin begins at a speed in percent; 0: the normal one.
func (s *speed) begin(percent int) {
	if percent == 0 {
		percent = speedNormal
	}
	s.percent, s.pace, s.by, s.of = percent, s.host.pace.of(), grid.NoSlot, make([]speedSeat, len(s.seats.all))
	for i := range s.of {
		s.of[i].asks, s.of[i].filled = asksBurst, s.host.now()
	}
	s.feeds.Speed.Tell = s.message
	if s.percent != speedNormal || s.pace != paceFull {
		s.changed()
	}
}

// followPace takes over the process's pace.
func (s *speed) followPace() {
	if now := s.host.pace.of(); now != s.pace {
		s.pace = now
		s.changed()
	}
}

// input is the speed as the journal has it.
func (s *speed) input() sim.Input {
	return sim.Input{Kind: sim.InputSpeed, Slot: s.by, Seq: uint32(s.percent), All: s.paused}
}

// recall takes in a change of the speed from the journal.
func (s *speed) recall(in *sim.Input, now time.Time) {
	if !slices.Contains(spec.Speeds, int(in.Seq)) {
		return // of a build that had others
	}
	if in.All && !s.paused && int(in.Slot) < len(s.of) {
		s.of[in.Slot].pauses++
	}
	s.percent, s.paused, s.by, s.pauseStart = int(in.Seq), in.All, in.Slot, now
	s.changed()
}

// mayVote reports whether a seat has a vote now, and counts its use.
func (s *speed) mayVote(st *seat) bool {
	now, p := s.host.now(), &s.of[st.slot]
	if gained := int(now.Sub(p.filled) / time.Second); gained > 0 {
		p.asks, p.filled = min(asksBurst, p.asks+gained), now
	}
	if p.asks == 0 || !s.seats.person(st) || st.standIn || s.end.closed() {
		return false
	}
	p.asks--
	return true
}

// ask takes in a player's wish for the speed: a vote for the open wish, if it is the same,
// and else a wish of its own if no other player's is open. A wish for the present speed is
// a vote against the open one.
func (s *speed) ask(st *seat, want wire.Speed) {
	if !slices.Contains(spec.Speeds, int(want.Percent)) || !s.mayVote(st) {
		return
	}
	has := wire.Speed{Percent: uint32(s.percent), Paused: s.paused}
	begins := want.Paused && !has.Paused
	if begins && !s.seats.alone() && s.of[st.slot].pauses >= PausesMax {
		return
	}
	switch {
	case has.Paused && !want.Paused && want.Percent == has.Percent:
		s.set(want, st.slot) // ending a pause needs no consent
		return
	case want == has && s.vote != nil:
		s.vote.Vote(st.slot, false)
	case want != has && (s.vote == nil || s.vote.By == st.slot):
		p := poll.New(st.slot, s.voters(want), poll.Quorum{Percent: 100, Least: 1}, s.host.now().Add(wishMost).UnixMilli())
		s.vote, s.want = &p, want
	case want == s.want && s.vote != nil:
		s.vote.Vote(st.slot, true)
	}
	s.changed()
	s.settleVote()
}

// voters returns the voters on a wish. For a pause these are all connected human players.
// For all else they include players who may come back: no player shall come back to a match
// that is three times as fast.
func (s *speed) voters(want wire.Speed) grid.SlotSet {
	onlyPause := want.Paused && int(want.Percent) == s.percent
	return s.seats.persons(func(st *seat) bool { return st.attended() || !onlyPause && !st.absent })
}

// settleVote changes the speed if all voters wish the same.
func (s *speed) settleVote() {
	if s.vote == nil {
		return
	}
	s.vote.May = s.voters(s.want)
	if here := s.seats.persons((*seat).attended); s.vote.Yes&^here != 0 {
		s.vote.Yes &= here // a lost connection takes a vote back
		s.changed()
	}
	switch s.vote.Result(s.host.now().UnixMilli()) {
	case poll.Passed:
		s.set(s.want, s.vote.By)
	case poll.Failed:
		s.vote = nil
		s.changed()
	}
}

// noTicks is said where the budget has no room for a speed.
const noTicks = "The match keeps its speed: the server has no ticks left for a faster one. Try again later."

// set changes the speed, if the budget of ticks has room for it. The next tick
// journals it: a pause begins after that.
func (s *speed) set(want wire.Speed, by grid.Slot) {
	now := s.host.now()
	if err := s.holds.ticks.Resize(tickLoad(s.rate, int(want.Percent))); err != nil {
		want.Percent = uint32(s.percent)
		s.tell.announce(noTicks)
	}
	if want.Paused && !s.paused {
		s.pauseStart, s.pass, s.beatTime = now, true, time.Time{}
		if int(by) < len(s.of) {
			s.of[by].pauses++
		}
	}
	s.percent, s.paused, s.by, s.vote = int(want.Percent), want.Paused, by, nil
	for i := range s.of {
		s.of[i].lines = 0
	}
	s.inputs.add(s.input())
	s.changed()
	s.tell.publish()
}

// changed makes the feeds tell all clients the speed and the wishes.
func (s *speed) changed() {
	s.feeds.Speed.Percent = max(1, s.percent*s.pace/paceFull)
	s.feeds.Speed.Version++
}

// message returns the speed as clients get it.
func (s *speed) message(slot grid.Slot) *pb.Speed {
	now := s.host.now()
	out := &pb.Speed{Percent: uint32(s.percent), Paused: s.paused}
	if s.pace < paceFull {
		out.Held = uint32(s.pace)
	}
	if int(s.by) < len(s.seats.all) {
		out.By = uint32(s.by) + 1
	}
	alone := s.seats.alone()
	if s.paused && !alone {
		out.PauseMs = uint32(max(1, pauseMost-now.Sub(s.pauseStart)).Milliseconds())
	}
	if int(slot) < len(s.of) && s.seats.person(s.seats.all[slot]) {
		if out.PausesLeft = pausesAlone; !alone {
			out.PausesLeft = uint32(max(0, PausesMax-s.of[slot].pauses))
		}
	}
	for i := range s.of {
		if s.vote != nil && s.vote.Yes.Has(grid.Slot(i)) {
			out.Wishes = append(out.Wishes, &pb.SpeedWish{
				Slot: uint32(i), Percent: s.want.Percent, Paused: s.want.Paused, Ms: uint32(max(1, s.vote.Ends-now.UnixMilli())),
			})
		}
	}
	return out
}

// settle ends the vote when its time is over, or its voters are others. It slows a
// match without players down to the normal speed.
func (s *speed) settle(now time.Time) {
	s.settleVote()
	if s.percent != speedNormal && s.end.result == nil && s.seats.deserted(now) {
		s.set(wire.Speed{Percent: speedNormal, Paused: s.paused}, grid.NoSlot)
	}
}

// stands reports whether no tick is played now.
func (s *speed) stands() bool {
	if !s.paused || s.pass || s.end.result != nil {
		s.pass = false
		return false
	}
	return true
}

// endPause ends a pause that lasts too long, or plays a tick if too much waits for it. It
// reports whether the pause lasts.
func (s *speed) endPause(now time.Time) bool {
	switch {
	case !s.seats.alone() && now.Sub(s.pauseStart) >= pauseMost, s.seats.deserted(now):
		s.set(wire.Speed{Percent: uint32(s.percent)}, grid.NoSlot)
	case len(s.inputs.next) > arrivedMax:
		s.pass = true
	}
	return s.paused && !s.pass
}

// beats reports, once per second, that clients are due to hear again that the match
// stands still.
func (s *speed) beats(now time.Time) bool {
	if now.Sub(s.beatTime) < time.Second {
		return false
	}
	s.beatTime = now
	return true
}

// hold keeps a player's inputs until the pause ends. Its chat goes to the journal at once,
// and from there to others ([speed.hear]).
func (s *speed) hold(st *seat, inputs []sim.Input) {
	p := &s.of[st.slot]
	for _, in := range inputs {
		if len(p.queue) >= heldMax {
			st.backlog.Answer(0, st.conn.Sent(), sim.Answer{Seq: in.Seq, Code: orders.RateLimited})
			continue
		}
		p.queue = append(p.queue, in)
		if in.Kind != sim.InputChat || in.Text == "" || p.lines >= sim.SaidBurst || slices.ContainsFunc(p.queue[:len(p.queue)-1], func(o sim.Input) bool { return o.Seq == in.Seq }) {
			continue
		}
		in.Slot = st.slot
		record, n := journal.LineRecord(&in), s.journal.log.Next()
		if s.journal.append(record) != nil {
			continue // the next tick ends the match for it
		}
		p.lines++
		st.journalBudget.owed += int64(len(record))
		s.journal.past.Say(&in)
		line := sim.Said{Slot: st.slot, Text: in.Text, To: grid.TeamSet(0).With(st.team)}
		if in.All {
			line.To = ^grid.TeamSet(0)
		}
		s.unheard = append(s.unheard, unheard{n, line})
	}
}

// hear sends the lines of a pause that are on disk. The world decides in the same way who may hear them.
func (s *speed) hear() {
	for len(s.unheard) > 0 && s.unheard[0].record < s.journal.log.Synced() {
		line := s.unheard[0].line
		s.unheard, s.shown = slices.Delete(s.unheard, 0, 1), append(s.shown, line)
		for _, to := range s.seats.all {
			if by := to.conn; by != nil && line.To.Has(to.team) && s.spec.Hears(to.slot, line.Slot) && by.Room() {
				by.SendStanding(s.standsTicks(), nil, nil, &line)
			}
		}
	}
}

// wasHeard reports, once, whether a line was heard in the pause in which it was said.
func (s *speed) wasHeard(line *sim.Said) bool {
	i := slices.IndexFunc(s.shown, func(a sim.Said) bool {
		return a.Slot == line.Slot && a.To == line.To && a.Text == line.Text && line.Ping == 0
	})
	if i < 0 {
		return false
	}
	s.shown = slices.Delete(s.shown, i, i+1)
	return true
}

// tellStanding tells a client, once per second, that the match stands still, and sends
// changes at once. A client that has just come gets the frame of the present tick.
func (s *speed) tellStanding(st *seat, f *feed.Feed, beat bool) {
	to, now := st.conn, s.seats.world.Tick()
	if to == nil || st.over || !to.Room() {
		return
	}
	if st.screen == nil && to.Holds() < now {
		if !f.Shows(st.team, now) || !f.AtBeat() {
			s.pass = true // these eyes have no view yet, or it is between two beats: a tick is needed
			return
		}
		f.Send(to.Receiver)
	}
	if news, votes := to.SpeedNews(f), to.VotesNews(f); beat || news != nil || votes != nil {
		to.SendStanding(s.standsTicks(), news, votes, nil)
	}
}

// standsTicks is the time to the next frame as clients get it: a second.
func (s *speed) standsTicks() uint32 { return uint32(s.rate) }

// holds has a match's holds in the ledger.
type holds struct{ ticks, bots *quota.Hold }

func (h holds) release() {
	h.ticks.Release()
	h.bots.Release()
}

// tickLoad is a match's share of [quota.MatchTicks]: the ticks that it plays per second.
// It takes no less than at normal speed, so that it can always return to normal, and no
// less than a match with the default rate, since a match costs memory too.
func tickLoad(rate, percent int) int64 {
	return int64(max(grid.TickRateDefault, rate*max(speedNormal, percent)/speedNormal))
}
