package bench

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// The targets of the scenes.
var (
	obeyed    = moveBound{arrived: 1, late: 1.3}
	crossed   = moveBound{arrived: 1, late: 2}
	there     = moveBound{arrived: 1}
	surrounds = moveBound{arrived: 1, inReach: 6}
	mined     = moveBound{income: 0.9}
	fights    = moveBound{fought: 0.8}
)

// moveScenes returns the scenes, and one for each map below FOGKEEP_TEST_MAPS.
func moveScenes(t *testing.T) []*moveScene {
	t.Helper()
	shipped := func(id string) *grid.Map {
		var m Map
		if err := m.UnmarshalText([]byte(id)); err != nil {
			t.Fatal(err)
		}
		return m.Map
	}
	winds := shipped("four-winds")
	scenes := []*moveScene{
		{name: "ramp-60", field: winds, run: toCentre(60), bound: obeyed},                      // 60 mixed units from the base down its ramp and up to the centre
		{name: "ramp-180", field: winds, run: toCentre(180), bound: obeyed},                    // the same with 180
		{name: "across-60", field: winds, run: acrossMap(60), bound: obeyed},                   // 60 mixed units to the far corner
		{name: "across-180", field: winds, run: acrossMap(180), bound: obeyed},                 // the same with 180
		{name: "fords-60", field: shipped("twin-fords"), run: acrossMap(60), bound: obeyed},    // 60 mixed units across the map
		{name: "crowns-60", field: shipped("eight-crowns"), run: acrossMap(60), bound: obeyed}, // 60 mixed units across the map
		{name: "gap-60", field: gapMap(), run: throughGap(60), bound: obeyed},                  // 60 mixed units through a gap two tiles wide
		{name: "gap-180", field: gapMap(), run: throughGap(180), bound: obeyed},                // the same with 180
		{name: "cross-friends", field: plainMap(96, 64), run: crossFriends, bound: crossed},    // two armies of 100, of two players of a team, each to where the other stands
		{name: "cross-hostile", field: plainMap(96, 64), run: crossHostile, bound: fights},     // 100 units move through 100 of another team on hold
		{name: "ring-in", field: plainMap(80, 64), run: ring(false), bound: there},             // 60 into a ring of 60 idle friends
		{name: "ring-out", field: plainMap(80, 64), run: ring(true), bound: there},             // 60 out of a ring of 60 idle friends
		{name: "surround", field: plainMap(64, 64), run: surround, bound: surrounds},           // 40 raiders around one building of 8x8 tiles: all that have room in reach of it are 49
		{name: "workers", field: oreMap(), run: workers, bound: mined},                         // 16 workers on two ore fields with three barracks near, against the same on eight fields as far away
		{name: "line-69", field: plainMap(96, 64), run: drawnLine, bound: there},               // 69 mixed units along a drawn line of 40 places, as the browser client orders it
	}
	if dir := os.Getenv("FOGKEEP_TEST_MAPS"); dir != "" { // 60 mixed units to the farthest start
		found, _, err := mapfile.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			m, err := mapfile.OpenPlayable(path)
			if err != nil {
				t.Fatal(err)
			}
			scenes = append(scenes, &moveScene{name: "real-" + mapfile.Slug(m.Name), field: m, run: acrossMap(60), bound: obeyed})
		}
	}
	return scenes
}

// plainMap is open ground. Its starts are in the upper corners, out of the way.
func plainMap(w, h int) *grid.Map {
	m := grid.NewMap("plain", w, h)
	m.Starts = []grid.Tile{{X: 5, Y: 5}, {X: int16(w - 8), Y: 5}}
	return m
}

// gapMap is open ground with a cliff across it, two tiles thick, with one gap, two
// tiles wide.
func gapMap() *grid.Map {
	m := plainMap(80, 64)
	m.Name = "gap"
	for y := range m.H {
		for x := 39; x <= 40; x++ {
			if y != 31 && y != 32 {
				i := m.Index(grid.Tile{X: int16(x), Y: int16(y)})
				m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
			}
		}
	}
	return m
}

// oreMap is open ground with eight ore fields around a start, two on each side of its
// command centre, all at the same distance.
func oreMap() *grid.Map {
	m := grid.NewMap("ore", 64, 64)
	m.Starts = []grid.Tile{{X: 31, Y: 31}, {X: 4, Y: 4}}
	m.Resources = []grid.Tile{
		{X: 41, Y: 28}, {X: 41, Y: 35}, // the two that the workers crowd on
		{X: 22, Y: 28}, {X: 22, Y: 35}, {X: 28, Y: 22}, {X: 35, Y: 22}, {X: 28, Y: 41}, {X: 35, Y: 41},
	}
	return m
}

// base is a player's start on a real map.
var base = []muster{{"command-centre", 1}, {"barracks", 1}, {"factory", 1}}

// fromBase begins a match in which the first player has its group around its base.
func fromBase(s *moveScene, n int, seed uint64) (*stage, []grid.EntityID, error) {
	rs, err := moveRules(append(slices.Clone(base), mixed(n)...))
	if err != nil {
		return nil, nil, err
	}
	st, err := newStage(s.field, rs, seed, 0)
	if err != nil {
		return nil, nil, err
	}
	// The ruleset puts the types around the base one after the other: mix them. What
	// hovers may stand on water, so it stays.
	where := map[grid.EntityID]grid.Pos{}
	ids := st.units(0, "soldier", "raider", "scout", "artillery", "caster")
	at := st.places(ids)
	st.rng.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	pair(where, ids, at)
	st.put(where, grid.WUPerTile/16)
	return st, st.units(0), nil
}

func toCentre(n int) func(*moveScene, uint64) (moveRun, error) {
	return func(s *moveScene, seed uint64) (moveRun, error) {
		st, ids, err := fromBase(s, n, seed)
		if err != nil {
			return moveRun{}, err
		}
		middle := nearestGround(s.field, grid.Tile{X: int16(s.field.W / 2), Y: int16(s.field.H / 2)})
		return st.walk(party{0, ids, []grid.Pos{middle.Center()}, orders.Move})
	}
}

// acrossMap sends a group to the start that is farthest away.
func acrossMap(n int) func(*moveScene, uint64) (moveRun, error) {
	return func(s *moveScene, seed uint64) (moveRun, error) {
		st, ids, err := fromBase(s, n, seed)
		if err != nil {
			return moveRun{}, err
		}
		far := s.field.Starts[0]
		for _, t := range s.field.Starts {
			if t.Dist2(s.field.Starts[0]) > far.Dist2(s.field.Starts[0]) {
				far = t
			}
		}
		return st.walk(party{0, ids, []grid.Pos{far.Center()}, orders.Move})
	}
}

// columns is how wide a block of n units is set up.
func columns(n int) int { return int(math.Ceil(math.Sqrt(float64(n)))) }

// inBlock sets up n mixed units of one player in a block.
func inBlock(s *moveScene, n int, seed uint64, at grid.Tile) (*stage, []grid.EntityID, error) {
	rs, err := moveRules(append([]muster{{"command-centre", 1}}, mixed(n)...))
	if err != nil {
		return nil, nil, err
	}
	st, err := newStage(s.field, rs, seed, 0)
	if err != nil {
		return nil, nil, err
	}
	ids, where := st.units(0), map[grid.EntityID]grid.Pos{}
	pair(where, ids, block(n, columns(n), at.Center()))
	st.put(where, grid.WUPerTile/16)
	return st, ids, nil
}

func throughGap(n int) func(*moveScene, uint64) (moveRun, error) {
	return func(s *moveScene, seed uint64) (moveRun, error) {
		st, ids, err := inBlock(s, n, seed, grid.Tile{X: 20, Y: 32})
		if err != nil {
			return moveRun{}, err
		}
		return st.walk(party{0, ids, []grid.Pos{grid.Tile{X: 62, Y: 32}.Center()}, orders.Move})
	}
}

// twoArmies sets up a hundred units of each of two players, face to face.
func twoArmies(s *moveScene, seed uint64, teams ...grid.Team) (st *stage, left, right []grid.EntityID, err error) {
	rs, err := moveRules(append([]muster{{"command-centre", 1}}, mixed(100)...))
	if err != nil {
		return nil, nil, nil, err
	}
	if st, err = newStage(s.field, rs, seed, teams...); err != nil {
		return nil, nil, nil, err
	}
	left, right = st.units(0), st.units(1)
	where := map[grid.EntityID]grid.Pos{}
	pair(where, left, block(100, 10, armyAt[0]))
	pair(where, right, block(100, 10, armyAt[1]))
	st.put(where, grid.WUPerTile/16)
	return st, left, right, nil
}

var armyAt = [2]grid.Pos{grid.Tile{X: 20, Y: 36}.Center(), grid.Tile{X: 76, Y: 36}.Center()}

func crossFriends(s *moveScene, seed uint64) (moveRun, error) {
	st, left, right, err := twoArmies(s, seed, 0, 0)
	if err != nil {
		return moveRun{}, err
	}
	return st.walk(party{0, left, armyAt[1:], orders.Move}, party{1, right, armyAt[:1], orders.Move})
}

// crossHostile sends an army through an army that holds its place: for half a minute,
// units that fire or are hit are counted.
func crossHostile(s *moveScene, seed uint64) (moveRun, error) {
	st, left, right, err := twoArmies(s, seed, 0, 1)
	if err != nil {
		return moveRun{}, err
	}
	fought := map[grid.EntityID]bool{}
	var all []grid.EntityID
	for _, id := range append(left, right...) {
		if t := &st.w.Rules().Types[st.w.Entity(id).Type()]; len(t.Weapons) > 0 {
			all = append(all, id)
		}
	}
	st.order(1, orders.Order{Kind: orders.Hold}, right)
	st.order(0, orders.Order{Kind: orders.AttackMove, HasPoint: true, Point: armyAt[1]}, left)
	for range 45 * st.w.TickRate() {
		st.step()
		for _, id := range all {
			if e := st.w.Entity(id); e == nil || e.Engaged(st.w.Tick(), 1) {
				fought[id] = true
			}
		}
	}
	return moveRun{units: len(all), arrived: len(fought), fought: float64(len(fought)) / float64(len(all))}, nil
}

// ring has 60 units stand side by side around a place, and sends 60 others in or out.
func ring(out bool) func(*moveScene, uint64) (moveRun, error) {
	return func(s *moveScene, seed uint64) (moveRun, error) {
		rs, err := moveRules([]muster{{"command-centre", 1}, {"soldier", 120}})
		if err != nil {
			return moveRun{}, err
		}
		st, err := newStage(s.field, rs, seed, 0)
		if err != nil {
			return moveRun{}, err
		}
		middle, away := grid.Tile{X: 40, Y: 32}.Center(), grid.Tile{X: 16, Y: 36}.Center()
		ids := st.units(0)
		circle, group := ids[:60], ids[60:]
		typ, _ := rs.TypeByName("soldier")
		apart := float64(2*rs.Types[typ].Radius + grid.WUPerTile/16)
		radius := apart * float64(len(circle)) / (2 * math.Pi)
		where := map[grid.EntityID]grid.Pos{}
		for i, id := range circle {
			angle := 2 * math.Pi * float64(i) / float64(len(circle))
			where[id] = middle.Add(grid.Vec{X: int32(radius * math.Cos(angle)), Y: int32(radius * math.Sin(angle))})
		}
		from, to := away, middle
		if out {
			from, to = middle, away
		}
		pair(where, group, block(len(group), 8, from))
		st.put(where, grid.WUPerTile/64)
		return st.walk(party{0, group, []grid.Pos{to}, orders.Move})
	}
}

// surround sends 40 raiders at a building that has room for them.
func surround(s *moveScene, seed uint64) (moveRun, error) {
	const n = 40
	rs, err := moveRules([]muster{{"command-centre", 1}, {"raider", n}})
	if err != nil {
		return moveRun{}, err
	}
	typ, _ := rs.TypeByName("command-centre")
	rs.Types[typ].FootW, rs.Types[typ].FootH = 8, 8
	field := *s.field
	field.Starts = []grid.Tile{{X: 6, Y: 6}, {X: 36, Y: 36}}
	st, err := newStage(&field, rs, seed, 0, 1)
	if err != nil {
		return moveRun{}, err
	}
	ids, idle := st.units(0), st.units(1)
	building := st.structure(1)
	where := map[grid.EntityID]grid.Pos{}
	from := building.Pos().Add(grid.Vec{X: -15 * grid.WUPerTile / 2}) // the first row a tile and a half from the wall
	pair(where, ids, block(n, 5, from))
	pair(where, idle, block(n, 8, grid.Tile{X: 56, Y: 8}.Center()))
	st.put(where, grid.WUPerTile/16)
	st.order(0, orders.Order{Kind: orders.Attack, Target: st.target(0, building)}, ids)
	r := moveRun{units: n}
	began := st.w.Tick() + 1 + sim.OrderDelay
	reach := rs.Weapons[rs.Types[st.w.Entity(ids[0]).Type()].Weapons[0]].Range
	for st.inReach(ids, building, reach) < n && st.w.Tick() < began+grid.Tick(20*st.w.TickRate()) {
		st.step()
		r.inReach = st.seconds(st.w.Tick() - min(began, st.w.Tick()))
	}
	r.arrived = st.inReach(ids, building, reach)
	for _, k := range st.stuck {
		r.stuck += k
	}
	return r, nil
}

// inReach returns how many units are as near to a structure as that.
func (s *stage) inReach(ids []grid.EntityID, building *sim.Entity, reach grid.Dist) int {
	t := &s.w.Rules().Types[building.Type()]
	half := grid.Vec{X: int32(t.FootW) * grid.WUPerTile / 2, Y: int32(t.FootH) * grid.WUPerTile / 2}
	n := 0
	for _, id := range ids {
		v := s.w.Entity(id).Pos().Sub(building.Pos())
		off := grid.Vec{X: max(0, max(v.X, -v.X)-half.X), Y: max(0, max(v.Y, -v.Y)-half.Y)}
		if off.Len() <= reach {
			n++
		}
	}
	return n
}

// workers compares what 16 workers bring in on two fields, with three barracks about
// their ways, with what they bring in on eight fields.
func workers(s *moveScene, seed uint64) (moveRun, error) {
	crowded, err := income(s, seed, 2, true)
	if err != nil {
		return moveRun{}, err
	}
	spread, err := income(s, seed, len(s.field.Resources), false)
	if err != nil {
		return moveRun{}, err
	}
	if spread == 0 {
		return moveRun{}, fmt.Errorf("the workers that are spread out mine nothing")
	}
	return moveRun{units: 16, arrived: 16, income: float64(crowded) / float64(spread)}, nil
}

// income returns what 16 workers bring in on the first so many fields in two minutes,
// after half a minute.
func income(s *moveScene, seed uint64, fields int, built bool) (int32, error) {
	rs, err := moveRules([]muster{{"command-centre", 1}, {"worker", 16}})
	if err != nil {
		return 0, err
	}
	ore, _ := rs.TypeByName("ore-field")
	rs.Places = []uint16{ore}
	st, err := newStage(s.field, rs, seed, 0)
	if err != nil {
		return 0, err
	}
	ids := st.units(0)
	if built {
		if err := st.build(ids, "barracks", []grid.Tile{{X: 37, Y: 32}, {X: 39, Y: 26}, {X: 39, Y: 38}}); err != nil {
			return 0, err
		}
	}
	for i, id := range ids {
		for _, e := range st.w.Entities() {
			if e.Class() == rules.ClassResource && e.Tile() == s.field.Resources[i%fields] {
				st.order(0, orders.Order{Kind: orders.Harvest, Target: st.target(0, e)}, []grid.EntityID{id})
			}
		}
	}
	for range 30 * st.w.TickRate() {
		st.step()
	}
	before := st.w.Player(0).Stock[0]
	for range 120 * st.w.TickRate() {
		st.step()
	}
	return st.w.Player(0).Stock[0] - before, nil
}

// build has workers raise structures whose middles are on the tiles, one after the
// other. A worker whose way is closed by others is followed by the next.
func (s *stage) build(ids []grid.EntityID, name string, sites []grid.Tile) error {
	typ, _ := s.w.Rules().TypeByName(name)
	for i, at := range sites {
		stands := func() bool {
			return slices.ContainsFunc(s.w.Entities(), func(e *sim.Entity) bool {
				return e.Type() == typ && e.Tile() == at && e.Built()
			})
		}
		for try := 0; try < len(ids) && !stands(); try++ {
			worker := ids[(i+try)%len(ids)]
			s.order(0, orders.Order{Kind: orders.Build, Type: typ, HasPoint: true, Point: at.Center()}, []grid.EntityID{worker})
			for range 10 * s.w.TickRate() {
				if s.step(); stands() {
					break
				}
			}
		}
		if !stands() {
			return fmt.Errorf("no worker can build %s at %v", name, at)
		}
	}
	return nil
}

// linePlaces is how many places the browser client gives a drawn line at most
// (LINE_PLACES_MAX in web/src/input/intent.ts).
const linePlaces = 40

// drawnLine sends 69 units to places along a line, in the order in which they stand
// along it. Neighbours share a place.
func drawnLine(s *moveScene, seed uint64) (moveRun, error) {
	const n = 69
	st, ids, err := inBlock(s, n, seed, grid.Tile{X: 48, Y: 24})
	if err != nil {
		return moveRun{}, err
	}
	slices.SortFunc(ids, func(a, b grid.EntityID) int {
		return int(st.w.Entity(a).Pos().X - st.w.Entity(b).Pos().X)
	})
	goals := make([]grid.Pos, n)
	for i := range goals {
		k := i * linePlaces / n
		goals[i] = grid.Tile{X: 8, Y: 50}.Center().Add(grid.Vec{X: int32(k * 80 * grid.WUPerTile / (linePlaces - 1))})
	}
	return st.walk(party{0, ids, goals, orders.Move})
}
