package mapgen

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Warnings names what is odd about a map that can be played. The map has at
// least one start.
func Warnings(m *grid.Map) (out []string) {
	if len(m.Starts) < 2 {
		out = append(out, "there is only one start")
	}
	reached := Reachable(m, m.Starts[0])
	for i, t := range m.Starts {
		if !reached[m.Index(t)] {
			out = append(out, fmt.Sprintf("start %d at %v cannot be reached by ground from start 0 at %v", i, t, m.Starts[0]))
		}
		for j, u := range m.Starts[:i] {
			if t == u {
				out = append(out, fmt.Sprintf("starts %d and %d are the same %v", j, i, t))
			}
		}
	}
	far := 0
	for _, t := range m.Resources {
		if !reached[m.Index(t)] {
			far++
		}
	}
	if far > 0 {
		out = append(out, fmt.Sprintf("%d of %d resource places cannot be reached by ground from start 0", far, len(m.Resources)))
	}
	return out
}
