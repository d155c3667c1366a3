package admin

import (
	"context"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/shared"
)

// Cluster is the nodes together, as admins see them. cmd adapts match/cluster. Any
// goroutine may call it.
type Cluster interface {
	// Status is the cluster as this node sees it.
	Status(context.Context) (shared.ClusterStatus, error)
	// Drain has a node move its matches to others and take no new ones, or take them
	// again. It returns once the node has begun.
	Drain(ctx context.Context, node string, on bool) error
	// Move moves a match to a node; "": to the one with most room. It returns once the
	// match runs there.
	Move(ctx context.Context, match model.MatchID, node string) error
}

// errNoCluster refuses what only nodes of a cluster can do.
var errNoCluster = model.Refuse(model.NotFound, "this server is no node of a cluster: see docs/operate/cluster.md")

// ClusterStatus returns the cluster as this node sees it.
func (as *Session) ClusterStatus(ctx context.Context) (c shared.ClusterStatus, err error) {
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
		m, err := tx.Matches.Get(id)
		if err == nil && m.State != model.MatchLive && m.State != model.MatchStarting {
			err = model.MatchOver
		}
		return string(id), model.CutText(node, 64), err
	}); err != nil {
		return err
	}
	return as.s.Cluster.Move(ctx, id, node)
}
