package server

import (
	"context"
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/cluster"
)

// clusterAdmin is match/cluster as the lobby's admins ask for it.
type clusterAdmin struct{ cluster *cluster.Cluster }

// Status implements lobby.Cluster.
func (c clusterAdmin) Status(ctx context.Context) (out admin.ClusterStatus, err error) {
	s, err := c.cluster.Status(ctx)
	if err != nil {
		return out, clusterError(err)
	}
	out = admin.ClusterStatus{
		Node: s.Self, LogAway: s.Alone, Matches: s.Matches, Waiting: s.Waiting,
		Nodes: []admin.ClusterNode{}, Orphans: []admin.ClusterOrphan{}, Streams: []admin.ClusterJournal{},
	}
	for _, n := range s.Nodes {
		out.Nodes = append(out.Nodes, admin.ClusterNode{
			Name: n.Name, URL: n.URL, State: string(n.State), Draining: n.Draining, Build: n.Build, Sim: n.Sim, LogServer: n.LogServer,
			Processor: n.Load.Tick, Memory: n.Load.Memory, Matches: n.Load.Matches, Most: n.Load.Most, SilentMs: n.SilentMs, Taking: n.Taking,
		})
	}
	for _, o := range s.Orphans {
		out.Orphans = append(out.Orphans, admin.ClusterOrphan{Match: o.Match, Former: o.Former, WaitingMs: o.WaitingMs, Nodes: o.Nodes})
	}
	for _, x := range s.Streams {
		out.Streams = append(out.Streams, admin.ClusterJournal{Name: x.Name, Leader: x.Leader, Servers: append([]string{}, x.Servers...)})
	}
	return out, nil
}

// Drain implements lobby.Cluster.
func (c clusterAdmin) Drain(ctx context.Context, node string, on bool) error {
	return clusterError(c.cluster.Drain(ctx, node, on))
}

// Move implements lobby.Cluster.
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
