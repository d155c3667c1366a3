package main

import (
	"os"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/bench"
)

// TestSoak lets matches begin and end: people log in, wait, play, lose their connection,
// watch late, leave and watch the replay. After the last one the server holds what it
// held before. The long form takes an hour, in which heap, goroutines and descriptors
// stay flat.
func TestSoak(t *testing.T) {
	t.Parallel()
	c := bench.SoakConfig{Host: benchHost(t), For: 4 * time.Second, Lanes: 2, Every: 200 * time.Millisecond, Seed: 5}
	least := 2
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		c.For, c.Lanes, c.Every, least = time.Hour, 4, 5*time.Second, 1000
	}
	r, err := bench.Soak(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", r)
	if r.Rounds < least {
		t.Errorf("%d matches, want at least %d", r.Rounds, least)
	}
	for _, what := range r.Leaks() {
		t.Error(what)
	}
	r.After.Goroutines, r.After.Descriptors = r.Before.Goroutines+100, r.Before.Descriptors+100
	r.Samples, r.Late = 200, r.Early
	r.Late.HeapMB = 2*r.Early.HeapMB + 10
	if n := len(r.Leaks()); n != 3 {
		t.Errorf("%d leaks are found of a server that holds more and more", n)
	}
}
