package admin

import (
	"context"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// OpenScenario makes a lobby whose matches begin with a scenario. It has no players
// yet: the first player is its host.
func (as *Session) OpenScenario(ctx context.Context, file []byte) (*model.Lobby, error) {
	if !as.admin.Role.Covers(model.Moderator) {
		return nil, model.Refuse(model.Forbidden, "this needs the role %s; yours is %s", model.Moderator, as.admin.Role)
	}
	payer := requester(as).Payer
	scene, setup, err := as.s.Room.SceneOf(ctx, payer, file)
	if err == nil {
		err = room.MayKeep(setup)
	}
	if err != nil {
		return nil, err
	}
	var l *model.Lobby
	err = as.act(ctx, model.Moderator, "scenario.open", func(tx *db.Tx) (string, string, error) {
		fresh := *scene
		l = &fresh
		l.Seats = slices.Clone(scene.Seats)
		l.Changed()
		if err := as.s.SpendStored(tx, quota.NewLobbies, payer); err != nil {
			return "", "", err
		}
		if err := tx.Lobbies.Add(l); err != nil {
			return "", "", err
		}
		return l.Name, fmt.Sprintf("lobby %s, %d seats on %s", l.ID, l.Limit, l.Map.Name), tx.Lobbies.AddStart(l.ID, setup)
	})
	if err != nil {
		return nil, err
	}
	as.s.Hub.Wake(l.ID)
	return l, nil
}
