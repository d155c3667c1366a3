package play

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/shared"
)

const (
	// leaseLife is how long a node counts as alive after its row was last seen to
	// change. Clocks are not compared: each process watches the count.
	leaseLife = 30 * time.Second
	// nodesKept is how long the row of a node that is gone is kept.
	NodesKept = 7 * 24 * time.Hour
)

// leases are the other nodes as this process has seen them.
type leases struct {
	mu    sync.Mutex
	nodes map[string]lease
}

type lease struct {
	model.Node
	changed time.Time // when the beats were seen to change
}

// see takes the rows in.
func (l *leases) see(list []model.Node, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := make(map[string]lease, len(list))
	for _, n := range list {
		changed := now
		if former, known := l.nodes[n.Name]; known && former.Heartbeats == n.Heartbeats {
			changed = former.changed
		}
		next[n.Name] = lease{n, changed}
	}
	l.nodes = next
}

func (l *leases) of(name string) (lease, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.nodes[name]
	return n, ok
}

// NodeURLs returns the players' addresses of the other nodes, as far as they have their
// own. It does not wait.
func (s *Service) NodeURLs() []string {
	s.leases.mu.Lock()
	defer s.leases.mu.Unlock()
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.leases.nodes)) {
		if url := s.leases.nodes[name].URL; name != s.Node && url != "" && url != s.NodeURL {
			out = append(out, url)
		}
	}
	return out
}

// Beat tells the other nodes that this node lives, and reads which other nodes live.
func (s *Service) Beat(ctx context.Context) error {
	if s.Matches == nil {
		return nil
	}
	var list []model.Node
	if err := s.Write(ctx, func(tx *db.Tx) (err error) {
		if err := tx.Nodes.Heartbeat(s.Node, s.NodeURL, s.Now()); err != nil {
			return err
		}
		list, err = tx.Nodes.List()
		return err
	}); err != nil {
		return err
	}
	s.leases.see(list, s.Now())
	return nil
}

// alive reports whether a node has lately been seen to live.
func (s *Service) alive(node string) bool {
	if node == s.Node {
		return true
	}
	n, ok := s.leases.of(node)
	return ok && s.Now().Sub(n.changed) < leaseLife
}

// nodeURL returns the players' address of a node; "": the common address.
func (s *Service) nodeURL(node string) string {
	if node == s.Node {
		return s.NodeURL
	}
	n, _ := s.leases.of(node)
	return n.URL
}

// Elsewhere is the cause of a refusal [model.RunsElsewhere]: where the match runs, as far
// as it is known.
type Elsewhere struct {
	Match     model.MatchID
	Node, URL string
}

func (e *Elsewhere) Error() string { return fmt.Sprintf("match %s, node %s", e.Match, e.Node) }

// goElsewhere refuses what only the node can do that runs a match.
func (s *Service) goElsewhere(m model.MatchID, node string) error {
	e := &Elsewhere{m, node, s.nodeURL(node)}
	detail := "the match runs on another node, " + node
	if e.URL != "" {
		detail += " (" + e.URL + ")"
	}
	return &model.Error{Code: model.RunsElsewhere, Detail: detail + ": ask there", Err: e}
}

// elsewhere refuses a request for a match that another node runs and this process
// cannot reach; nil: this process can answer, or no other node could.
func (s *Service) elsewhere(ctx context.Context, m model.MatchID, node string) error {
	at := s.Matches.Where(ctx, m)
	if at.State != shared.WhereUnknown || node == s.Node || !s.alive(node) {
		return nil
	}
	return s.goElsewhere(m, node)
}

// URLOf returns the players' address of the node that runs a match; "": the common
// address, or unknown.
func (s *Service) URLOf(ctx context.Context, match model.MatchID) string {
	if s.Matches == nil {
		return ""
	}
	at := s.Matches.Where(ctx, match)
	if at.URL != "" {
		return at.URL
	}
	if at.State == shared.WhereUnknown {
		if err := s.Read(ctx, func(tx *db.Tx) error {
			m, err := tx.Matches.Get(match)
			at.Node = m.Node
			return err
		}); err != nil {
			return ""
		}
	}
	return s.nodeURL(at.Node)
}

// TookOver notes that this node now runs a match that another one ran, or that it ran
// itself before it was started again, and sends the match's bots.
func (s *Service) TookOver(ctx context.Context, match model.MatchID) error {
	var m model.Match
	if err := s.Write(ctx, func(tx *db.Tx) (err error) {
		if m, err = tx.Matches.Get(match); err != nil {
			return err
		}
		l, err := tx.Lobbies.Lock(m.Lobby) // before the match: see finishLaunch
		if err != nil {
			return err
		}
		if l.Waiting != nil && l.Match == match {
			l.Waiting = nil
			l.Changed()
			if err := s.Save(tx, l); err != nil {
				return err
			}
		}
		if m, err = tx.Matches.Lock(match); err != nil || m.State != model.MatchLive && m.State != model.MatchStarting || m.Node == s.Node {
			return err
		}
		m.Node = s.Node
		return tx.Matches.Save(m)
	}); err != nil {
		return err
	}
	s.Hub.Wake(m.Lobby)
	if m.State == model.MatchLive || m.State == model.MatchStarting {
		s.startBots(ctx, m.Spec)
	}
	return nil
}
