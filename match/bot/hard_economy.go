package bot

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Goals of hard's economy.
const (
	oreCrowd       = 6   // workers of one place of the first resource
	gasCrowd       = 3   // workers of one place of another
	wreckCrowd     = 2   // of a wreck
	gasEnough      = 400 // of the gathered amount: then one worker is enough
	baseTiles      = 14  // places that near belong to a base
	strikeSeconds  = 20  // enemies who come again within it came once
	roomAhead      = 10  // of population
	watchersMost   = 3
	pioneerSeconds = 60
	minesBase      = 4 // mines, for each base
	mineTiles      = 9 // from a mine to the structure that it guards
)

// estate has hard's possessions and plans.
type estate struct {
	centres   []thing // own structures that train workers
	queued    map[uint16]int
	pioneer   grid.Handle // goes to found a base
	pioneerAt grid.Tick   // since when
	without   []uint32    // types that it never makes
	struck    grid.Pos    // where enemies last came near to a structure
	struckAt  grid.Tick
	strikes   int // how often they came
}

// develop gives the orders of hard's economy.
func (b *mind) develop() {
	b.centres = b.centres[:0]
	for _, t := range b.now.homes {
		if b.vital(t) {
			b.centres = append(b.centres, t)
		}
	}
	if len(b.centres) > 0 {
		// The first home stays home while it stands.
		if c, ok := nearest(b.centres, b.home, nil); ok && (!b.hasHome || c.at.Tile().Dist2(b.home.Tile()) > 4) {
			b.home, b.hasHome = c.at, true
		}
	} else if !b.hasHome && len(b.now.workers) > 0 {
		b.home, b.hasHome = centroid(b.now.workers), true
	}
	b.stock = slices.Clone(b.stock)
	b.queued = map[uint16]int{}
	clear(b.queues) // refused entries are not in the queues
	for h, q := range b.Own.Queues {
		b.queues[h] = len(q.Types)
		for _, t := range q.Types {
			b.queued[t]++
		}
	}
	b.saving = false
	b.follow()
	b.resumeBuilding()
	b.construct()
	b.launch()
	b.research()
	b.produce()
	b.mend()
	b.work()
}

// construct decides on the next structure.
func (b *mind) construct() {
	if b.project.until > 0 || !b.hasHome || len(b.now.workers) == 0 || b.workerType < 0 {
		return
	}
	var centre, barracks, advanced, trap int32 = -1, -1, -1, -1
	guard := b.guardType()
	for _, n := range b.info(uint16(b.workerType)).Builds {
		t := b.info(uint16(n))
		switch {
		case t.Shore: // a dock is built where ships are needed
		case slices.Contains(t.Trains, uint32(b.workerType)):
			centre = int32(n)
		case int32(n) == b.barracks:
			barracks = int32(n)
		case len(t.Trains) > 0:
			advanced = int32(n)
		case t.Feature == mine:
			trap = int32(n)
		}
	}
	have := func(n int32) int {
		if n < 0 {
			return 1 << 20
		}
		return b.now.byType[uint16(n)]
	}
	bases, producers := len(b.centres), have(barracks)%(1<<20)+have(advanced)%(1<<20)
	room := b.Own.PopulationMax > 0 && b.Own.Population+roomAhead > b.Own.PopulationMax && b.Own.PopulationMax < 200
	calm := len(b.threats) == 0
	wantBase := min(b.plan.bases, 1+int(b.Tick()/b.seconds(b.plan.baseSeconds)))
	rich, dock := len(b.stock) > 0 && b.stock[0] >= 400, b.dockType()
	switch {
	case bases == 0 && have(centre) == 0:
		b.found(uint16(centre), true)
	case have(barracks) == 0:
		b.raiseOne(barracks, true)
	case len(b.now.unfinished) > 1:
	case dock >= 0:
		b.raiseDock(uint16(dock))
	case have(advanced) == 0 && len(b.now.workers) >= 9:
		b.raiseOne(advanced, true)
	case room && have(advanced)*2 < have(barracks) && b.affordsRare(b.info(uint16(max(0, advanced))).Cost):
		b.raiseOne(advanced, true)
	case room:
		b.raiseOne(barracks, true)
	case have(barracks) < 2:
		b.raiseOne(barracks, false)
	case guard >= 0 && calm && have(guard) < min(b.strikes, b.plan.guards*bases):
		b.raiseNear(guard, b.struck.Tile(), false)
	case guard >= 0 && calm && b.plan.watchful && have(guard) < b.plan.guards*bases:
		b.raiseOne(guard, false)
	case trap >= 0 && calm && (rich || b.strikes > 0) && have(trap) < minesBase*bases:
		b.raiseNear(trap, b.approach(), false)
	case bases < wantBase && have(centre) < wantBase && calm && centre >= 0:
		b.found(uint16(centre), len(b.now.army) >= 8)
	case producers < b.plan.producers*bases && rich:
		if have(advanced)*3 < have(barracks) {
			b.raiseOne(advanced, false)
		} else {
			b.raiseOne(barracks, false)
		}
	}
}

// approach returns where mines lie: on the way by which enemies come to the structure that they last struck, or else to home,
// from the nearest place where they may be at home.
func (b *mind) approach() grid.Tile {
	to := b.home.Tile()
	if b.strikes > 0 {
		to = b.struck.Tile()
	}
	least := int32(0)
	at, steps := to, b.reach(to)
	for _, s := range b.starts {
		if d := steps[b.Map.Index(s.tile)]; s.checked == 0 && d > mineTiles && (least == 0 || d < least) {
			least, at = d, b.way(to, s.tile)[mineTiles]
		}
	}
	return at
}

// raiseOne builds a structure near home. If it cannot be paid yet and save is set, its cost is kept back.
func (b *mind) raiseOne(typ int32, save bool) {
	near := b.home.Tile()
	if len(b.centres) > 0 {
		near = b.centres[int(b.Tick()/b.seconds(20))%len(b.centres)].at.Tile()
	}
	b.raiseNear(typ, near, save)
}

// raiseNear is raiseOne with a place.
func (b *mind) raiseNear(typ int32, near grid.Tile, save bool) {
	if typ < 0 {
		return
	}
	info := b.info(uint16(typ))
	for _, n := range info.Needs {
		if !slices.ContainsFunc(b.now.homes, func(t thing) bool { return uint32(t.typ) == n }) {
			return
		}
	}
	site, ok := b.knownSite(int(max(info.Size, info.SizeY)), near)
	switch {
	case !ok:
	case !b.spend(info.Cost):
		b.saving = save
	default:
		b.buildAt(uint16(typ), site)
	}
}

// found builds a base at a free place: a worker goes there, and builds once the ground is known.
func (b *mind) found(typ uint16, save bool) {
	spot, ok := b.spot()
	if !ok {
		return
	}
	info := b.info(typ)
	cost := uint32(total(info.Cost))
	if len(b.stock) == 0 || b.stock[0]+150 < cost {
		b.saving = save && b.stock != nil
		return
	}
	if b.Replica.Entities[b.pioneer] == nil {
		w, ok := nearest(b.now.workers, spot.Center(), nil)
		if b.pioneer = w.handle; !ok {
			return
		}
	}
	site, ok := b.site(int(info.Size), spot, false)
	if !ok {
		return
	}
	if w := b.Replica.Entities[b.pioneer]; !b.known(site, int(info.Size)) || b.Replica.Pos(w, b.Tick()).Tile().Dist2(site) > 10*10 {
		if to, told := b.lastOrders[b.pioneer]; !told || to.to != site || b.Tick() > to.at+b.seconds(repeatSeconds) {
			b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, To: point(site.Center())}, []grid.Handle{b.pioneer}, pendingOrder{})
			b.lastOrders[b.pioneer] = lastOrder{to: site, at: b.Tick()}
		}
		b.saving = save
		if b.pioneerAt == 0 {
			b.pioneerAt = b.Tick()
		}
		if b.Tick() > b.pioneerAt+b.seconds(pioneerSeconds) { // it does not get there
			b.badSites[site], b.pioneer, b.pioneerAt = true, 0, 0
		}
		return
	}
	if !b.spend(info.Cost) {
		b.saving = save
		return
	}
	b.build(typ, site, b.pioneer)
	b.project.until = b.Tick() + 2*b.seconds(builderPatience)
	b.pioneer, b.pioneerAt = 0, 0
}

// spot is where the next base is to stand: among places of resources that no base
// is near, nearest to home by foot.
func (b *mind) spot() (best grid.Tile, found bool) {
	steps, least := b.fromHome(), int32(0)
	for _, r := range b.Map.Resources {
		near := func(t thing) bool { return t.at.Tile().Dist2(r) <= baseTiles*baseTiles }
		if slices.ContainsFunc(b.centres, near) || slices.ContainsFunc(b.now.strongs, near) || slices.ContainsFunc(b.now.unfinished, near) ||
			slices.ContainsFunc(b.starts, func(s start) bool {
				return s.checked == 0 && s.tile.Dist2(b.home.Tile()) > 64 && s.tile.Dist2(r) <= 20*20
			}) {
			continue
		}
		var x, y, n int32
		for _, o := range b.Map.Resources {
			if o.Dist2(r) <= 9*9 {
				x, y, n = x+int32(o.X), y+int32(o.Y), n+1
			}
		}
		// Workers walk past the place itself, which is in the way.
		d := int32(-1)
		for dy := int16(-2); dy <= 2; dy++ {
			for dx := int16(-2); dx <= 2; dx++ {
				if t := (grid.Tile{X: r.X + dx, Y: r.Y + dy}); b.Map.In(t) && steps[b.Map.Index(t)] >= 0 && (d < 0 || steps[b.Map.Index(t)] < d) {
					d = steps[b.Map.Index(t)]
				}
			}
		}
		if d >= 0 && (!found || d-8*n < least) {
			best, least, found = grid.Tile{X: int16(x / n), Y: int16(y / n)}, d-8*n, true
		}
	}
	return best, found
}

// places are the resource places in sight that belong to a base, by handle.
func (b *mind) places() (out []thing) {
	for _, r := range b.now.resources {
		if !r.ghost && slices.ContainsFunc(b.centres, func(c thing) bool { return c.at.Within(r.at, grid.Tiles(baseTiles)) }) {
			out = append(out, r)
		}
	}
	return out
}

// crowd is how many workers a place is to have.
func (b *mind) crowd(place thing) int {
	switch {
	case b.info(place.typ).Wreck:
		return wreckCrowd
	case b.kindOf(place) == 0:
		return oreCrowd
	case b.now.byType[uint16(max(0, b.barracks))] == 0:
		return 0
	}
	if k := b.kindOf(place); k < len(b.stock) && b.stock[k] > gasEnough {
		return 1
	}
	return gasCrowd
}

// work sends workers to the places that have too few.
func (b *mind) work() {
	places := b.places()
	if len(places) == 0 {
		b.gather()
		return
	}
	at := map[grid.Handle]int{}
	var idle []thing
	for _, w := range b.now.workers {
		switch doing := b.doing(w.handle); {
		case w.handle == b.project.builder && b.project.until > 0 || w.handle == b.pioneer:
		case doing == pb.OrderKind_ORDER_KIND_UNSPECIFIED:
			idle = append(idle, w)
		case doing == pb.OrderKind_ORDER_KIND_HARVEST:
			at[b.fieldOf[w.handle]]++
		}
	}
	fill := func(p thing) int { return at[p.handle] * 100 / max(1, b.crowd(p)) }
	emptiest := func(from grid.Pos) (best thing, found bool) {
		for _, p := range places {
			if b.crowd(p) > 0 && (!found || cmp.Or(cmp.Compare(fill(p), fill(best)), cmp.Compare(p.at.Sub(from).Len2(), best.at.Sub(from).Len2())) < 0) {
				best, found = p, true
			}
		}
		return best, found
	}
	send := func(w thing, p thing) {
		if b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_HARVEST, Target: uint32(p.handle)}, []grid.Handle{w.handle}, pendingOrder{}) {
			at[b.fieldOf[w.handle]]--
			b.fieldOf[w.handle] = p.handle
			at[p.handle]++
		}
	}
	for i, w := range idle {
		if p, ok := emptiest(w.at); ok && i < 4 {
			delete(b.fieldOf, w.handle)
			send(w, p)
		}
	}
	to, ok := emptiest(b.home)
	if !ok || len(idle) > 0 {
		return
	}
	for _, w := range b.now.workers { // one at a time, from where there are too many
		if from := b.fieldOf[w.handle]; b.doing(w.handle) == pb.OrderKind_ORDER_KIND_HARVEST && w.handle != b.pioneer {
			i := slices.IndexFunc(places, func(p thing) bool { return p.handle == from })
			if i >= 0 && fill(places[i])-fill(to) >= 60 || i < 0 && fill(to) < 100 {
				send(w, to)
				return
			}
		}
	}
}

// produce trains workers, scouts and fighters.
func (b *mind) produce() {
	wanted := 0
	for _, p := range b.places() {
		if !b.info(p.typ).Wreck { // it will not be there for long
			wanted += b.crowd(p)
		}
	}
	wanted = min(b.plan.workers, wanted+2)
	workers := len(b.now.workers) + b.queued[uint16(max(0, b.workerType))]
	for _, t := range b.centres {
		scout := b.firstScout(t)
		switch {
		case b.queues[t.handle] >= queueWanted:
		case workers < wanted:
			if b.train1(t, b.workerType) {
				workers++
			}
		case scout >= 0 && !slices.Contains(b.without, uint32(scout)) && len(b.now.scouts)+b.queued[uint16(scout)] == 0 && b.Tick() >= b.scoutAt:
			b.train1(t, scout)
		}
	}
	if b.saving {
		return
	}
	for range 4 { // the role furthest from its share comes first, even if it has to wait
		where, kind, least := thing{}, int32(-1), 0
		for _, t := range b.now.homes {
			if info := b.info(t.typ); b.queues[t.handle] < queueWanted && b.trainsFighters(info) {
				if n, have := b.fighter(info); n >= 0 && (kind < 0 || have < least) {
					where, kind, least = t, n, have
				}
			}
		}
		if kind < 0 || !b.train1(where, kind) {
			return
		}
	}
}

// train1 is trainOne, and counts the unit as queued.
func (b *mind) train1(t thing, kind int32) bool {
	if !b.trainOne(t, kind, b.trainsFighters(b.info(t.typ))) {
		return false
	}
	b.queued[uint16(kind)]++
	return true
}

func (b *mind) trainsFighters(info *pb.TypeInfo) bool {
	return slices.ContainsFunc(info.Trains, func(n uint32) bool { return b.roles[n] != noRole })
}

// fighter chooses the next type for a structure to train, among the roles that the stock of the rarer resources
// suffices for: the role that is furthest from its share. have is how much of its share exists.
func (b *mind) fighter(info *pb.TypeInfo) (best int32, least int) {
	best = -1
	for _, n := range info.Trains {
		r := b.roles[n]
		t := b.info(uint16(n))
		if r == noRole || slices.Contains(b.without, n) || b.weights[r] <= 0 || r == watcher && b.count[r]+b.queued[uint16(n)] >= min(watchersMost, 1+len(b.now.army)/16) ||
			!b.affordsRare(t.Cost) || slices.ContainsFunc(t.Needs, func(n uint32) bool {
			return !slices.ContainsFunc(b.now.homes, func(h thing) bool { return uint32(h.typ) == n })
		}) {
			continue
		}
		have := (b.count[r] + b.queued[uint16(n)]*int(max(1, t.Population))) * 1000 / b.weights[r]
		if best < 0 || have < least {
			best, least = int32(n), have
		}
	}
	return best, least
}

// affordsRare reports whether there is enough of all resources but the first.
func (b *mind) affordsRare(cost []uint32) bool {
	for i, c := range cost {
		if i > 0 && c > 0 && (i >= len(b.stock) || b.stock[i] < c) {
			return false
		}
	}
	return true
}
