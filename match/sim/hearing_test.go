package sim

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// hearingWorld is a world of two teams in which walking soldiers are heard.
func hearingWorld(t *testing.T) *World {
	s := wildSetup(t, 3)
	rs := *s.Rules
	rs.Sounds, rs.Types = []string{"steps"}, append([]rules.Type(nil), rs.Types...)
	for i := range rs.Types {
		if rs.Types[i].Class == rules.ClassUnit {
			rs.Types[i].Sound = rules.Sound{Radius: 40 * grid.WUPerTile}
		}
	}
	s.Rules = &rs
	return newWorld(t, s)
}

// wildPlayers are players whose orders often make sense.
func wildPlayers(w *World) func() []Input {
	var players []*chaos
	for s := range w.players {
		players = append(players, &chaos{client{w: w, slot: grid.Slot(s)}, rand.New(rand.NewPCG(5, uint64(s)))})
	}
	return func() (in []Input) {
		for _, p := range players {
			in = append(in, p.inputs()...)
		}
		return in
	}
}

// A team hears no class twice in one cell within a second, also across a save. A restored
// world hears as the saved one.
func TestSoundsAreHeardOncePerSecond(t *testing.T) {
	w := hearingWorld(t)
	var again *World
	inputs := wildPlayers(w)
	last, heard := map[grid.Team]map[Trace]grid.Tick{0: {}, 1: {}}, 0
	for range 300 {
		if w.tick == 150 {
			s := wildSetup(t, 3)
			s.Rules = w.rules
			var err error
			if again, err = Restore(s, w.Save(nil)); err != nil {
				t.Fatal(err)
			}
		}
		in := inputs()
		if again != nil {
			again.Step(in)
		}
		w.Step(in)
		for team := range w.teams {
			for _, h := range w.teams[team].Heard() {
				heard++
				if at, ok := last[grid.Team(team)][h]; ok && w.tick-at < grid.Tick(w.rate) {
					t.Fatalf("tick %d: team %d heard %v at tick %d already", w.tick, team, h, at)
				}
				last[grid.Team(team)][h] = w.tick
			}
		}
		if again != nil && !bytes.Equal(again.Save(nil), w.Save(nil)) {
			t.Fatalf("tick %d: the restored world differs", w.tick)
		}
	}
	if heard < 20 {
		t.Fatalf("%d sounds: that proves little", heard)
	}
}

// A team hears at most HeardMax sounds in a tick, and the rest in the ticks after it.
func TestSoundsOfATickAreBounded(t *testing.T) {
	w := hearingWorld(t)
	w.Step(nil)
	k := &w.teams[0]
	n := int16(0)
	for y := range int16(w.m.H) / TraceCell {
		for x := range int16(w.m.W) / TraceCell {
			w.sounds = append(w.sounds, sound{Trace{0, grid.Tile{X: x, Y: y}}, 1000 * grid.WUPerTile, 0})
			n++
		}
	}
	if n <= HeardMax {
		t.Fatalf("%d cells: that proves nothing", n)
	}
	k.listen(w)
	if len(k.Heard()) != HeardMax {
		t.Fatalf("%d sounds in a tick", len(k.Heard()))
	}
	k.listen(w)
	if len(k.Heard()) != min(HeardMax, int(n)-HeardMax) {
		t.Fatalf("then %d of %d", len(k.Heard()), n-HeardMax)
	}
}

// A ruleset without sounds has none in its saves, and its teams hear nothing.
func TestWithoutSoundsThereIsNoHearing(t *testing.T) {
	w := newWorld(t, wildSetup(t, 3))
	inputs := wildPlayers(w)
	for range 100 {
		w.Step(inputs())
		if len(w.sounds) > 0 || len(w.teams[0].Heard()) > 0 {
			t.Fatal("sounds were gathered")
		}
	}
}
