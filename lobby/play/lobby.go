package play

import (
	"context"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Change locks a lobby, applies a rule and stores it.
func (s *Service) Change(ctx context.Context, id model.LobbyID, rule func(*model.Lobby) error) (*model.Lobby, error) {
	return s.ChangeIn(ctx, id, func(_ *db.Tx, l *model.Lobby) error { return rule(l) })
}

func (s *Service) ChangeIn(ctx context.Context, id model.LobbyID, rule func(*db.Tx, *model.Lobby) error) (*model.Lobby, error) {
	var l *model.Lobby
	err := s.Write(ctx, func(tx *db.Tx) (err error) {
		if l, err = tx.Lobbies.Lock(id); err != nil {
			return err
		}
		if l.State == model.Closed {
			return model.LobbyClosed
		}
		if err := rule(tx, l); err != nil {
			return err
		}
		return s.Save(tx, l)
	})
	if err != nil {
		return nil, err
	}
	s.Hub.Wake(id)
	return l, nil
}

// Lobby returns one lobby. Closed ones are gone.
func (s *Service) Lobby(ctx context.Context, id model.LobbyID) (l *model.Lobby, err error) {
	err = s.Read(ctx, func(tx *db.Tx) (err error) {
		if l, err = tx.Lobbies.Get(id); err == nil && l.State == model.Closed {
			err = model.ErrNotFound
		}
		return err
	})
	return l, err
}
