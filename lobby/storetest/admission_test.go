package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// admission has a row a check of PreLogin, in their order: each row's client
// fails its own check and all that follow, and is told the first.
func admitted(t *testing.T, h *Harness, again func() db.Store) {
	h.Protocol = 7
	host := h.NewGuest(t, "host")
	l := h.NewLobby(t, host, room.NewLobby{Map: "ford", Password: "tide", Options: map[string]any{
		"whitelist": json.RawMessage(`["host","friend","rogue"]`), "ruleset": json.RawMessage(`"standard"`),
	}})
	rogue, friend, stranger := h.NewGuest(t, "rogue"), h.NewGuest(t, "friend"), h.NewGuest(t, "stranger")
	if _, err := h.admin().Ban(ctx, admin.NewBan{Account: "rogue", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.admin().Ban(ctx, admin.NewBan{Range: "198.51.100.0/24", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	bad := From("198.51.100.9")
	must(t, h.admin().Drain(ctx, true))
	_, err := h.Room.Join(ctx, bad, rogue, l.ID, room.JoinRequest{Protocol: 6})
	want(t, err, model.BadVersion)
	_, err = h.Room.Join(ctx, bad, rogue, l.ID, room.JoinRequest{Protocol: 7})
	want(t, err, model.Draining)
	must(t, h.admin().Drain(ctx, false))
	_, err = h.Room.Join(ctx, bad, rogue, l.ID, room.JoinRequest{})
	want(t, err, model.BannedAccount)
	_, err = h.Room.Join(ctx, bad, stranger, l.ID, room.JoinRequest{})
	want(t, err, model.BannedAddress)
	_, err = h.Room.Join(ctx, Home, stranger, l.ID, room.JoinRequest{})
	want(t, err, model.NotWhitelisted)
	_, err = h.Room.Join(ctx, Home, friend, l.ID, room.JoinRequest{Password: "ebb"})
	want(t, err, model.WrongPassword)
	members := json.RawMessage(`"members"`)
	_, err = h.Room.Configure(ctx, Home, l.ID, host.ID, room.LobbyChange{Options: map[string]any{"ruleset": members}})
	must(t, err)
	_, err = h.Room.Join(ctx, Home, friend, l.ID, room.JoinRequest{Password: "tide"})
	want(t, err, model.ModeRefused) // the mode's own predicate
	_, err = h.Room.Configure(ctx, Home, l.ID, host.ID, room.LobbyChange{Options: map[string]any{"ruleset": json.RawMessage(`"standard"`)}})
	must(t, err)
	playing := h.playing(t, friend)
	_, err = h.Room.Join(ctx, Home, friend, l.ID, room.JoinRequest{Password: "tide"})
	want(t, err, model.InMatch)
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: playing.Match, Reason: "draw"}))
	_, err = h.Room.AddBot(ctx, l.ID, host.ID, "", nil)
	must(t, err)
	_, err = h.Room.Join(ctx, Home, friend, l.ID, room.JoinRequest{Password: "tide"})
	want(t, err, model.LobbyFull)
	_, err = h.Room.Start(ctx, l.ID, host.ID)
	must(t, err)
	_, err = h.Room.Join(ctx, Home, friend, l.ID, room.JoinRequest{Password: "tide"})
	want(t, err, model.NotOpen)
	_, err = h.Room.Leave(ctx, l.ID, host.ID)
	must(t, err)
	_, err = h.Room.Join(ctx, Home, friend, l.ID, room.JoinRequest{Password: "tide"})
	want(t, err, model.LobbyClosed)
	_, err = h.Room.Join(ctx, Home, friend, "01900000-0000-7000-8000-000000000000", room.JoinRequest{})
	want(t, err, model.NotFound)
	if _, _, in, _ := h.Account.Me(ctx, friend.ID); in != playing.ID {
		t.Fatalf("a refusal moved the friend to %q", in)
	}
	// InitGame's own.
	for _, c := range []struct {
		n     room.NewLobby
		code  model.Code
		field string
	}{
		{room.NewLobby{Name: " ", Map: "ford"}, model.BadName, "name"},
		{room.NewLobby{Name: "r", Map: "atlantis"}, model.UnknownMap, "map"},
		{room.NewLobby{Name: "r", Map: "ford", Limit: 3}, model.BadLimit, "limit"},
		{room.NewLobby{Name: "r", Map: "ford", Limit: 1}, model.BadLimit, "limit"},
		{room.NewLobby{Name: "r", Map: "ford", Options: map[string]any{"sped": json.RawMessage("1")}}, model.BadOption, "sped"},
		{room.NewLobby{Name: "r", Map: "ford", Options: map[string]any{"mode": json.RawMessage(`"chess"`)}}, model.ModeRefused, "options"},
		{room.NewLobby{Name: "r", Map: "ford", Options: options(`{"mode":"go"}`)}, model.BadOption, "mode"},
		{room.NewLobby{Name: "r", Map: "ford", Options: options(`{"whitelist":["host"]}`)}, model.NotWhitelisted, ""},
	} {
		_, err := h.Room.Create(ctx, Home, friend, c.n)
		if e := model.AsError(err); err == nil || e.Code != c.code || e.Field != c.field {
			t.Errorf("%+v: %v", c.n, err)
		}
	}
}

// oneReason: a player whom every check of admission would refuse gets one reason at a
// time, in the order of model.Codes.
func oneReason(t *testing.T, h *Harness, _ func() db.Store) {
	h.Protocol = 7
	host, rogue := h.NewGuest(t, "host"), h.NewGuest(t, "rogue")
	l := h.NewLobby(t, host, room.NewLobby{Map: "ford", Password: "tide"})
	_, err := h.Room.Join(ctx, Home, rogue, l.ID, room.JoinRequest{Password: "tide"})
	must(t, err)
	_, err = h.Room.Kick(ctx, l.ID, host.ID, 1)
	must(t, err)
	_, err = h.Room.AddBot(ctx, l.ID, host.ID, "", nil) // full
	must(t, err)
	configure := func(text string) {
		t.Helper()
		_, err := h.Room.Configure(ctx, Home, l.ID, host.ID, room.LobbyChange{Options: options(text)})
		must(t, err)
	}
	configure(`{"whitelist":["host"],"ruleset":"members"}`)
	elsewhere := h.playing(t, rogue)
	account := model.Ban{Account: rogue.ID, Name: "rogue", Reason: "x", By: "test", Created: h.Now()}
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error { return tx.Bans.Add(&account) })) // an admin's ban would take its seat
	_, err = h.admin().Ban(ctx, rangeBan)
	must(t, err)
	must(t, h.admin().Drain(ctx, true))

	from, join := banned, room.JoinRequest{Protocol: 6, Password: "ebb"}
	last := -1
	for _, step := range []struct {
		told model.Code
		mend func()
	}{
		{model.BadVersion, func() { join.Protocol = 7 }},
		{model.Draining, func() { must(t, h.admin().Drain(ctx, false)) }},
		{model.BannedAccount, func() { _, err := h.admin().LiftBan(ctx, account.ID); must(t, err) }},
		{model.BannedAddress, func() { from = free }},
		{model.NotWhitelisted, func() { configure(`{"whitelist":["host","rogue"]}`) }},
		{model.KickedOut, func() { h.Step(11 * time.Minute) }},
		{model.WrongPassword, func() { join.Password = "tide" }},
		{model.InMatch, func() { must(t, h.Play.MatchEnded(ctx, model.Result{Match: elsewhere.Match, Reason: "draw"})) }},
		{model.LobbyFull, func() { _, err := h.Room.Kick(ctx, l.ID, host.ID, 1); must(t, err) }},
		{model.ModeRefused, func() { configure(`{"ruleset":"standard"}`) }},
	} {
		_, err := h.Room.Join(ctx, from, rogue, l.ID, join)
		want(t, err, step.told)
		at := slices.IndexFunc(model.Codes, func(c model.CodeInfo) bool { return c.Code == step.told })
		if at < last {
			t.Errorf("%s is told after %s, and stands before it in the table", step.told, model.Codes[last].Code)
		}
		last = at
		step.mend()
	}
	_, err = h.Room.Join(ctx, from, rogue, l.ID, join)
	must(t, err)
}

// seatHoldsServerState: while a player takes a seat, the server neither drains nor bans:
// once an admin hears that it does, no player comes in any more.
func seatHoldsServerState(t *testing.T, h *Harness, _ func() db.Store) {
	l := h.NewLobby(t, h.NewGuest(t, "host"), room.NewLobby{})
	for i, change := range []func() error{
		func() error { return h.admin().Drain(ctx, true) },
		func() error { _, err := h.admin().Ban(ctx, rangeBan); return err },
	} {
		a := h.NewGuest(t, fmt.Sprint("late ", i))
		inside, goOn := make(chan struct{}), make(chan struct{})
		var once sync.Once // a transaction may run again
		h.Fakes.InPreLogin = func() { once.Do(func() { close(inside); <-goOn }) }
		joined, changed := make(chan error, 1), make(chan error, 1)
		go func() { _, err := h.Room.Join(ctx, free, a, l.ID, room.JoinRequest{}); joined <- err }()
		<-inside
		go func() { changed <- change() }()
		select {
		case err := <-changed:
			t.Errorf("change %d did not wait for the seat that is being taken: %v", i, err)
			changed <- err
		case <-time.After(100 * time.Millisecond):
		}
		close(goOn)
		must(t, <-joined)
		must(t, <-changed)
		h.Fakes.InPreLogin = nil
		must(t, h.admin().Drain(ctx, false))
	}
}

// passwordGoes: a change without a password keeps it, an empty one removes it, and then
// any player may join.
func passwordGoes(t *testing.T, h *Harness, _ func() db.Store) {
	host, guest := h.NewGuest(t, "host"), h.NewGuest(t, "guest")
	l := h.NewLobby(t, host, room.NewLobby{Map: "ford", Password: "tide"})
	name, none := "Open ford", ""
	same, err := h.Room.Configure(ctx, Home, l.ID, host.ID, room.LobbyChange{Name: &name})
	must(t, err)
	_, err = h.Room.Join(ctx, Home, guest, l.ID, room.JoinRequest{})
	want(t, err, model.WrongPassword)
	open, err := h.Room.Configure(ctx, Home, l.ID, host.ID, room.LobbyChange{Password: &none})
	must(t, err)
	if !same.Private() || open.Private() {
		t.Fatalf("private after another name: %v, without a password: %v", same.Private(), open.Private())
	}
	_, err = h.Room.Join(ctx, Home, guest, l.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.Room.Configure(ctx, Home, l.ID, guest.ID, room.LobbyChange{Password: &name})
	want(t, err, model.NotHost)
}
