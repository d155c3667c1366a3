package sim

import (
	"bytes"
	"os"
	"testing"
)

// A projectile that has hit goes on in a restored world as in the first: it knows its hits.
func TestProjectilesThatHitManyAreState(t *testing.T) {
	story, err := os.ReadFile("testdata/projectile_kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := bytes.Cut(story, []byte("step 40")) // the bolt is in flight, or about to be
	_, w := playStage(t, append(head, "step 9\n----\n"...))
	back, err := Restore(Setup{Map: w.m, Rules: w.rules, Seed: w.seed, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}, w.Save(nil))
	if err != nil {
		t.Fatal(err)
	}
	back.mode = w.mode // the stage's, which never ends
	hits := 0
	for range 12 {
		w.Step(nil)
		back.Step(nil)
		if !bytes.Equal(w.Save(nil), back.Save(nil)) {
			t.Fatalf("tick %d: the restored world went another way", w.Tick())
		}
		for _, e := range back.Entities() {
			hits = max(hits, int(e.shot.many.n))
		}
	}
	if hits != 2 {
		t.Errorf("a bolt that hits three noted %d hits", hits)
	}
}
