package cluster

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/cluster/placement"
)

var simSeed = flag.Uint64("cluster.seed", 0, "the seed of TestSimulatedFaults; 0: several")

// A simulated cluster: cores on a simulated clock, with a network, a directory and matches that are simulated too.
// Each node has a clock of its own, hours apart from others.
type simulated struct {
	t      *testing.T
	random *rand.Rand
	now    time.Duration
	nodes  []*simulatedNode
	owner  map[string]*simulatedNode // the truth: the matches' logs; nil: a match without an owner
	bucket map[string]entry          // the directory
	lives  uint64                    // incarnations so far
	taken  int
}

type simulatedNode struct {
	*core
	name    string
	offset  time.Duration // of its clock
	born    time.Duration // its heartbeats go by this
	dead    bool
	stopped time.Duration // until then: SIGSTOP
	cut     time.Duration // until then: no message comes or goes
	inbox   []simulatedMessage
	running map[string]bool
	tasks   map[string]time.Duration
	took    int
	missed  map[string]bool // matches without an entry, as it last looked
	read    time.Duration   // the directory, up to what was written then
}

type simulatedMessage struct {
	at time.Duration
	do func(n *simulatedNode, now time.Duration)
}

func (s *simulated) join(n *simulatedNode) {
	s.lives++
	n.dead, n.born, n.stopped, n.cut, n.inbox = false, s.now, 0, 0, nil
	n.offset = time.Duration(s.random.Int64N(int64(10 * time.Hour)))
	n.running, n.tasks = map[string]bool{}, map[string]time.Duration{}
	n.core = newCore(usualTimes, Node{Name: n.name, Incarnation: s.lives, Sim: "sim1", URL: "", Load: placement.Load{Most: 100}}, s.now+n.offset)
	for m, e := range s.bucket {
		n.learn(s.now+n.offset, m, &e)
	}
	s.heartbeat(n)
}

// send sends a message to all nodes. Messages of an isolated node come later.
func (s *simulated) send(from *simulatedNode, do func(n *simulatedNode, now time.Duration)) {
	for _, to := range s.nodes {
		at := max(s.now, from.cut) + time.Duration(s.random.Int64N(int64(40*time.Millisecond)))
		to.inbox = append(to.inbox, simulatedMessage{at, do})
	}
}

func (s *simulated) write(from *simulatedNode, match string, e *entry) {
	if from.cut > s.now {
		return // the journal store does not answer; it is tried again with the next look
	}
	if e == nil {
		if s.bucket[match].owner() != from.entries[match].owner() {
			return // another node has written it meanwhile
		}
		delete(s.bucket, match)
	} else {
		s.bucket[match] = *e
	}
	for _, to := range s.nodes { // in the order of the bucket
		to.read = max(to.read, s.now+time.Duration(s.random.Int64N(int64(100*time.Millisecond))))
		to.inbox = append(to.inbox, simulatedMessage{to.read, func(n *simulatedNode, now time.Duration) { n.learn(now, match, e) }})
	}
}

func (n *simulatedNode) entry() *entry {
	return &entry{Node: n.name, Incarnation: n.self.Incarnation, Sim: "sim1"}
}

const simulatedTick = 10 * time.Millisecond

func (s *simulated) step() {
	s.now += simulatedTick
	for _, n := range s.nodes {
		if n.dead || n.stopped > s.now {
			continue
		}
		now := s.now + n.offset
		if n.cut <= s.now {
			slices.SortStableFunc(n.inbox, func(a, b simulatedMessage) int { return cmp.Compare(a.at, b.at) })
			for len(n.inbox) > 0 && n.inbox[0].at <= s.now {
				do := n.inbox[0].do
				n.inbox = n.inbox[1:]
				do(n, now)
			}
			if n.members.replaced {
				n.dead = true // it ends itself
				continue
			}
		}
		for _, m := range slices.Sorted(maps.Keys(n.tasks)) {
			if n.tasks[m] > s.now {
				continue
			}
			delete(n.tasks, m)
			if n.cut > s.now {
				n.finished(now, m, failed)
				continue
			}
			if _, live := s.owner[m]; !live {
				s.write(n, m, nil)
				n.finished(now, m, wasOver)
				over := owns{V: beatVersion, Name: n.name, Incarnation: n.self.Incarnation, Over: true, Matches: []string{m}}
				s.send(n, func(n *simulatedNode, now time.Duration) { n.told(now, over) })
				continue
			}
			s.owner[m] = n
			n.running[m] = true
			s.taken++
			n.took++
			n.finished(now, m, took)
			s.own(n, m)
		}
		if (s.now-n.born)%(250*time.Millisecond) == 0 {
			if n.cut <= s.now {
				for m := range n.running { // it appends, and learns that it was fenced
					if s.owner[m] != n {
						delete(n.running, m)
					}
				}
			}
			load := placement.Load{Tick: 5 * len(n.running), Matches: len(n.running), Most: 100}
			n.self.Load = load
			all := keys(n.running)
			put, drop := n.run(now, all)
			for _, m := range put {
				s.own(n, m)
			}
			for _, m := range drop {
				s.write(n, m, nil)
			}
			s.heartbeat(n)
			if (s.now-n.born)%(5*time.Second) == 0 {
				o := owns{V: beatVersion, Name: n.name, Incarnation: n.self.Incarnation, Matches: all}
				s.send(n, func(n *simulatedNode, now time.Duration) { n.told(now, o) })
				s.scan(n)
			}
		}
		if s.now%(50*time.Millisecond) == 0 {
			for _, m := range n.step(now) {
				if len(n.tasks) < 4 && n.begun(m) {
					n.tasks[m] = s.now + 100*time.Millisecond + time.Duration(s.random.Int64N(int64(400*time.Millisecond)))
					s.heartbeat(n)
				}
			}
		}
	}
}

// scan looks for matches without an entry, as scanLoop does: matches that no node runs at the second look are told
// to all.
func (s *simulated) scan(n *simulatedNode) {
	missed := map[string]bool{}
	var twice []string
	for _, m := range slices.Sorted(maps.Keys(s.owner)) {
		if _, listed := n.entries[m]; listed || n.running[m] || n.cut > s.now {
			continue
		}
		missed[m] = true
		runs := slices.ContainsFunc(s.nodes, func(o *simulatedNode) bool { return !o.dead && o.stopped <= s.now && o.cut <= s.now && o.running[m] })
		if n.missed[m] && !runs {
			twice = append(twice, m)
		}
	}
	n.missed = missed
	s.send(n, func(n *simulatedNode, now time.Duration) { n.scanned(now, twice) })
}

func (s *simulated) own(n *simulatedNode, match string) {
	s.write(n, match, n.entry())
	o := owns{V: beatVersion, Name: n.name, Incarnation: n.self.Incarnation, New: true, Matches: []string{match}}
	s.send(n, func(n *simulatedNode, now time.Duration) { n.told(now, o) })
}

func (s *simulated) heartbeat(n *simulatedNode) {
	b := n.heartbeat()
	if n.cut <= s.now { // heartbeats are not kept for later
		s.send(n, func(n *simulatedNode, now time.Duration) { n.hear(now, b) })
	}
}

func (s *simulated) run(d time.Duration) {
	for end := s.now + d; s.now < end; {
		s.step()
	}
}

// wrong returns the faults of the state some time after the last fault.
func (s *simulated) wrong() string {
	for m, o := range s.owner {
		if o == nil || o.dead || !o.running[m] {
			return fmt.Sprintf("%s runs nowhere", m)
		}
		for _, n := range s.nodes {
			if n.dead {
				continue
			}
			if at, ok := n.where(s.now+n.offset, m); !ok || at.Name != o.name {
				return fmt.Sprintf("%s runs at %s, and %s says %q", m, o.name, n.name, at.Name)
			}
		}
	}
	for _, n := range s.nodes {
		for m := range n.running {
			if !n.dead && s.owner[m] != n {
				return fmt.Sprintf("%s still runs %s", n.name, m)
			}
		}
		if !n.dead && len(n.orphans) > 0 {
			for m, o := range n.orphans {
				return fmt.Sprintf("%s waits for %d matches that have a node: %+v, its entry is %+v", n.name, len(n.orphans), *o, n.entries[m])
			}
		}
	}
	return ""
}

func newSimulated(t *testing.T, seed uint64, nodes, matches int) *simulated {
	s := &simulated{t: t, random: rand.New(rand.NewPCG(seed, 16)), owner: map[string]*simulatedNode{}, bucket: map[string]entry{}}
	for i := range nodes {
		n := &simulatedNode{name: fmt.Sprint("node", i)}
		s.nodes = append(s.nodes, n)
		s.join(n)
	}
	s.run(time.Second)
	for i := range matches {
		n, m := s.nodes[i%nodes], fmt.Sprintf("match%03d", i)
		s.owner[m] = n
		n.running[m] = true
	}
	s.run(time.Second)
	return s
}

// Some time after all events every match runs at one living node, and all know at
// which. Without a fault no match is taken.
func TestSimulatedFaults(t *testing.T) {
	seeds := []uint64{*simSeed}
	if *simSeed == 0 {
		seeds = nil
		most := uint64(25)
		if os.Getenv("FOGKEEP_TEST_LONG") != "" {
			most = 300
		}
		for seed := range most {
			seeds = append(seeds, seed+1)
		}
	}
	for _, seed := range seeds {
		s := newSimulated(t, seed, 5, 60)
		s.run(10 * time.Second)
		if why := s.wrong(); why != "" || s.taken > 0 {
			t.Fatalf("seed %d: without a fault %d matches were taken; %s", seed, s.taken, why)
		}
		for range 12 {
			n := s.nodes[s.random.IntN(len(s.nodes))]
			switch s.random.IntN(5) {
			case 0: // kill -9; the last one lives
				if slices.ContainsFunc(s.nodes, func(o *simulatedNode) bool { return !o.dead && o != n }) {
					n.dead = true
				}
			case 1:
				if n.dead {
					s.join(n)
				}
			case 2:
				n.stopped = s.now + time.Duration(s.random.Int64N(int64(6*time.Second)))
			case 3:
				n.cut = s.now + time.Duration(s.random.Int64N(int64(6*time.Second)))
			case 4: // a match ends, a match begins
				for _, m := range slices.Sorted(maps.Keys(s.owner)) {
					if s.owner[m] == n && n.running[m] {
						delete(s.owner, m)
						delete(n.running, m)
						break
					}
				}
				if !n.dead {
					m := fmt.Sprintf("later%d", s.now/simulatedTick)
					s.owner[m] = n
					n.running[m] = true
				}
			}
			s.run(time.Duration(s.random.Int64N(int64(3 * time.Second))))
		}
		s.run(40 * time.Second)
		if why := s.wrong(); why != "" {
			t.Fatalf("seed %d: %s\ngo test ./match/cluster -run TestSimulatedFaults -cluster.seed %d", seed, why, seed)
		}
	}
}

// How long a match is without a node after a kill: the suspicion, and the turn of the first node.
func TestSimulatedTakeoverIsQuick(t *testing.T) {
	for seed := range uint64(10) {
		s := newSimulated(t, seed+1, 4, 40)
		s.nodes[1].dead = true
		s.run(3500 * time.Millisecond) // 1.5 to be suspected, and ten matches, four at a time, of half a second
		if why := s.wrong(); why != "" || s.taken != 10 {
			t.Errorf("seed %d: %d matches of 10 were taken, and %s", seed+1, s.taken, why)
		}
	}
}

// A node that was stopped until it was replaced takes no match back when it goes on.
func TestSimulatedZombie(t *testing.T) {
	for _, pause := range []time.Duration{time.Second, 2 * time.Second, 8 * time.Second, time.Minute} {
		s := newSimulated(t, 3, 3, 30)
		s.nodes[0].stopped = s.now + pause
		s.run(pause)
		s.run(20 * time.Second)
		if why := s.wrong(); why != "" || s.nodes[0].took > 0 || pause < 1200*time.Millisecond && s.taken > 0 || pause >= 8*time.Second && s.taken != 10 {
			t.Errorf("stopped for %v: %d of its matches were taken, %d by itself afterwards; %s", pause, s.taken, s.nodes[0].took, why)
		}
	}
}

// All nodes restart at once, the last one later than the first. The others wait for it for a grace, and then take its
// matches. If it is back in time, every node has its own matches again.
func TestSimulatedRestart(t *testing.T) {
	t.Parallel()
	grace := usualTimes.suspect + usualTimes.settle // the first heartbeats of a node, and the time to be heard at all
	for _, c := range []struct {
		late time.Duration
		home bool
	}{{0, true}, {time.Second, true}, {grace - 250*time.Millisecond, true}, {grace + 3*time.Second, false}} {
		for seed := range uint64(10) {
			s := newSimulated(t, seed+1, 3, 24)
			var had []map[string]bool
			for _, n := range s.nodes {
				n.dead = true
				had = append(had, n.running)
			}
			s.run(100 * time.Millisecond)
			s.join(s.nodes[0])
			s.run(c.late / 2)
			s.join(s.nodes[1])
			s.run(c.late - c.late/2)
			s.join(s.nodes[2])
			s.run(20 * time.Second)
			why := s.wrong()
			for i, n := range s.nodes {
				if home := maps.Equal(n.running, had[i]); why == "" && home != c.home && (c.home || i == 2) {
					why = fmt.Sprintf("%s has %v, and had %v", n.name, keys(n.running), keys(had[i]))
				}
			}
			if why != "" || c.home && s.taken != 24 {
				t.Errorf("seed %d, the last node %v after the first, %d matches taken: %s", seed+1, c.late, s.taken, why)
			}
		}
	}
}

// One node restarts, before the others suspect it, while they take its matches, or afterwards. Each of its matches is
// taken once.
func TestSimulatedComeback(t *testing.T) {
	t.Parallel()
	for late := time.Duration(0); late <= 2*usualTimes.suspect+time.Second; late += 100 * time.Millisecond {
		for seed := range uint64(4) {
			s := newSimulated(t, seed+1, 3, 36)
			s.nodes[0].dead = true
			s.run(late)
			s.join(s.nodes[0])
			s.run(10 * time.Second)
			if why := s.wrong(); why != "" || s.taken != 12 {
				t.Errorf("seed %d, back after %v: %d matches of 12 were taken; %s", seed+1, late, s.taken, why)
			}
		}
	}
}
