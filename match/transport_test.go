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

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// A real socket whose peer reads nothing costs nobody a tick, and does not hold
// up the end of the server for long.
func TestAStuckSocketHoldsUpNobody(t *testing.T) {
	a := newServiceHarness(t, 64, 0, 1)
	server := httptest.NewServer(a.service)
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
	stuck := a.live.seats[0].session
	for a.live.seats[0].session == stuck && a.live.world.Tick() < grid.Tick(600*a.live.rate) {
		a.tick()
		if f := other.read(); f.Diff.Span != 1 {
			t.Fatalf("the other notices: a frame over %d ticks", f.Diff.Span)
		}
	}
	began := time.Now()
	a.service.Close()
	if took := time.Since(began); took > link.StopWait+5*time.Second {
		t.Errorf("the service took %v to close", took)
	}
}
