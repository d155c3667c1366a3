package sim

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// crowdRules are rules whose players begin with so many units of one radius, in
// tiles.
func crowdRules(t *testing.T, count int, radius, movement string) *rules.Ruleset {
	t.Helper()
	rs, err := rules.Parse("crowd.json", fmt.Appendf(nil, `{
		"name": "crowd", "resources": ["none"], "armours": ["none"], "places": ["rock"], "weapons": [], "abilities": [],
		"start": [{"type": "one", "count": %d}],
		"types": [
			{"name": "one", "radius": %s, "movement": %q, "speed": 3, "turn": 512, "health": 100, "armour": "none", "sight": 4},
			{"name": "rock", "class": "resource", "resource": "none", "stock": 1}
		]}`, count, radius, movement))
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// crowdSetup is a match of two on a map of 16 tiles a side, whose western half
// is cut off from the eastern by water; the starts are in the middle of each.
func crowdSetup(rules *rules.Ruleset) Setup {
	m := grid.NewMap("crowd", 16, 16)
	for y := range int16(16) {
		i := m.Index(grid.Tile{X: 8, Y: y})
		m.Terrain[i], m.Pass[i] = grid.Water, grid.PassOf(grid.Water)
	}
	m.Starts = []grid.Tile{{X: 4, Y: 8}, {X: 12, Y: 8}}
	return Setup{Map: m, Rules: rules, Players: []Player{{Team: 0, Start: 1}, {Team: 1, Start: 0}}, Options: Options{Mode: "deathmatch"}}
}

// Start units that do not fit are an error with numbers, never fewer units: the
// eastern half has 7 x 16 tiles.
func TestStartUnitsThatDoNotFit(t *testing.T) {
	const east = 7 * 16
	for _, c := range []struct {
		radius, movement string
		fit              int // of slot 0
	}{
		{"0.4", "ground", east},
		{"0.2", "ground", east}, // two side by side: one in the middle leaves no room
		{"0.16", "ground", 9 * east},
		{"0.1", "ground", 25 * east},
		{"0.4", "air", 16 * 16 / 2}, // for each of two players, anywhere
	} {
		if _, err := New(crowdSetup(crowdRules(t, c.fit, c.radius, c.movement))); err != nil {
			t.Errorf("%d units of radius %s, %s: %v", c.fit, c.radius, c.movement, err)
		}
		_, err := New(crowdSetup(crowdRules(t, c.fit+1, c.radius, c.movement)))
		var start *StartError
		if !errors.As(err, &start) {
			t.Errorf("%d units of radius %s, %s: error %v, want a StartError", c.fit+1, c.radius, c.movement, err)
			continue
		}
		want := StartError{Slot: 0, Start: grid.Tile{X: 12, Y: 8}, Wanted: c.fit + 1, Placed: c.fit, Type: "one"}
		if c.movement == "air" {
			want.Slot, want.Start, want.Placed = 1, grid.Tile{X: 4, Y: 8}, c.fit-1
		}
		if *start != want {
			t.Errorf("%d units of radius %s, %s: %+v, want %+v", c.fit+1, c.radius, c.movement, *start, want)
		}
		if text := fmt.Sprintf("slot %d: %d of %d start units", want.Slot, want.Placed, want.Wanted); !strings.Contains(err.Error(), text) {
			t.Errorf("the error does not say %q: %v", text, err)
		}
	}
}

// Units that share a tile do not touch, and stand on ground that is connected
// to their start. Where there is room, each has a tile of its own.
func TestStartUnitsDoNotTouch(t *testing.T) {
	for _, count := range []int{100, 900} {
		w, err := New(crowdSetup(crowdRules(t, count, "0.16", "ground")))
		if err != nil {
			t.Fatal(err)
		}
		perTile, bySlot := map[grid.Tile]int{}, [2]int{}
		radius := w.rules.Types[0].Radius
		for i, e := range w.all {
			perTile[e.Tile()]++
			bySlot[e.slot]++
			if west := e.Tile().X < 8; west != (e.slot == 1) || !w.m.Passable(e.Tile(), grid.Ground) {
				t.Fatalf("slot %d has a unit on %v", e.slot, e.Tile())
			}
			for _, o := range w.all[:i] {
				if e.Pos().Within(o.Pos(), 2*radius-1) {
					t.Fatalf("units at %v and %v touch: their radius is %d", e.Pos(), o.Pos(), radius)
				}
			}
		}
		if bySlot != [2]int{count, count} {
			t.Errorf("%v units placed, want %d each", bySlot, count)
		}
		for tile, n := range perTile {
			if n > 9 || n > 1 && count <= 7*16 {
				t.Errorf("%d units on %v", n, tile)
			}
		}
	}
}
