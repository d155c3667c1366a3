package match

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
)

// withFeatures puts features on a map of forks if the ruleset has them.
func withFeatures(m *grid.Map, rs *rules.Ruleset) *grid.Map {
	if _, ok := rs.TypeByName("crate"); !ok {
		return m
	}
	m.Occlusion = grid.OcclusionLineOfSight
	for k, typ := range []string{"tree", "crate", "bridge", "bridge", "tree", "crate", "tree", "crate", "tree", "tree"} {
		x, y := int16(19+7*(k%3)), int16(4+4*k)
		m.Features = append(m.Features, grid.Feature{Type: typ, At: grid.Tile{X: x, Y: y}})
	}
	for y := int16(14); y < 34; y += 2 { // far from A, in the way of its units to the east
		m.Features = append(m.Features, grid.Feature{Type: "gate", At: grid.Tile{X: 30, Y: y}, Link: 1})
	}
	m.Features = append(m.Features, grid.Feature{Type: "lock", At: grid.Tile{X: 36, Y: 26}, Link: 1})
	m.Features = append(m.Features, grid.Feature{Type: "lever", At: grid.Tile{X: 44, Y: 24}, Link: 1})
	return m
}

// seedOfGates is the seed in whose fork only gates change: their lever turns, out of A's sight, and stays so. A gate that is
// turned by hand goes back in the next tick, because its switch decides. A's units walk to places beyond the gates.
const seedOfGates = 3

// TestNoninterferenceOfFeatures: in forks of recorded runs features change that A does not see. They fall, open, or are
// taken. A is sent the same to the byte, until it sees one of their places or a channel that it may know differs.
func TestNoninterferenceOfFeatures(t *testing.T) {
	t.Parallel()
	const types = `"types": [`
	text := strings.Replace(string(shipped(t).Source), types, types+`
		{"name": "crate", "class": "structure", "health": 1, "pickup": {"gives": {"ore": 60}, "respawn": 60}},
		{"name": "gate", "class": "structure", "health": 1, "width": 2, "height": 2, "moves": {"linked": true}},
		{"name": "lock", "class": "structure", "health": 1, "flood": true, "moves": {"linked": true}},
		{"name": "lever", "class": "structure", "health": 1, "switch": {"range": 0.5}},
		{"name": "bridge", "class": "structure", "health": 80, "width": 2, "breakable": true, "bridge": true},
		{"name": "tree", "class": "structure", "health": 40, "breakable": true, "blocks_sight": true},
		{"name": "mine", "class": "structure", "health": 5, "mine": {"weapon": "howitzer", "arm": 60}},`, 1)
	rs, err := rules.Parse("features.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	const at = grid.Tick(forkFrom)
	differed, changes, removed := 0, 0, 0
	for _, seed := range []uint64{seedOfGates, 1, 2} {
		recording, first := record(t, rs, seed, forkFrom+forkTicks)
		r := newRun(t, rs, seed, recording)
		var changed, mines []grid.Tile
		seen := func() bool {
			if slices.ContainsFunc(mines, func(p grid.Tile) bool { return r.m.world.Eyes().Detected(teamA, p) }) {
				return true
			}
			for _, p := range changed {
				if r.m.world.Eyes().Visible(teamA, p) {
					return true
				}
			}
			return false
		}
		for i, want := range first {
			now := grid.Tick(i + 1)
			if now == at {
				changed, mines = turnHidden(r.m.world, seed == seedOfGates)
				changes, removed = changes+len(changed), removed+len(mines)
			}
			got := r.step(now >= at-1) // the witness knows the cloaked units of the tick before
			if now < at {
				continue
			}
			same := !seen()
			for c := range got.through {
				same = same && bytes.Equal(got.through[c], want.through[c])
			}
			if !same {
				break
			}
			if got.secrets != want.secrets {
				differed++
			}
			if leak := differs(want, got); leak != "" {
				t.Fatalf("seed %d, tick %d: %s", seed, now, leak)
			}
		}
	}
	t.Logf("%d features changed, %d mines in sight were removed, and secrets differed in %d ticks", changes, removed, differed)
	if changes < 12 || removed < 4 || differed < 80 {
		t.Errorf("%d features changed, and secrets differed in %d ticks: that proves little", changes, differed)
	}
}

// turnHidden changes what A does not see, gates with their levers or the other features, and returns their places, and apart the places of mines under A's eyes.
func turnHidden(w *sim.World, gates bool) (changed, mines []grid.Tile) {
	edit := simtest.Edit(w)
	for _, e := range w.Entities() {
		f := &w.Rules().Types[e.Type()].Feature
		if f.Mine != nil && !gates && !e.SeenBy().Has(teamA) {
			mines = append(mines, e.Foot())
			edit.Remove(e)
		} else if f.Any() && !e.SeenBy().Has(teamA) {
			if (f.Moves != nil || f.Switch != nil) != gates {
				continue
			}
			changed = append(changed, e.Foot())
			if f.Stateful() {
				edit.Turn(e)
			} else {
				edit.Remove(e)
			}
		}
	}
	return changed, mines
}
