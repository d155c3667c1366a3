package client

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
)

// A client that is short of bytes holds only entities in view, and all that carry its team's sight. Missing and old
// rows are counted as waiting, and once the count is 0 it holds the view and is at one with its team.
func TestDeltaStateLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStage(t)
		tr := view.NewTracker(view.Rules{W: testW, H: testH, Keep: 30})
		r, rest := NewReplica(testW, testH, testFull), newHeldRest()
		var d view.Diff
		var short *view.DeltaState
		base := grid.Tick(0)
		for range rapid.IntRange(1, 60).Draw(t, "ticks") {
			v := s.step()
			tr.Update(v)
			if rapid.IntRange(0, 3).Draw(t, "stall") == 0 && base != 0 {
				continue
			}
			if short == nil && (base == 0 || rapid.Bool().Draw(t, "short")) {
				short = tr.NewDeltaState(base)
			}
			if short != nil {
				want := view.Interest{Priority: []uint8{9, 200, 5}, Camera: grid.Tile{X: 10, Y: 10}, Radius: 12}
				tr.DiffWithin(&d, short, base, view.MaskOptions{MaskRows: true}, want, rapid.IntRange(0, 60).Draw(t, "bytes"))
			} else {
				tr.Diff(&d, base, view.MaskOptions{MaskRows: true})
			}
			if err := r.Apply(&d); err != nil {
				t.Fatal(err)
			}
			rest.take(t, s, tr, &d, r, base, false)
			base = tr.Tick()
			if short == nil || short.Pending() == 0 {
				check(t, v, s, r)
				short = nil
				continue
			}
			checkShort(t, v, r, short.Pending())
		}
	})
}

func checkShort(t *rapid.T, v *view.View, r *Replica, left int) {
	behind := 0
	inView := map[grid.Handle]bool{}
	for _, u := range v.Units {
		inView[u.Handle] = true
		e := r.Entities[u.Handle]
		right := e != nil && e.Values[view.ValueHealth] == u.Values[view.ValueHealth] && e.Values[view.ValueFlags] == u.Values[view.ValueFlags] && e.Values[view.ValueHealthChanges] == u.Values[view.ValueHealthChanges] &&
			r.Pos(e, r.Tick).Within(u.Pos, view.ToleranceDefault)
		if !right {
			behind++
		}
		if u.Exact && (!right || r.Pos(e, r.Tick).Tile() != u.Pos.Tile()) {
			t.Fatalf("tick %d: handle %d carries sight and is held as %+v, it is %+v", v.Tick, u.Handle, e, u)
		}
	}
	if behind > left {
		t.Fatalf("tick %d: %d entities are not held as they are, only %d wait", v.Tick, behind, left)
	}
	for h := range r.Entities {
		if !inView[h] {
			t.Fatalf("tick %d: handle %d is held and not in view", v.Tick, h)
		}
	}
}
