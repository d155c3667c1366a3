package sim

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

func mustRules(t testing.TB) *Ruleset {
	t.Helper()
	rs, err := Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// flatMap is open grass with starts near two corners and a resource by each.
func flatMap(side int) *grid.Map {
	m := grid.NewMap("flat", side, side)
	lo, hi := int16(10), int16(side-11)
	m.Starts = []grid.Tile{{X: lo, Y: lo}, {X: hi, Y: hi}}
	m.Resources = []grid.Tile{{X: lo + 6, Y: lo}, {X: lo, Y: lo + 6}, {X: lo + 6, Y: lo + 6}, {X: hi - 6, Y: hi}, {X: hi, Y: hi - 6}, {X: hi - 6, Y: hi - 6}}
	return m
}

func newWorld(t testing.TB, s Setup) *World {
	t.Helper()
	if s.Rules == nil {
		s.Rules = mustRules(t)
	}
	if s.Map == nil {
		s.Map = flatMap(64)
	}
	if s.Players == nil {
		s.Players = []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}
	}
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestBeginning(t *testing.T) {
	w := newWorld(t, Setup{Seed: 1})
	own := w.Knowledge(0).Seen(nil)
	if len(own) < 14 {
		t.Fatalf("team 0 sees %d entities at the start", len(own))
	}
	for i, s := range own {
		e := w.Entity(s.ID)
		if e == nil || e.Team() != 0 && e.Team() != grid.NoTeam {
			t.Errorf("sighting %d: %v is not the team's own, and far from all others", i, e)
		}
		if h, ok := w.Knowledge(0).HandleOf(e); !ok || h != s.Handle {
			t.Errorf("%v: handle %d, the table says %d", s.ID, h, s.Handle)
		}
	}
	for range 40 {
		w.Step(nil)
	}
	if w.Tick() != 40 || w.Result() != nil {
		t.Errorf("tick %d, result %v", w.Tick(), w.Result())
	}
}
