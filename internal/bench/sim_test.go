package bench

import "testing"

// In a close battle most units fight all the time, and the armies last.
func TestCloseBattleIsFought(t *testing.T) {
	c := SimConfig{Battle: shippedBattle(t, "eight-crowns", 8, 60, 3), Engaged: true}
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
