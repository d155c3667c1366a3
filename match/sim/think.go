package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

const (
	arriveDist  = grid.WUPerTile / 8
	arrivedDist = 2 * grid.WUPerTile
	followDist  = 3 * grid.WUPerTile / 2
	chaseStep   = grid.WUPerTile // a target that moved less needs no new path
)

// think lets each unit decide, by its running task, where to go and which target to shoot.
// The unit uses only its team's sight and knowledge.
func (w *World) think() {
	w.lookForTurns(bandThinks)
	for _, s := range w.turn {
		for i := w.spans[s][0]; i < w.spans[s][1]; i++ {
			if e := w.all[i]; w.todoAt(bandThinks, int(i)) != 0 && !e.unbuilt && !e.dying {
				w.choice = &w.choices[i]
				w.runTask(e)
			}
		}
	}
	w.choice = nil
}

// thinks makes e's choice of a target, if its task asks for one. It reports whether its
// task may change something: most tasks in a fight do not, from one look to the next.
func (w *World) thinks(e *Entity, c *choice, foes *[]*Entity) bool {
	if c.decision = false; e.dying || e.class > rules.ClassStructure {
		return false
	}
	if e.unbuilt { // it may be finished in this phase
		return true
	}
	if w.seeks(e) {
		return true
	}
	rt, stays, phase := &w.rt.types[e.typ], false, uint8(1)
	switch {
	case len(e.tasks) == 0:
		if !rt.canFight {
			return false
		}
		stays = w.watchesFromHere(e)
	case e.tasks[0].kind == orders.Hold:
		stays = true
	case e.tasks[0].kind == orders.AttackMove || e.tasks[0].kind == orders.Patrol:
		phase = e.tasks[0].phase
	default:
		return true
	}
	if !rt.canFight || stays && len(e.tasks) > 0 && !e.mv.halted() {
		return true
	}
	span := w.reachOf(e)
	if !stays {
		span = w.lookOut(e)
	}
	*c = w.chosen(e, span, foes)
	target := c.target
	switch {
	case c.anew && (e.alert || e.chaseTarget != idOf(target)):
		return true
	case target == nil:
		return !e.disarmed() || !stays && (len(e.tasks) == 0 && (e.mv.going || !w.onGuard(e)) || len(e.tasks) > 0 && (phase == 0 || !e.mv.going))
	case !w.inRange(e, e.lead(), target):
		return true
	case stays:
		return !w.aimed(e, target)
	case len(e.tasks) > 0 && phase != 0 || len(e.tasks) == 0 && !w.onLeash(e, target):
		return true
	}
	return !e.mv.halted() || !w.aimed(e, target)
}

func (w *World) runTask(e *Entity) {
	if len(e.tasks) == 0 {
		w.watch(e)
		return
	}
	if do := kindRules[e.tasks[0].kind].task; do != nil {
		do(w, e, &e.tasks[0])
	} else {
		w.next(e)
	}
}

func (w *World) moveTo(e *Entity, t *task) {
	w.disarm(e)
	if w.arrive(e, t) {
		w.end(e, t)
	}
}

func (w *World) attackMove(e *Entity, t *task) {
	if !w.fightOnTheWay(e, t) && w.arrive(e, t) {
		w.end(e, t)
	}
}

func (w *World) patrol(e *Entity, t *task) {
	if !w.fightOnTheWay(e, t) && w.arrive(e, t) {
		t.point, t.from = t.from, t.point
		t.group = t.point
		e.mv.halt()
	}
}

func (w *World) holdGround(e *Entity, _ *task) {
	e.mv.halt()
	w.aimFromHere(e)
}

// arrive keeps the unit on its way to the task's point. It returns true once the
// unit is there.
func (w *World) arrive(e *Entity, t *task) bool {
	if e.class != rules.ClassUnit {
		return true
	}
	if t.phase == 0 {
		t.phase = 1
		w.goTo(e, t.point, t.group, arriveDist, t.width)
	}
	if e.mv.going {
		return false
	}
	t.phase = 0
	return true
}

// end ends a task of going somewhere. A unit that had to stop far from its goal,
// because the way was closed, reports [orders.Unreachable].
func (w *World) end(e *Entity, t *task) {
	if e.Pos().Within(t.point, 2*t.width+arrivedDist) {
		w.next(e)
	} else {
		w.fail(e, orders.Unreachable)
	}
}

// watch is the behaviour of a unit without a task. It fights foes that come near. It goes
// no farther from its guard position than the rules' leash; an aggressive unit takes that position along.
func (w *World) watch(e *Entity) {
	if w.seeks(e) && w.seekRepair(e) {
		return
	}
	rt := &w.rt.types[e.typ]
	if !rt.canFight {
		return
	}
	if w.watchesFromHere(e) {
		w.aimFromHere(e)
		return
	}
	keen := e.firing&pursues != 0
	if target := w.choose(e, w.lookOut(e)); target != nil && (keen || w.onLeash(e, target)) {
		if !w.onLeash(e, target) {
			e.guard = e.Pos()
		}
		w.engage(e, target, true)
		return
	}
	w.disarm(e)
	if keen && (e.mv.going || !w.onGuard(e)) {
		e.mv.halt()
		e.guard = e.Pos()
	} else if e.mv.going {
		if e.mv.goal != e.guard {
			w.goTo(e, e.guard, e.guard, arriveDist, grid.WUPerTile)
		}
	} else if !w.onGuard(e) {
		w.goTo(e, e.guard, e.guard, arriveDist, grid.WUPerTile)
	}
}

// watchesFromHere reports whether e, without a task, shoots only from where it stands.
func (w *World) watchesFromHere(e *Entity) bool {
	return e.class == rules.ClassStructure || w.rules.Types[e.typ].Carry > 0 || e.firing&standsGround != 0 || w.rooted(e)
}

// onLeash reports whether a target is near enough to e's guard position.
func (w *World) onLeash(e, target *Entity) bool {
	return target.Pos().Within(e.guard, w.rules.Settings.LeashRange+w.reachOf(e))
}

// onGuard reports whether e is where it stands watch.
func (w *World) onGuard(e *Entity) bool { return e.Pos().Within(e.guard, 2*grid.WUPerTile) }

// fightOnTheWay attacks a foe that comes near. It reports whether there is one.
func (w *World) fightOnTheWay(e *Entity, t *task) bool {
	rt := &w.rt.types[e.typ]
	if !rt.canFight {
		return false
	}
	target := w.choose(e, w.lookOut(e))
	if target == nil {
		w.disarm(e)
		return false
	}
	t.phase = 0 // the way is taken up again afterwards
	w.engage(e, target, true)
	return true
}

// aimFromHere shoots at a target in range, without a step.
func (w *World) aimFromHere(e *Entity) {
	if !w.rt.types[e.typ].canFight {
		return
	}
	if target := w.choose(e, w.reachOf(e)); target != nil && w.inRange(e, e.lead(), target) {
		w.aim(e, target)
		return
	}
	w.disarm(e)
}

// attack is the task of fighting one target until it is gone.
func (w *World) attack(e *Entity, t *task) {
	target := w.find(t.target)
	if target == nil || target.dying {
		w.next(e) // it fell in sight; otherwise loseTargets has ended the task
		return
	}
	e.arms[e.lead()].lag = max(e.arms[e.lead()].lag, t.lag)
	t.lag = 0
	w.engage(e, target, false)
}

// attackGround fires at a place. A weapon that cannot do that looks for a structure
// there instead. That happens when the order's target was a ghost.
func (w *World) attackGround(e *Entity, t *task) {
	if target := w.structureAt(e, t.point); target != nil {
		w.engage(e, target, false)
		return
	}
	x := w.WeaponOf(e, e.lead())
	wp := &w.rules.Weapons[x]
	d, reach := t.point.Sub(e.Pos()).Len(), w.rangeOf(e, wp)
	switch {
	case d > reach || !wp.AtGround && !w.eyes.Visible(e.team, t.point.Tile()):
		w.disarm(e)
		if !w.chase(e, t.point, max(reach-arriveDist, arriveDist)) && d > reach {
			w.next(e) // it cannot come nearer
		}
	case !wp.AtGround:
		w.next(e) // the place is in sight, and empty
	case d < wp.MinRange:
		w.next(e)
	default:
		e.mv.halt()
		e.arms[e.lead()].lag = max(e.arms[e.lead()].lag, t.lag)
		t.lag = 0
		a := &e.arms[e.lead()]
		a.target, a.ground, a.point = 0, true, t.point
	}
}

// structureAt returns the foes' structure on a place, if e's team sees it.
func (w *World) structureAt(e *Entity, p grid.Pos) *Entity {
	o := w.find(w.owner[w.m.Index(p.Tile())])
	if o == nil || o.dying || o.team == e.team || !o.viewers.Has(e.team) {
		return nil
	}
	return o
}

// engage brings the unit into range of the target and shoots at it. If brief is
// set, it makes no long detour: the unit met the target by itself, without an
// order.
func (w *World) engage(e *Entity, target *Entity, brief bool) {
	if w.inRange(e, e.lead(), target) && !w.passesBy(e, target) {
		e.mv.halt()
		w.aim(e, target)
		return
	}
	w.disarm(e)
	if e.class != rules.ClassUnit || w.rooted(e) {
		return
	}
	wp := &w.rules.Weapons[w.WeaponOf(e, e.lead())]
	at := w.nearestOf(e.Pos(), target)
	if gap := w.gap(e.Pos(), target); gap < wp.MinRange { // too near: step back
		back := e.Pos().Sub(at)
		if back == (grid.Vec{}) {
			back = grid.Vec{X: 1}
		}
		w.chase(e, w.m.Clamp(e.Pos().Add(back.Scale(wp.MinRange-gap+grid.WUPerTile))), arriveDist)
		return
	}
	reach := w.rangeOf(e, wp)
	near := reach - arriveDist
	switch {
	case target.class == rules.ClassUnit:
		near += w.rules.Types[target.typ].Radius
	case near < grid.WUPerTile:
		off, near := reach*3/4, reach/4
		if at = w.spotAt(e, target, off, near); !e.Pos().Within(at, near) {
			w.goTo(e, at, at, near, 0)
			e.mv.brief = brief
		}
		return
	}
	if w.chase(e, at, max(near, arriveDist)) {
		e.mv.brief = brief
	}
}

// chase goes towards a target that may move. It reports whether the unit is on its
// way.
func (w *World) chase(e *Entity, at grid.Pos, near grid.Dist) bool {
	// The farther off the target is, the less its last steps matter.
	if far := roughLen(at.Sub(e.Pos())); e.mv.going && e.mv.hub.Within(at, max(chaseStep, far/4)) {
		e.mv.near = near
		return true
	}
	if e.Pos().Within(at, near) {
		return false
	}
	w.goTo(e, at, at, near, 0) // a unit does not settle out of range
	return true
}

// follow stays with a unit.
func (w *World) follow(e *Entity, t *task) {
	w.disarm(e)
	target := w.find(t.target)
	if target == nil || target.dying {
		w.next(e)
		return
	}
	if w.gap(e.Pos(), target) <= followDist {
		e.mv.halt()
		return
	}
	w.chase(e, w.nearestOf(e.Pos(), target), followDist)
}

// useAbility goes where the ability reaches its aim, and starts it.
func (w *World) useAbility(e *Entity, t *task) {
	w.disarm(e)
	i := w.abilityAt(e, t.ability)
	def, rate := w.def(e, i)
	point, target := t.point, (*Entity)(nil)
	switch rate.kind.info().aim {
	case orders.AimNone:
		point = e.Pos()
	case orders.AimUnit:
		if target = w.find(t.target); target == nil || target.dying {
			w.next(e) // it fell in sight; otherwise loseTargets has ended the task
			return
		}
		point = w.nearestOf(e.Pos(), target)
	}
	if !e.Pos().Within(point, def.Range) && point != e.Pos() {
		if !w.rules.Types[e.typ].Mobile || w.rooted(e) {
			w.fail(e, orders.Unreachable)
		} else if !w.chase(e, point, max(def.Range-arriveDist, arriveDist)) {
			w.fail(e, orders.Unreachable)
		}
		return
	}
	if code := w.start(e, i, t.request, point, target); code != orders.OK {
		w.fail(e, code)
		return
	}
	w.next(e)
}

// loseTargets ends the tasks whose target has just left the team's sight, and tells their
// owners. A target that was destroyed out of sight is lost like a target that walked out of
// sight: the team does not know its fate.
func (w *World) loseTargets() {
	w.bands.find(w, bandLost, w.bands.run)
	for i := range w.bands.list {
		for _, e := range w.bands.list[i] {
			w.loseTarget(e)
		}
	}
}

// losesTarget reports whether loseTarget changes something.
func (w *World) losesTarget(e *Entity) bool {
	if e.class > rules.ClassStructure {
		return false
	}
	for i := range e.arms {
		if w.outOfSight(e, e.arms[i].target) {
			return true
		}
	}
	if w.outOfSight(e, e.chaseTarget) {
		return true
	}
	for i := range e.tasks {
		if t := &e.tasks[i]; t.target != 0 && w.lost(e.team, t) {
			return true
		}
	}
	return false
}

// outOfSight reports whether e's team does not see the entity with that id, if it exists.
func (w *World) outOfSight(e *Entity, id grid.EntityID) bool {
	if id == 0 {
		return false
	}
	t := w.find(id)
	return t == nil || !t.viewers.Has(e.team)
}

// loseTarget does so for one.
func (w *World) loseTarget(e *Entity) {
	for i := range e.arms {
		a := &e.arms[i]
		if w.outOfSight(e, a.target) {
			a.target, a.wind, a.firing = 0, 0, false
			e.alert = true
		}
	}
	if w.outOfSight(e, e.chaseTarget) {
		e.chaseTarget = 0 // an entity that comes back into sight is not known to be the same
	}
	for i := 0; i < len(e.tasks); i++ {
		t := &e.tasks[i]
		if t.target == 0 || !w.lost(e.team, t) {
			continue
		}
		w.notice(e, t, orders.TargetLost)
		if i == 0 {
			w.next(e)
		} else {
			e.give(append(e.tasks[:i], e.tasks[i+1:]...))
		}
		i--
	}
}

// lost reports whether the team has lost sight of the task's target. Resource
// places and the player's own unfinished structures do not move, and are never
// lost.
func (w *World) lost(team grid.Team, t *task) bool {
	if t.kind == orders.Harvest || t.kind == orders.Build {
		return false
	}
	if target := w.find(t.target); target != nil {
		return !target.viewers.Has(team)
	}
	for i := range w.fallen {
		if w.fallen[i].id == t.target {
			return !w.fallen[i].viewers.Has(team)
		}
	}
	return false // it fell in sight earlier; the task ends by itself
}
