package match

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// oneAccount is a lobbyDoor that knows one account only, and panics at the
// ticket "panic".
type oneAccount struct{ lobbyDoor }

func (d *oneAccount) Redeem(ctx context.Context, ticket string, from netip.Addr) (Seat, error) {
	if ticket == "panic" {
		panic("planted")
	}
	seat, err := d.lobbyDoor.Redeem(ctx, ticket, from)
	seat.Account = "one"
	return seat, err
}

// counted is a harness of two players whose sockets are counted, its admitter and
// a server for its sockets.
func counted(t *testing.T, changes ...string) (*serviceHarness, *oneAccount, *quota.Ledger, *httptest.Server) {
	t.Helper()
	limits, err := quota.Defaults().Set(changes)
	if err != nil {
		t.Fatal(err)
	}
	a, d := newServiceHarness(t, 48, 0, 1), &oneAccount{}
	l := quota.New(limits)
	a.service.cfg.Admitter, a.service.cfg.Ledger = d, l // the service has not asked them yet
	s := serve(a.service)
	t.Cleanup(s.Close)
	return a, d, l, s
}

// caught has the messages of a socket.
type caught struct {
	conn    *websocket.Conn
	welcome chan *pb.Welcome
	closing chan *pb.Closing // nil if it ended without one
	err     error            // of the end; read it after closing
}

// call opens a socket and says hello.
func call(t *testing.T, s *httptest.Server, hello *pb.Hello) *caught {
	t.Helper()
	conn, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	t.Cleanup(func() { conn.Close() })
	hello.Protocol = wire.Protocol
	b, err := proto.Marshal(&pb.ClientFrame{Hello: hello})
	if err == nil {
		err = conn.WriteMessage(websocket.BinaryMessage, b)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &caught{conn: conn, welcome: make(chan *pb.Welcome, 1), closing: make(chan *pb.Closing, 1)}
	go func() {
		var last *pb.Closing
		for {
			var f pb.ServerFrame
			_, b, err := conn.ReadMessage()
			if err == nil {
				err = proto.Unmarshal(b, &f)
			}
			if err != nil {
				c.err = err
				c.closing <- last
				return
			}
			if f.Welcome != nil {
				c.welcome <- f.Welcome
			}
			last = f.Closing
		}
	}()
	return c
}

// told plays ticks until a socket is welcomed or closed.
func (a *serviceHarness) told(c *caught) (w *pb.Welcome, no *pb.Closing) {
	a.t.Helper()
	a.until(func() bool {
		select {
		case w = <-c.welcome:
		case no = <-c.closing:
		default:
			return false
		}
		return true
	})
	return w, no
}

// The sockets of an account and of the server have limits; the refusal names the limit,
// and no player loses a seat for it.
func TestSocketsAreCounted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ limit, code, text string }{
		{"sockets.account=1", "too_many_sockets", "too many match sockets for your account: at most 1 at once"},
		{"sockets.address=2", "too_many_sockets", "too many match sockets for your address: at most 1 at once"}, // the rest is the reserve
		{"sockets.process=2", "server_full", "too many match sockets for this server: at most 1 at once"},
	} {
		a, door, l, s := counted(t, tt.limit, "sockets.reserve=50")
		first := call(t, s, &pb.Hello{Ticket: ticketFor(0)})
		if w, no := a.told(first); w == nil {
			t.Fatalf("%s: the first was told %v", tt.limit, no)
		}
		if n, early := l.Held(quota.Sockets), l.Held(quota.EarlySockets); n != 1 || early != 0 {
			t.Errorf("%s: with one socket %d are counted, and %d early ones", tt.limit, n, early)
		}
		second := call(t, s, &pb.Hello{Ticket: ticketFor(1)})
		if _, no := a.told(second); no == nil || no.Code != tt.code || no.Text != tt.text || !no.Retry || !websocket.IsCloseError(second.err, websocket.CloseTryAgainLater) {
			t.Errorf("%s: the second was told %v, then %v", tt.limit, no, second.err)
		}
		if len(door.released) != 0 {
			t.Errorf("%s: the seat in the lobby is lost: %q", tt.limit, door.released)
		}
		first.conn.Close()
		a.until(func() bool { return l.Held(quota.Sockets) == 0 && l.Held(quota.EarlySockets) == 0 })
	}
}

// An account at its limit of sockets can still take its own seat over, again and again,
// although the sockets before, whose peers do not close, are still there.
func TestAReplacedSocketIsInNobodysWay(t *testing.T) {
	t.Parallel()
	a, _, l, s := counted(t, "sockets.account=1")
	c := call(t, s, &pb.Hello{Ticket: ticketFor(0)})
	w, no := a.told(c)
	for i := range 6 {
		if w == nil {
			t.Fatalf("socket %d was told %v", i, no)
		}
		c = call(t, s, &pb.Hello{Resume: w.Resume})
		w, no = a.told(c)
	}
	if w, no := a.told(call(t, s, &pb.Hello{Ticket: ticketFor(1)})); w != nil || no == nil || no.Code != "too_many_sockets" {
		t.Errorf("a second seat: %v", no)
	}
	if _, no := a.told(call(t, s, &pb.Hello{Resume: "made up"})); no == nil || no.Code != "bad_token" {
		t.Errorf("a made-up token: %v", no)
	}
	c.conn.Close()
	a.until(func() bool { return l.Held(quota.Sockets) == 0 })
}

// However a connection ends, the ledger gets its count back.
func TestSocketsAreGivenBack(t *testing.T) {
	t.Parallel()
	a, _, l, s := counted(t)
	free := func(when string) {
		t.Helper()
		for end := time.Now().Add(60 * time.Second); l.Held(quota.Sockets)+l.Held(quota.EarlySockets) != 0; a.tick() {
			if time.Now().After(end) {
				t.Fatalf("after %s %d sockets and %d early ones are counted", when, l.Held(quota.Sockets), l.Held(quota.EarlySockets))
			}
		}
	}
	if _, no := a.told(call(t, s, &pb.Hello{Ticket: "nothing"})); no == nil || no.Code != "bad_ticket" {
		t.Errorf("a bad ticket: %v", no)
	}
	free("a refusal")
	if _, no := a.told(call(t, s, &pb.Hello{Ticket: ticketFor(9)})); no == nil || no.Code != "no_seat" {
		t.Errorf("no such seat: %v", no)
	}
	free("a refusal of the match")
	a.told(call(t, s, &pb.Hello{Ticket: "panic"}))
	free("a panic")
	if w, _ := a.told(call(t, s, &pb.Hello{Ticket: ticketFor(0)})); w == nil {
		t.Fatal("no welcome")
	}
	a.ask(func() error {
		return a.service.End(context.Background(), "one", Ending{Match: matchID, ForGood: true, Why: link.Refusal{Code: "kicked", Text: "out"}})
	})
	free("a kick")
	if w, _ := a.told(call(t, s, &pb.Hello{Ticket: ticketFor(1)})); w != nil {
		t.Fatal("welcome after a kick")
	}
	free("a kick before the seat")
	if res, err := http.Get(s.URL); err != nil || res.StatusCode != http.StatusBadRequest {
		t.Errorf("no upgrade: %v, %v", res, err)
	} else {
		res.Body.Close()
	}
	free("a request that is no upgrade")
}

// A registered account finds room where guests are refused.
func TestKnownAccountsHaveTheReserve(t *testing.T) {
	s := New(Config{})
	defer s.Close()
	limits, err := quota.Defaults().Set([]string{"sockets.process=2", "sockets.reserve=50"})
	if err != nil {
		t.Fatal(err)
	}
	s.cfg.Ledger = quota.New(limits)
	take := func(account string, known bool) error {
		return s.count(&caller{counted: true}, Seat{Account: account, Known: known}, nil)
	}
	if take("guest", false) != nil || take("other guest", false) == nil || take("known", true) != nil || take("other known", true) == nil {
		t.Errorf("%d sockets are taken", s.cfg.Ledger.Held(quota.Sockets))
	}
	if err := s.count(&caller{}, Seat{Account: "bot"}, nil); err != nil {
		t.Errorf("one who is not counted: %v", err)
	}
	seat := Seat{Match: matchID, Slot: grid.NoSlot, Account: matchID, Known: true, Spectator: true, Eyes: grid.NoTeam, Delay: spec.SpectatorDelayMax}
	token := s.newToken(seat)
	if got, ok := s.seatOf(token); !ok || got != seat {
		t.Errorf("a token for %+v", got)
	}
	hello, err := proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Resume: token}})
	if err == nil {
		_, err = wire.DecodeClient(hello)
	}
	if err != nil {
		t.Errorf("a token of %d bytes: %v", len(token), err)
	}
}

// Requests for sockets have a limit, and so have sockets that have not said hello. A
// request beyond a limit is refused before a websocket is made.
func TestHandshakesAreCounted(t *testing.T) {
	_, door, l, s := counted(t, "handshakes.address=6", "handshakes.reserve=0", "early-sockets.address=2", "early-sockets.reserve=0")
	dial := func() (int, string) {
		c, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil)
		if err == nil {
			t.Cleanup(func() { c.Close() })
		}
		b, _ := io.ReadAll(res.Body)
		return res.StatusCode, strings.TrimSpace(string(b))
	}
	for i := range 8 {
		status, text := dial()
		switch {
		case i < 2:
			if status != http.StatusSwitchingProtocols {
				t.Errorf("socket %d: %d %s", i, status, text)
			}
		case i < 6:
			if status != http.StatusTooManyRequests || text != "too many sockets that have not said hello for your address: at most 2 at once" {
				t.Errorf("socket %d: %d %s", i, status, text)
			}
		default:
			if status != http.StatusTooManyRequests || text != "too many connection attempts to a match for your address: at most 6 in a minute" {
				t.Errorf("socket %d: %d %s", i, status, text)
			}
		}
	}
	if n := l.Held(quota.EarlySockets); n != 2 || len(door.redeemed) != 0 {
		t.Errorf("%d early sockets, and the lobby was asked for %q", n, door.redeemed)
	}
}
