package main

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// otherBuild has the test binary run as a fogkeep that simulates differently.
const otherBuild = "fogkeep of another build"

// TestNodesOfTwoBuilds: a node dies, and the other node of the cluster has another build. It
// gives no ticket for the match, does not end it, and the first node goes on with it.
func TestNodesOfTwoBuilds(t *testing.T) {
	long(t)
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	c, err := clustertest.New(clustertest.Config{Program: thisProgram(), Dir: filepath.Join(t.TempDir(), "cluster"), Database: pgtest.NewWire(t, pgtest.New(t, "")).URL, Nodes: 2, Logs: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.Nodes[1].Env = []string{asProgram + "=" + otherBuild}
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	m, err := clustertest.NewMatch(ctx, clustertest.MatchConfig{Name: "m", URLs: c.URLs(), Players: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	host, err := c.Host(m)
	if err != nil {
		t.Fatal(err)
	}
	other := c.Nodes[1-slices.Index(c.Nodes, host)]
	host.Kill()
	at := func(n *clustertest.Node) *e2eClient {
		c := visitor(t, n.URL)
		c.Token, c.Header = m.Host.Token, m.Host.Header
		return c
	}
	ticket := func() string {
		_, refused := at(other).try(http.MethodPost, "/api/lobbies/"+m.Lobby+"/ticket", map[string]any{"protocol": wire.Protocol}, nil)
		return refused.Code
	}
	until := func(what string, holds func() bool) {
		t.Helper()
		out := ""
		eventually.Holds(t, what, func() bool { out = other.Output(4000); return holds() }, &out)
	}
	until("the other node has the match wait", func() bool { return ticket() == string(model.MatchWaits) })
	if l, err := at(other).Lobby(ctx, m.Lobby); err != nil || l.State != "playing" {
		t.Errorf("the lobby is %s, %v", l.State, err)
	}
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	until("the match goes on", func() bool { return ticket() == "" })
	if w, closing := at(host).open(at(host).ticket(m.Lobby)).welcome(); w == nil {
		t.Errorf("the match does not go on: %v", closing)
	}
}
