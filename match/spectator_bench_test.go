package match

import (
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// BenchmarkSpectators is the cost of a tick of a match with 1,600 units on the march, by
// kind of spectators.
func BenchmarkSpectators(b *testing.B) {
	const late = 5 * time.Second
	for _, c := range []struct {
		name     string
		seats    int
		eyes     []grid.Team
		delay    time.Duration
		warmedUp int // ticks
	}{
		{name: "none may", warmedUp: 140},
		{name: "nobody does", seats: 4, delay: late, warmedUp: 140},
		{name: "all eyes, live", seats: 4, eyes: []grid.Team{grid.NoTeam}, warmedUp: 140},
		{name: "all eyes, late", seats: 4, eyes: []grid.Team{grid.NoTeam}, delay: late, warmedUp: 140},
		{name: "all eyes and a team's, late", seats: 4, eyes: []grid.Team{grid.NoTeam, 0}, delay: late, warmedUp: 140},
	} {
		b.Run(c.name, func(b *testing.B) {
			th := newSpectatorHarness(b, 1, Config{}, c.delay, func(s *Spec) { s.Spectators, s.Map = c.seats, flatMap(128) })
			soldier, _ := th.m.spec.Rules.TypeByName("soldier")
			edit := simtest.Edit(th.m.world)
			for i := range 1600 {
				edit.Add(grid.Slot(i%4), soldier, grid.Tile{X: int16(10 + i%100), Y: int16(10 + i/100*3)}.Center())
			}
			for i, eyes := range c.eyes {
				th.sit(string(rune('a'+i)), eyes, c.delay, true)
			}
			tick := func(i int) {
				for slot := range grid.Slot(harnessSeats) {
					if i%200 == 0 { // there and back
						th.m.inputs.add(march(th.m, slot, i/200))
					}
				}
				th.log.synced = th.log.next
				th.turn(false)
				for _, l := range th.players {
					empty(l.conn, th.now())
				}
				for _, g := range th.spectators {
					empty(g.conn, th.now()-grid.Tick(th.m.spectators.delayTicks(c.delay)))
				}
			}
			for i := range c.warmedUp {
				tick(i)
			}
			i := c.warmedUp
			for b.Loop() {
				tick(i)
				i++
			}
		})
	}
}

// march orders all soldiers of a player across the map.
func march(m *live, slot grid.Slot, n int) sim.Input {
	in := sim.Input{Kind: sim.InputOrder, Slot: slot, Seq: uint32(n + 1), AsOf: m.world.Tick()}
	in.Order = orders.Order{Kind: orders.Move, HasPoint: true, Point: grid.Tile{X: int16(30 + 20*slot), Y: int16(30 + n%2*60)}.Center()}
	k := m.world.Knowledge(m.seats.all[slot].team)
	for _, e := range m.world.Entities() {
		if h, ok := k.HandleOf(e); ok && e.Slot() == slot && isUnit(e) {
			in.Order.Units = append(in.Order.Units, h)
		}
	}
	return in
}

// empty takes the messages out of an outbox, and acknowledges them.
func empty(s *connection, shown grid.Tick) {
	for range len(s.Out) {
		b := <-s.Out
		select {
		case s.Free <- b:
		default:
		}
	}
	select {
	case s.In <- wire.ClientFrame{Applied: shown}:
	default:
	}
}
