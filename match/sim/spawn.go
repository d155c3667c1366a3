package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/visibility"
)

// spawn makes an entity. It can be found by its id at once. It joins the list of
// all entities at the next settle, so that the list does not change while a phase
// walks it.
func (w *World) spawn(s grid.Slot, typ uint16, at grid.Pos, unbuilt bool) *Entity {
	t := &w.rules.Types[typ]
	e := w.fresh()
	d := e.details
	*d.extras = extras{maker: maker{queue: d.maker.queue[:0]}, cargo: d.cargo[:0], values: newValues(t)}
	*d = details{
		energy: t.EnergyStart, stock: t.Stock, speedPct: 100, damagePct: 100, weaponSwap: -1,
		tasks: d.tasks[:0], effects: d.effects[:0], mv: mover{path: d.mv.path[:0]},
		extras: d.extras,
	}
	*e = Entity{
		id: grid.MakeEntityID(s, w.nextCounter(s)), typ: typ, class: t.Class, slot: s, team: grid.NoTeam,
		hp: t.Health, shield: 1000 * t.Shield.Max, birth: w.tick, unbuilt: unbuilt, details: d,
	}
	if int(s) < len(w.players) {
		e.team = w.players[s].team
	}
	if t.Class == rules.ClassStructure || t.Class == rules.ClassResource {
		e.foot = footOf(t, at)
		at = middleOf(t, e.foot)
	}
	e.put(at)
	e.guard = at
	ix := &w.index[indexOf(s)]
	for len(*ix) <= int(e.id.Counter()) {
		*ix = append(*ix, nil)
	}
	(*ix)[e.id.Counter()] = e
	w.newborns = append(w.newborns, e)
	if e.team != grid.NoTeam {
		e.viewers = e.viewers.With(e.team)
	}
	if t.Class == rules.ClassStructure {
		w.occupy(e, true)
		if t.Feature.Stateful() {
			w.features = append(w.features, feature{id: e.id})
		}
		if unbuilt {
			e.hp, e.shield = max(1, t.Health/10), 0 // it charges once it is finished
		}
	}
	if e.team != grid.NoTeam && t.Class != rules.ClassProjectile {
		e.source, e.eyeAt = w.eyes.Add(e.team, w.sourceOf(e)), e.Tile()
		w.count(e, 1)
	}
	e.cloaked = t.Feature.Mine != nil
	if t.Cloaked {
		w.startCloaked(e)
	}
	w.settleEffects(e)
	return e
}

// sourceOf returns the entity's source of sight. An unfinished structure sees only
// its own surroundings.
func (w *World) sourceOf(e *Entity) visibility.Source {
	t := &w.rules.Types[e.typ]
	src := visibility.Source{
		Tile: e.Tile(), Radius: visibility.Radius(min(int32(visibility.RadiusMax), w.attribute(e, rules.AttributeSight, int32(t.Sight)))), Detect: visibility.Radius(t.Detect),
		Flyer: t.Class == rules.ClassUnit && t.Move == grid.Air, LevelBonus: t.LevelBonus,
	}
	if e.unbuilt {
		src.Radius, src.Detect = min(src.Radius, 4), 0
	}
	return src
}

// The numbers of entities and of details in one allocation. Go begins an allocation of more
// than 32 KB on a page, so that every entity begins a cache line; TestEntityIsOneLine
// checks both.
const (
	detailsBlock = 104
	linesBlock   = 6 * detailsBlock
)

func (w *World) fresh() *Entity {
	if n := len(w.pool); n > 0 {
		e := w.pool[n-1]
		w.pool = w.pool[:n-1]
		return e
	}
	// In blocks, with room for the needs of most entities, so that a battle in its steady
	// state allocates nothing for them.
	const n, legs, queue = detailsBlock, 8, 2
	if len(w.lines) == 0 {
		w.lines = make([]Entity, linesBlock)
	}
	block, rest, more := w.lines[:n:n], make([]details, n), make([]extras, n)
	w.lines = w.lines[n:]
	paths, tasks, effects := make([]grid.Pos, n*legs), make([]task, n*queue), make([]effect, n)
	for i := n - 1; i >= 0; i-- { // the first is the next to be taken: entities lie in the order in which they are made
		e := &block[i]
		e.details, rest[i].extras = &rest[i], &more[i]
		e.mv.path = paths[i*legs : i*legs : (i+1)*legs]
		e.tasks = tasks[i*queue : i*queue : (i+1)*queue]
		e.effects = effects[i : i : i+1]
		if i > 0 {
			w.pool = append(w.pool, e)
		}
	}
	return &block[0]
}

// nextCounter returns the slot's next number. 0 is never used, so that no
// entity has the id 0.
func (w *World) nextCounter(s grid.Slot) uint32 {
	ix := &w.index[indexOf(s)]
	if len(*ix) == 0 {
		*ix = append(*ix, nil)
	}
	return uint32(len(*ix))
}

// settle adds the entities made in this step to the walk of all entities.
func (w *World) settle() {
	if len(w.newborns) == 0 {
		return
	}
	// The new ids are the highest of their slots: merge from the back.
	slices.SortFunc(w.newborns, func(a, b *Entity) int { return cmp.Compare(a.id, b.id) })
	i, j := len(w.all)-1, len(w.newborns)-1
	w.all = append(w.all, w.newborns...)
	for k := len(w.all) - 1; j >= 0; k-- {
		if i >= 0 && w.all[i].id > w.newborns[j].id {
			w.all[k] = w.all[i]
			i--
		} else {
			w.all[k] = w.newborns[j]
			j--
		}
	}
	clear(w.newborns)
	w.newborns = w.newborns[:0]
}

// put places the entity.
func (e *Entity) put(p grid.Pos) { e.x, e.y = p.X<<FineShift, p.Y<<FineShift }

// footOf returns the north-western tile of a footprint whose middle is nearest
// to p.
func footOf(t *rules.Type, p grid.Pos) grid.Tile {
	half := grid.Pos{
		X: p.X - int32(t.FootW)*grid.WUPerTile/2 + grid.WUPerTile/2,
		Y: p.Y - int32(t.FootH)*grid.WUPerTile/2 + grid.WUPerTile/2,
	}
	return half.Tile()
}

// middleOf is the inverse of footOf.
func middleOf(t *rules.Type, foot grid.Tile) grid.Pos {
	return grid.Pos{
		X: int32(foot.X)<<grid.TileShift + int32(t.FootW)*grid.WUPerTile/2,
		Y: int32(foot.Y)<<grid.TileShift + int32(t.FootH)*grid.WUPerTile/2,
	}
}

// occupy adds a structure's footprint to the ground or removes it. Its own team
// knows at once, other teams when they see it.
func (w *World) occupy(e *Entity, on bool) {
	contents, id := contentsOf(&w.rules.Types[e.typ], on, e.stock), grid.EntityID(0)
	if on {
		id = e.id
	}
	if !w.isMine(e.typ) {
		w.eachFoot(e.typ, e.foot, func(i int) { w.solid[i], w.owner[i] = contents, id })
	}
	if e.team != grid.NoTeam {
		w.teams[e.team].setGround(w, e.typ, e.foot, contents)
	}
}

// eachFoot calls f with the index of each tile of a footprint that is on the
// map.
func (w *World) eachFoot(typ uint16, foot grid.Tile, f func(i int)) {
	t := &w.rules.Types[typ]
	for dy := range int16(t.FootH) {
		for dx := range int16(t.FootW) {
			if at := (grid.Tile{X: foot.X + dx, Y: foot.Y + dy}); w.m.In(at) {
				f(w.m.Index(at))
			}
		}
	}
}
