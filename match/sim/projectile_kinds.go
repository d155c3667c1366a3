package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// Projectiles that hit several times, because they bounce, pierce or split, and steered ones. They
// choose only among what the team that fired them sees, so their flight tells nothing of hidden things.

// pierceWidth is how far from its line a projectile that pierces hits.
const pierceWidth = grid.WUPerTile / 8

// many is the state of a projectile that hits several times.
type many struct {
	rest uint8 // hits to come, after the first
	n    uint8
	hit  [rules.HitsMax]grid.EntityID
}

func (s *many) has(id grid.EntityID) bool { return slices.Contains(s.hit[:s.n], id) }

func (s *many) note(id grid.EntityID) {
	if int(s.n) < len(s.hit) {
		s.hit[s.n], s.n = id, s.n+1
	}
}

// hitsOf returns the state of a new projectile of the weapon.
func hitsOf(wp *rules.Weapon) many {
	return many{rest: uint8(max(wp.Bounces, wp.Pierces))}
}

// bounce sends a projectile that has hit its target on to the nearest foe that it has not
// hit yet. It reports whether there is one.
func (w *World) bounce(p, target *Entity) bool {
	s := &p.shot
	wp := &w.rules.Weapons[s.weapon]
	if target == nil || wp.Bounces == 0 || s.many.rest == 0 {
		return false
	}
	s.many.note(target.id)
	s.many.rest--
	var best *Entity
	w.foes = w.near.foes(w.foes[:0], p.Pos(), wp.BounceRange, p.team)
	for _, o := range w.foes {
		if o.dying || s.many.has(o.id) || !w.weaponHits(s.weapon, &w.rules.Types[o.typ]) || !w.gapWithin(p.Pos(), o, 0, wp.BounceRange) {
			continue
		}
		if best == nil || o != best && w.comesFirst(p, o, best, p.Pos()) {
			best = o
		}
	}
	if best == nil {
		return false
	}
	s.target, s.aim = best.id, w.nearestOf(p.Pos(), best)
	return true
}

// comesFirst reports whether a is nearer to a place than b. Between equals it draws by the
// team's names, never by the order in which they were made.
func (w *World) comesFirst(p, a, b *Entity, at grid.Pos) bool {
	da, db := at.Sub(w.nearestOf(at, a)).Len2(), at.Sub(w.nearestOf(at, b)).Len2()
	return cmp.Or(cmp.Compare(da, db), cmp.Compare(w.draw(p.slot, uint32(b.handles[p.team]), drawTarget), w.draw(p.slot, uint32(a.handles[p.team]), drawTarget))) < 0
}

// pierce hits the foes on the step from a place to where p is now, nearest first. It reports
// whether p has no hit left.
func (w *World) pierce(p *Entity, from grid.Pos, h harm) (spent bool) {
	s := &p.shot
	to := p.Pos()
	step := to.Sub(from)
	w.foes = w.near.foes(w.foes[:0], from, step.Len()+pierceWidth, p.team)
	list := slices.DeleteFunc(w.foes, func(o *Entity) bool {
		return o.dying || s.many.has(o.id) || !w.weaponHits(s.weapon, &w.rules.Types[o.typ]) || !w.gapWithin(onStep(from, step, o.Pos()), o, 0, pierceWidth)
	})
	slices.SortFunc(list, func(a, b *Entity) int {
		switch {
		case a == b:
			return 0
		case w.comesFirst(p, a, b, from):
			return -1
		}
		return 1
	})
	for _, o := range list {
		if s.many.has(o.id) { // a structure may be listed more than once
			continue
		}
		s.many.note(o.id)
		w.hurt(o, h)
		if by := w.find(s.by); by != nil {
			w.reveal(by, o.team)
		}
		if s.many.rest == 0 {
			return true
		}
		s.many.rest--
	}
	return false
}

// onStep returns the point of a step that is nearest to q.
func onStep(from grid.Pos, step grid.Vec, q grid.Pos) grid.Pos {
	d := q.Sub(from)
	along, whole := int64(d.X)*int64(step.X)+int64(d.Y)*int64(step.Y), step.Len2()
	if whole == 0 || along <= 0 {
		return from
	}
	along = min(along, whole)
	return from.Add(grid.Vec{X: int32(int64(step.X) * along / whole), Y: int32(int64(step.Y) * along / whole)})
}

// split makes the projectiles into which p splits, around its aim.
func (w *World) split(p *Entity) {
	s := &p.shot
	wp := &w.rules.Weapons[s.weapon]
	if wp.Splits == 0 {
		return
	}
	into := uint8(wp.SplitInto)
	for k := range wp.Splits {
		x, y := turned(int32(wp.SplitSpread), 0, p.face+grid.Facing(k*256/wp.Splits))
		c := w.spawn(p.slot, w.rules.Weapons[into].Look, p.Pos(), false)
		c.shot = shot{weapon: into, by: s.by, aim: w.m.Clamp(s.aim.Add(grid.Vec{X: x, Y: y})), percent: s.percent, level: s.level, many: hitsOf(&w.rules.Weapons[into])}
		c.x, c.y = p.x, p.y
		w.steer(c, w.rt.weapons[into].speed)
	}
}

// splitsNow reports whether it is time for p to split in its flight.
func (w *World) splitsNow(p *Entity) bool {
	after := w.rt.weapons[p.shot.weapon].splitAfter
	return after > 0 && w.tick >= p.birth+grid.Tick(after)
}

// steerShare bounds the flight of a steered projectile, in times the way to the end of its weapon's range.
const steerShare = 3

// retarget sends a steered projectile to where the unit that fired it is ordered to attack now. Without
// such an order, or if the unit is gone or another player's, the projectile keeps its aim.
func (w *World) retarget(p *Entity) {
	s := &p.shot
	by := w.find(s.by)
	if by == nil || by.dying || by.slot != p.slot || len(by.tasks) == 0 {
		return
	}
	switch t := &by.tasks[0]; t.kind {
	case orders.Attack:
		if o := w.find(t.target); o != nil && !o.dying && o.viewers.Has(p.team) && w.weaponHits(s.weapon, &w.rules.Types[o.typ]) {
			s.target = o.id
		}
	case orders.AttackGround:
		s.target, s.aim = 0, t.point
	}
}

// manyState is the state of projectiles that hit several times, which only rulesets with
// such weapons have.
func (w *World) manyState(a *archive.Archive) {
	if !w.rt.many {
		return
	}
	for _, e := range w.all {
		if e.class != rules.ClassProjectile {
			continue
		}
		s := &e.shot.many
		a.U8(&s.rest)
		a.U8(&s.n)
		if int(s.n) > len(s.hit) {
			a.Fail("%d hits of a projectile", s.n)
			return
		}
		for i := range s.n {
			archive.Word(a, &s.hit[i])
		}
	}
}
