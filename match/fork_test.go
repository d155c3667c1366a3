package match

import (
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/leak"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// A run is a live match that a test plays by hand, tick by tick, in one goroutine: it
// puts messages into inboxes as readers do and takes frames out of outboxes as writers
// do, at ticks that the seed names. It is independent of clocks, sockets and disks, so
// two runs with the same input are the same to the byte.
//
// Slots 0 and 1 are team A's, 2 and 3 are a team each. A recording has their clients'
// messages: the first run of a seed records them, forks play them back.
type run struct {
	harness
	t         *testing.T
	seed      uint64
	setup     sim.Setup
	recording *recording
	plays     bool // the players are there, to be recorded
	links     [slotsOfFork]*playerClient
	onlooker  playerClient // of a spectator with A's eyes
	eye       *witness
}

const (
	slotsOfFork = 4
	slotsOfA    = 2
	linksOfA    = slotsOfA + 1 // and a live spectator with A's eyes
	teamA       = grid.Team(0)
)

// recording has the clients' messages, by tick.
type recording struct {
	said map[grid.Tick][slotsOfFork][][]byte
	back map[grid.Tick]grid.Tick // the tick that a returning client says it holds
}

// moment is a run's output of one tick.
type moment struct {
	sent     [linksOfA][][]byte // frames that were handed to A's links in this tick
	ownUnits []byte             // A's own units
	through  [channels][]byte   // the content of the declared channels
	secrets  uint64             // digest of all the rest
}

// link is the far end of a connection.
type playerClient struct {
	conn *connection
	held int // frames in the outbox that were noted as sent
	*client.State
	mind      bot.Player
	adversary *adversary
	next      [][]byte // messages for the next tick
	broken    bool
}

// forkMap is small, with high ground that hides the things on it.
func forkMap(seed uint64) *grid.Map {
	m := flatMap(48)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 8, Y: 39}, {X: 39, Y: 8}, {X: 39, Y: 39}}
	m.Occlusion = grid.OcclusionHighGround
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 3 {
		x0, y0 := int16(14+rng.IntN(18)), int16(4+rng.IntN(36))
		for y := y0; y < y0+5; y++ {
			for x := x0; x < x0+4; x++ {
				if at := (grid.Tile{X: x, Y: y}); m.In(at) {
					m.Levels[m.Index(at)] = 2
				}
			}
		}
	}
	for y := highAt.Y - 2; y <= highAt.Y+2; y++ {
		for x := highAt.X - 1; x <= highAt.X+1; x++ {
			m.Levels[m.Index(grid.Tile{X: x, Y: y})] = 2
		}
	}
	m.Resources = []grid.Tile{{X: 4, Y: 12}, {X: 4, Y: 35}, {X: 43, Y: 12}, {X: 43, Y: 35}, {X: 24, Y: 24}}
	return m
}

// newRun begins a run. t0 nil: A's players play, and are recorded.
func newRun(t *testing.T, rules *rules.Ruleset, seed uint64, t0 *recording) *run {
	t.Helper()
	spec := Spec{
		ID: matchID, Map: withFeatures(forkMap(seed), rules), Rules: rules, Seed: seed, Spectators: 1,
		EveryTick: seed%2 == 0, // the others are sent at beats
		Seats:     []SeatSpec{{Name: "a", Team: 0, Start: 0}, {Name: "b", Team: 0, Start: 1}, {Name: "c", Team: 1, Start: 2}, {Name: "d", Team: 2, Start: 3}},
	}
	r := &run{t: t, seed: seed, harness: newHarness(t, t, spec, Config{}), setup: spec.Setup(), recording: t0, plays: t0 == nil}
	if r.plays {
		r.recording = &recording{said: map[grid.Tick][slotsOfFork][][]byte{}, back: map[grid.Tick]grid.Tick{}}
	}
	r.eye = newWitness(&r.setup, teamA)
	stage(r.m.world, seed)
	leak.Count = [4]int{}
	for slot := range grid.Slot(slotsOfFork) {
		l := new(playerClient)
		*l = newPlayerClient(newAdversary(seed, slot, spec.Map), spec.Map, false)
		r.links[slot] = l
		r.enter(slot, wire.Hello{DerivesFog: slot == 0, Packed: slot == 0}, 0)
	}
	var err error
	if r.onlooker.conn, err = r.admit(wire.Hello{DerivesFog: true}, 0, Seat{Match: matchID, Slot: grid.NoSlot, Account: "onlooker", Spectator: true, Eyes: teamA}); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *run) enter(slot grid.Slot, hello wire.Hello, applied grid.Tick) {
	r.t.Helper()
	l := r.links[slot]
	var err error
	if l.conn, err = r.admit(hello, applied, Seat{Match: matchID, Slot: slot, Serial: r.m.seats.all[slot].serial}); err != nil {
		r.t.Fatal(err)
	}
	l.held = 0
}

// chance is a yes in n, the same in all runs of a seed.
func (r *run) chance(what uint64, at grid.Tick, n int) bool {
	return rand.New(rand.NewPCG(r.seed^what<<32, uint64(at))).IntN(n) == 0
}

// The second player of A has a bad link: it stalls for spans of ticks, and
// breaks again and again.
const (
	stallSpan = 40
	breakSpan = 70
)

// broken reports whether the bad link breaks or is mended at a tick, and how
// often it was broken by then.
func (r *run) broken(now grid.Tick) (breaks, mends bool, times grid.Tick) {
	first := grid.Tick(140 + r.seed*31%60)
	if now < first {
		return false, false, 0
	}
	since := now - first
	times = since/breakSpan + 1
	return since%breakSpan == 0, since%breakSpan == 3+times*5%17, times
}

func (r *run) stalled(slot int, at grid.Tick) bool {
	return slot == 1 && r.chance(7, at/stallSpan, 4)
}

// step plays one tick and returns its output. Without witness it notes the frames alone.
func (r *run) step(witness bool) *moment {
	r.t.Helper()
	now := r.m.world.Tick() + 1
	r.connections(now)
	r.deliver(now)
	if !r.chance(3, now, 6) { // else the disk is slow
		r.log.synced = r.log.next
	}
	simtest.Omens(r.m.world)
	r.turn(false)
	out := &moment{}
	if witness {
		out.through = r.eye.testify(r.m.world)
		out.ownUnits, out.secrets = r.eye.ownUnits(r.m.world), r.eye.secrets(r.m.world)
	}
	out.sent[slotsOfA] = r.onlooker.fresh()
	for range r.onlooker.held { // only its bytes matter
		<-r.onlooker.conn.Out
	}
	r.onlooker.held = 0
	r.onlooker.conn.In <- wire.ClientFrame{Applied: now}
	for slot, l := range r.links {
		if l.conn == nil {
			continue
		}
		fresh := l.fresh()
		if slot < slotsOfA {
			out.sent[slot] = fresh
		}
		if r.m.seats.all[slot].conn != l.conn {
			l.conn = nil // it was let go
			continue
		}
		if !r.stalled(slot, now) {
			r.receive(slot, l)
		}
		r.play(slot, l)
	}
	return out
}

// connections breaks and mends the bad link.
func (r *run) connections(now grid.Tick) {
	l := r.links[1]
	switch breaks, mends, times := r.broken(now); {
	case breaks && l.conn != nil:
		l.conn.HangUp()
		l.conn = nil
	case mends && l.conn == nil:
		if r.plays {
			r.recording.back[now] = 0
			if (uint64(times)+r.seed)%3 != 0 && l.Replica != nil {
				r.recording.back[now] = l.Tick()
			}
		}
		r.enter(1, wire.Hello{Resume: "token"}, r.recording.back[now])
	}
}

// deliver puts the clients' messages into their inboxes.
func (r *run) deliver(now grid.Tick) {
	r.t.Helper()
	for slot, l := range r.links {
		said := r.recording.said[now]
		if r.plays {
			said[slot], l.next = l.next, nil
			r.recording.said[now] = said
		}
		if l.conn == nil {
			continue
		}
		for _, b := range said[slot] {
			r.harness.deliver(l.conn, b)
		}
	}
}

// fresh returns copies of the frames put into the outbox since the last call.
func (l *playerClient) fresh() (out [][]byte) {
	for i := range len(l.conn.Out) {
		b, open := <-l.conn.Out
		if !open {
			return out
		}
		if i >= l.held {
			out = append(out, append([]byte(nil), b...))
		}
		select {
		case l.conn.Out <- b:
		default:
		}
	}
	l.held += len(out)
	return out
}

// receive empties the outbox, as a writer whose link has room does.
func (r *run) receive(slot int, l *playerClient) {
	for range len(l.conn.Out) {
		b := <-l.conn.Out
		if r.plays {
			l.take(b)
		}
		select {
		case l.conn.Free <- b:
		default:
		}
	}
	l.held = 0
}

// newPlayerClient returns a client without state, led by an adversary, a bot or both.
func newPlayerClient(a *adversary, m *grid.Map, derives bool) playerClient {
	return playerClient{adversary: a, State: client.New(client.Config{Map: client.OneMap(m), DerivesFog: derives})}
}

// take applies a message to a client. A senseless message breaks the client: only planted
// leaks cause that.
func (l *playerClient) take(b []byte) {
	if l.broken {
		return
	}
	f, err := l.Receive(b)
	switch {
	case err != nil:
		l.broken = true
	case f.Welcome != nil && l.mind == nil:
		l.mind, _ = bot.Hard.New(l.State) // a spectator gets no mind
	case f.Welcome == nil && f.Closing == nil && l.mind != nil:
		l.mind.Take(f)
	}
}

// play lets the player at the link's end send messages.
func (r *run) play(slot int, l *playerClient) {
	if l.broken || l.Tick() == 0 || !r.plays {
		return
	}
	f := &pb.ClientFrame{}
	switch {
	case slot%2 == 0:
		f.Orders = l.mind.Think()
	default:
		l.adversary.think(l, f)
	}
	if len(f.Orders) == 0 && len(f.Says) == 0 && len(f.Pings) == 0 && f.Camera == nil && f.Pace == nil && l.Tick()%10 != 0 {
		return
	}
	f.Applied = uint32(l.Tick())
	b, err := proto.Marshal(f)
	if err != nil {
		r.t.Fatal(err)
	}
	l.next = append(l.next, b)
}
