package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// FindLobby returns the id of a lobby given by id or by name.
func (c *Client) FindLobby(ctx context.Context, idOrName string) (string, error) {
	l, err := c.Lobby(ctx, idOrName)
	if err == nil {
		return l.ID, nil
	}
	if r, ok := errors.AsType[*Refusal](err); !ok || r.Status/100 != 4 {
		return "", err
	}
	list, err := c.Lobbies(ctx, idOrName)
	if err != nil {
		return "", err
	}
	for _, l := range list {
		if l.Name == idOrName && l.State != string(model.Ended) && l.State != string(model.Closed) {
			return l.ID, nil
		}
	}
	return "", fmt.Errorf("lobby %q: no lobby has that id or name", idOrName)
}

// StartMatch makes a lobby, lets the guests join it and say ready, and starts its match.
func (c *Client) StartMatch(ctx context.Context, wish api.NewLobby, guests ...*Client) (api.Lobby, error) {
	l, err := c.CreateLobby(ctx, wish)
	for _, g := range guests {
		if err == nil {
			l, err = g.Join(ctx, l.ID, api.JoinRequest{})
		}
		if err == nil {
			l, err = g.Ready(ctx, l)
		}
	}
	if err == nil {
		l, err = c.Start(ctx, l.ID)
	}
	return l, err
}

// JoinTeam takes a seat in a lobby, in a team if it is not negative. It is
// [Client.AwaitMatch] that says ready.
func (c *Client) JoinTeam(ctx context.Context, id, password string, team int) error {
	_, err := c.Join(ctx, id, api.JoinRequest{Password: password})
	if err == nil && team >= 0 {
		_, err = c.ChangeSeat(ctx, id, model.SeatChange{Team: &team})
	}
	return err
}

// lobbyPoll is how often AwaitMatch asks whether the match has begun.
const lobbyPoll = 500 * time.Millisecond

// AwaitMatch says ready after each change of the lobby's settings. It is for programs
// that accept all settings. It returns when the match runs, and fails if the account
// lost its seat or the lobby ended.
func (c *Client) AwaitMatch(ctx context.Context, id string, account model.AccountID) error {
	for {
		l, err := c.Lobby(ctx, id)
		if err != nil {
			return err
		}
		seated, ready := false, false
		for _, s := range l.Seats {
			if s.Account != nil && s.Account.ID == string(account) {
				seated, ready = true, s.Ready
			}
		}
		switch {
		case !seated:
			return fmt.Errorf("lobby %q: this account has lost its seat", l.Name)
		case l.State == string(model.Playing):
			return nil
		case l.State == string(model.Ended) || l.State == string(model.Closed):
			return fmt.Errorf("lobby %q: it ended without a match", l.Name)
		case l.State == string(model.Open) && !ready:
			// The next round agrees to later changes.
			if _, err := c.Ready(ctx, l); err != nil && !Refused(err, model.SettingsChanged) && !Refused(err, model.WrongState) {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lobbyPoll):
		}
	}
}
