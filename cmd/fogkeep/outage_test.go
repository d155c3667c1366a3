package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/internal/cli"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// TestMain is the program itself for tests that need one they can kill.
func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "fogkeep":
		main()
	case otherBuild:
		sim.Simulation += "-other"
		main()
	case bench.Name:
		cli.Main(bench.Name, bench.Description, &bench.Commands{})
	}
	pgtest.Main(m)
}

// TestDatabaseLostInAMatch: the match plays on and ends without the database;
// log-ins are told to come again; the result is written when it is back.
func TestDatabaseLostInAMatch(t *testing.T) {
	t.Parallel()
	line := pgtest.NewWire(t, pgtest.New(t, ""))
	s := start(t, t.TempDir(), "--database-url", line.URL, "--log-level=error")
	play := s.url(t, "play")
	player := guest(t, play, "Ada")
	id := player.playBot("").ID
	conn := player.open(player.ticket(id))
	welcome, closing := conn.welcome()
	if welcome == nil {
		t.Fatalf("closed with %v", closing)
	}
	spare := player.ticket(id)

	if code, body, _ := get(t, play+"/readyz"); code != 200 {
		t.Errorf("readyz before: %d %s", code, body)
	}
	line.Set(pgtest.Down)
	healthy(t, play, 503, "unavailable")
	for range 3 { // at least one a second, whatever happens
		conn.read()
	}
	res, err := http.Post(play+"/api/login", "application/json", strings.NewReader(`{"name":"Ada","password":"difference engine"}`))
	if err != nil {
		t.Fatal(err)
	}
	var body api.Problem
	err = json.NewDecoder(res.Body).Decode(&body)
	if res.Body.Close(); err != nil || res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || body.Code != "unavailable" {
		t.Errorf("log-in without a database: %d %v %v, Retry-After %q", res.StatusCode, body, err, res.Header.Get("Retry-After"))
	}
	conn.read()
	// A player who loses the connection now comes back: the token is enough. A ticket is
	// not, since only the database knows it; the server tells its bearer why.
	conn.conn.Close()
	conn = player.open(&pb.Hello{Resume: welcome.GetResume()})
	if w, closing := conn.welcome(); w == nil {
		t.Fatalf("who comes back is closed with %v", closing)
	}
	if _, closing := player.open(spare).welcome(); closing.GetCode() != "unavailable" || strings.Contains(closing.GetText(), "postgres") {
		t.Errorf("a ticket without a database: %v", closing)
	}
	conn.send(&pb.ClientFrame{Orders: []*pb.Order{{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}})
	for conn.read().GetEnded() == nil {
	}

	line.Set(pgtest.Up)
	healthy(t, play, 200, "ok")
	wantWinner(t, player, id)
}

// healthy waits until /readyz answers so: an answer counts for a second. The process lives all the while.
func healthy(t *testing.T, play string, want int, text string) {
	t.Helper()
	var code int
	var body string
	eventually.Holds(t, fmt.Sprintf("/readyz answers %d", want), func() bool {
		var header http.Header
		code, body, header = get(t, play+"/readyz")
		return code == want && strings.Contains(body, text) && (want == 200 || header.Get("Retry-After") != "")
	}, &code, &body)
	if code, body, _ := get(t, play+"/livez"); code != 200 {
		t.Errorf("livez: %d %s", code, body)
	}
}

// wantWinner waits until the lobby of a match against a bot has the bot's victory.
func wantWinner(t *testing.T, player *e2eClient, id string) {
	t.Helper()
	var l api.Lobby
	var err error
	eventually.Holds(t, "the lobby has the result", func() bool {
		l, err = player.Lobby(t.Context(), id)
		return err == nil && l.State == "ended" && l.Result != nil
	}, &l, &err)
	if len(l.Result.Winners) != 1 || l.Result.Winners[0] != 1 {
		t.Errorf("result %+v", l.Result)
	}
}

// TestDatabaseDamagedInAMatch: the pages of SQLite are overwritten under a match. /readyz and the log name the damage, the
// match plays on and ends. With a backup in place of the file the next start brings the result.
func TestDatabaseDamagedInAMatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir, "--log-level=error")
	play := s.url(t, "play")
	player := guest(t, play, "Ada")
	id := player.playBot("").ID
	conn := player.open(player.ticket(id))
	if w, closing := conn.welcome(); w == nil {
		t.Fatalf("closed with %v", closing)
	}
	file, backup := filepath.Join(dir, sqlite.FileName), filepath.Join(t.TempDir(), "backup")
	pool, err := sql.Open("sqlite", "file:"+file)
	if err == nil {
		_, err = pool.ExecContext(t.Context(), "VACUUM INTO ?", backup)
		err = errors.Join(err, pool.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, file + "-wal"} {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		const head = 100 // SQLite's own, which names the size of a page
		info, err := f.Stat()
		if err == nil {
			_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, int(max(0, info.Size()-head))), head)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	healthy(t, play, 503, "damaged: restore a backup")
	for range 3 { // at least one per second
		conn.read()
	}
	conn.send(&pb.ClientFrame{Orders: []*pb.Order{{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}})
	for conn.read().GetEnded() == nil {
	}
	s.end(t)
	if !strings.Contains(s.errs.String(), "malformed") {
		t.Errorf("the log does not name the damage:\n%s", s.errs)
	}
	err = errors.Join(os.Remove(file), os.RemoveAll(file+"-wal"), os.RemoveAll(file+"-shm"), os.Rename(backup, file))
	if err != nil {
		t.Fatal(err)
	}
	s = start(t, dir, "--log-level=error")
	wantWinner(t, visitor(t, s.url(t, "play")), id)
}
