package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/internal/helpers"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/nav"
	"github.com/fogkeep/fogkeep/orders"
)

// The whole paths workload, and what it asks for.
const (
	pathsSide     = 1024
	pathsUnits    = 500
	pathsSeconds  = 10
	pathsSideMin  = 96
	pathsCompared = 60   // routes that are compared with the obvious search
	pathsWorst    = 1.10 // the greatest ratio of a route's cost to that of the shortest way
)

// PathsConfig is what [Paths] measures.
type PathsConfig struct {
	asJSON
	Side    int `default:"1024" help:"Side of the maze in tiles, 96 to 1024."`
	Units   int `default:"500" help:"Units per player."`
	Seconds int `default:"10" help:"Seconds of match time, of each scene."`
}

// Run measures and prints. A run that misses its own bounds fails.
func (c *PathsConfig) Run(in *cli.Invocation) error {
	r, err := Paths(in.Ctx, *c)
	if err != nil {
		return err
	}
	if err := c.print(in.Stdout, r); err != nil {
		return err
	}
	if !r.OK {
		return errors.New("bench paths: " + strings.Join(r.Why, "; "))
	}
	return nil
}

// PathsReport is how soon units that are sent far through a maze set out, and what the
// search for their paths costs. Times of scenes are the worst scene's.
type PathsReport struct {
	Side         int      `json:"side"`
	Corridor     int      `json:"corridor"` // tiles
	Units        int      `json:"units"`
	Seconds      int      `json:"seconds"`
	FullWorkload bool     `json:"full_workload"`
	Short        []string `json:"short,omitempty"` // why it is not
	// From the tick in which an order comes in to the tick in which the unit moves or
	// turns to obey it.
	UnderWayP99Ms float64 `json:"under_way_p99_ms"`
	UnderWayMaxMs float64 `json:"under_way_max_ms"`
	TickP50Ms     float64 `json:"tick_p50_ms"`
	TickP99Ms     float64 `json:"tick_p99_ms"`
	TickCPUP99Ms  float64 `json:"tick_cpu_p99_ms"` // processor time of the step, without that of helpers; 0 where it cannot be measured
	// Cost of a unit's route, as it walks it, by the cost of the shortest way over the
	// tiles.
	PathCostRatioMax  float64       `json:"path_cost_ratio_max"`
	PathCostRatioMean float64       `json:"path_cost_ratio_mean"`
	RoutesCompared    int           `json:"routes_compared"`
	MemoryMB          float64       `json:"memory_mb"`  // of the search for paths, in a match of two such players
	PrepareMs         float64       `json:"prepare_ms"` // of the map, as a match begins
	OK                bool          `json:"ok"`
	Why               []string      `json:"why,omitempty"` // it is not
	Scenes            []*PathsScene `json:"scenes"`
}

// PathsScene is one scene. Only the first player's units are measured.
type PathsScene struct {
	Name          string  `json:"name"`
	About         string  `json:"about"`
	Orders        int     `json:"orders"` // that units of the first player were given
	UnderWayP99Ms float64 `json:"under_way_p99_ms"`
	UnderWayMaxMs float64 `json:"under_way_max_ms"`
	NeverWent     int     `json:"never_went"` // orders that a unit had not begun to obey when the next came or the scene ended
	TickP50Ms     float64 `json:"tick_p50_ms"`
	TickP99Ms     float64 `json:"tick_p99_ms"`
	TickMaxMs     float64 `json:"tick_max_ms"`
	TickCPUP99Ms  float64 `json:"tick_cpu_p99_ms"`

	first []grid.Tick // until each unit obeyed the first order
}

// pathsScene says who is ordered where.
type pathsScene struct {
	name, about string
	group       bool // one order to one goal
	again       bool // every second anew
	other       bool // the second player does the same at the same time
}

var pathsScenes = []pathsScene{
	{name: "own goals", about: "each unit is ordered to a far goal of its own, all in one tick"},
	{name: "own goals, two players", about: "the same, and a second player does it in the same tick", other: true},
	{name: "clicks", about: "each unit is ordered to another far goal every second", again: true},
	{name: "clicks, two players", about: "the same, and a second player does it in the same ticks", again: true, other: true},
	{name: "group", about: "all units are ordered to one far goal", group: true},
}

// Paths sends units through a maze and measures. It plays the simulation alone; as in a
// match, helpers search routes with it. It returns a report with OK false if a unit never went, if a route is worse
// than promised, or if the second player cost the first one time.
func Paths(ctx context.Context, c PathsConfig) (*PathsReport, error) {
	if c.Side < pathsSideMin || c.Side > grid.MapSideMax || c.Units < 1 || c.Units > 2000 || c.Seconds < 1 {
		return nil, fmt.Errorf("bench paths: want a side of %d to %d, 1 to 2000 units and at least 1 second", pathsSideMin, grid.MapSideMax)
	}
	r := &PathsReport{Side: c.Side, Corridor: mazeCorridor, Units: c.Units, Seconds: c.Seconds}
	for _, x := range []struct {
		name      string
		have, all int
	}{{"side", c.Side, pathsSide}, {"units", c.Units, pathsUnits}, {"seconds", c.Seconds, pathsSeconds}} {
		if x.have < x.all {
			r.Short = append(r.Short, fmt.Sprintf("%s %d of %d", x.name, x.have, x.all))
		}
	}
	r.FullWorkload = len(r.Short) == 0
	maze := newMaze(c.Side, 1)
	for i := range pathsScenes {
		s, err := playPaths(ctx, maze, c, &pathsScenes[i])
		if err != nil {
			return nil, fmt.Errorf("bench paths: %s: %w", pathsScenes[i].name, err)
		}
		r.Scenes = append(r.Scenes, s)
		r.UnderWayP99Ms, r.UnderWayMaxMs = max(r.UnderWayP99Ms, s.UnderWayP99Ms), max(r.UnderWayMaxMs, s.UnderWayMaxMs)
		r.TickP50Ms, r.TickP99Ms = max(r.TickP50Ms, s.TickP50Ms), max(r.TickP99Ms, s.TickP99Ms)
		r.TickCPUP99Ms = max(r.TickCPUP99Ms, s.TickCPUP99Ms)
		if s.NeverWent > 0 {
			r.Why = append(r.Why, fmt.Sprintf("%s: %d of %d orders were never obeyed", s.Name, s.NeverWent, s.Orders))
		}
	}
	for i := 0; i+1 < len(r.Scenes); i += 2 {
		if alone, both := r.Scenes[i], r.Scenes[i+1]; pathsScenes[i+1].other && !slices.Equal(alone.first, both.first) {
			r.Why = append(r.Why, fmt.Sprintf("%s: units set out at another time than alone", both.Name))
		}
	}
	if err := r.compareRoutes(ctx, maze, c); err != nil {
		return nil, fmt.Errorf("bench paths: %w", err)
	}
	if r.PathCostRatioMax > pathsWorst {
		r.Why = append(r.Why, fmt.Sprintf("a route costs %.3f times the shortest way, promised are %.2f", r.PathCostRatioMax, pathsWorst))
	}
	r.OK = len(r.Why) == 0
	return r, nil
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
	id      grid.EntityID
	since   grid.Tick // of its last order
	waits   bool
	at      grid.Pos
	face    grid.Facing
	setsOut []grid.Tick // after each of its orders
}

func playPaths(ctx context.Context, maze *grid.Map, c PathsConfig, scene *pathsScene) (*PathsScene, error) {
	rs, err := moveRules([]muster{{"command-centre", 1}, {pathsWalker, c.Units}})
	if err != nil {
		return nil, err
	}
	rs.Settings.OrdersPerSecond, rs.Settings.OrderBurst = 10_000, 10_000
	s, err := newStage(maze, rs, 1, 0, 0)
	if err != nil {
		return nil, err
	}
	where := map[grid.EntityID]grid.Pos{}
	places := scatter(maze, s.rng, 2*c.Units)
	ids := [2][]grid.EntityID{s.units(0), s.units(1)}
	for i, of := range ids {
		pair(where, of, places[i*c.Units:])
	}
	s.put(where, 0)
	s.w.SetRouteRunner(helpers.New(runtime.GOMAXPROCS(0) - 1).Hand().Run)
	report := &PathsScene{Name: scene.name, About: scene.about}
	units := make([]pathsUnit, 0, c.Units)
	for _, id := range ids[0] {
		units = append(units, pathsUnit{id: id})
	}
	look := func(u *pathsUnit) { e := s.w.Entity(u.id); u.at, u.face = e.Pos(), e.Facing() }
	goals := [2]*rand.Rand{rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 2))}
	rate := s.w.TickRate()
	var spent, cpu []float64
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var underWay []grid.Tick
	for i := range c.Seconds * rate {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i == 0 || scene.again && i%rate == 0 {
			s.orderFar(0, scene, ids[0], goals[0])
			if scene.other {
				s.orderFar(1, scene, ids[1], goals[1])
			}
			for j := range units {
				u := &units[j]
				if u.waits {
					report.NeverWent++
				}
				u.waits, u.since = true, s.w.Tick()+1
			}
			report.Orders += len(units)
		}
		for j := range units {
			look(&units[j])
		}
		began := time.Now()
		beganCPU, err := threadTime()
		s.step()
		if now, _ := threadTime(); err == nil {
			cpu = append(cpu, float64((now-beganCPU).Microseconds())/1000)
		}
		spent = append(spent, float64(time.Since(began).Microseconds())/1000)
		for j := range units {
			u := &units[j]
			e := s.w.Entity(u.id)
			if now := s.w.Tick(); u.waits && now >= u.since+sim.OrderDelay && (e.Pos() != u.at || e.Facing() != u.face) {
				u.waits = false
				u.setsOut = append(u.setsOut, now-u.since)
				underWay = append(underWay, now-u.since)
			}
		}
	}
	for j := range units {
		u := &units[j]
		if u.waits {
			report.NeverWent++
		}
		if len(u.setsOut) == 0 {
			u.setsOut = append(u.setsOut, s.w.Tick())
		}
		report.first = append(report.first, u.setsOut[0])
	}
	slices.Sort(underWay)
	slices.Sort(spent)
	ms := func(t grid.Tick) float64 { return float64(t) * 1000 / float64(rate) }
	if n := len(underWay); n > 0 {
		report.UnderWayP99Ms, report.UnderWayMaxMs = ms(underWay[n*99/100]), ms(underWay[n-1])
	}
	if report.NeverWent > 0 { // they waited for all of it
		waited := float64(c.Seconds * 1000)
		if scene.again {
			waited = 1000
		}
		report.UnderWayMaxMs = max(report.UnderWayMaxMs, waited)
		if report.NeverWent*100 > report.Orders {
			report.UnderWayP99Ms = max(report.UnderWayP99Ms, waited)
		}
	}
	if slices.Sort(cpu); len(cpu) > 0 {
		report.TickCPUP99Ms = cpu[len(cpu)*99/100]
	}
	n := len(spent)
	report.TickP50Ms, report.TickP99Ms, report.TickMaxMs = spent[n/2], spent[n*99/100], spent[n-1]
	return report, nil
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

// compareRoutes follows routes from place to place over the maze, and compares what
// they cost with the shortest way.
func (r *PathsReport) compareRoutes(ctx context.Context, m *grid.Map, c PathsConfig) error {
	rs, err := rules.Shipped("skirmish")
	if err != nil {
		return err
	}
	typ, ok := rs.TypeByName(pathsWalker)
	if !ok {
		return fmt.Errorf("the rules have no %q", pathsWalker)
	}
	body := nav.Body{Move: rs.Types[typ].Move, Radius: rs.Types[typ].Radius}
	before := heapBytes()
	began := time.Now()
	p := &ways{ground: nav.NewGround(nav.NewBase(m)), finder: nav.NewFinder(m, 2)}
	p.ground.Prepare(body)
	r.PrepareMs = float64(time.Since(began).Microseconds()) / 1000
	rng := rand.New(rand.NewPCG(3, 3))
	from := scatter(m, rng, min(c.Units, pathsCompared))
	obvious := newObviousWays(m, body.Move)
	sum := 0.0
	for _, at := range from {
		if err := ctx.Err(); err != nil {
			return err
		}
		goal := farGoal(m, rng, at)
		cost, err := p.follow(m, body, at, goal)
		if err != nil {
			return err
		}
		ratio := float64(cost) / float64(obvious.cost(at.Tile(), goal.Tile()))
		r.PathCostRatioMax = max(r.PathCostRatioMax, ratio)
		sum += ratio
	}
	r.RoutesCompared, r.PathCostRatioMean = len(from), sum/float64(len(from))
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
	r.MemoryMB = float64(heapBytes()-before) / (1 << 20)
	runtime.KeepAlive(p)
	return nil
}

func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// follow walks a route, part by part, and returns its cost in tenths of a tile. A leg
// costs what a way over tiles would cost from its begin to its end.
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

// obviousWays finds what the shortest way between two tiles costs, in tenths of a tile:
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
