package sqlite_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

// Each statement of an admission, or of its traces, fails once. The caller gets an
// error every time, and a missing answer admits no account: a repetition then works as
// if no statement had failed.
func TestADatabaseThatFailsLetsNobodyIn(t *testing.T) {
	var left int // statements until one fails
	fails := errors.New("the disk is full")
	s, err := sqlite.Open(context.Background(), sqlitetest.Dir(t), sqlite.Options{Hook: func(string) error {
		if left--; left == -1 {
			return fails
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := storetest.NewHarness(s)
	h.Protocol = 7
	ctx, home := context.Background(), storetest.Home
	left = 1 << 30
	first, err := h.Admin.FirstAdmin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var ada, ben model.Account
	var token, ticket, adminToken model.Secret
	var l, other, played *model.Lobby
	var ban model.Ban
	var seat model.Admission
	var chief *admin.Session
	cid := h.NewGuest(t, "Cid")
	dear := storetest.NewHarness(s, func(c *lobby.Config) { c.Hashing = account.Hashing{MemoryKiB: 128, Passes: 1} })
	no := netip.Addr{}
	total := 0
	for _, op := range []struct {
		name  string
		do    func(ctx context.Context) error
		whole bool // it never fails: the janitor repairs the rest
	}{
		{name: "register", do: func(ctx context.Context) (err error) {
			ada, _, err = h.Account.Register(ctx, home, "Ada", "", "a lamp in the valley")
			return err
		}},
		{name: "log in", do: func(ctx context.Context) (err error) {
			_, token, err = h.Account.LogIn(ctx, home, "Ada", "a lamp in the valley")
			return err
		}},
		{name: "log in with the old session", do: func(ctx context.Context) (err error) {
			again := home
			again.Old = token
			_, token, err = h.Account.LogIn(ctx, again, "Ada", "a lamp in the valley")
			return err
		}},
		{name: "log in where hashes cost more", do: func(ctx context.Context) error {
			_, _, err := dear.Account.LogIn(ctx, home, "Ada", "a lamp in the valley")
			return err
		}},
		{name: "session", do: func(ctx context.Context) error {
			in, err := h.Account.Session(ctx, home, token)
			if err == nil && in.Account.ID != ada.ID {
				t.Errorf("the session is of %q", in.Account.ID)
			}
			return err
		}},
		{name: "guest", do: func(ctx context.Context) (err error) {
			ben, _, err = h.Account.Guest(ctx, home, "Ben")
			return err
		}},
		{name: "create", do: func(ctx context.Context) (err error) {
			l, err = h.Room.Create(ctx, home, ada, room.NewLobby{Name: "Lamps", Map: "ring", Password: "tide"})
			return err
		}},
		{name: "join", do: func(ctx context.Context) (err error) {
			_, err = h.Room.Join(ctx, home, ben, l.ID, room.JoinRequest{Protocol: 7, Password: "tide"})
			return err
		}},
		{name: "create another lobby", do: func(ctx context.Context) (err error) {
			other, err = h.Room.Create(ctx, home, cid, room.NewLobby{Name: "Second", Map: "ring"})
			return err
		}},
		{name: "move to the other lobby", do: func(ctx context.Context) error {
			_, err := h.Room.Join(ctx, home, ben, other.ID, room.JoinRequest{Protocol: 7})
			return err
		}},
		{name: "move back", do: func(ctx context.Context) error {
			h.Step(10 * time.Second) // so many passwords may be compared
			_, err := h.Room.Join(ctx, home, ben, l.ID, room.JoinRequest{Protocol: 7, Password: "tide"})
			return err
		}},
		{name: "register a guest", do: func(ctx context.Context) (err error) {
			h.Step(10 * time.Second)
			_, _, err = h.Account.Upgrade(ctx, home, ben.ID, "Benno", "benno@example.org", "a lamp in the valley")
			return err
		}},
		{name: "leave", do: func(ctx context.Context) error {
			_, err := h.Room.Leave(ctx, l.ID, ben.ID)
			return err
		}},
		{name: "leave as host", do: func(ctx context.Context) error {
			_, err := h.Room.Leave(ctx, l.ID, ada.ID)
			return err
		}},
		{name: "play against a bot", whole: true, do: func(ctx context.Context) (err error) {
			played, err = h.Room.PlayBot(ctx, home, ada, model.BotMatchRequest{Map: "ring"})
			return err
		}},
		{name: "ticket", do: func(ctx context.Context) (err error) {
			ticket, _, err = h.Play.Login(ctx, home, ada, played.ID, 7)
			return err
		}},
		{name: "redeem", do: func(ctx context.Context) (err error) {
			seat, err = h.Play.Redeem(ctx, ticket, no)
			return err
		}},
		{name: "resume", do: func(ctx context.Context) error { return h.Play.Resume(ctx, seat.Match, ada.ID, seat.Epoch, no) }},
		{name: "is it a spectator", do: func(ctx context.Context) error {
			yes, err := h.Play.IsSpectator(ctx, seat.Match, ada.ID)
			if yes {
				t.Error("a player is taken for a spectator")
			}
			return err
		}},
		{name: "open a seat", do: func(ctx context.Context) error {
			_, err := h.Room.OpenSeat(ctx, played.ID, ada.ID, 1, true)
			return err
		}},
		{name: "take a seat over", do: func(ctx context.Context) error {
			_, err := h.Room.Join(ctx, home, ben, played.ID, room.JoinRequest{Protocol: 7})
			return err
		}},
		{name: "release", do: func(ctx context.Context) error { return h.Play.Release(ctx, seat, true, "kicked") }},
		{name: "an admin logs in", do: func(ctx context.Context) (err error) {
			_, adminToken, err = h.Admin.AdminLogIn(ctx, home, "admin", first)
			return err
		}},
		{name: "an admin logs in with the old session", do: func(ctx context.Context) (err error) {
			again := home
			again.Old = adminToken
			_, adminToken, err = h.Admin.AdminLogIn(ctx, again, "admin", first)
			return err
		}},
		{name: "admin session", do: func(ctx context.Context) (err error) {
			chief, err = h.Admin.Session(ctx, home, adminToken)
			return err
		}},
		{name: "look through the fog", do: func(ctx context.Context) error { return chief.AllowFog(ctx, seat.Match, "all", nil) }},
		{name: "an admin is added", do: func(ctx context.Context) error {
			_, err := chief.Admins().Add(ctx, "helper", model.Viewer, false)
			return err
		}},
		{name: "an admin is changed", do: func(ctx context.Context) error {
			role := model.Moderator
			_, err := chief.Admins().Change(ctx, "helper", admin.AdminChange{Role: &role})
			return err
		}},
		{name: "the audit", do: func(ctx context.Context) error {
			_, err := chief.Audit(ctx, 0, 10)
			return err
		}},
		{name: "the bans", do: func(ctx context.Context) error {
			_, err := chief.Bans(ctx, 0, 10)
			return err
		}},
		{name: "ban", do: func(ctx context.Context) (err error) {
			ban, err = chief.Ban(ctx, admin.NewBan{Account: "Benno", Reason: "x"})
			return err
		}},
		{name: "lift the ban", do: func(ctx context.Context) error {
			_, err := chief.LiftBan(ctx, ban.ID)
			return err
		}},
		{name: "log out", do: func(ctx context.Context) error { return h.Account.LogOut(ctx, model.PlayerRealm, token) }},
		{name: "log out everywhere", do: func(ctx context.Context) error { return h.Account.LogOutEverywhere(ctx, ben.ID) }},
	} {
		for n := 0; ; n++ {
			if left = n; op.whole {
				left = 1 << 30
			}
			err := op.do(ctx)
			if left >= 0 {
				if err != nil {
					t.Fatalf("%s, after %d failures: %v", op.name, n, err)
				}
				t.Logf("%s: %d statements", op.name, n)
				total += n
				break
			}
			if err == nil {
				t.Fatalf("%s: statement %d failed, and nobody is told", op.name, n+1)
			}
			if !errors.Is(err, fails) && !errors.Is(err, model.Unavailable) {
				t.Fatalf("%s: statement %d failed, which is told as %v", op.name, n+1, err)
			}
		}
	}
	if total < 80 {
		t.Errorf("only %d statements: that proves little", total)
	}
	left = 1 << 30
	if _, err := h.Account.Session(ctx, home, token); err == nil {
		t.Error("a session goes on that was logged out")
	}
}

// TestFailedReadIsRepeated checks that a watcher of a queue learns of a change whose first
// reading failed.
func TestFailedReadIsRepeated(t *testing.T) {
	var fail bool
	s, err := sqlite.Open(t.Context(), sqlitetest.Dir(t), sqlite.Options{Hook: func(string) error {
		if fail {
			return errors.New("the disk is away")
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := storetest.NewHarness(s)
	ctx := t.Context()
	ada, ben := h.NewGuest(t, "Ada"), h.NewGuest(t, "Ben")
	st, err := h.Queue.MakeParty(ctx, storetest.Home, ada)
	if err != nil {
		t.Fatal(err)
	}
	w := h.Queue.WatchStanding(ada.ID)
	defer w.Close()
	if _, err := h.Queue.JoinParty(ctx, storetest.Home, ben, st.Party.Code); err != nil {
		t.Fatal(err)
	}
	if err := h.RunRound(ctx, 0); err != nil {
		t.Fatal(err)
	}
	fail = true
	if _, err := w.Next(ctx, time.Minute); !errors.Is(err, model.Unavailable) && model.AsError(err).Code != model.Internal {
		t.Fatalf("the reading fails, and it is told as %v", err)
	}
	fail = false
	st, err = w.Next(ctx, 2*time.Second)
	if err != nil || len(st.Party.Members) != 2 {
		t.Fatalf("%+v, %v", st.Party, err)
	}
}
