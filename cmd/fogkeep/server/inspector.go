package server

import (
	"context"
	"errors"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspectserver"
	"github.com/fogkeep/fogkeep/match/playback"
)

// withInspector adds the inspector's operations to the admins' API: they are behind the
// right to look through the fog, and in the same document.
func withInspector(admin *api.AdminAPI, inspector *inspectserver.Service, library *playback.Library) {
	inspector.Register(admin.API(), admin.FogOperation, func(ctx context.Context, match string, eyes int) (context.Context, func(), error) {
		return admin.Look(ctx, match, eyes, library.Has)
	})
}

// inspected is the match service as the inspector asks for it.
type inspected struct{ matches *match.Service }

// Seats implements inspectserver.Live.
func (x inspected) Seats(id string) (seats []inspectserver.Seat, state string, ok bool) {
	for _, m := range x.matches.Matches() {
		if m.ID != id {
			continue
		}
		for _, s := range m.Seats {
			seats = append(seats, inspectserver.Seat{Slot: s.Slot, Name: s.Name, Bot: s.Bot, Connected: s.Connected})
		}
		return seats, m.State, true
	}
	return nil, "", false
}

// Holdings implements inspectserver.Live.
func (x inspected) Holdings(ctx context.Context, id string, team grid.Team) (tick grid.Tick, out []inspectserver.Holding, ok bool, err error) {
	tick, list, err := x.matches.Holdings(ctx, id, team)
	if errors.Is(err, match.ErrNoMatch) {
		return 0, nil, false, nil
	}
	for _, h := range list {
		out = append(out, inspectserver.Holding(h))
	}
	return tick, out, err == nil, err
}
