package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
)

// lookOf is the state of a match without its clients' part: the entities, and each team's
// sight and memory of the map.
func lookOf(w *World) string {
	var out []byte
	for _, e := range w.all {
		out = fmt.Appendln(out, e.id, e.typ, e.Pos(), e.vx, e.vy, e.hp, e.shield, e.energy, e.face, e.cloaked, e.handles, len(e.tasks), len(e.effects))
		for i := range e.tasks {
			out = fmt.Appendln(out, e.tasks[i].kind, e.tasks[i].point, e.tasks[i].target)
		}
	}
	for t := range w.teams {
		out = fmt.Appendln(out, w.teams[t].ghosts, w.teams[t].names)
	}
	for i := range w.players {
		out = fmt.Appendln(out, w.players[i].stock, w.players[i].pop, w.players[i].score, w.players[i].alive)
	}
	return string(w.eyes.Save(out))
}

// TestBranchGoesTheSameWay plays wild matches. From some of their ticks on it plays two
// branches with the inputs of the original: one from the very state has the same hash at
// each tick; one whose clients were forgotten has the same units and knowledge.
func TestBranchGoesTheSameWay(t *testing.T) {
	const ticks = 300
	seeds := uint64(2)
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		seeds = 8
	}
	for seed := range seeds {
		setup := wildSetup(t, seed)
		w := newWorld(t, setup)
		r := rand.New(rand.NewPCG(seed, 77))
		players := []*chaos{}
		for s := range 2 {
			players = append(players, &chaos{client{w: w, slot: grid.Slot(s)}, rand.New(rand.NewPCG(seed, uint64(s)))})
		}
		var exact, anew []*World
		for n := range ticks {
			if n > 0 && r.IntN(60) == 0 {
				state := w.Save(nil)
				from := setup
				from.Start = state
				exact = append(exact, newWorld(t, from))
				if tick, err := StateTick(state); err != nil || tick != w.Tick() || StateHash(state) != w.Hash() {
					t.Fatalf("seed %d tick %d: the state says tick %d, %v", seed, n, tick, err)
				}
				if from, err := Branch(setup, state, []Player{{Team: 0, Start: 0, Bot: true}, {Team: 1, Start: 1}}); err != nil {
					t.Fatal(err)
				} else {
					anew = append(anew, newWorld(t, from))
				}
			}
			var in []Input
			for _, p := range players {
				for _, x := range p.inputs() {
					if x.Kind == InputOrder { // the branch does not repeat connections
						in = append(in, x)
					}
				}
			}
			w.Step(in)
			want, hash := lookOf(w), w.Hash()
			for _, b := range exact {
				if b.Step(in); b.Hash() != hash || b.Tick() != w.Tick() {
					t.Fatalf("seed %d tick %d: a branch has another hash: %s", seed, w.Tick(), firstDifference(w, b))
				}
			}
			for _, b := range anew {
				if b.Step(in); lookOf(b) != want {
					t.Fatalf("seed %d tick %d: a branch with new clients is another match", seed, w.Tick())
				}
			}
		}
		if len(anew) == 0 {
			t.Errorf("seed %d: no branch", seed)
		}
	}
}

// TestBranchForgetsTheClients: connections, answers and numbers of the former clients are
// gone; a player who is out stays out.
func TestBranchForgetsTheClients(t *testing.T) {
	setup := wildSetup(t, 5)
	setup.Options.AbandonMs = 60_000
	w := newWorld(t, setup)
	c := client{w: w, slot: 0}
	walk := orders.Order{Kind: orders.Move, Units: c.named("soldier"), HasPoint: true, Point: grid.Tile{X: 24, Y: 24}.Center(), Request: 9}
	w.Step([]Input{{Kind: InputJoined, Slot: 0}, {Kind: InputKept, All: true}, {Kind: InputWatched, All: true}, c.order(walk)})
	for range 5 {
		w.Step(nil)
	}
	last := c.order(walk)
	w.Step([]Input{last, {Kind: InputGone, Slot: 1}})
	state := w.Save(nil)
	from, err := Branch(setup, state, []Player{{Team: 0, Start: 0, Bot: true}, {Team: 1, Start: 1}})
	if err != nil {
		t.Fatal(err)
	}
	b := newWorld(t, from)
	if p := &b.players[0]; !p.bot || p.online || !p.present || p.answers != (ledger{}) || b.keeps != 0 {
		t.Errorf("player 0: %+v, kept %v", *p, b.keeps)
	}
	if p := &b.players[1]; p.bot || !p.present {
		t.Errorf("player 1: %+v", *p)
	}
	if len(b.due) != 1 || b.due[0].seq != 0 || b.due[0].requests != nil {
		t.Errorf("due %+v", b.due)
	}
	tasks := 0
	for _, e := range b.all {
		for i := range e.tasks {
			if tasks++; e.tasks[i].seq != 0 || e.tasks[i].request != 0 {
				t.Errorf("%v: task %+v", e.id, e.tasks[i])
			}
		}
	}
	if tasks == 0 {
		t.Error("no tasks: the test looks at nothing")
	}
	// The new client of slot 0 numbers from the beginning, and is not taken for the old one.
	out := b.Step([]Input{{Kind: InputOrder, Slot: 0, Seq: 1, AsOf: b.Tick(), Order: orders.Order{Kind: orders.Stop, Units: c.named("soldier")}}})
	if len(out.Answers) != 1 || out.Answers[0].Again || out.Answers[0].Code != orders.OK {
		t.Errorf("answers %+v", out.Answers)
	}
	w.Step([]Input{{Kind: InputLeft, Slot: 1}})
	over := w.Save(nil)
	if _, err := Branch(setup, over, setup.Players); !errors.Is(err, ErrOver) {
		t.Errorf("from a match that is over: %v", err)
	}
	from.Start = over
	if _, err := New(from); !errors.Is(err, ErrOver) {
		t.Errorf("a match that begins over: %v", err)
	}
	var not *NotSeatsError
	for _, players := range [][]Player{{{Team: 0, Start: 0}}, {{Team: 1, Start: 0}, {Team: 1, Start: 1}}, {{Team: 0, Start: 1}, {Team: 1, Start: 0}}} {
		if _, err := Branch(setup, state, players); !errors.As(err, &not) {
			t.Errorf("players %+v: %v", players, err)
		}
	}
}
