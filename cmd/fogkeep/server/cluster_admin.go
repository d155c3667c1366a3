package server

import (
	"context"
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/cluster"
	"github.com/fogkeep/fogkeep/match/shared"
)

// clusterAdmin is match/cluster as the lobby's admins ask for it.
type clusterAdmin struct{ cluster *cluster.Cluster }

var _ admin.Cluster = clusterAdmin{}

func (c clusterAdmin) Status(ctx context.Context) (shared.ClusterStatus, error) {
	s, err := c.cluster.Status(ctx)
	return s, clusterError(err)
}

func (c clusterAdmin) Drain(ctx context.Context, node string, on bool) error {
	return clusterError(c.cluster.Drain(ctx, node, on))
}

func (c clusterAdmin) Move(ctx context.Context, id model.MatchID, node string) error {
	return clusterError(c.cluster.Move(ctx, string(id), node))
}

// clusterError turns a failure of match/cluster into an admin's error.
func clusterError(err error) error {
	if errors.Is(err, cluster.ErrNotJoined) {
		return &model.Error{Code: model.Unavailable, Detail: "this node has not joined its cluster yet", RetryAfter: time.Second, Err: err}
	}
	e := (*cluster.CallError)(nil)
	if !errors.As(err, &e) {
		return err
	}
	code := model.NotMoved
	switch e.Code {
	case cluster.CodeNoNode:
		code = model.NotFound
	case cluster.CodeNotHere:
		code = model.MatchOver
	}
	return &model.Error{Code: code, Detail: e.Text, Err: err}
}
