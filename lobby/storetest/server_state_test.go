package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

func contextWithStop() (context.Context, context.CancelFunc) {
	return context.WithCancel(context.Background())
}

func (h *Harness) admin() *admin.Session {
	return h.Admin.OperatorSession(admin.Operator{Name: "test", UID: "1000"})
}

func bans(t *testing.T, h *Harness, _ func() db.Store) {
	host, rogue := h.NewGuest(t, "host"), h.NewGuest(t, "rogue")
	l := h.NewLobby(t, host, room.NewLobby{})
	_, err := h.Room.Join(ctx, Home, rogue, l.ID, room.JoinRequest{})
	must(t, err)
	ban, err := h.admin().Ban(ctx, admin.NewBan{Account: "rogue", Reason: "wall hacks", For: time.Hour})
	must(t, err)
	h.Tick(t)                     // no match runs: no player is removed
	if len(h.Fakes.Kicked) != 1 { // by the ban itself
		t.Fatalf("kicked %v", h.Fakes.Kicked)
	}
	l, err = h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if l.SeatOf(rogue.ID) >= 0 {
		t.Fatal("still seated")
	}
	_, err = h.Room.Join(ctx, Home, rogue, l.ID, room.JoinRequest{})
	want(t, err, model.BannedAccount)
	if !strings.Contains(err.Error(), "wall hacks") {
		t.Fatalf("the reason is missing: %v", err)
	}
	h.Step(time.Hour + time.Second)
	_, err = h.Room.Join(ctx, Home, rogue, l.ID, room.JoinRequest{})
	must(t, err) // it has ended
	_, err = h.Room.Leave(ctx, l.ID, rogue.ID)
	must(t, err)

	for _, c := range []struct{ rng, inside, outside string }{
		{"198.51.100.0/24", "198.51.100.255", "198.51.101.0"},
		{"2001:db8:1::/48", "2001:db8:1:ffff::1", "2001:db8:2::"},
		{"203.0.113.7", "::ffff:203.0.113.7", "203.0.113.8"},
	} {
		_, err = h.admin().Ban(ctx, admin.NewBan{Range: c.rng, Reason: "flood"})
		must(t, err)
		_, err = h.Room.Join(ctx, From(c.inside), rogue, l.ID, room.JoinRequest{})
		want(t, err, model.BannedAddress)
		_, _, err = h.Account.Guest(ctx, From(c.inside), "again")
		want(t, err, model.BannedAddress)
		_, err = h.Room.Join(ctx, From(c.outside), rogue, l.ID, room.JoinRequest{})
		must(t, err)
		_, err = h.Room.Leave(ctx, l.ID, rogue.ID)
		must(t, err)
	}
	for _, bad := range []string{"0.0.0.0/0", "::/0", "here", "10.0.0.0/33", "::ffff:1.2.3.0/120"} {
		_, err = h.admin().Ban(ctx, admin.NewBan{Range: bad, Reason: "x"})
		want(t, err, model.BadRequest)
	}
	_, err = h.admin().LiftBan(ctx, ban.ID)
	must(t, err)
	_, err = h.admin().LiftBan(ctx, ban.ID)
	want(t, err, model.NotFound)
}

// banFromElsewhere: a ban by the command line, which has no match service,
// reaches the match all the same.
func banFromElsewhere(t *testing.T, h *Harness, again func() db.Store) {
	rogue := h.NewGuest(t, "rogue")
	h.playing(t, rogue)
	cli := lobby.New(lobby.Config{Store: again()}).Admin.OperatorSession(admin.Operator{Name: "root", UID: "1000"})
	if _, err := cli.Ban(ctx, admin.NewBan{Account: "rogue", Reason: "wall hacks"}); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		h.Tick(t)
	}
	// Twice: the janitor looks once more after each new ban.
	if !slices.Equal(h.Fakes.Kicked, []model.AccountID{rogue.ID, rogue.ID}) {
		t.Fatalf("kicked %v", h.Fakes.Kicked)
	}
}

// banAgainstJoin: a ban and a join at the same moment never leave a banned
// account in a seat.
func banAgainstJoin(t *testing.T, h *Harness, _ func() db.Store) {
	l := h.NewLobby(t, h.NewGuest(t, "host"), room.NewLobby{})
	for i := range 12 {
		rogue := h.NewGuest(t, fmt.Sprintf("rogue %d", i))
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = h.Room.Join(ctx, Home, rogue, l.ID, room.JoinRequest{}) })
		wg.Go(func() {
			if _, err := h.admin().Ban(ctx, admin.NewBan{Account: rogue.Name, Reason: "x"}); err != nil {
				t.Errorf("ban: %v", err)
			}
		})
		wg.Wait()
		now, err := h.Play.Lobby(ctx, l.ID)
		must(t, err)
		if now.SeatOf(rogue.ID) >= 0 {
			t.Fatal("a banned account sits in the lobby")
		}
	}
}

func audit(t *testing.T, h *Harness, _ func() db.Store) {
	password, err := h.Admin.FirstAdmin(ctx)
	must(t, err)
	if len(password) != 20 {
		t.Fatalf("generated password %q", password)
	}
	if again, err := h.Admin.FirstAdmin(ctx); err != nil || again != "" {
		t.Fatalf("second start: %q, %v", again, err)
	}
	_, token, err := h.Admin.AdminLogIn(ctx, Home, "admin", password)
	must(t, err)
	chief, err := h.Admin.Session(ctx, Home, token)
	must(t, err)
	rogue := h.NewGuest(t, "rogue")
	_, err = chief.Ban(ctx, admin.NewBan{Account: string(rogue.ID), Reason: "spam"})
	must(t, err)
	must(t, chief.Drain(ctx, true))
	rows, err := chief.Audit(ctx, 0, 10)
	must(t, err)
	var got []string
	for _, r := range rows {
		got = append(got, r.Admin+" "+r.Action+" "+r.Subject)
	}
	if text := strings.Join(got, "\n"); text != "admin house.drain on\nadmin ban.add rogue\nadmin login admin\nfirst start admin.add admin" {
		t.Fatalf("audit:\n%s", text)
	}
	if rows[1].Address != "192.0.2.1" || !strings.Contains(rows[1].Detail, "spam") {
		t.Fatalf("row %+v", rows[1])
	}
	// A failed action leaves no row, and an action without a row has not happened.
	_, err = chief.LiftBan(ctx, 999)
	want(t, err, model.NotFound)
	after, err := chief.Audit(ctx, 0, 10)
	must(t, err)
	if len(after) != len(rows) {
		t.Fatal("a failed action left a row")
	}
	viewerPassword, err := chief.Admins().Add(ctx, "viewer", model.Viewer, false)
	must(t, err)
	_, token, err = h.Admin.AdminLogIn(ctx, Home, "viewer", viewerPassword)
	must(t, err)
	viewer, err := h.Admin.Session(ctx, Home, token)
	must(t, err)
	want(t, viewer.Drain(ctx, false), model.Forbidden)
	want(t, viewer.AllowFog(ctx, "m", "all", nil), model.Forbidden)
	before, err := chief.Audit(ctx, 0, 1)
	must(t, err)
	want(t, chief.AllowFog(ctx, "m", "all", nil), model.NotFound)
	if rows, err = chief.Audit(ctx, 0, 1); err != nil || rows[0].Num != before[0].Num {
		t.Fatalf("a look at a match that there is not left %+v, %v", rows, err)
	}
	want(t, chief.AllowFog(ctx, "old", "all", func() bool { return false }), model.NotFound)
	must(t, chief.AllowFog(ctx, "old", "all", func() bool { return true })) // its journal is left
	if rows, err = chief.Audit(ctx, 0, 1); err != nil || rows[0].Subject != "old eyes all" {
		t.Fatalf("a look at a match of which the journal alone is left: %+v, %v", rows, err)
	}
	h.AddMatch(t, "m")
	must(t, chief.AllowFog(ctx, "m", "all", nil))
	must(t, chief.AllowFog(ctx, "m", "all", nil)) // within ten minutes: one row
	must(t, chief.AllowFog(ctx, "m", "0", nil))
	rows, err = chief.Audit(ctx, 0, 2)
	must(t, err)
	if rows[0].Subject != "m eyes team 1" || rows[1].Subject != "m eyes all" {
		t.Fatalf("fog rows %+v", rows)
	}
	// Rights that are taken away are gone in the middle of a session.
	yes := true
	_, err = chief.Admins().Change(ctx, "viewer", admin.AdminChange{Disabled: &yes})
	must(t, err)
	_, err = h.Admin.Session(ctx, Home, token)
	want(t, err, model.Unauthenticated)
	_, _, err = h.Admin.AdminLogIn(ctx, Home, "viewer", viewerPassword)
	want(t, err, model.WrongCredentials)
	_, err = chief.Admins().Change(ctx, "admin", admin.AdminChange{Disabled: &yes})
	want(t, err, model.Forbidden)
}

func auditAppendOnly(t *testing.T, h *Harness, _ func() db.Store) {
	must(t, h.admin().Drain(ctx, false))
	raw, ok := h.Store.(interface {
		Raw(ctx context.Context, sql string) error
	})
	if !ok {
		t.Fatal("the store cannot run raw SQL for this test")
	}
	again := `INSERT INTO audit (num, at, admin, action, subject, detail, address) %s SELECT num, at, 'nobody', '', '', '', '' FROM audit WHERE num > 0`
	overwrite := ` ON CONFLICT (num) DO UPDATE SET admin = 'nobody'`
	for _, sql := range append([]string{`UPDATE audit SET admin = 'someone else'`, `DELETE FROM audit`}, map[string][]string{
		"postgres": {`TRUNCATE audit`, fmt.Sprintf(again, "OVERRIDING SYSTEM VALUE") + overwrite, `SET session_replication_role = replica; DELETE FROM audit`},
		"sqlite":   {fmt.Sprintf(again, "") + overwrite, "REPLACE" + strings.TrimPrefix(fmt.Sprintf(again, ""), "INSERT")},
	}[h.Store.Kind()]...) {
		if err := raw.Raw(ctx, sql); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	rows, err := h.admin().Audit(ctx, 0, 10)
	must(t, err)
	if len(rows) != 1 || rows[0].Admin != "cli:test" {
		t.Fatalf("rows %+v", rows)
	}
}

func resets(t *testing.T, h *Harness, _ func() db.Store) {
	_, session, err := h.Account.Register(ctx, Home, "Barbara", "", "substitution rule")
	must(t, err)
	first, _, err := h.admin().ResetPassword(ctx, "barbara")
	must(t, err)
	second, _, err := h.admin().ResetPassword(ctx, "barbara")
	must(t, err)
	want(t, h.Account.Reset(ctx, Home, first, "abstract data"), model.BadResetToken)
	want(t, h.Account.Reset(ctx, Home, second, "password1"), model.CommonPassword)
	must(t, h.Account.Reset(ctx, Home, second, "abstract data"))
	want(t, h.Account.Reset(ctx, Home, second, "abstract data"), model.BadResetToken)
	_, err = h.Account.Session(ctx, Home, session)
	want(t, err, model.Unauthenticated)
	_, _, err = h.Account.LogIn(ctx, Home, "barbara", "substitution rule")
	want(t, err, model.WrongCredentials)
	_, _, err = h.Account.LogIn(ctx, Home, "barbara", "abstract data")
	must(t, err)
	late, _, err := h.admin().ResetPassword(ctx, "barbara")
	must(t, err)
	h.Step(admin.ResetLife + time.Second)
	want(t, h.Account.Reset(ctx, Home, late, "abstract data 2"), model.BadResetToken)
}

func paging(t *testing.T, h *Harness, _ func() db.Store) {
	a := h.NewGuest(t, "veteran")
	for i := range 7 {
		l := h.playing(t, a)
		must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "victory", Winners: []gridTeam{gridTeam(i % 2)}}))
	}
	all, err := h.Account.History(ctx, a.ID, 0)
	must(t, err)
	if len(all) != 7 || all[0].Num < all[6].Num || all[0].Map != "Ford" || all[0].Outcome != model.Won || all[1].Outcome != model.Lost {
		t.Fatalf("history %+v", all)
	}
	for _, p := range all {
		must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
			m, err := tx.Matches.Get(p.Match)
			if err == nil && (m.Spec.Lobby != p.Lobby || p.Lobby == "" || m.Spec.Map.ID != p.MapID || !reflect.DeepEqual(m.Spec.Options, p.Options)) {
				t.Errorf("to play it again: lobby %v, map %q, options %+v", p.Lobby, p.MapID, p.Options)
			}
			return err
		}))
	}
	rest, err := h.Account.History(ctx, a.ID, all[4].Num)
	must(t, err)
	if len(rest) != 2 || rest[0].Num != all[5].Num {
		t.Fatalf("second page %+v", rest)
	}
	for i := range 5 {
		n := room.NewLobby{Name: fmt.Sprintf("50%%_off %d", i)}
		if i == 0 {
			n.Password = "open sesame"
		}
		h.NewLobby(t, h.NewGuest(t, fmt.Sprint("host ", i)), n)
	}
	for _, c := range []struct {
		f model.LobbyFilter
		n int
	}{
		{model.LobbyFilter{Query: "50%_OFF", Limit: 10}, 5},
		{model.LobbyFilter{Query: "50x_off", Limit: 10}, 0},
		{model.LobbyFilter{Query: "5__", Limit: 10}, 0},
		{model.LobbyFilter{Query: "RING", Limit: 10}, 5},
		{model.LobbyFilter{Query: "off", Public: true, Limit: 10}, 4},
		{model.LobbyFilter{States: []model.State{model.Ended}, Limit: 10}, 1},
		{model.LobbyFilter{HasRoom: true, Limit: 10}, 5},
		{model.LobbyFilter{Limit: 3}, 3},
	} {
		list, err := h.Room.Lobbies(ctx, c.f)
		must(t, err)
		if len(list) != c.n {
			t.Fatalf("%+v found %d", c.f, len(list))
		}
	}
	first, err := h.Room.Lobbies(ctx, model.LobbyFilter{Limit: 3})
	must(t, err)
	second, err := h.Room.Lobbies(ctx, model.LobbyFilter{Limit: 3, Before: first[2].Num})
	must(t, err)
	if len(second) != 3 || second[0].Num >= first[2].Num {
		t.Fatal("pages overlap")
	}
	accounts, err := h.admin().Accounts(ctx, model.AccountFilter{Query: "HOST", Limit: 3})
	must(t, err)
	more, err := h.admin().Accounts(ctx, model.AccountFilter{Query: "host", After: model.LoginKey(accounts[2].Name), Limit: 3})
	must(t, err)
	if len(accounts) != 3 || len(more) != 2 {
		t.Fatalf("accounts: %d and %d", len(accounts), len(more))
	}
}

func cancelled(t *testing.T, h *Harness, _ func() db.Store) {
	gone, cancel := context.WithCancel(ctx)
	cancel()
	for range 20 {
		if _, _, err := h.Account.Guest(gone, Home, "nobody"); err == nil {
			t.Fatal("a cancelled request was done")
		}
	}
	// In the middle of a transaction: it leaves no trace, and the store works on.
	for range 20 {
		middle, cancel := context.WithCancel(ctx)
		err := h.Store.Write(middle, func(tx *db.Tx) error {
			if err := tx.Nodes.SetDraining(true); err != nil {
				return err
			}
			cancel()
			_, err := tx.Nodes.State()
			return err
		})
		if err == nil {
			t.Fatal("a cancelled transaction was kept")
		}
	}
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		state, err := tx.Nodes.State()
		if state.Draining {
			t.Fatal("half of a cancelled transaction was kept")
		}
		return err
	}))
	h.NewGuest(t, "somebody")
}

func rolledBack(t *testing.T, h *Harness, _ func() db.Store) {
	nope := errors.New("no")
	err := h.Store.Write(ctx, func(tx *db.Tx) error {
		if err := tx.Accounts.Add(model.Account{ID: "a", Name: "ghost", Guest: true}); err != nil {
			return err
		}
		return nope
	})
	if !errors.Is(err, nope) {
		t.Fatal(err)
	}
	err = h.Store.Read(ctx, func(tx *db.Tx) error {
		_, err := tx.Accounts.Get("a")
		return err
	})
	if !errors.Is(err, model.ErrNotFound) {
		t.Fatalf("account of a refused transaction: %v", err)
	}
	if err := h.Store.Read(ctx, func(tx *db.Tx) error {
		return tx.Accounts.Add(model.Account{ID: "a", Name: "ghost", Guest: true})
	}); err == nil {
		t.Fatal("Read wrote")
	}
	if err := h.Store.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Lobbies.Lock("none")
		return err
	}); !errors.Is(err, model.ErrNotFound) {
		t.Fatalf("missing lobby: %v", err)
	}
}

func counters(t *testing.T, h *Harness, _ func() db.Store) {
	count := func(n int, now time.Time) (v int) {
		must(t, h.Store.Write(ctx, func(tx *db.Tx) (err error) {
			v, _, err = tx.Throttle.Count("k", n, now, time.Minute)
			return err
		}))
		return v
	}
	now := h.Now()
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() { count(1, now) })
	}
	wg.Wait()
	if v := count(-1, now); v != 29 {
		t.Fatalf("30 and -1 make %d", v)
	}
	if v := count(1, now.Add(time.Minute)); v != 1 {
		t.Fatalf("a new window begins with %d", v)
	}
}

func purge(t *testing.T, h *Harness, _ func() db.Store) {
	a, token, err := h.Account.Guest(ctx, Home, "brief")
	must(t, err)
	l := h.NewLobby(t, a, room.NewLobby{})
	must(t, h.Room.Chat(ctx, l.ID, a.ID, "long ago"))
	h.Step(2 * time.Hour)
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error { return tx.Purge(h.Now()) }))
	if u, err := h.Hub.Updates(ctx, l.ID, a.ID, 1); err != nil || len(u.Events) != 0 || u.Lobby == nil || u.Seq != u.Lobby.Seq {
		t.Fatalf("resumed after the events are gone: %+v, %v", u, err)
	}
	_, err = h.Room.Leave(ctx, l.ID, a.ID)
	must(t, err)
	h.Step(31 * 24 * time.Hour)
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error { return tx.Purge(h.Now()) }))
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		if _, err := tx.Lobbies.Get(l.ID); !errors.Is(err, model.ErrNotFound) {
			t.Fatalf("closed lobby: %v", err)
		}
		// Asked as of its birth, it would still be valid: it is gone.
		if _, err := tx.Sessions.Get(model.PlayerRealm, token.Hash(), h.Now().Add(-31*24*time.Hour)); !errors.Is(err, model.ErrNotFound) {
			t.Fatalf("expired session: %v", err)
		}
		_, err := tx.Accounts.Get(a.ID)
		return err // accounts stay
	}))
}

func idle(t *testing.T, h *Harness, _ func() db.Store) {
	a := h.NewGuest(t, "sleeper")
	l := h.NewLobby(t, a, room.NewLobby{})
	h.Step(h.LobbyIdle - time.Minute)
	h.Tick(t)
	if _, err := h.Play.Lobby(ctx, l.ID); err != nil {
		t.Fatalf("closed too soon: %v", err)
	}
	h.Step(2 * time.Minute)
	h.Tick(t)
	_, err := h.Play.Lobby(ctx, l.ID)
	want(t, err, model.NotFound)
	_, _, in, err := h.Account.Me(ctx, a.ID)
	if err != nil || in != "" {
		t.Fatalf("sits in %q, %v", in, err)
	}
}
