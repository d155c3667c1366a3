package sim

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// BenchmarkScripts is a tick with 1,600 standing units, of which none or 20 have an aura by script, that looks around in
// each second or in each tick.
func BenchmarkScripts(b *testing.B) {
	for name, handlers := range map[string]int{"": 0, "1": 20, "0.05": 20} {
		b.Run(fmt.Sprint("handlers-", handlers, "-every-", name), func(b *testing.B) {
			_, w := unitScriptWorld(b, `"passive": true, "lasting": true, "every": `+cmp.Or(name, "1")+`, "radius": 2`, `
def tick(u):
    return [heal(x, 1) for x in u.near(u.radius) if x.team == u.team and x.hp < x.max]
`, plainMark)
			typ, _ := w.rules.TypeByName("soldier")
			for i := range 1600 - handlers {
				w.spawn(0, typ, grid.Tile{X: int16(12 + i%40), Y: int16(12 + i/40)}.Center(), false)
			}
			typ, _ = w.rules.TypeByName("raider")
			for i := range handlers {
				w.spawn(0, typ, grid.Tile{X: int16(12 + 2*i), Y: 53}.Center(), false)
			}
			w.settle()
			for range 20 {
				w.Step(nil)
			}
			for b.Loop() {
				w.Step(nil)
			}
		})
	}
}
