package journaltest_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/fogkeep/fogkeep/internal/natsnode/natstest"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/jetstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDirIsAStore(t *testing.T) {
	path := t.TempDir()
	everyStore(t, func(t *testing.T) journal.Store {
		d, err := journal.OpenDir(path)
		if err != nil {
			t.Fatal(err)
		}
		return d
	})
}

// onNode returns a store as a process of its own has it, on node i.
func onNode(t *testing.T, c *natstest.Cluster, i int) *jetstream.Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	n := c.Nodes[i]
	s, err := jetstream.New(ctx, jetstream.Config{
		Conn: n.Conn(), Owner: n.Folder().Name, Server: n.ServerName(), Replicas: n.Replicas(), Shards: len(n.Folder().Servers),
		StoreBytes: 1 << 30, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestStoreOnOneServer(t *testing.T) {
	c := natstest.Start(t, 1, 0)
	everyStore(t, func(t *testing.T) journal.Store { return onNode(t, c, 0) })
}

// The stores of three nodes make the streams at the same moment.
func TestStoreOnThreeServers(t *testing.T) {
	c := natstest.Start(t, 3, 0)
	var all sync.WaitGroup
	stores := make([]*jetstream.Store, 3)
	for i := range stores {
		all.Go(func() { stores[i] = onNode(t, c, i) })
	}
	all.Wait()
	n := 0
	everyStore(t, func(t *testing.T) journal.Store { n++; return stores[n%3] })
}
