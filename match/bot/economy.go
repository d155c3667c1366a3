package bot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Goals of the economy.
const (
	roomWanted      = 6 // of population
	queueWanted     = 2 // of a structure's production
	siteRadiusMax   = 22
	sitesSeconds    = 90 // after that time bad sites are tried again
	fieldCrowd      = 3  // workers of one resource place
	fieldTiles      = 14 // a place further from home is far
	builderPatience = 60 // seconds until it gives up a building that it cannot see
)

// economy is the half of the mind that gathers, builds and trains.
type economy struct {
	workerType int32 // -1: without one
	scoutTypes map[uint16]bool
	barracks   int32           // structure that trains soldiers; -1: without one
	soldiers   map[int32]int32 // the soldier to train at a structure, by structure type
	home       grid.Pos
	hasHome    bool
	scoutAt    grid.Tick // no other scout before
	scoutsSent int
	saving     bool // for barracks, instead of soldiers
	noSite     bool // there is nowhere to build
	sitesAt    grid.Tick

	fieldOf  map[grid.Handle]grid.Handle // where each worker was sent
	project  project
	badSites map[grid.Tile]bool
	upgrades []uint32 // ordered
}

// project is a structure on its way.
type project struct {
	typ     uint16
	site    grid.Tile
	builder grid.Handle
	until   grid.Tick // 0: there is no project
}

// init reads the roles of types from the rules.
func (e *economy) init(b *mind) {
	e.workerType, e.barracks = -1, -1
	e.scoutTypes, e.soldiers, e.badSites = map[uint16]bool{}, map[int32]int32{}, map[grid.Tile]bool{}
	e.fieldOf = map[grid.Handle]grid.Handle{}
	if !b.plan.commands {
		e.scoutAt = b.seconds(30)
	}
	types := b.Welcome.Types
	trained := map[uint32]bool{} // by structures of the own faction
	for _, t := range types {
		for _, n := range t.Trains {
			trained[n] = true
		}
	}
	for i, t := range types {
		if t.Worker && (e.workerType < 0 || trained[uint32(i)] && !trained[uint32(e.workerType)]) {
			e.workerType = int32(i)
		}
	}
	for i, t := range types {
		if t.Class != pb.TypeClass_TYPE_CLASS_STRUCTURE {
			continue
		}
		trainsWorkers := slices.ContainsFunc(t.Trains, func(n uint32) bool { return b.info(uint16(n)).Worker })
		best, value := int32(-1), int64(0)
		for _, n := range t.Trains {
			u := b.info(uint16(n))
			if trainsWorkers && !u.Worker {
				e.scoutTypes[uint16(n)] = true
			}
			if v := b.value(u); !trainsWorkers && v > value {
				best, value = int32(n), v
			}
		}
		if best >= 0 {
			e.soldiers[int32(i)] = best
			if e.buildable(types, uint32(i)) && (e.barracks < 0 || total(t.Cost) < total(types[e.barracks].Cost)) {
				e.barracks = int32(i)
			}
		}
	}
}

func (e *economy) buildable(types []*pb.TypeInfo, typ uint32) bool {
	return e.workerType >= 0 && slices.Contains(types[e.workerType].Builds, typ)
}

// value is a fighter's value for its price: health times damage per second over cost squared, as strength grows with
// the square of numbers (Lanchester). The cost beyond the first resource counts half.
func (b *mind) value(u *pb.TypeInfo) int64 {
	if u.Class != pb.TypeClass_TYPE_CLASS_UNIT || u.Worker || len(u.Weapons) == 0 || u.MoveKind == uint32(grid.Naval) {
		return 0
	}
	dps := int64(0) // in 1/1000 a tick
	for _, w := range u.Weapons {
		if int(w) < len(b.Welcome.Weapons) {
			weapon := b.Welcome.Weapons[w]
			dps = max(dps, int64(weapon.Damage)*1000/int64(max(1, weapon.CooldownTicks)))
		}
	}
	cost := max(1, total(u.Cost))
	v := int64(u.Health) * dps * 1000 / (cost * cost)
	if len(u.Cost) > 0 && int64(u.Cost[0]) != cost {
		v /= 2
	}
	return v
}

func total(cost []uint32) (n int64) {
	for _, c := range cost {
		n += int64(c)
	}
	return n
}

// affordable says whether the stock covers the cost, and takes it off: what is
// ordered in one thought is paid in one thought.
func (b *mind) spend(cost []uint32) bool {
	for i, c := range cost {
		if c > 0 && (i >= len(b.stock) || b.stock[i] < c) {
			return false
		}
	}
	for i, c := range cost {
		if c > 0 {
			b.stock[i] -= c
		}
	}
	return true
}

// manage gives the economy's orders.
func (b *mind) manage() {
	if centre, ok := b.centre(); ok {
		b.home, b.hasHome = centre.at, true
	} else if !b.hasHome && len(b.now.army)+len(b.now.workers) > 0 {
		b.home, b.hasHome = centroid(append(slices.Clone(b.now.workers), b.now.army...)), true
	}
	b.stock = slices.Clone(b.stock)
	b.saving = false
	b.follow()
	b.resumeBuilding()
	b.raiseBarracks()
	b.launch()
	b.research()
	b.train()
	b.mend()
	b.gather()
}

// centre is the structure that trains workers.
func (b *mind) centre() (thing, bool) {
	if i := slices.IndexFunc(b.now.homes, b.vital); i >= 0 {
		return b.now.homes[i], true
	}
	return thing{}, false
}

// vital reports whether a structure trains workers.
func (b *mind) vital(t thing) bool {
	return slices.Contains(b.info(t.typ).Trains, uint32(b.workerType))
}

// vitalToFoe reports whether a foe has its workers from a structure, or keeps its place in the match by it. The lists of
// products that the bot knows are of its own faction.
func (b *mind) vitalToFoe(t thing) bool { return b.vital(t) || b.info(t.typ).Centre }

func (b *mind) train() {
	fighters := len(b.now.army)
	for _, t := range b.now.homes {
		if b.soldiers[int32(t.typ)] > 0 {
			fighters += b.queues[t.handle]
		}
	}
	for _, t := range b.now.homes {
		if b.queues[t.handle] >= queueWanted || b.saving && b.soldiers[int32(t.typ)] > 0 {
			continue
		}
		kind := int32(-1)
		soldier, ok := b.soldiers[int32(t.typ)]
		switch {
		case ok && (b.plan.fewFighters || b.Tick() < b.seconds(b.plan.peaceSeconds)) && fighters >= b.need:
		case ok:
			// The first barracks come before more soldiers from them, workers before all.
			kind = soldier
		case b.vital(t):
			if len(b.now.workers) < b.plan.workers {
				kind = b.workerType
			} else if len(b.now.scouts) == 0 && b.Tick() >= b.scoutAt {
				kind = b.firstScout(t)
			}
		}
		if b.trainOne(t, kind, ok) && ok {
			fighters++
		}
	}
}

// trainOne orders one unit of a structure, and where its units gather if they fight. It reports whether the unit could
// be paid. The wait for the next scout doubles: the killer of the last ones is still there.
func (b *mind) trainOne(t thing, kind int32, fights bool) bool {
	if kind < 0 || !b.spend(b.info(uint16(kind)).Cost) {
		return false
	}
	b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_TRAIN, What: uint32(kind)}, []grid.Handle{t.handle}, pendingOrder{by: t.handle})
	b.queues[t.handle]++
	if b.scoutTypes[uint16(kind)] {
		b.scoutAt = b.Tick() + b.seconds(b.plan.scoutSeconds<<min(b.scoutsSent, 6))
		b.scoutsSent++
	}
	if fights && !b.rallied[t.handle] {
		b.rallied[t.handle] = b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_RALLY, To: point(b.musterAt())}, []grid.Handle{t.handle}, pendingOrder{})
	}
	return true
}

func (b *mind) firstScout(t thing) int32 {
	for _, n := range b.info(t.typ).Trains {
		if b.scoutTypes[uint16(n)] {
			return int32(n)
		}
	}
	return -1
}

// follow sees whether the structure on its way stands, or never will.
func (b *mind) follow() {
	if p := &b.project; p.until > 0 {
		standing := slices.ContainsFunc(append(slices.Clone(b.now.homes), b.now.unfinished...), func(t thing) bool {
			return t.typ == p.typ && t.at.Tile().Dist2(p.site) <= 16
		})
		switch {
		case standing:
			*p = project{}
		case b.Tick() > p.until || b.Replica.Entities[p.builder] == nil:
			b.badSites[p.site] = true
			*p = project{}
		default:
			if b.doing(p.builder) != pb.OrderKind_ORDER_KIND_BUILD && b.Tick() > p.until-b.seconds(builderPatience-3) {
				b.badSites[p.site] = true // refused on arrival
				*p = project{}
			}
		}
	}
}

// raiseBarracks builds barracks: the first as soon as it can be paid, more when there
// is more than they can spend.
func (b *mind) raiseBarracks() {
	if b.project.until > 0 || b.barracks < 0 || !b.hasHome || len(b.now.workers) == 0 || len(b.now.unfinished) > 0 {
		return
	}
	have := b.now.byType[uint16(b.barracks)]
	if dock := b.dockType(); dock >= 0 && have > 0 {
		b.raiseDock(uint16(dock))
		return
	}
	built, info := uint16(b.barracks), b.info(uint16(b.barracks))
	rich := len(b.stock) > 0 && int64(b.stock[0]) >= 2*total(info.Cost)
	if have > 0 && !b.crowded() && !b.noSite && (have >= b.plan.barracks || !rich) {
		typ := b.guardType()
		if !b.plan.watchful || !rich || typ < 0 || b.now.byType[uint16(typ)] >= b.plan.guards {
			return
		}
		built, info = uint16(typ), b.info(uint16(typ))
	}
	site, ok := b.knownSite(int(info.Size), b.home.Tile())
	switch {
	case !ok:
	case !b.spend(info.Cost):
		b.saving = b.crowded() // new units would have no room
	default:
		b.buildAt(built, site)
	}
}

// guardType is the structure that workers build to shoot from; -1: there is none.
func (b *mind) guardType() int32 {
	for _, n := range b.info(uint16(b.workerType)).Builds {
		if t := b.info(uint16(n)); len(t.Weapons) > 0 && len(t.Trains) == 0 && !slices.Contains(b.without, n) {
			return int32(n)
		}
	}
	return -1
}

// knownSite is [mind.site] on known ground. Without one it forgets the bad sites after a while: obstacles may have gone.
func (b *mind) knownSite(side int, near grid.Tile) (grid.Tile, bool) {
	site, ok := b.site(side, near, true)
	if b.noSite = !ok; !ok && b.Tick() > b.sitesAt+b.seconds(sitesSeconds) {
		b.sitesAt = b.Tick()
		clear(b.badSites)
	}
	return site, ok
}

// buildAt sends the nearest worker to make a structure.
func (b *mind) buildAt(typ uint16, site grid.Tile) {
	if builder, ok := nearest(b.now.workers, site.Center(), nil); ok {
		b.build(typ, site, builder.handle)
	}
}

// build sends a builder to make a structure, whose north-western tile is site.
func (b *mind) build(typ uint16, site grid.Tile, builder grid.Handle) {
	info := b.info(typ)
	middle := grid.Pos{
		X: int32(site.X)<<grid.TileShift + int32(info.Size)*grid.WUPerTile/2,
		Y: int32(site.Y)<<grid.TileShift + int32(cmp.Or(info.SizeY, info.Size))*grid.WUPerTile/2,
	}
	if b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_BUILD, What: uint32(typ), To: point(middle)}, []grid.Handle{builder}, pendingOrder{site: site}) {
		b.project = project{typ, site, builder, b.Tick() + b.seconds(builderPatience)}
	}
}

// crowded says that there is hardly room for more units, and that more
// barracks, which come with room, would help.
func (b *mind) crowded() bool {
	return !b.noSite && b.Own.PopulationMax > 0 && b.Own.Population+roomWanted > b.Own.PopulationMax && b.barracks >= 0 && b.now.byType[uint16(b.barracks)] < b.plan.barracksMost
}

// resumeBuilding sends a worker to a structure without a builder.
func (b *mind) resumeBuilding() {
	if len(b.now.unfinished) == 0 || slices.ContainsFunc(b.now.workers, func(t thing) bool {
		return b.doing(t.handle) == pb.OrderKind_ORDER_KIND_BUILD
	}) {
		return
	}
	u := b.now.unfinished[0]
	if w, ok := nearest(b.now.workers, u.at, nil); ok {
		b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_BUILD, What: uint32(u.typ), To: point(u.at), Target: uint32(u.handle)},
			[]grid.Handle{w.handle}, pendingOrder{})
	}
}

// refused learns from an order that was turned down.
func (b *mind) refused(q pendingOrder) {
	if q.kind == pb.OrderKind_ORDER_KIND_BUILD && q.site != (grid.Tile{}) {
		b.badSites[q.site] = true
		b.project = project{}
	}
	if b.queues[q.by] > 0 {
		b.queues[q.by]--
	}
}

// site looks for room for a structure near a place: north-western tile. The room is square. One tile is kept free
// around it, and three around resources. known: the player has seen all of the ground, as the rules require for a
// structure.
func (b *mind) site(side int, centre grid.Tile, known bool) (grid.Tile, bool) {
	occupied := map[grid.Tile]bool{}
	for _, t := range b.now.obstacles {
		info, room := b.info(t.typ), 1
		if info.Class == pb.TypeClass_TYPE_CLASS_RESOURCE {
			room = 3
		}
		half := int(info.Size)/2 + room
		c := t.at.Tile()
		for dy := -half; dy <= half; dy++ {
			for dx := -half; dx <= half; dx++ {
				occupied[grid.Tile{X: c.X + int16(dx), Y: c.Y + int16(dy)}] = true
			}
		}
	}
	var best grid.Tile
	least, found := int32(0), false
	for dy := -siteRadiusMax; dy <= siteRadiusMax; dy++ {
		for dx := -siteRadiusMax; dx <= siteRadiusMax; dx++ {
			nw := grid.Tile{X: centre.X + int16(dx), Y: centre.Y + int16(dy)}
			d := grid.Tile{X: nw.X + int16(side/2), Y: nw.Y + int16(side/2)}.Dist2(centre)
			if (!found || d < least) && !b.badSites[nw] && b.free(nw, side, occupied) && (!known || b.known(nw, side)) {
				best, least, found = nw, d, true
			}
		}
	}
	return best, found
}

func (b *mind) free(nw grid.Tile, side int, occupied map[grid.Tile]bool) bool {
	for dy := -1; dy <= side; dy++ {
		for dx := -1; dx <= side; dx++ {
			t := grid.Tile{X: nw.X + int16(dx), Y: nw.Y + int16(dy)}
			if !b.Map.Passable(t, grid.Ground) || occupied[t] {
				return false
			}
		}
	}
	return true
}

// known reports whether the ground of a structure, and one tile around it, was seen.
func (b *mind) known(nw grid.Tile, side int) bool {
	for dy := -1; dy <= side; dy++ {
		for dx := -1; dx <= side; dx++ {
			if t := (grid.Tile{X: nw.X + int16(dx), Y: nw.Y + int16(dy)}); !b.Map.In(t) || !b.Explored(t) {
				return false
			}
		}
	}
	return true
}

// gather sends idle workers to the resource nearest to home.
func (b *mind) gather() {
	var idle []thing
	for _, w := range b.now.workers {
		if b.doing(w.handle) == pb.OrderKind_ORDER_KIND_UNSPECIFIED && w.handle != b.project.builder {
			idle = append(idle, w)
		}
	}
	if len(idle) == 0 {
		return
	}
	fields := b.fields()
	if len(fields) == 0 {
		b.goLooking(idle)
		return
	}
	// The nearest field that is not crowded; if all are, the least crowded.
	at := map[grid.Handle]int{}
	for _, w := range b.now.workers {
		if f, ok := b.fieldOf[w.handle]; ok && b.doing(w.handle) == pb.OrderKind_ORDER_KIND_HARVEST {
			at[f]++
		}
	}
	sent := map[grid.Handle][]grid.Handle{}
	for _, w := range idle {
		best := fields[0]
		for _, f := range fields[1:] {
			if at[best.handle] >= fieldCrowd && at[f.handle] < at[best.handle] {
				best = f
			}
		}
		at[best.handle]++
		b.fieldOf[w.handle] = best.handle
		sent[best.handle] = append(sent[best.handle], w.handle)
	}
	for _, f := range fields {
		b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_HARVEST, Target: uint32(f.handle)}, sent[f.handle], pendingOrder{})
	}
}

// fields are the places in sight of the first resource, nearest to home first,
// those far from home only if there is no other.
func (b *mind) fields() []thing {
	var out []thing
	for _, r := range b.now.resources {
		if !r.ghost && b.kindOf(r) == 0 {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(x, y thing) int { return cmp.Compare(x.at.Sub(b.home).Len2(), y.at.Sub(b.home).Len2()) })
	for i, f := range out {
		if i > 0 && !f.at.Within(b.home, grid.Tiles(fieldTiles)) {
			return out[:i]
		}
	}
	return out
}

// goLooking sends workers to the nearest place that the map shows.
func (b *mind) goLooking(idle []thing) {
	if at, ok := b.nearestPlace(b.home); ok {
		b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, To: point(at)}, handlesOf(idle), pendingOrder{})
	}
}

// kindOf is the resource that a place yields, by its name: the rules name
// resource types after what they hold.
func (b *mind) kindOf(t thing) int {
	name := b.info(t.typ).Name
	return max(0, slices.IndexFunc(b.Welcome.Resources, func(r string) bool { return strings.HasPrefix(name, r) }))
}

func (b *mind) nearestPlace(from grid.Pos) (best grid.Pos, found bool) {
	var least int64
	for _, t := range b.Map.Resources {
		if b.Visible(t) {
			continue // the place is in sight and empty
		}
		if d := t.Center().Sub(from).Len2(); !found || d < least {
			best, least, found = t.Center(), d, true
		}
	}
	return best, found
}
