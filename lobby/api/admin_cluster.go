package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/shared"
)

// NodeDrain says whether a node is to be emptied.
type NodeDrain struct {
	On bool `json:"on"`
}

// MatchMove says where a match is to run.
type MatchMove struct {
	Node string `json:"node,omitempty" maxLength:"64" doc:"absent: the one with most room"`
}

// cluster registers the operations on the nodes of a cluster.
func (a *AdminAPI) cluster(h huma.API) {
	t := tag("cluster")
	register(a, h, op(http.MethodGet, "/admin/api/cluster", "admin-cluster", "The cluster as this node sees it; 404 if it is no node of one", t),
		func(ctx context.Context, session *admin.Session, _ *none) (*body[shared.ClusterStatus], error) {
			status, err := session.ClusterStatus(ctx)
			return &body[shared.ClusterStatus]{status}, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/cluster/nodes/{name}/drain", "admin-drain-node", "Have a node move its matches to others and take no new ones, or take them again (admin)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Name string `path:"name" maxLength:"64"`
			Body NodeDrain
		}) (*none, error) {
			return nil, session.DrainNode(ctx, in.Name, in.Body.On)
		})
	register(a, h, op(http.MethodPost, "/admin/api/cluster/matches/{id}/move", "admin-move-match", "Move a live match to another node (admin)", t),
		func(ctx context.Context, session *admin.Session, in *matchWith[MatchMove]) (*none, error) {
			return nil, session.MoveMatch(ctx, model.MatchID(in.ID), in.Body.Node)
		})
}
