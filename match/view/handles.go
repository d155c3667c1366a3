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

// pages holds a T by handle. Handles are handed out without end as entities come into
// sight, in all teams of a match at about the same pace. A slice that grows is copied whole:
// with fifty thousand in sight that is megabytes for each team, within a few ticks. Pages
// grow by one page, and nothing moves.
type pages[T any] struct{ list []*[pageRows]T }

const (
	pageBits = 6
	pageRows = 1 << pageBits
)

// len returns how many handles there is room for.
func (p *pages[T]) len() int { return len(p.list) << pageBits }

// at returns the T of h. The pages must have room for h.
func (p *pages[T]) at(h grid.Handle) *T { return &p.list[h>>pageBits][h&(pageRows-1)] }

// grow makes room for h.
func (p *pages[T]) grow(h grid.Handle) {
	for int(h) >= p.len() {
		p.list = append(p.list, new([pageRows]T))
	}
}
