package match

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// lobbyDoor is a doorman that uses tickets up and notes its calls.
type lobbyDoor struct {
	doorman
	mu       sync.Mutex
	redeemed []string
	released []string // account and code
	from     []netip.Addr
	resume   error // Resume's answer
}

func (d *lobbyDoor) Redeem(ctx context.Context, ticket string, from netip.Addr) (Seat, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if slices.Contains(d.redeemed, ticket) {
		return Seat{}, &link.Refusal{Code: "ticket_used", Text: "used"}
	}
	d.redeemed, d.from = append(d.redeemed, ticket), append(d.from, from)
	return d.doorman.Redeem(ctx, ticket, from)
}

func (d *lobbyDoor) Resume(_ context.Context, _ Seat, from netip.Addr) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.from = append(d.from, from)
	return d.resume
}

func (d *lobbyDoor) Release(_ context.Context, seat Seat, why *link.Refusal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.released = append(d.released, seat.Account+" "+why.Code)
}

func (d *lobbyDoor) answer(resume error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.resume = resume
}

// guarded is a harness of two players behind a lobbyDoor.
func guarded(t *testing.T) (*serviceHarness, *lobbyDoor) {
	a, d := newServiceHarness(t, 48, 0, 1), &lobbyDoor{}
	a.service.cfg.Admitter = d // the service has not asked it yet
	return a, d
}

func ticketFor(slot int) string { return fmt.Sprint(matchID, " ", slot) }

// closed waits for the end of a client's connection and returns why it ended.
func (a *serviceHarness) closed(c *pipeClient) string {
	a.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; {
		select {
		case <-c.served:
			for c.closing == nil {
				c.read() // the earlier messages
			}
			return c.closing.Code
		case <-time.After(200 * time.Microsecond):
			if a.live != nil { // a match that was not recovered has no ticks
				a.tick()
			}
		}
		if time.Now().After(end) {
			a.t.Fatal("the connection does not end")
		}
	}
}

// Errors before the check of the ticket do not use it up.
func TestABadFirstMessageCostsNoTicket(t *testing.T) {
	a, door := guarded(t)
	ticket := ticketFor(0)
	for name, f := range map[string]struct {
		frame *pb.ClientFrame
		code  string
	}{
		"no hello":          {&pb.ClientFrame{Applied: 1}, "no_hello"},
		"another protocol":  {&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol + 1, Ticket: ticket}}, "version"},
		"a broken message":  {nil, "bad_message"},
		"an empty hello":    {&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol}}, "no_ticket"},
		"a made-up resume":  {&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: ticket, Resume: strings.Repeat("A", 43)}}, "bad_token"},
		"a ticket for sale": {&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: "nothing"}}, "bad_ticket"},
	} {
		near, far := link.Pipe()
		c := a.client(near, false)
		go func() {
			defer close(c.served)
			a.service.Serve(far)
		}()
		a.clients = append(a.clients, c)
		if f.frame == nil {
			if err := near.Write([]byte{0xff, 0xff, 0xff}); err != nil {
				t.Fatal(err)
			}
		} else {
			c.send(f.frame)
		}
		if code := a.closed(c); code != f.code {
			t.Errorf("%s: closed with %q, want %q", name, code, f.code)
		}
	}
	if slices.Contains(door.redeemed, ticket) || len(door.released) != 0 {
		t.Errorf("redeemed %q, released %q", door.redeemed, door.released)
	}
	a.join(0) // the ticket still works
}

// When the match refuses a player with a good ticket, the lobby's seat is freed if the
// match will never take the player, and kept if the match is only over, or elsewhere.
func TestRefusalAndTheSeat(t *testing.T) {
	a, door := guarded(t)
	released := func() string {
		door.mu.Lock()
		defer door.mu.Unlock()
		return strings.Join(door.released, ", ")
	}

	// A seat that there is not.
	c := a.connect(&pb.Hello{Ticket: ticketFor(7)}, 0)
	if code := a.closed(c); code != "no_seat" || released() != "account7 no_seat" {
		t.Errorf("no seat: %q, released %q", code, released())
	}

	// A match that runs elsewhere, or not yet: the seat is kept.
	c = a.connect(&pb.Hello{Ticket: "0190f000-0000-7000-8000-00000000ffff 0"}, 0)
	if code := a.closed(c); code != "no_match" || released() != "account7 no_seat" {
		t.Errorf("no match: %q, released %q", code, released())
	}

	// An account that was kicked between its ticket and its seat.
	a.ask(func() error {
		return a.service.End(context.Background(), "account1", Ending{Match: matchID, ForGood: true, Why: link.Refusal{Code: "kicked", Text: "out"}})
	})
	c = a.connect(&pb.Hello{Ticket: ticketFor(1)}, 0)
	if code := a.closed(c); code != "kicked" || released() != "account7 no_seat, account1 kicked" {
		t.Errorf("kicked: %q, released %q", code, released())
	}

	// A client that hangs up right after its ticket has had its seat, and may come back
	// to it.
	c = a.connect(&pb.Hello{Ticket: ticketFor(0)}, 0)
	c.pipe.Close()
	a.until(func() bool { st := a.service.Matches()[0].Seats[0]; return st.Account == "account0" && !st.Connected })
	if released() != "account7 no_seat, account1 kicked" {
		t.Errorf("a client that hung up: released %q", released())
	}
}

// A match that is over keeps all seats in the lobby, for the next one.
func TestAnEndedMatchReleasesNobody(t *testing.T) {
	a, door := guarded(t)
	first := a.join(0)
	first.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_SURRENDER})
	a.until(func() bool { return a.service.Matches()[0].State == "ended" })
	c := a.connect(&pb.Hello{Ticket: ticketFor(1)}, 0)
	a.asked()
	a.service.Matches()
	if code := a.closed(c); code != codeEnded {
		t.Fatalf("closed with %q", code)
	}
	if len(door.released) != 0 {
		t.Errorf("released %q", door.released)
	}
}

// A refusal keeps a returning player out, and costs it only this socket; a lobby that
// fails to answer keeps no player out.
func TestResumeAsksTheDoor(t *testing.T) {
	a, door := guarded(t)
	c := a.join(0)
	token := c.welcome.Resume
	door.answer(&link.Refusal{Code: "banned_address", Text: "banned for good: flood"})
	other := a.connect(&pb.Hello{Resume: token}, 0)
	if code := a.closed(other); code != "banned_address" {
		t.Fatalf("closed with %q", code)
	}
	if !a.service.Matches()[0].Seats[0].Connected || len(door.released) != 0 {
		t.Errorf("the seat was touched; released %q", door.released)
	}
	door.answer(errors.New("the database is away"))
	back := a.connect(&pb.Hello{Resume: token}, 0)
	a.welcomed(back)
}

// Disconnect closes a socket and keeps the seat and the token; Kick, called
// twice or not, takes both.
func TestDisconnectKeepsTheSeat(t *testing.T) {
	a, _ := guarded(t)
	c := a.join(0)
	token := c.welcome.Resume
	why := link.Refusal{Code: "banned_address", Text: "banned for good: flood"}
	a.ask(func() error { return a.service.End(context.Background(), "", Ending{Match: matchID, Why: why}) })
	if !a.service.Matches()[0].Seats[0].Connected {
		t.Fatal("an empty account is everybody's")
	}
	a.ask(func() error { return a.service.End(context.Background(), "account0", Ending{Match: matchID, Why: why}) })
	if code := a.closed(c); code != why.Code {
		t.Fatalf("closed with %q", code)
	}
	back := a.connect(&pb.Hello{Resume: token}, 0)
	a.welcomed(back)

	for range 2 {
		a.ask(func() error {
			return a.service.End(context.Background(), "account0", Ending{Match: matchID, ForGood: true, Why: link.Refusal{Code: "kicked", Text: "out"}})
		})
	}
	if code := a.closed(back); code != "kicked" {
		t.Fatalf("closed with %q", code)
	}
	c = a.connect(&pb.Hello{Resume: token}, 0)
	if code := a.closed(c); code != "kicked" && code != "no_match" { // no player is left: the match is over
		t.Fatalf("a kicked player comes back: %q", code)
	}
}

// ask runs a call that waits for the match, while the match plays.
func (a *serviceHarness) ask(do func() error) {
	a.t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				a.t.Fatal(err)
			}
			return
		case <-time.After(200 * time.Microsecond):
			a.tick()
		}
	}
}

// until plays ticks until a condition holds.
func (a *serviceHarness) until(holds func() bool) {
	a.t.Helper()
	for end := time.Now().Add(60 * time.Second); !holds(); a.tick() {
		if time.Now().After(end) {
			a.t.Fatal("it does not come to hold")
		}
		time.Sleep(a.breath) // a socket on the way needs time, most tests do not
	}
}

// The door gets the address that Config.Address makes of the request; by default the
// connection's.
func TestTheDoorIsToldTheAddress(t *testing.T) {
	a, door := guarded(t)
	server := serve(a.service)
	defer server.Close()
	dial := func() (*websocket.Conn, *http.Response) {
		t.Helper()
		conn, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return conn, res
	}
	hello := func(conn *websocket.Conn, slot grid.Slot) {
		t.Helper()
		raw, err := proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: ticketFor(int(slot))}})
		if err == nil {
			err = conn.WriteMessage(websocket.BinaryMessage, raw)
		}
		if err != nil {
			t.Fatal(err)
		}
		a.until(func() bool { return a.service.Matches()[0].Seats[slot].Connected })
	}
	first, _ := dial()
	defer first.Close()
	hello(first, 0)
	vouched := netip.MustParseAddr("198.51.100.9")
	a.service.cfg.Address = func(*http.Request) netip.Addr { return vouched }
	second, _ := dial()
	defer second.Close()
	hello(second, 1)

	want := []netip.Addr{netip.MustParseAddr("127.0.0.1"), vouched}
	door.mu.Lock()
	defer door.mu.Unlock()
	if !slices.Equal(door.from, want) {
		t.Errorf("the door was told %v, want %v", door.from, want)
	}
	seats := a.service.Matches()[0].Seats
	if seats[0].Address != want[0] || seats[1].Address != want[1] {
		t.Errorf("the list of matches says %v and %v", seats[0].Address, seats[1].Address)
	}
}
