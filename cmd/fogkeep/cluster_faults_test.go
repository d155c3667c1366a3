//go:build !race

package main

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/internal/clustertest/faults"
)

// newScene starts a cluster of three nodes with its own database, and matches on it.
func newScene(t *testing.T, ctx context.Context, matches int, c faults.Config) *faults.Scene {
	t.Helper()
	var err error
	if c.Dir, err = os.MkdirTemp("", "fogkeep-cluster-"); err != nil {
		t.Fatal(err)
	}
	c.Program, c.Log = thisProgram(), t.Logf
	began := time.Now()
	s, err := faults.New(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if t.Failed() {
			t.Logf("what the processes said is in %s", c.Dir)
			return
		}
		if err := os.RemoveAll(c.Dir); err != nil {
			t.Error(err)
		}
	})
	t.Logf("the cluster is up after %.1f s", time.Since(began).Seconds())
	if err := s.Begin(ctx, matches); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d matches play after %.1f s", matches, time.Since(began).Seconds())
	return s
}

// end lets the matches end, and verifies them whole.
func end(t *testing.T, ctx context.Context, s *faults.Scene) {
	t.Helper()
	if err := s.End(ctx); err != nil {
		t.Error(err)
	}
}

// TestClusterFaults breaks everything that can break in a cluster of real processes, one
// thing after the other, while two matches are played; with FOGKEEP_TEST_LONG=1 at random
// for 40 minutes, under twenty matches. Whatever happens: every answered order is in
// the journal once and in order, the journal replays to the same hashes, every client
// comes back by itself and holds its team's view, and a host that was replaced says
// nothing.
func TestClusterFaults(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	if os.Getenv("FOGKEEP_TEST_LONG") == "" {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		s := newScene(t, ctx, 2, faults.Config{Logs: 3, Seed: seed, Outage: 5 * time.Second})
		watched := watchLate(t, ctx, s)
		for _, f := range faults.All() {
			if f.Rare {
				continue
			}
			if err := s.Play(ctx, f); err != nil {
				t.Fatal(err)
			}
		}
		watched(func() { end(t, ctx, s) })
		watchAgain(t, ctx, s)
		return
	}
	for _, logs := range []int{0, 3} { // the nodes run the journal servers, or these run apart
		r, err := bench.Chaos(t.Context(), bench.ChaosConfig{Host: benchHost(t), Minutes: 20, Matches: 20, Logs: logs, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", r)
	}
}
