package server

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// street is a driver of the test's: its clients have an address.
type street struct {
	*link.Process
	dialed atomic.Int32
}

func newStreet() *street { return &street{Process: link.NewProcess()} }

func (s *street) Dial(ctx context.Context) (link.Transport, error) {
	s.dialed.Add(1)
	return s.Process.Dial(ctx)
}

func (s *street) Run(ctx context.Context, serve func(link.Transport, netip.Addr)) error {
	return s.Process.Run(ctx, func(t link.Transport, _ netip.Addr) { serve(t, netip.MustParseAddr("192.0.2.1")) })
}

func (s *street) open(ctx context.Context) (socket.Link, error) {
	t, err := s.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return socket.Over(ctx, t), nil
}

// A program's drivers take the place of the server's: players come by one of its own, within
// the limits of sockets, bots by another, and the server has no websocket.
func TestDriversAreConfigured(t *testing.T) {
	t.Parallel()
	own, bots, open := newStreet(), newStreet(), make(chan *Server, 1)
	cfg := local(t)
	cfg.Limit = []string{"sockets.address=1"}
	cfg.Hooks = Hooks{
		Drivers: map[string]link.Driver{link.DriverSocket: nil, link.DriverProcess: bots, "street": own},
		Ready:   func(s *Server) { open <- s },
	}
	s, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	<-open
	guest := func(name string) bot.Config {
		t.Helper()
		c, err := client.New(s.Addresses().Players)
		if err == nil {
			_, err = c.Guest(ctx, name)
		}
		var l api.Lobby
		if err == nil {
			l, err = c.PlayBot(ctx, api.BotMatchRequest{})
		}
		var ticket api.Ticket
		if err == nil {
			ticket, err = c.SeatTicket(ctx, l.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		return bot.Config{Open: own.open, Ticket: ticket.Ticket, Map: c.Map}
	}
	ada, bob := guest("Ada"), guest("Bob")
	playing, stop := context.WithCancel(ctx)
	frames, played := make(chan grid.Tick, 1), make(chan error, 1)
	go func() {
		ada.Applied = func(at grid.Tick) {
			select {
			case frames <- at:
			default:
			}
		}
		_, err := bot.Play(playing, ada)
		played <- err
	}()
	select {
	case <-frames:
	case err := <-played:
		t.Fatalf("by the program's driver: %v", err)
	}
	second, err := own.open(ctx)
	if err == nil {
		err = second.Send(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: bob.Ticket}})
	}
	var b []byte
	if err == nil {
		b, err = second.Read()
	}
	var f pb.ServerFrame
	if err == nil {
		err = proto.Unmarshal(b, &f)
	}
	if err != nil || f.Closing.GetCode() != "too_many_sockets" {
		t.Errorf("a second connection of the address: %v, %v", &f, err)
	}
	second.Close()
	res, err := http.Get(s.Addresses().Players + "/ws")
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != http.StatusNotFound {
		t.Errorf("the websocket that is off: %s", res.Status)
	}
	eventually.Holds(t, "both bots come by their driver", func() bool { return bots.dialed.Load() == 2 })
	stop()
	<-played
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	for name, d := range map[string]link.Driver{link.DriverSocket: own, "street": nil, link.DriverProcess: struct{ link.Driver }{own}} {
		cfg.Hooks.Drivers = map[string]link.Driver{name: d}
		if _, err := New(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "driver ") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
