package bot

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func field() *grid.Map {
	m := grid.NewMap("Field", 40, 40)
	m.Starts = []grid.Tile{{X: 6, Y: 6}, {X: 33, Y: 33}}
	m.Resources = []grid.Tile{{X: 9, Y: 6}}
	return m
}

// welcome is the welcome to a match of two on the field.
func welcome() *pb.Welcome {
	return &pb.Welcome{
		Protocol: wire.Protocol, MatchId: "m1", MapHash: field().Hash().String(), TickRate: 20, Slot: 1, Team: 1,
		Players:   []*pb.Player{{Name: "A", Team: 0}, {Name: "B", Team: 1}},
		Codes:     []string{"OK", "STALE"},
		Resources: []string{"ore"},
		Weapons:   []*pb.WeaponInfo{{Name: "rifle", Range: 5000, CooldownTicks: 10, Damage: 9}},
		Types: []*pb.TypeInfo{
			{Name: "worker", Class: pb.TypeClass_TYPE_CLASS_UNIT, Health: 40, Speed: 8000, Worker: true, Cost: []uint32{50}, Builds: []uint32{2, 3}},
			{Name: "soldier", Class: pb.TypeClass_TYPE_CLASS_UNIT, Health: 100, Speed: 9000, Cost: []uint32{75}, Weapons: []uint32{0}},
			{Name: "centre", Class: pb.TypeClass_TYPE_CLASS_STRUCTURE, Health: 1500, Size: 4, Cost: []uint32{400}, Trains: []uint32{0, 5}},
			{Name: "barracks", Class: pb.TypeClass_TYPE_CLASS_STRUCTURE, Health: 800, Size: 3, Cost: []uint32{150}, Trains: []uint32{1}},
			{Name: "ore-field", Class: pb.TypeClass_TYPE_CLASS_RESOURCE, Size: 1},
			{Name: "scout", Class: pb.TypeClass_TYPE_CLASS_UNIT, Health: 60, Speed: 14000, Cost: []uint32{60}, Weapons: []uint32{0}},
		},
		Resume: "token-1",
	}
}

var kinds = wire.Kinds{Players: 2, Types: 6}

// enter is a row of entities that stand; owner -1 is nobody.
func enter(units ...[4]int) []uint32 { // handle, type, owner, tile as y*40+x
	var rows []uint32
	last := 0
	for _, u := range units {
		owner := grid.NoSlot
		if u[2] >= 0 {
			owner = grid.Slot(u[2])
		}
		x, y := u[3]%40, u[3]/40
		cell := (y*16+8)*(16*40) + x*16 + 8
		rows = append(rows, uint32(u[0]-last)*kinds.Count()+kinds.Of(owner, uint16(u[1])), uint32(cell), 0)
		last = u[0]
	}
	return rows
}

// script is a server of our own: each function serves one socket.
type script struct {
	t       *testing.T
	mu      sync.Mutex
	sockets []func(s *side)
	hellos  []*pb.Hello
}

// side is the server's side of one socket.
type side struct {
	t    *testing.T
	conn *websocket.Conn
}

func (s *side) send(f *pb.ServerFrame) {
	b, err := proto.Marshal(f)
	if err != nil {
		s.t.Error(err)
	}
	_ = s.conn.WriteMessage(websocket.BinaryMessage, b) // the client may be gone: then its test says so
}

// read returns the client's next message with orders, nil at the end.
func (s *side) read(want func(*pb.ClientFrame) bool) *pb.ClientFrame {
	for {
		_, b, err := s.conn.ReadMessage()
		if err != nil {
			return nil
		}
		var f pb.ClientFrame
		if err := proto.Unmarshal(b, &f); err != nil {
			s.t.Error(err)
			return nil
		}
		if want(&f) {
			return &f
		}
	}
}

func hasOrders(f *pb.ClientFrame) bool { return len(f.Orders) > 0 }

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if len(s.sockets) == 0 {
		s.mu.Unlock()
		http.Error(w, "no more sockets", http.StatusServiceUnavailable)
		return
	}
	serve := s.sockets[0]
	s.sockets = s.sockets[1:]
	s.mu.Unlock()
	up := websocket.Upgrader{}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer conn.Close()
	end := &side{s.t, conn}
	if hello := end.read(func(f *pb.ClientFrame) bool { return f.Hello != nil }); hello != nil {
		s.mu.Lock()
		s.hellos = append(s.hellos, hello.Hello)
		s.mu.Unlock()
		serve(end)
	}
}

func (s *script) play(c Config) (Result, error) {
	server := httptest.NewServer(s)
	defer server.Close()
	c.Socket, c.Ticket = "ws"+strings.TrimPrefix(server.URL, "http"), "ticket-1"
	if c.Map == nil {
		c.Map = func(context.Context, string) (*grid.Map, error) { return field(), nil }
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return Play(ctx, c)
}

// base is a first frame: a centre, two workers and ore.
func base(tick uint32) *pb.ServerFrame {
	return &pb.ServerFrame{
		Tick: tick, Enter: enter([4]int{1, 2, 1, 33*40 + 33}, [4]int{2, 0, 1, 30*40 + 33}, [4]int{3, 0, 1, 30*40 + 34}, [4]int{7, 4, -1, 28*40 + 30}),
		Own: &pb.Own{Resources: []uint32{400}, Population: proto.Uint32(2), PopulationMax: proto.Uint32(20)},
	}
}

var theEnd = &pb.ServerFrame{Ended: &pb.Ended{Winners: []uint32{1}, Reason: "last-team"}}

func TestPlayToTheEnd(t *testing.T) {
	sent := make(chan *pb.ClientFrame, 1)
	s := &script{t: t, sockets: []func(*side){func(s *side) {
		s.send(&pb.ServerFrame{Welcome: welcome()})
		s.send(base(40))
		sent <- s.read(hasOrders)
		s.send(theEnd)
		s.read(func(*pb.ClientFrame) bool { return false }) // until the client closes
	}}}
	logged := 0
	r, err := s.play(Config{Ordered: func(applied grid.Tick, o *pb.Order) {
		if applied != 40 || o.Seq == 0 {
			t.Errorf("order %v as of tick %d", o, applied)
		}
		logged++
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Won || r.Tick != 41 || r.MatchID != "m1" || r.Ended.Reason != "last-team" || r.Reconnects != 0 || r.Orders != logged {
		t.Errorf("result %+v, %d orders logged", r, logged)
	}
	got := <-sent
	kinds := map[pb.OrderKind][]uint32{}
	for _, o := range got.Orders {
		kinds[o.Kind] = o.Units
		if o.Kind == pb.OrderKind_ORDER_KIND_HARVEST && o.Target != 7 {
			t.Errorf("workers are sent to %d, the ore is 7", o.Target)
		}
	}
	if got.Applied != 40 || len(kinds[pb.OrderKind_ORDER_KIND_HARVEST]) != 2 || len(kinds[pb.OrderKind_ORDER_KIND_TRAIN]) != 1 {
		t.Errorf("as of %d it ordered %v", got.Applied, kinds)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.hellos[0]; h.Ticket != "ticket-1" || h.Resume != "" || h.Protocol != wire.Protocol || h.DerivesFog {
		t.Errorf("hello %v", h)
	}
}

func TestPlayComesBack(t *testing.T) {
	seqs := make(chan uint32, 2)
	second := welcome()
	second.Resume = "token-2"
	s := &script{t: t, sockets: []func(*side){
		func(s *side) {
			s.send(&pb.ServerFrame{Welcome: welcome()})
			s.send(base(40))
			if f := s.read(hasOrders); f == nil {
				seqs <- 0
			} else {
				seqs <- f.Orders[len(f.Orders)-1].Seq
			}
		}, // the connection breaks
		func(s *side) {
			s.send(&pb.ServerFrame{Welcome: second})
			s.send(base(90))
			if f := s.read(hasOrders); f == nil {
				seqs <- 0
			} else {
				seqs <- f.Orders[0].Seq
			}
		}, // and again
		func(s *side) {
			s.send(&pb.ServerFrame{Welcome: second})
			s.send(base(120))
			s.send(theEnd)
			s.read(func(*pb.ClientFrame) bool { return false })
		},
	}}
	r, err := s.play(Config{})
	if err != nil || !r.Won || r.Reconnects != 2 || r.Tick != 121 {
		t.Fatalf("result %+v, %v", r, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hellos[1].Resume != "token-1" || s.hellos[1].Ticket != "" || s.hellos[2].Resume != "token-2" {
		t.Errorf("hellos %v", s.hellos)
	}
	if last, first := <-seqs, <-seqs; last == 0 || first != last+1 {
		t.Errorf("the last order before had number %d, the first after %d", last, first)
	}
}

// A bot follows its match to another server, with the resume token, and comes back
// to the service when that server is gone.
func TestPlayFollowsItsMatch(t *testing.T) {
	second := welcome()
	second.Resume = "token-2"
	other := &script{t: t, sockets: []func(*side){func(s *side) {
		s.send(&pb.ServerFrame{Welcome: second})
		s.send(base(60))
		s.read(hasOrders)
	}}} // the connection breaks, and no other is taken
	there := httptest.NewServer(other)
	defer there.Close()
	closing := &pb.ServerFrame{Closing: &pb.Closing{Code: "moved", Retry: true, Url: there.URL}}
	s := &script{t: t, sockets: []func(*side){
		func(s *side) {
			s.send(&pb.ServerFrame{Welcome: welcome()})
			s.send(base(40))
			s.read(hasOrders)
			s.send(closing)
		},
		func(s *side) { s.send(&pb.ServerFrame{Closing: &pb.Closing{Code: "moved", Retry: true}}) }, // it does not know yet
		func(s *side) {
			s.send(&pb.ServerFrame{Welcome: second})
			s.send(base(90))
			s.send(theEnd)
			s.read(func(*pb.ClientFrame) bool { return false })
		},
	}}
	if r, err := s.play(Config{}); err != nil || !r.Won || r.Tick != 91 {
		t.Fatalf("result %+v, %v", r, err)
	}
	if len(other.hellos) != 1 || other.hellos[0].Resume != "token-1" || other.hellos[0].Ticket != "" {
		t.Errorf("hellos at the other server: %v", other.hellos)
	}
	if last := s.hellos[len(s.hellos)-1]; last.Resume != "token-2" {
		t.Errorf("the last hello: %v", last)
	}
}

// A bot of the server's own stays there: the server that takes its match over has
// others for it.
func TestPlayStays(t *testing.T) {
	s := &script{t: t, sockets: []func(*side){
		func(s *side) { s.send(&pb.ServerFrame{Closing: &pb.Closing{Code: "moved", Retry: true}}) }, // perhaps it comes back
		func(s *side) {
			s.send(&pb.ServerFrame{Welcome: welcome()})
			s.send(&pb.ServerFrame{Closing: &pb.Closing{Code: "moved", Retry: true, Url: "http://127.0.0.1:1"}})
		},
		func(*side) { t.Error("it came back") },
	}}
	if r, err := s.play(Config{Stay: true}); err == nil || !strings.Contains(err.Error(), "moved") || r.Reconnects != 1 {
		t.Errorf("result %+v, %v", r, err)
	}
}

func TestPlayAsksForASnapshot(t *testing.T) {
	s := &script{t: t, sockets: []func(*side){func(s *side) {
		s.send(&pb.ServerFrame{Welcome: welcome()})
		s.send(base(40))
		s.send(&pb.ServerFrame{Leave: []uint32{99}}) // what it never had
		if s.read(func(f *pb.ClientFrame) bool { return f.Resync }) == nil {
			s.t.Error("no snapshot was asked for")
		}
		s.send(&pb.ServerFrame{Leave: []uint32{98}}) // sent before the request arrived: of no meaning
		s.send(base(60))
		s.send(theEnd)
		s.read(func(*pb.ClientFrame) bool { return false })
	}}}
	if r, err := s.play(Config{}); err != nil || !r.Won || r.Tick != 61 || r.Reconnects != 0 {
		t.Fatalf("result %+v, %v", r, err)
	}
}

// A quiet match has a frame a second; each has to be answered, or the server
// thinks that the client is stuck.
func TestPlaySaysWhatItApplied(t *testing.T) {
	s := &script{t: t, sockets: []func(*side){func(s *side) {
		s.send(&pb.ServerFrame{Welcome: welcome()})
		s.send(&pb.ServerFrame{Tick: 40})
		for tick := uint32(60); tick <= 200; tick += 20 {
			s.send(&pb.ServerFrame{Span: 20})
			if s.read(func(f *pb.ClientFrame) bool { return f.Applied >= tick }) == nil {
				s.t.Errorf("tick %d was not said to be applied", tick)
			}
		}
		s.send(theEnd)
		s.read(func(*pb.ClientFrame) bool { return false })
	}}}
	if r, err := s.play(Config{}); err != nil || r.Tick != 201 {
		t.Fatalf("result %+v, %v", r, err)
	}
}

func TestPlayTakesNoForAnAnswer(t *testing.T) {
	s := &script{t: t, sockets: []func(*side){func(s *side) {
		s.send(&pb.ServerFrame{Closing: &pb.Closing{Code: "TICKET_USED", Text: "the ticket was used before"}})
	}}}
	_, err := s.play(Config{})
	if err == nil || err.Error() != "bot: the server closed: the ticket was used before (TICKET_USED)" || len(s.hellos) != 1 {
		t.Errorf("after %d sockets: %v", len(s.hellos), err)
	}
	s = &script{t: t, sockets: []func(*side){func(s *side) { s.send(&pb.ServerFrame{Welcome: welcome()}) }}}
	_, err = s.play(Config{Map: func(context.Context, string) (*grid.Map, error) { return grid.NewMap("other", 40, 40), nil }})
	if err == nil || !strings.Contains(err.Error(), "the match is on map") {
		t.Errorf("another map: %v", err)
	}
}

func TestPlayEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &script{t: t, sockets: []func(*side){func(s *side) {
		s.send(&pb.ServerFrame{Welcome: welcome()})
		cancel()
		s.read(func(*pb.ClientFrame) bool { return false })
	}}}
	server := httptest.NewServer(s)
	defer server.Close()
	_, err := Play(ctx, Config{Socket: "ws" + strings.TrimPrefix(server.URL, "http"), Ticket: "t",
		Map: func(context.Context, string) (*grid.Map, error) { return field(), nil }})
	if err == nil || ctx.Err() == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Error(err)
	}
}

func TestPlaySurvivesRubbish(t *testing.T) {
	s := &script{t: t, sockets: []func(*side){
		func(s *side) { _ = s.conn.WriteMessage(websocket.BinaryMessage, []byte{0xFF, 0xFF, 0xFF}) },
		func(s *side) { _ = s.conn.WriteMessage(websocket.TextMessage, []byte("hello")) },
		func(s *side) { s.send(base(5)) }, // a frame before the welcome
		func(s *side) {
			s.send(&pb.ServerFrame{Welcome: welcome()})
			s.send(base(40))
			s.send(theEnd)
			s.read(func(*pb.ClientFrame) bool { return false })
		},
	}}
	if r, err := s.play(Config{}); err != nil || r.Reconnects != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}
