package bench

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// Battles are written to a log server and all of them taken over from it.
func TestTakeOverAtOnce(t *testing.T) {
	m, err := mapfile.Open("../../match/grid/mapfile/shipped/eight-crowns.tmj")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Recovery(t.Context(), RecoveryConfig{Dir: t.TempDir(), Battle: Battle{Map: Map{Map: m}, Players: 2, Units: 10, Seconds: 15, Seed: 3}, StateSeconds: 10, Cluster: true, AtOnce: 3})
	if err != nil {
		t.Fatal(err)
	}
	if r.AtOnce == nil || r.AtOnce.Matches != 3 || r.AtOnce.FirstS <= 0 || r.AtOnce.FirstS > r.AtOnce.AllS {
		t.Errorf("%+v", r.AtOnce)
	}
}
