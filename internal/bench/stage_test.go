package bench

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/nav"
	"github.com/fogkeep/fogkeep/orders"
)

// stage is the world of one run of a scene. Units are put into place before
// the first order, by the driver; from then on players' orders alone move them.
type stage struct {
	w     *sim.World
	rng   *rand.Rand
	seq   []uint32
	queue []sim.Input
	stuck map[grid.EntityID]int // notices that the unit gave up
	tasks []sim.Task
}

// muster is what each player of a stage begins with: so many of a type. Structures come first. The first structure is
// the centre that keeps the player in.
type muster struct {
	name  string
	count int
}

// mixed is a group of ground units as players send them: half soldiers, and some of
// each of the others.
func mixed(n int) []muster {
	each := func(percent int) int { return n * percent / 100 }
	rest := []muster{{"raider", each(15)}, {"scout", each(10)}, {"artillery", each(10)}, {"caster", each(10)}, {"detector", each(5)}}
	soldiers := n
	for _, m := range rest {
		soldiers -= m.count
	}
	return append([]muster{{"soldier", soldiers}}, rest...)
}

// moveRules are the shipped rules, with armies of any size: nothing is paid for, and
// structures do not fall.
func moveRules(start []muster) (*rules.Ruleset, error) {
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		return nil, err
	}
	rs := *shipped
	rs.Types = slices.Clone(rs.Types)
	rs.Settings.PopMax = 1 << 20
	for i := range rs.Settings.StartStock {
		rs.Settings.StartStock[i] = 1 << 20
	}
	for i := range rs.Types {
		t := &rs.Types[i]
		if t.Pop = 0; t.Class == rules.ClassStructure {
			t.Health *= 1000
			t.BuildMs = 200
		}
	}
	rs.Start = nil
	for _, m := range start {
		typ, ok := rs.TypeByName(m.name)
		if !ok {
			return nil, fmt.Errorf("the rules have no %q", m.name)
		}
		if m.count > 0 {
			rs.Start = append(rs.Start, rules.StartEntry{Type: typ, Count: int32(m.count)})
		}
	}
	return &rs, nil
}

// newStage begins a match of so many slots, whose teams are named.
func newStage(field *grid.Map, rs *rules.Ruleset, seed uint64, teams ...grid.Team) (*stage, error) {
	setup := sim.Setup{Map: field, Rules: rs, Seed: seed}
	for i, t := range teams {
		setup.Players = append(setup.Players, sim.Player{Team: t, Start: i})
	}
	w, err := sim.New(setup)
	if err != nil {
		return nil, err
	}
	return &stage{
		w: w, rng: rand.New(rand.NewPCG(seed, 14)), seq: make([]uint32, len(teams)), stuck: map[grid.EntityID]int{},
	}, nil
}

// units returns the ids of a slot's units, of the types named, in a random order.
func (s *stage) units(slot grid.Slot, names ...string) []grid.EntityID {
	var ids []grid.EntityID
	for _, e := range s.w.Entities() {
		t := &s.w.Rules().Types[e.Type()]
		if e.Slot() == slot && e.Class() == rules.ClassUnit && (len(names) == 0 || slices.Contains(names, t.Name)) {
			ids = append(ids, e.ID())
		}
	}
	s.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}

// structure returns the slot's first structure.
func (s *stage) structure(slot grid.Slot) *sim.Entity {
	for _, e := range s.w.Entities() {
		if e.Slot() == slot && e.Class() == rules.ClassStructure {
			return e
		}
	}
	return nil
}

// places returns where the units stand.
func (s *stage) places(ids []grid.EntityID) []grid.Pos {
	at := make([]grid.Pos, len(ids))
	for i, id := range ids {
		at[i] = s.w.Entity(id).Pos()
	}
	return at
}

// block returns n places in a block whose middle is at a point, apart from each other
// by a tile, in rows of so many.
func block(n, columns int, middle grid.Pos) []grid.Pos {
	var at []grid.Pos
	rows := (n + columns - 1) / columns
	for i := range n {
		at = append(at, middle.Add(grid.Vec{
			X: int32(2*(i%columns)-columns+1) * grid.WUPerTile / 2,
			Y: int32(2*(i/columns)-rows+1) * grid.WUPerTile / 2,
		}))
	}
	return at
}

// put puts units into places, one each, before the scene begins, and tells them to
// stand there. With jitter they are up to so much away from them.
func (s *stage) put(where map[grid.EntityID]grid.Pos, jitter grid.Dist) {
	off := func() int32 { return int32(s.rng.IntN(int(2*jitter+1))) - int32(jitter) }
	to := map[grid.EntityID]grid.Pos{}
	for _, e := range s.w.Entities() { // in their order, so that a seed is a seed
		if at, ok := where[e.ID()]; ok {
			to[e.ID()] = at.Add(grid.Vec{X: off(), Y: off()})
		}
	}
	s.w.SetDriver(&sim.Driver{Unit: func(id grid.EntityID, p sim.Driven) sim.Driven {
		if at, ok := to[id]; ok {
			p.X, p.Y = at.X<<sim.FineShift, at.Y<<sim.FineShift
		}
		return p
	}})
	s.w.Step(nil)
	s.w.SetDriver(nil)
	for slot := range s.w.Players() {
		if ids := s.units(grid.Slot(slot)); len(ids) > 0 {
			s.order(grid.Slot(slot), orders.Order{Kind: orders.Stop}, ids)
		}
	}
	s.settle()
}

// pair gives each unit a place.
func pair(where map[grid.EntityID]grid.Pos, ids []grid.EntityID, at []grid.Pos) {
	for i, id := range ids {
		where[id] = at[i]
	}
}

// settle lets the world come to rest before the scene.
func (s *stage) settle() {
	for range 10 {
		s.step()
	}
	clear(s.stuck)
}

// order gives an order to units in the next step.
func (s *stage) order(slot grid.Slot, o orders.Order, ids []grid.EntityID) {
	know := s.w.Knowledge(s.w.Player(slot).Team)
	o.Units = nil
	for _, id := range ids {
		if h, ok := know.HandleOf(s.w.Entity(id)); ok {
			o.Units = append(o.Units, h)
		}
	}
	s.seq[slot]++
	s.queue = append(s.queue, sim.Input{Kind: sim.InputOrder, Slot: slot, Seq: s.seq[slot], AsOf: s.w.Tick(), Order: o})
}

// target returns the handle that a slot has for an entity.
func (s *stage) target(slot grid.Slot, e *sim.Entity) grid.Handle {
	h, _ := s.w.Knowledge(s.w.Player(slot).Team).HandleOf(e)
	return h
}

func (s *stage) step() sim.Outcome {
	slices.SortStableFunc(s.queue, func(a, b sim.Input) int { return cmp.Compare(a.Slot, b.Slot) })
	out := s.w.Step(s.queue)
	s.queue = s.queue[:0]
	for _, n := range out.Notices {
		if n.Code == orders.Stuck || n.Code == orders.Unreachable {
			s.stuck[n.Unit]++
		}
	}
	return out
}

func (s *stage) seconds(t grid.Tick) float64 { return float64(t) / float64(s.w.TickRate()) }

// idle reports whether the unit has nothing to do.
func (s *stage) idle(e *sim.Entity) bool {
	s.tasks = e.Tasks(s.tasks[:0])
	return len(s.tasks) == 0
}

// crowdUnit is a unit that is to get somewhere.
type crowdUnit struct {
	id      grid.EntityID
	ground  *arrival
	alone   float64 // seconds that its path takes alone
	inside  bool
	entered grid.Tick // when it last came to where its group arrives
}

// party is a group of units that is sent to one goal.
type party struct {
	slot  grid.Slot
	ids   []grid.EntityID
	goals []grid.Pos // one for all, or one for each
	kind  orders.Kind
}

// walk sends the parties and measures until all stand, or until the slowest has had
// three times the time that it needs and a quarter of a minute.
func (s *stage) walk(parties ...party) (moveRun, error) {
	r := moveRun{narrowest: grid.Dist(s.w.Map().W) * grid.WUPerTile}
	var all []crowdUnit
	for _, p := range parties {
		units, narrowest, crowd, err := s.prepare(p)
		if err != nil {
			return r, err
		}
		all = append(all, units...)
		r.narrowest, r.crowd = min(r.narrowest, narrowest), max(r.crowd, crowd)
	}
	for _, p := range parties {
		s.send(p)
	}
	longest := 0.0
	for i := range all {
		longest = max(longest, all[i].alone)
	}
	rate := s.w.TickRate()
	began := s.w.Tick() + 1 + sim.OrderDelay
	end := began + grid.Tick((3*longest+r.crowd+15)*float64(rate))
	still := 0
	for s.w.Tick() < end && still < 3*rate {
		s.step()
		still++
		for i := range all {
			u := &all[i]
			e := s.w.Entity(u.id)
			if e == nil {
				return r, errors.New("a unit died on its way")
			}
			was := u.inside
			if u.inside = u.ground.holds(e.Pos()); u.inside && !was {
				u.entered = s.w.Tick()
			}
			if !s.idle(e) || s.w.Tick() <= began {
				still = 0
			}
		}
	}
	times := make([]grid.Tick, len(all))
	for i := range all {
		u := &all[i]
		times[i] = s.w.Tick() - began
		if e := s.w.Entity(u.id); u.inside && s.idle(e) {
			r.arrived++
			times[i] = max(u.entered, began) - began
		}
	}
	rank := make([]int, len(all))
	for i := range rank {
		rank[i] = i
	}
	slices.SortFunc(rank, func(a, b int) int { return cmp.Or(cmp.Compare(times[a], times[b]), cmp.Compare(a, b)) })
	for k, i := range rank {
		waited := r.crowd * float64(k+1) / float64(len(all))
		r.ratios = append(r.ratios, max(0, s.seconds(times[i])-waited)/all[i].alone)
	}
	r.units = len(all)
	for _, n := range s.stuck {
		r.stuck += n
	}
	return r, nil
}

// send gives the party's orders: one for all, or as a client does that has a
// goal for each.
func (s *stage) send(p party) {
	if len(p.goals) == 1 {
		s.order(p.slot, orders.Order{Kind: p.kind, HasPoint: true, Point: p.goals[0]}, p.ids)
		return
	}
	for i := 0; i < len(p.ids); {
		j := i + 1
		for j < len(p.ids) && p.goals[j] == p.goals[i] {
			j++
		}
		s.order(p.slot, orders.Order{Kind: p.kind, HasPoint: true, Point: p.goals[i]}, p.ids[i:j])
		i = j
	}
}

// prepare finds what each unit of a party needs alone, and what holds up all.
func (s *stage) prepare(p party) (units []crowdUnit, narrowest grid.Dist, crowd float64, err error) {
	m, rs := s.w.Map(), s.w.Rules()
	finder := s.newWays()
	narrowest = grid.Dist(m.W) * grid.WUPerTile
	widest := grid.Dist(0)
	lane := 0.0 // seconds that all take one after the other
	room := int64(0)
	for _, id := range p.ids {
		t := &rs.Types[s.w.Entity(id).Type()]
		widest = max(widest, t.Radius)
		lane += float64(2*t.Radius+grid.WUPerTile/8) / float64(t.Speed)
		room += 4 * int64(t.Radius) * int64(t.Radius)
	}
	grounds := map[grid.Pos]map[grid.MoveKind]*arrival{}
	for i, id := range p.ids {
		e := s.w.Entity(id)
		t := &rs.Types[e.Type()]
		goal, share := p.goals[0], room
		if len(p.goals) > 1 {
			goal, share = p.goals[i], 4*int64(t.Radius)*int64(t.Radius)
		}
		if grounds[goal] == nil {
			grounds[goal] = map[grid.MoveKind]*arrival{}
		}
		if grounds[goal][t.Move] == nil {
			grounds[goal][t.Move] = s.newArrival(t.Move, goal, share)
		}
		to := grounds[goal][t.Move]
		legs, ok := finder.path(nav.Body{Move: t.Move, Radius: t.Radius}, e.Pos(), goal)
		if !ok {
			return nil, 0, 0, fmt.Errorf("a %s at %v has no way to %v", t.Name, e.Tile(), goal.Tile())
		}
		far := lengthOfPath(e.Pos(), legs)
		units = append(units, crowdUnit{id: id, ground: to, alone: float64(max(far-to.reach, grid.WUPerTile)) / float64(t.Speed)})
		if t.Move == grid.Ground {
			narrowest = min(narrowest, s.narrowest(e.Pos(), legs, to))
		}
	}
	lanes := max(1, int(narrowest/(2*widest)))
	if len(p.goals) == 1 && lanes*lanes < len(p.ids) { // else they go through side by side
		crowd = lane / float64(lanes)
	}
	return units, narrowest, crowd, nil
}

// ways finds paths alone, on the ground with the structures that stand.
type ways struct {
	ground nav.Ground
	finder *nav.Finder
	now    grid.Tick
}

func (s *stage) newWays() *ways {
	m := s.w.Map()
	p := &ways{ground: nav.NewGround(nav.NewBase(m)), finder: nav.NewFinder(m, 1)}
	for i, on := range s.built() {
		if on {
			p.ground.Set(i, nav.Shut)
		}
	}
	return p
}

// built says on which tiles structures stand.
func (s *stage) built() []bool {
	m := s.w.Map()
	on := make([]bool, m.W*m.H)
	for _, e := range s.w.Entities() {
		if e.Class() != rules.ClassStructure {
			continue
		}
		t := &s.w.Rules().Types[e.Type()]
		for dy := range int16(t.FootH) {
			for dx := range int16(t.FootW) {
				if at := (grid.Tile{X: e.Foot().X + dx, Y: e.Foot().Y + dy}); m.In(at) {
					on[m.Index(at)] = true
				}
			}
		}
	}
	return on
}

// path returns the legs of the path of one unit alone.
func (p *ways) path(body nav.Body, from, goal grid.Pos) (legs []grid.Pos, ok bool) {
	// As the units of a group find theirs, after the field to the goal has grown.
	p.finder.Find(&p.ground, nav.Request{Now: p.now, Body: body, From: from, Goal: goal, Hub: goal, Group: true})
	for range 1000 {
		p.finder.Grow(&p.ground, 0, p.now)
	}
	at := from
	for range 64 { // parts of a path
		part, end, answer := p.finder.Find(&p.ground, nav.Request{Now: p.now, Body: body, From: at, Goal: goal, Hub: goal, Group: true})
		for range 1000 {
			if answer == nav.Found {
				break
			}
			p.finder.Grow(&p.ground, 0, p.now)
			p.now++
			part, end, answer = p.finder.Find(&p.ground, nav.Request{Now: p.now, Body: body, From: at, Goal: goal, Hub: goal, Group: true})
		}
		if answer != nav.Found || len(part) == 0 || part[len(part)-1] == at && end == at && !at.Within(goal, grid.Tiles(2)) {
			return legs, false
		}
		legs = append(legs, part...)
		if at = legs[len(legs)-1]; at == end {
			return legs, at.Within(goal, grid.Tiles(2))
		}
	}
	return legs, false
}

func lengthOfPath(from grid.Pos, legs []grid.Pos) grid.Dist {
	far := grid.Dist(0)
	for _, leg := range legs {
		far += leg.Sub(from).Len()
		from = leg
	}
	return far
}

// narrowest returns the width of the narrowest place of a path: how far the map is
// open across it, looked at every half tile, outside of where the group arrives.
func (s *stage) narrowest(from grid.Pos, legs []grid.Pos, to *arrival) grid.Dist {
	m := s.w.Map()
	least := grid.Dist(m.W) * grid.WUPerTile
	for _, leg := range legs {
		far := leg.Sub(from).Len()
		for d := grid.Dist(0); d < far; d += grid.WUPerTile / 2 {
			at := from.Add(leg.Sub(from).Scale(d))
			if to.holds(at) {
				break
			}
			side := leg.Sub(from).Scale(grid.WUPerTile / 8)
			width := grid.Dist(0)
			for _, step := range []grid.Vec{{X: -side.Y, Y: side.X}, {X: side.Y, Y: -side.X}} {
				for p := at; width < least && m.InPos(p) && m.Passable(p.Tile(), grid.Ground); p = p.Add(step) {
					width += grid.WUPerTile / 8
				}
			}
			least = min(least, width)
		}
		from = leg
	}
	return least
}

// arrival is the ground that a group takes up around its goal.
type arrival struct {
	m     *grid.Map
	far   []grid.Dist // way from the goal, -1: none
	reach grid.Dist
}

// holds reports whether a position is on the ground.
func (a *arrival) holds(p grid.Pos) bool {
	d := a.far[a.m.Index(p.Tile())]
	return d >= 0 && d <= a.reach
}

// newArrival returns the ground for bodies whose squares have so much room together,
// in squared WU.
func (s *stage) newArrival(k grid.MoveKind, goal grid.Pos, room int64) *arrival {
	m, built := s.w.Map(), s.built()
	a := &arrival{m: m, far: make([]grid.Dist, m.W*m.H)}
	for i := range a.far {
		a.far[i] = -1
	}
	// The obvious search: buckets of tiles by their way in tenths of a tile.
	const straight, across = 10, 14
	buckets := [][]int{{m.Index(goal.Tile())}}
	for d := 0; d < len(buckets); d++ {
		for j := 0; j < len(buckets[d]); j++ {
			i := buckets[d][j]
			if a.far[i] >= 0 {
				continue
			}
			a.far[i] = grid.Dist(d * grid.WUPerTile / straight)
			if room > 0 {
				if room -= grid.WUPerTile * grid.WUPerTile * 2 / 5; room <= 0 {
					a.reach = a.far[i] + grid.Tiles(2)
				}
			} else if a.far[i] > a.reach {
				return a
			}
			at := m.TileAt(i)
			open := func(dx, dy int16) bool {
				t := grid.Tile{X: at.X + dx, Y: at.Y + dy}
				return m.Passable(t, k) && !built[m.Index(t)]
			}
			for _, n := range [8]grid.Tile{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}, {X: 1, Y: 1}, {X: 1, Y: -1}, {X: -1, Y: 1}, {X: -1, Y: -1}} {
				cost := straight
				if n.X != 0 && n.Y != 0 {
					if cost = across; !open(n.X, 0) || !open(0, n.Y) {
						continue
					}
				}
				if !open(n.X, n.Y) {
					continue
				}
				for len(buckets) <= d+cost {
					buckets = append(buckets, nil)
				}
				buckets[d+cost] = append(buckets[d+cost], m.Index(grid.Tile{X: at.X + n.X, Y: at.Y + n.Y}))
			}
		}
	}
	if a.reach == 0 { // less ground than the group needs
		a.reach = grid.Dist(m.W+m.H) * grid.WUPerTile
	}
	return a
}
