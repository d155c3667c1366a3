package cluster

import (
	"cmp"
	"container/heap"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/cluster/placement"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/jetstream"
	"github.com/fogkeep/fogkeep/match/sim"
)

var (
	durableSeed  = flag.Uint64("cluster.journal-seed", 0, "the seed of TestSimulatedJournals; 0: many")
	durableSeeds = flag.Uint64("cluster.journal-seeds", 0, "how many seeds TestSimulatedJournals plays; 0: the usual")
)

// A faulty cluster: the decisions of nodes ([core]), of journals' owners ([jetstream.Owner]) and of frames
// ([journal.Gate]) on one simulated clock, with a simulated network, journal store and clients. The world of a match is
// a sum over its inputs. The seed decides all events.
type faulty struct {
	random *rand.Rand
	jumps  *rand.Rand // of clocks; nil: they do not jump
	now    time.Duration
	events events
	count  int
	nodes  []*faultyNode
	log    faultyLog
	cut    map[[2]int]time.Duration // from one place to another, until then; the journal store is place storePlace
	games  []*game
	bucket map[string]entry
	lives  uint64
	loss   int // of a hundred messages
	wrong  string
}

const (
	storePlace = -1
	tickRate   = 20
	oneTick    = time.Second / tickRate
)

type event struct {
	at time.Duration
	no int
	do func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(e[i].at, e[j].at), e[i].no-e[j].no) < 0
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

// faultyNode is one life of a node.
type faultyNode struct {
	*core
	place   int
	name    string
	offset  time.Duration
	drift   int64 // of its clock, in millionths
	dead    bool
	stopped time.Duration // until then: SIGSTOP
	runs    map[string]*run
	busy    int
	missed  map[string]bool
}

func (n *faultyNode) clock(now time.Duration) time.Duration {
	return now + n.offset + now*time.Duration(n.drift)/1e6
}

// faultyLog is the journal store: what a majority has, it never loses.
type faultyLog struct {
	seq  uint64
	down time.Duration // without a leader, until then
	lost int           // leaders so far
	full time.Duration
	slow time.Duration
	of   map[string]*subject
}

type subject struct {
	messages [][]byte
	seqs     []uint64
	by       *run // the last owner
	since    time.Duration
	flight   bool
}

func (s *subject) last() (uint64, []byte) {
	if len(s.seqs) == 0 {
		return 0, nil
	}
	return s.seqs[len(s.seqs)-1], s.messages[len(s.messages)-1]
}

// game is a match and its client.
type game struct {
	id, sim   string
	at        *run // to which the client is connected
	frame     time.Duration
	shown     map[grid.Tick]uint64
	sent      uint32
	open      []uint32 // orders without an answer
	acked     map[uint32]bool
	resumed   time.Duration // the first frame after the faults
	quietFrom time.Duration
}

// tally is the state of a match.
type tally struct {
	tick    grid.Tick
	sum     uint64
	applied uint32
	acts    []action
}

type action struct {
	at  grid.Tick
	seq uint32
}

// step plays a tick. Inputs act [sim.OrderDelay] ticks later.
func (w *tally) step(inputs []sim.Input) {
	w.tick++
	for _, in := range inputs {
		w.acts = append(w.acts, action{w.tick + sim.OrderDelay, in.Seq})
	}
	w.sum = w.sum*0x9e3779b97f4a7c15 + uint64(w.tick)
	for len(w.acts) > 0 && w.acts[0].at <= w.tick {
		w.sum = (w.sum ^ uint64(w.acts[0].seq)) * 0xbf58476d1ce4e5b9
		w.acts = w.acts[1:]
	}
}

// run is a match on its node.
type run struct {
	f       *faulty
	n       *faultyNode
	g       *game
	owner   *jetstream.Owner
	gate    journal.Gate
	need    uint64
	held    bool // a tick is played, and its frame not sent
	w       tally
	wire    []uint32 // orders on their way
	inbox   []uint32
	answers []answered
	writing bool
	over    bool
}

type answered struct {
	n   uint64
	seq uint32
}

func (f *faulty) after(d time.Duration, do func()) {
	f.count++
	heap.Push(&f.events, event{f.now + d, f.count, do})
}

func (f *faulty) between(a, b time.Duration) time.Duration {
	return a + time.Duration(f.random.Int64N(int64(b-a)))
}

func (f *faulty) fail(format string, args ...any) {
	if f.wrong == "" {
		f.wrong = fmt.Sprintf("%v: ", f.now) + fmt.Sprintf(format, args...)
	}
}

func (f *faulty) cutOff(from, to int) bool { return f.cut[[2]int{from, to}] > f.now }

// on runs do at a node once a message arrives: later if the node is stopped, never if it has died.
func (f *faulty) on(n *faultyNode, d time.Duration, do func()) {
	f.after(d, func() {
		switch {
		case n.dead:
		case n.stopped > f.now:
			f.on(n, n.stopped-f.now, do)
		default:
			do()
		}
	})
}

// send brings a message from one place to another: late, twice or never.
func (f *faulty) send(from, to int, do func(d time.Duration)) {
	if f.cutOff(from, to) || f.random.IntN(100) < f.loss {
		return
	}
	do(f.between(time.Millisecond, 30*time.Millisecond))
	if f.random.IntN(100) < f.loss {
		do(f.between(time.Millisecond, 3*time.Second))
	}
}

func (f *faulty) tell(from *faultyNode, do func(n *faultyNode, now time.Duration)) {
	for _, n := range f.nodes {
		f.send(from.place, n.place, func(d time.Duration) { f.on(n, d, func() { do(n, n.clock(f.now)) }) })
	}
}

// errors of the journal store, as far as its callers tell them apart.
var (
	errRefused = errors.New("another message is the last one")
	errNoRoom  = errors.New("full")
)

// publish writes a message behind another one. answer may come twice, late or never.
func (f *faulty) publish(n *faultyNode, r *run, first bool, last uint64, data []byte, answer func(seq uint64, err error)) {
	reply := func(seq uint64, err error) {
		f.send(storePlace, n.place, func(d time.Duration) { f.on(n, d, func() { answer(seq, err) }) })
	}
	s := f.log.of[r.g.id]
	f.send(n.place, storePlace, func(d time.Duration) {
		f.after(d, func() {
			at, _ := s.last()
			switch {
			case f.log.down > f.now:
				return
			case f.log.full > f.now:
				reply(0, errNoRoom)
				return
			case s.flight || at != last:
				reply(0, errRefused)
				return
			}
			s.flight = true
			leader := f.log.lost
			f.after(f.between(time.Millisecond, 10*time.Millisecond+f.log.slow), func() {
				s.flight = false
				elected := leader != f.log.lost
				if elected && f.random.IntN(2) == 0 {
					return // the new leader does not have it
				}
				if first {
					s.by, s.since = r, f.now
				} else if s.by != r {
					f.fail("%s writes to %s, which %s owns", n.name, r.g.id, s.by.n.name)
				}
				f.log.seq++
				s.messages, s.seqs = append(s.messages, slices.Clone(data)), append(s.seqs, f.log.seq)
				if !elected {
					reply(f.log.seq, nil)
				}
			})
		})
	})
}

// tail reads a subject's end, as its leader knows it.
func (f *faulty) tail(n *faultyNode, match string, answer func(seq uint64, data []byte)) {
	f.send(n.place, storePlace, func(d time.Duration) {
		f.after(d, func() {
			if f.log.down > f.now {
				return
			}
			seq, data := f.log.of[match].last()
			f.send(storePlace, n.place, func(d time.Duration) { f.on(n, d, func() { answer(seq, data) }) })
		})
	})
}

const (
	attemptFor = 2 * time.Second
	retryAfter = 50 * time.Millisecond
)

// attempt writes a message until it is known to be written or not, as the writer of a log does. settle says what the
// end of the subject proves.
func (r *run) attempt(first bool, last uint64, data []byte, end time.Duration, settle func(seq uint64, end []byte) (bool, error), done func(seq uint64, began time.Duration, err error)) {
	f, n := r.f, r.n
	begun := n.clock(f.now)
	var try func()
	try = func() {
		if r.over || f.now > end {
			done(0, 0, errNoRoom)
			return
		}
		began, answer := n.clock(f.now), false
		once := func(do func()) func() {
			return func() {
				if !answer && !r.over {
					answer = true
					do()
				}
			}
		}
		look := func() {
			seen := false
			f.tail(n, r.g.id, func(seq uint64, data []byte) {
				if seen || r.over {
					return
				}
				seen = true
				switch written, err := settle(seq, data); {
				case written:
					done(seq, begun, nil)
				case err != nil:
					done(0, 0, err)
				default:
					f.on(n, retryAfter, try)
				}
			})
			f.on(n, attemptFor, func() {
				if !seen && !r.over {
					seen = true
					try()
				}
			})
		}
		f.publish(n, r, first, last, data, func(seq uint64, err error) {
			once(func() {
				switch {
				case err == nil:
					done(seq, began, nil)
				case errors.Is(err, errNoRoom):
					f.on(n, retryAfter, try)
				default:
					look()
				}
			})()
		})
		f.on(n, attemptFor, once(look))
	}
	try()
}

// write is the writer's loop.
func (r *run) write() {
	f := r.f
	if r.over || r.writing || r.owner.Due(r.n.clock(f.now)) > 0 {
		return
	}
	r.writing = true
	data := r.owner.Message(nil)
	r.attempt(false, r.owner.Last(), data, 1<<62, func(seq uint64, end []byte) (bool, error) { return r.owner.Settle(data, seq, end) },
		func(seq uint64, began time.Duration, err error) {
			r.writing = false
			if err != nil {
				r.stop()
				return
			}
			r.owner.Written(seq, began)
			r.show()
			r.write()
		})
}

func (r *run) stop() {
	r.over = true
	if r.n.runs[r.g.id] == r {
		delete(r.n.runs, r.g.id)
	}
}

// play plays a tick, if the frame of the one before is sent.
func (r *run) play() {
	f := r.f
	if r.over || r.n.dead {
		return
	}
	f.on(r.n, oneTick, r.play)
	r.show()
	if !r.held {
		r.step(r.inbox)
		r.inbox, r.held = nil, true
		r.show()
	}
	r.write()
}

// step plays a tick with orders, and notes it in the journal.
func (r *run) step(orders []uint32) {
	t := journal.Tick{Tick: r.w.tick + 1}
	for _, seq := range orders {
		if seq <= r.w.applied { // asked again
			r.answers = append(r.answers, answered{r.owner.Next(), seq})
			continue
		}
		r.w.applied = seq
		t.Inputs = append(t.Inputs, sim.Input{Kind: sim.InputOrder, Seq: seq})
	}
	r.w.step(t.Inputs)
	if t.Tick%tickRate == 0 {
		t.Hashed, t.Hash = true, r.w.sum
	}
	if !t.Empty() {
		n := r.owner.Next()
		if err := r.owner.Append(n, journal.AppendTick(nil, &t)); err != nil {
			r.f.fail("%v", err)
		}
		r.gate.Note(n, t.Tick+sim.OrderDelay)
		for _, in := range t.Inputs {
			r.answers = append(r.answers, answered{n, in.Seq})
		}
	}
	r.need = r.gate.Need(t.Tick)
}

// show sends the frame of the last tick, if the journal has all that it shows and the match is this node's.
func (r *run) show() {
	f, g := r.f, r.g
	if !r.held || r.owner.Synced() < r.need {
		return
	}
	if !r.owner.Owns(r.n.clock(f.now)) {
		r.write()
		return
	}
	r.held = false
	if s := f.log.of[g.id]; s.by != r && f.now > s.since+journal.Lease+journal.Lease/50 {
		f.fail("%s sends a frame of %s, which %s has had for %v", r.n.name, g.id, s.by.n.name, f.now-s.since)
	}
	var acks []uint32
	r.answers = slices.DeleteFunc(r.answers, func(a answered) bool {
		if a.n < r.owner.Synced() {
			acks = append(acks, a.seq)
			return true
		}
		return false
	})
	tick, sum := r.w.tick, r.w.sum
	if was, ok := g.shown[tick]; ok {
		f.fail("tick %d of %s is shown twice, in the same state: %t", tick, g.id, was == sum)
	}
	g.shown[tick] = sum // to any client
	if g.at != r {
		return
	}
	f.after(f.between(time.Millisecond, 20*time.Millisecond), func() {
		if g.at != r {
			return
		}
		g.frame = f.now
		if g.quietFrom > 0 && g.resumed == 0 {
			g.resumed = f.now
		}
		for _, seq := range acks {
			g.acked[seq] = true
		}
		g.open = slices.DeleteFunc(g.open, func(seq uint32) bool { return g.acked[seq] })
	})
}

// client connects, orders, and asks again.
func (f *faulty) client(g *game) {
	f.after(100*time.Millisecond, func() { f.client(g) })
	if g.at == nil || g.at.over || f.now-g.frame > time.Second {
		n := f.nodes[f.random.IntN(len(f.nodes))]
		if n.dead || n.stopped > f.now {
			return
		}
		if to, ok := n.where(n.clock(f.now), g.id); ok {
			for _, n := range f.nodes {
				if r := n.runs[g.id]; n.name == to.Name && r != nil && n.stopped <= f.now {
					g.at, g.frame = r, f.now
					f.order(g, g.open...)
				}
			}
		}
		return
	}
	if f.random.IntN(4) == 0 && len(g.open) < 4 {
		g.sent++
		g.open = append(g.open, g.sent)
		f.order(g, g.sent)
	}
	if f.random.IntN(8) == 0 {
		f.order(g, g.open...)
	}
}

// order sends orders on the client's connection, which keeps their order.
func (f *faulty) order(g *game, seqs ...uint32) {
	r := g.at
	r.wire = append(r.wire, seqs...)
	f.on(r.n, 10*time.Millisecond, func() { r.inbox, r.wire = append(r.inbox, r.wire...), nil })
}

// read plays a journal.
func read(messages [][]byte, each func(w *tally, t *journal.Tick)) (w tally, err error) {
	err = jetstream.ReadMessages("it", messages, func(_ uint64, record []byte) error {
		rec, err := journal.Decode(record)
		if err != nil {
			return err
		}
		for w.tick+1 < rec.Tick.Tick {
			w.step(nil)
			each(&w, nil)
		}
		for _, in := range rec.Tick.Inputs {
			w.applied = max(w.applied, in.Seq)
		}
		w.step(rec.Tick.Inputs)
		each(&w, rec.Tick)
		if rec.Tick.Hashed && rec.Tick.Hash != w.sum {
			return fmt.Errorf("tick %d has another hash", w.tick)
		}
		return nil
	})
	return w, err
}

// takeOver takes a match for a node, as package jetstream and the match service do.
func (f *faulty) takeOver(n *faultyNode, g *game, finish func(outcome)) {
	if n.self.Sim != g.sim {
		finish(cannotPlay)
		return
	}
	end := f.now + 12*time.Second
	r := &run{f: f, n: n, g: g}
	s := f.log.of[g.id]
	done := false
	finished := func(o outcome) {
		if !done {
			done = true
			if o != took {
				r.over = true
			}
			finish(o)
		}
	}
	begin := func(seq uint64, began time.Duration) {
		r.owner.Own(seq, began)
		upTo, _ := slices.BinarySearch(s.seqs, seq)
		messages := slices.Clone(s.messages[:upTo+1])
		flipped := f.loss > 0 && f.random.IntN(20) == 0
		if flipped {
			i := f.random.IntN(len(messages))
			messages[i] = slices.Clone(messages[i])
			messages[i][f.random.IntN(len(messages[i]))] ^= 1 << f.random.IntN(8)
		}
		f.on(n, f.between(50*time.Millisecond, 300*time.Millisecond), func() {
			w, err := read(messages, func(*tally, *journal.Tick) {})
			if flipped != (err != nil) {
				f.fail("a journal with a flipped bit: %t, is read with %v", flipped, err)
			}
			if err != nil {
				finished(failed)
				return
			}
			r.w = w
			if last := journal.LastShown(w.tick, tickRate); w.tick > 0 {
				for r.w.tick < last {
					r.step(nil)
				}
			}
			n.runs[g.id] = r
			finished(took)
			r.play()
		})
	}
	var before []byte
	var open func()
	open = func() {
		if f.now > end {
			finished(failed)
			return
		}
		seen := false
		f.tail(n, g.id, func(last uint64, tail []byte) {
			if seen {
				return
			}
			seen = true
			if before != nil && s.by != nil && s.by.n != n && string(before) != string(tail) && f.random.IntN(2) == 0 {
				finished(failed) // another process takes it
				return
			}
			before = tail
			o, first, err := jetstream.Succeed(tail, uint64(n.place)<<32|n.self.Incarnation, n.name)
			if err != nil {
				f.fail("%v", err)
				return
			}
			r.owner = o
			r.attempt(true, last, first, end, func(seq uint64, end []byte) (bool, error) {
				if jetstream.Landed(first, last, seq, end) {
					return true, nil
				}
				if seq > last {
					return false, errRefused
				}
				return false, nil
			}, func(seq uint64, began time.Duration, err error) {
				switch {
				case err == nil:
					begin(seq, began)
				case errors.Is(err, errRefused):
					open()
				default:
					finished(failed)
				}
			})
		})
		f.on(n, attemptFor, func() {
			if !seen {
				seen = true
				open()
			}
		})
	}
	open()
}

// join begins a life of a node.
func (f *faulty) join(place int, sims string) *faultyNode {
	f.lives++
	n := &faultyNode{
		place: place, name: fmt.Sprint("node", place), offset: f.between(0, 10*time.Hour), drift: f.random.Int64N(10_000) - 5_000, runs: map[string]*run{},
	}
	n.core = newCore(usualTimes, Node{Name: n.name, Incarnation: f.lives, Sim: sims, Load: placement.Load{Most: 100}}, n.clock(f.now))
	for m, e := range f.bucket {
		n.learn(n.clock(f.now), m, &e)
	}
	if place == len(f.nodes) {
		f.nodes = append(f.nodes, n)
	} else {
		f.nodes[place] = n
	}
	f.beat(n)
	f.look(n)
	f.announce(n)
	return n
}

func (f *faulty) heartbeat(n *faultyNode) {
	b := n.heartbeat()
	f.tell(n, func(n *faultyNode, now time.Duration) {
		doubted := n.hear(now, b)
		if n.members.replaced {
			f.kill(n)
		}
		n.doubt(now, doubted)
	})
}

func (n *faultyNode) doubt(now time.Duration, matches []string) {
	for _, m := range matches {
		if r := n.runs[m]; r != nil {
			r.owner.Doubt(now)
			r.write()
		}
	}
}

func (f *faulty) kill(n *faultyNode) {
	n.dead = true
	for _, r := range n.runs {
		r.over = true
	}
}

func (f *faulty) own(n *faultyNode, o owns, matches ...string) {
	o.V, o.Name, o.Incarnation, o.Matches = beatVersion, n.name, n.self.Incarnation, matches
	f.tell(n, func(n *faultyNode, now time.Duration) { n.doubt(now, n.told(now, o)) })
}

// put writes into the directory, or deletes there.
func (f *faulty) put(n *faultyNode, match string) {
	if f.log.down > f.now || f.cutOff(n.place, storePlace) {
		return
	}
	e := entry{Node: n.name, Incarnation: n.self.Incarnation, Sim: n.self.Sim}
	f.bucket[match] = e
	for _, to := range f.nodes {
		if !f.cutOff(storePlace, to.place) {
			f.on(to, 20*time.Millisecond, func() { to.learn(to.clock(f.now), match, &e) })
		}
	}
}

func (f *faulty) beat(n *faultyNode) {
	f.on(n, Heartbeat, func() { f.beat(n) })
	all := slices.Sorted(maps.Keys(n.runs))
	n.self.Load = placement.Load{Tick: 5 * len(all), Matches: len(all), Most: 100}
	put, _ := n.run(n.clock(f.now), all)
	for _, m := range put {
		f.put(n, m)
		f.own(n, owns{New: true}, m)
	}
	f.heartbeat(n)
}

// announce tells the matches of a node, and looks for journals without an entry.
func (f *faulty) announce(n *faultyNode) {
	f.on(n, usualTimes.tell, func() { f.announce(n) })
	f.own(n, owns{}, slices.Sorted(maps.Keys(n.runs))...)
	missed := map[string]bool{}
	for _, g := range f.games {
		if _, listed := n.entries[g.id]; !listed && n.runs[g.id] == nil {
			missed[g.id] = true
			runs := slices.ContainsFunc(f.nodes, func(o *faultyNode) bool { return !o.dead && o.runs[g.id] != nil })
			if n.missed[g.id] && !runs {
				f.tell(n, func(n *faultyNode, now time.Duration) { n.scanned(now, []string{g.id}) })
			}
		}
	}
	n.missed = missed
}

// look starts the takeovers whose turn it is.
func (f *faulty) look(n *faultyNode) {
	f.on(n, Heartbeat/5, func() { f.look(n) })
	for _, m := range n.step(n.clock(f.now)) {
		if n.busy == 4 || !n.begun(m) {
			break
		}
		n.busy++
		f.heartbeat(n)
		g := f.games[slices.IndexFunc(f.games, func(g *game) bool { return g.id == m })]
		f.takeOver(n, g, func(o outcome) {
			n.busy--
			n.finished(n.clock(f.now), m, o)
			if o == took {
				f.put(n, m)
				f.own(n, owns{New: true}, m)
			}
		})
	}
}

// The clocks of two nodes differ in speed by this at most, see journal.Lease in show.
func newFaulty(seed uint64) *faulty {
	f := &faulty{random: rand.New(rand.NewPCG(seed, 37)), cut: map[[2]int]time.Duration{}, bucket: map[string]entry{}, log: faultyLog{of: map[string]*subject{}}}
	if seed%8 == 0 {
		f.jumps = rand.New(rand.NewPCG(seed, 38))
	}
	for i := range 3 {
		f.join(i, "sim1")
	}
	f.run(500 * time.Millisecond)
	for i := range 3 {
		g := &game{id: fmt.Sprint("match", i), sim: "sim1", shown: map[grid.Tick]uint64{}, acked: map[uint32]bool{}}
		f.games = append(f.games, g)
		f.log.of[g.id] = &subject{}
		n := f.nodes[i%2]
		f.takeOver(n, g, func(outcome) {})
		f.client(g)
	}
	f.run(1500 * time.Millisecond)
	return f
}

func (f *faulty) run(d time.Duration) {
	end := f.now + d
	for len(f.events) > 0 && f.events[0].at <= end && f.wrong == "" {
		e := heap.Pop(&f.events).(event)
		f.now = e.at
		e.do()
	}
	f.now = end
}

// fault makes one fault. It ends before the time until.
func (f *faulty) fault(until time.Duration) {
	i := f.random.IntN(len(f.nodes))
	n := f.nodes[i]
	to := min(until, f.now+f.between(100*time.Millisecond, 5*time.Second))
	switch f.random.IntN(10) {
	case 0, 1:
		f.kill(n)
	case 2:
		if n.dead {
			f.join(i, n.self.Sim)
		}
	case 3: // another build
		f.kill(n)
		f.join(i, fmt.Sprint("sim", 1+f.random.IntN(2)))
	case 4:
		n.stopped = to
	case 5: // cut off in both directions
		for j := -1; j < len(f.nodes); j++ {
			f.cut[[2]int{i, j}], f.cut[[2]int{j, i}] = to, to
		}
	case 6: // in one direction
		f.cut[[2]int{i, f.random.IntN(len(f.nodes)+1) - 1}] = to
	case 7: // no answer of the journal store arrives
		f.cut[[2]int{storePlace, i}] = to
	case 8:
		f.log.down = to
		f.log.lost++
	case 9:
		if f.random.IntN(2) == 0 {
			f.log.full = to
		} else {
			f.log.slow = f.between(0, 500*time.Millisecond)
		}
	}
}

// resumeMost is how long a match may stand still once the last fault has ended. A takeover that has just failed is tried
// again after four seconds; each of its attempts may lose two answers that were on their way.
const resumeMost = 10 * time.Second

// faults plays a whole seed, and returns the broken invariants.
func (f *faulty) faults() string {
	f.loss = f.random.IntN(10)
	until := f.now + 8*time.Second
	for f.now < until && f.wrong == "" {
		f.fault(until)
		if f.jumps != nil { // the clock of a node, as that of a machine that was suspended
			f.nodes[f.jumps.IntN(len(f.nodes))].offset += time.Duration(f.jumps.Int64N(int64(5 * time.Second)))
		}
		f.run(f.between(0, 2*time.Second))
	}
	f.run(until - f.now)
	f.loss, f.log.slow = 0, 0
	alone := !slices.ContainsFunc(f.nodes, func(n *faultyNode) bool { return !n.dead && n.self.Sim == "sim1" })
	for i, n := range f.nodes {
		if n.dead && (alone || f.random.IntN(2) == 0) { // the others stay dead
			f.join(i, "sim1")
			alone = false
		}
	}
	if alone {
		f.kill(f.nodes[0])
		f.join(0, "sim1")
	}
	for _, g := range f.games {
		g.quietFrom = f.now
	}
	f.run(resumeMost)
	return f.judge()
}

// judge compares all that clients saw with the journals.
func (f *faulty) judge() string {
	for _, g := range f.games {
		s := f.log.of[g.id]
		sums, applied := map[grid.Tick]uint64{}, map[uint32]int{}
		w, err := read(s.messages, func(w *tally, t *journal.Tick) {
			sums[w.tick] = w.sum
			if t != nil {
				for _, in := range t.Inputs {
					applied[in.Seq]++
				}
			}
		})
		if err != nil {
			f.fail("the journal of %s: %v", g.id, err)
		}
		for last := journal.LastShown(w.tick, tickRate); w.tick < last; sums[w.tick] = w.sum {
			w.step(nil)
		}
		for _, tick := range slices.Sorted(maps.Keys(g.shown)) {
			if sum, ok := sums[tick]; !ok || sum != g.shown[tick] {
				f.fail("a client of %s saw another tick %d than the journal has: in it %t", g.id, tick, ok)
			}
		}
		for seq := range g.acked {
			if applied[seq] != 1 {
				f.fail("order %d of %s was answered, and is done %d times", seq, g.id, applied[seq])
			}
		}
		for seq, times := range applied {
			if times > 1 {
				f.fail("order %d of %s is done %d times", seq, g.id, times)
			}
		}
		if f.wrong == "" && g.resumed == 0 {
			f.fail("%s has no frame %v after the last fault", g.id, f.now-g.quietFrom)
		}
	}
	return f.wrong
}

// Three nodes, three matches and their clients under random faults: no answered order is lost or done twice, no journal
// has two writers, no client sees a tick that the journal does not have, and every match goes on afterwards.
func TestSimulatedJournals(t *testing.T) {
	first, most := uint64(1), uint64(2000)
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		most = 100_000
	}
	if *durableSeeds > 0 {
		most = *durableSeeds
	}
	if *durableSeed > 0 {
		first, most = *durableSeed, 1
	}
	if a, b := newFaulty(first), newFaulty(first); a.faults() != b.faults() || a.count != b.count {
		t.Errorf("seed %d: the first time %d events, the second time %d", first, a.count, b.count)
	}
	began := time.Now()
	var slowest time.Duration
	for seed := first; seed < first+most; seed++ {
		f := newFaulty(seed)
		if why := f.faults(); why != "" {
			t.Fatalf("seed %d, after %v: %s\ngo test ./match/cluster -run TestSimulatedJournals -cluster.journal-seed %d", seed, time.Since(began).Round(time.Millisecond), why, seed)
		}
		for _, g := range f.games {
			slowest = max(slowest, g.resumed-g.quietFrom)
			if len(g.acked) == 0 {
				t.Fatalf("seed %d: %s has no answered order", seed, g.id)
			}
		}
	}
	t.Logf("%d seeds in %v; the longest wait after the last fault: %v", most, time.Since(began).Round(time.Millisecond), slowest)
}
