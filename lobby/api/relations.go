package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/relation"
)

// Friend is a friend with its presence.
type Friend struct {
	Account  Person `json:"account"`
	Presence string `json:"presence" enum:"offline,online,lobby,match" doc:"offline too for a friend who hides. It changes without an event"`
	Lobby    string `json:"lobby,omitempty" doc:"id of the friend's lobby, if the caller may join it now"`
	Party    string `json:"party,omitempty" doc:"code of the friend's party, if the caller may join it now"`
	Message  int64  `json:"message,omitempty" doc:"number of the newest message from this friend"`
}

// Relations are the relations of the caller.
type Relations struct {
	Friends  []Friend `json:"friends" doc:"by name, as all lists here"`
	Incoming []Person `json:"incoming" doc:"accounts that ask the caller to be friends"`
	Outgoing []Person `json:"outgoing" doc:"accounts that the caller has asked"`
	Blocked  []Person `json:"blocked"`
	Avoided  []Person `json:"avoided" doc:"accounts that matchmaking keeps away from the caller"`
	Hidden   bool     `json:"hidden" doc:"the caller looks offline to all others"`
}

// FriendRequest asks an account to be friends.
type FriendRequest struct {
	Name string `json:"name" maxLength:"100"`
}

// PresenceChange hides the caller, or shows it.
type PresenceChange struct {
	Hidden bool `json:"hidden"`
}

// Message is a line from one friend to another.
type Message struct {
	ID   int64  `json:"id" doc:"counts up"`
	From string `json:"from" doc:"account id"`
	Text string `json:"text"`
	AtMs int64  `json:"atMs" doc:"milliseconds since 1970"`
}

// Messages are the messages between two friends.
type Messages struct {
	Messages []Message `json:"messages" doc:"oldest first; at most 100 from each, of the last 30 days"`
}

// MessageLine is a message to send.
type MessageLine struct {
	Text string `json:"text" maxLength:"2000" doc:"1 to 500 characters"`
}

func messageOf(m model.DirectMessage) Message {
	return Message{ID: m.ID, From: string(m.From), Text: m.Text, AtMs: m.At.UnixMilli()}
}

// related answers with the caller's relations.
func (a *playerAPI) related(ctx context.Context, me model.AccountID, err error) (*body[Relations], error) {
	if err != nil {
		return nil, err
	}
	r, err := a.s.Relation.List(ctx, me)
	if err != nil {
		return nil, err
	}
	other := func(x model.Relation) Person { return Person{string(x.Other), x.Name} }
	return &body[Relations]{Relations{
		Friends: each(r.Friends, func(f relation.Friend) Friend {
			return Friend{other(f.Relation), string(f.Presence), string(f.Lobby), f.Party, f.Message}
		}),
		Incoming: each(r.Incoming, func(x model.Relation) Person { return Person{string(x.Account), x.Name} }),
		Outgoing: each(r.Outgoing, other), Blocked: each(r.Blocked, other), Avoided: each(r.Avoided, other), Hidden: r.Hidden,
	}}, nil
}

func (a *playerAPI) relations(h huma.API) {
	t := tag("friends")
	asPlayer(a, h, op(http.MethodGet, "/api/friends", "relations", "Friends with their presence, requests, blocks and avoided accounts", t),
		func(ctx context.Context, p player, _ *none) (*body[Relations], error) {
			return a.related(ctx, p.account.ID, nil)
		})
	asChanger(a, h, op(http.MethodPost, "/api/friends", "befriend", "Ask an account to be friends, or accept its request", t),
		func(ctx context.Context, p player, in *body[FriendRequest]) (*body[Relations], error) {
			return a.related(ctx, p.account.ID, a.s.Relation.Befriend(ctx, p.account.ID, in.Body.Name))
		})
	asChanger(a, h, op(http.MethodPut, "/api/friends/presence", "hide", "Look offline to all others, or no longer", t),
		func(ctx context.Context, p player, in *body[PresenceChange]) (*body[Relations], error) {
			return a.related(ctx, p.account.ID, a.s.Relation.Hide(ctx, p.account.ID, in.Body.Hidden))
		})
	for _, verb := range []struct {
		method, path, id, summary string
		do                        func(context.Context, model.AccountID, model.AccountID) error
	}{
		{http.MethodDelete, "/api/friends/{id}", "unfriend", "End a friendship, withdraw a request or decline one", a.s.Relation.Unfriend},
		{http.MethodPut, "/api/blocks/{id}", "block", "Silence the account and the caller for each other: no chat in lobbies, no messages, no requests, and neither joins the other's lobby or party. The server does not tell the account", a.s.Relation.Block},
		{http.MethodDelete, "/api/blocks/{id}", "unblock", "End a block", func(ctx context.Context, me, other model.AccountID) error {
			return a.s.Relation.Drop(ctx, me, other, model.Block)
		}},
		{http.MethodPut, "/api/avoids/{id}", "avoid", "Have matchmaking keep the account and the caller apart during the first minute of a search; at most 10 accounts", a.s.Relation.Avoid},
		{http.MethodDelete, "/api/avoids/{id}", "unavoid", "No longer avoid the account", func(ctx context.Context, me, other model.AccountID) error {
			return a.s.Relation.Drop(ctx, me, other, model.Avoid)
		}},
	} {
		asChanger(a, h, op(verb.method, verb.path, verb.id, verb.summary, t),
			func(ctx context.Context, p player, in *AccountPath) (*body[Relations], error) {
				return a.related(ctx, p.account.ID, verb.do(ctx, p.account.ID, model.AccountID(in.ID)))
			})
	}
	asPlayer(a, h, op(http.MethodGet, "/api/messages/{id}", "messages", "The messages between a friend and the caller", t),
		func(ctx context.Context, p player, in *AccountPath) (*body[Messages], error) {
			list, err := a.s.Relation.Messages(ctx, p.account.ID, model.AccountID(in.ID))
			return &body[Messages]{Messages{each(list, messageOf)}}, err
		})
	asPlayer(a, h, op(http.MethodPost, "/api/messages/{id}", "send-message", "Send a message to a friend", t),
		func(ctx context.Context, p player, in *accountWith[MessageLine]) (*body[Message], error) {
			m, err := a.s.Relation.Say(ctx, p.account.ID, model.AccountID(in.ID), in.Body.Text)
			return &body[Message]{messageOf(m)}, err
		})
}
