package bench

import (
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/nav"
)

// TestPaths plays the workload on a small maze.
func TestPaths(t *testing.T) {
	r, err := Paths(t.Context(), PathsConfig{Side: 176, Units: 40, Seconds: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || r.FullWorkload || len(r.Short) != 3 || len(r.Scenes) != len(pathsScenes) || r.RoutesCompared != 40 {
		t.Fatalf("the report is %+v", r)
	}
	for _, s := range r.Scenes {
		if s.UnderWayMaxMs > 250 || s.Orders != 40 {
			t.Errorf("%s: %d orders, the last was obeyed after %v ms", s.Name, s.Orders, s.UnderWayMaxMs)
		}
	}
}

// TestMazeIsConnected: every open tile of the maze can be reached from its first start.
func TestMazeIsConnected(t *testing.T) {
	m := newMaze(200, 2)
	o := newObviousWays(m, grid.Ground)
	o.cost(m.Starts[0], grid.Tile{X: -1})
	for i, cost := range o.costs {
		if at := m.TileAt(i); m.Passable(at, grid.Ground) != (cost >= 0) {
			t.Fatalf("%v costs %d", at, cost)
		}
	}
}

// TestPathsAfterRecovery restores a match in each tick in which units still wait for
// their routes. It goes on to the same states as the match that was not interrupted.
func TestPathsAfterRecovery(t *testing.T) {
	const units = 300 // more than get a path in one tick
	maze := newMaze(200, 1)
	rs, err := moveRules([]muster{{"command-centre", 1}, {pathsWalker, units}})
	if err != nil {
		t.Fatal(err)
	}
	rs.Settings.OrdersPerSecond, rs.Settings.OrderBurst = 10_000, 10_000
	s, err := newStage(maze, rs, 1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	setup := sim.Setup{Map: maze, Rules: rs, Seed: 1, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 0, Start: 1}}}
	ids := s.units(0)
	where := map[grid.EntityID]grid.Pos{}
	pair(where, ids, scatter(maze, s.rng, units))
	s.put(where, 0)
	type pose struct {
		at   grid.Pos
		face grid.Facing
	}
	poses := func() (all []pose) {
		for _, id := range ids {
			e := s.w.Entity(id)
			all = append(all, pose{e.Pos(), e.Facing()})
		}
		return all
	}
	before := poses()
	s.orderFar(0, &pathsScenes[0], ids, s.rng)
	s.orderFar(1, &pathsScene{group: true}, s.units(1), s.rng)
	const ticks = 16
	var saves [][]byte
	var hashes []uint64
	waited := 0
	for range ticks {
		s.step()
		saves, hashes = append(saves, s.w.Save(nil)), append(hashes, s.w.Hash())
		moving := 0
		for i, now := range poses() {
			if now != before[i] {
				moving++
			}
		}
		if moving > 0 && moving < units*9/10 {
			waited++
		}
	}
	if waited == 0 {
		t.Error("no tick had units that were under way and units that were not")
	}
	for from := range ticks - 1 {
		w, err := sim.Restore(setup, saves[from])
		if err != nil {
			t.Fatal(err)
		}
		for at := from + 1; at < ticks; at++ {
			if w.Step(nil); w.Hash() != hashes[at] {
				t.Fatalf("restored after step %d, step %d ends in another state", from, at)
			}
		}
	}
}

// BenchmarkRoute finds the first part of routes far through a maze.
func BenchmarkRoute(b *testing.B) {
	m := newMaze(1024, 1)
	body := nav.Body{Move: grid.Ground, Radius: 300}
	p := &ways{ground: nav.NewGround(nav.NewBase(m)), finder: nav.NewFinder(m, 2)}
	p.ground.Prepare(body)
	rng := rand.New(rand.NewPCG(3, 3))
	from := scatter(m, rng, 500)
	goals := make([]grid.Pos, len(from))
	for i := range from {
		goals[i] = farGoal(m, rng, from[i])
	}
	i := 0
	for b.Loop() {
		_, _, answer := p.finder.Find(&p.ground, nav.Request{Body: body, From: from[i%500], Goal: goals[i%500], Hub: goals[i%500]})
		if answer != nav.Found {
			b.Fatal(answer)
		}
		p.finder.Grow(&p.ground, 0, 0)
		i++
	}
}

// BenchmarkPrepare makes of a map what searches need.
func BenchmarkPrepare(b *testing.B) {
	m := newMaze(1024, 1)
	for b.Loop() {
		g := nav.NewGround(nav.NewBase(m))
		g.Prepare(nav.Body{Move: grid.Ground, Radius: 300})
	}
}
