package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

const (
	passDist  = grid.WUPerTile * 3 / 8 // a corner counts as passed from this near
	cutDist   = 3 * grid.WUPerTile     // and from this near, if the next one can be walked to from here
	missMax   = grid.WUPerTile / 16    // a unit keeps a course that misses its leg's end by less
	progress  = grid.WUPerTile / 16    // getting nearer by less is not getting anywhere
	sameDist  = 4 * grid.WUPerTile     // a goal that moves by less at a time is the same
	touchDist = grid.WUPerTile / 8     // bodies this near touch
)

// goTo sends the unit to a place. near is the distance at which it has arrived;
// width is that distance where others stand in the way. A unit that is already on
// its way there keeps its path.
func (w *World) goTo(e *Entity, goal, hub grid.Pos, near, width grid.Dist) {
	m := &e.mv
	m.near, m.width = near, width
	if m.going && m.hub == hub && (m.goal == goal || len(m.path) > 0 || m.want) {
		return
	}
	if !m.going || !m.hub.Within(hub, sameDist) { // else it is the same way, to a goal that moves
		m.stalled, m.side = 0, 0
	}
	m.going, m.goal, m.hub, m.want = true, goal, hub, true
	m.best, m.brief = 0, false
	m.path = m.path[:0]
}

// halt ends all movement.
func (m *mover) halt() {
	*m = mover{path: m.path[:0]}
}

// halted reports whether halt would make no change.
func (m *mover) halted() bool { return len(m.path) == 0 && m.way == way{} }

// move moves every unit one step. The order of the slots is drawn anew each tick, so that
// no player's units always go first. Within a slot, units move in the order of ids. Only
// the slot's owner could notice that.
func (w *World) move() {
	w.lookForTurns(bandMoves)
	for _, s := range w.turn {
		for i := w.spans[s][0]; i < w.spans[s][1]; i++ {
			if w.todoAt(bandMoves, int(i)) != 0 {
				w.moveUnit(w.all[i])
			}
		}
	}
}

// moves reports whether e's step may change something. A standing unit that no other unit
// can come to overlap in this tick stays as it is until a friend asks it to make way.
func (w *World) moves(e *Entity) bool {
	if e.class != rules.ClassUnit || e.dying {
		return false
	}
	return e.mv.going || e.vx != 0 || e.vy != 0 || e.shove != (grid.Vec{}) || e.glide != 0 ||
		w.onTurn(e, standEvery) && w.near.crowds(e, e.Pos(), w.layerOf(e), w.idles(e))
}

// takeTurns draws the order of the slots for this tick and finds where each
// slot's entities lie.
func (w *World) takeTurns() {
	w.turn = w.turn[:0]
	for i := range w.players {
		w.turn = append(w.turn, grid.Slot(i))
	}
	for i := len(w.turn) - 1; i > 0; i-- {
		j := below(w.draw(grid.Slot(i), 0, drawTurn), i+1)
		w.turn[i], w.turn[j] = w.turn[j], w.turn[i]
	}
	clear(w.spans[:])
	for i, e := range w.all {
		s := &w.spans[indexOf(e.id.Slot())]
		if s[1] == 0 {
			s[0] = int32(i)
		}
		s[1] = int32(i) + 1
	}
}

// of returns the entities made for a slot, in the order of their ids.
func (w *World) of(s grid.Slot) []*Entity {
	span := w.spans[indexOf(s)]
	return w.all[span[0]:span[1]]
}

func (w *World) moveUnit(e *Entity) {
	m := &e.mv
	w.aroundOf = nil
	speed := w.speedOf(e)
	if pace := e.pace(); pace > 0 {
		speed = min(speed, pace)
	}
	switch {
	case speed == 0 || w.rooted(e):
		e.vx, e.vy, e.shove, e.glide = 0, 0, grid.Vec{}, 0
	case !m.going:
		w.makeWay(e, speed)
	case len(m.path) == 0:
		e.vx, e.vy = 0, 0
		if w.isNear(e) {
			m.halt()
		} else {
			m.want = true
		}
	case !w.passLegs(e):
		w.walk(e, speed)
	}
}

// pace returns the speed, in 1/64 WU per tick, that keeps e together with its group, or 0
// for e's own speed. A unit that fights on its way goes at its own speed.
func (e *Entity) pace() int32 {
	if len(e.tasks) == 0 || e.tasks[0].phase == 0 {
		return 0
	}
	return e.tasks[0].pace
}

// walk moves the unit along its path. Between two looks around, it keeps its velocity.
func (w *World) walk(e *Entity, speed int32) {
	m := &e.mv
	leg := m.path[0]
	e.shove, e.glide = grid.Vec{}, 0
	if now := w.teams[e.team].ground.Version(); m.ground != now {
		// The team saw or touched something new. Is the way still open?
		m.ground = now
		w.checkLeg(e, leg)
	}
	moves := e.vx != 0 || e.vy != 0
	if w.tick < m.look && m.bent && (!moves || w.isOpen(e, e.vx, e.vy)) {
		w.face(e, e.vx, e.vy)
		w.step(e, e.vx, e.vy)
		w.noProgress(e, leg)
		return
	}
	vx, vy, last := w.course(e, leg, speed)
	if !w.face(e, vx, vy) && !moves { // a moving unit turns as it goes
		w.noProgress(e, leg)
		return
	}
	if !moves || w.tick >= m.look || m.bent || !w.isOpen(e, vx, vy) {
		wx, wy := vx, vy
		if vx, vy = w.avoid(e, leg, wx, wy, speed); !m.going {
			e.vx, e.vy = 0, 0
			return
		}
		last = last && vx == wx && vy == wy
	}
	w.step(e, vx, vy)
	if last && len(m.path) == 1 {
		if m.path = m.path[:0]; leg == m.goal { // else the path was cut short, and goes on
			m.halt()
		}
		return
	}
	w.noProgress(e, leg)
}

// passLegs drops the legs that the unit has passed. It reports whether the last leg
// was among them.
func (w *World) passLegs(e *Entity) bool {
	m := &e.mv
	for len(m.path) > 1 && (e.Pos().Within(m.path[0], passDist) || w.cutsCorner(e)) {
		m.path = append(m.path[:0], m.path[1:]...)
		m.best, m.stalled = 0, 0
	}
	if len(m.path) == 1 && m.path[0] != m.goal && e.Pos().Within(m.path[0], cutDist) {
		m.want = true // the path was cut short: units that asked for the rest only at its end would fight for that place
	}
	if len(m.path) == 1 && w.isNear(e) && m.near > 0 {
		m.halt()
		e.vx, e.vy = 0, 0
		return true
	}
	return false
}

// cutsCorner reports whether the unit can leave out the next corner of its path. A
// group that had to come to one point would stand in a queue before it.
func (w *World) cutsCorner(e *Entity) bool {
	m := &e.mv
	return w.tick >= m.look && e.Pos().Within(m.path[0], cutDist) &&
		w.teams[e.team].ground.ClearLine(w.body(e), e.Pos(), m.path[1])
}

// isNear reports whether the unit is near enough to the place that it was sent to. The path to
// a place on closed ground, such as the wall of a structure, ends beside it; its goal is farther
// from e's aim than e's weapon may reach. In a group each unit has a goal of its own.
func (w *World) isNear(e *Entity) bool {
	to := e.mv.hub
	if e.mv.width > 0 {
		to = e.mv.goal
	}
	return e.Pos().Within(to, e.mv.near)
}

// course returns the velocity towards the leg's end. It keeps the present velocity
// exactly as long as that leads there well enough: motion that does not change is
// not sent.
func (w *World) course(e *Entity, leg grid.Pos, speed int32) (vx, vy int32, last bool) {
	dx, dy := leg.X<<FineShift-e.x, leg.Y<<FineShift-e.y
	d2 := grid.Vec{X: dx, Y: dy}.Len2()
	if d2 <= int64(speed)*int64(speed) {
		return dx, dy, true
	}
	if e.vx != 0 || e.vy != 0 {
		v2 := grid.Vec{X: e.vx, Y: e.vy}.Len2()
		miss := (int64(dx)*int64(e.vy) - int64(dy)*int64(e.vx)) / int64(speed)
		dot := int64(dx)*int64(e.vx) + int64(dy)*int64(e.vy)
		if dot > 0 && v2 >= int64(speed-2)*int64(speed-2) && v2 <= int64(speed)*int64(speed) &&
			miss < missMax<<FineShift && miss > -missMax<<FineShift && d2 > 9*int64(speed)*int64(speed) {
			return e.vx, e.vy, false
		}
	}
	d := int64(fineLen(dx, dy))
	return int32(int64(dx) * int64(speed) / d), int32(int64(dy) * int64(speed) / d), false
}

// fineLen is the length of a vector in 1/64 WU, rounded down.
func fineLen(x, y int32) int32 { return int32(grid.Vec{X: x, Y: y}.Len()) }

// onTurn reports whether this is e's turn for work that it does every so many ticks. Its
// position spreads the work over the ticks, not its id: positions are visible, the order in
// which units were made is not.
func (w *World) onTurn(e *Entity, every grid.Ticks) bool {
	return (uint32(w.tick)+uint32(e.x>>FineShift)*7+uint32(e.y>>FineShift)*13)%uint32(every) == 0
}

// face turns the unit towards where it wants to go. It reports whether the unit may
// set off. A unit that is more than an eighth of a turn off turns on the spot
// first.
func (w *World) face(e *Entity, vx, vy int32) bool {
	if vx == 0 && vy == 0 {
		return true
	}
	to := grid.FacingOf(grid.Vec{X: vx, Y: vy})
	off := int8(to - e.face)
	e.face = e.face.Turn(to, w.rt.types[e.typ].turn)
	return off >= -32 && off <= 32 || e.face == to
}

// step moves the unit by a velocity.
func (w *World) step(e *Entity, vx, vy int32) {
	e.x, e.y, e.vx, e.vy = e.x+vx, e.y+vy, vx, vy
}

// noProgress counts for how long the unit has not come nearer to its leg's end.
// Where its leg is closed it searches a path again. Near its goal it has arrived:
// others stand where it was to go.
func (w *World) noProgress(e *Entity, leg grid.Pos) {
	m := &e.mv
	d := roughLen(leg.Sub(e.Pos()))
	switch {
	case d+progress <= m.best:
		m.stalled = 0
		fallthrough
	case m.best == 0: // a new leg
		m.best = max(d, 1)
		return
	}
	m.stalled++
	if m.stalled%w.rt.repath != 0 {
		return
	}
	switch {
	case w.arriving(e):
		m.halt()
		e.vx, e.vy = 0, 0
	default:
		w.checkLeg(e, leg)
	}
}

// checkLeg asks for a new path if the leg in work is closed: the ground is known
// better than before, or others have pushed the unit round a corner.
func (w *World) checkLeg(e *Entity, leg grid.Pos) {
	if !e.mv.want && !w.teams[e.team].ground.ClearLine(w.body(e), e.Pos(), leg) {
		e.mv.want = true
	}
}
