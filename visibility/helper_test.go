package visibility

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// newEngine returns an engine for a map that a test made.
func newEngine(t testing.TB, m *grid.Map, teams int) *Engine {
	t.Helper()
	e, err := New(Config{Map: m, Teams: teams})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// flat returns a map without heights, under the rule.
func flat(w, h int, o grid.Occlusion) *grid.Map {
	m := grid.NewMap("flat", w, h)
	m.Occlusion = o
	return m
}

// plain turns a source into the obvious package's.
func plain(s Source) obvious.Source {
	return obvious.Source{
		X: int(s.Tile.X), Y: int(s.Tile.Y), Radius: int(s.Radius), Detect: int(s.Detect),
		Flyer: s.Flyer, LevelBonus: int(s.LevelBonus),
	}
}

// teamSources returns the sources that Sources yields, for the obvious scan.
func teamSources(e *Engine, t grid.Team) []obvious.Source {
	var l []obvious.Source
	for _, s := range e.Sources(t) {
		l = append(l, plain(s))
	}
	return l
}

// sameMask compares a mask with the obvious scan and, if they differ, draws
// both.
func sameMask(m Mask, want []bool) error {
	w, h := m.Size()
	for i := range want {
		if at := (grid.Tile{X: int16(i % w), Y: int16(i / w)}); m.Has(at) != want[i] {
			var b strings.Builder
			for y := range h {
				for x := range w {
					b.WriteByte(".o"[boolInt(m.Has(grid.Tile{X: int16(x), Y: int16(y)}))])
				}
				b.WriteString("   ")
				for x := range w {
					b.WriteByte(".o"[boolInt(want[y*w+x])])
				}
				b.WriteByte('\n')
			}
			return fmt.Errorf("%v: got %v, the obvious scan says %v; got and want:\n%s", at, m.Has(at), want[i], b.String())
		}
	}
	// Code that works on words instead of tiles must not see bits off the map.
	n := 0
	for _, seen := range want {
		n += boolInt(seen)
	}
	if m.Count() != n {
		return fmt.Errorf("%d tiles are counted, %d are in the mask", m.Count(), n)
	}
	var row []byte
	for y := range h {
		row = m.AppendRow(row[:0], y)
		for x := range 8 * len(row) {
			if seen := row[x>>3]>>(x&7)&1 != 0; seen != (x < w && want[y*w+x]) {
				return fmt.Errorf("row %d, bit %d is %v", y, x, seen)
			}
		}
	}
	return nil
}
