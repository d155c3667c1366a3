package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// deletion: a deleted account leaves only the traces that the documentation lists,
// without its name, and others' share of its matches.
func deletion(t *testing.T, h *Harness, _ func() db.Store) {
	a, session, err := h.Account.Register(ctx, Home, "Dorothy", "d@example.org", "orbital mechanics")
	must(t, err)
	other := h.NewGuest(t, "other")
	l := h.NewLobby(t, a, room.NewLobby{Map: "ford"})
	_, err = h.Room.Join(ctx, Home, other, l.ID, room.JoinRequest{})
	must(t, err)
	must(t, h.Room.Chat(ctx, l.ID, a.ID, "Dorothy says hello"))
	must(t, h.Room.Chat(ctx, l.ID, other.ID, "hello yourself"))
	_, err = h.ready(l.ID, other)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, a.ID)
	must(t, err)
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "victory", Winners: []gridTeam{0}}))
	_, err = h.Room.Rematch(ctx, l.ID, a.ID)
	must(t, err)
	_, err = h.ready(l.ID, other)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, a.ID) // and a running one
	must(t, err)

	want(t, h.Account.DeleteAccount(ctx, Home, a.ID, "wrong one here"), model.WrongCredentials)
	must(t, h.Account.DeleteAccount(ctx, Home, a.ID, "orbital mechanics"))
	_, err = h.Account.Session(ctx, Home, session)
	want(t, err, model.Unauthenticated)
	_, _, err = h.Account.LogIn(ctx, Home, "d@example.org", "orbital mechanics")
	want(t, err, model.WrongCredentials)
	_, _, err = h.Account.Profile(ctx, a.ID)
	want(t, err, model.NotFound)
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "victory", Winners: []gridTeam{1}}))

	matches, _, err := h.admin().Matches(ctx, admin.MatchSearch{}, 10)
	must(t, err)
	shown, err := h.Play.Lobby(ctx, l.ID)
	must(t, err)
	text, err := json.Marshal(map[string]any{"matches": matches, "lobby": shown.Result})
	must(t, err)
	if n := strings.Count(string(text), `"name":"deleted"`); n != 5 || strings.Contains(string(text), "Dorothy") || strings.Contains(string(text), string(a.ID)) {
		t.Errorf("its matches say %d times that it was deleted: %s", n, text)
	}
	if !slices.Contains(h.Fakes.Kicked, a.ID) {
		t.Error("it goes on playing")
	}
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		events, err := tx.Lobbies.Events(l.ID, 0, 100)
		said := 0
		for _, e := range events {
			if e.Kind == model.ChatEvent {
				said++
				if strings.Contains(string(e.Body), "Dorothy") {
					t.Errorf("it still says %s", e.Body)
				}
			}
		}
		if said != 1 {
			t.Errorf("%d lines of chat are left, want the other's", said)
		}
		return err
	}))
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		if n, err := tx.Accounts.AnonymizeDeleted(10); err != nil || n != 0 {
			return fmt.Errorf("%d seats are left to forget, %w", n, err)
		}
		// Not even the row is left: the same id may be used again.
		return tx.Accounts.Add(model.Account{ID: a.ID, Name: "Phoenix", Guest: true})
	}))
	_, record, _, err := h.Account.Me(ctx, other.ID)
	must(t, err)
	if record != (model.Record{Played: 2, Won: 1, Lost: 1}) {
		t.Errorf("the other's record %+v", record)
	}
	_, _, err = h.Account.Register(ctx, Home, "Dorothy", "d@example.org", "orbital mechanics")
	must(t, err) // name and email are free
}

// deletionResumes: a deletion that was cut short is finished by the janitor.
func deletionResumes(t *testing.T, h *Harness, _ func() db.Store) {
	a := h.NewGuest(t, "veteran")
	for range 3 {
		l := h.playing(t, a)
		must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "victory", Winners: []gridTeam{0}}))
	}
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error { // as far as a process came that died
		locked, err := tx.Accounts.Lock(a.ID)
		if err != nil {
			return err
		}
		in, err := tx.Lobbies.Of(a.ID)
		if err != nil {
			return err
		}
		l, err := tx.Lobbies.Lock(in)
		if err != nil {
			return err
		}
		l.Remove(a.ID, "gone")
		locked.Name, locked.Deleted = "deleted "+string(a.ID), h.Now()
		return errors.Join(tx.Lobbies.Save(l), tx.Accounts.Save(locked))
	}))
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		if n, err := tx.Accounts.AnonymizeDeleted(2); err != nil || n != 2 {
			return fmt.Errorf("%d seats in the first turn, %w", n, err)
		}
		return nil
	}))
	h.Tick(t)
	matches, _, err := h.admin().Matches(ctx, admin.MatchSearch{}, 10)
	must(t, err)
	for _, m := range matches {
		if m.Spec.Participants[0].Name != "deleted" {
			t.Errorf("match %s still knows %q", m.ID, m.Spec.Participants[0].Name)
		}
	}
}
