package admin

import (
	"context"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Cluster is the nodes together, as admins see them. cmd adapts match/cluster. Any
// goroutine may call it.
type Cluster interface {
	// Status is the cluster as this node sees it.
	Status(context.Context) (ClusterStatus, error)
	// Drain has a node move its matches to others and take no new ones, or take them
	// again. It returns once the node has begun.
	Drain(ctx context.Context, node string, on bool) error
	// Move moves a match to a node; "": to the one with most room. It returns once the
	// match runs there.
	Move(ctx context.Context, match model.MatchID, node string) error
}

// ClusterStatus is a cluster as one of its nodes sees it.
type ClusterStatus struct {
	Node    string           `json:"node" doc:"that answers"`
	LogAway bool             `json:"logAway" doc:"the log does not answer this node: its matches stand still"`
	Matches int              `json:"matches" doc:"that run, on all nodes"`
	Nodes   []ClusterNode    `json:"nodes" doc:"by name"`
	Orphans []ClusterOrphan  `json:"orphans" doc:"matches that no node runs at the moment, the oldest first; 100 at most"`
	Waiting int              `json:"waiting" doc:"of them: those that wait for a node of the build that began them"`
	Streams []ClusterJournal `json:"streams" doc:"of the log; empty while it does not answer"`
}

// ClusterNode is one node.
type ClusterNode struct {
	Name      string   `json:"name"`
	URL       string   `json:"url,omitempty" doc:"where players reach it; absent: where they reach any node"`
	State     string   `json:"state" enum:"alive,suspected,gone" doc:"suspected: not heard of, its matches are taken over"`
	Draining  bool     `json:"draining" doc:"it gives its matches to others and takes no new ones"`
	Build     string   `json:"build"`
	Sim       string   `json:"sim" doc:"how it simulates: nodes take over matches of the same only"`
	LogServer string   `json:"logServer,omitempty" doc:"that runs inside of it"`
	Processor int      `json:"processor" doc:"of its processors that it uses, in thousandths"`
	Memory    int      `json:"memory" doc:"of the memory that it may use, in thousandths"`
	Matches   int      `json:"matches" doc:"that run there"`
	Most      int      `json:"most" doc:"that may run there"`
	SilentMs  int64    `json:"silentMs" doc:"since it was last heard of"`
	Taking    []string `json:"taking" doc:"matches that it takes over at the moment"`
}

// ClusterOrphan is a match that no node runs at the moment.
type ClusterOrphan struct {
	Match     string   `json:"match"`
	Former    string   `json:"former,omitempty" doc:"the node that ran it last"`
	WaitingMs int64    `json:"waitingMs"`
	Nodes     []string `json:"nodes" doc:"that take it over, in turn; empty: no living node is of its build"`
}

// ClusterJournal is a part of the log.
type ClusterJournal struct {
	Name    string   `json:"name"`
	Leader  string   `json:"leader,omitempty" doc:"the log server that orders it; absent: one is being elected"`
	Servers []string `json:"servers" doc:"that keep it"`
}

// errNoCluster refuses what only nodes of a cluster can do.
var errNoCluster = model.Refuse(model.NotFound, "this server is no node of a cluster: see docs/cluster.md")

// ClusterStatus returns the cluster as this node sees it.
func (as *Session) ClusterStatus(ctx context.Context) (c ClusterStatus, err error) {
	if err := as.query(ctx, func(*db.Tx) error { return nil }); err != nil {
		return c, err
	}
	if as.s.Cluster == nil {
		return c, errNoCluster
	}
	return as.s.Cluster.Status(ctx)
}

// DrainNode has a node move its matches to others and take no new ones, or take them
// again.
func (as *Session) DrainNode(ctx context.Context, node string, on bool) error {
	if as.s.Cluster == nil {
		return errNoCluster
	}
	if err := as.act(ctx, model.FullAdmin, "node.drain", func(*db.Tx) (string, string, error) {
		return model.CutText(node, 64), map[bool]string{true: "on", false: "off"}[on], nil
	}); err != nil {
		return err
	}
	return as.s.Cluster.Drain(ctx, node, on)
}

// MoveMatch moves a match to a node; "": to the one with most room.
func (as *Session) MoveMatch(ctx context.Context, id model.MatchID, node string) error {
	if as.s.Cluster == nil {
		return errNoCluster
	}
	if err := as.act(ctx, model.FullAdmin, "match.move", func(tx *db.Tx) (string, string, error) {
		m, err := tx.Match(id)
		if err == nil && m.State != model.MatchLive && m.State != model.MatchStarting {
			err = model.MatchOver
		}
		return string(id), model.CutText(node, 64), err
	}); err != nil {
		return err
	}
	return as.s.Cluster.Move(ctx, id, node)
}
