package view

import "github.com/fogkeep/fogkeep/match/grid"

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
