package cluster

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Status is the cluster as one node sees it.
type Status struct {
	Self    string         `json:"self"`
	Alone   bool           `json:"alone"` // the log does not answer this node
	Nodes   []NodeStatus   `json:"nodes"`
	Matches int            `json:"matches"` // in the directory
	Waiting int            `json:"waiting"` // matches that no living node plays: they wait for a node of their build
	Orphans []OrphanStatus `json:"orphans"` // matches that wait for a node, the oldest first; at most 100
	Streams []StreamStatus `json:"streams"`
}

// NodeStatus is one node.
type NodeStatus struct {
	Node
	SilentMs int64    `json:"silentMs"` // since its last heartbeat, measured here
	Taking   []string `json:"taking"`   // matches that it takes over at the moment
}

// OrphanStatus is a match without a node.
type OrphanStatus struct {
	Match     string   `json:"match"`
	Former    string   `json:"former,omitempty"`
	WaitingMs int64    `json:"waitingMs"`
	Nodes     []string `json:"nodes"` // that take it, in turn
	Tries     int      `json:"tries"` // of this node, that failed
}

// StreamStatus is one stream of the log.
type StreamStatus struct {
	Name    string         `json:"name"`
	Leader  string         `json:"leader"` // "": without a leader, or the stream does not answer
	Servers []string       `json:"servers"`
	Matches map[string]int `json:"matches"` // that run beside each log server
}

const mostOrphans = 100

// Status returns the cluster as this node sees it. It asks only the streams; a stream that does not answer, as during
// an election, has no leader.
func (c *Cluster) Status(ctx context.Context) (Status, error) {
	s := Status{Self: c.cfg.Name, Nodes: []NodeStatus{}, Orphans: []OrphanStatus{}, Streams: []StreamStatus{}}
	c.mu.Lock()
	if c.core == nil {
		c.mu.Unlock()
		return s, ErrNotJoined
	}
	now := c.now()
	s.Alone, s.Matches, s.Waiting = now-c.answered >= c.cfg.times.alone, len(c.core.entries), c.core.waiting()
	for _, n := range c.core.members.all() {
		m := c.core.members.byName[n.Name]
		of := NodeStatus{Node: n, SilentMs: (now - m.heard).Milliseconds(), Taking: append([]string{}, m.Taking...)}
		if n.State != Alive { // its last heartbeat is old: the directory's entries count
			of.Load.Matches = len(c.core.byOwner[owner{n.Name, n.Incarnation}])
		}
		s.Nodes = append(s.Nodes, of)
	}
	for _, o := range c.core.orphans {
		s.Orphans = append(s.Orphans, OrphanStatus{o.match, o.former, (now - o.since).Milliseconds(), append([]string{}, o.nodes...), o.tries})
	}
	c.mu.Unlock()
	slices.SortFunc(s.Orphans, func(a, b OrphanStatus) int {
		return cmp.Or(cmp.Compare(b.WaitingMs, a.WaitingMs), cmp.Compare(a.Match, b.Match))
	})
	s.Orphans = s.Orphans[:min(len(s.Orphans), mostOrphans)]
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	streams, err := c.streams(ctx)
	if err != nil {
		c.log.Info("a stream of the log does not answer", "error", err)
	}
	for _, of := range streams {
		s.Streams = append(s.Streams, StreamStatus{of.Name, of.Leader, of.Servers, of.Matches})
	}
	return s, nil
}

// Alone reports whether the log has not answered this node for long. Its matches stand still.
func (c *Cluster) Alone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.core == nil || c.now()-c.answered >= c.cfg.times.alone
}
