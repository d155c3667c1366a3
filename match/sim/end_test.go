package sim

import "testing"

// TestSightEndsAfterTheMatch: a player who is out sees from then on only with the eyes of
// its dead, and is blind when their time is over, even after the match has ended and its
// world stands still: the server's frames stay true.
func TestSightEndsAfterTheMatch(t *testing.T) {
	w := newWorld(t, Setup{Seed: 3})
	for range 5 {
		w.Step(nil)
	}
	base := w.Map().Starts[1]
	out := w.Step([]Input{{Kind: InputLeft, Slot: 1}})
	if out.Ended == nil || out.Ended.Winner != 0 {
		t.Fatalf("one of two left: %+v", out.Ended)
	}
	for _, s := range w.Knowledge(1).Seen(nil) {
		if e := w.Entity(s.ID); e == nil || e.Team() == 1 {
			t.Errorf("who is out still has %v", s.ID)
		}
	}
	if !w.Eyes().Visible(1, base) {
		t.Fatal("its dead see nothing: this shows nothing")
	}
	for range int(w.DyingSight()) {
		w.Step(nil)
	}
	if w.Eyes().Visible(1, base) || len(w.Knowledge(1).Seen(nil)) > 0 {
		t.Errorf("%d ticks later it still sees", w.DyingSight())
	}
	if !w.Eyes().Visible(0, w.Map().Starts[0]) {
		t.Error("the winner no longer sees its own base")
	}
}
