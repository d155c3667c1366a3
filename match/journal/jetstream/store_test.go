package jetstream_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/internal/natsnode/natstest"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/jetstream"
)

// newStore returns a store as a process of its own has it, on node i.
func newStore(t *testing.T, c *natstest.Cluster, i int, change ...func(*jetstream.Config)) *jetstream.Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	n := c.Nodes[i]
	cfg := jetstream.Config{
		Conn: n.Conn(), Owner: n.Folder().Name, Server: n.ServerName(), Replicas: n.Replicas(), Shards: len(n.Folder().Servers),
		StoreBytes: 1 << 30, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	}
	for _, f := range change {
		f(&cfg)
	}
	s, err := jetstream.New(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// TestNewMatchesAreSpread: many that are made at once lie in all streams alike.
func TestNewMatchesAreSpread(t *testing.T) {
	c := natstest.Start(t, 1, 0)
	s := newStore(t, c, 0, func(c *jetstream.Config) { c.Shards = 4 })
	logs := make([]journal.Log, 20)
	var all sync.WaitGroup
	for i := range logs {
		all.Go(func() {
			var err error
			if logs[i], err = s.Create(fmt.Sprint("spread-", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	counts := map[string]int{}
	for _, l := range logs {
		stream, _, _ := strings.Cut(l.Name(), "/")
		counts[stream]++
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	for stream, n := range counts {
		if len(counts) != 4 || n < 3 || n > 7 {
			t.Errorf("%d matches in %s of %v", n, stream, counts)
		}
	}
}
