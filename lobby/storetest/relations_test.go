package storetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/relation"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// relations writes an account's relations as one line.
func (h *Harness) relations(t *testing.T, a model.Account) string {
	t.Helper()
	r, err := h.Relation.List(ctx, a.ID)
	must(t, err)
	var out []string
	for _, f := range r.Friends {
		out = append(out, f.Name+"="+string(f.Presence))
	}
	for _, l := range []struct {
		mark string
		list []model.Relation
	}{{"<", r.Incoming}, {">", r.Outgoing}, {"x", r.Blocked}, {"~", r.Avoided}} {
		for _, x := range l.list {
			out = append(out, l.mark+x.Name)
		}
	}
	return strings.Join(out, " ")
}

func (h *Harness) related(t *testing.T, a model.Account, want string) {
	t.Helper()
	if got := h.relations(t, a); got != want {
		t.Errorf("relations of %s: %q, want %q", a.Name, got, want)
	}
}

// second is the error of a call with a result.
func second[T any](_ T, err error) error { return err }

func (h *Harness) befriend(t *testing.T, a, b model.Account) {
	t.Helper()
	must(t, h.Relation.Befriend(ctx, a.ID, b.Name))
	must(t, h.Relation.Befriend(ctx, b.ID, a.Name))
}

func friends(t *testing.T, h *Harness, _ func() db.Store) {
	ada, bob, eve := h.NewGuest(t, "ada"), h.NewGuest(t, "bob"), h.NewGuest(t, "eve")
	must(t, h.Relation.Befriend(ctx, ada.ID, " BOB "))
	must(t, h.Relation.Befriend(ctx, ada.ID, "bob"))
	h.related(t, ada, ">bob")
	h.related(t, bob, "<ada")
	must(t, h.Relation.Befriend(ctx, bob.ID, "ada"))
	h.related(t, ada, "bob=offline")
	h.related(t, bob, "ada=offline")
	must(t, h.Relation.Befriend(ctx, bob.ID, "ada")) // again, without effect
	h.related(t, bob, "ada=offline")
	must(t, h.Relation.Unfriend(ctx, bob.ID, ada.ID))
	h.related(t, ada, "")
	must(t, h.Relation.Befriend(ctx, eve.ID, "ada"))
	must(t, h.Relation.Unfriend(ctx, ada.ID, eve.ID)) // declined
	h.related(t, eve, "")
	must(t, h.Relation.Befriend(ctx, eve.ID, "ada"))
	must(t, h.Relation.Unfriend(ctx, eve.ID, ada.ID)) // withdrawn
	h.related(t, ada, "")

	want(t, h.Relation.Befriend(ctx, ada.ID, "nobody here"), model.NotFound)
	want(t, h.Relation.Befriend(ctx, ada.ID, "ada"), model.BadRequest)
	want(t, h.Relation.Befriend(ctx, "no account", "ada"), model.NotFound)
	want(t, h.Relation.Block(ctx, ada.ID, "no account"), model.NotFound)

	reg, _, err := h.Account.Register(ctx, Home, "Mail", "mail@example.org", "orbital mechanics")
	must(t, err)
	want(t, h.Relation.Befriend(ctx, ada.ID, "mail@example.org"), model.NotFound) // an email is private
	for i := 0; ; i++ {                                                           // the quota of an account
		h.related(t, reg, map[bool]string{false: "", true: "<eve"}[i > 0])
		if err := h.Relation.Befriend(ctx, eve.ID, "Mail"); err != nil {
			want(t, err, model.Throttled)
			break
		}
		if i > 60 {
			t.Fatal("requests have no quota")
		}
	}

	// A list has its bound, and so have the requests to one account.
	for i := range relation.AvoidsMax {
		must(t, h.Relation.Avoid(ctx, bob.ID, h.NewGuest(t, fmt.Sprint("avoided", i)).ID))
	}
	want(t, h.Relation.Avoid(ctx, bob.ID, ada.ID), model.ListFull)
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		for i := range relation.RequestsToMax {
			a := model.Account{ID: model.AccountID(fmt.Sprint("asks", i)), Name: fmt.Sprint("asks", i), Guest: true}
			if err := tx.Accounts.Add(a); err != nil {
				return err
			}
			if err := tx.Relations.Put(model.Relation{Account: a.ID, Other: reg.ID, Kind: model.Request}); err != nil {
				return err
			}
		}
		return nil
	}))
	want(t, h.Relation.Befriend(ctx, ada.ID, "Mail"), model.ListFull)

	// A deleted account is in no list, and its friends learn that at once.
	h.befriend(t, ada, bob)
	before, err := h.Queue.Standing(ctx, ada.ID)
	must(t, err)
	must(t, h.Account.DeleteAccount(ctx, Home, bob.ID, ""))
	h.related(t, ada, "")
	after, err := h.Queue.Standing(ctx, ada.ID)
	must(t, err)
	if after.Relations <= before.Relations {
		t.Errorf("relations %d, then %d", before.Relations, after.Relations)
	}
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		left, err := tx.Relations.Of(bob.ID)
		if len(left) > 0 {
			t.Errorf("a deleted account has relations: %v", left)
		}
		return err
	}))
}

// askAtOnce: two accounts that ask each other at the same time become friends.
func askAtOnce(t *testing.T, h *Harness, _ func() db.Store) {
	ada, bob := h.NewGuest(t, "ada"), h.NewGuest(t, "bob")
	for range 5 {
		var both sync.WaitGroup
		both.Go(func() {
			if err := h.Relation.Befriend(ctx, ada.ID, "bob"); err != nil {
				t.Error(err)
			}
		})
		both.Go(func() {
			if err := h.Relation.Befriend(ctx, bob.ID, "ada"); err != nil {
				t.Error(err)
			}
		})
		both.Wait()
		h.related(t, ada, "bob=offline")
		h.related(t, bob, "ada=offline")
		must(t, h.Relation.Unfriend(ctx, ada.ID, bob.ID))
	}
}

func presence(t *testing.T, h *Harness, _ func() db.Store) {
	ada, bob := h.NewGuest(t, "ada"), h.NewGuest(t, "bob")
	h.befriend(t, ada, bob)
	h.related(t, ada, "bob=offline")
	w := h.Queue.WatchStanding(bob.ID) // his page is open
	h.Tick(t)
	h.related(t, ada, "bob=online")
	h.Step(time.Minute)
	h.Tick(t)
	h.related(t, ada, "bob=online")
	w.Close()
	h.Step(6 * time.Second)
	h.Tick(t)
	h.Step(2 * time.Minute)
	h.Tick(t)
	h.related(t, ada, "bob=offline")

	join := func(want model.LobbyID) {
		t.Helper()
		r, err := h.Relation.List(ctx, ada.ID)
		must(t, err)
		if got := r.Friends[0].Lobby; got != want {
			t.Errorf("the friend's lobby to join: %q, want %q", got, want)
		}
	}
	l := h.NewLobby(t, bob, room.NewLobby{Map: "ford"})
	h.related(t, ada, "bob=lobby")
	join(l.ID)
	must(t, h.Relation.Hide(ctx, bob.ID, true))
	h.related(t, ada, "bob=offline")
	join("")
	must(t, h.Relation.Hide(ctx, bob.ID, false))
	third := h.NewGuest(t, "third")
	_, err := h.Room.Join(ctx, Home, third, l.ID, room.JoinRequest{})
	must(t, err)
	join("") // full
	_, err = h.ready(l.ID, third)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, bob.ID)
	must(t, err)
	h.related(t, ada, "bob=match")
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "victory", Winners: []gridTeam{0}}))
	_, err = h.Room.Leave(ctx, l.ID, bob.ID)
	must(t, err)

	// A party that friends may join.
	w = h.Queue.WatchStanding(bob.ID)
	defer w.Close()
	st, err := h.Queue.MakeParty(ctx, Home, bob)
	must(t, err)
	h.Step(10 * time.Second)
	h.Tick(t)
	r, err := h.Relation.List(ctx, ada.ID)
	must(t, err)
	if r.Friends[0].Party != st.Party.Code || r.Friends[0].Presence != model.Online {
		t.Errorf("friend %+v", r.Friends[0])
	}
	_, err = h.Queue.JoinParty(ctx, Home, ada, r.Friends[0].Party)
	must(t, err)
}

// blocks: both directions are silent, and the blocked account sees no difference.
func blocks(t *testing.T, h *Harness, _ func() db.Store) {
	ada, bob := h.NewGuest(t, "ada"), h.NewGuest(t, "bob")
	h.befriend(t, ada, bob)
	must(t, h.Relation.Block(ctx, ada.ID, bob.ID))
	h.related(t, ada, "xbob")
	h.related(t, bob, "")
	before, err := h.Queue.Standing(ctx, ada.ID)
	must(t, err)
	must(t, h.Relation.Befriend(ctx, bob.ID, "ada")) // as to any account
	h.related(t, bob, ">ada")
	h.related(t, ada, "xbob")
	after, err := h.Queue.Standing(ctx, ada.ID)
	must(t, err)
	if after.Relations != before.Relations {
		t.Error("a request of a blocked account wakes the account that blocks")
	}
	want(t, second(h.Relation.Say(ctx, bob.ID, ada.ID, "hello")), model.NotFound)

	lobby := h.NewLobby(t, ada, room.NewLobby{Map: "ford"})
	want(t, second(h.Room.Join(ctx, Home, bob, lobby.ID, room.JoinRequest{})), model.NotOpen)
	if got := h.names(t, model.LobbyFilter{Limit: 20, For: bob.ID}); got != "" {
		t.Errorf("a blocked account is shown %q", got)
	}
	if got := h.names(t, model.LobbyFilter{Limit: 20, For: ada.ID}); got != lobby.Name {
		t.Errorf("the host is shown %q", got)
	}
	st, err := h.Queue.MakeParty(ctx, Home, ada)
	must(t, err)
	want(t, second(h.Queue.JoinParty(ctx, Home, bob, st.Party.Code)), model.NoParty)
	own := h.NewLobby(t, bob, room.NewLobby{Map: "ford"})
	want(t, second(h.Room.Join(ctx, Home, ada, own.ID, room.JoinRequest{})), model.NotOpen) // in both directions

	// In a third player's lobby they sit together, and hear only the others.
	host := h.NewGuest(t, "host")
	both := h.NewLobby(t, host, room.NewLobby{Options: options(`{"chatHistory":true}`)})
	for _, a := range []model.Account{ada, bob} {
		_, err := h.Room.Join(ctx, Home, a, both.ID, room.JoinRequest{})
		must(t, err)
	}
	w, _, err := h.Hub.Watch(ctx, both.ID, ada.ID, 0)
	must(t, err)
	defer w.Close()
	must(t, h.Room.Chat(ctx, both.ID, bob.ID, "bob speaks"))
	must(t, h.Room.Chat(ctx, both.ID, host.ID, "host speaks"))
	heard := func(a model.Account) string {
		u, err := h.Hub.Updates(ctx, both.ID, a.ID, 0)
		must(t, err)
		var out []string
		for _, e := range u.Events {
			if e.Kind == model.ChatEvent {
				out = append(out, string(e.Account))
			}
		}
		return strings.Join(out, " ")
	}
	if got := heard(ada); got != string(host.ID) {
		t.Errorf("ada hears %s", got)
	}
	if got := heard(host); got != string(bob.ID)+" "+string(host.ID) {
		t.Errorf("the host hears %s", got)
	}
	h.Tick(t)
	for said := false; !said; {
		u, err := w.Next(ctx, 20*time.Second)
		must(t, err)
		for _, e := range u.Events {
			if e.Account == bob.ID {
				t.Errorf("ada's page gets %s", e.Body)
			}
			said = said || e.Account == host.ID
		}
	}
	// In a match too.
	for _, a := range []model.Account{ada, bob} {
		_, err := h.ready(both.ID, a)
		must(t, err)
	}
	both, err = h.Room.Start(ctx, both.ID, host.ID)
	must(t, err)
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		m, err := tx.Matches.Get(both.Match)
		for _, p := range m.Spec.Participants {
			if deaf := p.Deaf != 0; deaf != (p.Account != host.ID) {
				t.Errorf("%s is deaf for %v", p.Name, p.Deaf)
			}
		}
		return err
	}))
	must(t, h.Relation.Drop(ctx, ada.ID, bob.ID, model.Block))
	h.related(t, ada, "<bob") // the request has waited
	if got := heard(ada); got != string(bob.ID)+" "+string(host.ID) {
		t.Errorf("after the block ada hears %s", got)
	}
}

func messages(t *testing.T, h *Harness, _ func() db.Store) {
	ada, bob, eve := h.NewGuest(t, "ada"), h.NewGuest(t, "bob"), h.NewGuest(t, "eve")
	want(t, second(h.Relation.Say(ctx, ada.ID, bob.ID, "hello")), model.NotFound)
	want(t, second(h.Relation.Messages(ctx, ada.ID, bob.ID)), model.NotFound)
	h.befriend(t, ada, bob)
	first, err := h.Relation.Say(ctx, ada.ID, bob.ID, " hello ")
	must(t, err)
	_, err = h.Relation.Say(ctx, bob.ID, ada.ID, "hello yourself")
	must(t, err)
	want(t, second(h.Relation.Say(ctx, bob.ID, ada.ID, "")), model.BadText)
	want(t, second(h.Relation.Say(ctx, bob.ID, ada.ID, strings.Repeat("x", model.ChatLenMax+1))), model.BadText)
	list, err := h.Relation.Messages(ctx, bob.ID, ada.ID)
	must(t, err)
	if len(list) != 2 || list[0].Text != "hello" || list[0].From != ada.ID || list[1].From != bob.ID || list[0].ID != first.ID {
		t.Errorf("messages %+v", list)
	}
	r, err := h.Relation.List(ctx, bob.ID)
	must(t, err)
	if r.Friends[0].Message != first.ID {
		t.Errorf("newest message %d, want %d", r.Friends[0].Message, first.ID)
	}
	want(t, second(h.Relation.Messages(ctx, eve.ID, ada.ID)), model.NotFound)

	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		for i := range 130 {
			if err := tx.Relations.Say(&model.DirectMessage{From: ada.ID, To: bob.ID, Text: fmt.Sprint(i), At: h.Now()}); err != nil {
				return err
			}
		}
		return nil
	}))
	list, err = h.Relation.Messages(ctx, bob.ID, ada.ID)
	must(t, err)
	if len(list) != 101 || list[0].From != bob.ID || list[1].Text != "30" || list[100].Text != "129" {
		t.Errorf("%d messages are kept, the first %+v", len(list), list[0])
	}
	h.Step(model.MessageLife + time.Hour)
	h.Tick(t)
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		list, err = tx.Relations.Messages(ada.ID, bob.ID)
		return err
	}))
	if len(list) > 0 {
		t.Errorf("%d messages outlive their time", len(list))
	}
}

// avoided: the queue keeps two apart for a minute, and no longer.
func avoided(t *testing.T, h *Harness, _ func() db.Store) {
	ada, bob := h.NewGuest(t, "ada"), h.NewGuest(t, "bob")
	must(t, h.Relation.Avoid(ctx, ada.ID, bob.ID))
	h.related(t, bob, "")
	for _, a := range []model.Account{ada, bob} {
		_, err := h.Queue.JoinQueue(ctx, Home, a, "1v1", "")
		must(t, err)
	}
	offered := func() bool {
		t.Helper()
		for range 8 {
			h.Step(10 * time.Second)
			for _, a := range []model.Account{ada, bob} { // their pages are open
				_, err := h.Queue.Standing(ctx, a.ID)
				must(t, err)
			}
			h.Tick(t)
			st, err := h.Queue.Standing(ctx, ada.ID)
			must(t, err)
			if st.Offer != nil {
				return h.Now().Sub(st.Party.Since) < time.Minute
			}
		}
		t.Fatal("they never meet")
		return false
	}
	if offered() {
		t.Error("the queue pairs an account with one that it avoids, within the first minute")
	}
}
