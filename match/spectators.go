package match

import (
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// spectators has the match's spectators, by the delay of their broadcasts.
type spectators struct {
	*core
	seats       *seats
	connections *connections
	journal     *matchJournal
	output      *output
	speed       *speed
	broadcasts  []*broadcast
	beyond      grid.Ticks // since the world stands still, for late spectators
	running     bool       // the match's goroutine does
}

// delayTicks returns a delay in ticks, rounded up.
func (x *spectators) delayTicks(d time.Duration) grid.Ticks {
	return grid.Ticks((int64(d)*int64(x.rate) + int64(time.Second) - 1) / int64(time.Second))
}

// seat finds a spectator's seat, nil if it has no seat yet. An account has one
// spectator's seat.
func (x *spectators) seat(who Seat) (*seat, error) {
	delay := x.delayTicks(who.Delay)
	refuse := func(text string) (*seat, error) { return nil, &link.Refusal{Code: "no_seat", Text: text} }
	switch {
	case x.spec.Spectators == 0:
		return refuse("this match takes no spectators")
	case who.Eyes != grid.NoTeam && int(who.Eyes) >= x.world.Teams():
		return refuse(fmt.Sprintf("the match has no team %d", who.Eyes+1))
	case who.Delay < 0 || who.Delay > spec.SpectatorDelayMax:
		return refuse(fmt.Sprintf("a delay of %v is outside 0 to %v", who.Delay, spec.SpectatorDelayMax))
	case x.seats.barred[who.Account].Code != "":
		why := x.seats.barred[who.Account]
		return nil, &why
	case x.seats.plays(who.Account):
		return refuse("you play in this match")
	case x.end.failed != "" || x.end.result != nil && x.beyond >= delay:
		return nil, &link.Refusal{Code: codeEnded, Text: "the match is over"}
	}
	return x.of(who.Account), nil
}

// of returns an account's spectator's seat, or nil.
func (x *spectators) of(account string) *seat {
	for _, st := range x.everySeat() {
		if st.screen != nil && st.account == account && !st.kicked {
			return st
		}
	}
	return nil
}

// take returns a seat with the delay and the eyes of a right: st itself, or a new seat in
// its place.
func (x *spectators) take(st *seat, who Seat) (*seat, error) {
	delay := x.delayTicks(who.Delay)
	if st != nil && st.screen.delay == delay && st.team == who.Eyes {
		return st, nil
	}
	if st != nil {
		x.unseat(st, &link.Refusal{Code: "replaced", Text: "you now watch from a newer connection of yours"})
	}
	g := x.broadcastOf(delay)
	if g == nil {
		return nil, &link.Refusal{Code: "no_seat", Text: "all seats for spectators are taken"}
	}
	st = &seat{slot: grid.NoSlot, team: who.Eyes, account: who.Account, meter: &x.connections.traffic.spectators, screen: &g.screen}
	if g.late != nil {
		st.meter = &g.meter
	}
	defer st.hold()()
	g.seats = append(g.seats, st)
	return st, nil
}

// broadcastOf returns the broadcast with a delay if it has a seat for another spectator:
// a free one, or the seat that has been empty for longest.
func (x *spectators) broadcastOf(delay grid.Ticks) *broadcast {
	i := slices.IndexFunc(x.broadcasts, func(g *broadcast) bool { return g.delay == delay })
	if i < 0 && len(x.broadcasts) == broadcastsMax {
		return nil
	}
	var taken int
	var left *seat
	for _, g := range x.broadcasts {
		taken += len(g.seats)
		for _, st := range g.seats {
			if st.conn == nil && (left == nil || st.leaveTime.Before(left.leaveTime)) {
				left = st
			}
		}
	}
	if taken >= x.spec.Spectators {
		if left == nil {
			return nil
		}
		x.remove(left)
	}
	if i < 0 {
		i = len(x.broadcasts)
		x.broadcasts = append(x.broadcasts, x.newBroadcast(delay))
	}
	return x.broadcasts[i]
}

// unseat ends a spectator's connection and takes its seat.
func (x *spectators) unseat(st *seat, why *link.Refusal) {
	x.connections.dismiss(st, why)
	x.remove(st)
}

// remove takes a spectator's seat away.
func (x *spectators) remove(st *seat) {
	defer st.hold()()
	for _, g := range x.broadcasts {
		if &g.screen == st.screen {
			g.seats = slices.DeleteFunc(g.seats, func(o *seat) bool { return o == st })
		}
	}
}

// watched reports whether a spectator is connected.
func (x *spectators) watched() bool {
	return slices.ContainsFunc(x.broadcasts, func(g *broadcast) bool {
		return slices.ContainsFunc(g.seats, func(st *seat) bool { return st.conn != nil })
	})
}

// count counts the spectators' seats, connected or not.
func (x *spectators) count() (n int) {
	for _, g := range x.broadcasts {
		n += len(g.seats)
	}
	return n
}

// list lists the spectators.
func (x *spectators) list() (out []SpectatorInfo) {
	for _, g := range x.broadcasts {
		for _, st := range g.seats {
			in := SpectatorInfo{Account: st.account, Eyes: st.team, Delay: g.delay}
			if st.conn != nil {
				in.Connected, in.Address, in.Epoch = true, st.conn.by.from, st.right.Epoch
			}
			out = append(out, in)
		}
	}
	return out
}

// everySeat lists the seats of players and spectators.
func (x *spectators) everySeat() []*seat {
	out := slices.Clone(x.seats.all)
	for _, g := range x.broadcasts {
		out = append(out, g.seats...)
	}
	return out
}

func (x *spectators) newBroadcast(delay grid.Ticks) *broadcast {
	g := &broadcast{screen: screen{delay: delay}}
	g.meter.of = &g.counts
	if delay == 0 {
		g.feed = x.output.feeds.ForSpectators()
	} else {
		x.newLate(g)
	}
	return g
}

// watch shows the broadcasts that the match has reached a tick. out is the tick's
// outcome, nil once the match's own world stands still.
func (x *spectators) watch(now grid.Tick, out *sim.Outcome) {
	for _, g := range x.broadcasts {
		if why := x.show(g, now, out); why != nil {
			x.shut(g, why)
		}
	}
	x.broadcasts = slices.DeleteFunc(x.broadcasts, func(g *broadcast) bool {
		if len(g.seats) > 0 {
			return false
		}
		x.drop(g)
		return true
	})
}

// show moves a broadcast on, and returns why it has to be shut. A panic shuts this
// broadcast, and neither another nor the match.
func (x *spectators) show(g *broadcast, now grid.Tick, out *sim.Outcome) (why *link.Refusal) {
	defer panics.Catch(x.host.log, "broadcast", func() { why = unwatchable })
	if why = x.attend(g); why != nil || len(g.seats) == 0 {
		return why
	}
	if last := x.world.Tick() + grid.Tick(g.delay); x.end.result != nil && now > last && (g.late == nil || g.late.finished.Load() || now > last+grid.Tick(endWaitSeconds*x.rate)) {
		return &link.Refusal{Code: codeEnded, Text: "the match is over"} // they have seen all there was
	}
	if g.late != nil {
		g.late.cue(now)
		return nil
	}
	x.output.prepare()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hear(out.Said, x.journal.log.Next(), now)
	g.look(feed.Source{World: x.world, Cache: x.output.cache, Away: x.seats.away(), StandIn: x.seats.standIns(), Result: x.world.Result(), Synced: x.journal.log.Synced()})
	return nil
}

// rest is the part of watch that goes on while the match stands still.
func (x *spectators) rest(g *broadcast) {
	if why := x.attend(g); why != nil {
		x.shut(g, why)
	} else if g.late != nil {
		g.late.cue(grid.Tick(g.now.Load()))
	}
}

// attend takes in the changes of a broadcast's connections, gives up the seats of spectators
// who are away for too long, and returns why the broadcast has to be shut. While a frame
// is being sent it leaves this to the next tick.
func (x *spectators) attend(g *broadcast) *link.Refusal {
	if !g.mu.TryLock() {
		return nil
	}
	defer g.mu.Unlock()
	if g.late == nil {
		g.listen()
	}
	for _, st := range g.seats {
		if st.conn != nil {
			x.seats.prove(st)
			if st.over {
				x.connections.vacate(st)
			}
		}
		if st.conn == nil && x.host.now().Sub(st.leaveTime) > x.host.cfg.Grace {
			st.absent = true
		}
	}
	g.seats = slices.DeleteFunc(g.seats, func(st *seat) bool { return st.absent || st.kicked })
	g.feed.Keep(func(eyes grid.Team) bool {
		return slices.ContainsFunc(g.seats, func(st *seat) bool { return st.team == eyes })
	})
	if g.late == nil {
		return nil
	}
	x.tellLate(g)
	return g.late.failed
}

// close ends the spectators' connections.
func (x *spectators) close(why *link.Refusal) {
	for _, g := range x.broadcasts {
		x.shut(g, why)
		x.drop(g)
	}
	x.broadcasts = nil
}

// shut ends all connections of a broadcast and empties it.
func (x *spectators) shut(g *broadcast, why *link.Refusal) {
	for _, st := range g.seats {
		x.connections.dismiss(st, why)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seats = nil
}

// drop lets go of a broadcast that has no seats.
func (x *spectators) drop(g *broadcast) {
	g.mu.Lock()
	defer g.mu.Unlock()
	x.connections.traffic.take(g)
	if g.late != nil {
		close(g.late.stop)
	}
}

// newLate makes a broadcast late. In a match that runs its goroutine begins; else a test
// moves both by hand.
func (x *spectators) newLate(g *broadcast) {
	feeds := feed.NewMatch(x.spec.Map, x.spec.Rules, len(x.seats.all))
	feeds.TickRate, feeds.EveryTick, feeds.Beat, feeds.Counter = x.rate, x.spec.EveryTick, x.output.feeds.Beat, x.host.metrics
	g.feed = feeds.ForSpectators()
	l := &late{
		broadcast: g, id: x.spec.ID, rate: x.rate, library: x.host.cfg.Library, earlier: &x.journal.earlier, log: x.host.log,
		wake: make(chan struct{}, 1), stop: make(chan struct{}),
	}
	l.now.Store(uint32(x.world.Tick()))
	g.late = l
	x.tellLate(g)
	if x.running {
		x.host.running.Go(func() { l.run(x.host.ctx) })
	}
}

// tellLate hands a late broadcast the present state of the match that its clients get:
// its speed, its takeovers, and their budget. Its mu is held, or it has not begun.
func (x *spectators) tellLate(g *broadcast) {
	g.feed.BytesPerS = x.output.feeds.BytesPerS
	g.feed.NameAs(x.output.feeds)
	told := x.speed.message(grid.NoSlot)
	g.feed.Speed = feed.Speed{Percent: x.output.feeds.Speed.Percent, Version: x.output.feeds.Speed.Version, Tell: func(grid.Slot) *pb.Speed { return told }}
}
