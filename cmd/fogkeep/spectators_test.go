package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// onlooker is a client's socket of which only the ticks are of interest.
type onlooker struct {
	t    *testing.T
	conn *websocket.Conn
	tick uint32 // of the last frame
}

// look opens a socket with a hello and reads its first message.
func look(t *testing.T, play string, hello *pb.Hello) (*onlooker, *pb.ServerFrame) {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(play, "http")+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	hello.Protocol = wire.Protocol
	o := &onlooker{t: t, conn: conn}
	o.send(&pb.ClientFrame{Hello: hello})
	return o, o.read()
}

func (o *onlooker) send(f *pb.ClientFrame) {
	o.t.Helper()
	b, err := proto.Marshal(f)
	if err == nil {
		err = o.conn.WriteMessage(websocket.BinaryMessage, b)
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// read reads the next message, and says that it has.
func (o *onlooker) read() *pb.ServerFrame {
	o.t.Helper()
	_ = o.conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	_, b, err := o.conn.ReadMessage()
	if err != nil {
		o.t.Fatalf("the socket: %v", err)
	}
	f := &pb.ServerFrame{}
	if err := proto.Unmarshal(b, f); err != nil {
		o.t.Fatal(err)
	}
	switch {
	case f.Welcome != nil || f.Waiting != nil || f.Closing != nil:
		return f
	case f.Tick != 0:
		o.tick = f.Tick
	default:
		o.tick += max(1, f.Span)
	}
	if o.tick%10 == 0 {
		o.send(&pb.ClientFrame{Applied: o.tick})
	}
	return f
}

// closed reads on until the socket is closed, and returns the code.
func (o *onlooker) closed() string {
	o.t.Helper()
	for {
		if c := o.read().Closing; c != nil {
			return c.Code
		}
	}
}

// TestWatchAMatch: a spectator's way from the lobby to a browser's socket. It is
// as late as the host's option says, gives no orders, changes its eyes with a
// new ticket, and watches no longer once it leaves.
func TestWatchAMatch(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error")
	play := s.url(t, "play")
	ask := func(method, path, token string, body any) map[string]any {
		t.Helper()
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequest(method, play+path, bytes.NewReader(raw))
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
		var out map[string]any
		_ = json.NewDecoder(res.Body).Decode(&out) // empty for some
		if res.StatusCode/100 != 2 {
			t.Fatalf("%s %s: %d %v", method, path, res.StatusCode, out)
		}
		return out
	}
	guest := func(name string) string {
		return ask("POST", "/api/guest", "", map[string]any{"bearer": true, "name": name})["token"].(string)
	}
	host, watcher := guest("Ada"), guest("Bob")
	lobby := "/api/lobbies/" + ask("POST", "/api/lobbies", host, map[string]any{
		"name": "to be watched", "map": "twin-fords", "limit": 2, "options": map[string]any{"spectatorDelay": 3},
	})["id"].(string)
	ask("POST", lobby+"/bots", host, map[string]any{})
	ask("POST", lobby+"/start", host, map[string]any{})
	ask("POST", lobby+"/join", watcher, map[string]any{"spectate": true})
	ticket := func(token string) *pb.Hello {
		t.Helper()
		return &pb.Hello{Ticket: ask("POST", lobby+"/ticket", token, map[string]any{})["ticket"].(string)}
	}

	player, _ := look(t, play, ticket(host))
	var live atomic.Uint32
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			_, b, err := player.conn.ReadMessage()
			if err != nil {
				return
			}
			f := &pb.ServerFrame{}
			if proto.Unmarshal(b, f) != nil || f.Closing != nil {
				return
			}
			if f.Welcome != nil {
				continue
			}
			if f.Tick != 0 {
				live.Store(f.Tick)
			} else {
				live.Add(max(1, f.Span))
			}
			if b, err = proto.Marshal(&pb.ClientFrame{Applied: live.Load()}); err != nil || player.conn.WriteMessage(websocket.BinaryMessage, b) != nil {
				return
			}
		}
	}()
	defer func() { player.conn.Close(); <-done }()

	const late = 60 // ticks
	w, first := look(t, play, ticket(watcher))
	welcome := first.GetWelcome()
	if !welcome.GetSpectator() || welcome.GetTeam() != 255 || welcome.GetSlot() != 255 || welcome.GetDelayTicks() != late {
		t.Fatalf("welcomed as %v", first)
	}
	w.send(&pb.ClientFrame{Orders: []*pb.Order{{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: []uint32{1}}}})
	snapshots, frames, answered, waited := 0, 0, false, false
	for frames < 60 {
		f := w.read()
		if f.Waiting != nil {
			waited = waited || f.Waiting.Ticks > 1 && f.Waiting.Ticks <= late
			continue
		}
		frames++
		if f.Tick != 0 {
			snapshots++
		}
		if f.Own != nil {
			t.Fatalf("told of a player's own: %v", f.Own)
		}
		for _, a := range f.Answers {
			answered = welcome.Codes[a.Code] == "NOT_ALIVE"
		}
		// The player's frame of a tick left before; but a tick without news has
		// none, for up to a second, and it may be read a little later.
		if now := live.Load(); w.tick+late > now+25 {
			t.Fatalf("tick %d is shown at %d", w.tick, now)
		}
	}
	if !waited || !answered || snapshots != 1 {
		t.Errorf("waited %v, the order answered %v, %d snapshots", waited, answered, snapshots)
	}

	ask("PATCH", lobby+"/seat", watcher, map[string]any{"team": 1})
	w2, first := look(t, play, ticket(watcher))
	if first.GetWelcome().GetTeam() != 1 || !first.GetWelcome().GetSpectator() {
		t.Fatalf("with the eyes of a team, welcomed as %v", first)
	}
	if code := w.closed(); code != "replaced" {
		t.Errorf("the first socket is closed with %q", code)
	}
	for w2.tick == 0 {
		w2.read()
	}
	ask("POST", lobby+"/leave", watcher, map[string]any{})
	if code := w2.closed(); code != "not_seated" {
		t.Errorf("who left is closed with %q", code)
	}
	if _, f := look(t, play, &pb.Hello{Resume: first.GetWelcome().GetResume()}); f.GetClosing().GetCode() != "not_seated" {
		t.Errorf("who left comes back: %v", f)
	}
}
