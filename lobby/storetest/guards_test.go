package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// joinedAgain: a player who joins its own lobby again keeps its seat, without any
// event.
func joinedAgain(t *testing.T, h *Harness, _ func() db.Store) {
	host, guest := h.NewGuest(t, "host"), h.NewGuest(t, "guest")
	l := h.NewLobby(t, host, room.NewLobby{Password: "tide"})
	_, err := h.Room.Join(ctx, Home, guest, l.ID, room.JoinRequest{Password: "tide"})
	must(t, err)
	before, err := h.Play.Lobby(ctx, l.ID)
	must(t, err)
	for _, a := range []model.Account{host, guest} {
		for _, j := range []room.JoinRequest{{}, {Password: "tide"}, {Spectate: true}} {
			_, err := h.Room.Join(ctx, Home, a, l.ID, j)
			must(t, err)
		}
	}
	after, err := h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if after.SettingsVersion != before.SettingsVersion || after.Seq != before.Seq || after.Host != host.ID || !slices.Equal(after.Seats, before.Seats) {
		t.Errorf("the lobby was %+v, and is %+v", before, after)
	}
}

// movedOver: a player who joins another lobby leaves the previous one, an older or a
// newer one.
func movedOver(t *testing.T, h *Harness, _ func() db.Store) {
	one, two := h.NewLobby(t, h.NewGuest(t, "one"), room.NewLobby{}), h.NewLobby(t, h.NewGuest(t, "two"), room.NewLobby{})
	mover := h.NewGuest(t, "mover")
	for i, to := range []*model.Lobby{one, two, one, two} {
		_, err := h.Room.Join(ctx, Home, mover, to.ID, room.JoinRequest{})
		must(t, err)
		for _, l := range []*model.Lobby{one, two} {
			now, err := h.Play.Lobby(ctx, l.ID)
			must(t, err)
			if sits := now.SeatOf(mover.ID) >= 0; sits != (l == to) {
				t.Errorf("move %d: sits in lobby %s: %t", i, l.Name, sits)
			}
		}
	}
}

// passwordsNotTried: a join without a password, for a lobby with one, is not counted as
// a try.
func passwordsNotTried(t *testing.T, h *Harness, _ func() db.Store) {
	l := h.NewLobby(t, h.NewGuest(t, "host"), room.NewLobby{Password: "tide"})
	a := h.NewGuest(t, "guest")
	for range 60 {
		_, err := h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
		want(t, err, model.WrongPassword)
	}
	_, err := h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{Password: "tide"})
	must(t, err)
}

// firstSeatTakenOver: also the lowest seat can be taken over, once its player is not
// the host. Each player who takes a seat over comes later in the match's order than all
// before.
func firstSeatTakenOver(t *testing.T, h *Harness, _ func() db.Store) {
	first, host, third := h.NewGuest(t, "first"), h.NewGuest(t, "host"), h.NewGuest(t, "third")
	l := h.NewLobby(t, first, room.NewLobby{Options: map[string]any{"openOtherTeams": json.RawMessage("true")}})
	_, err := h.Room.Join(ctx, Home, host, l.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.Service.Room.Leave(ctx, l.ID, first.ID)
	must(t, err)
	_, err = h.Room.Join(ctx, Home, third, l.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.Room.AddBot(ctx, l.ID, host.ID, "", nil)
	must(t, err)
	_, err = h.ready(l.ID, third)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, host.ID)
	must(t, err)
	if l.Seats[0].Account != third.ID || l.Host != host.ID {
		t.Fatalf("the seats are %+v", l.Seats)
	}
	turns := map[int]int64{}
	h.away(0, third, third)
	for _, place := range []int{2, 0} {
		_, err = h.Room.OpenSeat(ctx, l.ID, host.ID, place, true)
		must(t, err)
		late := h.NewGuest(t, fmt.Sprint("late ", place))
		got, err := h.Room.Join(ctx, Home, late, l.ID, room.JoinRequest{})
		must(t, err)
		if got.Seats[place].Account != late.ID {
			t.Fatalf("slot %d: the seats are %+v", place, got.Seats)
		}
		ticket, _, err := h.Play.Login(ctx, Home, late, l.ID, 0)
		must(t, err)
		in, err := h.Play.Redeem(ctx, ticket, netip.Addr{})
		must(t, err)
		turns[place] = int64(in.Turn)
	}
	if turns[2] < 1 || turns[0] <= turns[2] {
		t.Errorf("the bot's seat was taken over in turn %d, the first seat after it in turn %d", turns[2], turns[0])
	}
}

// watchesAfterLeaving: a player who left the match may watch it, and may not play.
func watchesAfterLeaving(t *testing.T, h *Harness, _ func() db.Store) {
	host, guest := h.NewGuest(t, "host"), h.NewGuest(t, "guest")
	l := h.NewLobby(t, host, room.NewLobby{})
	_, err := h.Room.Join(ctx, Home, guest, l.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.ready(l.ID, guest)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, host.ID)
	must(t, err)
	_, err = h.Service.Room.Leave(ctx, l.ID, guest.ID)
	must(t, err)
	_, err = h.Room.Join(ctx, Home, guest, l.ID, room.JoinRequest{Spectate: true})
	must(t, err)
	ticket, _, err := h.Play.Login(ctx, Home, guest, l.ID, 0)
	must(t, err)
	in, err := h.Play.Redeem(ctx, ticket, netip.Addr{})
	must(t, err)
	if !in.Spectator {
		t.Errorf("the ticket is for %+v", in)
	}
}

// emailTaken: a guest who registers keeps its name, but cannot have another's email.
func emailTaken(t *testing.T, h *Harness, _ func() db.Store) {
	_, _, err := h.Account.Register(ctx, Home, "Ada", "ada@example.org", "a lamp in the valley")
	must(t, err)
	guest := h.NewGuest(t, "Ben")
	_, _, err = h.Account.Upgrade(ctx, Home, guest.ID, "Ben", "Ada@example.org", "a lamp in the valley")
	want(t, err, model.NameTaken)
	now, _, err := h.Account.Profile(ctx, guest.ID)
	if must(t, err); !now.Guest {
		t.Error("the guest was registered all the same")
	}
	_, _, err = h.Account.Upgrade(ctx, Home, guest.ID, "Ben", "ben@example.org", "a lamp in the valley")
	must(t, err)
}

// asTheStoreHasIt: a player joins with the account as it is now, not as it was when the
// request came in; a deleted account cannot join.
func asTheStoreHasIt(t *testing.T, h *Harness, _ func() db.Store) {
	l := h.NewLobby(t, h.NewGuest(t, "host"), room.NewLobby{})
	before := h.NewGuest(t, "Ben")
	_, _, err := h.Account.Upgrade(ctx, Home, before.ID, "Benno", "", "a lamp in the valley")
	must(t, err)
	got, err := h.Room.Join(ctx, Home, before, l.ID, room.JoinRequest{Protocol: 99}) // the harness takes any version
	if must(t, err); got.Seats[1].Name != "Benno" {
		t.Errorf("sits as %q", got.Seats[1].Name)
	}
	gone, _, err := h.Account.Register(ctx, Home, "Cid", "", "a lamp in the valley")
	must(t, err)
	must(t, h.admin().DeleteAccount(ctx, string(gone.ID)))
	_, err = h.Room.Join(ctx, Home, gone, l.ID, room.JoinRequest{})
	want(t, err, model.Unauthenticated)
}

// namesOfAccounts: the rules of names, emails and passwords are checked before an
// account is made, and before the password is hashed.
func namesOfAccounts(t *testing.T, h *Harness, _ func() db.Store) {
	for _, c := range []struct {
		name, email, password string
		code                  model.Code
	}{
		{"x", "", "a lamp in the valley", model.BadName},
		{"Ada", "no address", "a lamp in the valley", model.BadEmail},
		{"Ada", "ada@example.org", "short", model.BadPassword},
	} {
		_, _, err := h.Account.Register(ctx, Home, c.name, c.email, c.password)
		want(t, err, c.code)
	}
	_, _, err := h.Account.Register(ctx, Home, "Ada", "ada@example.org", "a lamp in the valley")
	must(t, err)
}

// logOutOfNothing: ending a missing session is no error.
func logOutOfNothing(t *testing.T, h *Harness, _ func() db.Store) {
	for _, token := range []model.Secret{"", "short", model.NewSecret(), model.NewSecret() + "x"} {
		must(t, h.Account.LogOut(ctx, model.PlayerRealm, token))
	}
}

// guestNames: a guest without a name gets one, one with a name that is no name gets
// no account.
func guestNames(t *testing.T, h *Harness, _ func() db.Store) {
	for _, name := range []string{"x", strings.Repeat("x", 25), "server", "a\u202eb"} {
		_, _, err := h.Account.Guest(ctx, Home, name)
		want(t, err, model.BadName)
	}
	a, b := h.NewGuest(t, ""), h.NewGuest(t, "  ")
	if a.Name == b.Name || !strings.HasPrefix(a.Name, "Guest ") || !a.Guest {
		t.Errorf("guests %+v, %+v", a, b)
	}
}

// adminLogIn: an admin's log-in ends the session that it replaces; a disabled admin's
// log-in counts as a wrong password, right or not; refusals are in the log.
func adminLogIn(t *testing.T, h *Harness, _ func() db.Store) {
	var log bytes.Buffer
	h.Logger = slog.New(slog.NewTextHandler(&log, nil))
	password, err := h.Admin.FirstAdmin(ctx)
	must(t, err)
	_, old, err := h.Admin.AdminLogIn(ctx, Home, "admin", password)
	must(t, err)
	began, err := h.Admin.Session(ctx, Home, old)
	must(t, err)
	must(t, began.Announce(ctx, "hello"))
	if me := began.Admin(); me.Role != model.FullAdmin || !me.Fog {
		t.Errorf("the first admin is %+v", me)
	}
	again := Home
	again.Old = old
	_, token, err := h.Admin.AdminLogIn(ctx, again, "admin", password)
	must(t, err)
	if _, err := h.Admin.Session(ctx, Home, old); err == nil {
		t.Error("the session that the log-in replaced goes on")
	}
	_, err = h.Admin.Session(ctx, Home, token)
	must(t, err)
	if log.Len() > 0 {
		t.Errorf("the log has %s", &log)
	}

	yes := true
	gone, err := h.admin().Admins().Add(ctx, "gone", model.Viewer, false)
	must(t, err)
	_, err = h.admin().Admins().Change(ctx, "gone", admin.AdminChange{Disabled: &yes})
	must(t, err)
	tries := 0
	for ; tries < 200; tries++ {
		if _, _, err = h.Admin.AdminLogIn(ctx, From("192.0.2.77"), "gone", gone); model.AsError(err).Code != model.WrongCredentials {
			break
		}
	}
	want(t, err, model.Throttled)
	if text := log.String(); !strings.Contains(text, "log-in was refused") || !strings.Contains(text, "gone") || !strings.Contains(text, "192.0.2.77") || strings.Contains(text, gone) {
		t.Errorf("the log has %s", text)
	}
	again2, err := h.Admin.FirstAdmin(ctx)
	if must(t, err); again2 != "" {
		t.Error("a second first admin")
	}
}

// roleTooSmall: a refusal for want of a role names the role.
func roleTooSmall(t *testing.T, h *Harness, _ func() db.Store) {
	password, err := h.admin().Admins().Add(ctx, "viewer", model.Viewer, false)
	must(t, err)
	_, token, err := h.Admin.AdminLogIn(ctx, Home, "viewer", password)
	must(t, err)
	viewer, err := h.Admin.Session(ctx, Home, token)
	must(t, err)
	err = viewer.Announce(ctx, "hello")
	want(t, err, model.Forbidden)
	if text := model.AsError(err).Text(); !strings.Contains(text, "needs the role") || !strings.Contains(text, string(model.Viewer)) {
		t.Errorf("the refusal says %q", text)
	}
	_, err = viewer.Audit(ctx, 0, 1)
	must(t, err)
}

// eyesAtOnce: of many looks through the fog of one match at the same time, one leaves
// a row.
func eyesAtOnce(t *testing.T, h *Harness, _ func() db.Store) {
	h.AddMatch(t, "watched")
	password, err := h.admin().Admins().Add(ctx, "seer", model.FullAdmin, true)
	must(t, err)
	_, token, err := h.Admin.AdminLogIn(ctx, Home, "seer", password)
	must(t, err)
	seer, err := h.Admin.Session(ctx, Home, token)
	must(t, err)
	var looks sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		looks.Go(func() { errs[i] = seer.AllowFog(ctx, "watched", "all", nil) })
	}
	looks.Wait()
	for _, err := range errs {
		must(t, err)
	}
	rows, err := h.admin().Audit(ctx, 0, 50)
	must(t, err)
	if n := len(slices.DeleteFunc(rows, func(r model.AuditRow) bool { return r.Action != "match.fog" })); n != 1 {
		t.Errorf("%d rows of the fog, want 1", n)
	}
}
