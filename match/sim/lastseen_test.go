package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// TestGhostsAreAsLastSeen plays wild matches and compares each new ghost with the
// structure's looks in the last tick in which the team saw it. Now and then a structure
// takes damage in the very tick in which a team loses it from sight.
func TestGhostsAreAsLastSeen(t *testing.T) {
	made, hidden := 0, 0
	for seed := uint64(21); seed < 26; seed++ {
		rng := rand.New(rand.NewPCG(seed, 5))
		w := newWorld(t, wildSetup(t, seed))
		var players []*chaos
		for s := range 2 {
			players = append(players, &chaos{client{w: w, slot: grid.Slot(s)}, rand.New(rand.NewPCG(seed, uint64(s)))})
		}
		seen := make([]map[grid.EntityID]appearance, len(w.teams))
		for range 600 {
			for i := range seen {
				seen[i] = map[grid.EntityID]appearance{}
				for _, s := range w.teams[i].Seen(nil) {
					seen[i][s.ID] = w.appearanceOf(w.find(s.ID))
				}
			}
			for _, e := range w.all {
				if e.class == rules.ClassStructure && rng.IntN(2) == 0 {
					Editor{w}.SetHealth(e, e.hp-1)
				}
				if e.class == rules.ClassUnit && rng.IntN(200) == 0 {
					Editor{w}.Move(e, grid.Tile{X: int16(rng.IntN(w.m.W)), Y: int16(rng.IntN(w.m.H))}.Center())
				}
			}
			var in []Input
			for _, p := range players {
				in = append(in, p.inputs()...)
			}
			w.Step(in)
			for i := range w.teams {
				for _, g := range w.teams[i].Ghosts() {
					if g.Since != w.tick {
						continue
					}
					was, ok := seen[i][g.id]
					if !ok {
						t.Fatalf("seed %d, tick %d: team %d has a ghost of %v, which it did not see", seed, w.tick, i, g.id)
					}
					made++
					if now := w.find(g.id); now == nil || w.appearanceOf(now) != was {
						hidden++
					}
					if got := (appearance{g.Health, g.Stock, g.Unbuilt, g.Facing, g.Slot, g.Team}); got != was {
						t.Fatalf("seed %d, tick %d: team %d remembers %v as %+v, last seen as %+v", seed, w.tick, i, g.id, got, was)
					}
				}
			}
		}
	}
	if made < 100 || hidden < 20 {
		t.Errorf("%d ghosts, of which %d had changed in the tick they were made: that proves little", made, hidden)
	}
}

// TestDeathsAreJudgedByTheMasksOfTheirTick lets things die in the tick in which
// a team's eye goes away or comes.
func TestDeathsAreJudgedByTheMasksOfTheirTick(t *testing.T) {
	far, near, foot := grid.Tile{X: 34, Y: 34}, grid.Tile{X: 8, Y: 8}, grid.Tile{X: 10, Y: 8}
	for _, tt := range []struct {
		name, typ string
		from, to  grid.Tile // the eye's tile in the tick before the death, and in the tick of the death
		destroyed bool
		ghost     bool
	}{
		{"a unit, watched", "soldier", near, near, true, false},
		{"a unit, as the eye goes", "soldier", near, far, false, false},
		{"a structure, watched", "wall", near, near, true, false},
		{"a structure, as the eye goes", "wall", near, far, false, true},
		{"a resource place, as the eye goes", "ore-field", near, far, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := sandboxWorld(t, 40, nil)
			eye := w.find(w.block(0, "scout", 1, int(tt.from.X), int(tt.from.Y))[0])
			owner := grid.Slot(1)
			if tt.typ == "ore-field" {
				owner = grid.NoSlot
			}
			e := w.find(w.block(owner, tt.typ, 1, int(foot.X), int(foot.Y))[0])
			w.Step(nil)
			k := &w.teams[0]
			h, ok := k.HandleOf(e)
			if !ok {
				t.Fatal("it is not in sight to begin with")
			}
			id, was := e.id, w.appearanceOf(e)
			Editor{w}.Move(eye, tt.to.Center())
			Editor{w}.SetHealth(e, 1)
			Editor{w}.Remove(e)
			w.Step(nil)
			if w.find(id) != nil {
				t.Fatal("it lives")
			}
			if len(k.leaves) != 1 || k.leaves[0].Handle != h || k.leaves[0].Destroyed != tt.destroyed || k.leaves[0].Ghost != tt.ghost {
				t.Errorf("the team is told %+v; want destroyed %v, a ghost %v", k.leaves, tt.destroyed, tt.ghost)
			}
			g, ghost := k.Ghost(h)
			if ghost != tt.ghost || ghost && (appearance{g.Health, g.Stock, g.Unbuilt, g.Facing, g.Slot, g.Team}) != was {
				t.Errorf("the team remembers %+v (%v), last seen as %+v", g, ghost, was)
			}
			for _, ev := range w.events {
				if ev.Kind == EventDied && ev.Source == id && ev.Seen.Has(0) != tt.destroyed {
					t.Errorf("that it died was seen by %v", ev.Seen)
				}
			}
			if i := w.m.Index(foot); tt.typ == "wall" && k.ground.Blocked(i) != tt.ghost {
				t.Errorf("the team knows the ground as blocked: %v", k.ground.Blocked(i))
			}
			Editor{w}.Move(eye, near.Center())
			w.Step(nil)
			if _, still := k.Ghost(h); still {
				t.Error("the empty ground is in sight and the ghost still there")
			}
			if i := w.m.Index(foot); k.ground.Blocked(i) {
				t.Error("the empty ground is in sight and still known to be closed")
			}
		})
	}
}

// TestFinishedAndDestroyedAtOnce: a structure that is finished and destroyed in
// one tick sees on as it did before. Its team's clients never hear that it was
// finished, so they derive that.
func TestFinishedAndDestroyedAtOnce(t *testing.T) {
	w := sandboxWorld(t, 40, nil)
	builder := w.find(w.block(0, "worker", 1, 10, 8)[0])
	typ, _ := w.rules.TypeByName("tower")
	s := w.spawn(0, typ, grid.Tile{X: 11, Y: 8}.Center(), true)
	w.settle()
	w.Step(nil)
	s.raised = int32(w.rt.types[typ].build) - 1
	builder.give(append(builder.tasks[:0], task{kind: orders.Build, phase: buildRaise, typ: typ, target: s.id}))
	id, source := s.id, s.source
	w.hurt(s, harm{slot: 1, team: 1, amount: 1 << 20, weapon: NoWeapon})
	w.Step(nil)
	if w.find(id) != nil || !slices.ContainsFunc(w.events, func(e Event) bool { return e.Kind == EventBuilt && e.Source == id }) {
		t.Fatalf("it was not finished and destroyed in one tick: %+v", w.events)
	}
	if _, eye := w.eyes.Get(source); eye.Radius != w.sourceOf(&Entity{typ: typ, unbuilt: true, details: &details{}}).Radius || eye.Until == 0 {
		t.Errorf("it sees on as %+v", eye)
	}
}
