package bot

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// When hard uses abilities.
const (
	againSeconds  = 1  // an ability that was ordered is not ordered again so soon
	burnMin       = 3  // enemies that stand close together
	scanSeconds   = 60 // between two looks at the enemy's home
	packSeconds   = 4  // deployed units stay so for that long
	nearDeployed  = 2  // tiles beyond its least range, in which an enemy drives a deployed unit off
	hideTiles     = 14 // raiders hide that far from their prey
	hideSeconds   = 8  // a raider that hid stays hidden for that long, if it may
	rushTiles     = 6  // fighters run at enemies that near
	sprintTiles   = 9  // scouts run from enemies that near
	shieldLeftMin = 15 // percent of health: units with less are lost
	shieldLeftMax = 90
)

// targetsFriends is the number of own and allied units as targets of an ability.
const targetsFriends = 1

// casts has the use of each kind of ability: by a unit, with the ability's index in the list of the unit's type, and
// its number.
var casts = map[string]func(b *mind, u thing, index int, n uint32, a *pb.AbilityInfo){
	"deploy": (*mind).deploy, "area": (*mind).burn, "burn": (*mind).burn, "apply": (*mind).apply, "scan": (*mind).scan, "cloak": (*mind).hide, "sprint": (*mind).sprint,
}

// cast uses abilities, by their effect. Units with such an order do no other work in this thought.
func (b *mind) cast() {
	for _, list := range [][]thing{b.now.army, b.now.wings, b.now.shadows, b.now.scouts, b.now.homes} {
		for _, u := range list {
			for i, n := range b.info(u.typ).Abilities {
				if int(n) >= len(b.Welcome.Abilities) || b.Welcome.Abilities[n].Passive {
					continue
				}
				if do := casts[b.Welcome.Abilities[n].Kind]; do != nil {
					do(b, u, i, n, b.Welcome.Abilities[n])
				}
			}
		}
	}
}

// use orders an ability.
func (b *mind) use(u thing, index int, n uint32, o *pb.Order) {
	o.Kind, o.What = pb.OrderKind_ORDER_KIND_ABILITY, n
	if b.order(o, []grid.Handle{u.handle}, pendingOrder{}) {
		b.used[client.Ability{Unit: u.handle, Index: uint32(index)}] = b.Tick() + b.seconds(againSeconds)
		b.busy[u.handle] = true
		delete(b.lastOrders, u.handle) // the ability was in the place of the order that it had
	}
}

// end orders the end of an ability, which is not used again for a while.
func (b *mind) end(u thing, index int, n uint32, seconds int) {
	if b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_STOP_ABILITY, What: n}, []grid.Handle{u.handle}, pendingOrder{}) {
		b.used[client.Ability{Unit: u.handle, Index: uint32(index)}] = b.Tick() + b.seconds(seconds)
	}
}

// deploy roots siege units where they reach an enemy that does not reach them, and packs them up without such an enemy.
func (b *mind) deploy(u thing, i int, n uint32, a *pb.AbilityInfo) {
	if a.Weapon == 0 || int(a.Weapon) > len(b.Welcome.Weapons) {
		return
	}
	w := b.Welcome.Weapons[a.Weapon-1]
	reach := grid.Dist(w.Range) - grid.WUPerTile
	target := func(t thing) bool { return !t.ghost && t.at.Within(u.at, reach) }
	_, foe := nearest(b.now.fighters, u.at, func(t thing) bool { return target(t) && b.roles[t.typ] != noRole && b.roles[t.typ] != wing })
	_, house := nearest(b.now.strongs, u.at, target)
	_, close := nearest(b.now.fighters, u.at, func(t thing) bool {
		return b.roles[t.typ] != noRole && t.at.Within(u.at, grid.Dist(w.MinRange)+grid.Tiles(nearDeployed)-grid.WUPerTile)
	})
	key := client.Ability{Unit: u.handle, Index: uint32(i)}
	if b.runs(u.handle, i) {
		b.busy[u.handle] = true
		if (!foe && !house || close) && b.Tick() >= b.used[key] {
			b.end(u, i, n, againSeconds)
		}
		return
	}
	if (foe || house) && !close && b.can(u.handle, i, a) {
		b.use(u, i, n, &pb.Order{})
		b.used[key] = b.Tick() + b.seconds(packSeconds)
	}
}

// burn sets fire to enemies who stand close together, away from own units. An area works where most of its targets are:
// enemies, or own fighters who lack health.
func (b *mind) burn(u thing, i int, n uint32, a *pb.AbilityInfo) {
	if b.busy[u.handle] || !b.can(u.handle, i, a) {
		return
	}
	radius := grid.Dist(a.Radius)
	most, at := 0, grid.Pos{}
	marks, spared := b.now.fighters, b.now.army
	if a.Kind == "area" {
		spared = nil
		if a.Targets == targetsFriends {
			marks = slices.DeleteFunc(slices.Clone(b.now.army), func(t thing) bool { return b.left(t) > shieldLeftMax })
		}
	}
	for _, f := range marks {
		if !f.at.Within(u.at, grid.Dist(a.Range)) || b.onFire(f.at) {
			continue
		}
		n := 0
		for _, o := range marks {
			if b.info(o.typ).MoveKind != uint32(grid.Air) && o.at.Within(f.at, radius) {
				n++
			}
		}
		for _, o := range spared {
			if o.at.Within(f.at, radius+grid.WUPerTile/2) {
				n--
			}
		}
		if n > most {
			most, at = n, f.at
		}
	}
	if most >= burnMin {
		b.fires = append(b.fires, fire{at, b.Tick() + grid.Tick(a.DurationTicks)})
		b.use(u, i, n, &pb.Order{To: point(at)})
	}
}

// fire is ground that an own caster has set on fire.
type fire struct {
	at    grid.Pos
	until grid.Tick
}

func (b *mind) onFire(p grid.Pos) bool {
	b.fires = slices.DeleteFunc(b.fires, func(f fire) bool { return b.Tick() > f.until })
	return slices.ContainsFunc(b.fires, func(f fire) bool { return f.at.Within(p, grid.Tiles(2)) })
}

// apply puts an effect on the unit for which it does the most.
func (b *mind) apply(u thing, i int, n uint32, a *pb.AbilityInfo) {
	if b.busy[u.handle] || a.Effect == 0 || int(a.Effect) > len(b.Welcome.Effects) || !b.can(u.handle, i, a) {
		return
	}
	effect := a.Effect - 1
	free := func(t thing) bool {
		return !t.ghost && t.handle != u.handle && t.at.Within(u.at, grid.Dist(a.Range)+grid.WUPerTile) && !b.suffers(t.handle, effect) && b.aimed[t.handle] <= b.Tick()
	}
	var best thing
	found, most := false, int64(0)
	if a.Targets == targetsFriends { // for units under fire, the most expensive first
		for _, t := range append(slices.Clone(b.now.army), b.now.shadows...) {
			left := b.left(t)
			if v := total(b.info(t.typ).Cost); free(t) && left <= shieldLeftMax && left >= shieldLeftMin && v > most {
				best, most, found = t, v, true
			}
		}
	} else if b.fighting(u.at) { // for fast units that come near
		for _, t := range b.now.fighters {
			info := b.info(t.typ)
			w := b.weapon(t.typ)
			if b.roles[t.typ] == noRole || w == nil || !free(t) {
				continue
			}
			v := int64(info.Speed) * b.forceOf(t).damage
			if w.Range < 2*grid.WUPerTile {
				v *= 3
			}
			if v > most {
				best, most, found = t, v, true
			}
		}
	}
	if found {
		b.aimed[best.handle] = b.Tick() + b.seconds(2)
		b.use(u, i, n, &pb.Order{Target: uint32(best.handle)})
	}
}

// fighting reports whether an own group fights around a place.
func (b *mind) fighting(at grid.Pos) bool {
	n := 0
	for _, t := range b.now.fighters {
		if b.roles[t.typ] != noRole && t.at.Within(at, grid.Tiles(8)) {
			n++
		}
	}
	return n >= 2
}

// scan looks at where hidden enemies shoot from, and now and then at the enemy's
// home.
func (b *mind) scan(u thing, i int, n uint32, a *pb.AbilityInfo) {
	if b.busy[u.handle] || !b.can(u.handle, i, a) {
		return
	}
	if at, ok := b.ambushed(); ok && at.Within(u.at, grid.Dist(a.Range)) && b.Tick() > b.scanned {
		b.scanned = b.Tick() + grid.Tick(a.DurationTicks)
		b.use(u, i, n, &pb.Order{To: point(at)})
		return
	}
	if b.info(u.typ).Class != pb.TypeClass_TYPE_CLASS_STRUCTURE || b.Tick() < b.scanned || b.Tick() < b.seconds(120) {
		return
	}
	to, ok := nearest(b.now.strongs, b.home, b.vitalToFoe)
	if !ok {
		if len(b.starts) < 1 {
			return
		}
		tile, found := b.unseen(b.home, 0)
		if !found {
			return
		}
		to.at = tile.Center()
	}
	if b.Visible(to.at.Tile()) {
		return
	}
	b.scanned = b.Tick() + b.seconds(scanSeconds)
	b.use(u, i, n, &pb.Order{To: point(to.at)})
}

// ambushed is where own units lose health though no enemy is in sight.
func (b *mind) ambushed() (grid.Pos, bool) {
	for _, list := range [][]thing{b.now.army, b.now.workers} {
		for _, u := range list {
			was, now := b.health[u.handle], b.left(u)
			b.health[u.handle] = now
			if was > now && len(b.Replica.Entities[u.handle].Effects) == 0 && !slices.ContainsFunc(b.now.fighters, func(t thing) bool {
				return t.at.Within(u.at, grid.Tiles(8))
			}) && !slices.ContainsFunc(b.now.strongs, func(t thing) bool { return t.at.Within(u.at, grid.Tiles(12)) }) {
				return u.at, true
			}
		}
	}
	return grid.Pos{}, false
}

// hide cloaks raiders as they come near their prey, and shows them again away from enemies.
func (b *mind) hide(u thing, i int, n uint32, a *pb.AbilityInfo) {
	threat := func(t thing) bool { return len(b.info(t.typ).Weapons) > 0 && t.at.Within(u.at, grid.Tiles(hideTiles)) }
	_, foe := nearest(b.now.fighters, u.at, threat)
	_, tower := nearest(b.now.strongs, u.at, threat)
	key := client.Ability{Unit: u.handle, Index: uint32(i)}
	switch on := b.runs(u.handle, i); {
	case on && !foe && !tower && b.Tick() >= b.used[key]:
		b.end(u, i, n, 2*againSeconds)
	case !on && (foe || tower) && b.can(u.handle, i, a):
		_, close := nearest(b.now.fighters, u.at, func(t thing) bool { return t.at.Within(u.at, grid.Tiles(3)) })
		if !close { // it would fire at once
			b.use(u, i, n, &pb.Order{})
			b.used[key] = b.Tick() + b.seconds(hideSeconds)
		}
	}
}

// sprint has scouts run from enemies, and over long ways, and fighters towards enemies.
func (b *mind) sprint(u thing, i int, n uint32, a *pb.AbilityInfo) {
	if b.busy[u.handle] || !b.can(u.handle, i, a) || b.runs(u.handle, i) {
		return
	}
	if b.roles[u.typ] != noRole {
		if _, foe := nearest(b.now.fighters, u.at, func(t thing) bool { return t.at.Within(u.at, grid.Tiles(rushTiles)) }); foe {
			b.use(u, i, n, &pb.Order{})
		}
		return
	}
	_, foe := nearest(b.now.fighters, u.at, func(t thing) bool { return b.roles[t.typ] != noRole && t.at.Within(u.at, grid.Tiles(sprintTiles)) })
	if last, ok := b.lastOrders[u.handle]; foe || ok && last.to.Dist2(u.at.Tile()) > 30*30 {
		to := last.to
		if b.use(u, i, n, &pb.Order{}); ok {
			b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, To: point(to.Center()), Queued: true}, []grid.Handle{u.handle}, pendingOrder{})
			b.lastOrders[u.handle] = last
		}
	}
}
