package bench

import (
	"reflect"
	"testing"
)

// The simulation gives the same figures each time, and they are those of a queue
// that works: everybody plays, ratings come near to what players can.
func TestMatchmakingSimulation(t *testing.T) {
	c := MatchmakingConfig{Players: 60, Hours: 12, Seed: 1}
	first, err := Matchmaking(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Matchmaking(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(first, again) {
		t.Errorf("two runs differ: %+v, %+v", first, again)
	}
	for _, row := range first.Rows[:1] {
		if row.Matches < 500 || row.WaitMaxS > 300 || row.ErrorP50 > 0.6*row.ErrorStart || row.Favourite < 0.5 {
			t.Errorf("%+v", row)
		}
	}
}
