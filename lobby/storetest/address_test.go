package storetest

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// The address that is banned in these tests, one beside it, and the ban.
var (
	banned   = From("198.51.100.9")
	free     = From("198.51.101.9")
	rangeBan = admin.NewBan{Range: "198.51.100.0/24", Reason: "flood"}
)

// bannedAddress: a ban of addresses holds at every entry, also at the socket, and for
// players who came in before.
func bannedAddress(t *testing.T, h *Harness, _ func() db.Store) {
	a, session, err := h.Account.Register(ctx, banned, "rogue", "", "just for fun 91")
	must(t, err)
	l := h.playing(t, a)
	ticket, _, err := h.Play.Login(ctx, banned, a, l.ID, 0)
	must(t, err)
	must(t, h.Play.Resume(ctx, l.Match, a.ID, a.Epoch, banned.Address))
	ban, err := h.admin().Ban(ctx, rangeBan)
	must(t, err)

	_, err = h.Play.Redeem(ctx, ticket, banned.Address)
	want(t, err, model.BannedAddress)
	want(t, h.Play.Resume(ctx, l.Match, a.ID, a.Epoch, banned.Address), model.BannedAddress)
	_, err = h.Account.Session(ctx, banned, session)
	want(t, err, model.BannedAddress)
	_, _, err = h.Account.LogIn(ctx, banned, "rogue", "just for fun 91")
	want(t, err, model.BannedAddress)
	_, _, err = h.Play.Login(ctx, banned, a, l.ID, 0)
	want(t, err, model.BannedAddress)
	_, _, err = h.Account.Register(ctx, banned, "another", "", "just for fun 92")
	want(t, err, model.BannedAddress)

	// It is not the account that is banned.
	_, err = h.Account.Session(ctx, free, session)
	must(t, err)
	must(t, h.Play.Resume(ctx, l.Match, a.ID, a.Epoch, free.Address))
	_, err = h.Play.Redeem(ctx, ticket, free.Address)
	must(t, err)
	// Nor do admins' bans shut out admins.
	password, err := h.Admin.FirstAdmin(ctx)
	must(t, err)
	_, token, err := h.Admin.AdminLogIn(ctx, banned, "admin", password)
	must(t, err)
	_, err = h.Admin.Session(ctx, banned, token)
	must(t, err)

	_, err = h.admin().LiftBan(ctx, ban.ID)
	must(t, err)
	_, err = h.Account.Session(ctx, banned, session)
	must(t, err)
}

// bannedFromMatches: the janitor closes live sockets from a banned range, once
// more for who was between ticket and seat at its first look, and leaves the
// others alone.
func bannedFromMatches(t *testing.T, h *Harness, again func() db.Store) {
	in, out, late := h.NewGuest(t, "in"), h.NewGuest(t, "out"), h.NewGuest(t, "late")
	h.playing(t, in)
	h.Fakes.Sitting = []model.LiveSocket{{Account: in.ID, Address: banned.Address}, {Account: out.ID, Address: free.Address}}
	cli := lobby.New(lobby.Config{Store: again()}).Admin.OperatorSession(admin.Operator{Name: "root", UID: "1000"})
	_, err := cli.Ban(ctx, rangeBan)
	must(t, err)
	host := h.NewGuest(t, "host")
	watch, _, err := h.Hub.Watch(ctx, h.NewLobby(t, host, room.NewLobby{}).ID, host.ID, 0)
	must(t, err)
	defer watch.Close()
	h.Tick(t)
	if _, err := watch.Next(ctx, time.Minute); !errors.Is(err, event.ErrSession) { // streams look whether their address is banned
		t.Errorf("after a new ban a stream goes on: %v", err)
	}
	h.Fakes.Sitting = []model.LiveSocket{{Account: late.ID, Address: banned.Address}}
	h.Tick(t)
	h.Fakes.Sitting = []model.LiveSocket{{Account: out.ID, Address: banned.Address}} // no check follows: it cannot come in
	h.Tick(t)
	want := []string{string(in.ID) + " banned_address", string(late.ID) + " banned_address"}
	if !slices.Equal(h.Fakes.Disconnected, want) || len(h.Fakes.Kicked) != 0 {
		t.Fatalf("disconnected %q, want %q; kicked %q", h.Fakes.Disconnected, want, h.Fakes.Kicked)
	}
}

// changedBeforeSocket: what changes between the ticket and the socket is found
// at the socket, and a ticket that is refused is not used up.
func changedBeforeSocket(t *testing.T, h *Harness, _ func() db.Store) {
	ticketOf := func(name string) (model.Account, *model.Lobby, model.Secret) {
		a := h.NewGuest(t, name)
		l := h.playing(t, a)
		ticket, _, err := h.Play.Login(ctx, Home, a, l.ID, 0)
		must(t, err)
		return a, l, ticket
	}
	redeem := func(ticket model.Secret) error {
		_, err := h.Play.Redeem(ctx, ticket, Home.Address)
		return err
	}

	a, l, ticket := ticketOf("leaver")
	_, err := h.Room.Leave(ctx, l.ID, a.ID)
	must(t, err)
	want(t, redeem(ticket), model.NotSeated)

	// A player who left a match that goes on gets no ticket back into it.
	a, b := h.NewGuest(t, "stays"), h.NewGuest(t, "goes")
	l = h.NewLobby(t, a, room.NewLobby{Map: "ford"})
	_, err = h.Room.Join(ctx, Home, b, l.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.ready(l.ID, b)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, a.ID)
	must(t, err)
	_, _, err = h.Play.Login(ctx, Home, b, l.ID, 0)
	must(t, err)
	_, err = h.Room.Leave(ctx, l.ID, b.ID)
	must(t, err)
	_, _, err = h.Play.Login(ctx, Home, b, l.ID, 0)
	want(t, err, model.NotSeated)

	_, _, ticket = ticketOf("kicked")
	must(t, h.admin().Kick(ctx, "kicked", "spoils it for others"))
	want(t, redeem(ticket), model.LoggedOut)

	_, _, ticket = ticketOf("deleted one")
	must(t, h.admin().DeleteAccount(ctx, "deleted one"))
	want(t, redeem(ticket), model.LoggedOut)

	a, _, ticket = ticketOf("rogue")
	_, err = h.admin().Ban(ctx, admin.NewBan{Account: "rogue", Reason: "wall hacks"})
	must(t, err)
	want(t, redeem(ticket), model.BannedAccount)
	want(t, h.Play.Resume(ctx, l.Match, a.ID, a.Epoch, netip.Addr{}), model.BannedAccount)

	// A list of names holds for the name the account has now.
	a = h.NewGuest(t, "Ada")
	l = h.NewLobby(t, a, room.NewLobby{Limit: 2, Options: options(`{"whitelist": ["Ada"]}`)})
	_, err = h.Room.AddBot(ctx, l.ID, a.ID, "", nil)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, a.ID)
	must(t, err)
	ticket, _, err = h.Play.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	_, _, err = h.Account.Upgrade(ctx, Home, a.ID, "Eve", "", "just for fun 91")
	must(t, err)
	want(t, redeem(ticket), model.NotWhitelisted)
	l, err = h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if l.Seats[0].Name != "Eve" {
		t.Errorf("the lobby still says %q", l.Seats[0].Name)
	}
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "draw"}))
	want(t, redeem(ticket), model.NotWhitelisted) // of two reasons the first
}
