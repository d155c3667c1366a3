package sim

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
)

// BenchmarkScripts compares a tick with 1,600 units without scripts, the floor, with the same tick with 20 auras by
// script, which look around in each second or in each tick. Both worlds take turns, and the numbers are processor time.
func BenchmarkScripts(b *testing.B) {
	for _, walks := range []bool{false, true} {
		for _, every := range []string{"1", "0.05"} {
			b.Run(fmt.Sprintf("walk-%v-every-%s", walks, every), func(b *testing.B) {
				floor, scripted := crowd(b, 0, every, walks), crowd(b, 20, every, walks)
				var without, with time.Duration
				for b.Loop() {
					start := processorTime(b)
					floor.Step(nil)
					middle := processorTime(b)
					scripted.Step(nil)
					without, with = without+middle-start, with+processorTime(b)-middle
				}
				b.ReportMetric(float64(without)/float64(b.N), "floor-ns/tick")
				b.ReportMetric(float64(with)/float64(b.N), "scripts-ns/tick")
				b.ReportMetric(100*float64(with-without)/float64(without), "percent-more")
			})
		}
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkScriptCall is the cost of a call of an aura by script.
func BenchmarkScriptCall(b *testing.B) {
	w := crowd(b, 20, "1", false)
	var e *Entity
	for _, x := range w.all {
		if w.rules.Types[x.typ].Name == "raider" && (e == nil || x.x > e.x) {
			e = x
		}
	}
	program := w.rules.Abilities[w.rules.Types[e.typ].Abilities[1]].Script.Program
	b.ReportAllocs()
	start := processorTime(b)
	for b.Loop() {
		w.turns.done, w.scripts.steps = [grid.SlotsMax]done{}, 0
		w.call(turn{e: e, slot: e.slot, team: e.team, ability: 1}, program, "tick")
	}
	b.ReportMetric(float64(processorTime(b)-start)/float64(b.N), "processor-ns/call")
}

func crowd(b *testing.B, handlers int, every string, walks bool) *World {
	_, w := unitScriptWorld(b, `"passive": true, "lasting": true, "every": `+every+`, "radius": 2`, `
def tick(u):
    return [heal(x, 1) for x in u.near(u.radius) if x.team == u.team and x.hp < x.max]
`, plainMark)
	w.opts.AbandonMs = 0
	typ, _ := w.rules.TypeByName("soldier")
	for i := range 1600 - handlers {
		w.spawn(0, typ, grid.Tile{X: int16(12 + i%40), Y: int16(12 + i/40)}.Center(), false)
	}
	typ, _ = w.rules.TypeByName("raider")
	for i := range handlers {
		w.spawn(0, typ, grid.Tile{X: int16(12 + 2*i), Y: 53}.Center(), false)
	}
	for _, e := range w.newborns { // they hold their fire, so that the match goes on
		for k := range e.arms {
			e.arms[k].ready = 1 << 30
		}
	}
	w.settle()
	for range 60 { // until the team has a handle for each
		w.Step(nil)
	}
	if walks {
		c := &client{w: w}
		var patrol []Input
		for units := range slices.Chunk(c.named("soldier"), 40) {
			patrol = append(patrol, c.order(orders.Order{Kind: orders.Patrol, Units: units, HasPoint: true, Point: grid.Tile{X: 30, Y: int16(12 + len(patrol))}.Center()}))
		}
		w.Step(patrol)
	}
	for range 20 {
		w.Step(nil)
	}
	return w
}
