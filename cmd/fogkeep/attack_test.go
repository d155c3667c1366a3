package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// TestSocketAttacks: what a stranger can try at the socket of the whole server.
// Each line names the guard that it tests.
func TestSocketAttacks(t *testing.T) {
	s := start(t, t.TempDir(), "--log-level=error")
	play := s.url(t, "play")
	_, _, guest := post(t, play+"/api/guest", "", map[string]any{"bearer": true, "name": "Ada"})
	token, _ := guest["token"].(string)
	_, _, room := post(t, play+"/api/play/bot", token, map[string]any{})
	id, _ := room["id"].(string)
	ticket := func() string {
		t.Helper()
		code, _, body := post(t, play+"/api/lobbies/"+id+"/ticket", token, map[string]any{})
		if code != 200 {
			t.Fatalf("ticket: %d %v", code, body)
		}
		return body["ticket"].(string)
	}
	socket := "ws" + strings.TrimPrefix(play, "http") + "/ws"
	dial := func(origin string) (*websocket.Conn, int) {
		t.Helper()
		conn, res, err := websocket.DefaultDialer.Dial(socket, http.Header{"Origin": {origin}})
		if err != nil && res == nil {
			t.Fatal(err)
		}
		if conn != nil {
			t.Cleanup(func() { conn.Close() })
		}
		return conn, res.StatusCode
	}
	// welcomed presents a hello and reports whether the seat was given.
	welcomed := func(conn *websocket.Conn, hello *pb.Hello) bool {
		t.Helper()
		hello.Protocol = wire.Protocol
		b, err := proto.Marshal(&pb.ClientFrame{Hello: hello})
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.WriteMessage(websocket.BinaryMessage, b); err != nil {
			t.Fatal(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		for {
			_, b, err := conn.ReadMessage()
			if err != nil {
				return false
			}
			var f pb.ServerFrame
			if err := proto.Unmarshal(b, &f); err != nil {
				t.Fatal(err)
			}
			if f.GetWelcome() != nil {
				return true
			}
		}
	}
	plays := func(conn *websocket.Conn) bool {
		_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		_, _, err := conn.ReadMessage()
		return err == nil
	}

	// The origin check: a page of another site opens no socket.
	for _, origin := range []string{"https://evil.example", "null", strings.Replace(play, "127.0.0.1", "127.0.0.2", 1)} {
		if conn, code := dial(origin); conn != nil || code != http.StatusForbidden {
			t.Errorf("a socket from %s: %d", origin, code)
		}
	}
	first := ticket()
	mine, _ := dial(play)
	if !welcomed(mine, &pb.Hello{Ticket: first}) {
		t.Fatal("the ticket does not let its owner in")
	}
	// Tickets are used once.
	if again, _ := dial(play); welcomed(again, &pb.Hello{Ticket: first}) {
		t.Error("a ticket was used twice")
	}
	// Neither a guess nor a session token is a right to a seat, and none of it
	// costs the one who sits there anything.
	for name, hello := range map[string]*pb.Hello{
		"no right":          {},
		"a guessed ticket":  {Ticket: strings.Repeat("A", 43)},
		"a guessed resume":  {Resume: strings.Repeat("A", 43)},
		"a session":         {Ticket: token},
		"a session, resume": {Resume: token},
		"a used ticket":     {Resume: first},
		"SQL":               {Ticket: "' OR ''='"},
	} {
		if other, _ := dial(play); welcomed(other, hello) {
			t.Errorf("%s let somebody in", name)
		}
	}
	for range 3 {
		if !plays(mine) {
			t.Fatal("the player was thrown out by strangers")
		}
	}
	// A new right of the owner replaces the old socket, as it should.
	second, _ := dial(play)
	if !welcomed(second, &pb.Hello{Ticket: ticket()}) {
		t.Error("the owner cannot come back")
	}
}

// TestLiveViewsNeedAnAdmin: the list of live matches takes an admin, and every
// view from within takes the right to look through the fog, whoever asks.
//
// Guards: Require and RequireFog in adminRoutes.
func TestLiveViewsNeedAnAdmin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir, "--log-level=error")
	play, admin := s.url(t, "play"), s.url(t, "admin")
	_, _, guest := post(t, play+"/api/guest", "", map[string]any{"bearer": true})
	player, _ := guest["token"].(string)
	_, _, room := post(t, play+"/api/play/bot", player, map[string]any{})
	logIn := func(name, password string) string {
		t.Helper()
		code, _, body := post(t, admin+"/admin/api/login", "", map[string]any{"name": name, "password": password, "bearer": true})
		if code != 200 {
			t.Fatalf("log-in of %s: %d %v", name, code, body)
		}
		return body["token"].(string)
	}
	at := "--data-dir=" + dir
	viewer := logIn("Val", asJSON(t, "admin", "add", "Val", "--role=viewer", at)["password"].(string))
	chief := logIn("Cho", asJSON(t, "admin", "add", "Cho", "--role=admin", at)["password"].(string))
	seer := logIn("Sue", asJSON(t, "admin", "add", "Sue", "--role=viewer", "--fog", at)["password"].(string))

	list := "/admin/api/live/matches"
	inside := list + "/" + room["matchId"].(string)
	for _, c := range []struct {
		path                                string
		nobody, player, viewer, chief, seer int
	}{
		{list, 401, 401, 200, 200, 200},
		{inside + "/state?eyes=all", 401, 401, 403, 403, 200},
		{inside + "/state?eyes=0", 401, 401, 403, 403, 200},
		{inside + "/minimap.png?eyes=all", 401, 401, 403, 403, 200},
		{inside + "/live?eyes=all", 401, 401, 403, 403, 200},
		{inside + "/traffic", 401, 401, 403, 403, 200},
	} {
		for _, who := range []struct {
			name, token string
			want        int
		}{{"nobody", "", c.nobody}, {"a player", player, c.player}, {"a viewer", viewer, c.viewer}, {"an admin without the right", chief, c.chief}, {"who has it", seer, c.seer}} {
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
	for _, path := range []string{"/admin/api/live/matches", inside} {
		if code, _, _ := get(t, play+path); code != 404 {
			t.Errorf("GET %s on the players' listener: %d", path, code)
		}
	}
}
