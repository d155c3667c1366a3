package client_test

import (
	"errors"
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// ground is the map of the tests' matches.
func ground() *grid.Map {
	m := grid.NewMap("ground", 32, 32)
	m.Starts = []grid.Tile{{X: 5, Y: 5}, {X: 26, Y: 26}}
	return m
}

// welcome is what a server tells the player of slot 0.
func welcome(resume string) *pb.Welcome {
	return &pb.Welcome{
		MatchId: "match", MapHash: ground().Hash().String(), TickRate: 20, Resume: resume, DyingSightTicks: 40,
		Players: []*pb.Player{{Team: 0}, {Team: 1}}, Types: []*pb.TypeInfo{{Name: "scout", Sight: 8, Speed: 9830}},
	}
}

func encode(f *pb.ServerFrame) []byte {
	b, err := proto.Marshal(f)
	if err != nil {
		panic(err)
	}
	return b
}

// frame is a frame as a server encodes it.
func frame(d *view.Diff) []byte {
	return wire.AppendTeam(wire.AppendClock(nil, d.Tick, d.Span, d.Snapshot), d, wire.Kinds{Players: 2, Types: 1})
}

// A client reads the server's messages one after another and keeps the state.
func Example() {
	c := client.New(client.Config{Map: client.OneMap(ground())})
	hello := c.Hello("a ticket")
	fmt.Println("hello with", hello.Hello.Ticket)

	messages := [][]byte{ // as they come from the server
		encode(&pb.ServerFrame{Welcome: welcome("a token")}),
		frame(&view.Diff{Snapshot: true, Tick: 40, Enter: []view.EnterRow{{Handle: 1, Cell: 5*512 + 80}}}),
		frame(&view.Diff{Span: 1, Enter: []view.EnterRow{{Handle: 2, Owner: 1, Cell: 5*512 + 96}}}),
	}
	for _, b := range messages {
		f, err := c.Receive(b)
		if err != nil {
			fmt.Println(err)
			return
		}
		if f.Welcome != nil {
			fmt.Println("slot", c.Slot(), "on the map", c.Map.Name)
			continue
		}
		for _, h := range c.Replica.Handles() {
			e := c.Replica.Entities[h]
			fmt.Println("tick", c.Tick(), "handle", h, c.Welcome.Types[e.Type].Name, "of player", e.Owner, "at", c.Replica.Pos(e, c.Tick()))
		}
	}
	out := c.Ack() // and orders
	out.Orders = append(out.Orders, &pb.Order{Seq: c.Number(), Kind: pb.OrderKind_ORDER_KIND_STOP, Units: []uint32{1}})
	fmt.Println("applied", out.Applied, "order", out.Orders[0].Seq)
	// Output:
	// hello with a ticket
	// slot 0 on the map ground
	// tick 40 handle 1 scout of player 0 at pos 5152,352
	// tick 41 handle 1 scout of player 0 at pos 5152,352
	// tick 41 handle 2 scout of player 1 at pos 6176,352
	// applied 41 order 1
}

// A client that reconnects goes on with the state that it has.
func ExampleState_Hello() {
	c := client.New(client.Config{Map: client.OneMap(ground())})
	for _, b := range [][]byte{encode(&pb.ServerFrame{Welcome: welcome("a token")}), frame(&view.Diff{Snapshot: true, Tick: 40})} {
		if _, err := c.Receive(b); err != nil {
			fmt.Println(err)
		}
	}
	again := c.Hello("a ticket") // the ticket was used
	fmt.Printf("ticket %q, resume %q, applied %d\n", again.Hello.Ticket, again.Hello.Resume, again.Applied)
	// Output: ticket "", resume "a token", applied 40
}

// A stream that breaks is mended by a snapshot, which the client asks for.
func TestABrokenStreamIsMendedByASnapshot(t *testing.T) {
	c := client.New(client.Config{Map: client.OneMap(ground())})
	if _, err := c.Receive(frame(&view.Diff{Snapshot: true, Tick: 9})); !errors.Is(err, wire.ErrServer) {
		t.Errorf("a frame before the welcome: %v", err)
	}
	take := func(b []byte) error {
		_, err := c.Receive(b)
		return err
	}
	if err := errors.Join(take(encode(&pb.ServerFrame{Welcome: welcome("a")})), take(frame(&view.Diff{Snapshot: true, Tick: 10}))); err != nil {
		t.Fatal(err)
	}
	for range 2 { // what follows a broken frame is refused too
		if err := take(frame(&view.Diff{Span: 1, Leave: []grid.Handle{7}})); !errors.Is(err, client.ErrStream) || !c.Broken() {
			t.Fatalf("a handle leaves that is not held: %v", err)
		}
	}
	if ack := c.Ack(); !ack.Resync || ack.Applied != 0 || c.Hello("").Applied != 0 {
		t.Errorf("a client that lost the stream says %v", ack)
	}
	if err := take(frame(&view.Diff{Snapshot: true, Tick: 20})); err != nil || c.Broken() || c.Tick() != 20 {
		t.Errorf("after the snapshot: tick %d, %v", c.Tick(), err)
	}
	if err := take(frame(&view.Diff{Span: 1, HasHash: true, Hash: 1})); err != nil || !c.MaskDiffers || !c.Ack().Resync || c.Ack().Applied != 21 {
		t.Errorf("another mask: %v, %v", err, c.Ack())
	}
}

// A welcome that the client cannot play by is refused as such.
// Bytes that are no message may have been a frame: what follows builds on it.
func TestUndecodableBytesBreakTheStream(t *testing.T) {
	c := client.New(client.Config{Map: client.OneMap(ground())})
	for _, b := range [][]byte{encode(&pb.ServerFrame{Welcome: welcome("a")}), frame(&view.Diff{Snapshot: true, Tick: 10})} {
		if _, err := c.Receive(b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Receive([]byte{0xff, 0xff}); !errors.Is(err, client.ErrStream) || !errors.Is(err, wire.ErrServer) || !c.Broken() {
		t.Errorf("undecodable bytes: %v, broken %v", err, c.Broken())
	}
	if ack := c.Ack(); !ack.Resync || ack.Applied != 0 || c.Hello("").Applied != 0 {
		t.Errorf("then the client says %v", ack)
	}
	if _, err := c.Receive(frame(&view.Diff{Span: 1})); !errors.Is(err, client.ErrStream) || c.Tick() != 10 {
		t.Errorf("a difference after it: tick %d, %v", c.Tick(), err)
	}
	if _, err := c.Receive(frame(&view.Diff{Snapshot: true, Tick: 20})); err != nil || c.Broken() || c.Tick() != 20 {
		t.Errorf("after a snapshot: tick %d, %v", c.Tick(), err)
	}
}

func TestWelcomesThatDoNotFit(t *testing.T) {
	other := grid.NewMap("other", 32, 32)
	for name, x := range map[string]struct {
		cfg      client.Config
		welcomes []*pb.Welcome
	}{
		"another map":   {client.Config{Map: client.OneMap(other)}, []*pb.Welcome{welcome("a")}},
		"another match": {client.Config{Map: client.OneMap(ground())}, []*pb.Welcome{welcome("a"), {MatchId: "other", Players: welcome("a").Players, Types: welcome("a").Types}}},
		"no such sight": {client.Config{Map: client.OneMap(ground()), DerivesFog: true}, []*pb.Welcome{{
			MatchId: "match", MapHash: ground().Hash().String(), Players: []*pb.Player{{}}, Types: []*pb.TypeInfo{{LevelBonus: 200}},
		}}},
	} {
		c := client.New(x.cfg)
		var err error
		for _, w := range x.welcomes {
			_, err = c.Receive(encode(&pb.ServerFrame{Welcome: w}))
		}
		if !errors.Is(err, client.ErrWelcome) {
			t.Errorf("%s: %v", name, err)
		}
	}
	gone := errors.New("no such map")
	c := client.New(client.Config{Map: func(string) (*grid.Map, error) { return nil, gone }})
	if _, err := c.Receive(encode(&pb.ServerFrame{Welcome: welcome("a")})); !errors.Is(err, gone) || errors.Is(err, client.ErrWelcome) {
		t.Errorf("a map that does not come: %v", err)
	}
}
