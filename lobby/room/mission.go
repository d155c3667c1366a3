package room

import (
	"context"

	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Missions has the missions of the server's packs.
type Missions interface {
	Missions() []model.Mission // in their order
	// Scenario returns the file of a scenario of a pack by the pack's hash.
	Scenario(hash, id string) ([]byte, bool)
}

// OwnMissions lists the missions, and an account's results.
func (s *Service) OwnMissions(ctx context.Context, a model.AccountID) ([]model.Mission, map[string]model.MissionResult, error) {
	if s.Offered == nil {
		return nil, nil, nil
	}
	own := map[string]model.MissionResult{}
	results, err := core.Get(ctx, s.Core, func(tx *db.Tx) ([]model.MissionResult, error) { return tx.Missions.Of(a) })
	for _, r := range results {
		own[r.Mission] = r
	}
	return s.Offered.Missions(), own, err
}

// PlayMission makes a lobby of a mission for one player and starts its match at once.
func (s *Service) PlayMission(ctx context.Context, c model.Client, a model.Account, id string) (*model.Lobby, error) {
	if s.Offered != nil {
		for _, m := range s.Offered.Missions() {
			file, ok := s.Offered.Scenario(m.Pack, m.Scenario)
			if m.ID != id || !ok {
				continue
			}
			l, setup, err := s.SceneOf(ctx, model.Payer{Account: string(a.ID), Address: c.Address}, file)
			if err != nil {
				return nil, err
			}
			l.From.Mission = id
			l.GiveOrders()
			if l, err = s.enterStart(ctx, c, a, l, setup); err != nil {
				return nil, err
			}
			return s.Play.Begin(ctx, l.ID, func(l *model.Lobby) error { return l.Begin(a.ID, s.Now()) })
		}
	}
	return nil, model.RefuseField(model.NotFound, "mission", "this server has no mission %q", model.CutText(id, 64))
}
