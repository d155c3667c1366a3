package sim

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim/nav"
)

// knownOf writes down what a team may know: its mask, ghosts and ground, and its own units.
func knownOf(w *World, t grid.Team) string {
	var out strings.Builder
	k := &w.teams[t]
	for _, g := range k.ghosts {
		fmt.Fprintln(&out, g.Handle, g.Type, g.At, g.Health, g.Stock)
	}
	for y := range int16(w.m.H) {
		for x := range int16(w.m.W) {
			at := grid.Tile{X: x, Y: y}
			fmt.Fprint(&out, boolInt(w.eyes.Visible(t, at)), boolInt(k.ground.Closed(w.m.Index(at), grid.Ground)))
		}
	}
	for _, e := range w.all {
		if e.team == t {
			fmt.Fprintln(&out, e.Pos(), e.vx, e.vy, e.hp, len(e.tasks))
		}
	}
	return out.String()
}

// TestFeaturesDoNotTellHiddenChanges: two matches differ only in features that team 0 does not see. They fall, open and are
// taken in one of them. Team 0 knows the same, and its unit on its way over the bridge moves the same, until it sees the gap.
func TestFeaturesDoNotTellHiddenChanges(t *testing.T) {
	worlds := make([]*World, 2)
	for i, more := range []string{"", "order 1 move opener at=28.5,33.5\n"} {
		_, w := playStage(t, []byte(`
map 40x40
set rules ground
set occlusion line-of-sight
tiles 22,0-24,39 water
tiles 22,10-24,11 road
feature bridge 22,10
feature sluice 30,20 7
feature lever 28,33 7
feature crate 28,28
feature lock 25,30 7
feature tree 10,20
feature tree 12,21
unit walker 0 soldier 3.5,10.5
unit eye 0 tower 8.5,20.5
unit foe 1 tower 34.5,34.5
unit hidden 1 scout 14.5,22.5
unit opener 1 scout 29.5,36.5
order 0 move walker at=30.5,10.5
`+more+"step 1\n"))
		worlds[i] = w
	}
	const quiet = 50 // the walker is not there yet
	for tick := range 160 {
		if tick == 5 {
			w := worlds[1]
			for _, e := range w.all {
				switch f := &w.rules.Types[e.typ].Feature; {
				case f.Bridge || f.BlocksSight && e.Tile().X == 12:
					w.kill(e)
				case f.Stateful():
					w.setState(e, 1-e.stock)
				}
			}
		}
		if tick == 20 { // a recovered match knows the same
			saved := worlds[1].Save(nil)
			w, err := Restore(Setup{Map: worlds[1].m, Rules: worlds[1].rules, Seed: 1, Players: []Player{{Team: 0}, {Team: 1, Start: 1}}}, saved)
			if err != nil {
				t.Fatal(err)
			}
			if w.mode = (sandbox{}); !bytes.Equal(w.Save(nil), saved) {
				t.Fatal("a restored world saves other bytes")
			}
			worlds[1] = w
		}
		for _, w := range worlds {
			w.Step(nil)
		}
		if tick < quiet && knownOf(worlds[0], 0) != knownOf(worlds[1], 0) {
			t.Fatalf("tick %d: team 0 knows of what it did not see", tick)
		}
	}
	if open := worlds[1].solid[worlds[1].m.Index(grid.Tile{X: 30, Y: 20})]; open != nav.Stands {
		t.Errorf("the sluice has the contents %d, so it did not open unseen", open)
	}
	gap := worlds[0].m.Index(grid.Tile{X: 22, Y: 10})
	if worlds[0].teams[0].ground.Closed(gap, grid.Ground) || !worlds[1].teams[0].ground.Closed(gap, grid.Ground) {
		t.Error("the walker has not found out that the bridge fell")
	}
}

// TestRulesOfFeatures: contradictions are refused, with their names.
func TestRulesOfFeatures(t *testing.T) {
	b, err := os.ReadFile("testdata/ground.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, with, want string }{
		{`"blocks_sight": true`, `"blocks_sight": true, "width": 2`, `"tree": only a structure of one tile blocks sight`},
		{`"breakable": true, "bridge": true`, `"bridge": true, "pickup": {}`, `"bridge": a type is one of`},
		{`"every": 10, "for": 4`, `"every": 10, "for": 10`, `"for" is a part of "every"`},
		{`"moves": {"linked": true}`, `"moves": {}`, `moves need "near", "every" or "linked"`},
		{`"builds": ["gate"]`, `"builds": ["gate", "lever"]`, `only a map can place`},
		{`"respawn": 5}}`, `"respawn": 0}}`, `"respawn" is above 0`},
		{`"sight": 1, "moves"`, `"sight": 1, "relevant": "always", "moves"`, `not always relevant`},
		{`"flood": true, "moves"`, `"flood": true, "bridge": true, "moves"`, `a type is one of`},
		{`"flood": true, "moves"`, `"flood": true, "breakable": true, "moves"`, `"tide": a flood needs "moves", and is not breakable`},
		{`"moves": {"every": 20, "for": 10}`, `"sight": 1`, `"tide": a flood needs "moves"`},
		{`"health": 200, "moves"`, `"health": 200, "weapons": ["gun"], "moves"`, `no weapons`},
	} {
		_, err := rules.Parse("ground.json", []byte(strings.Replace(string(b), c.old, c.with, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.with, err, c.want)
		}
	}
}

// TestFeaturesNeedRoom: a match does not begin with a feature on a start, on another or off the map.
func TestFeaturesNeedRoom(t *testing.T) {
	b, err := os.ReadFile("testdata/ground.json")
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("ground.json", b)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range [][]grid.Tile{{{X: 2, Y: 2}}, {{X: 39, Y: 20}}, {{X: 20, Y: 20}, {X: 21, Y: 21}}, {{X: 20, Y: 20}, {X: 25, Y: 20}}} {
		m := grid.NewMap("room", 40, 40)
		m.Starts = []grid.Tile{{X: 3, Y: 3}, {X: 36, Y: 36}}
		for _, x := range at {
			m.Features = append(m.Features, grid.Feature{Type: "bridge", At: x})
		}
		_, err := New(Setup{Map: m, Rules: rs, Players: []Player{{Team: 0}, {Team: 1, Start: 1}}, Options: Options{Mode: "deathmatch"}})
		if fits := len(at) == 2 && at[1].X == 25; (err == nil) != fits || err != nil && !strings.Contains(err.Error(), `no room for "bridge"`) {
			t.Errorf("%v: %v", at, err)
		}
	}
}
