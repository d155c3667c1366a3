package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// TestSocketAttacks: a stranger's attempts at the socket of the whole server.
// Each line names the guard that it tests.
func TestSocketAttacks(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error")
	play := s.url(t, "play")
	player := guest(t, play, "Ada")
	id := player.playBot("").ID
	dial := func(origin string) (*websocket.Conn, int) {
		t.Helper()
		conn, res, err := websocket.DefaultDialer.Dial(player.Socket(), http.Header{"Origin": {origin}})
		if err != nil && res == nil {
			t.Fatal(err)
		}
		if conn != nil {
			t.Cleanup(func() { conn.Close() })
		}
		return conn, res.StatusCode
	}
	// welcomed presents a hello and reports whether the seat was given.
	welcomed := func(hello *pb.Hello) (*e2eSocket, bool) {
		t.Helper()
		conn := player.open(hello)
		w, _ := conn.welcome()
		return conn, w != nil
	}

	// The origin check: a page of another site opens no socket.
	for _, origin := range []string{"https://evil.example", "null", strings.Replace(play, "127.0.0.1", "127.0.0.2", 1)} {
		if conn, code := dial(origin); conn != nil || code != http.StatusForbidden {
			t.Errorf("a socket from %s: %d", origin, code)
		}
	}
	// No socket takes parameters: a ticket in an address would be in the logs of proxies.
	for _, path := range []string{"", "/replay"} {
		if _, res, err := websocket.DefaultDialer.Dial(player.Socket()+path+"?ticket=x", nil); err == nil || res == nil || res.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s with a parameter: %v, %v", path, res, err)
		}
	}
	first := player.ticket(id).Ticket
	mine, ok := welcomed(&pb.Hello{Ticket: first})
	if !ok {
		t.Fatal("the ticket does not let its owner in")
	}
	// Tickets are used once.
	if _, again := welcomed(&pb.Hello{Ticket: first}); again {
		t.Error("a ticket was used twice")
	}
	// Neither a guess nor a session token is a right to a seat, and no attempt has a cost for the seat's player.
	for name, hello := range map[string]*pb.Hello{
		"no right":          {},
		"a guessed ticket":  {Ticket: strings.Repeat("A", 43)},
		"a guessed resume":  {Resume: strings.Repeat("A", 43)},
		"a session":         {Ticket: player.Token},
		"a session, resume": {Resume: player.Token},
		"a used ticket":     {Resume: first},
		"SQL":               {Ticket: "' OR ''='"},
	} {
		if _, in := welcomed(hello); in {
			t.Errorf("%s let somebody in", name)
		}
	}
	for range 3 {
		if f := mine.read(); f.Closing != nil {
			t.Fatalf("the player was thrown out by strangers: %v", f.Closing)
		}
	}
	// A new right of the owner replaces the old socket, as it should.
	if _, in := welcomed(player.ticket(id)); !in {
		t.Error("the owner cannot come back")
	}
}

// TestLiveViewsNeedTheFogRight: every view of a live match from within takes the right
// to look through the fog, whoever asks.
//
// Guards: FogViews and Look in adminRoutes, FogOperation, PastOperation and Look in withInspector.
func TestLiveViewsNeedTheFogRight(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir, "--log-level=error")
	play, admin := s.url(t, "play"), s.url(t, "admin")
	someone := guest(t, play, "")
	game := someone.playBot("")
	logIn := func(name, password string) string {
		t.Helper()
		return adminClient(t, admin, name, password).Token
	}
	at := "--data-dir=" + dir
	viewer := logIn("Val", asJSON(t, "admin", "add", "Val", "--role=viewer", at)["password"].(string))
	chief := logIn("Cho", asJSON(t, "admin", "add", "Cho", "--role=admin", at)["password"].(string))
	seer := logIn("Sue", asJSON(t, "admin", "add", "Sue", "--role=viewer", "--fog", at)["password"].(string))

	inside := "/admin/api/live/matches/" + game.MatchID
	inspect := "/admin/api/inspect/" + game.MatchID
	type row struct {
		path                                string
		nobody, player, viewer, chief, seer int
	}
	rows := []row{
		{inside + "/minimap.png?eyes=all", 401, 401, 403, 403, 200},
		{inside + "/minimap.png?eyes=0", 401, 401, 403, 403, 200},
		{inside + "/traffic", 401, 401, 403, 403, 200},
		{inside + "/trace?slot=0&seconds=1", 401, 401, 403, 403, 200},
		{inspect, 401, 401, 403, 403, 200},
		{inspect + "/state?eyes=all", 401, 401, 403, 403, 200},
		{inspect + "/state?eyes=0", 401, 401, 403, 403, 200},
		{inspect + "/stream?eyes=all", 401, 401, 403, 403, 200},
		{inspect + "/state?eyes=all&team=0", 401, 401, 403, 422, 422}, // moderators look at the past matches of cases
		{inside + "/minimap.png?eyes=all&team=0", 401, 401, 403, 403, 422},
	}
	// All views that the document has, with a request that is wrong in its path and its query.
	var document struct {
		Paths map[string]any `json:"paths"`
	}
	if _, body, _ := get(t, admin+"/admin/api/openapi.json"); json.Unmarshal([]byte(body), &document) != nil {
		t.Fatalf("no document: %s", body)
	}
	for path := range document.Paths {
		path = strings.ReplaceAll(path, "{match}", "no%20match")
		if strings.HasPrefix(path, "/admin/api/inspect/") {
			rows = append(rows, row{path + "?nonsense=1", 401, 401, 403, 422, 422})
		} else if strings.HasPrefix(path, "/admin/api/live/") {
			rows = append(rows, row{path + "?nonsense=1", 401, 401, 403, 403, 422})
		}
	}
	if len(rows) < 24 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, c := range rows {
		for _, who := range []struct {
			name, token string
			want        int
		}{{"nobody", "", c.nobody}, {"a player", someone.Token, c.player}, {"a viewer", viewer, c.viewer}, {"an admin without the right", chief, c.chief}, {"who has it", seer, c.seer}} {
			req, err := http.NewRequest("GET", admin+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+who.token)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != who.want {
				t.Errorf("GET %s by %s: %d, want %d", c.path, who.name, res.StatusCode, who.want)
			}
		}
	}
	for _, path := range []string{inside + "/minimap.png", inside + "/traffic", inspect} {
		if code, _, _ := get(t, play+path); code != 404 {
			t.Errorf("GET %s on the players' listener: %d", path, code)
		}
	}
}
