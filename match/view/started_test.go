package view

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// A shot that its player numbered is told under its handle, also once it is gone,
// but not once the handle names something else: the client would take that for
// its shot.
func TestAShotIsNotToldUnderAnothersHandle(t *testing.T) {
	tr := NewTracker(Rules{W: 16, H: 16, Keep: 200})
	told := func(now grid.Tick, units []Unit, started ...Started) int {
		var gone []Removed
		if units == nil {
			gone = []Removed{{Handle: 5}}
		}
		tr.Update(&View{Tick: now, W: 16, H: 16, Units: units, Removed: gone, Owners: []OwnerState{{Slot: 0, Started: started}}})
		var d OwnerDiff
		tr.DiffOwner(&d, 0, 0)
		return len(d.Started)
	}
	if n := told(1, []Unit{{Handle: 5, Entered: 1}}, Started{Request: 9, Handle: 5}); n != 1 {
		t.Errorf("as it starts it is told %d times", n)
	}
	if n := told(2, nil); n != 1 {
		t.Errorf("to one who comes back after it is gone it is told %d times", n)
	}
	if n := told(110, []Unit{{Handle: 5, Entered: 110}}); n != 0 {
		t.Errorf("handle 5 names something else, and is told %d times as the shot", n)
	}
}
