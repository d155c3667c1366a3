package match

import (
	"fmt"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"

	"google.golang.org/protobuf/proto"
)

// seatTicket is a ticket that the doorman takes for a spectator's seat.
func seatTicket(account string, eyes grid.Team, delay time.Duration) string {
	return fmt.Sprintf("%s watch %s %d %d", matchID, account, eyes, delay)
}

// watchTicket is its inverse.
func watchTicket(ticket string) (Seat, bool) {
	s := Seat{Slot: grid.NoSlot, Spectator: true}
	n, _ := fmt.Sscanf(ticket, "%36s watch %s %d %d", &s.Match, &s.Account, &s.Eyes, &s.Delay)
	return s, n == 4
}

// spectatorHarness is a harness in which bots and adversaries play, as in a run of
// the forks, and others watch.
type spectatorHarness struct {
	harness
	t          testing.TB
	beyond     bool // the match is over, its spectators see the rest
	players    []*playerClient
	heard      [][]string // messages to players in the last tick, by slot, as text
	spectators []*spectatorClient
	script     func(now grid.Tick, slot int, f *pb.ClientFrame) // it changes the players' messages
}

const harnessSeats = 4

// shippedTo is shipped for benchmarks too.
func shippedTo(t testing.TB) *rules.Ruleset {
	t.Helper()
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// newSpectatorHarness begins a match of three teams, the first of two players.
func newSpectatorHarness(t testing.TB, seed uint64, cfg Config, delay time.Duration, change func(*Spec)) *spectatorHarness {
	t.Helper()
	spec := Spec{
		ID: matchID, Map: forkMap(seed), Rules: shippedTo(t), Seed: seed, Spectators: 8, SpectatorDelay: delay,
		Seats: []SeatSpec{{Name: "a", Team: 0, Start: 0}, {Name: "b", Team: 0, Start: 1}, {Name: "c", Team: 1, Start: 2}, {Name: "d", Team: 2, Start: 3}},
	}
	if change != nil {
		change(&spec)
	}
	th := &spectatorHarness{t: t, harness: newHarness(t, t, spec, cfg), heard: make([][]string, harnessSeats)}
	stage(th.m.world, seed) // before anything is kept for the broadcasts
	for slot := range grid.Slot(harnessSeats) {
		l := new(playerClient)
		*l = newPlayerClient(newAdversary(seed, slot, spec.Map), spec.Map, false)
		var err error
		if l.conn, err = th.admit(wire.Hello{DerivesFog: slot == 0}, 0, Seat{Match: matchID, Slot: slot}); err != nil {
			t.Fatal(err)
		}
		th.players = append(th.players, l)
	}
	return th
}

// step plays one tick.
func (th *spectatorHarness) step() { th.stepAnd(func() {}) }

// stepAnd plays one tick and calls look before any client takes in its messages.
func (th *spectatorHarness) stepAnd(look func()) {
	th.t.Helper()
	for _, l := range th.players {
		for _, b := range l.next {
			th.deliver(l.conn, b)
		}
		l.next = l.next[:0]
	}
	th.log.synced = th.log.next
	th.turn(th.beyond)
	look()
	for slot, l := range th.players {
		th.heard[slot] = th.heard[slot][:0]
		if l.conn != nil {
			th.play(slot, l)
		}
	}
	for _, g := range th.spectators {
		g.take(th.now())
	}
}

// play lets a player take in its frames and send messages.
func (th *spectatorHarness) play(slot int, l *playerClient) {
	for range len(l.conn.Out) {
		b := <-l.conn.Out
		th.heard[slot] = append(th.heard[slot], string(b))
		l.take(b)
	}
	if l.broken {
		th.t.Fatalf("player %d is at odds with what it is sent", slot)
	}
	if l.Tick() == 0 {
		return
	}
	f := &pb.ClientFrame{}
	if slot%2 == 0 {
		f.Orders = l.mind.Think()
	} else {
		l.adversary.think(l, f)
	}
	if th.script != nil {
		th.script(th.now(), slot, f)
	}
	f.Applied = uint32(l.Tick())
	b, err := proto.Marshal(f)
	if err != nil {
		th.t.Fatal(err)
	}
	l.next = append(l.next, b)
}

// spectatorClient is a spectator at the far end of a connection: a client with the state of
// its messages, which derives its fog.
type spectatorClient struct {
	t       testing.TB
	m       *live
	seat    Seat
	derives bool
	stalls  func(now grid.Tick) bool // no message leaves its outbox
	onFrame func(now grid.Tick, f *wire.ServerFrame)
	sends   func(now grid.Tick) *pb.ClientFrame

	conn *connection
	*client.State
	closing *pb.Closing
	ended   *pb.Ended
	endedAt grid.Tick
	said    []string
	answers []*pb.Answer

	left map[grid.Handle]grid.Tick // handles that went, and when

	waits, frames, snapshots, wrong int
	sent                            []string // in the last tick
}

// sit seats a spectator. The zero eyes are team 0's.
func (th *spectatorHarness) sit(account string, eyes grid.Team, delay time.Duration, derives bool) *spectatorClient {
	th.t.Helper()
	g := &spectatorClient{
		t: th.t, m: th.m, derives: derives, left: map[grid.Handle]grid.Tick{},
		State: client.New(client.Config{Map: client.OneMap(th.m.spec.Map), DerivesFog: true}),
		seat:  Seat{Match: matchID, Slot: grid.NoSlot, Account: account, Spectator: true, Eyes: eyes, Delay: delay},
	}
	if err := g.enter(false); err != nil {
		th.t.Fatal(err)
	}
	th.spectators = append(th.spectators, g)
	return g
}

func (g *spectatorClient) enter(resume bool) error {
	hello := wire.ClientFrame{Hello: &wire.Hello{Protocol: wire.Protocol, DerivesFog: g.derives}}
	if resume {
		hello.Hello.Resume = "token"
		hello.Applied = g.Tick()
	}
	g.conn, g.closing = newConnection(nil, hello, &caller{}), nil
	err := g.m.join(g.conn, g.seat)
	if err == nil {
		g.seat.Serial = g.conn.seat.serial
	}
	return err
}

// cut breaks its connection.
func (g *spectatorClient) cut() {
	g.conn.HangUp()
	g.conn = nil
}

// take empties the outbox.
func (g *spectatorClient) take(now grid.Tick) {
	g.sent = g.sent[:0]
	if g.conn == nil || g.stalls != nil && g.stalls(now) {
		return
	}
	for range len(g.conn.Out) {
		b, open := <-g.conn.Out
		if !open {
			g.conn = nil
			return
		}
		g.sent = append(g.sent, string(b))
		g.message(now, b)
	}
	if g.Tick() == 0 || g.closing != nil {
		return
	}
	f := &pb.ClientFrame{}
	if g.sends != nil {
		f = g.sends(now)
	}
	f.Applied = uint32(g.Tick())
	b, err := proto.Marshal(f)
	if err != nil {
		g.t.Fatal(err)
	}
	in, err := wire.DecodeClient(b)
	if err != nil {
		g.t.Fatal(err)
	}
	select {
	case g.conn.In <- in:
	default:
	}
}

func (g *spectatorClient) message(now grid.Tick, b []byte) {
	g.t.Helper()
	f, err := g.Receive(b)
	if err != nil {
		g.t.Fatalf("tick %d: %v", now, err)
	}
	switch {
	case f.Welcome != nil:
		return
	case f.Waiting != nil:
		g.waits++
		return
	case f.Closing != nil:
		g.closing = f.Closing
		return
	}
	g.frames++
	if f.Diff.Snapshot {
		g.snapshots++
	}
	if g.MaskDiffers {
		g.wrong++
	}
	g.rests(&f.Diff)
	if f.Ended != nil && g.ended == nil {
		g.ended, g.endedAt = f.Ended, now
	}
	for _, s := range f.Said {
		g.said = append(g.said, s.Text)
	}
	g.answers = append(g.answers, f.Answers...)
	if f.Own != nil || len(f.Pinged) > 0 {
		g.t.Errorf("tick %d: a spectator is told what is a player's own: %v %v", now, f.Own, f.Pinged)
	}
	if g.onFrame != nil {
		g.onFrame(now, f)
	}
}

// rests checks that a number names another thing only after a rest. (To a team a ghost
// that shows itself again has the name it had.)
func (g *spectatorClient) rests(d *view.Diff) {
	g.t.Helper()
	if g.seat.Eyes != grid.NoTeam {
		return
	}
	for _, e := range d.Enter {
		if left, ok := g.left[e.Handle]; ok && g.Tick() < left+sim.HandleRest && !d.Snapshot {
			g.t.Errorf("tick %d: handle %d, which went at tick %d, is something else", g.Tick(), e.Handle, left)
		}
	}
	for _, gone := range [][]grid.Handle{d.Leave, d.Destroyed} {
		for _, h := range gone {
			g.left[h] = g.Tick() + 1 - grid.Tick(max(1, d.Span)) // or later
		}
	}
}
