package match

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

var forkSeed = flag.Uint64("fork-seed", 0, "play the forks of this seed alone")

// Bounds of the forks.
const (
	forkFrom     = 150 // forks leave the first run from this tick on
	forkSpread   = 100 // and within so many
	forkTicks    = 260 // and go on for so many, if no channel ends them
	forkCounts   = 100 // a fork counts if secrets differed for so many ticks
	changesFirst = 6   // changes at the fork
	changesEvery = 25  // then one more every so many ticks
)

// fork plays a seed's tape again, changes what A does not know, and says how
// that went.
type fork struct {
	seed, number uint64
	at           grid.Tick
	differed     int // ticks in which secrets differed, up to the cut
	cut          string
	leak         string // "": none
	changes      map[string]int
}

func (f *fork) counts() bool { return f.leak != "" || f.differed >= forkCounts }

// record plays a seed's first run.
func record(t *testing.T, rules *sim.Ruleset, seed uint64, ticks int) (*tape, []*moment) {
	t.Helper()
	r := newRun(t, rules, seed, nil)
	var out []*moment
	for range ticks {
		out = append(out, r.step(r.m.world.Tick() >= forkFrom-1))
	}
	return r.tape, out
}

// branch plays fork number n of a recorded seed.
func branch(t *testing.T, rules *sim.Ruleset, seed, n uint64, tp *tape, first []*moment) *fork {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1000+n))
	f := &fork{seed: seed, number: n, at: grid.Tick(forkFrom + rng.IntN(forkSpread)), changes: map[string]int{}}
	r := newRun(t, rules, seed, tp)
	for i, want := range first {
		now := grid.Tick(i + 1)
		if now == f.at {
			for range changesFirst {
				f.change(r, rng)
			}
		} else if now > f.at && (now-f.at)%changesEvery == 0 {
			f.change(r, rng)
		}
		got := r.step(now >= f.at)
		if now >= f.at+forkTicks {
			return f
		}
		if now < f.at {
			if f.leak = differs(&moment{sent: want.sent}, got); f.leak != "" {
				f.leak = fmt.Sprintf("seed %d, fork %d: tick %d, before the fork: %s", seed, n, now, f.leak)
				return f
			}
			continue
		}
		for c := range got.through {
			if !bytes.Equal(got.through[c], want.through[c]) {
				f.cut = channelNames[c]
				return f
			}
		}
		if got.secrets != want.secrets {
			f.differed++
		}
		if f.leak = differs(want, got); f.leak != "" {
			f.leak = fmt.Sprintf("seed %d, fork %d at tick %d: tick %d: %s", seed, n, f.at, now, f.leak)
			return f
		}
	}
	return f
}

// differs says what A could tell two runs apart by in one tick, "" if nothing.
func differs(want, got *moment) string {
	for slot := range want.sent {
		a, b := want.sent[slot], got.sent[slot]
		if len(a) != len(b) {
			return fmt.Sprintf("player %d was sent %d messages and, in the fork, %d", slot, len(a), len(b))
		}
		for i := range a {
			if !bytes.Equal(a[i], b[i]) {
				return fmt.Sprintf("player %d was sent %d bytes and, in the fork, %d others:\n  %s\n  %s", slot, len(a[i]), len(b[i]), show(a[i]), show(b[i]))
			}
		}
	}
	if !bytes.Equal(want.affairs, got.affairs) {
		return "A's own units are not where they were, or do not what they did"
	}
	return ""
}

func show(b []byte) string {
	var f pb.ServerFrame
	if err := proto.Unmarshal(b, &f); err != nil {
		return fmt.Sprintf("%x", b)
	}
	return prototext.MarshalOptions{}.Format(&f)
}

// hiddenKinds are the changes that a fork is made of. Each touches only what A
// neither sees nor knows, and reports whether it found something to touch.
var hiddenKinds = []struct {
	name  string
	quiet bool // it does not show even when what it touched is seen
	do    func(c *changer) bool
}{
	{"add a unit", false, func(c *changer) bool {
		at, ok := c.darkPlace()
		return ok && c.hand.Add(c.foe(), c.typ("worker", "soldier", "raider", "flyer", "detector", "artillery"), at) != nil
	}},
	{"add a structure", false, func(c *changer) bool {
		at, ok := c.darkPlace()
		return ok && c.hand.Add(c.foe(), c.typ("wall", "tower", "barracks"), at) != nil
	}},
	{"remove", false, func(c *changer) bool {
		e := c.hidden(func(e *sim.Entity) bool { return !c.rules().Types[e.Type()].Centre })
		if e != nil {
			c.hand.Remove(e)
		}
		return e != nil
	}},
	{"move", false, func(c *changer) bool {
		e := c.hidden(isUnit)
		at, ok := c.darkPlace()
		if e != nil && ok {
			c.hand.Put(e, at)
		}
		return e != nil && ok
	}},
	{"health", false, func(c *changer) bool {
		e := c.hidden(func(e *sim.Entity) bool { return e.Class() <= sim.ClassStructure })
		if e != nil {
			hp, _ := e.Health()
			c.hand.Wound(e, hp*int32(1+c.rng.IntN(3))/4)
		}
		return e != nil
	}},
	{"orders", false, func(c *changer) bool {
		e := c.hidden(isUnit)
		at, ok := c.darkPlace()
		if e != nil && ok {
			c.hand.Order(e, []orders.Kind{orders.Move, orders.AttackMove, orders.Patrol, orders.Hold}[c.rng.IntN(4)], at, false)
		}
		return e != nil && ok
	}},
	{"queue", true, func(c *changer) bool { // of units in sight as well: what they are to do next is not seen
		e := c.any(func(e *sim.Entity) bool {
			t, busy := e.Running()
			return isUnit(e) && busy && t.Kind == orders.Hold
		})
		at, ok := c.darkPlace()
		if e != nil && ok {
			c.hand.Order(e, orders.Move, at, true)
		}
		return e != nil && ok
	}},
	{"production", true, func(c *changer) bool { // of structures in sight as well
		e := c.any(func(e *sim.Entity) bool {
			_, makes := c.w.Production(e)
			return makes && e.Built()
		})
		if e != nil {
			c.hand.Train(e, c.typ("soldier", "worker"))
		}
		return e != nil
	}},
	{"energy", true, func(c *changer) bool {
		e := c.any(func(e *sim.Entity) bool { return c.rules().Types[e.Type()].EnergyMax > 0 })
		if e != nil {
			c.hand.Tire(e, e.Energy()/2)
		}
		return e != nil
	}},
	{"counters", true, func(c *changer) bool {
		e := c.hidden(isUnit)
		if e != nil {
			c.hand.Wear(e, uint16(1+c.rng.IntN(20)))
		}
		return e != nil
	}},
	{"swap", true, func(c *changer) bool {
		a := c.hidden(isUnit)
		if c.rng.IntN(2) == 0 { // the pair that shells A
			a = c.hiddenIn(func(e *sim.Entity) bool { return isUnit(e) && e.Pos().Within(highAt.Center(), 3*grid.WUPerTile) })
		}
		if a == nil {
			return false
		}
		twin := func(b *sim.Entity) bool { return b != a && b.Type() == a.Type() && b.Slot() == a.Slot() && isUnit(b) }
		b := c.hidden(func(b *sim.Entity) bool { return twin(b) && b.Pos().Within(a.Pos(), 2*grid.WUPerTile) })
		if b == nil {
			b = c.hidden(twin)
		}
		if b != nil {
			c.hand.Swap(a, b)
		}
		return b != nil
	}},
	{"books", true, func(c *changer) bool {
		c.hand.Pay(c.foe(), int32(c.rng.IntN(200)-100), int32(1+c.rng.IntN(9)))
		return true
	}},
}

// change "talk" is done to the match, not to the world: a foe says something to
// its own team.
func talk(r *run, rng *rand.Rand) {
	r.m.arrived = append(r.m.arrived, sim.Input{
		Kind: sim.InputChat, Slot: grid.Slot(slotsOfA + rng.IntN(slotsOfFork-slotsOfA)), Seq: 1 << 30, Text: "between us",
	})
}

func isUnit(e *sim.Entity) bool { return e.Class() == sim.ClassUnit }

// changer finds what to change.
type changer struct {
	w    *sim.World
	hand sim.Hand
	eye  *witness
	rng  *rand.Rand

	quiet bool
}

func (c *changer) rules() *sim.Ruleset { return c.w.Rules() }
func (c *changer) foe() grid.Slot      { return grid.Slot(slotsOfA + c.rng.IntN(slotsOfFork-slotsOfA)) }

func (c *changer) typ(names ...string) uint16 {
	typ, _ := c.rules().TypeByName(names[c.rng.IntN(len(names))])
	return typ
}

// darkPlace returns a place well out of A's sight.
func (c *changer) darkPlace() (grid.Pos, bool) {
	for range 40 {
		at := grid.Tile{X: int16(c.rng.IntN(c.w.Map().W)), Y: int16(c.rng.IntN(c.w.Map().H))}
		if c.eye.dark(at, 4) {
			return at.Center(), true
		}
	}
	return grid.Pos{}, false
}

// any returns one of the foes' entities that passes the test.
func (c *changer) any(ok func(*sim.Entity) bool) *sim.Entity {
	all := c.w.Entities()
	from := c.rng.IntN(len(all))
	for i := range all {
		if e := all[(from+i)%len(all)]; e.Team() != teamA && e.Team() != grid.NoTeam && ok(e) {
			return e
		}
	}
	return nil
}

// hidden returns one that A does not see and that stands well in the dark.
func (c *changer) hidden(ok func(*sim.Entity) bool) *sim.Entity {
	near := stageAt // what A remembers
	if c.quiet {
		near = pairsAt // what A will see
	}
	switch c.rng.IntN(4) {
	case 0:
		near = highAt.Center() // what shells A
	case 1:
		near = cloakAt.Center() // what stands under A's eyes
	}
	if c.rng.IntN(2) == 0 {
		if e := c.hiddenIn(func(e *sim.Entity) bool { return e.Pos().Within(near, 7*grid.WUPerTile) && ok(e) }); e != nil {
			return e
		}
	}
	return c.hiddenIn(ok)
}

func (c *changer) hiddenIn(ok func(*sim.Entity) bool) *sim.Entity {
	return c.any(func(e *sim.Entity) bool {
		return e.Class() != sim.ClassProjectile && !c.eye.sees(e) && (e.Cloaked() || c.eye.high(e) || c.eye.dark(e.Tile(), 1)) && ok(e)
	})
}

// change makes one change of a kind that finds something to touch.
func (f *fork) change(r *run, rng *rand.Rand) {
	// A quiet fork lasts while A comes to see what was changed.
	c := &changer{w: r.m.world, hand: r.m.world.Hand(), eye: r.eye, rng: rng, quiet: looksAtPairs(f.seed)}
	r.eye.open(r.m.world)
	if rng.IntN(len(hiddenKinds)+1) == 0 {
		talk(r, rng)
		f.changes["talk"]++
		return
	}
	for range 20 {
		k := &hiddenKinds[rng.IntN(len(hiddenKinds))]
		if !k.quiet && c.quiet {
			continue
		}
		if k.do(c) {
			f.changes[k.name]++
			return
		}
	}
}

// suite is what a pass over seeds and forks came to.
type suite struct {
	runs, counted int
	cuts          map[string]int
	changes       map[string]int
	leak          string
}

// interfere plays forks of the seeds until one tells of a secret.
func interfere(t *testing.T, rules *sim.Ruleset, from, seeds, forks uint64) suite {
	t.Helper()
	s := suite{cuts: map[string]int{}, changes: map[string]int{}}
	for seed := from; seed < from+seeds; seed++ {
		tp, first := record(t, rules, seed, forkFrom+forkSpread+forkTicks)
		for n := range forks {
			f := branch(t, rules, seed, n, tp, first)
			s.runs++
			if f.counts() {
				s.counted++
			}
			s.cuts[cmp.Or(f.cut, "the end of the tape")]++
			for k, c := range f.changes {
				s.changes[k] += c
			}
			if f.leak != "" {
				s.leak = f.leak
				return s
			}
		}
	}
	return s
}

func shipped(t *testing.T) *sim.Ruleset {
	t.Helper()
	rules, err := sim.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// A fork in which nothing is changed is the run it was taken from, or the test
// below would prove nothing.
func TestForkOfNothing(t *testing.T) {
	rules := shipped(t)
	tp, first := record(t, rules, 5, 350)
	r := newRun(t, rules, 5, tp)
	for i, want := range first {
		got := r.step(true)
		if want.through[0] == nil {
			got = &moment{sent: got.sent}
		}
		if what := differs(want, got); what != "" || got.secrets != want.secrets {
			t.Fatalf("tick %d: a run does not repeat: secrets %x and %x; %s", i+1, want.secrets, got.secrets, what)
		}
	}
}

// TestNoninterference is the promise of the fog. docs/fog.md says what it
// proves and what it does not.
func TestNoninterference(t *testing.T) {
	t.Parallel()
	from, seeds, forks := uint64(1), uint64(8), uint64(5)
	switch {
	case os.Getenv("FOGKEEP_TEST_LONG") != "":
		seeds, forks = 60, 10
	case raceOn:
		seeds, forks = 2, 3 // one goroutine has no races; TestPlantedLeaks plays the others, fast
	}
	if *forkSeed != 0 {
		from, seeds = *forkSeed, 1
	}
	s := interfere(t, shipped(t), from, seeds, forks)
	t.Logf("%d of %d forks counted: in each, secrets differed for at least %d ticks and A was sent the same", s.counted, s.runs, forkCounts)
	t.Logf("they ended by %v; changes: %v", s.cuts, s.changes)
	if s.leak != "" {
		t.Fatalf("A is told of what it does not know: %s\nagain: go test ./match -run TestNoninterference -fork-seed N", s.leak)
	}
	if *forkSeed == 0 && s.counted < s.runs/4 {
		t.Errorf("only %d of %d forks count: that proves little", s.counted, s.runs)
	}
}
