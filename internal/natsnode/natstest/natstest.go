package natstest

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/natsnode"
)

// Cluster is a cluster of a test.
type Cluster struct {
	Dir   string           // the folder that natsnode.Init made; Dir/NAME is that of a node
	Nodes []*natsnode.Node // the nodes of the journal servers, then the other nodes; nil: stopped
	names []string
	store string
}

// Start starts journal servers l1, l2, ... and then connects nodes n1, n2, ... without journal servers of their own. It
// ends the test if that takes longer than half a minute.
func Start(t testing.TB, servers, nodes int) *Cluster {
	t.Helper()
	c := &Cluster{Dir: filepath.Join(t.TempDir(), "cluster"), store: t.TempDir()}
	var p natsnode.Plan
	ports := FreePorts(t, 2*servers)
	for i := range servers {
		s := natsnode.Server{Name: fmt.Sprintf("l%d", i+1), Clients: ports[2*i], Routes: ports[2*i+1]}
		p.Servers = append(p.Servers, s)
		c.names = append(c.names, s.Name)
	}
	for i := range nodes {
		p.Nodes = append(p.Nodes, fmt.Sprintf("n%d", i+1))
	}
	c.names = append(c.names, p.Nodes...)
	if err := natsnode.Init(c.Dir, p); err != nil {
		t.Fatal(err)
	}
	c.Nodes = make([]*natsnode.Node, len(c.names))
	t.Cleanup(func() {
		// All at once: no server is left to hand leaders to.
		var all sync.WaitGroup
		for _, n := range c.Nodes {
			if n != nil {
				all.Go(n.Kill)
			}
		}
		all.Wait()
	})
	var all sync.WaitGroup
	for i := range servers {
		all.Go(func() { c.Restart(t, i) })
	}
	all.Wait()
	for i := range nodes {
		c.Restart(t, servers+i)
	}
	if t.Failed() {
		t.FailNow()
	}
	return c
}

// Restart starts node i, which does not run, on the store that it had.
func (c *Cluster) Restart(t testing.TB, i int) {
	t.Helper()
	f, err := natsnode.Read(filepath.Join(c.Dir, c.names[i]))
	if err != nil {
		t.Error(err)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	n, err := natsnode.Start(ctx, natsnode.Config{Folder: f, StoreDir: filepath.Join(c.store, c.names[i]), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Errorf("%s: %v", c.names[i], err)
		return
	}
	c.Nodes[i] = n
}

// Kill stops node i as a kill of its process would.
func (c *Cluster) Kill(i int) {
	c.Nodes[i].Kill()
	c.Nodes[i] = nil
}

// FreePorts returns free addresses of loopback.
func FreePorts(t testing.TB, n int) []string {
	t.Helper()
	var out []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // only at the end: each gets another port
		out = append(out, l.Addr().String())
	}
	return out
}
