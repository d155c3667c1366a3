package main

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// TestBannedAddressAtEveryEntry: behind a proxy, a ban of addresses closes the
// sockets and event streams that come from there, lets no ticket and no resume
// token in from there, and costs those who come from elsewhere nothing.
//
// Guards: Admitter.Redeem and Resume look at the address; Config.Address of the
// match service; the janitor closes live sockets and wakes streams; a stream
// asks for its session with the address.
func TestBannedAddressAtEveryEntry(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error", "--trusted-proxies=127.0.0.0/8")
	play, admin := s.url(t, "play"), s.url(t, "admin")
	const there, elsewhere = "198.51.100.9", "192.0.2.7"
	player := guest(t, play, "Ada")
	id := player.playBot("").ID
	// enter presents a hello from an address, and returns the welcome or the
	// code that the socket was closed with.
	enter := func(from string, hello *pb.Hello) (*e2eSocket, *pb.Welcome, string) {
		t.Helper()
		conn := player.from(from).open(hello)
		w, closing := conn.welcome()
		return conn, w, closing.GetCode()
	}
	mine, welcome, _ := enter(there, player.ticket(id))
	if welcome == nil {
		t.Fatal("not welcome before the ban")
	}
	stream := player.from(there).events(id)
	spare := player.ticket(id).Ticket

	adminClient(t, admin, "admin", s.firstPassword(t)).must("POST", "/admin/api/bans", map[string]any{"range": "198.51.100.0/24", "reason": "flood"}, nil)

	if closing := mine.closed(); closing.GetCode() != "banned_address" || !strings.Contains(closing.GetText(), "flood") {
		t.Errorf("the live socket is closed with %q", closing)
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

// events opens a lobby's event stream, waits for its first event, and returns a
// channel that is closed at the stream's end.
func (c *e2eClient) events(lobby string) <-chan struct{} {
	c.t.Helper()
	req, err := http.NewRequest("GET", c.URL+"/api/lobbies/"+lobby+"/events", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header = c.Headers()
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != 200 {
		c.t.Fatalf("events: %v %v", err, res)
	}
	c.t.Cleanup(func() { res.Body.Close() })
	lines, ended := bufio.NewScanner(res.Body), make(chan struct{})
	if !lines.Scan() {
		c.t.Fatal("an empty stream")
	}
	go func() {
		defer close(ended)
		for lines.Scan() {
		}
	}()
	return ended
}
