package main

import (
	"context"
	"os"
	"slices"
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

// briefly are the faults of the short form. TestSimulatedFaults and TestSimulatedJournals of match/cluster
// play the other ones too, without processes.
var briefly = []string{"kill of the host and a log follower", "kill of the database", "a host that is cut off from the log", "kill of all processes"}

// TestClusterFaults breaks what can break in a cluster of real processes, one thing after the other, while two matches
// are played; with FOGKEEP_TEST_LONG=1 everything, and then at random for 40 minutes, under twenty matches. Whatever
// happens: every answered order is in the journal once and in order, the journal replays to the same hashes, every
// client comes back by itself and holds its team's view, and a host that was replaced says nothing.
func TestClusterFaults(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	all := os.Getenv("FOGKEEP_TEST_LONG") != ""
	list := slices.DeleteFunc(faults.All(), func(f faults.Fault) bool { return f.Rare || !all && !slices.Contains(briefly, f.Name) })
	if len(list) < len(briefly) {
		t.Fatalf("only %d faults are played", len(list))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s := newScene(t, ctx, 2, faults.Config{Logs: 3, Seed: seed, Outage: 5 * time.Second})
	watched := watchLate(t, ctx, s)
	for _, f := range list {
		if err := s.Play(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
	watched(func() { end(t, ctx, s) })
	watchAgain(t, ctx, s)
	if !all {
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
