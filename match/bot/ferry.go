package bot

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

const (
	liftersMost  = 2  // transports that fly
	carriersMost = 6  // transports that swim
	cargoWanted  = 16 // slots of all transports that swim
	fleetMost    = 4  // warships
	ferrySeconds = 12 // so long one waits for more passengers
	landingTiles = 12 // steps from a landing to the goal: out of reach of the guns there
	coastTiles   = 20 // tiles from home in which warships meet enemies
)

// seaway is how the army comes to a goal over water.
type seaway struct {
	home, goal    grid.Tile
	sea           int32 // as chart numbers it; 0: there is none
	pier, landing grid.Tile
}

// ferry carries the army where no way on the ground leads to the enemy: through the air, and from level [Medium] on by ship. It
// trains the transports for it, and warships.
func (b *mind) ferry() {
	goal, ok := b.objective(b.home)
	b.split = ok && b.hasHome && b.Map.Passable(goal, grid.Ground) && b.fromHome()[b.Map.Index(goal)] < 0
	if !b.split {
		return
	}
	for _, u := range b.now.army {
		if b.landed(u) {
			b.wave[u.handle], b.attacking, b.away = true, true, true
		}
	}
	if b.plan.sails {
		b.crossing(goal)
	}
	for _, l := range b.now.lifters {
		b.carry(l, goal)
	}
	b.escort()
}

// landed reports whether a unit that walks has come over the water.
func (b *mind) landed(u thing) bool { return b.walks(u) && b.beyond(u) }

func (b *mind) walks(u thing) bool { return b.info(u.typ).MoveKind == uint32(grid.Ground) }

// across returns the attackers that fight now: landed units, and units that need no transport. Without weapons they
// follow the others.
func (b *mind) across(wave []thing) []thing {
	first := slices.ContainsFunc(wave, func(u thing) bool { return b.landed(u) || !b.walks(u) && len(b.info(u.typ).Weapons) > 0 })
	return slices.DeleteFunc(wave, func(u thing) bool { return !first || b.walks(u) && !b.beyond(u) })
}

// beyond reports whether a unit stands where no way on the ground leads home.
func (b *mind) beyond(t thing) bool { return b.fromHome()[b.Map.Index(t.at.Tile())] < 0 }

// aboard returns how many units are in transports.
func (b *mind) aboard() (n int) {
	for _, list := range b.Own.Passengers {
		n += len(list)
	}
	return n
}

// launch trains transports, and then warships. The first transport comes before more fighters.
func (b *mind) launch() {
	if !b.split {
		return
	}
	flying, slots, swimming := 0, 0, 0
	for _, l := range b.now.lifters {
		if b.naval(l.typ) {
			swimming, slots = swimming+1, slots+int(b.info(l.typ).Slots)
		} else {
			flying++
		}
	}
	for _, t := range b.now.homes {
		for _, n := range b.info(t.typ).Trains {
			typ := uint16(n)
			wanted := b.lifts(typ) && !b.naval(typ) && flying < liftersMost ||
				b.lifts(typ) && b.naval(typ) && slots < cargoWanted && swimming < carriersMost ||
				b.fights(typ) && slots >= cargoWanted && len(b.now.ships) < fleetMost
			if !wanted || b.queues[t.handle] > queueWanted || slices.Contains(b.Own.Queues[t.handle].Types, typ) {
				continue
			}
			if !b.trainOne(t, int32(n), false) {
				b.saving = b.saving || flying+swimming == 0
			}
			return
		}
	}
}

// carry gives the order of one transport.
func (b *mind) carry(l thing, goal grid.Tile) {
	pier, landing := b.home.Tile(), goal
	if b.naval(l.typ) {
		if pier, landing = b.over.pier, b.over.landing; b.over.sea == 0 {
			return
		}
	}
	if b.doing(l.handle) == pb.OrderKind_ORDER_KIND_UNLOAD {
		return
	}
	aboard, info := b.Own.Passengers[l.handle], b.info(l.typ)
	if len(aboard) == 0 && b.beyond(l) && !b.besideHome(l.at.Tile()) {
		delete(b.ferries, l.handle)
		b.send(pb.OrderKind_ORDER_KIND_MOVE, []thing{l}, pier, 0)
		return
	}
	room := int(info.Slots)
	for _, p := range aboard {
		room -= b.takes(p.Type)
	}
	var board []thing
	for _, u := range b.now.army {
		if n := b.takes(u.typ); n <= room && b.wave[u.handle] && !b.busy[u.handle] && slices.Contains(info.Carries, uint32(u.typ)) && !b.beyond(u) {
			board, room = append(board, u), room-n
			b.busy[u.handle] = true
		}
	}
	switch since := b.ferries[l.handle]; {
	case len(aboard) > 0 && (len(board) == 0 || b.Tick() > since+b.seconds(ferrySeconds)):
		b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_UNLOAD, To: point(landing.Center())}, []grid.Handle{l.handle}, pendingOrder{})
		delete(b.ferries, l.handle)
	case len(board) > 0 && (since == 0 || b.Tick() > since+b.seconds(ferrySeconds/2)):
		b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_BOARD, Target: uint32(l.handle)}, handlesOf(board), pendingOrder{})
		if since == 0 || len(aboard) == 0 {
			b.ferries[l.handle] = b.Tick()
		}
	}
}

// besideHome reports whether units from home reach a transport on a tile.
func (b *mind) besideHome(t grid.Tile) bool {
	for n := range t.Ring(1) {
		if b.Map.In(n) && b.fromHome()[b.Map.Index(n)] >= 0 {
			return true
		}
	}
	return false
}

// escort leads the warships: against enemies near home, with an attack to its landing, and else to the pier.
func (b *mind) escort() {
	if b.over.sea == 0 {
		return
	}
	to := b.over.pier
	if foe, ok := nearest(b.now.fighters, b.home, func(t thing) bool { return t.at.Within(b.home, grid.Tiles(coastTiles)) }); ok {
		to = foe.at.Tile()
	} else if b.attacking || b.away {
		to = b.over.landing
	}
	b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, b.now.ships, to, 0)
}

// lifts reports whether units of a type carry others, through the air or over water.
func (b *mind) lifts(typ uint16) bool {
	t := b.info(typ)
	return t.Slots > 0 && (t.MoveKind == uint32(grid.Air) || b.naval(typ) && b.plan.sails) && t.Class == pb.TypeClass_TYPE_CLASS_UNIT
}

func (b *mind) naval(typ uint16) bool { return b.info(typ).MoveKind == uint32(grid.Naval) }

// fights reports whether units of a type are warships.
func (b *mind) fights(typ uint16) bool {
	return b.plan.sails && b.naval(typ) && len(b.info(typ).Weapons) > 0 && !b.lifts(typ)
}

// takes returns how many slots of a transport a unit takes.
func (b *mind) takes(typ uint16) int { return int(max(1, b.info(typ).Takes)) }

// dockType is the structure at a shore whose ships it needs, and has not; -1: there is none.
func (b *mind) dockType() int32 {
	if !b.split || !b.plan.sails || b.over.sea == 0 || b.workerType < 0 {
		return -1
	}
	for _, n := range b.info(uint16(b.workerType)).Builds {
		t := b.info(uint16(n))
		if t.Shore && b.now.byType[uint16(n)] == 0 && !slices.Contains(b.without, n) && slices.ContainsFunc(t.Trains, func(n uint32) bool { return b.lifts(uint16(n)) || b.fights(uint16(n)) }) {
			return int32(n)
		}
	}
	return -1
}

// raiseDock builds a dock at the known shore of its sea that is nearest to home, or sends a worker to see the shore.
func (b *mind) raiseDock(typ uint16) {
	info := b.info(typ)
	site, ok := b.shore(int16(info.Size), int16(max(info.Size, info.SizeY)))
	switch {
	case !ok:
		if w, found := nearest(b.now.workers, b.over.pier.Center(), nil); found {
			b.send(pb.OrderKind_ORDER_KIND_MOVE, []thing{w}, b.over.pier, 0)
		}
	case !b.spend(info.Cost):
		b.saving = true
	default:
		b.buildAt(typ, site)
	}
}

// shore looks for room for a structure beside the sea of the seaway: north-western tile.
func (b *mind) shore(width, height int16) (best grid.Tile, found bool) {
	taken, least, steps := map[grid.Tile]bool{}, int32(0), b.fromHome()
	for _, o := range b.now.obstacles {
		foot, info := b.foot(o), b.info(o.typ)
		for y := range int16(max(1, info.SizeY, info.Size)) {
			for x := range int16(max(1, info.Size)) {
				taken[grid.Tile{X: foot.X + x, Y: foot.Y + y}] = true
			}
		}
	}
	for i, d := range steps {
		nw := b.Map.TileAt(i)
		if d < 0 || found && d >= least || b.badSites[nw] {
			continue
		}
		fits, wet := true, false
		for y := int16(-1); y <= height; y++ {
			for x := int16(-1); x <= width; x++ {
				t := grid.Tile{X: nw.X + x, Y: nw.Y + y}
				inside := x >= 0 && y >= 0 && x < width && y < height
				fits = fits && (!inside || b.Map.In(t) && b.Explored(t) && b.open(t) && !taken[t])
				wet = wet || b.Map.In(t) && b.seas[b.Map.Index(t)] == b.over.sea
			}
		}
		if fits && wet {
			best, least, found = nw, d, true
		}
	}
	return best, found
}

// chart numbers the seas of the map from 1: water that ships cross from side to side.
func (b *mind) chart() {
	if b.seas != nil {
		return
	}
	b.seas = make([]int32, b.Map.W*b.Map.H)
	sails := func(t grid.Tile) bool { return b.Map.Passable(t, grid.Naval) && b.seas[b.Map.Index(t)] == 0 }
	for i := range b.seas {
		if !sails(b.Map.TileAt(i)) {
			continue
		}
		b.seaCount++
		b.seas[i] = b.seaCount
		for queue := []grid.Tile{b.Map.TileAt(i)}; len(queue) > 0; queue = queue[1:] {
			for _, n := range around(queue[0]) {
				if sails(n) {
					b.seas[b.Map.Index(n)] = b.seaCount
					queue = append(queue, n)
				}
			}
		}
	}
}

// crossing finds the seaway to a goal: the sea on which a pier near home and a landing near the goal are nearest.
func (b *mind) crossing(goal grid.Tile) {
	if b.over.goal == goal && b.over.home == b.home.Tile() && b.homeSteps != nil {
		return
	}
	b.chart()
	type end struct {
		at   grid.Tile
		cost int32
	}
	from, to := b.fromHome(), b.reach(goal)
	piers, landings := make([]end, b.seaCount+1), make([]end, b.seaCount+1)
	b.over = seaway{home: b.home.Tile(), goal: goal}
	for i, sea := range b.seas {
		if sea == 0 {
			continue
		}
		at := b.Map.TileAt(i)
		for n := range at.Ring(1) {
			if !b.Map.In(n) {
				continue
			}
			if d := from[b.Map.Index(n)] + 1; d > 0 && (piers[sea].cost == 0 || d < piers[sea].cost) {
				piers[sea] = end{at, d}
			}
			if d := to[b.Map.Index(n)]; d >= 0 {
				if d = max(d-landingTiles, landingTiles-d) + 1; landings[sea].cost == 0 || d < landings[sea].cost {
					landings[sea] = end{at, d}
				}
			}
		}
	}
	least := int32(0)
	for sea := range piers {
		p, l := piers[sea], landings[sea]
		if cost := p.cost + l.cost; p.cost > 0 && l.cost > 0 && (least == 0 || cost < least) {
			least, b.over.sea, b.over.pier, b.over.landing = cost, int32(sea), p.at, l.at
		}
	}
}
