package bot

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// How hard fights. Ratios are of powers, in percent.
const (
	retreatRatio = 45  // with so little of the enemy's it retreats
	boldSeconds  = 240 // after that time without an attack, it attacks with all its fighters
	restSeconds  = 30  // after a retreat
	frontTiles   = 15  // a fight is that wide
	guardTiles   = 16  // enemies that near to a structure are a threat
	raidMin      = 4   // of a raid
	focusMost    = 5   // targets at once
)

// commander is the half of hard's mind that fights.
type commander struct {
	roles   []role // by type
	makes   [roles]bool
	weights [roles]int // how much of the population each role is to have now
	count   [roles]int // population of each role
	foes    map[grid.Handle]thing
	met     force      // the most of the enemy that was seen lately
	hidden  [roles]int // of the enemy's, the most of each role that was seen
	threats []thing
	size    int  // population of the army for the next attack
	away    bool // an attack is under way
	awayAt  grid.Tick
	restTil grid.Tick
	used    map[client.Ability]grid.Tick
	fleeTil [roles]grid.Tick // of raiders
	raiding [roles]bool
	hunted  [roles]grid.Handle // the targets of raiders
	fires   []fire
	aimed   map[grid.Handle]grid.Tick // units that are to get an effect by then
	scanned grid.Tick                 // no look at the enemy's home before
	health  map[grid.Handle]int       // percent, at the last thought
	changed map[grid.Handle]grid.Tick // units whose fire is not changed before
}

func (c *commander) init(b *mind) {
	c.roles = b.rolesOf()
	for _, t := range b.Welcome.Types {
		for _, n := range t.Trains {
			if int(n) < len(c.roles) {
				c.makes[c.roles[n]] = true
			}
		}
	}
	c.foes, c.used = map[grid.Handle]thing{}, map[client.Ability]grid.Tick{}
	c.size = b.plan.waveFirst
	c.aimed, c.health, c.changed = map[grid.Handle]grid.Tick{}, map[grid.Handle]int{}, map[grid.Handle]grid.Tick{}
}

// command is hard's thought.
func (b *mind) command() {
	b.reckon()
	b.develop()
	b.remember()
	b.ferry()
	b.decide()
	b.cast()
	b.post()
	b.chooseFire()
	b.focus()
	b.scout()
	if len(b.threats) > 0 && !b.away {
		b.defend()
	} else {
		if b.away {
			b.attack()
		}
		b.hold()
	}
	b.raid(wing, b.now.wings)
	b.raid(shadow, b.now.shadows)
}

// reckon counts the own forces and the known enemy forces, and sets the weights of the roles.
func (b *mind) reckon() {
	b.count = [roles]int{}
	for _, list := range [][]thing{b.now.army, b.now.wings, b.now.shadows} {
		for _, t := range list {
			b.count[b.roles[t.typ]] += int(max(1, b.info(t.typ).Population))
		}
	}
	seen := b.forceAll(b.now.fighters, func(t thing) bool { return b.roles[t.typ] != noRole })
	for _, t := range b.now.fighters {
		b.foes[t.handle] = t
	}
	b.met.health = max(seen.health, b.met.health-b.met.health/600)
	b.met.damage = max(seen.damage, b.met.damage-b.met.damage/600)
	var kinds [roles]int
	for _, t := range b.now.fighters {
		kinds[b.roles[t.typ]]++
	}
	for r := range kinds {
		b.hidden[r] = max(b.hidden[r], kinds[r])
	}
	b.threats = b.threats[:0]
	for _, f := range b.now.fighters {
		if b.roles[f.typ] != noRole && slices.ContainsFunc(b.now.homes, func(h thing) bool { return h.at.Within(f.at, grid.Tiles(guardTiles)) }) {
			b.threats = append(b.threats, f)
		}
	}
	if foe, ok := nearest(b.threats, b.home, nil); ok {
		if b.strikes == 0 || b.Tick() > b.struckAt+b.seconds(strikeSeconds) {
			b.strikes++
			home, _ := nearest(b.now.homes, foe.at, nil)
			b.struck = home.at
		}
		b.struckAt = b.Tick()
	}
	// The answer to the enemy forces seen.
	b.weights = b.plan.shares
	if b.together() {
		b.weights[shadow] += 2
	}
	if b.hidden[line] >= 8 {
		b.weights[siege]++
		b.weights[caster]++
	}
	if b.hidden[siege]+b.hidden[caster] >= 2 {
		b.weights[wing]++
		b.weights[shadow] += 2
	}
	if b.hidden[shadow] > 0 {
		b.weights[watcher]++
	}
}

// fell is told of enemies that were destroyed in sight.
func (b *mind) fell(h grid.Handle) {
	if t, ok := b.foes[h]; ok {
		f := b.forceOf(thing{typ: t.typ})
		b.met.health, b.met.damage = max(0, b.met.health-f.health), max(0, b.met.damage-f.damage)
		delete(b.foes, h)
	}
}

// decide begins and ends attacks.
func (b *mind) decide() {
	wave, free := b.parts()
	all := b.forceAll(b.now.army, nil)
	if b.away {
		at := b.heart(wave)
		near := func(t thing) bool { return t.at.Within(at, grid.Tiles(frontTiles)) && !b.info(t.typ).Worker }
		force := b.forceAll(wave, near)
		foe := b.forceAll(b.now.fighters, near)
		foe.add(b.forceAll(b.now.strongs, func(t thing) bool { return near(t) && len(b.info(t.typ).Weapons) > 0 && !t.raw }))
		switch {
		case b.split && slices.ContainsFunc(wave, b.landed): // it has no way back
		case len(wave)+b.aboard() < waveLost:
			b.endAttack(wave, 0)
		case force.power()*100 < foe.power()*retreatRatio:
			b.endAttack(wave, restSeconds)
		case len(b.threats) >= 4 && b.forceAll(b.threats, nil).power()*2 > b.forceAll(free, nil).power() && at.Tile().Dist2(b.home.Tile()) < 40*40:
			b.endAttack(wave, 0)
		case len(free) >= 6:
			for _, u := range free {
				if !u.at.Within(b.home, grid.Tiles(guardTiles)) || len(b.threats) == 0 {
					b.wave[u.handle] = true
				}
			}
		}
		return
	}
	size := b.count[line] + b.count[siege] + b.count[caster]
	strong := size >= b.size && all.power()*100 > b.met.power()*int64(b.plan.ratio)
	full := b.Own.Population >= 150
	bold := b.Tick() > b.awayAt+b.seconds(boldSeconds) && size >= b.size+b.plan.waveStep ||
		b.split && b.Tick() > b.awayAt+b.seconds(2*boldSeconds) && size >= waveLost // few landings end by a retreat
	if len(b.Welcome.ModeAreas) > 0 { // its fighters hold the areas
		strong, bold = false, false
	}
	if b.Tick() >= b.restTil && len(b.threats) == 0 && (strong || full || bold) {
		b.away, b.awayAt, b.path = true, b.Tick(), nil
		b.joinWave(b.now.army)
	}
}

// endAttack calls the attackers home.
func (b *mind) endAttack(wave []thing, rest int) {
	b.away, b.awayAt, b.path = false, b.Tick(), nil
	b.size = min(b.plan.waveMax, b.size+b.plan.waveStep)
	b.restTil = b.Tick() + b.seconds(rest)
	clear(b.wave)
	b.send(pb.OrderKind_ORDER_KIND_MOVE, wave, b.musterAt().Tile(), 0)
	for _, u := range wave {
		b.busy[u.handle] = true
	}
}

// defend sends all fighters against enemies near a structure.
func (b *mind) defend() {
	foe, _ := nearest(b.threats, b.home, nil)
	b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, b.now.army, foe.at.Tile(), 0)
}

// post lets siege units and casters hold their ground: a chase would take them in front of the line.
func (b *mind) post() {
	var units []grid.Handle
	for _, u := range b.now.army {
		if r := b.roles[u.typ]; (r == siege || r == caster) && b.Own.Values[view.OwnerFiring][u.handle] == 0 {
			units = append(units, u.handle)
		}
	}
	b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_FIRE, What: orders.FireGround}, units, pendingOrder{})
}

// focus has those in reach of the same enemies shoot at one after the other.
func (b *mind) focus() {
	foes := slices.Clone(b.now.fighters)
	if len(foes) == 0 {
		return
	}
	worth := func(t thing) int64 { // the target that is destroyed soonest, for its effect
		f := b.forceOf(t)
		return f.damage * 1000 / max(1, f.health)
	}
	slices.SortStableFunc(foes, func(x, y thing) int { return int(worth(y) - worth(x)) })
	occupied := map[grid.Handle]bool{}
	targets := 0
	for _, f := range foes {
		if targets == focusMost {
			return
		}
		flies := b.info(f.typ).MoveKind == uint32(grid.Air)
		need := b.forceOf(f).health
		var shooters []thing
		for _, u := range b.now.army {
			w := b.weapon(u.typ)
			if occupied[u.handle] || b.busy[u.handle] || b.roles[u.typ] != line && b.roles[u.typ] != caster || w == nil || flies && !w.HitsAir {
				continue
			}
			if need > 0 && u.at.Within(f.at, grid.Dist(w.Range)) {
				shooters = append(shooters, u)
				need -= 2 * int64(w.Damage)
			}
		}
		if len(shooters) == 0 || len(shooters) == 1 && need > 0 {
			continue
		}
		targets++
		for _, u := range shooters {
			occupied[u.handle] = true
		}
		b.send(pb.OrderKind_ORDER_KIND_ATTACK, shooters, f.at.Tile(), f.handle)
		for _, u := range shooters {
			b.busy[u.handle] = true
		}
	}
}

// weapon is the first weapon of a type, nil without one.
func (b *mind) weapon(typ uint16) *pb.WeaponInfo {
	if ws := b.info(typ).Weapons; len(ws) > 0 && int(ws[0]) < len(b.Welcome.Weapons) {
		return b.Welcome.Weapons[ws[0]]
	}
	return nil
}

// raid sends a group against targets that the enemy cannot guard everywhere: workers, and weak but expensive ones. It
// flees from stronger groups.
func (b *mind) raid(r role, group []thing) {
	if len(group) == 0 {
		return
	}
	at := b.heart(group)
	if len(b.threats) > 0 {
		foe, _ := nearest(b.threats, at, nil)
		if r == wing { // not ahead of the army
			if f, ok := nearest(b.threats, at, func(t thing) bool { return b.roles[t.typ] == siege || b.roles[t.typ] == shadow }); ok {
				foe = f
			}
		}
		if foe.at.Within(b.home, grid.Tiles(3*guardTiles)) {
			b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, group, foe.at.Tile(), 0)
			return
		}
	}
	flies := r == wing
	if b.away && b.join(r, group) {
		return
	}
	near := func(t thing) bool {
		w := b.weapon(t.typ)
		return w != nil && !t.raw && (!flies || w.HitsAir) && t.at.Within(at, grid.Tiles(8))
	}
	foe := b.forceAll(b.now.fighters, near)
	foe.add(b.forceAll(b.now.strongs, near))
	force := b.forceAll(group, nil)
	if b.away && flies { // with the army they stay in the fight longer
		force.health *= 2
	}
	if force.power() < foe.power() && b.Tick() >= b.fleeTil[r] && !b.concealed(group) {
		b.fleeTil[r], b.raiding[r] = b.Tick()+b.seconds(20), false
	}
	if b.Tick() < b.fleeTil[r] {
		b.send(pb.OrderKind_ORDER_KIND_MOVE, group, b.musterAt().Tile(), 0)
		return
	}
	if b.raiding[r] = len(group) >= raidMin || b.raiding[r] && len(group) > 1; !b.raiding[r] {
		b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, group, b.musterAt().Tile(), 0)
		return
	}
	t, ok := nearest(b.now.fighters, at, func(t thing) bool { return t.handle == b.hunted[r] && t.at.Within(at, grid.Tiles(12)) })
	if !ok {
		t, ok = b.softTarget(at)
	}
	if b.hunted[r] = t.handle; ok {
		b.send(pb.OrderKind_ORDER_KIND_ATTACK, group, t.at.Tile(), t.handle)
		return
	}
	if t, ok := nearest(b.now.strongs, at, b.vitalToFoe); ok {
		if t.at.Within(at, grid.Tiles(7)) { // the place is empty
			b.send(pb.OrderKind_ORDER_KIND_ATTACK, group, t.at.Tile(), t.handle)
		} else {
			b.send(pb.OrderKind_ORDER_KIND_MOVE, group, t.at.Tile(), 0)
		}
		return
	}
	if to, ok := b.unseen(at, 1); ok {
		b.send(pb.OrderKind_ORDER_KIND_MOVE, group, to, 0)
	}
}

// together reports whether hidden units go with the army, and raid only if there is siege or there are casters, which hold the
// front without them.
func (b *mind) together() bool { return !b.makes[siege] && !b.makes[caster] }

// join has raiders fight beside the army that attacks: first against weak but expensive targets. It reports false if
// they are free to go elsewhere.
func (b *mind) join(r role, group []thing) bool {
	wave, _ := b.parts()
	if len(wave) == 0 {
		return false
	}
	at := b.heart(wave)
	near := func(t thing) bool {
		w := b.weapon(group[0].typ)
		return b.roles[t.typ] != noRole && t.at.Within(at, grid.Tiles(frontTiles)) && (w == nil || w.HitsAir || b.roles[t.typ] != wing)
	}
	foe, ok := nearest(b.now.fighters, at, func(t thing) bool { return near(t) && t.handle == b.hunted[r] }) // until it is down
	if !ok {
		foe, ok = nearest(b.now.fighters, at, func(t thing) bool { return near(t) && (b.roles[t.typ] == siege || b.roles[t.typ] == caster) })
	}
	b.hunted[r] = foe.handle
	other, met := nearest(b.now.fighters, centroid(group), near)
	switch {
	case !ok && met:
		b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, group, other.at.Tile(), 0)
	case ok:
		b.send(pb.OrderKind_ORDER_KIND_ATTACK, group, foe.at.Tile(), foe.handle)
	case r == shadow:
		b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, group, at.Tile(), 0)
	default:
		return false
	}
	return true
}

// softTarget is the raiders' prey: workers, siege and casters in sight.
func (b *mind) softTarget(at grid.Pos) (thing, bool) {
	soft := func(t thing) bool {
		r := b.roles[t.typ]
		return t.at.Within(at, grid.Tiles(12)) && (b.info(t.typ).Worker || r == siege || r == caster)
	}
	return nearest(b.now.fighters, at, soft)
}

// concealed reports whether most of a group are hidden.
func (b *mind) concealed(group []thing) bool {
	n := 0
	for _, u := range group {
		if e := b.Replica.Entities[u.handle]; e != nil && e.Values[view.ValueFlags]&uint32(pb.EntityFlag_ENTITY_FLAG_CLOAKED) != 0 {
			n++
		}
	}
	return 2*n > len(group)
}
