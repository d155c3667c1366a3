package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/pgtest"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// TestMain is the program itself for tests that need one they can kill.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	pgtest.Main(m)
}

// post sends JSON with a bearer token and returns status, header and body.
func post(t *testing.T, url, token string, body any) (int, http.Header, map[string]any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("POST", url, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err = io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	_ = json.Unmarshal(raw, &out) // empty for some
	return res.StatusCode, res.Header, out
}

// TestDatabaseLostInAMatch: the match plays on and ends without the database;
// log-ins are told to come again; the result is written when it is back.
func TestDatabaseLostInAMatch(t *testing.T) {
	t.Parallel()
	line := pgtest.NewWire(t, pgtest.New(t, ""))
	s := start(t, t.TempDir(), "--database-url", line.URL, "--log-level=error")
	play := s.url(t, "play")
	_, _, guest := post(t, play+"/api/guest", "", map[string]any{"bearer": true, "name": "Ada"})
	token, _ := guest["token"].(string)
	_, _, room := post(t, play+"/api/play/bot", token, map[string]any{})
	id, _ := room["id"].(string)
	code, _, ticket := post(t, play+"/api/lobbies/"+id+"/ticket", token, map[string]any{})
	if code != 200 {
		t.Fatalf("ticket: %d %v, lobby %v", code, ticket, room)
	}
	var conn *websocket.Conn
	dial := func() {
		t.Helper()
		var err error
		if conn, _, err = websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(play, "http")+"/ws", nil); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
	}
	dial()
	send := func(f *pb.ClientFrame) {
		t.Helper()
		b, err := proto.Marshal(f)
		if err == nil {
			err = conn.WriteMessage(websocket.BinaryMessage, b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	frame := func() *pb.ServerFrame {
		t.Helper()
		_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		_, b, err := conn.ReadMessage()
		if err != nil {
			t.Fatalf("the match's socket: %v", err)
		}
		f := &pb.ServerFrame{}
		if err := proto.Unmarshal(b, f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	send(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: ticket["ticket"].(string)}})
	var welcome *pb.Welcome
	for welcome == nil {
		welcome = frame().GetWelcome()
	}
	_, _, spare := post(t, play+"/api/lobbies/"+id+"/ticket", token, map[string]any{})

	if code, body, _ := get(t, play+"/healthz"); code != 200 {
		t.Errorf("healthz before: %d %s", code, body)
	}
	line.Set(pgtest.Down)
	healthy := func(want int) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) { // an answer counts for a second
			code, body, header := get(t, play+"/healthz")
			if code == want && (want == 200 || header.Get("Retry-After") != "" && strings.Contains(body, "unavailable")) {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("healthz: %d %s, want %d", code, body, want)
			}
		}
		if code, body, _ := get(t, play+"/livez"); code != 200 {
			t.Errorf("livez: %d %s", code, body)
		}
	}
	healthy(503)
	for range 3 { // at least one a second, whatever happens
		frame()
	}
	code, header, body := post(t, play+"/api/login", "", map[string]any{"name": "Ada", "password": "difference engine"})
	if code != 503 || header.Get("Retry-After") == "" || body["code"] != "unavailable" {
		t.Errorf("log-in without a database: %d %v, Retry-After %q", code, body, header.Get("Retry-After"))
	}
	frame()
	// Who loses its connection now comes back: its token is enough. A ticket is
	// not, since only the database knows it; its bearer is told why.
	conn.Close()
	dial()
	send(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Resume: welcome.GetResume()}})
	for frame().GetWelcome() == nil {
	}
	playing := conn
	dial()
	send(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: spare["ticket"].(string)}})
	if closing := frame().GetClosing(); closing.GetCode() != "unavailable" || strings.Contains(closing.GetText(), "postgres") {
		t.Errorf("a ticket without a database: %v", closing)
	}
	conn = playing
	send(&pb.ClientFrame{Orders: []*pb.Order{{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}})
	for frame().GetEnded() == nil {
	}

	line.Set(pgtest.Up)
	healthy(200)
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		_, text, _ := get(t, play+"/api/lobbies/"+id)
		var l struct {
			State  string
			Result *struct {
				Reason  string
				Winners []int
			}
		}
		if json.Unmarshal([]byte(text), &l) == nil && l.State == "ended" && l.Result != nil {
			if len(l.Result.Winners) != 1 || l.Result.Winners[0] != 1 {
				t.Errorf("result %+v", l.Result)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the result did not come: %s", text)
		}
	}
}
