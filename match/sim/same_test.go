package sim

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
)

// coreHash is the hash of the state without the form in which another package saves its
// part: the masks count, their encoding does not. The files in testdata hold this hash, so
// that they change only with the rules of the world.
func coreHash(w *World) uint64 {
	a := archive.Writer(nil)
	for i := range w.players {
		w.players[i].state(a)
	}
	for _, e := range w.all {
		c := *e
		c.source = 0
		c.state(a)
	}
	for i := range w.teams {
		w.teams[i].state(a)
		h := w.eyes.Hash(grid.Team(i))
		archive.Word(a, &h)
	}
	sum := sha256.Sum256(a.Bytes())
	return binary.LittleEndian.Uint64(sum[:])
}

// wildHashes plays a wild match and returns its hash at every 50th tick.
func wildHashes(t *testing.T, seed uint64, ticks int) []byte {
	var out bytes.Buffer
	wildMatch(t, seed, ticks, func(w *World) {
		if w.Tick()%50 == 0 {
			fmt.Fprintf(&out, "%d %d %016x\n", seed, w.Tick(), coreHash(w))
		}
	})
	return out.Bytes()
}

// wildMatch plays a wild match. It calls each, if it is not nil, after each tick.
func wildMatch(t *testing.T, seed uint64, ticks int, each func(*World)) *World {
	w := newWorld(t, wildSetup(t, seed))
	playWild(w, seed, ticks, each)
	return w
}

func playWild(w *World, seed uint64, ticks int, each func(*World)) {
	var players []*chaos
	for s := range 2 {
		players = append(players, &chaos{client{w: w, slot: grid.Slot(s)}, rand.New(rand.NewPCG(seed, uint64(s)))})
	}
	for range ticks {
		var in []Input
		for _, p := range players {
			in = append(in, p.inputs()...)
		}
		w.Step(in)
		if each != nil {
			each(w)
		}
	}
}

// Matches on one map share its ground, side by side, and go on as alone.
func TestMatchesShareGround(t *testing.T) {
	const seed, ticks = 11, 200
	setup := wildSetup(t, seed)
	alone := newWorld(t, setup)
	setup.Ground = alone.Ground()
	worlds := []*World{alone, newWorld(t, setup), newWorld(t, setup)}
	var playing sync.WaitGroup
	for _, w := range worlds {
		if w.Ground() != setup.Ground {
			t.Error("a match has its own ground")
		}
		playing.Go(func() { playWild(w, seed, ticks, nil) })
	}
	playing.Wait()
	setup.Ground = nil
	own := newWorld(t, setup)
	playWild(own, seed, ticks, nil)
	for i, w := range worlds {
		if coreHash(w) != coreHash(own) {
			t.Errorf("match %d has gone another way", i)
		}
	}
	setup.Ground, setup.Map = own.Ground(), grid.NewMap("other", 64, 64)
	if err := setup.Check(); err == nil {
		t.Error("the ground of another map is taken")
	}
}

// TestSameEverywhere plays the same matches with one and two processors, twice
// each, and compares every hash with the file, which GOARCH=386 is held to as
// well.
func TestSameEverywhere(t *testing.T) {
	const file = "testdata/hashes.golden"
	var first []byte
	for _, procs := range []int{1, 2, 1, 2} {
		before := goruntime.GOMAXPROCS(procs)
		var all []byte
		for seed := uint64(11); seed < 14; seed++ {
			all = append(all, wildHashes(t, seed, 600)...)
		}
		goruntime.GOMAXPROCS(before)
		if first == nil {
			first = all
		}
		if !bytes.Equal(first, all) {
			t.Fatalf("with %d processors: %s", procs, firstLine(first, all))
		}
	}
	if *update {
		if err := os.WriteFile(file, first, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, want) {
		t.Errorf("%s: %s; if the rules of the world have changed, run with -update", file, firstLine(want, first))
	}
}

// told writes out the facts of one tick that a team may learn: everything it sees by its
// own names, departures from sight, ghosts, and the events in its sight.
func told(w *World, team grid.Team) string {
	var b bytes.Buffer
	k := w.Knowledge(team)
	for _, s := range k.Seen(nil) {
		e := w.Entity(s.ID)
		hp, moves := e.Health()
		shots, firing := e.Shots(0)
		fmt.Fprintf(&b, "%d/%d type %d slot %d at %d,%d going %d,%d facing %d hp %d/%d shots %d %v cloaked %v\n",
			s.Handle, s.Entered, e.Type(), e.Slot(), e.x, e.y, e.vx, e.vy, e.Facing(), hp, moves, shots, firing, e.Cloaked())
	}
	for _, l := range k.Left() {
		l.ID, l.Eye = 0, 0
		fmt.Fprintf(&b, "left %+v\n", l)
	}
	for _, g := range k.Ghosts() {
		g.id = 0
		fmt.Fprintf(&b, "ghost %+v\n", g)
	}
	for _, ev := range w.Events() {
		if ev.Kind == EventHit && w.players[ev.Slot].team != team || !w.Eyes().Visible(team, ev.At.Tile()) {
			continue
		}
		ev.Source, ev.Target = 0, 0 // teams get entities' names as handles
		fmt.Fprintf(&b, "event %+v\n", ev)
	}
	return b.String()
}

// TestHiddenFightChangesNothing: teams 0 and 1 fight over a visible place in
// front of team 2, with ties on purpose. In a second run they have another war
// in the dark as well: units, shots and deaths that use up their counters.
// Team 2 must not be able to tell the two runs apart.
func TestHiddenFightChangesNothing(t *testing.T) {
	run := func(war bool) (lines []string, dark int) {
		m := flatMap(96)
		m.Starts = append(m.Starts, grid.Tile{X: 80, Y: 10})
		w, err := empty(Setup{Map: m, Rules: mustRules(t), Seed: 3, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 2, Start: 2}}})
		if err != nil {
			t.Fatal(err)
		}
		w.mode = sandbox{}
		put := func(s grid.Slot, name string, x, y int16) *Entity {
			typ, _ := w.rules.TypeByName(name)
			return w.spawn(s, typ, grid.Tile{X: x, Y: y}.Center(), false)
		}
		// In the light: mirror images, so that targets tie.
		for i := range int16(6) {
			put(0, "soldier", 70, 10+2*i)
			put(1, "soldier", 76, 10+2*i)
		}
		put(0, "caster", 68, 14)
		put(1, "artillery", 80, 14)
		for i := range int16(4) {
			put(2, "scout", 70+3*i, 24)
		}
		if war {
			for i := range int16(8) {
				put(0, "soldier", 10, 60+2*i)
				put(1, "raider", 14, 60+2*i)
				put(0, "caster", 8, 60+2*i)
			}
		}
		w.settle()
		w.see()
		c := [3]client{{w: w, slot: 0}, {w: w, slot: 1}, {w: w, slot: 2}}
		for range 600 {
			var in []Input
			switch w.Tick() {
			case 0: // team 2 keeps to its own
				in = append(in, c[2].order(orders.Order{Kind: orders.Hold, Units: c[2].named("scout")}))
			case 300: // the survivors move on, across team 2's view
				for s := range 2 {
					if hs := c[s].mine(func(e *Entity) bool { return e.Tile().X > 50 }); len(hs) > 0 {
						in = append(in, c[s].order(orders.Order{Kind: orders.AttackMove, Units: hs, HasPoint: true, Point: grid.Tile{X: 73, Y: 22}.Center()}))
					}
				}
			}
			w.Step(in)
			for _, ev := range w.Events() {
				if ev.At.Tile().X < 50 {
					dark++
				}
			}
			lines = append(lines, told(w, 2))
		}
		return lines, dark
	}
	calm, none := run(false)
	busy, dark := run(true)
	if none != 0 || dark < 100 {
		t.Fatalf("%d and %d events in the dark: the runs do not differ as they should", none, dark)
	}
	for i := range calm {
		if calm[i] != busy[i] {
			t.Fatalf("tick %d: what team 2 is told depends on what it cannot see: %s", i+1, firstLine([]byte(calm[i]), []byte(busy[i])))
		}
	}
}
