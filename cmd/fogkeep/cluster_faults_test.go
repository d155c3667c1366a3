//go:build !race

package main

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/pgtest"
)

// newScene starts a cluster of three nodes with its own database, and matches on it.
func newScene(t *testing.T, ctx context.Context, matches, logs int, seed uint64) *scene {
	t.Helper()
	dir, err := os.MkdirTemp("", "fogkeep-cluster-")
	if err != nil {
		t.Fatal(err)
	}
	database, err := pgtest.NewServer()
	if err != nil {
		t.Fatal(err)
	}
	c, err := clustertest.New(clustertest.Config{Program: thisProgram(), Dir: dir, Database: database.URL(), Nodes: 3, Logs: logs})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{Cluster: c, Database: database, Random: rand.New(rand.NewPCG(seed, 0)), OutageFor: 5 * time.Second, Log: t.Logf}
	t.Cleanup(func() {
		for _, m := range s.Matches {
			m.Close()
		}
		c.Close()
		database.Close()
		if t.Failed() {
			t.Logf("what the processes said is in %s", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	began := time.Now()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("the cluster is up after %.1f s", time.Since(began).Seconds())
	for i := range matches {
		urls := c.URLs()
		urls = append(urls[i%len(urls):], urls[:i%len(urls)]...)
		m, err := clustertest.NewMatch(ctx, clustertest.MatchConfig{Name: "m" + string(rune('a'+i)), URLs: urls, Players: 2, Bots: i % 2, Seed: seed + uint64(i), Options: map[string]any{"spectatorDelay": 1}})
		if err != nil {
			t.Fatal(err)
		}
		s.Matches = append(s.Matches, m)
	}
	t.Logf("%d matches play after %.1f s", matches, time.Since(began).Seconds())
	return s
}

// end lets the matches end, and verifies them whole.
func end(t *testing.T, ctx context.Context, s *scene) {
	t.Helper()
	for _, m := range s.Matches {
		for _, p := range m.Players {
			p.Quit()
		}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, m := range s.Matches {
		if err := m.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Verify(ctx, true); err != nil {
		t.Error(err)
	}
}

// TestClusterFaults breaks everything that can break in a cluster of real processes, one
// thing after the other, while two matches are played; with FOGKEEP_TEST_LONG=1 a hundred
// faults at random, under twenty matches. Whatever happens: every answered order is in
// the journal once and in order, the journal replays to the same hashes, every client
// comes back by itself and holds its team's view, and a host that was replaced says
// nothing.
func TestClusterFaults(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	if os.Getenv("FOGKEEP_TEST_LONG") == "" {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		s := newScene(t, ctx, 2, 3, seed)
		watched := watchLate(t, ctx, s)
		for _, f := range faults() {
			if err := s.Play(ctx, f); err != nil {
				t.Fatal(err)
			}
		}
		watched(func() { end(t, ctx, s) })
		watchAgain(t, ctx, s)
		return
	}
	const rounds, each = 10, 10
	for round := range rounds {
		t.Run("", func(t *testing.T) {
			seed := seed + uint64(round)
			t.Logf("seed %d", seed)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
			defer cancel()
			logs := 3 * (round % 2) // in every other round the nodes run the journal servers
			s := newScene(t, ctx, 20, logs, seed)
			s.OutageFor = time.Minute
			list := slices.DeleteFunc(faults(), func(f fault) bool { return f.Apart && logs == 0 })
			for range each {
				if err := s.Play(ctx, list[s.Random.IntN(len(list))]); err != nil {
					t.Fatal(err)
				}
			}
			end(t, ctx, s)
		})
	}
}
