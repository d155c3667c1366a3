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
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

var forkSeed = flag.Uint64("fork-seed", 0, "play the forks of this seed alone")

// Bounds of the forks.
const (
	forkFrom   = 150 // forks leave the first run from this tick on
	forkSpread = 100 // and within so many
	forkTicks  = 260 // and go on for so many, if no channel ends them
	forkCounts = 100 // a fork counts if secrets differed for so many ticks
)

// How much a fork changes: few things, of which only one kind may come to light
// by itself, and far from A, so that the fork lasts; and in some many, of all kinds
// and anywhere, which find leaks early.
var tempers = [...]struct {
	first int       // changes at the fork
	every grid.Tick // then one more every so many ticks
	wild  bool      // of all kinds
}{{6, 25, true}, {3, 60, false}, {3, 60, false}, {3, 60, false}, {3, 60, false}}

// fork plays a seed's recording again, changes parts that A does not know, and returns
// the result.
type fork struct {
	seed, number uint64
	at           grid.Tick
	differed     int // ticks in which secrets differed, up to the cut
	cut          string
	leak         string // "": no leak
	changes      map[string]int
	loud         int  // the one kind of change that may come to be seen, of hiddenKinds
	wild         bool // there is more than the one
}

func (f *fork) counts() bool { return f.leak != "" || f.differed >= forkCounts }

// record plays a seed's first run.
func record(t *testing.T, rules *rules.Ruleset, seed uint64, ticks int) (*recording, []*moment) {
	t.Helper()
	r := newRun(t, rules, seed, nil)
	var out []*moment
	for range ticks {
		out = append(out, r.step(r.m.world.Tick() >= forkFrom-1))
	}
	return r.recording, out
}

// branch plays fork number n of a recorded seed.
func branch(t *testing.T, rules *rules.Ruleset, seed, n uint64, tp *recording, first []*moment) *fork {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1000+n))
	f := &fork{seed: seed, number: n, at: grid.Tick(forkFrom + rng.IntN(forkSpread)), changes: map[string]int{}, loud: rng.IntN(len(hiddenKinds))}
	for hiddenKinds[f.loud].quiet {
		f.loud = rng.IntN(len(hiddenKinds))
	}
	temper := &tempers[n%uint64(len(tempers))]
	f.wild = temper.wild
	r := newRun(t, rules, seed, tp)
	for i, want := range first {
		now := grid.Tick(i + 1)
		if now == f.at {
			for range temper.first {
				f.change(r, rng)
			}
		} else if now > f.at && (now-f.at)%temper.every == 0 {
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

// differs returns a difference that A could notice between two runs in one tick, ""
// without one.
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
	if !bytes.Equal(want.ownUnits, got.ownUnits) {
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

// change makes one change of a kind that finds a thing to touch.
func (f *fork) change(r *run, rng *rand.Rand) {
	// A quiet fork lasts until A sees the changed things.
	c := &changer{w: r.m.world, edit: simtest.Edit(r.m.world), eye: r.eye, rng: rng, quiet: looksAtPairs(f.seed), wild: f.wild}
	r.eye.open(r.m.world)
	if rng.IntN(len(hiddenKinds)+1) == 0 {
		f.changes["talk"]++
		talk(r, rng, f.changes["talk"])
		return
	}
	for range 20 {
		k := &hiddenKinds[rng.IntN(len(hiddenKinds))]
		if rng.IntN(5) == 0 {
			k = &hiddenKinds[f.loud]
		}
		if !k.quiet && (c.quiet || !f.wild && k != &hiddenKinds[f.loud]) {
			continue
		}
		if k.do(c) {
			f.changes[k.name]++
			return
		}
	}
}

// suite is the result of a pass over seeds and forks.
type suite struct {
	runs, counted int
	cuts          map[string]int
	changes       map[string]int
	leak          string
}

// interfere plays forks 0, step, 2*step, … of the seeds until one tells of a
// secret.
func interfere(t *testing.T, rules *rules.Ruleset, from, seeds, forks, step uint64) suite {
	t.Helper()
	s := suite{cuts: map[string]int{}, changes: map[string]int{}}
	for seed := from; seed < from+seeds; seed++ {
		tp, first := record(t, rules, seed, forkFrom+forkSpread+forkTicks)
		for n := range forks {
			f := branch(t, rules, seed, n*step, tp, first)
			s.runs++
			if f.counts() {
				s.counted++
			}
			s.cuts[cmp.Or(f.cut, "the end of the recording")]++
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

func shipped(t *testing.T) *rules.Ruleset {
	t.Helper()
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// landmarkRules is the shipped rules with things told to all and to the owner alone, with
// structures that are captured, and with declared values.
func landmarkRules(t *testing.T) *rules.Ruleset {
	t.Helper()
	rs, err := simtest.ValuedRules()
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// A fork without changes equals its original run, or the test below would prove nothing.
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

// TestNoninterference is the promise of the fog. docs/contributing/fog.md says how far it proves it.
func TestNoninterference(t *testing.T) {
	t.Parallel()
	from, seeds, forks := uint64(1), uint64(8), uint64(5)
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		seeds, forks = 60, 10
	}
	if *forkSeed != 0 {
		from, seeds = *forkSeed, 1
	}
	s := interfere(t, landmarkRules(t), from, seeds, forks, 1)
	t.Logf("%d of %d forks counted: in each, secrets differed for at least %d ticks and A was sent the same", s.counted, s.runs, forkCounts)
	t.Logf("they ended by %v; changes: %v", s.cuts, s.changes)
	if s.leak != "" {
		t.Fatalf("A is told of what it does not know: %s\nagain: go test ./match -run TestNoninterference -fork-seed N", s.leak)
	}
	if *forkSeed == 0 && s.counted < s.runs/4 {
		t.Errorf("only %d of %d forks count: that proves little", s.counted, s.runs)
	}
}
