package bench

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// In a close battle most units fight all the time, and the armies last.
func TestCloseBattleIsFought(t *testing.T) {
	m, err := mapfile.Open("../../match/grid/mapfile/shipped/eight-crowns.tmj")
	if err != nil {
		t.Fatal(err)
	}
	c := SimConfig{Battle: Battle{Map: Map{Map: m}, Players: 8, Units: 60, Seconds: 3, Seed: 1}, Engaged: true}
	r, err := Sim(c)
	if err != nil || r.EngagedShare < engagedLeast {
		t.Fatalf("%.2f of %.0f units are engaged: %v", r.EngagedShare, r.UnitsMean, err)
	}
	for name, us := range r.PhaseUs {
		if us < 0 || us > r.TickMaxUs {
			t.Errorf("%s takes %d us of at most %d", name, us, r.TickMaxUs)
		}
	}
	c.Players, c.Units = 1, 20 // nobody is there to fight
	if r, err := Sim(c); err == nil {
		t.Errorf("%.2f of %.0f units are engaged, and the run does not fail", r.EngagedShare, r.UnitsMean)
	}
}
