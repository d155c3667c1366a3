package visibility

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// pagedHash is the hash of a mask as docs/reference/protocol.md ("The fog") describes it, tile by
// tile.
func pagedHash(w, h int, visible func(x, y int) bool) uint32 {
	halves := map[uint32]uint32{}
	bw := (w + 7) / 8
	for y := range h {
		for x := range w {
			if visible(x, y) {
				i := uint32((y>>3)*bw + x>>3)
				place := 2 * i
				if y&7 >= 4 {
					place++
				}
				halves[place] |= 1 << (8*(y&3) + x&7)
			}
		}
	}
	sum := uint32(0)
	for place, half := range halves {
		v := half*0xCC9E2D51 ^ place*0x9E3779B1
		v = (v ^ v>>16) * 0x85EBCA6B
		v = (v ^ v>>13) * 0xC2B2AE35
		sum += v ^ v>>16
	}
	return sum
}

// The hash equals the page's, and the page's example is right.
func TestMaskHashIsAsThePageSays(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	example := func(x, y int) bool { return x == 0 && y == 0 || x == 9 && y == 5 }
	for _, want := range []string{
		fmt.Sprintf("`mix(0, 0x1)` = `0x%08x`", mixHalf(0, 1)), fmt.Sprintf("`mix(3, 0x200)` = `0x%08x`", mixHalf(3, 0x200)),
		fmt.Sprintf("The hash is `0x%08x`", pagedHash(16, 16, example)),
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page's example has not %q", want)
		}
	}
	rng := rand.New(rand.NewPCG(8, 8))
	for range 40 {
		w, h := 16+rng.IntN(60), 16+rng.IntN(60)
		e, err := New(Config{Map: grid.NewMap("page", w, h), Teams: 1})
		if err != nil {
			t.Fatal(err)
		}
		for range rng.IntN(12) {
			e.Add(0, Source{Tile: grid.Tile{X: int16(rng.IntN(w)), Y: int16(rng.IntN(h))}, Radius: Radius(rng.IntN(20))})
		}
		e.Step(1)
		m := e.Mask(VisibleNow, 0)
		want := pagedHash(w, h, func(x, y int) bool { return m.Has(grid.Tile{X: int16(x), Y: int16(y)}) })
		if got := m.Hash(); got != want {
			t.Fatalf("%dx%d: the hash is %08x, by the page %08x", w, h, got, want)
		}
	}
}
