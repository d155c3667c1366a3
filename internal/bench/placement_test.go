package bench

import (
	"reflect"
	"testing"
)

func TestPlacement(t *testing.T) {
	c := PlacementConfig{Nodes: 110, Matches: 2200, Clusters: 2, Cores: 4, Trials: 2, Seed: 7}
	r, err := Placement(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Placement(t.Context(), c)
	if err != nil || !reflect.DeepEqual(r, again) {
		t.Errorf("the same seed gives another report: %v", err)
	}
	if r.Placed != 2200 || r.MatchMin < 15 || r.MatchMax > 25 || len(r.Rows) != 10 {
		t.Fatalf("%+v", r)
	}
	for _, row := range r.Rows {
		name := row.Pattern + " " + row.Log
		switch {
		case row.Hit < 15*float64(row.Dead) || row.Hit > 25*float64(row.Dead):
			t.Errorf("%d %s: %v matches hit", row.Dead, name, row.Hit)
		case row.Dead == 100 && row.Pattern == "together":
			// One cluster is dead altogether; in the other ten nodes live.
			if row.Never < .5 || row.Log == "apart" && row.Never > .6 {
				t.Errorf("%d %s: %v come never", row.Dead, name, row.Never)
			}
		case row.Log == "apart" && (row.Never > 0 || row.Elected > 0 || row.Stopped > 0):
			t.Errorf("%d %s: a log that stands apart did not answer: %+v", row.Dead, name, row)
		}
		if row.Never < 1 && (row.P50S < suspectS-beatS+takeCoreS || row.P50S > row.P99S || row.P99S > row.MaxS) {
			t.Errorf("%d %s: freezes of %v, %v, %v s", row.Dead, name, row.P50S, row.P99S, row.MaxS)
		}
	}
	// A dead node alone: twenty matches on 54 survivors, nobody waits for a core.
	if one := r.Rows[0]; one.Dead != 1 || one.Log != "apart" || one.MaxS > suspectS+2*takeCoreS+.5 {
		t.Errorf("one dead node: %+v", one)
	}
	// A leader of the log that dies costs an election, and only logs in the nodes have leaders that die.
	elections := 0
	for _, row := range r.Rows {
		if row.Elected > 0 && row.Never < 1 {
			elections++
			if row.Log == "apart" || row.MaxS < electMinS {
				t.Errorf("an election, and no match stood still for it: %+v", row)
			}
		}
	}
	if elections == 0 {
		t.Error("no leader died")
	}
}
