package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/helpers"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/nav"
	"github.com/fogkeep/fogkeep/orders"
)

// The whole paths workload, and its targets.
const (
	pathsSide     = 1024
	pathsUnits    = 500 // a player
	pathsSeconds  = 10
	pathsCompared = 60   // routes that are compared with the obvious search
	pathsWorst    = 1.10 // the greatest ratio of a route's cost to that of the shortest way
	pathsLatest   = 250  // ms until a unit sets out, at most
)

// pathsSum is how soon the first player's units obeyed in a scene.
type pathsSum struct {
	orders, never int         // orders to units, and those not begun to obey when the next came or the scene ended
	underWay      []float64   // ms from the tick in which an order comes in to the tick in which the unit moves or turns to obey it, sorted
	ticks         []float64   // ms of a step, sorted
	first         []grid.Tick // until each unit obeyed the first order
}

// pathsScene has the units and their goals.
type pathsScene struct {
	name  string
	group bool // one order to one goal
	again bool // every second anew
	other bool // the second player does the same at the same time
}

var pathsScenes = []pathsScene{
	{name: "own goals"},
	{name: "own goals, two players", other: true},
	{name: "clicks", again: true},
	{name: "clicks, two players", again: true, other: true},
	{name: "group", group: true},
}

// check reports the bounds that a scene misses. alone is the same scene without the
// second player, who must not cost the first one time.
func (r *pathsSum) check(t testing.TB, alone *pathsSum) {
	t.Helper()
	if latest := r.underWay[len(r.underWay)-1]; r.never > 0 || latest > pathsLatest {
		t.Errorf("%d of %d orders were never obeyed, the last of the others after %v ms", r.never, r.orders, latest)
	}
	if alone != nil && !slices.Equal(alone.first, r.first) {
		t.Error("with a second player, units set out at another time than alone")
	}
}

// TestPaths plays the workload on a small maze.
func TestPaths(t *testing.T) {
	maze := newMaze(176, 1)
	var before *pathsSum
	for i := range pathsScenes {
		s := &pathsScenes[i]
		r := playPaths(t, maze, 40, 1, s)
		if r.orders != 40 {
			t.Errorf("%s: %d orders", s.name, r.orders)
		}
		if !s.other {
			before = nil
		}
		r.check(t, before)
		before = r
	}
	compareRoutes(t, maze, 40)
}

// BenchmarkMazePaths sends units through the maze and measures. As in a match, helpers
// search routes.
func BenchmarkMazePaths(b *testing.B) {
	maze := newMaze(pathsSide, 1)
	played := map[string]*pathsSum{}
	for i := range pathsScenes {
		s := &pathsScenes[i]
		b.Run(s.name, func(b *testing.B) {
			var r *pathsSum
			for b.Loop() {
				r = playPaths(b, maze, pathsUnits, pathsSeconds, s)
			}
			played[s.name] = r
			var alone *pathsSum
			if s.other {
				alone = played[pathsScenes[i-1].name]
			}
			r.check(b, alone)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(r.orders), "orders")
			b.ReportMetric(float64(r.never), "never")
			n, m := len(r.underWay), len(r.ticks)
			b.ReportMetric(r.underWay[n*99/100], "under-way-p99-ms")
			b.ReportMetric(r.underWay[n-1], "under-way-max-ms")
			b.ReportMetric(r.ticks[m/2], "tick-p50-ms")
			b.ReportMetric(r.ticks[m*99/100], "tick-p99-ms")
			b.ReportMetric(r.ticks[m-1], "tick-max-ms")
		})
	}
	b.Run("routes", func(b *testing.B) {
		for b.Loop() {
			worst, mean, prepare, memory := compareRoutes(b, maze, pathsCompared)
			b.ReportMetric(worst, "cost-ratio-max")
			b.ReportMetric(mean, "cost-ratio-mean")
			b.ReportMetric(float64(prepare.Microseconds())/1000, "prepare-ms")
			b.ReportMetric(memory, "search-MB")
		}
	})
}

// pathsWalker is the type of the units.
const pathsWalker = "scout"

// farGoal returns an open place at least half the map from a place.
func farGoal(m *grid.Map, rng *rand.Rand, from grid.Pos) grid.Pos {
	for {
		t := m.TileAt(rng.IntN(m.W * m.H))
		if m.Passable(t, grid.Ground) && !t.Center().Within(from, grid.Tiles(int32(m.W/2))) {
			return t.Center()
		}
	}
}

// scatter returns n open places that lie apart, all over the map, away from the starts,
// where structures stand.
func scatter(m *grid.Map, rng *rand.Rand, n int) []grid.Pos {
	var at []grid.Pos
	taken := map[grid.Tile]bool{}
	for len(at) < n {
		t := m.TileAt(rng.IntN(m.W * m.H))
		home := slices.ContainsFunc(m.Starts, func(s grid.Tile) bool { return s.Dist2(t) < 10*10 })
		if block := (grid.Tile{X: t.X / 2, Y: t.Y / 2}); m.Passable(t, grid.Ground) && !taken[block] && !home {
			taken[block] = true
			at = append(at, t.Center())
		}
	}
	return at
}

// pathsUnit is a unit that is to obey.
type pathsUnit struct {
	id    grid.EntityID
	since grid.Tick // of its last order
	waits bool
	first grid.Tick // from its first order until it obeyed
	at    grid.Pos
	face  grid.Facing
}

func playPaths(t testing.TB, maze *grid.Map, count, seconds int, scene *pathsScene) *pathsSum {
	t.Helper()
	rs, err := moveRules([]muster{{"command-centre", 1}, {pathsWalker, count}})
	if err != nil {
		t.Fatal(err)
	}
	rs.Settings.OrdersPerSecond, rs.Settings.OrderBurst = 10_000, 10_000
	s, err := newStage(maze, rs, 1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	where := map[grid.EntityID]grid.Pos{}
	places := scatter(maze, s.rng, 2*count)
	ids := [2][]grid.EntityID{s.units(0), s.units(1)}
	for i, of := range ids {
		pair(where, of, places[i*count:])
	}
	s.put(where, 0)
	s.w.SetRouteRunner(helpers.New(runtime.GOMAXPROCS(0) - 1).Hand().Run)
	r := &pathsSum{}
	units := make([]pathsUnit, count)
	for i, id := range ids[0] {
		units[i] = pathsUnit{id: id, first: grid.Tick(seconds * s.w.TickRate())}
	}
	goals := [2]*rand.Rand{rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 2))}
	rate := s.w.TickRate()
	for i := range seconds * rate {
		if i == 0 || scene.again && i%rate == 0 {
			s.orderFar(0, scene, ids[0], goals[0])
			if scene.other {
				s.orderFar(1, scene, ids[1], goals[1])
			}
			for j := range units {
				if u := &units[j]; u.waits {
					r.never++
				}
				units[j].waits, units[j].since = true, s.w.Tick()+1
			}
			r.orders += len(units)
		}
		for j := range units {
			e := s.w.Entity(units[j].id)
			units[j].at, units[j].face = e.Pos(), e.Facing()
		}
		began := time.Now()
		s.step()
		r.ticks = append(r.ticks, milliseconds(time.Since(began)))
		for j := range units {
			u := &units[j]
			e := s.w.Entity(u.id)
			if now := s.w.Tick(); u.waits && now >= u.since+sim.OrderDelay && (e.Pos() != u.at || e.Facing() != u.face) {
				u.waits = false
				if r.orders == count { // the first
					u.first = now - u.since
				}
				r.underWay = append(r.underWay, 1000*s.seconds(now-u.since))
			}
		}
	}
	for j := range units {
		if units[j].waits {
			r.never++
		}
		r.first = append(r.first, units[j].first)
	}
	slices.Sort(r.underWay)
	slices.Sort(r.ticks)
	if len(r.underWay) == 0 {
		t.Fatal("no unit sets out")
	}
	return r
}

// orderFar orders a player's units to far goals.
func (s *stage) orderFar(slot grid.Slot, scene *pathsScene, ids []grid.EntityID, rng *rand.Rand) {
	m := s.w.Map()
	if scene.group {
		corner := grid.Tile{X: int16(m.W - 4), Y: int16(m.H - 4)}
		s.order(slot, orders.Order{Kind: orders.Move, HasPoint: true, Point: nearestGround(m, corner).Center()}, ids)
		return
	}
	for _, id := range ids {
		s.order(slot, orders.Order{Kind: orders.Move, HasPoint: true, Point: farGoal(m, rng, s.w.Entity(id).Pos())}, []grid.EntityID{id})
	}
}

// compareRoutes follows routes from place to place over the maze, and compares their cost with the shortest way's.
// Memory is the heap of the search for paths in a match of two such players, in MiB.
func compareRoutes(t testing.TB, m *grid.Map, routes int) (worst, mean float64, prepare time.Duration, memory float64) {
	t.Helper()
	rs, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	typ, ok := rs.TypeByName(pathsWalker)
	if !ok {
		t.Fatalf("the rules have no %q", pathsWalker)
	}
	body := nav.Body{Move: rs.Types[typ].Move, Radius: rs.Types[typ].Radius}
	before := heapBytes()
	began := time.Now()
	p := &ways{ground: nav.NewGround(nav.NewBase(m)), finder: nav.NewFinder(m, 2)}
	p.ground.Prepare(body)
	prepare = time.Since(began)
	rng := rand.New(rand.NewPCG(3, 3))
	obvious := newObviousWays(m, body.Move)
	for _, at := range scatter(m, rng, routes) {
		goal := farGoal(m, rng, at)
		cost, err := p.follow(m, body, at, goal)
		if err != nil {
			t.Fatal(err)
		}
		ratio := float64(cost) / float64(obvious.cost(at.Tile(), goal.Tile()))
		worst, mean = max(worst, ratio), mean+ratio/float64(routes)
	}
	if worst > pathsWorst {
		t.Errorf("a route costs %.3f times the shortest way, promised are %.2f", worst, pathsWorst)
	}
	inOrder := func(n int, f func(int)) {
		for i := range n {
			f(i)
		}
	}
	for slot := range grid.Slot(2) { // as many fields as there can be, and as much memory of searches
		var all []nav.Request
		for range 16 {
			at := scatter(m, rng, 1)[0]
			goal := farGoal(m, rng, at)
			all = append(all, nav.Request{Now: p.now, Slot: slot, Body: body, From: at, Goal: goal, Hub: goal, Group: true})
		}
		p.finder.FindAll(&p.ground, all, inOrder)
	}
	memory = float64(heapBytes()-before) / (1 << 20)
	runtime.KeepAlive(p)
	return worst, mean, prepare, memory
}

func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// follow walks a route, part by part, and returns its cost in tenths of a tile. A leg costs as much as a way over
// tiles between its ends.
func (p *ways) follow(m *grid.Map, body nav.Body, at, goal grid.Pos) (int64, error) {
	cost := int64(0)
	for asked := 0; at != goal; asked++ {
		if asked > 1_000_000 {
			return 0, fmt.Errorf("the route to %v does not end", goal.Tile())
		}
		legs, end, answer := p.finder.Find(&p.ground, nav.Request{Now: p.now, Body: body, From: at, Goal: goal, Hub: goal})
		p.finder.Grow(&p.ground, 0, p.now)
		p.now++
		if answer != nav.Found {
			continue
		}
		if end != goal || legs[0] == at {
			return 0, fmt.Errorf("no route from %v to %v", at.Tile(), goal.Tile())
		}
		for _, leg := range legs {
			if err := crossesOpen(m, body, at, leg); err != nil {
				return 0, err
			}
			d := leg.Sub(at)
			x, y := int64(max(d.X, -d.X)), int64(max(d.Y, -d.Y))
			cost += 10*max(x, y) + 4*min(x, y)
			at = leg
		}
	}
	return cost / grid.WUPerTile, nil
}

// crossesOpen says where a leg of a route is not open.
func crossesOpen(m *grid.Map, body nav.Body, from, to grid.Pos) error {
	v := to.Sub(from)
	for d, far := grid.Dist(0), v.Len(); d < far; d += grid.WUPerTile / 8 {
		if at := from.Add(v.Scale(d)).Tile(); !m.Passable(at, body.Move) {
			return fmt.Errorf("a route goes over %v, which is closed", at)
		}
	}
	return nil
}

// obviousWays finds the cost of the shortest way between two tiles, in tenths of a tile:
// from tile to tile in order of cost, without anything that makes it fast.
type obviousWays struct {
	m       *grid.Map
	move    grid.MoveKind
	costs   []int64
	buckets [15][]int
}

func newObviousWays(m *grid.Map, move grid.MoveKind) *obviousWays {
	return &obviousWays{m: m, move: move, costs: make([]int64, m.W*m.H)}
}

// cost returns -1 if there is no way.
func (o *obviousWays) cost(from, to grid.Tile) int64 {
	for i := range o.costs {
		o.costs[i] = -1
	}
	for i := range o.buckets {
		o.buckets[i] = o.buckets[i][:0]
	}
	o.buckets[0] = append(o.buckets[0], o.m.Index(from))
	for now, empty := int64(0), 0; empty < len(o.buckets); now++ {
		b := &o.buckets[now%15]
		if len(*b) == 0 {
			empty++
			continue
		}
		empty = 0
		for _, i := range *b {
			if o.costs[i] >= 0 {
				continue
			}
			o.costs[i] = now
			at := o.m.TileAt(i)
			if at == to {
				return now
			}
			for dy := int16(-1); dy <= 1; dy++ {
				for dx := int16(-1); dx <= 1; dx++ {
					t := grid.Tile{X: at.X + dx, Y: at.Y + dy}
					if !o.m.Passable(t, o.move) || !o.m.Passable(grid.Tile{X: t.X, Y: at.Y}, o.move) || !o.m.Passable(grid.Tile{X: at.X, Y: t.Y}, o.move) {
						continue
					}
					step := int64(10)
					if dx != 0 && dy != 0 {
						step = 14
					}
					if j := o.m.Index(t); o.costs[j] < 0 {
						o.buckets[(now+step)%15] = append(o.buckets[(now+step)%15], j)
					}
				}
			}
		}
		*b = (*b)[:0]
	}
	return -1
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
