package server

import (
	"context"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/match/inspectserver"
	"github.com/fogkeep/fogkeep/match/playback"
)

// withInspector adds the inspector's operations to the admins' API: they are behind the
// right to look through the fog, and in the same document.
func withInspector(admin *api.AdminAPI, inspector *inspectserver.Service, library *playback.Library, owner inspectserver.Owner) {
	guard := func(recorded func(match string) bool) inspectserver.Guard {
		return func(ctx context.Context, match string, eyes int) (context.Context, func(), error) {
			return admin.Look(ctx, match, eyes, recorded)
		}
	}
	inspector.Register(admin.API(), admin.PastOperation, guard(library.Has))
	inspector.RegisterLive(admin.API(), admin.FogOperation, guard(nil), owner)
}
