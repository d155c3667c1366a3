package match

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/shared"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// carriers is two nodes with players' listeners. The match runs on the first; the
// second knows that, and carries sockets there.
func carriers(t *testing.T) (a, b *node, at, by *httptest.Server) {
	t.Helper()
	store, spec := newSharedStore(), clusterSpec(t)
	client := netip.MustParseAddr("203.0.113.7")
	limits := quota.New(quota.Defaults())
	a = store.node(t, spec, Config{
		Carry:  func(http.ResponseWriter, *http.Request, string) { t.Error("a match that runs here is carried") },
		Ledger: limits, Address: func(*http.Request) netip.Addr { return netip.MustParseAddr("10.0.0.2") },
	})
	at = serve(a.service.Carried(func(*http.Request) netip.Addr { return client }))
	t.Cleanup(at.Close)
	b = store.node(t, spec, Config{
		Carry: func(w http.ResponseWriter, r *http.Request, node string) {
			to, err := url.Parse(at.URL)
			if err != nil || node != "a" {
				t.Errorf("carried to %s, %v", node, err)
			}
			(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, ErrorLog: log.New(io.Discard, "", 0)}).ServeHTTP(w, r)
		},
		Address: func(*http.Request) netip.Addr { return client },
		Where:   func(string) shared.Whereabouts { return shared.Whereabouts{State: shared.WhereRuns, Node: "a"} },
	})
	b.service.cfg.Admitter = &elsewhereDoor{}
	by = serve(b.service)
	t.Cleanup(by.Close)
	a.breath = 5 * time.Millisecond
	a.starts()
	return a, b, at, by
}

// elsewhereDoor knows that the match of every ticket is elsewhere.
type elsewhereDoor struct{ lobbyDoor }

func (*elsewhereDoor) Redeem(_ context.Context, ticket string, _ netip.Addr) (Seat, error) {
	return Seat{}, &Elsewhere{Match: strings.Fields(ticket)[0]}
}

// TestCarriedSocket: a client whose match runs elsewhere plays through the process it
// came to. The owner counts it by its own address. How the connection ends comes
// through in both directions.
func TestCarriedSocket(t *testing.T) {
	t.Parallel()
	a, b, _, by := carriers(t)
	c := call(t, by, &pb.Hello{Ticket: ticketFor(0)})
	w, no := a.told(c)
	if w == nil {
		t.Fatalf("no welcome but %v", no)
	}
	seat := func() SeatInfo { return a.service.Matches()[0].Seats[0] }
	a.until(func() bool { return seat().Connected })
	if got := seat().Address; got != netip.MustParseAddr("203.0.113.7") {
		t.Errorf("the owner counts the client as %v", got)
	}
	if n := b.service.find(matchID); n != nil {
		t.Error("the match came to the carrier")
	}
	frame, err := proto.Marshal(&pb.ClientFrame{Says: []*pb.Say{{Seq: 1, Text: "hello"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.conn.WriteMessage(websocket.BinaryMessage, frame); err != nil {
		t.Fatal(err)
	}
	orders := func() int {
		n := 0
		for _, r := range a.process.records(matchID) {
			n += strings.Count(string(r), "hello")
		}
		return n
	}
	a.until(func() bool { return orders() == 1 })

	// The client closes: its seat becomes free at once.
	c.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), time.Now().Add(time.Second))
	a.until(func() bool { return !seat().Connected })

	// It comes back, and breaks the protocol: it is told so.
	c = call(t, by, &pb.Hello{Resume: w.Resume})
	if w, no = a.told(c); w == nil {
		t.Fatalf("no welcome but %v", no)
	}
	if err := c.conn.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, no := a.told(c); no == nil || no.Code != "text_message" || !websocket.IsCloseError(c.err, websocket.CloseUnsupportedData) {
		t.Errorf("a text message: %v, %v", no, c.err)
	}
	a.until(func() bool { return !seat().Connected })

	// The match leaves: its client asks again where it came from.
	c = call(t, by, &pb.Hello{Resume: w.Resume})
	if w, no = a.told(c); w == nil {
		t.Fatalf("no welcome but %v", no)
	}
	if err := a.gives(); err != nil {
		t.Fatal(err)
	}
	if no := <-c.closing; no == nil || no.Code != "moved" || no.Url != "" || !websocket.IsCloseError(c.err, websocket.CloseServiceRestart) {
		t.Errorf("a hand over: %v, %v", no, c.err)
	}
	a.takes()

	// It comes back again, and the owner removes it.
	c = call(t, by, &pb.Hello{Resume: w.Resume})
	if w, no = a.told(c); w == nil {
		t.Fatalf("no welcome but %v", no)
	}
	a.ask(func() error {
		return a.service.End(t.Context(), "account0", Ending{Match: matchID, ForGood: true, Why: link.Refusal{Code: "kicked", Text: "out"}})
	})
	if _, no := a.told(c); no == nil || no.Code != "kicked" || !websocket.IsCloseError(c.err, websocket.ClosePolicyViolation) {
		t.Errorf("a kick: %v, %v", no, c.err)
	}
}

// TestCarriedOnce: a carried socket is not carried again. Without an owner that answers
// the client is to ask again, and the owner refuses a client with too many sockets.
func TestCarriedOnce(t *testing.T) {
	a, b, at, by := carriers(t)
	again := serve(b.service.Carried(func(*http.Request) netip.Addr { return netip.Addr{} }))
	t.Cleanup(again.Close)
	asks := func(s *httptest.Server, code string) {
		t.Helper()
		if no := <-call(t, s, &pb.Hello{Ticket: ticketFor(0)}).closing; no == nil || no.Code != code || no.Url != "" {
			t.Errorf("told %v, want %s", no, code)
		}
	}
	asks(again, "moved")
	for who, err := (quota.Payer{Address: netip.MustParseAddr("203.0.113.7")}), error(nil); err == nil; {
		_, err = a.service.cfg.Ledger.Take(quota.EarlySockets, who, 1)
	}
	asks(by, "too_many_sockets")
	at.Close() // the owner is gone
	asks(by, "moved")
	if a.service.Matches()[0].Seats[0].Connected {
		t.Error("somebody has the seat")
	}
}

// TestEarlyBytesAreCarried: a client may send more than its first message before it
// is welcomed, and in pieces. Every byte reaches the owner.
func TestEarlyBytesAreCarried(t *testing.T) {
	a, _, _, by := carriers(t)
	hello, err := proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: ticketFor(0)}})
	if err != nil {
		t.Fatal(err)
	}
	says, err := proto.Marshal(&pb.ClientFrame{Says: []*pb.Say{{Seq: 1, Text: "early"}}})
	if err != nil {
		t.Fatal(err)
	}
	early := &batched{}
	d := websocket.Dialer{NetDialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, to)
		early.Conn = c
		return early, err
	}}
	c, res, err := d.Dial("ws"+strings.TrimPrefix(by.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	defer c.Close()
	early.holds = true
	for _, msg := range [][]byte{hello, says} {
		if err := c.WriteMessage(websocket.BinaryMessage, msg); err != nil {
			t.Fatal(err)
		}
	}
	if err := early.flush(); err != nil {
		t.Fatal(err)
	}
	a.until(func() bool {
		n := 0
		for _, r := range a.process.records(matchID) {
			n += strings.Count(string(r), "early")
		}
		return n == 1
	})
}

// batched is a connection that sends its writes in one piece.
type batched struct {
	net.Conn
	holds bool
	held  []byte
}

func (c *batched) Write(b []byte) (int, error) {
	if !c.holds {
		return c.Conn.Write(b)
	}
	c.held = append(c.held, b...)
	return len(b), nil
}

func (c *batched) flush() error {
	_, err := c.Conn.Write(c.held)
	return err
}
