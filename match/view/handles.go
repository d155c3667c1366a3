package view

import (
	"iter"
	"math/bits"

	"github.com/fogkeep/fogkeep/match/grid"
)

// handleSet is a set of handles, a bit each. A team's handles are dense: the lowest free
// one is given out first.
type handleSet struct {
	words []uint64
	n     int
}

func (s *handleSet) has(h grid.Handle) bool {
	return int(h>>6) < len(s.words) && s.words[h>>6]>>(h&63)&1 != 0
}

// add adds a handle that the set does not have.
func (s *handleSet) add(h grid.Handle) {
	for int(h>>6) >= len(s.words) {
		s.words = append(s.words, 0)
	}
	s.words[h>>6] |= 1 << (h & 63)
	s.n++
}

// remove removes a handle that the set has.
func (s *handleSet) remove(h grid.Handle) {
	s.words[h>>6] &^= 1 << (h & 63)
	s.n--
}

// all returns the handles, sorted. The set may lose the handle that was returned last.
func (s *handleSet) all() iter.Seq[grid.Handle] {
	return func(yield func(grid.Handle) bool) {
		for i := range s.words {
			for w := s.words[i]; w != 0; w &= w - 1 {
				if !yield(grid.Handle(i<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}
