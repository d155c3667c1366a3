package match

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// vectorMatch is a live match that a test plays by hand in one goroutine, and writes
// down: the messages of each connection, and the journal.
type vectorMatch struct {
	harness
	t       testing.TB
	file    *vectorFile
	clients []*vectorClient
}

// vectorRate is low, so that the files are short.
const vectorRate = 10

func newVectorMatch(t testing.TB, about string, m *grid.Map, change func(*Spec, *Config)) *vectorMatch {
	t.Helper()
	source, err := os.ReadFile(vectorsRules)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := rules.Parse("rules.json", source)
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{
		ID: matchID, Map: m, Rules: rules, Pack: packHash, Seed: 5, TickRate: vectorRate,
		Seats: []SeatSpec{
			{Name: "Ada", Team: 0, Start: 0, Color: 1, Account: "account 0"},
			{Name: "Bo", Team: 1, Start: 1, Color: 2, Account: "account 1"},
			{Name: "Cy", Team: 0, Start: 2, Color: 3, Bot: true},
		},
	}
	cfg := Config{Grace: time.Hour}
	if change != nil {
		change(&spec, &cfg)
	}
	v := &vectorMatch{
		t: t, harness: newHarness(t, t, spec, cfg),
		file: &vectorFile{About: about, Map: m.Marshal(), Seed: spec.Seed, TickRate: spec.TickRate},
	}
	head, err := v.head()
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range head {
		if err := v.log.Append(v.log.next, rec); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func (v *vectorMatch) head() ([][]byte, error) {
	return journal.SetupRecords(journal.Header{Match: v.m.spec.ID, Extra: v.m.spec.Extra()}, v.m.spec.Setup())
}

// done returns the file, once the journal was seen to replay to the match.
func (v *vectorMatch) done() *vectorFile {
	v.t.Helper()
	w, _, err := journal.Replay(func(each func(uint64, []byte) error) error {
		for n, rec := range v.log.records {
			if err := each(uint64(n), rec); err != nil {
				return err
			}
		}
		return nil
	}, func(*sim.World, sim.Outcome) error { return nil })
	if err != nil {
		v.t.Fatal(err)
	}
	for w.Tick() < v.m.world.Tick() && w.Result() == nil { // ticks without anything to note
		w.Step(nil)
	}
	if w.Hash() != v.m.world.Hash() {
		v.t.Fatal("the journal does not replay to the match")
	}
	for _, rec := range v.log.records[3:] {
		r, err := journal.Decode(rec)
		if err != nil {
			v.t.Fatal(err)
		}
		if r.Tick != nil {
			// No client can see the world's hash: a change of the hash alone must not
			// change a vector.
			if r.Tick.Hashed, r.Tick.Hash = false, 0; r.Tick.Empty() {
				continue
			}
			rec = journal.AppendTick(nil, r.Tick)
		}
		v.file.Journal = append(v.file.Journal, rec)
	}
	for _, c := range v.clients {
		if c.messages != nil {
			v.file.Streams = append(v.file.Streams, vectorStream{
				Client: c.name, About: c.about, DerivesFog: c.asks&asksFog != 0, Messages: c.messages,
			})
		}
	}
	return v.file
}

// run plays n ticks.
func (v *vectorMatch) run(n int) {
	v.t.Helper()
	for range n {
		v.step()
	}
}

// until plays until it is so.
func (v *vectorMatch) until(so func() bool) {
	v.t.Helper()
	for last := v.now() + 300; !so(); v.step() {
		if v.now() > last {
			v.t.Fatalf("tick %d: what the match waits for does not come", v.now())
		}
	}
}

func (v *vectorMatch) step() {
	v.t.Helper()
	for _, c := range v.clients {
		c.deliver()
	}
	v.log.synced = v.log.next
	v.elapse()
	v.turn(v.m.end.result != nil)
	for _, c := range v.clients {
		c.take()
	}
}

// asks has the requests of a client's hellos.
type asks uint8

const (
	asksNothing asks = 0
	asksFog     asks = 1 // it derives its fog
	asksPacked  asks = 2 // it reads packed rows
)

func (a asks) hello(h *pb.Hello) *pb.Hello {
	h.Protocol, h.DerivesFog, h.Packed = wire.Protocol, a&asksFog != 0, a&asksPacked != 0
	return h
}

// vectorClient is the far end of a seat's connections.
type vectorClient struct {
	v           *vectorMatch
	name, about string
	asks        asks
	seat        Seat
	unkept      bool // its messages are not written down
	stalled     bool // it takes no messages

	conn     *connection
	read     *vectorReader
	held     any // the state after the last message
	messages []vectorMessage
	queued   []*pb.ClientFrame
	seq      uint32
	told     uint32 // applied
}

// join gives a client its seat, with a ticket.
func (v *vectorMatch) join(name string, seat Seat, asks asks, about string) *vectorClient {
	v.t.Helper()
	c := &vectorClient{v: v, name: name, about: about, asks: asks, seat: seat}
	c.seat.Match = matchID
	c.read, c.held = newVectorReader(v.m.spec.Map, asks&asksFog != 0), object{}
	c.unkept = about == ""
	v.clients = append(v.clients, c)
	c.connect(&pb.ClientFrame{Hello: asks.hello(&pb.Hello{Ticket: "ticket of " + name})})
	return c
}

func (v *vectorMatch) player(slot grid.Slot, asks asks, about string) *vectorClient {
	return v.join(v.m.spec.Seats[slot].Name, Seat{Slot: slot, Account: v.m.spec.Seats[slot].Account}, asks, about)
}

func (v *vectorMatch) spectator(eyes grid.Team, delay time.Duration, asks asks, about string) *vectorClient {
	name := fmt.Sprint("spectator ", len(v.clients))
	return v.join(name, Seat{Slot: grid.NoSlot, Account: name, Spectator: true, Eyes: eyes, Delay: delay}, asks, about)
}

// back resumes the seat: from the held state, or from nothing.
func (c *vectorClient) back(holds bool) {
	c.v.t.Helper()
	f := &pb.ClientFrame{Hello: c.asks.hello(&pb.Hello{Resume: c.read.Welcome.Resume})}
	if holds {
		f.Applied = uint32(c.read.Replica.Tick)
	}
	seat, ok := c.v.m.host.seatOf(f.Hello.Resume)
	if c.seat.Serial = seat.Serial; !ok || seat != c.seat {
		c.v.t.Fatalf("the token of %s opens %v", c.name, seat)
	}
	c.connect(f)
}

func (c *vectorClient) connect(f *pb.ClientFrame) {
	c.v.t.Helper()
	in := c.sent(f)
	c.conn = newConnection(nil, in, &caller{})
	if err := c.v.m.join(c.conn, c.seat); err != nil {
		c.v.t.Fatal(err)
	}
}

// cut breaks the connection.
func (c *vectorClient) cut() {
	c.conn.HangUp()
	c.conn = nil
}

// sent writes a message of the client down and returns it as the server reads
// it.
func (c *vectorClient) sent(f *pb.ClientFrame) wire.ClientFrame {
	c.v.t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(f)
	if err != nil {
		c.v.t.Fatal(err)
	}
	in, err := wire.DecodeClient(b)
	if err != nil {
		c.v.t.Fatalf("%s: %v", c.name, err)
	}
	if !c.unkept {
		c.messages = append(c.messages, vectorMessage{At: uint32(c.v.now()), Client: b})
	}
	return in
}

// deliver hands over the client's messages: queued orders, and now and then the last
// applied tick.
func (c *vectorClient) deliver() {
	if c.conn == nil || c.read.Replica == nil {
		return
	}
	applied := uint32(c.read.Replica.Tick)
	if len(c.queued) == 0 && applied >= c.told+5 {
		c.queued = append(c.queued, &pb.ClientFrame{})
	}
	for _, f := range c.queued {
		f.Applied, c.told = applied, applied
		c.conn.In <- c.sent(f)
	}
	c.queued = nil
}

// take takes in the messages that came.
func (c *vectorClient) take() {
	c.v.t.Helper()
	if c.conn == nil || c.stalled {
		return
	}
	for range len(c.conn.Out) {
		b, open := <-c.conn.Out
		if !open {
			c.conn = nil
			return
		}
		told, err := c.read.take(b)
		if err != nil {
			c.v.t.Fatalf("tick %d, %s: %v", c.v.now(), c.name, err)
		}
		msg := vectorMessage{At: uint32(c.v.now()), Server: slices.Clone(b)}
		if len(told) > 0 {
			msg.Told = jsonOf(told)
		}
		state := plain(c.read.state())
		if p, differs := patchOf(c.held, state); differs {
			msg.State = jsonOf(p)
		}
		if c.held = state; !c.unkept {
			c.messages = append(c.messages, msg)
		}
	}
}

func (c *vectorClient) send(f *pb.ClientFrame) { c.queued = append(c.queued, f) }

// order sends one order and returns its number.
func (c *vectorClient) order(o *pb.Order) uint32 {
	c.seq++
	o.Seq = c.seq
	c.send(&pb.ClientFrame{Orders: []*pb.Order{o}})
	return c.seq
}

func (c *vectorClient) say(all bool, text string) {
	c.seq++
	c.send(&pb.ClientFrame{Says: []*pb.Say{{Seq: c.seq, All: all, Text: text}}})
}

func (c *vectorClient) ping(kind pb.PingKind, at *pb.Point) {
	c.seq++
	c.send(&pb.ClientFrame{Pings: []*pb.MapPing{{Seq: c.seq, Kind: kind, At: at}}})
}

// typ returns the number of a type.
func (c *vectorClient) typ(name string) uint32 {
	return uint32(slices.IndexFunc(c.read.Welcome.Types, func(t *pb.TypeInfo) bool { return t.Name == name }))
}

func (c *vectorClient) ability(name string) uint32 {
	return uint32(slices.IndexFunc(c.read.Welcome.Abilities, func(a *pb.AbilityInfo) bool { return a.Name == name }))
}

// of returns the handles that it holds of a slot's things of some types, sorted.
func (c *vectorClient) of(slot grid.Slot, names ...string) (out []uint32) {
	for _, h := range c.read.Replica.Handles() {
		e := c.read.Replica.Entities[h]
		if e.Owner == slot && slices.Contains(names, c.read.Welcome.Types[e.Type].Name) {
			out = append(out, uint32(h))
		}
	}
	return out
}

func (c *vectorClient) mine(names ...string) []uint32 { return c.of(c.seat.Slot, names...) }

// ghost returns the handle of the one ghost of a type.
func (c *vectorClient) ghost(name string) (handle uint32) {
	for h, g := range c.read.Replica.Ghosts {
		if c.read.Welcome.Types[g.Type].Name == name {
			if handle != 0 {
				c.v.t.Fatalf("tick %d: %s has two ghosts of a %s", c.v.now(), c.name, name)
			}
			handle = uint32(h)
		}
	}
	if handle == 0 {
		c.v.t.Fatalf("tick %d: %s has no ghost of a %s", c.v.now(), c.name, name)
	}
	return handle
}

// at returns the middle of a tile.
func at(x, y int32) *pb.Point { return &pb.Point{X: x*1024 + 512, Y: y*1024 + 512} }
