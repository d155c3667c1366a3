package api

import (
	"context"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// playerAPI is the players' API.
type playerAPI struct {
	s      *lobby.Service
	config Config
}

// op describes one operation.
func op(method, path, id, summary string, o ...func(*huma.Operation)) huma.Operation {
	out := huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary,
		MaxBodyBytes: BodyMax, BodyReadTimeout: 10 * time.Second,
		Security: []map[string][]string{{"bearer": {}}, {"cookie": {}}},
	}
	for _, change := range o {
		change(&out)
	}
	return out
}

func tag(name string) func(*huma.Operation) {
	return func(o *huma.Operation) { o.Tags = []string{name} }
}

// public marks an operation that needs no session.
func public(o *huma.Operation) { o.Security = []map[string][]string{} }

// asAnyone registers an operation that needs no session.
func asAnyone[I, O any](h huma.API, o huma.Operation, do func(context.Context, *I) (*O, error)) {
	public(&o)
	registerWith(h, o, func(ctx context.Context) (context.Context, error) { return ctx, nil }, func(ctx, _ context.Context, in *I) (*O, error) { return do(ctx, in) })
}

// session finds the calling player.
func (a *playerAPI) session(ctx context.Context) (model.Account, caller, error) {
	caller := callerOf(ctx)
	if account, ok := ctx.Value(sessionKey{}).(model.Account); ok {
		return account, caller, nil
	}
	s, err := a.s.Account.Session(ctx, caller.Client, caller.token)
	listen.VisitOf(ctx).Account = string(s.Account.ID)
	return s.Account, caller, err
}

// player is the calling player.
type player struct {
	account model.Account
	caller  caller
}

// asPlayer registers an operation for logged-in players.
func asPlayer[I, O any](a *playerAPI, h huma.API, o huma.Operation, do func(context.Context, player, *I) (*O, error)) {
	registerWith(h, o, func(ctx context.Context) (player, error) {
		account, caller, err := a.session(ctx)
		return player{account, caller}, err
	}, do)
}

// asChanger counts the operation against the player's limits, too. Leaving is no such
// change: a player may always leave.
func asChanger[I, O any](a *playerAPI, h huma.API, o huma.Operation, do func(context.Context, player, *I) (*O, error)) {
	registerWith(h, o, func(ctx context.Context) (player, error) {
		account, caller, err := a.changer(ctx)
		return player{account, caller}, err
	}, do)
}

func (a *playerAPI) out(l *model.Lobby, err error) (*body[Lobby], error) {
	if err != nil {
		return nil, err
	}
	return &body[Lobby]{a.shape(l)}, nil
}

// shape is a lobby with the states of its seats from the running match.
func (a *playerAPI) shape(l *model.Lobby) Lobby {
	out := lobbyOf(l, a.s.Now())
	if l.State != model.Playing {
		return out
	}
	state := a.s.Room.SeatStates(l)
	for _, s := range l.Seats {
		i := slices.IndexFunc(out.Seats, func(o Seat) bool { return o.Place == s.Place })
		if i < 0 {
			continue
		}
		seat := state(s)
		out.Seats[i].Away, out.Seats[i].Out = seat == model.SeatAway, seat == model.SeatOut
		out.Seats[i].CanOpen = l.MayOpen(&s, seat) == nil
	}
	return out
}

// changer finds the player that changes a lobby, and counts the request.
func (a *playerAPI) changer(ctx context.Context) (model.Account, caller, error) {
	account, caller, err := a.session(ctx)
	if err == nil {
		err = a.config.Ledger.Spend(quota.LobbyChanges, quota.Payer{Account: string(account.ID), Address: caller.Address, Trusted: !account.Guest}, 1)
	}
	return account, caller, err
}
