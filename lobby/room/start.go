package room

import (
	"context"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Start begins the countdown at the host's word, or without one the match
// itself: the lobby that is returned is then playing.
func (s *Service) Start(ctx context.Context, id model.LobbyID, a model.AccountID) (*model.Lobby, error) {
	return s.Play.Begin(ctx, id, func(l *model.Lobby) error { return l.Begin(a, s.Now()) })
}

// PlayBot makes a lobby against one bot and starts it at once. The host may open the bot's seat: that harms no other
// person.
func (s *Service) PlayBot(ctx context.Context, c model.Client, a model.Account, wish model.BotMatchRequest) (*model.Lobby, error) {
	if maps := s.Maps.Maps(); wish.Map == "" && len(maps) > 0 {
		wish.Map = maps[0].ID
	}
	options := map[string]any{}
	if wish.Ruleset != "" {
		options["ruleset"] = wish.Ruleset
	}
	l, err := s.InitGame(NewLobby{Name: a.Name + " against a bot", Map: wish.Map, Limit: 2, Options: options})
	if err != nil {
		return nil, err
	}
	l.Options.OpenOtherTeams = true
	faction, err := s.factionWish(l, wish.Faction)
	if err != nil {
		return nil, err
	}
	l, err = s.enter(ctx, c, a, l.ID, func(*db.Tx) (*model.Lobby, error) {
		fresh := *l
		return &fresh, nil
	}, JoinRequest{})
	if err != nil {
		return nil, err
	}
	return s.Play.Begin(ctx, l.ID, func(l *model.Lobby) error {
		l.Seats[l.SeatOf(a.ID)].Faction = faction
		if err := l.AddBot(a.ID, wish.Level, nil); err != nil {
			return err
		}
		return l.Begin(a.ID, s.Now())
	})
}
