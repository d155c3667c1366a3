package match

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

func TestMain(m *testing.M) {
	shareFrom = 0
	goleak.VerifyTestMain(m)
}

// doorman admits the bearer of the ticket "<match>/<slot>", once.
type doorman struct {
	mu   sync.Mutex
	used map[string]bool
	bots grid.SlotSet // they have no account
}

func doormanOf(spec *Spec) *doorman {
	d := &doorman{used: map[string]bool{}}
	for slot, p := range spec.Seats {
		if p.Bot {
			d.bots = d.bots.With(grid.Slot(slot))
		}
	}
	return d
}

func (d *doorman) Redeem(_ context.Context, ticket string, _ netip.Addr) (Seat, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var id string
	if seat, ok := watchTicket(ticket); ok {
		return seat, nil
	}
	var slot int
	if n, _ := fmt.Sscanf(ticket, "%36s %d", &id, &slot); n != 2 || d.used[ticket] {
		return Seat{}, &link.Refusal{Code: "bad_ticket", Text: "no such ticket"}
	}
	seat := Seat{Match: id, Slot: grid.Slot(slot), Account: fmt.Sprint("account", slot)}
	if d.bots.Has(seat.Slot) {
		seat.Account = ""
	}
	return seat, nil
}

func (d *doorman) Resume(context.Context, Seat, netip.Addr) error { return nil }

func (d *doorman) Release(context.Context, Seat, *link.Refusal) {}

// clerk keeps the results it gets, after refusing the first few.
type clerk struct {
	refuse  int
	results chan Result
}

func (c *clerk) Ended(_ context.Context, r Result) error {
	if c.refuse > 0 {
		c.refuse--
		return errors.New("the store is down")
	}
	c.results <- r
	return nil
}

// serviceHarness is a service with a match under a manual clock.
type serviceHarness struct {
	t       *testing.T
	service *Service
	clock   *Manual
	clerk   *clerk
	spec    Spec
	dir     *journal.Dir
	live    *live
	clients []*pipeClient
	breath  time.Duration // between two ticks during a wait: a match that runs much faster than life takes a socket on the way for slow
}

const matchID = "0190f000-0000-7000-8000-000000000001"

// packHash names a pack that no server has.
const packHash = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// flatMap returns a map without features but a start in each corner.
func flatMap(side int) *grid.Map {
	m := grid.NewMap("flat", side, side)
	a, b := int16(8), int16(side-9)
	m.Starts = []grid.Tile{{X: a, Y: a}, {X: b, Y: b}, {X: a, Y: b}, {X: b, Y: a}}
	return m
}

// newServiceHarness starts a match of the given teams, one player each entry.
func newServiceHarness(t *testing.T, side int, teams ...grid.Team) *serviceHarness {
	t.Helper()
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{ID: matchID, Map: flatMap(side), Rules: rules, Seed: 7, EveryTick: true}
	for i, team := range teams {
		spec.Seats = append(spec.Seats, SeatSpec{Name: fmt.Sprint("player ", i), Team: team, Start: i})
	}
	return startServiceHarness(t, spec, Config{})
}

func startServiceHarness(t *testing.T, spec Spec, cfg Config) *serviceHarness {
	t.Helper()
	return startServiceHarnessOn(t, spec, cfg, func(*journal.Dir) {})
}

// startServiceHarnessOn is startServiceHarness with a journal folder that is changed before.
func startServiceHarnessOn(t *testing.T, spec Spec, cfg Config, change func(*journal.Dir)) *serviceHarness {
	t.Helper()
	dir := journaltest.OpenDir(t)
	change(dir)
	a := &serviceHarness{t: t, clock: NewManual(time.Unix(1000, 0)), clerk: &clerk{results: make(chan Result, 1)}, spec: spec, dir: dir}
	cfg.Journals, cfg.Admitter, cfg.Reporter, cfg.Clock = dir, doormanOf(&spec), a.clerk, a.clock
	a.service = New(cfg)
	if err := a.service.Start(spec); err != nil {
		t.Fatal(err)
	}
	a.live = a.service.find(spec.ID)
	t.Cleanup(func() {
		for _, c := range a.clients {
			c.pipe.Close()
		}
		a.service.Close()
		for _, c := range a.clients {
			<-c.served
		}
	})
	return a
}

// tick lets the match play one tick.
func (a *serviceHarness) tick() bool { return a.clock.Tick(a.live.done) }

// pipeClient is a player at the other end of a pipe.
type pipeClient struct {
	t       *testing.T
	pipe    link.Transport
	welcome *pb.Welcome // of this connection
	*client.State
	answers []*pb.Answer
	closing *pb.Closing
	bytes   int
	acked   grid.Tick
	silent  bool          // it never acknowledges a frame
	heard   func([]byte)  // each message, as it comes
	served  chan struct{} // closed once the server is done with the connection
}

// client returns a client at the near end of a pipe.
func (a *serviceHarness) client(near link.Transport, derives bool) *pipeClient {
	return &pipeClient{
		t: a.t, pipe: near, served: make(chan struct{}),
		State: client.New(client.Config{Map: client.OneMap(a.spec.Map), DerivesFog: derives}),
	}
}

// connect opens a connection and sends the hello; the welcome comes with the
// next tick.
func (a *serviceHarness) connect(hello *pb.Hello, applied grid.Tick) *pipeClient {
	near, far := link.Pipe()
	c := a.client(near, hello.DerivesFog)
	go func() {
		defer close(c.served)
		a.service.Serve(far)
	}()
	a.clients = append(a.clients, c)
	hello.Protocol = wire.Protocol
	c.send(&pb.ClientFrame{Hello: hello, Applied: uint32(applied)})
	return c
}

// join connects with a ticket and plays ticks until the welcome is there.
func (a *serviceHarness) join(slot grid.Slot) *pipeClient {
	a.t.Helper()
	c := a.connect(&pb.Hello{Ticket: fmt.Sprintf("%s %d", a.spec.ID, slot)}, 0)
	a.welcomed(c)
	return c
}

func (a *serviceHarness) welcomed(c *pipeClient) {
	a.t.Helper()
	a.asked()
	a.tick()
	c.read()
	if c.welcome == nil {
		a.t.Fatalf("no welcome but %v", c.closing)
	}
	c.read() // that tick's frame
}

// asked waits until a request that is on its way has reached the match.
func (a *serviceHarness) asked() { a.requested(1) }

// requested waits until n requests have reached the match.
func (a *serviceHarness) requested(n int) {
	a.t.Helper()
	came := 0
	eventually.Holds(a.t, fmt.Sprintf("%d requests", n), func() bool { came = len(a.live.requests.queue); return came >= n }, &came)
}

func (c *pipeClient) send(f *pb.ClientFrame) {
	c.t.Helper()
	b, err := proto.Marshal(f)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.pipe.Write(b); err != nil {
		c.t.Fatal(err)
	}
	// A manual clock runs ahead of readers; let this one take its message.
	for p := c.pipe.(*link.PipeEnd); len(p.Out) > 0; {
		select {
		case <-p.Closed:
			return
		case <-time.After(50 * time.Microsecond):
		}
	}
}

// order sends one order and returns its number.
func (c *pipeClient) order(o *pb.Order) uint32 {
	c.t.Helper()
	o.Seq = c.Number()
	c.send(&pb.ClientFrame{Orders: []*pb.Order{o}, Applied: uint32(c.Tick())})
	return o.Seq
}

// read takes in the next message and returns its frame.
func (c *pipeClient) read() *wire.ServerFrame {
	c.t.Helper()
	b, err := c.pipe.Read()
	if err != nil {
		c.t.Fatalf("read: %v", err)
	}
	c.bytes += len(b)
	if c.heard != nil {
		c.heard(b)
	}
	f, err := c.Receive(b)
	if err != nil {
		c.t.Fatal(err)
	}
	switch {
	case f.Welcome != nil:
		c.welcome = f.Welcome
	case f.Closing != nil:
		c.closing = f.Closing
	case f.Waiting != nil:
	default:
		if c.MaskDiffers {
			c.t.Fatalf("tick %d: the mask is another", c.Tick())
		}
		c.answers = append(c.answers, f.Answers...)
		if c.Tick()-c.acked >= 8 && !c.silent {
			c.acked = c.Tick()
			c.send(&pb.ClientFrame{Applied: uint32(c.Tick())})
		}
	}
	return f
}

// readAll takes in the messages that have come.
func (c *pipeClient) readAll() {
	c.t.Helper()
	for p := c.pipe.(*link.PipeEnd); len(p.In) > 0; {
		c.read()
	}
}

// mine returns the handles of the client's own units of a type, sorted.
func (c *pipeClient) mine(typ string) []uint32 {
	var out []uint32
	for _, h := range c.Replica.Handles() {
		e := c.Replica.Entities[h]
		if e.Owner == grid.Slot(c.welcome.Slot) && c.welcome.Types[e.Type].Name == typ {
			out = append(out, uint32(h))
		}
	}
	return out
}
