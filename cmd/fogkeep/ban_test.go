package main

import (
	"bufio"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// TestBannedAddressAtEveryDoor: behind a proxy, a ban of addresses closes the
// sockets and event streams that come from there, lets no ticket and no resume
// token in from there, and costs those who come from elsewhere nothing.
//
// Guards: Admitter.Redeem and Resume look at the address; Config.Address of the
// match service; the janitor closes live sockets and wakes streams; a stream
// asks for its session with the address.
func TestBannedAddressAtEveryDoor(t *testing.T) {
	s := start(t, t.TempDir(), "--log-level=error", "--trusted-proxies=127.0.0.0/8")
	play, admin := s.url(t, "play"), s.url(t, "admin")
	const there, elsewhere = "198.51.100.9", "192.0.2.7"
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

	// enter presents a hello from an address, and returns the welcome or the
	// code that the socket was closed with.
	enter := func(from string, hello *pb.Hello) (*websocket.Conn, *pb.Welcome, string) {
		t.Helper()
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(play, "http")+"/ws", http.Header{"X-Forwarded-For": {from}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		hello.Protocol = wire.Protocol
		b, err := proto.Marshal(&pb.ClientFrame{Hello: hello})
		if err == nil {
			err = conn.WriteMessage(websocket.BinaryMessage, b)
		}
		if err != nil {
			t.Fatal(err)
		}
		for {
			switch f := frameOf(t, conn); {
			case f.GetWelcome() != nil:
				return conn, f.GetWelcome(), ""
			case f.GetClosing() != nil:
				return conn, nil, f.GetClosing().GetCode()
			}
		}
	}
	mine, welcome, _ := enter(there, &pb.Hello{Ticket: ticket()})
	if welcome == nil {
		t.Fatal("not welcome before the ban")
	}
	stream := socketOf(t, play+"/api/lobbies/"+id+"/events", token, there)
	spare := ticket()

	password := regexp.MustCompile(`admin password +(\S{16,})`).FindStringSubmatch(s.out.String())
	_, _, chief := post(t, admin+"/admin/api/login", "", map[string]any{"name": "admin", "password": password[1], "bearer": true})
	if code, _, body := post(t, admin+"/admin/api/bans", chief["token"].(string), map[string]any{"range": "198.51.100.0/24", "reason": "flood"}); code != 200 {
		t.Fatalf("ban: %d %v", code, body)
	}

	for closing := (*pb.Closing)(nil); closing == nil; {
		if closing = frameOf(t, mine).GetClosing(); closing != nil && (closing.GetCode() != "banned_address" || !strings.Contains(closing.GetText(), "flood")) {
			t.Errorf("the live socket is closed with %q", closing)
		}
	}
	select {
	case <-stream:
	case <-time.After(30 * time.Second):
		t.Error("the event stream goes on")
	}
	if _, _, code := enter(there, &pb.Hello{Ticket: spare}); code != "banned_address" {
		t.Errorf("a ticket from the banned address: %q", code)
	}
	if _, _, code := enter(there, &pb.Hello{Resume: welcome.GetResume()}); code != "banned_address" {
		t.Errorf("a resume token from the banned address: %q", code)
	}
	if _, back, code := enter(elsewhere, &pb.Hello{Resume: welcome.GetResume()}); back == nil {
		t.Errorf("the resume token from elsewhere: %q", code)
	}
	if _, back, code := enter(elsewhere, &pb.Hello{Ticket: spare}); back == nil {
		t.Errorf("the refused ticket from elsewhere: %q", code)
	}
}

// frameOf reads one message of a match's socket.
func frameOf(t *testing.T, conn *websocket.Conn) *pb.ServerFrame {
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

// socketOf opens a lobby's event stream from an address, waits for its first
// event, and returns a channel that is closed at the stream's end.
func socketOf(t *testing.T, url, token, from string) <-chan struct{} {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "X-Forwarded-For": {from}}
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("events: %v %v", err, res)
	}
	t.Cleanup(func() { res.Body.Close() })
	lines, ended := bufio.NewScanner(res.Body), make(chan struct{})
	if !lines.Scan() {
		t.Fatal("an empty stream")
	}
	go func() {
		defer close(ended)
		for lines.Scan() {
		}
	}()
	return ended
}
