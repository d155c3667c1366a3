package bench

import (
	"reflect"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// The runner reads the world as the server wrote it, and a truth that was cut is an
// error.
func TestTruthComesBack(t *testing.T) {
	want := &Truth{
		Tick: 1 << 31,
		Facts: []Fact{
			{Type: 3, Slot: grid.NoSlot, Pos: grid.Pos{X: 1 << 19, Y: -1}, Foot: grid.Tile{X: -3, Y: 1023}, Missing: 70000, Cloaked: true, Handles: []grid.Handle{1 << 20, 0}},
			{Type: 65535, Slot: 1, Built: true, Handles: []grid.Handle{0, 7}},
		},
		Lacking: grid.SlotSet(1 << 63).With(3),
		Timed:   [][]Timed{nil, {{Tile: grid.Tile{X: 5, Y: 6}, Radius: 9, Flyer: true, LevelBonus: 2}, {Radius: 1}}},
	}
	b, err := want.GobEncode()
	if err != nil {
		t.Fatal(err)
	}
	got := &Truth{}
	if err := got.GobDecode(b); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v came back as %+v: %v", want, got, err)
	}
	for n := range b {
		if got.GobDecode(b[:n]) == nil {
			t.Errorf("the first %d of %d bytes are a truth", n, len(b))
		}
	}
}
