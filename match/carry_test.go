package match

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// carriers is two nodes with players' listeners. The match runs on the first; the
// second knows that, and carries sockets there.
func carriers(t *testing.T) (a, b *node, at, by *httptest.Server) {
	t.Helper()
	store, spec := newSharedStore(), clusterSpec(t)
	key := []byte("of the cluster")
	limits := budget.New(budget.Defaults())
	a = store.node(t, spec, Config{Carrier: NewCarrier(key, nil), Budget: limits, Address: func(*http.Request) netip.Addr { return netip.MustParseAddr("10.0.0.2") }})
	at = serve(a.service)
	t.Cleanup(at.Close)
	b = store.node(t, spec, Config{
		Carrier: NewCarrier(key, nil), Carry: true, Address: func(*http.Request) netip.Addr { return netip.MustParseAddr("203.0.113.7") },
		Where: func(string) (Place, bool) { return Place{Node: "a", URL: at.URL}, true },
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

// TestNobodyElseCarries: a header that this service did not sign, is old, or is of a
// service without a key, opens no socket. A carried socket is not carried again, and
// without an owner that answers the client is to ask again.
func TestNobodyElseCarries(t *testing.T) {
	a, b, at, by := carriers(t)
	from := netip.MustParseAddr("198.51.100.9")
	good, other := NewCarrier([]byte("of the cluster"), nil), NewCarrier([]byte("of another"), nil)
	dial := func(s *httptest.Server, header ...string) (*websocket.Conn, int) {
		c, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), http.Header{carriedHeader: header})
		if res != nil {
			res.Body.Close()
		}
		if err != nil {
			return nil, res.StatusCode
		}
		t.Cleanup(func() { c.Close() })
		return c, res.StatusCode
	}
	now := time.Now()
	valid := good.header(from, now)
	for name, header := range map[string][]string{
		"another key":  {other.header(from, now)},
		"old":          {good.header(from, now.Add(-2*carriedLast))},
		"of tomorrow":  {good.header(from, now.Add(2*carriedLast))},
		"two":          {valid, valid},
		"cut":          {valid[:len(valid)-1]},
		"no signature": {strings.Split(valid, ".")[0]},
		"nothing":      {""},
	} {
		if _, status := dial(at, header...); status != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, status)
		}
	}
	b.service.cfg.Carrier = nil
	if _, status := dial(by, valid); status != http.StatusBadRequest {
		t.Errorf("without a key: status %d", status)
	}
	b.service.cfg.Carrier = good
	c, status := dial(by, good.header(from, now.Add(-time.Minute))) // clocks a minute apart are no reason
	if c == nil {
		t.Fatalf("status %d", status)
	}
	hello, err := proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: 1, Ticket: ticketFor(0)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.WriteMessage(websocket.BinaryMessage, hello); err != nil {
		t.Fatal(err)
	}
	var f pb.ServerFrame
	if _, msg, err := c.ReadMessage(); err != nil || proto.Unmarshal(msg, &f) != nil || f.Closing == nil || f.Closing.Code != "moved" || f.Closing.Url != "" {
		t.Errorf("carried twice: %v, %v", &f, err)
	}
	at.Close() // the owner is gone
	x := call(t, by, &pb.Hello{Ticket: ticketFor(0)})
	if no := <-x.closing; no == nil || no.Code != "moved" || no.Url != "" {
		t.Errorf("without the owner: %v", no)
	}
	if a.service.Matches()[0].Seats[0].Connected {
		t.Error("somebody has the seat")
	}
}

// TestSocketURL: the address of a server, with and without a path, or that of its
// socket, and nothing else.
func TestSocketURL(t *testing.T) {
	for base, want := range map[string]string{
		"http://10.0.0.1:8080":        "ws://10.0.0.1:8080/ws",
		"https://n1.example.org/fog/": "wss://n1.example.org/fog/ws",
		"wss://n1.example.org/fog/ws": "wss://n1.example.org/fog/ws",
		"file:///etc/passwd":          "",
		"n1.example.org":              "",
	} {
		if got, err := socketURL(base); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", base, got, err)
		}
	}
}
