package room

import (
	"context"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// ScenarioBytesMax bounds the file of a scenario.
const ScenarioBytesMax = 1 << 20

// Scene is a scenario that can be played, as [Starts] made it.
type Scene struct {
	Name    string // as the file has it
	Map     model.MapInfo
	Options model.Options // with the settings of the scenario
	Seats   []model.OriginSeat
	Bots    []int  // start points of the seats that the scenario gives to bots
	Setup   []byte // as [Start.Setup]
}

// PlayScenario makes a lobby whose matches begin with a scenario, and the account its
// host. A server lets players do so only if its operator has said so.
func (s *Service) PlayScenario(ctx context.Context, c model.Client, a model.Account, file []byte) (*model.Lobby, error) {
	if !s.PlayerScenarios {
		return nil, model.ScenariosOff
	}
	l, setup, err := s.SceneOf(ctx, model.Payer{Account: string(a.ID), Address: c.Address}, file)
	if err != nil {
		return nil, err
	}
	return s.enterStart(ctx, c, a, l, setup)
}

// SceneOf reads a scenario and returns its lobby, without players, and the start of its
// matches.
func (s *Service) SceneOf(ctx context.Context, payer model.Payer, file []byte) (*model.Lobby, []byte, error) {
	if s.Starts == nil {
		return nil, nil, model.ScenariosOff
	}
	if len(file) > ScenarioBytesMax {
		return nil, nil, model.TooLarge
	}
	if err := s.Spent(quota.Branches, payer); err != nil {
		return nil, nil, err
	}
	if err := s.Write(ctx, func(tx *db.Tx) error { return s.SpendStored(tx, quota.Branches, payer) }); err != nil {
		return nil, nil, err
	}
	scene, err := s.Starts.Scenario(ctx, file)
	if err != nil {
		return nil, nil, s.Explain(err)
	}
	l, err := lobbyOfScene(&scene)
	if err != nil {
		return nil, nil, err
	}
	l.Created, l.Touched = s.Now(), s.Now()
	return l, scene.Setup, nil
}

// lobbyOfScene returns the lobby, without players, that plays a scenario.
func lobbyOfScene(x *Scene) (*model.Lobby, error) {
	name, err := model.CleanLine(model.BadScenario, "/name", x.Name, model.LobbyNameLenMax)
	if err != nil {
		return nil, err
	}
	var teams grid.TeamSet
	for i := range x.Seats {
		if x.Seats[i].Name, err = model.CleanLine(model.BadScenario, fmt.Sprintf("/seats/%d/name", i), x.Seats[i].Name, 24); err != nil {
			return nil, err
		}
		teams = teams.With(x.Seats[i].Team)
	}
	if teams&(teams-1) == 0 {
		return nil, model.RefuseField(model.BadScenario, "/seats", "a match needs two teams")
	}
	if len(x.Bots) == len(x.Seats) {
		return nil, model.RefuseField(model.BadScenario, "/seats", "all seats are bots': one must be for a person")
	}
	l := &model.Lobby{ID: model.LobbyID(model.NewID()), Name: name, Map: x.Map, State: model.Open, Options: x.Options, SettingsVersion: 1, Limit: len(x.Seats),
		From: &model.Origin{Scenario: name, Seats: slices.Clone(x.Seats)}}
	slices.SortFunc(l.From.Seats, func(a, b model.OriginSeat) int { return a.Start - b.Start })
	for _, place := range x.Bots {
		if o, ok := l.Place(place); ok {
			l.SeatBot(o, model.MediumBot)
		}
	}
	return l, nil
}
