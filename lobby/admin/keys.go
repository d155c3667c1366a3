package admin

import (
	"context"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/studio"
)

// Webhooks manages all webhook endpoints.
func (as *Session) Webhooks() *hook.Webhooks { return as.s.Hooks.Webhooks(as.owner()) }

// Keys manages the service keys.
func (as *Session) Keys() *studio.Keys { return as.s.Studio.Keys(as.owner()) }

func (as *Session) owner() hook.Owner {
	return hook.Owner{By: as.admin.Name, Query: as.query, Act: func(ctx context.Context, action string, fn func(*db.Tx) (string, string, error)) error {
		return as.act(ctx, model.FullAdmin, action, fn)
	}}
}
