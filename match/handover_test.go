package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// orderly is a client that gives orders all the time, and repeats unanswered orders, as
// clients do.
type orderly struct {
	*pipeClient
	open    map[uint32]*pb.Order
	answers map[uint32]int // accepted orders, by the number of such answers
	given   int
}

func orderlyOf(c *pipeClient) *orderly {
	return &orderly{pipeClient: c, open: map[uint32]*pb.Order{}, answers: map[uint32]int{}}
}

// give sends an order.
func (o *orderly) give() {
	o.given++
	x := &pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: o.mine("worker"), To: &pb.Point{X: int32(10+o.given%20) << 10, Y: int32(12+o.given%17) << 10}}
	if o.given%3 == 0 {
		x = &pb.Order{Kind: pb.OrderKind_ORDER_KIND_STOP, Units: o.mine("soldier")}
	}
	seq := o.order(x)
	o.open[seq] = x
}

// hear takes in the answers.
func (o *orderly) hear() {
	for _, a := range o.pipeClient.answers {
		o.answers[a.Seq]++
		delete(o.open, a.Seq)
	}
	o.pipeClient.answers = nil
}

// again repeats the unanswered orders, over another connection.
func (o *orderly) again(c *pipeClient) {
	o.pipeClient = c
	f := &pb.ClientFrame{Applied: uint32(c.Tick())}
	for seq := uint32(1); seq <= uint32(o.given)+1; seq++ {
		if x := o.open[seq]; x != nil {
			f.Orders = append(f.Orders, x)
		}
	}
	if len(f.Orders) > 0 {
		c.send(f)
	}
}

// TestHandOverToAndFro moves a match between two nodes twenty times while both players
// give orders at every tick. No order is lost, done twice or answered twice, no tick is
// lost or played twice, and the match ends up where it would be if it had never been
// moved.
func TestHandOverToAndFro(t *testing.T) {
	t.Parallel()
	store, spec := newSharedStore(), clusterSpec(t)
	a, b := store.node(t, spec, Config{}), store.node(t, spec, Config{})
	a.starts()
	ps := []*orderly{orderlyOf(a.join(0)), orderlyOf(a.join(1))}
	ps[0].read()
	play := func(n *node, ticks int) {
		t.Helper()
		for range ticks {
			for _, p := range ps {
				p.give()
			}
			n.play(1)
			for _, p := range ps {
				p.read()
				p.hear()
			}
		}
	}
	play(a, 10)
	for move := range 20 {
		for _, p := range ps {
			p.give() // the match leaves before it takes these in
		}
		at := a.live.world.Tick()
		if err := a.gives(); err != nil {
			t.Fatalf("move %d: %v", move, err)
		}
		a.leaves(ps[0].pipeClient, ps[1].pipeClient)
		for _, p := range ps {
			p.hear()
		}
		if a.service.find(matchID) != nil {
			t.Fatal("the match runs on where it was handed over")
		}
		b.takes()
		if got := b.live.world.Tick(); got < at || got > at+2 {
			t.Fatalf("move %d: it left after tick %d and goes on after tick %d", move, at, got)
		}
		now := b.back(ps[0].pipeClient, ps[1].pipeClient)
		for i, p := range ps {
			p.again(now[i])
		}
		play(b, 3+move%5)
		a, b = b, a
	}
	for n := 0; n < 6 || n < 100 && len(ps[0].open)+len(ps[1].open) > 0; n++ { // the last answers
		a.play(1)
		for _, p := range ps {
			p.read()
			p.hear()
		}
	}
	for i, p := range ps {
		if len(p.open) > 0 || len(p.answers) != p.given {
			t.Errorf("player %d gave %d orders, %d were answered, open: %d", i, p.given, len(p.answers), len(p.open))
		}
		for seq, n := range p.answers {
			if n != 1 {
				t.Errorf("player %d: order %d was answered %d times", i, seq, n)
			}
		}
	}
	// Each order is in the journal once, in order.
	last := map[grid.Slot]uint32{}
	orders := 0
	for _, rec := range store.records(matchID) {
		r, err := journal.Decode(rec)
		if err != nil {
			t.Fatal(err)
		}
		if r.Tick == nil {
			continue
		}
		for _, x := range r.Tick.Answers {
			if x.Again {
				continue
			}
			if orders++; x.Seq != last[x.Slot]+1 {
				t.Errorf("slot %d: order %d follows order %d in the journal", x.Slot, x.Seq, last[x.Slot])
			}
			last[x.Slot] = x.Seq
		}
	}
	if orders != ps[0].given+ps[1].given {
		t.Errorf("%d orders were given, the journal has %d", ps[0].given+ps[1].given, orders)
	}
	if err := a.gives(); err != nil {
		t.Fatal(err)
	}
	a.leaves(ps[0].pipeClient, ps[1].pipeClient)
	sum, tick, hash, unmoved := store.replayed(t, matchID)
	if hash != unmoved || hash != a.live.world.Hash() || tick != a.live.world.Tick() || sum.Stopped == nil {
		t.Errorf("tick %d: %016x, unmoved %016x, the last node had tick %d: %016x; stopped %v", tick, hash, unmoved, a.live.world.Tick(), a.live.world.Hash(), sum.Stopped)
	}
}

// TestTakeOverOfAKilledNode: answered orders are done, the match goes on at a tick that
// no client has seen, and a replaced node that wakes up again says only that the match
// has moved.
func TestTakeOverOfAKilledNode(t *testing.T) {
	t.Parallel()
	store, spec := newSharedStore(), clusterSpec(t)
	a := store.node(t, spec, Config{})
	b := store.node(t, spec, Config{Where: func(string) shared.Whereabouts { return shared.Whereabouts{State: shared.WhereGone} }})
	a.starts()
	cs := []*pipeClient{a.join(0), a.join(1)}
	cs[0].read()
	a.play(30, cs...)
	cs[0].order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: cs[0].mine("worker"), To: &pb.Point{X: 20 << 10, Y: 20 << 10}})
	for range 50 { // the reader of the socket may take a tick or two
		if a.play(1, cs...); len(cs[0].answers) > 0 {
			break
		}
	}
	if len(cs[0].answers) != 1 {
		t.Fatalf("answers: %v", cs[0].answers)
	}
	seen := max(cs[0].Replica.Tick, cs[1].Replica.Tick)

	store.elapse(1500 * time.Millisecond) // node a is stopped, and looks dead
	b.takes()
	if b.live.world.Tick() < seen {
		t.Fatalf("goes on after tick %d, and tick %d was seen", b.live.world.Tick(), seen)
	}
	was := cs[0].answers
	// Node a wakes up.
	cs[0].send(&pb.ClientFrame{Orders: []*pb.Order{{Seq: 99, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: cs[0].mine("worker")}}, Applied: uint32(cs[0].Tick())})
	for range 5 {
		a.tick()
	}
	for _, c := range cs {
		for c.closing == nil {
			f := c.read()
			if f.Closing == nil && f.Waiting == nil {
				t.Fatalf("a frame after the fence: %v", f)
			}
		}
		if c.closing.Code != "moved" {
			t.Errorf("closed with %v", c.closing)
		}
		c.closing = nil
	}
	if len(cs[0].answers) != len(was) {
		t.Errorf("an answer after the fence: %v", cs[0].answers)
	}
	if id := <-a.fenced; id != matchID {
		t.Errorf("fenced %q", id)
	}
	if a.service.find(matchID) != nil {
		t.Error("the service has a match on its list that has ended")
	}
	n := len(store.records(matchID))
	now := b.back(cs...)
	b.play(20, now...)
	again := &pb.Order{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: now[0].mine("worker")}
	now[0].answers = nil
	now[0].send(&pb.ClientFrame{Orders: []*pb.Order{again}, Applied: uint32(now[0].Tick())})
	for tries := 0; len(now[0].answers) == 0 && tries < 50; tries++ {
		b.play(1, now...)
	}
	if x := now[0].answers; len(x) != 1 || x[0].Seq != 1 || x[0].Code != 0 {
		t.Errorf("the answered order, asked again: %v", x)
	}
	if len(a.clerk.results) != 0 || len(store.records(matchID)) <= n {
		t.Errorf("%d results of node a, %d records", len(a.clerk.results), len(store.records(matchID)))
	}
	store.replayed(t, matchID)
	if err := a.service.TakeOver(t.Context(), matchID, nil); err != nil { // back to the node that was replaced
		t.Fatal(err)
	}
	a.live = a.service.find(matchID)
	b.tick()
	b.leaves(now...)
	now = a.back(now...)
	a.play(10, now...)
	store.replayed(t, matchID)
}

// TestTakeOverNothing: a match that is over, had not begun, is played by another build,
// runs here already or is unknown, and a service that stops.
func TestTakeOverNothing(t *testing.T) {
	store, spec := newSharedStore(), clusterSpec(t)
	a, b := store.node(t, spec, Config{Linger: time.Nanosecond}), store.node(t, spec, Config{})
	if err := b.service.TakeOver(t.Context(), matchID, nil); err == nil {
		t.Error("a match that there is not was taken over")
	}
	a.starts()
	a.tick()
	if a.during(func(ctx context.Context) error { return a.service.TakeOver(ctx, matchID, nil) }); a.service.find(matchID) != a.live {
		t.Error("a match that runs here was taken over")
	}
	if err := b.service.HandOver(t.Context(), matchID); !errors.Is(err, ErrNoMatch) {
		t.Errorf("handed over what does not run here: %v", err)
	}

	// Another build: its owner keeps it.
	store.mu.Lock()
	j := store.journals[matchID]
	mine, epoch := j.records, j.epoch
	store.mu.Unlock()
	other, err := journal.Decode(mine[0])
	if err != nil {
		t.Fatal(err)
	}
	other.Header.Sim++
	head := headerRecord(t, other.Header)
	store.mu.Lock()
	j.records = append([][]byte{head}, mine[1:]...)
	store.mu.Unlock()
	var differs *journal.OtherBuildError
	if err := b.service.TakeOver(t.Context(), matchID, nil); !errors.As(err, &differs) || j.epoch != epoch {
		t.Errorf("a match of another build: %v", err)
	}

	// A start that was cut off.
	store.mu.Lock()
	j.records = mine[:2]
	store.mu.Unlock()
	if err := b.service.TakeOver(t.Context(), matchID, nil); err != nil || b.service.find(matchID) != nil || store.journals[matchID] != nil {
		t.Errorf("a start that was cut off: %v", err)
	}
	store.mu.Lock()
	store.journals[matchID] = j
	j.records = mine
	store.mu.Unlock()

	// A match that has ended while no reporter took its result.
	b.takes()
	c := b.connect(&pb.Hello{Ticket: ticketFor(0)}, 0)
	b.asked()
	b.tick()
	c.read()
	b.clerk.refuse = 1 << 20
	c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_SURRENDER})
	for b.live.world.Result() == nil {
		b.play(1)
	}
	b.play(1)
	d := store.node(t, spec, Config{})
	if err := d.service.TakeOver(t.Context(), matchID, nil); err != nil || d.service.find(matchID) != nil {
		t.Errorf("a match that has ended: %v", err)
	}
	if r := <-d.clerk.results; r.Ended == nil || r.Ended.Winner != 1 {
		t.Errorf("its result: %+v", r)
	}
	if err := b.gives(); err == nil {
		t.Error("a match that has ended was handed over")
	}
	d.service.Close()
	if err := d.service.TakeOver(t.Context(), matchID, nil); !errors.Is(err, ErrDraining) {
		t.Errorf("by a service that stops: %v", err)
	}
}

// headerRecord returns the record of a header.
func headerRecord(t *testing.T, h *journal.Header) []byte {
	t.Helper()
	b, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte{'S'}, b...)
}

// TestTakeOverOfAMatchThatIsLeaving: a node takes a match back while it still ends the
// match that another node took from it. It waits for that end, and does not take the
// replaced match for one that runs.
func TestTakeOverOfAMatchThatIsLeaving(t *testing.T) {
	t.Parallel()
	store, spec := newSharedStore(), clusterSpec(t)
	a, b := store.node(t, spec, Config{}), store.node(t, spec, Config{})
	a.fenced = make(chan string) // the end of the replaced match lasts until the test has read it
	a.starts()
	a.play(2)
	b.takes()
	store.elapse(journal.Lease)
	was := a.live
	go a.tick()
	eventually.Holds(t, "node a knows that it was replaced", func() bool { return errors.Is(was.journal.log.Append(0, nil), journal.ErrFenced) })
	back := make(chan error, 1)
	go func() { back <- a.service.TakeOver(t.Context(), matchID, nil) }()
	eventually.Holds(t, "node a waits for its match to end", func() bool { return len(was.requests.queue)+len(back) > 0 })
	<-a.fenced
	if err := <-back; err != nil {
		t.Fatal(err)
	}
	if a.live = a.service.find(matchID); a.live == nil || a.live == was {
		t.Fatal("node a says that it took the match, and has only the one that was replaced")
	}
	store.elapse(journal.Lease)
	if b.tick() && b.tick() {
		t.Error("node b plays on: its match was not taken")
	}
	store.replayed(t, matchID)
}

// TestTakeOverOfAMatchInDoubt: a node whose match may be another's by now does not say that
// it runs here.
func TestTakeOverOfAMatchInDoubt(t *testing.T) {
	t.Parallel()
	store, spec := newSharedStore(), clusterSpec(t)
	a := store.node(t, spec, Config{})
	a.starts()
	a.play(2)
	a.process.cut(true)
	store.elapse(journal.Lease)
	ticked := make(chan bool)
	go func() { ticked <- a.tick() }()
	if err := a.service.TakeOver(t.Context(), matchID, nil); err == nil {
		t.Error("taken over, while the store does not answer")
	}
	a.process.cut(false)
	if !<-ticked {
		t.Error("it ended, and no other process took it")
	}
}

// TestAReplacedOwnerEnds: in every state of a match, an owner that was replaced ends it
// with the first tick after its lease.
func TestAReplacedOwnerEnds(t *testing.T) {
	t.Parallel()
	for name, enter := range map[string]func(a *node, cs []*pipeClient){
		"it plays": func(*node, []*pipeClient) {},
		"it stands still in a pause": func(a *node, _ []*pipeClient) {
			a.during(func(ctx context.Context) error {
				return a.live.do(ctx, func(m *live) { m.speed.set(wire.Speed{Percent: speedNormal, Paused: true}, 0) })
			})
			if a.play(2); !a.live.speed.paused {
				t.Error("it does not stand still")
			}
		},
		"it waits for its players": func(a *node, cs []*pipeClient) {
			cs[0].pipe.Close()
			eventually.Holds(t, "it waits for a player", func() bool { a.play(1); return a.live.seats.all[0].conn == nil })
			a.during(func(ctx context.Context) error {
				return a.live.do(ctx, func(m *live) { m.seats.all[0].online = true; m.gathering.begin() })
			})
			if a.play(2); a.live.gathering.deadline.IsZero() {
				t.Error("it does not wait for a player")
			}
		},
		"its journal does not answer": func(a *node, cs []*pipeClient) {
			a.process.cut(true)
			a.process.elapse(journal.Lease)
			go a.tick()
			for f := cs[0].read(); f.Waiting == nil; f = cs[0].read() {
			}
		},
		"no player reads": func(a *node, _ []*pipeClient) { a.play(200) },
		"it has ended": func(a *node, _ []*pipeClient) {
			a.during(func(ctx context.Context) error {
				return a.live.do(ctx, func(m *live) { m.inputs.add(sim.Input{Kind: sim.InputVoted, Slot: 0, Seq: sim.VotedRemake}) })
			})
			if a.play(2); a.live.end.result == nil {
				t.Error("it has not ended")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, spec := newSharedStore(), clusterSpec(t)
			a, b := store.node(t, spec, Config{}), store.node(t, spec, Config{})
			a.starts()
			cs := []*pipeClient{a.join(0), a.join(1)}
			enter(a, cs)
			if err := b.service.TakeOver(t.Context(), matchID, nil); err != nil {
				t.Fatal(err)
			}
			store.elapse(journal.Lease)
			a.process.cut(false)
			for n := 0; a.tick(); n++ {
				if n == 2 {
					t.Fatal("it goes on, and another node has the match")
				}
			}
			if a.service.find(matchID) != nil || len(a.clerk.results) > 0 {
				t.Errorf("on the list: %v, results: %d", a.service.find(matchID) != nil, len(a.clerk.results))
			}
		})
	}
}

// TestCutOff: a node that has lost the log for some seconds, while others have it, keeps
// its players no longer: their match may be another's by now. Once it has the log back,
// an owner takes them in again; a replaced node says that the match has moved.
func TestCutOff(t *testing.T) {
	t.Parallel()
	store, spec := newSharedStore(), clusterSpec(t)
	a, b := store.node(t, spec, Config{}), store.node(t, spec, Config{})
	a.starts()
	cs := []*pipeClient{a.join(0), a.join(1)}
	cs[0].read()
	a.play(5, cs...)
	for _, taken := range []bool{false, true} {
		a.process.cut(true)
		store.elapse(journal.Lease)
		ticked := make(chan bool)
		go func() { ticked <- a.tick() }()
		began := time.Now()
		a.leaves(cs...)
		if took := time.Since(began); took < cutOffWait {
			t.Errorf("sent away after %v", took)
		}
		if c := a.connect(&pb.Hello{Resume: cs[0].welcome.Resume}, 1); !taken { // once is enough
			for c.closing == nil {
				c.read()
			}
			if c.closing.Code != "moved" {
				t.Errorf("somebody who comes meanwhile: %v", c.closing)
			}
		}
		if taken {
			b.takes()
		}
		a.process.cut(false)
		if ok := <-ticked; ok == taken {
			t.Errorf("taken over: %v, the match goes on: %v", taken, ok)
		}
		if !taken {
			cs = a.back(cs...)
			a.play(5, cs...)
		}
	}
	cs = b.back(cs...)
	b.play(5, cs...)
	store.replayed(t, matchID)
}

// watched is a spectator on the node, as doorman's tickets permit.
func (n *node) watched(ticket string) *pipeClient {
	n.t.Helper()
	c := n.connect(&pb.Hello{Ticket: ticket}, 0)
	n.asked()
	n.tick()
	if c.read(); c.welcome == nil || !c.welcome.Spectator {
		n.t.Fatalf("no spectator's welcome: %v, %v", c.welcome, c.closing)
	}
	return c
}

// TestHandOverKeepsSeatsAndPause: over a hand-over a spectator keeps its seat, a bot's seat is
// free for the bot, a kick that was asked for at the last moment holds, a player who
// was away is not waited for, and a pause goes on.
func TestHandOverKeepsSeatsAndPause(t *testing.T) {
	t.Parallel()
	store, spec := newSharedStore(), clusterSpec(t)
	spec.Seats = append(spec.Seats, SeatSpec{Name: "robot", Team: 2, Start: 2, Bot: true}, SeatSpec{Name: "d", Team: 3, Start: 3})
	a, b := store.node(t, spec, Config{}), store.node(t, spec, Config{})
	a.starts()
	cs := []*pipeClient{a.join(0), a.join(1), a.join(2), a.join(3)}
	w := a.watched(fmt.Sprintf("%s watch w %d %d", matchID, grid.NoTeam, time.Second))
	gone := cs[1]
	gone.pipe.Close()
	a.until(func() bool {
		select {
		case <-gone.served:
			return true
		default:
			return false
		}
	})
	a.play(30)
	kick := func() {
		if err := a.service.End(t.Context(), "account3", Ending{Match: matchID, ForGood: true, Why: link.Refusal{Code: "kicked", Text: "out"}}); err != nil {
			t.Error(err)
		}
	}
	// The kick and the hand-over reach the match in the same tick.
	asked := make(chan struct{})
	go func() { defer close(asked); kick() }()
	a.asked()
	given := make(chan error, 1)
	go func() { given <- a.service.HandOver(t.Context(), matchID) }()
	a.requested(2)
	at := a.live.world.Tick()
	a.tick()
	<-asked
	if err := <-given; err != nil {
		t.Fatal(err)
	}
	b.takes()
	if now := b.live.world.Tick(); now != at+1 || !b.live.world.HasLeft(3) || !b.live.seats.all[3].kicked {
		t.Errorf("left after tick %d, goes on after %d; kicked %v", at, now, b.live.seats.all[3].kicked)
	}
	closing := func(c *pipeClient) string {
		c.silent = true // the match takes no messages any more
		for c.closing == nil {
			c.read()
		}
		code := c.closing.Code
		c.closing = nil
		return code
	}
	if x, y, z := closing(cs[0]), closing(w), closing(cs[3]); x != "moved" || y != "moved" || z != "kicked" {
		t.Errorf("told %s, %s, %s", x, y, z)
	}
	now := b.back(cs[0], cs[2]) // the bot and the connected player; the match waits for no other
	if b.live.world.Tick() != at+2 {
		t.Errorf("the match waits at tick %d", b.live.world.Tick())
	}
	late := b.connect(&pb.Hello{Resume: w.welcome.Resume}, w.Replica.Tick)
	b.asked()
	b.play(1, now...)
	if late.read(); late.welcome == nil || !late.welcome.Spectator {
		t.Fatalf("the spectator: %v, %v", late.welcome, late.closing)
	}
	eventually.Holds(t, "the spectator sees the match go on", func() bool { // a broadcast begins beside the match
		b.play(1, now...)
		late.readAll()
		return late.Replica.Tick != 0 && late.Replica.Tick >= at
	})
	if d := b.live.world.Tick() - late.Replica.Tick; d < 20 {
		t.Errorf("the spectator is %d ticks late, want a second", d)
	}
	store.replayed(t, matchID)
}

// TestRestartInOrder: a service that stops says so in the journal, and the next one
// goes on at exactly that tick, without playing anything again. If it is killed before
// it has written anything of its own, the tick after the stop is not told twice.
func TestRestartInOrder(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	cs := skirmish(a, 47)
	at := a.live.world.Tick()
	a.service.Close()
	for _, c := range cs {
		for c.closing == nil {
			c.read()
		}
		c.closing = nil
	}
	if now := a.live.world.Tick(); now > at+1 { // one tick takes in the inputs since the last
		t.Errorf("stopped after tick %d, at tick %d", now, at)
	}
	at = a.live.world.Tick()
	b := a.revived(a.dir, Config{})
	if b.live == nil {
		t.Fatal("the match is lost")
	}
	if got := b.live.world.Tick(); got != at {
		t.Fatalf("stopped after tick %d, goes on after tick %d", at, got)
	}
	state, err := a.dir.State(matchID)
	if err != nil || state == nil || state.Tick != at {
		t.Fatalf("the state of the stop: %+v, %v", state, err)
	}
	cs = b.back(cs...)
	for range 7 { // at last the world rests, and players see it
		b.tick()
		for _, c := range cs {
			c.read()
		}
	}
	seen := cs[0].Replica.Tick
	for _, saved := range []bool{false, true} { // recovered from the start, and from the state of the stop
		dir := folder(t, map[string][]byte{matchID: b.killed()})
		if saved {
			if err := dir.SaveState(matchID, *state); err != nil {
				t.Fatal(err)
			}
		}
		d := a.revived(dir, Config{})
		if d.live == nil || d.live.world.Tick() < seen {
			t.Fatalf("saved state %v: tick %d was seen, and the match comes back before it", saved, seen)
		}
	}
}

// TestStopIsNotTheLastRecordForLong: the first tick after a stop is written down even
// without an input. Otherwise a kill some ticks later would bring the match back at the
// stop, and tell these ticks twice.
func TestStopIsNotTheLastRecordForLong(t *testing.T) {
	a := newServiceHarness(t, 48, 0, 1)
	a.tick() // no client comes
	a.service.Close()
	at := a.live.world.Tick()
	b := a.revived(a.dir, Config{})
	b.tick()
	if now := b.live.world.Tick(); now != at+1 {
		t.Fatalf("at tick %d, the stop was after tick %d", now, at)
	}
	b.killed()
	var next grid.Tick
	stopped := false
	if _, err := journal.Walk(reading(b.dir.Path(matchID)), func(_ uint64, r journal.Record, _ *journal.Summary) error {
		if stopped && r.Tick != nil {
			next = r.Tick.Tick
		}
		stopped = stopped || r.Stop != nil
		return nil
	}); err != nil || next != at+1 {
		t.Errorf("stopped after tick %d, the next record is of tick %d: %v", at, next, err)
	}
}

// TestSuspicions plays random faults on two nodes: the owner is stopped, cut off, or only
// suspected, and the other takes the match over, rightly or wrongly. All messages to all
// clients agree with the final journal, and an owner that knows of its replacement sends
// no more.
func TestSuspicions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store, spec := newSharedStore(), clusterSpec(t)
		a, b := store.node(t, spec, Config{}), store.node(t, spec, Config{})
		defer a.end()
		defer b.end()
		a.starts()
		ps := []*orderly{orderlyOf(a.join(0)), orderlyOf(a.join(1))}
		ps[0].read()
		told := map[grid.Tick][2][]uint32{} // handles that each player has, by tick
		note := func(i int, c *pipeClient) {
			row := told[c.Replica.Tick]
			var has []uint32
			for _, h := range c.Replica.Handles() {
				has = append(has, uint32(h))
			}
			if was := row[i]; was != nil && !slices.Equal(was, has) {
				rt.Fatalf("player %d is told two things of tick %d", i, c.Replica.Tick)
			}
			row[i] = has
			told[c.Replica.Tick] = row
		}
		play := func(n *node, ticks int) {
			for range ticks {
				for _, p := range ps {
					p.give()
				}
				n.play(1)
				for i, p := range ps {
					p.read()
					p.hear()
					note(i, p.pipeClient)
				}
			}
		}
		for range rapid.IntRange(1, 4).Draw(rt, "faults") {
			play(a, rapid.IntRange(1, 45).Draw(rt, "ticks"))
			fault := rapid.SampledFrom([]string{"stopped", "cut off", "suspected"}).Draw(rt, "fault")
			switch fault {
			case "stopped":
				store.elapse(1500 * time.Millisecond)
			case "cut off":
				a.process.cut(true)
				for _, p := range ps {
					p.give()
				}
				store.elapse(1500 * time.Millisecond)
			}
			b.takes()
			a.process.cut(false)
			for i := range rapid.IntRange(1, 30).Draw(rt, "ticks of the replaced") {
				if !a.tick() {
					break
				}
				if fault != "suspected" && i > 1 {
					rt.Fatalf("%s: it plays on after it was replaced", fault)
				}
			}
			for n := 0; a.tick(); n++ { // until it has noticed
				if n > 300 {
					rt.Fatalf("%s: after %d ticks it has not noticed", fault, n)
				}
			}
			for i, p := range ps {
				for p.closing == nil {
					if f := p.read(); f.Closing == nil && f.Waiting == nil {
						if fault != "suspected" {
							rt.Fatalf("%s: a frame of tick %d after it was replaced", fault, p.Replica.Tick)
						}
						note(i, p.pipeClient)
					}
				}
				if p.closing.Code != "moved" {
					rt.Fatalf("closed with %v", p.closing)
				}
				p.closing = nil
				p.hear()
			}
			if len(a.clerk.results) != 0 {
				rt.Fatalf("a result of one that was replaced")
			}
			seen := max(ps[0].Replica.Tick, ps[1].Replica.Tick)
			if b.live.world.Tick() < seen {
				rt.Fatalf("%s: goes on after tick %d, and tick %d was seen", fault, b.live.world.Tick(), seen)
			}
			now := b.back(ps[0].pipeClient, ps[1].pipeClient)
			for i, p := range ps {
				p.again(now[i])
				note(i, p.pipeClient)
			}
			a, b = b, a
		}
		play(a, 5)
		for n := 0; n < 6 || n < 100 && len(ps[0].open)+len(ps[1].open) > 0; n++ {
			a.play(1)
			for i, p := range ps {
				p.read()
				p.hear()
				note(i, p.pipeClient)
			}
		}
		for i, p := range ps {
			if len(p.open) > 0 || len(p.answers) != p.given {
				rt.Fatalf("player %d gave %d orders, %d were answered", i, p.given, len(p.answers))
			}
			// An answer that came in one of the last two frames before a kill may come
			// once more: it is unknown which frame had it.
			for seq, n := range p.answers {
				if n > 2 {
					rt.Fatalf("player %d: order %d was answered %d times", i, seq, n)
				}
			}
		}
		// The messages agree with the journal's history.
		a.live.journal.log.Synced()
		checked := 0
		read := func(each func(uint64, []byte) error) error {
			for n, r := range store.records(matchID) {
				if err := each(uint64(n), r); err != nil {
					return err
				}
			}
			return nil
		}
		_, _, err := journal.Replay(read, func(w *sim.World, out sim.Outcome) error {
			for i, has := range told[out.Tick] {
				if has == nil {
					continue
				}
				var want []uint32
				for _, s := range w.Knowledge(grid.Team(i)).Seen(nil) {
					want = append(want, uint32(s.Handle))
				}
				slices.Sort(want)
				if !slices.Equal(has, want) {
					return fmt.Errorf("player %d was told of %v at tick %d, the journal's history shows %v", i, has, out.Tick, want)
				}
				checked++
			}
			return nil
		})
		if err != nil {
			rt.Fatal(err)
		}
		if checked < 10 {
			rt.Fatalf("only %d frames were compared", checked)
		}
	})
}
