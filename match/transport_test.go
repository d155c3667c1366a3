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
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// tcpPair returns two ends of a real connection. The far one takes as little as
// the kernel lets it.
func tcpPair(t *testing.T) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	if far, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if near = <-accepted; near == nil {
		t.Fatal("no connection")
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	if err := far.(*net.TCPConn).SetReadBuffer(1 << 10); err != nil {
		t.Fatal(err)
	}
	return near, far
}

// What nobody reads does not queue up in the kernel for long.
func TestTheKernelHoldsLittle(t *testing.T) {
	near, _ := tcpPair(t)
	boundKernel(near)
	msg, held := make([]byte, 200), 0
	for held < 1<<22 {
		if err := near.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		n, err := near.Write(msg)
		held += n
		if err != nil {
			break
		}
	}
	if most := 8 * kernelBytes; held > most {
		t.Errorf("%d bytes are held for a peer that reads nothing, at most %d are fine", held, most)
	}
	t.Logf("%d bytes are held", held)
}

// A real socket whose peer reads nothing costs nobody a tick, and does not hold
// up the end of the server for long.
func TestAStuckSocketHoldsUpNobody(t *testing.T) {
	a := newArena(t, 64, 0, 1)
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
	if took := time.Since(began); took > stopWait+5*time.Second {
		t.Errorf("the service took %v to close", took)
	}
}
