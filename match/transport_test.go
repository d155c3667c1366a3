package match

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// serve serves as the server does, with sockets that can be written to without waiting.
func serve(h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Listener = listen.Listener(s.Listener, nil, nil, false, false)
	s.Start()
	return s
}

// A real socket whose peer does not read costs no player a tick, and does not delay the
// server's end for long: whether the match writes to it, or its writer does, as behind a
// foreign listener.
func TestAStuckSocketHoldsUpNobody(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(net.Listener) net.Listener{
		"the server's listener": func(l net.Listener) net.Listener { return listen.Listener(l, nil, nil, false, false) },
		"another":               func(l net.Listener) net.Listener { return l },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stuckSocket(t, of)
		})
	}
}

// tight is a listener whose connections hold as little as the kernel lets them. A quiet
// match needs ten minutes to fill a usual connection.
type tight struct{ net.Listener }

type tightConn struct{ *net.TCPConn }

func (l tight) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return tightConn{c.(*net.TCPConn)}, nil
}

func (c tightConn) SetWriteBuffer(int) error { return c.TCPConn.SetWriteBuffer(1) }

func stuckSocket(t *testing.T, of func(net.Listener) net.Listener) {
	a := newServiceHarness(t, 64, 0, 1)
	server := httptest.NewUnstartedServer(a.service)
	server.Listener = of(tight{server.Listener})
	server.Start()
	defer server.Close()
	dialer := websocket.Dialer{NetDial: func(network, address string) (net.Conn, error) {
		c, err := net.Dial(network, address)
		if err == nil {
			err = c.(*net.TCPConn).SetReadBuffer(1 << 10)
		}
		return c, err
	}}
	c, r, err := dialer.Dial("ws"+strings.TrimPrefix(server.URL, "http")+"/ws", http.Header{})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	defer c.Close()
	hello, err := proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: matchID + " 0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.WriteMessage(websocket.BinaryMessage, hello); err != nil {
		t.Fatal(err)
	}
	a.asked()
	a.tick()
	other := a.join(1)
	stuck := a.live.seats.all[0].conn
	again := mustMarshal(&pb.ClientFrame{Resync: true})
	for a.live.seats.all[0].conn == stuck {
		if a.live.world.Tick() > grid.Tick(600*a.live.rate) {
			t.Fatal("it is still there")
		}
		_ = c.WriteMessage(websocket.BinaryMessage, again) // whole snapshots fill a connection sooner
		a.tick()
		if f := other.read(); f.Diff.Span != 1 {
			t.Fatalf("the other notices: a frame over %d ticks", f.Diff.Span)
		}
	}
	t.Logf("let go at tick %d", a.live.world.Tick())
	began := time.Now()
	a.service.Close()
	if took := time.Since(began); took > link.StopWait+30*time.Second {
		t.Errorf("the service took %v to close", took)
	}
}
