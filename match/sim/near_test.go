package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

func TestLengthOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	check := func(v grid.Vec) {
		if got, want := lengthOf(v), v.Len(); got != want {
			t.Fatalf("%v: %d, want %d", v, got, want)
		}
	}
	for x := range int32(300) {
		for y := range int32(300) {
			check(grid.Vec{X: x, Y: -y})
		}
	}
	for bits := range 27 {
		for range 2000 {
			check(grid.Vec{X: r.Int32N(1 << bits), Y: r.Int32N(1 << bits)})
		}
		check(grid.Vec{X: 1 << bits, Y: 1 << bits})
		check(grid.Vec{X: 1<<bits - 1})
	}
}

func TestTurned(t *testing.T) {
	for f := range 256 {
		x, y := turned(1<<20, 0, grid.Facing(f))
		if got := grid.FacingOf(grid.Vec{X: x, Y: y}); got != grid.Facing(f) {
			t.Errorf("turned by %d it faces %d", f, got)
		}
	}
}
