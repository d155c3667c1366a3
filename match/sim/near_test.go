package sim

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

func TestTurned(t *testing.T) {
	for f := range 256 {
		x, y := turned(1<<20, 0, grid.Facing(f))
		if got := grid.FacingOf(grid.Vec{X: x, Y: y}); got != grid.Facing(f) {
			t.Errorf("turned by %d it faces %d", f, got)
		}
	}
}
