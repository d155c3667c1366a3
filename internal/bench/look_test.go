package bench

import (
	"bytes"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/minimap"
)

// TestLookingChangesNothing builds every team's view and draws pictures at each
// tick of a battle: the world saves the same bytes before and after, and a twin
// that nobody looks at goes the same way.
func TestLookingChangesNothing(t *testing.T) {
	m := ringGround(96)
	w, err := NewBattle(m, 4, 20, 7)
	if err != nil {
		t.Fatal(err)
	}
	twin, err := NewBattle(m, 4, 20, 7)
	if err != nil {
		t.Fatal(err)
	}
	land, err := minimap.NewLandscape(w.Map(), 1)
	if err != nil {
		t.Fatal(err)
	}
	leads, twinLeads := NewGenerals(w, 20), NewGenerals(twin, 20)
	builders, views := make([]*view.Builder, w.Teams()), make([]view.View, w.Teams())
	for i := range builders {
		builders[i] = view.NewBuilder(grid.Team(i))
	}
	var before, after []byte
	for range 200 {
		w.Step(leads.Orders())
		twin.Step(twinLeads.Orders())
		before = w.Save(before[:0])
		for i, b := range builders {
			b.Build(w, &views[i])
		}
		if w.Tick()%20 == 0 {
			var marks []minimap.Mark
			for _, e := range w.Entities() {
				marks = append(marks, minimap.Mark{At: e.Pos(), Slot: e.Slot(), Color: uint8(e.Slot())})
			}
			picture, err := land.Draw(nil, marks)
			if err != nil {
				t.Fatal(err)
			}
			if err := minimap.Encode(&bytes.Buffer{}, picture); err != nil {
				t.Fatal(err)
			}
		}
		if after = w.Save(after[:0]); !bytes.Equal(before, after) {
			t.Fatalf("tick %d: looking has changed the world", w.Tick())
		}
		if w.Tick()%20 == 0 && w.Hash() != twin.Hash() {
			t.Fatalf("tick %d: the world that is looked at has gone another way", w.Tick())
		}
	}
}
