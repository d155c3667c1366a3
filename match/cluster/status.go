package cluster

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/shared"
)

const mostOrphans = 100

// Status returns the cluster as this node sees it. It asks only the streams; a stream that does not answer, as during
// an election, has no leader.
func (c *Cluster) Status(ctx context.Context) (shared.ClusterStatus, error) {
	s := shared.ClusterStatus{Node: c.cfg.Name, Nodes: []shared.ClusterNode{}, Orphans: []shared.ClusterOrphan{}, Streams: []shared.ClusterJournal{}}
	c.mu.Lock()
	if c.core == nil {
		c.mu.Unlock()
		return s, ErrNotJoined
	}
	now := c.now()
	s.LogAway, s.Matches, s.Waiting = now-c.answered >= c.cfg.times.alone, len(c.core.entries), c.core.waiting()
	for _, n := range c.core.members.all() {
		m := c.core.members.byName[n.Name]
		if n.State != Alive { // its last heartbeat is old: the directory's entries count
			n.Load.Matches = len(c.core.byOwner[n.owner()])
		}
		s.Nodes = append(s.Nodes, shared.ClusterNode{
			Name: n.Name, URL: n.URL, State: string(n.State), Draining: n.Draining, Build: n.Build, Sim: n.Sim, LogServer: n.LogServer,
			Processor: n.Load.Tick, Memory: n.Load.Memory, Matches: n.Load.Matches, Most: n.Load.Most,
			SilentMs: (now - m.contact).Milliseconds(), Taking: append([]string{}, m.Taking...),
		})
	}
	for _, o := range c.core.orphans {
		s.Orphans = append(s.Orphans, shared.ClusterOrphan{Match: o.match, Former: o.former, WaitingMs: (now - o.since).Milliseconds(), Nodes: append([]string{}, o.nodes...)})
	}
	c.mu.Unlock()
	slices.SortFunc(s.Orphans, func(a, b shared.ClusterOrphan) int {
		return cmp.Or(cmp.Compare(b.WaitingMs, a.WaitingMs), cmp.Compare(a.Match, b.Match))
	})
	s.Orphans = s.Orphans[:min(len(s.Orphans), mostOrphans)]
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	streams, err := c.streams(ctx)
	if err != nil {
		c.log.Info("a stream of the journal store does not answer", "error", err)
	}
	for _, of := range streams {
		s.Streams = append(s.Streams, shared.ClusterJournal{Name: of.Name, Leader: of.Leader, Servers: append([]string{}, of.Servers...)})
	}
	return s, nil
}

// Alone reports whether the journal store has not answered this node for long. Its matches stand still.
func (c *Cluster) Alone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.core == nil || c.now()-c.answered >= c.cfg.times.alone
}
