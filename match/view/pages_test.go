package view

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Room for more handles moves nothing that is there: the records of a large match are
// megabytes, and a tick that copied them would be late.
func TestPagesDoNotMove(t *testing.T) {
	var p pages[record]
	rows := map[grid.Handle]*record{}
	for h := grid.Handle(0); h < 5000; h++ {
		if int(h) >= p.len() {
			p.grow(h)
		}
		p.at(h).entered = grid.Tick(h) + 1
		rows[h] = p.at(h)
	}
	for h, r := range rows {
		if p.at(h) != r || r.entered != grid.Tick(h)+1 {
			t.Fatalf("the record of handle %d was moved", h)
		}
	}
	if room := p.len(); room < 5000 || room >= 5000+pageRows {
		t.Errorf("room for %d handles, 5000 are in use", room)
	}
	p.grow(9999) // several pages at once
	if p.at(9999).entered != 0 || p.at(4999) != rows[4999] {
		t.Error("what was far ahead is not empty, or moved what was there")
	}
}
