package postgres_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/lobby/storetest"
	"github.com/fogkeep/fogkeep/match/grid"
)

// TestBackupAndRestore runs the commands of docs/operate/back-up-and-restore.md: pg_dump of a server
// that runs, pg_restore into an empty database, and on with it.
func TestBackupAndRestore(t *testing.T) {
	from, to := pgtest.New(t, ""), pgtest.New(t, "")
	h := storetest.NewHarness(open(t, from))
	a, token, err := h.Account.Register(ctx, storetest.Home, "Ada", "ada@example.org", "difference engine")
	if err != nil {
		t.Fatal(err)
	}
	l, err := h.Room.PlayBot(ctx, storetest.Home, a, model.BotMatchRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Admin.OperatorSession(admin.Operator{Name: "test", UID: "1000"}).Drain(ctx, false); err != nil {
		t.Fatal(err)
	}
	dump := filepath.Join(t.TempDir(), "fogkeep.dump")
	run := func(program string, args ...string) {
		t.Helper()
		path, err := pgtest.Bin(program)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", program, err, out)
		}
	}
	run("pg_dump", "--format=custom", "--file="+dump, "--dbname="+from)
	if info, err := os.Stat(dump); err != nil || info.Size() == 0 {
		t.Fatalf("dump: %v", err)
	}
	// Said after the backup: not in it.
	if err := h.Room.Chat(ctx, l.ID, a.ID, "too late"); err != nil {
		t.Fatal(err)
	}
	run("pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", "--dbname="+to, dump)

	restored := open(t, to) // all migrations are applied already
	h2 := storetest.NewHarness(restored)
	if _, err := h2.Fakes.Start(ctx, model.Spec{Match: l.Match}); err != nil {
		t.Fatal(err)
	}
	s, err := h2.Account.Session(ctx, storetest.Home, token)
	if err != nil || s.Account.Email != "ada@example.org" {
		t.Fatalf("session %+v, %v", s, err)
	}
	if _, _, err := h2.Account.LogIn(ctx, storetest.Home, "Ada", "difference engine"); err != nil {
		t.Fatal(err)
	}
	u, err := h2.Hub.Updates(ctx, l.ID, a.ID, 1)
	if err != nil || len(u.Events) != 0 || u.Lobby == nil {
		t.Fatalf("events %+v, %v", u, err)
	}
	if err := h2.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "victory", Winners: []grid.Team{0}}); err != nil {
		t.Fatal(err)
	}
	h2.NewLobby(t, h2.NewGuest(t, "Newcomer"), room.NewLobby{}) // sequences go on
	if err := restored.Raw(ctx, "DELETE FROM audit"); err == nil {
		t.Fatal("the restored audit can be emptied")
	}
	c, err := pgx.Connect(ctx, to)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	n := 0
	if err := c.QueryRow(ctx, "SELECT COUNT(*) FROM audit").Scan(&n); err != nil || n != 1 {
		t.Fatalf("%d audit rows, %v", n, err)
	}
}
