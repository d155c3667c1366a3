package view

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// TestASlowLinkGetsOwnFightsFirst: over 28.8 kbit/s a client in a battle gets first its own
// fighting units, then projectiles, then moving units of others, then things that stand
// and are worth little, by the priorities of the ruleset arsenal.
func TestASlowLinkGetsOwnFightsFirst(t *testing.T) {
	rs, err := rules.Shipped("arsenal")
	if err != nil {
		t.Fatal(err)
	}
	const bytesPerS = 28_800 / 8
	const perFrame = bytesPerS / 20
	classes := []struct {
		name, typ string
		n         int
		own       bool
		values    bool
	}{
		{"own fights", "soldier", 12, true, true},
		{"projectiles", "shell", 40, false, false},
		{"movers", "soldier", 60, false, true},
		{"decorations", "ore-field", 40, false, true},
	}
	tr := NewTracker(Rules{W: 128, H: 128, Keep: 200})
	v := View{Tick: 1, W: 128, H: 128}
	looks := Interest{}
	for i := range rs.Types {
		looks.Priority = append(looks.Priority, rs.Types[i].Priority)
	}
	class := map[grid.Handle]int{}
	total := 0
	for _, c := range classes {
		total += c.n
	}
	// The handles of a class lie apart: their order is another than the order of the classes.
	left := make([]int, len(classes))
	for h := 1; h <= total; h++ {
		c := h * 3 % len(classes)
		for left[c] == classes[c].n {
			c = (c + 1) % len(classes)
		}
		left[c]++
		typ, ok := rs.TypeByName(classes[c].typ)
		if !ok {
			t.Fatalf("arsenal has no %s", classes[c].typ)
		}
		class[grid.Handle(h)] = c
		v.Units = append(v.Units, Unit{
			Handle: grid.Handle(h), Type: typ, Entered: 1, FullSpeed: 64, Pos: grid.Tile{X: int16(h % 120), Y: int16(h / 120 * 9)}.Center(), Exact: classes[c].own,
		})
	}
	tr.Update(&v)
	short := tr.NewDeltaState(1)
	// In one tick all change.
	v.Tick++
	for i := range v.Units {
		u := &v.Units[i]
		if c := classes[class[u.Handle]]; c.values {
			u.Values[ValueHealth] = 5
		}
		u.Pos = u.Pos.Add(grid.Vec{X: 700})
	}
	first, last, told := make([]int, len(classes)), make([]int, len(classes)), make([]int, len(classes))
	for frame := 1; ; frame++ {
		if frame > 400 {
			t.Fatalf("after %d frames the client lacks %d rows", frame, short.Pending())
		}
		tr.Update(&v)
		var d Diff
		tr.DiffWithin(&d, short, v.Tick-1, MaskOptions{}, looks, perFrame)
		seen := map[grid.Handle]bool{}
		for _, r := range d.Motion {
			seen[r.Handle] = true
		}
		for _, r := range d.Values[ValueHealth] {
			seen[r.Handle] = true
		}
		for h := range seen {
			c := class[h]
			if told[c]++; first[c] == 0 {
				first[c] = frame
			}
			last[c] = frame
		}
		v.Tick++
		if short.Pending() == 0 {
			break
		}
	}
	for c := range classes {
		if told[c] < classes[c].n {
			t.Errorf("%d of %d %s came", told[c], classes[c].n, classes[c].name)
		}
		if c > 0 && first[c] < last[c-1] {
			t.Errorf("%s came in frames %d to %d, before all %s had come (%d)", classes[c].name, first[c], last[c], classes[c-1].name, last[c-1])
		}
	}
	if last[0] != 1 || last[3] < 10 {
		t.Errorf("the classes came in frames %v to %v: own fights come at once, the rest not", first, last)
	}
}
