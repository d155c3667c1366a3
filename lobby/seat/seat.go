package seat

import (
	"context"
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Rename tells the lobby in which the account sits, if any, its new name.
func (s *Service) Rename(tx *db.Tx, a model.AccountID, name string) (model.LobbyID, error) {
	return s.inLobby(tx, a, func(l *model.Lobby) error { l.Rename(a, name); return nil })
}

// Removed is an account that lost its sessions, and perhaps its seats: after the commit
// the caller closes its streams and sockets.
type Removed struct {
	account model.AccountID
	epoch   int64
	lobby   model.LobbyID // in which it sits or sat
	forGood bool          // it lost its seats
	reason  *model.Error
}

// RemoveEverywhere ends an account's sessions and epoch, frees its seat in its lobby and
// ends its seats in matches.
func (s *Service) RemoveEverywhere(tx *db.Tx, a model.AccountID, reason string) (Removed, error) {
	out := Removed{account: a, forGood: true, reason: model.Refuse(model.KickedOut, "%s", reason)}
	if _, err := tx.Accounts.Lock(a); err != nil {
		return out, err
	}
	var err error
	if out.epoch, err = tx.Accounts.EndEpoch(a); err != nil {
		return out, err
	}
	if _, err := tx.Sessions.EndAll(model.PlayerRealm, string(a), ""); err != nil {
		return out, err
	}
	if err := tx.Matches.Leave(a, "", s.Now()); err != nil {
		return out, err
	}
	if out.lobby, err = s.inLobby(tx, a, func(l *model.Lobby) error {
		l.Remove(a, reason)
		return s.Decide(tx, l)
	}); err != nil {
		return out, err
	}
	return out, s.OutOfParty(tx, a)
}

// KickEverywhere is removeEverywhere with a notice to webhooks.
func (s *Service) KickEverywhere(tx *db.Tx, a model.AccountID, reason string) (Removed, error) {
	var played *model.Match
	m, err := tx.Matches.LiveSeat(a)
	if err == nil {
		played = &m
	} else if !errors.Is(err, model.ErrNotFound) {
		return Removed{}, err
	}
	out, err := s.RemoveEverywhere(tx, a, reason)
	if err != nil {
		return out, err
	}
	return out, s.Hooks.TellKicked(tx, a, played, reason)
}

// CloseRemoved wakes the account's streams, which end, and ends its sockets in matches.
// The janitor repairs a failure.
func (s *Service) CloseRemoved(ctx context.Context, out Removed) {
	s.Hub.Wake(out.lobby)
	s.Hub.Recheck(out.account)
	s.EndSeats(ctx, out.account, model.Ending{Epoch: out.epoch, ForGood: out.forGood, Why: out.reason})
}

// EndSeats ends an account's seats in matches, also if it is not connected.
func (s *Service) EndSeats(ctx context.Context, a model.AccountID, e model.Ending) {
	if s.Matches == nil || a == "" { // a range of addresses is no particular account
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
	defer cancel()
	if err := s.Matches.End(ctx, a, e); err != nil {
		s.Logger.Error("lobby: an account's seats in matches have not ended yet", "account", a, "err", err)
	}
}

// endPatience is for matches to end an account's seats: a tick and a write to disk each.
const endPatience = 5 * time.Second

// LogOut ends all sessions of a player, and with its epoch all tickets, resume
// tokens and sockets. Its seats stay.
func LogOut(tx *db.Tx, a model.AccountID) (n int64, out Removed, err error) {
	out = Removed{account: a, reason: &model.Error{Code: model.LoggedOut}}
	if out.epoch, err = tx.Accounts.EndEpoch(a); err != nil {
		return 0, out, err
	}
	n, err = tx.Sessions.EndAll(model.PlayerRealm, string(a), "")
	return n, out, err
}

// CloseSpectator closes the socket of a spectator who gave its seat up.
func (s *Service) CloseSpectator(ctx context.Context, match model.MatchID, a model.AccountID) {
	if match != "" {
		s.EndSeats(ctx, a, model.Ending{Match: match, Why: model.Refuse(model.NotSeated, "you left your spectator seat")})
	}
}

// inLobby changes the lobby in which the account sits, if any, and returns its id.
func (s *Service) inLobby(tx *db.Tx, a model.AccountID, change func(*model.Lobby) error) (model.LobbyID, error) {
	id, err := tx.Lobbies.Of(a)
	if errors.Is(err, model.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	l, err := tx.Lobbies.Lock(id)
	if err != nil {
		return "", err
	}
	if err := change(l); err != nil {
		return "", err
	}
	return id, s.Save(tx, l)
}
