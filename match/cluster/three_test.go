package cluster

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/natsnode/natstest"
)

// Three nodes with a journal server each. The leader of the stream of a node's matches moves away from that
// node. Then the node and its journal server die, and the others go on: they need no answer of the
// directory, whose leader may be among the dead.
func TestThreeLogServers(t *testing.T) {
	t.Parallel()
	logs := natstest.Start(t, 3, 0)
	js, err := jetstream.New(logs.Nodes[0].Conn())
	if err != nil {
		t.Fatal(err)
	}
	leader := func() string {
		s, err := js.Stream(t.Context(), "fogkeep_j0")
		if err != nil || s.CachedInfo().Cluster == nil {
			return ""
		}
		return s.CachedInfo().Cluster.Leader
	}
	eventually.Holds(t, "the leader has heard all three, and makes a stream on them", func() bool {
		_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "fogkeep_j0", Subjects: []string{"fogkeep.j0.>"}, Replicas: 3, Storage: jetstream.FileStorage})
		return err == nil
	}, &err)
	w := &world{t: t, log: newLog(), times: quick, nodes: map[string]*node{}}
	// While the journal servers elect leaders on a busy machine a node is late by seconds: it keeps its matches.
	w.times.suspect, w.times.answer, w.times.leaders = 5*time.Second, 3*time.Second, 300*time.Millisecond
	var now, again string
	w.until("the stream has a leader", func() bool { now = leader(); return now != "" })
	beside := slices.Index([]string{"l1", "l2", "l3"}, now)
	names := []string{"a", "b", "c"}
	for i, name := range names {
		n := logs.Nodes[i]
		w.addOn(name, "sim1", n.Conn(), nil, func(c *Config) {
			c.LogServer, c.Replicas = n.ServerName(), 3
			c.Streams = func() map[string]int { return map[string]int{"fogkeep_j0": len(c.Host.Running())} }
		})
	}
	w.until("all know each other", func() bool {
		return !slices.ContainsFunc(slices.Collect(maps.Values(w.nodes)), func(n *node) bool { return len(living(n)) != 3 })
	})
	host := names[beside]
	w.start(host, 0, 10)
	w.until("the directory knows all", w.whole)
	w.until("the leader went elsewhere", func() bool { now = leader(); return now != "" && now != logs.Nodes[beside].ServerName() })
	w.until("the status shows it", func() bool {
		s, err := w.nodes[host].Status(t.Context())
		matches, _ := w.nodes[host].matchesOfStreams()
		return err == nil && len(s.Streams) == 1 && len(s.Streams[0].Servers) == 3 && matches["fogkeep_j0"][logs.Nodes[beside].ServerName()] == 10
	})
	// It stays there: nobody moves it to and fro.
	time.Sleep(3 * w.times.leaders) // nodes look at leaders by the clock
	if w.until("the stream has a leader", func() bool { again = leader(); return again != "" }); again != now {
		t.Errorf("the leader went from %s to %s", now, again)
	}

	n := w.nodes[host]
	n.host.mu.Lock()
	n.host.stopped, n.dead = true, true
	n.host.mu.Unlock()
	began := time.Now()
	logs.Kill(beside)
	n.cancel()
	w.until("every match runs", w.whole)
	t.Logf("after %v", time.Since(began).Round(time.Millisecond))
}
