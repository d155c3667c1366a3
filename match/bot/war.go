package bot

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// How the war is waged.
const (
	waveLost      = 4   // an attack with fewer is over
	strideTiles   = 14  // between the halts on an army's way
	closeTiles    = 6   // units that near a halt have arrived
	engageTiles   = 12  // enemies that near are fought
	waveSeconds   = 420 // a player that waited that long attacks with all fighters
	repeatSeconds = 8   // an order is given again after that time
	haltSeconds   = 25  // the longest wait at a halt
	sightCell     = 8   // tiles a side of a cell of the sweep
)

// war is the half of the mind that scouts and fights.
type war struct {
	starts     []start
	muster     grid.Pos
	mustered   bool
	rallied    map[grid.Handle]bool
	wave       map[grid.Handle]bool // who attacks
	attacking  bool                 // since a wave left, until it was lost
	need       int                  // fighters for the next attack
	waveAt     grid.Tick            // when the last one began
	path       []grid.Tile          // the army's way to goal
	goal       grid.Tile
	halt       int       // index into path
	haltAt     grid.Tick // when it was set
	lastOrders map[grid.Handle]lastOrder
	cells      []grid.Tick // when each cell of the map was last seen, in tick + 1
	cellsW     int

	homeSteps   []int32 // see fromHome
	homeStepsAt grid.Tile
}

// start is a start point of the public map.
type start struct {
	tile    grid.Tile
	checked grid.Tick // when it was seen to be empty, 0: never
}

// lastOrder is the last order to a fighter.
type lastOrder struct {
	to     grid.Tile
	target grid.Handle
	at     grid.Tick
}

func (w *war) init(b *mind) {
	w.rallied, w.wave, w.lastOrders = map[grid.Handle]bool{}, map[grid.Handle]bool{}, map[grid.Handle]lastOrder{}
	w.need = b.plan.waveFirst
	known := map[int]bool{} // starts of enemies, where the welcome tells them
	for _, p := range b.Welcome.Players {
		if grid.Team(p.Team) != b.Team() && p.Start > 0 {
			known[int(p.Start)-1] = true
		}
	}
	for i, t := range b.Map.Starts {
		if len(known) == 0 || known[i] {
			w.starts = append(w.starts, start{tile: t})
		}
	}
	w.cellsW = (b.Map.W + sightCell - 1) / sightCell
	w.cells = make([]grid.Tick, w.cellsW*((b.Map.H+sightCell-1)/sightCell))
}

// forgetOrders makes every order be given anew.
func (b *mind) forgetOrders() {
	clear(b.lastOrders)
	clear(b.rallied)
	b.project = project{}
}

func (b *mind) dropUnit(h grid.Handle) {
	delete(b.wave, h)
	delete(b.lastOrders, h)
	delete(b.rallied, h)
	delete(b.fieldOf, h)
	delete(b.foes, h)
	delete(b.aimed, h)
	delete(b.health, h)
	delete(b.changed, h)
	for k := range b.used {
		if k.Unit == h {
			delete(b.used, k)
		}
	}
}

// wage gives the war's orders.
func (b *mind) wage() {
	b.remember()
	b.ferry()
	b.scout()
	b.form()
	b.attack()
	b.hold()
}

// remember notes the parts of the map in sight.
func (b *mind) remember() {
	for i := range b.cells {
		t := grid.Tile{X: int16(i % b.cellsW * sightCell), Y: int16(i / b.cellsW * sightCell)}
		t.X, t.Y = min(t.X+sightCell/2, int16(b.Map.W-1)), min(t.Y+sightCell/2, int16(b.Map.H-1))
		if b.Visible(t) {
			b.cells[i] = b.Tick() + 1
		}
	}
	for i := range b.starts {
		s := &b.starts[i]
		if b.Visible(s.tile) && !slices.ContainsFunc(b.now.strongs, func(t thing) bool { return t.at.Tile().Dist2(s.tile) <= 64 }) {
			s.checked = b.Tick()
		}
	}
}

// scout sends each scout to a place of its own that was not seen for long.
func (b *mind) scout() {
	if len(b.now.scouts) == 0 {
		b.holdLever()
	}
	for i, s := range b.now.scouts {
		old, ok := b.lastOrders[s.handle]
		arrived := !ok || s.at.Tile().Dist2(old.to) <= 9 || b.Visible(old.to)
		if !arrived && b.Tick() < old.at+b.seconds(3*repeatSeconds) {
			continue
		}
		if to, ok := b.fetch(s); ok && i == 0 {
			b.send(pb.OrderKind_ORDER_KIND_MOVE, []thing{s}, to, 0)
		} else if to, ok := b.unseen(s.at, i); ok {
			b.send(pb.OrderKind_ORDER_KIND_MOVE, []thing{s}, to, 0)
		}
	}
}

// unseen is the next place to look at: a contact of radar or an unchecked start nearest to p, else
// the cell of open ground that was not seen for the longest time. skip leaves
// that many out, so that scouts part ways.
func (b *mind) unseen(p grid.Pos, skip int) (best grid.Tile, found bool) {
	contacts := b.contacts(p)
	if skip < len(contacts) {
		return contacts[skip], true
	}
	var open []start
	for _, s := range b.starts {
		if s.checked == 0 && !b.Visible(s.tile) {
			open = append(open, s)
		}
	}
	slices.SortStableFunc(open, func(a, c start) int {
		return int(a.tile.Dist2(p.Tile()) - c.tile.Dist2(p.Tile()))
	})
	if skip < len(open) {
		return open[skip].tile, true
	}
	reach := b.fromHome()
	var oldest grid.Tick
	for i, seen := range b.cells {
		i = (i + skip*len(b.cells)/3) % len(b.cells)
		seen = b.cells[i]
		t := grid.Tile{X: int16(i%b.cellsW*sightCell + sightCell/2), Y: int16(i/b.cellsW*sightCell + sightCell/2)}
		if b.Map.In(t) && reach[b.Map.Index(t)] >= 0 && (!found || seen < oldest) {
			best, oldest, found = t, seen, true
		}
	}
	return best, found
}

// form decides who attacks.
func (b *mind) form() {
	wave, rest := b.parts()
	inWave, free := len(wave), len(rest)
	full := b.Own.PopulationMax > 0 && b.Own.Population+2 >= b.Own.PopulationMax && free >= b.plan.waveStep && !b.crowded()
	switch {
	case b.Tick() < b.seconds(b.plan.peaceSeconds):
	case len(b.Welcome.ModeAreas) > 0 && !full: // its fighters hold the areas
	case b.attacking && inWave+b.aboard() < waveLost:
		b.attacking = false
		b.need = min(b.plan.waveMax, b.need+b.plan.waveStep)
		clear(b.wave)
		b.path = nil
	case !b.attacking && (free >= b.need || full || free >= b.plan.waveStep && b.Tick() > b.waveAt+b.seconds(waveSeconds)):
		b.joinWave(b.now.army)
		b.path, b.waveAt, b.attacking = nil, b.Tick(), true
	case b.attacking && free >= b.plan.waveStep: // reinforcements leave together
		b.joinWave(b.now.army)
	}
}

// parts returns the units of the army that attack, and the others.
func (b *mind) parts() (wave, free []thing) {
	for _, u := range b.now.army {
		if b.wave[u.handle] {
			wave = append(wave, u)
		} else {
			free = append(free, u)
		}
	}
	return wave, free
}

func (b *mind) joinWave(units []thing) {
	for _, u := range units {
		b.wave[u.handle] = true
	}
}

// attack moves the wave towards its target, halt by halt, and lets it fight enemies on the way.
func (b *mind) attack() {
	wave, _ := b.parts()
	if b.split { // the others wait for a transport
		wave = b.across(wave)
	}
	if len(wave) == 0 {
		return
	}
	at := b.heart(wave)
	near := func(t thing) bool { return !t.ghost && t.at.Tile().Dist2(at.Tile()) <= engageTiles*engageTiles }
	if foe, ok := nearest(b.now.fighters, at, near); ok {
		b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, wave, foe.at.Tile(), 0)
		return
	}
	if t, ok := b.prey(at, near); ok {
		b.send(pb.OrderKind_ORDER_KIND_ATTACK, wave, t.at.Tile(), t.handle)
		return
	}
	goal, ok := b.objective(at)
	if !ok {
		return
	}
	if goal != b.goal || b.path == nil {
		b.path, b.goal, b.halt, b.haltAt = b.way(at.Tile(), goal), goal, 0, b.Tick()
	}
	if len(b.path) == 0 {
		b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, wave, goal, 0)
		return
	}
	b.halt = min(max(b.halt, strideTiles), len(b.path)-1)
	to := b.path[b.halt]
	arrived := 0
	for _, u := range wave {
		if u.at.Tile().Dist2(to) <= closeTiles*closeTiles {
			arrived++
		}
	}
	if arrived*10 >= len(wave)*7 || b.Tick() > b.haltAt+b.seconds(haltSeconds) {
		if b.halt == len(b.path)-1 && arrived*10 >= len(wave)*7 {
			b.cleared(goal)
		}
		b.halt, b.haltAt = min(b.halt+strideTiles, len(b.path)-1), b.Tick()
		to = b.path[b.halt]
	}
	b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, wave, to, 0)
}

// heart is the middle of the wave's main body: the centroid of the half that
// is nearest to the centroid of all.
func (b *mind) heart(wave []thing) grid.Pos {
	c := centroid(wave)
	body := slices.Clone(wave)
	slices.SortStableFunc(body, func(x, y thing) int { return cmp.Compare(x.at.Sub(c).Len2(), y.at.Sub(c).Len2()) })
	return centroid(body[:(len(body)+1)/2])
}

// prey is the structure to shoot at: structures that shoot first, then the enemy's economy, then the nearest.
func (b *mind) prey(at grid.Pos, near func(thing) bool) (thing, bool) {
	armed := func(t thing) bool { return near(t) && len(b.info(t.typ).Weapons) > 0 }
	if t, ok := nearest(b.now.strongs, at, armed); ok {
		return t, true
	}
	if t, ok := nearest(b.now.strongs, at, func(t thing) bool { return near(t) && b.vitalToFoe(t) }); ok {
		return t, true
	}
	return nearest(b.now.strongs, at, near)
}

// objective is where the enemy is known or thought to be.
func (b *mind) objective(at grid.Pos) (grid.Tile, bool) {
	if t, ok := nearest(b.now.strongs, at, b.vitalToFoe); ok {
		return t.at.Tile(), true
	}
	if t, ok := nearest(b.now.strongs, at, nil); ok {
		return t.at.Tile(), true
	}
	return b.unseen(at, 0)
}

// cleared notes that the army stood at a place and found it empty.
func (b *mind) cleared(goal grid.Tile) {
	for i := range b.starts {
		if b.starts[i].tile.Dist2(goal) <= 64 && b.starts[i].checked == 0 {
			b.starts[i].checked = b.Tick()
		}
	}
	b.cells[int(goal.Y)/sightCell*b.cellsW+int(goal.X)/sightCell] = b.Tick() + 1
	b.path = nil
}

// hold keeps the other fighters in the areas of the mode, or at the mustering place, where they defend.
func (b *mind) hold() {
	var idle []thing
	at := b.musterAt()
	_, free := b.parts()
	if b.occupy(free) {
		return
	}
	for _, u := range free {
		if foe, ok := nearest(b.now.fighters, b.home, func(t thing) bool { return t.at.Tile().Dist2(b.home.Tile()) <= 20*20 }); ok {
			b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, []thing{u}, foe.at.Tile(), 0)
		} else if u.at.Tile().Dist2(at.Tile()) > closeTiles*closeTiles {
			idle = append(idle, u)
		}
	}
	b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, idle, at.Tile(), 0)
}

// send orders the units that did not get the same order a moment ago.
func (b *mind) send(kind pb.OrderKind, units []thing, to grid.Tile, target grid.Handle) {
	var group []grid.Handle
	for _, u := range units {
		if b.busy[u.handle] {
			continue
		}
		old, ok := b.lastOrders[u.handle]
		same := ok && old.target == target && (target != 0 || old.to.Dist2(to) <= 9)
		idle := b.doing(u.handle) == pb.OrderKind_ORDER_KIND_UNSPECIFIED && b.Tick() > old.at+b.seconds(2)
		if !same || b.Tick() > old.at+b.seconds(repeatSeconds) || (idle && u.at.Tile().Dist2(to) > 4) {
			group = append(group, u.handle)
		}
	}
	o := &pb.Order{Kind: kind, Target: uint32(target)}
	if target == 0 {
		o.To = point(to.Center())
	}
	if !b.order(o, group, pendingOrder{}) {
		return
	}
	for _, h := range group[:min(len(group), unitsAnOrderMax)] {
		b.lastOrders[h] = lastOrder{to, target, b.Tick()}
	}
}

// musterAt is where the army gathers: some way from home towards the nearest
// start of another.
func (b *mind) musterAt() grid.Pos {
	if b.mustered || !b.hasHome {
		return b.muster
	}
	b.muster, b.mustered = b.home, true
	var best []grid.Tile
	for _, s := range b.starts {
		if s.tile.Dist2(b.home.Tile()) <= 64 {
			continue
		}
		if p := b.way(b.home.Tile(), s.tile); len(p) > 0 && (best == nil || len(p) < len(best)) {
			best = p
		}
	}
	if best != nil {
		b.muster = best[min(len(best)/3, 9)].Center()
	}
	return b.muster
}
