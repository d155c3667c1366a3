package bench

import (
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// ringGround is open ground with eight starts in a ring and a few cliffs to walk
// round.
func ringGround(side int) *grid.Map {
	m := grid.NewMap("arena", side, side)
	c, r := int16(side/2), int16(side/3)
	for _, d := range []grid.Tile{{X: r}, {X: r, Y: r}, {Y: r}, {X: -r, Y: r}, {X: -r}, {X: -r, Y: -r}, {Y: -r}, {X: r, Y: -r}} {
		m.Starts = append(m.Starts, grid.Tile{X: c + d.X, Y: c + d.Y})
	}
	for i := -8; i <= 8; i++ {
		for _, t := range []grid.Tile{{X: c + int16(i), Y: c - 12}, {X: c + int16(i), Y: c + 12}, {X: c - 12, Y: c + int16(i)}, {X: c + 12, Y: c + int16(i)}} {
			m.Terrain[m.Index(t)], m.Pass[m.Index(t)] = grid.Cliff, grid.PassOf(grid.Cliff)
		}
	}
	return m
}

// BenchmarkPhase fights a battle of 8 x 200 units and prints each phase's share of a tick.
func BenchmarkPhase(b *testing.B) {
	for p := range sim.Phases {
		b.Run(p.String(), func(b *testing.B) {
			w, err := NewBattle(ringGround(192), 8, 200, 1)
			if err != nil {
				b.Fatal(err)
			}
			generals := NewGenerals(w, 200)
			for range 200 { // until they have met
				w.Step(generals.Orders())
			}
			var last time.Time
			var spent time.Duration
			w.OnPhase(func(at sim.Phase) {
				now := time.Now()
				if at == p {
					spent += now.Sub(last)
				}
				last = now
			})
			b.ReportAllocs()
			for b.Loop() {
				in := generals.Orders()
				last = time.Now()
				w.Step(in)
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "phase-ns/tick")
		})
	}
}

// BenchmarkPaths orders 500 units across a maze of cliffs at once, each to a
// place of its own, and runs until all have a way: ns/op is a tick, max-us the worst one.
func BenchmarkPaths(b *testing.B) {
	worst := time.Duration(0)
	for b.Loop() {
		b.StopTimer()
		m := grid.NewMap("maze", 256, 256)
		m.Starts = []grid.Tile{{X: 20, Y: 20}}
		for x := int16(40); x < 240; x += 16 {
			for y := range int16(240) {
				at := y
				if x/16%2 == 0 {
					at = 255 - y
				}
				i := m.Index(grid.Tile{X: x, Y: at})
				m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
			}
		}
		w, err := NewBattle(m, 1, 500, 1)
		if err != nil {
			b.Fatal(err)
		}
		in := scatterOrders(w, 0)
		b.StartTimer()
		for range 60 {
			start := time.Now()
			w.Step(in)
			worst = max(worst, time.Since(start))
			in = nil
		}
	}
	b.ReportMetric(float64(worst.Microseconds()), "max-us")
}

// BenchmarkFreezeBattle: the cost of a save of a battle in its tick.
func BenchmarkFreezeBattle(b *testing.B) {
	w, err := NewBattle(ringGround(192), 8, 200, 1)
	if err != nil {
		b.Fatal(err)
	}
	for range 40 {
		w.Step(nil)
	}
	var f sim.Frozen
	for b.Loop() {
		w.Freeze(&f)
	}
}

// BenchmarkSaveBattle: the cost of writing a state down.
func BenchmarkSaveBattle(b *testing.B) {
	w, err := NewBattle(ringGround(192), 8, 200, 1)
	if err != nil {
		b.Fatal(err)
	}
	for range 40 {
		w.Step(nil)
	}
	var save []byte
	for b.Loop() {
		save = w.Save(save[:0])
	}
	b.ReportMetric(float64(len(save)), "bytes")
}

// scatterOrders orders every unit of a player to a place of its own all over the map,
// in one tick: the worst that a client can ask of the paths.
func scatterOrders(w *sim.World, s grid.Slot) []sim.Input {
	var in []sim.Input
	m := w.Map()
	for i, sight := range w.Knowledge(w.Player(s).Team).Seen(nil) {
		e := w.Entity(sight.ID)
		if e.Slot() != s || !w.Rules().Types[e.Type()].Mobile {
			continue
		}
		at := m.TileAt(i * 7919 * 31 % (m.W * m.H))
		in = append(in, sim.Input{Kind: sim.InputOrder, Slot: s, Seq: uint32(i + 1), Order: orders.Order{
			Kind: orders.Move, Units: []grid.Handle{sight.Handle}, HasPoint: true, Point: at.Center(),
		}})
	}
	return in
}
