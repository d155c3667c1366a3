package main

import (
	"encoding/json"
	"fmt"
	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/internal/cli"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby/api"
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
	healthy := func(want int) {
		t.Helper()
		var code int
		var body string
		eventually.Holds(t, fmt.Sprintf("/readyz answers %d", want), func() bool { // an answer counts for a second
			var header http.Header
			code, body, header = get(t, play+"/readyz")
			return code == want && (want == 200 || header.Get("Retry-After") != "" && strings.Contains(body, "unavailable"))
		}, &code, &body)
		if code, body, _ := get(t, play+"/livez"); code != 200 {
			t.Errorf("livez: %d %s", code, body)
		}
	}
	healthy(503)
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
	healthy(200)
	var l api.Lobby
	eventually.Holds(t, "the lobby has the result", func() bool {
		l, err = player.Lobby(t.Context(), id)
		return err == nil && l.State == "ended" && l.Result != nil
	}, &l, &err)
	if len(l.Result.Winners) != 1 || l.Result.Winners[0] != 1 {
		t.Errorf("result %+v", l.Result)
	}
}
