package main

import (
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/model"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// A person takes over the bot's seat of a running match: from the host's word to the
// frames of both, in the whole server with its own bot.
func TestAPersonTakesABotsSeatOver(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error")
	ctx, host, late := t.Context(), guest(t, s.url(t, "play"), "Ada"), guest(t, s.url(t, "play"), "Bob")
	l := host.playBot("")
	first := host.open(host.ticket(l.ID))
	if w, closing := first.welcome(); w == nil || !w.Players[1].Bot {
		t.Fatalf("welcomed with %v, %v", w, closing)
	}
	if _, err := late.Join(ctx, l.ID, api.JoinRequest{}); !client.Refused(err, model.NotOpen) {
		t.Fatalf("joins what is not open: %v", err)
	}
	if _, err := late.OpenSeat(ctx, l.ID, 1, true); !client.Refused(err, model.NotSeated) {
		t.Errorf("opens a seat of others: %v", err)
	}
	opened, err := host.OpenSeat(ctx, l.ID, 1, true)
	if err != nil || !opened.Seats[1].Open {
		t.Fatalf("opened: %+v, %v", opened.Seats, err)
	}
	if got, err := late.Join(ctx, l.ID, api.JoinRequest{}); err != nil || got.Seats[1].Kind != string(model.PlayerSeat) || got.Seats[1].Open {
		t.Fatalf("joined: %+v, %v", got.Seats, err)
	}
	second := late.open(late.ticket(l.ID))
	w, closing := second.welcome()
	if w == nil || w.Slot != 1 || w.Players[1].Bot || w.Players[1].Name != "Bob" {
		t.Fatalf("welcomed with %v, %v", w, closing)
	}
	for range 400 {
		for _, p := range first.read().Players {
			if p.Slot == 1 && p.Name == "Bob" {
				return
			}
		}
	}
	t.Fatal("the other player is not told")
}

// A person takes over the seat of an absent player, in the whole server: the player's token and tickets are invalid
// from then on. The seat of a player who has not come yet, is there, or lost the connection less than a minute ago cannot be taken.
func TestAPersonTakesAnAwayPlayersSeatOver(t *testing.T) {
	long(t)
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error")
	ctx, host, owner, late := t.Context(), guest(t, s.url(t, "play"), "Ada"), guest(t, s.url(t, "play"), "Bob"), guest(t, s.url(t, "play"), "Cyd")
	l := host.playBot("")
	host.open(host.ticket(l.ID)).welcome()
	if _, err := host.OpenSeat(ctx, l.ID, 1, true); err != nil {
		t.Fatal(err)
	}
	if _, err := owner.Join(ctx, l.ID, api.JoinRequest{}); err != nil {
		t.Fatal(err)
	}
	kept := func(when string) {
		t.Helper()
		if got, err := host.OpenSeat(ctx, l.ID, 1, true); !client.Refused(err, model.WrongState) {
			t.Errorf("%s: opens the seat: %+v, %v", when, got.Seats, err)
		}
	}
	kept("before the player comes")
	away := owner.open(owner.ticket(l.ID))
	w, closing := away.welcome()
	if w == nil {
		t.Fatalf("not welcomed: %v", closing)
	}
	kept("while the player is there")
	lost := time.Now()
	away.conn.Close()
	kept("as the connection is lost")
	for {
		got, err := host.Lobby(ctx, l.ID)
		if err != nil || time.Since(lost) > 3*time.Minute {
			t.Fatalf("the seat of one who is away: %+v, %v", got.Seats, err)
		}
		if got.Seats[1].Away && got.Seats[1].CanOpen {
			break
		}
		time.Sleep(500 * time.Millisecond) // it takes longer than a minute by the server's clock
	}
	if after := time.Since(lost); after < time.Minute {
		t.Errorf("the player was away %v after the connection was lost", after)
	}
	if _, err := host.OpenSeat(ctx, l.ID, 1, true); err != nil {
		t.Fatal(err)
	}
	ticket := owner.ticket(l.ID)
	if _, err := late.Join(ctx, l.ID, api.JoinRequest{}); err != nil {
		t.Fatal(err)
	}
	if n, closing := late.open(late.ticket(l.ID)).welcome(); n == nil || n.Slot != 1 || n.Players[1].Name != "Cyd" {
		t.Fatalf("welcomed with %v, %v", n, closing)
	}
	if n, closing := owner.open(ticket).welcome(); n != nil || closing.GetCode() != "not_seated" {
		t.Errorf("the owner's ticket: %v, %v", n, closing)
	}
	if n, closing := owner.open(&pb.Hello{Resume: w.Resume}).welcome(); n != nil || closing.GetCode() != "not_seated" {
		t.Errorf("the owner's token: %v, %v", n, closing)
	}
}
