package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

const (
	passDist    = grid.WUPerTile * 3 / 8 // a corner counts as passed from this near
	missMax     = grid.WUPerTile / 16    // a course that misses its leg's end by less is kept
	progress    = grid.WUPerTile / 16    // getting nearer by less is not getting anywhere
	idleEvery   = 6                      // ticks between looks for overlaps of units that stand
	waitsMax    = 3                      // how often to stand behind one that moves before going round
	stillEnough = 1 << (FineShift + 2)   // a push apart smaller than this is left alone
)

// manners is how a unit deals with what is in its way, in ticks. Every client that
// sees the unit is sent each start and stop. So standing a little longer is better
// than trying every step.
type manners struct {
	hold, holdMax grid.Ticks // how long to stand before looking again, and where it has been taken for long
	setOff        int32      // how long the way has to be free for one who stands to set off
	detour        int32      // how long one goes aside
}

var (
	// On the way to a place: a queue in front of a gap has to keep moving.
	walking = manners{hold: 6, holdMax: 30, setOff: 3, detour: 5}
	// On the way to a fight that it met: those in front are fighting and do not
	// move on.
	crowding = manners{hold: 20, holdMax: 80, setOff: 8, detour: 10}
)

func (e *Entity) manners() *manners {
	if e.mv.brief {
		return &crowding
	}
	return &walking
}

// goTo sends the unit to a place. near is the distance at which it has arrived;
// width is that distance where others stand in the way. A unit that is already on
// its way there keeps its path.
func (w *World) goTo(e *Entity, goal, hub grid.Pos, near, width grid.Dist) {
	m := &e.mv
	m.near, m.width = near, width
	if m.going && m.hub == hub && (m.goal == goal || len(m.path) > 0 || m.want) {
		return
	}
	m.going, m.goal, m.hub, m.want = true, goal, hub, true
	m.stalled, m.best, m.hold = 0, 0, 0
	m.path = m.path[:0]
}

// halt ends all movement.
func (m *mover) halt() {
	*m = mover{path: m.path[:0]}
}

// move moves every unit one step. The order of the slots is drawn anew each tick,
// so that no player's units always go first. Within a slot the order is that of
// ids. Only the slot's owner could notice that.
func (w *World) move() {
	for _, s := range w.turn {
		for _, e := range w.of(s) {
			if e.class != rules.ClassUnit || e.gone {
				continue
			}
			w.moveUnit(e)
		}
	}
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
	speed := percent(w.rt.types[e.typ].speed, e.speedPct)
	if len(e.effects) > 0 {
		speed = percent(speed, w.effectPercent(e, rules.EffectSlow))
	}
	if !m.going || speed == 0 || w.rooted(e) {
		w.idle(e, speed)
		return
	}
	if len(m.path) == 0 {
		e.vx, e.vy = 0, 0
		if w.isNear(e) {
			m.halt()
		} else {
			m.want = true
		}
		return
	}
	if w.passLegs(e) {
		return
	}
	leg := m.path[0]
	if now := w.teams[e.team].ground.Version(); m.ground != now {
		// The team saw or touched something new. Is the way still open?
		if m.ground = now; !m.want && !w.teams[e.team].ground.ClearLine(w.body(e), e.Pos(), leg) {
			m.want = true
		}
	}
	vx, vy, last := w.course(e, leg, speed)
	moves := e.vx != 0 || e.vy != 0
	if !w.face(e, vx, vy) && !moves { // one that moves turns as it goes
		e.vx, e.vy = 0, 0
		w.noProgress(e, leg, nil)
		return
	}
	if w.tick < m.hold { // the way was taken a moment ago
		e.vx, e.vy = 0, 0
		w.noProgress(e, leg, nil)
		return
	}
	far := int32(1) // ticks that have to be free
	if !moves {
		far = w.setOff(e, leg, speed)
	}
	w.bodies(e, speed*(far-1))
	if w.tick < m.detour { // aside of what was in the way
		if _, free := w.free(e, e.x+e.vx, e.y+e.vy); free && (e.vx != 0 || e.vy != 0) {
			w.step(e, e.vx, e.vy)
			w.noProgress(e, leg, nil)
			return
		}
		m.detour = 0
	}
	by, free := w.free(e, e.x+vx, e.y+vy)
	if free && far > 1 {
		by, free = w.freeAhead(e, e.x+vx*far, e.y+vy*far)
	}
	if free {
		w.step(e, vx, vy)
		m.side, m.waits = 0, 0
		if last && len(m.path) == 1 {
			if m.path = m.path[:0]; leg == m.goal { // else the path was cut short, and goes on
				m.halt()
			}
			return
		}
		w.noProgress(e, leg, nil)
	} else {
		w.pass(e, leg, vx, vy, by)
	}
}

// passLegs drops the legs that the unit has passed. It reports whether the last leg
// was among them.
func (w *World) passLegs(e *Entity) bool {
	m := &e.mv
	for len(m.path) > 1 && e.Pos().Within(m.path[0], passDist) {
		m.path = append(m.path[:0], m.path[1:]...)
		m.best, m.stalled = 0, 0
	}
	if len(m.path) == 1 && w.isNear(e) && m.near > 0 {
		m.halt()
		e.vx, e.vy = 0, 0
		return true
	}
	return false
}

func (w *World) isNear(e *Entity) bool { return e.Pos().Within(e.mv.goal, e.mv.near) }

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
func fineLen(x, y int32) int32 { return int32(lengthOf(grid.Vec{X: x, Y: y})) }

// onTurn reports whether e does now what it does every so many ticks. Its position
// spreads the work over the ticks, not its id: a position can be seen, the order in
// which units were made cannot.
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

// setOff returns for how many ticks the way must be free before a unit that stands
// sets off. It is at most the time to the goal.
func (w *World) setOff(e *Entity, leg grid.Pos, speed int32) int32 {
	far := e.manners().setOff
	if len(e.mv.path) > 1 {
		return far
	}
	left := max(0, lengthOf(leg.Sub(e.Pos()))-e.mv.near)
	return max(1, min(far, int32(left)<<FineShift/speed))
}

// bodies finds the units that e can collide with in this tick, or would collide
// with within a further way (1/64 WU). They are on e's layer: the ground or the
// air.
func (w *World) bodies(e *Entity, way int32) {
	t, layer := &w.rules.Types[e.typ], nearGround
	if t.Move == grid.Air {
		layer = nearAir
	}
	w.around = w.near.bodies(w.around[:0], e, e.Pos(), t.Radius+grid.Dist(way>>FineShift), layer)
}

// free reports whether e can stand at x, y (1/64 WU). If a unit is in the way, it
// returns that unit. Bodies that overlap already may move apart. An obstacle that
// e's team did not know of is noted, because e touches it.
func (w *World) free(e *Entity, x, y int32) (by *Entity, ok bool) {
	t := &w.rules.Types[e.typ]
	p := grid.Pos{X: x >> FineShift, Y: y >> FineShift}
	if !w.m.InPos(p) {
		return nil, false
	}
	if t.Move != grid.Air {
		if at := p.Tile(); at != e.Tile() {
			i := w.m.Index(at)
			if !w.m.Pass[i].Has(t.Move) {
				return nil, false
			}
			if w.solid[i] != 0 {
				w.teams[e.team].touch(w, i)
				return nil, false
			}
		}
	}
	return w.meeting(e, p, false)
}

// freeAhead is [World.free] for a place that e does not reach in this tick. It uses
// only what e's team knows. So an unseen obstacle does not stop e before e touches
// it.
func (w *World) freeAhead(e *Entity, x, y int32) (by *Entity, ok bool) {
	p := grid.Pos{X: x >> FineShift, Y: y >> FineShift}
	if !w.m.InPos(p) {
		return nil, false
	}
	if k := w.rules.Types[e.typ].Move; k != grid.Air {
		if i := w.m.Index(p.Tile()); !w.m.Pass[i].Has(k) || w.teams[e.team].ground.Blocked(i) {
			return nil, false
		}
	}
	return w.meeting(e, p, true)
}

// meeting returns the unit that e would collide with at p, or nil and true if there
// is none. If ahead is set, only units that e's team sees count.
func (w *World) meeting(e *Entity, p grid.Pos, ahead bool) (by *Entity, ok bool) {
	t := &w.rules.Types[e.typ]
	now := e.Pos()
	through := w.tick < e.mv.through
	nearest := int64(0)
	for _, o := range w.around {
		if o.gone || through && w.meets(e, o) || ahead && !o.seen.Has(e.team) {
			continue
		}
		q := o.Pos()
		d2 := p.Sub(q).Len2()
		r := int64(t.Radius + w.rules.Types[o.typ].Radius)
		if d2 < r*r && d2 < now.Sub(q).Len2() && (by == nil || d2 < nearest || d2 == nearest && w.rather(e, o, by)) {
			by, nearest = o, d2 // not the first by number, which would tell of it
		}
	}
	return by, by == nil
}

// rather reports whether e collides with one instead of with other, if both are
// equally near. It draws over the handles that e's team has for them. Units that
// the team does not see have no handle. Which of those e touches makes no
// difference.
func (w *World) rather(e, one, other *Entity) bool {
	return w.draw(e.slot, uint32(one.handles[e.team]), drawMet) > w.draw(e.slot, uint32(other.handles[e.team]), drawMet)
}

// step moves the unit by a velocity.
func (w *World) step(e *Entity, vx, vy int32) {
	e.x, e.y, e.vx, e.vy = e.x+vx, e.y+vy, vx, vy
}

// pass deals with something in the way. The unit waits behind what moves on, asks
// an idle friend to make way, goes round on one side and stays on that side, or
// stops where a crowd has taken its place.
func (w *World) pass(e *Entity, leg grid.Pos, vx, vy int32, by *Entity) {
	m := &e.mv
	if by != nil {
		if len(m.path) == 1 && w.settles(e, by) {
			m.halt()
			e.vx, e.vy = 0, 0
			return
		}
		ahead := by.seen.Has(e.team) && int64(by.vx)*int64(vx)+int64(by.vy)*int64(vy) > 0
		if ahead && m.waits < waitsMax {
			m.waits++
			w.wait(e, leg, by)
			return
		}
		if m.stalled >= grid.Ticks(w.rate) && w.meets(e, by) && !e.Pos().Within(m.goal, 2*m.width+arrivedDist) {
			m.through = w.tick + grid.Tick(w.rate)
		}
		if by.team == e.team && !by.mv.going && len(by.tasks) == 0 && !w.rooted(by) {
			by.shove = by.Pos().Sub(e.Pos())
		}
	}
	if by == nil || !by.seen.Has(e.team) {
		m.bumped = true
	}
	if m.side == 0 {
		m.side = w.sideOf(e, vx, vy, by)
	}
	aside := e.manners().detour
	w.bodies(e, fineLen(vx, vy)*aside)
	for _, turn := range [...]int{32, 64, 96} {
		sx, sy := turned(vx, vy, grid.Facing(turn*int(m.side)))
		if _, ok := w.free(e, e.x+sx, e.y+sy); !ok {
			continue
		}
		if _, ok := w.freeAhead(e, e.x+sx*aside, e.y+sy*aside); ok {
			m.detour = w.tick + grid.Tick(aside)
			w.step(e, sx, sy)
			w.noProgress(e, leg, by)
			return
		}
	}
	m.side = -m.side // this side is shut: the other one next time
	w.wait(e, leg, by)
}

// wait lets the unit stand for a moment, and longer if it has long made no
// progress. In a crowd it is no use to push every tick. Every client that sees the
// unit is sent each start and stop.
func (w *World) wait(e *Entity, leg grid.Pos, by *Entity) {
	e.vx, e.vy = 0, 0
	how := e.manners()
	e.mv.hold = w.tick + grid.Tick(min(how.holdMax, how.hold+e.mv.stalled/8))
	w.noProgress(e, leg, by)
}

// meets reports whether o is a friend that wants to go where e comes from. Two
// lines of units that meet in a narrow place may pass through each other after a
// while. Otherwise they would stand there for ever.
func (w *World) meets(e, o *Entity) bool {
	if o.team != e.team || len(o.mv.path) == 0 || len(e.mv.path) == 0 {
		return false
	}
	a, b := e.mv.path[0].Sub(e.Pos()), o.mv.path[0].Sub(o.Pos())
	return int64(a.X)*int64(b.X)+int64(a.Y)*int64(b.Y) < 0
}

// settles reports whether e is as near to its place as the crowd there lets it
// come: what is in the way has arrived or stays there.
func (w *World) settles(e, by *Entity) bool {
	return stands(e, by) && e.Pos().Within(e.mv.goal, e.mv.width)
}

// stands reports whether what is in the way stays there, as far as e's team can
// tell. The team knows what its own units do. Of others it knows whether they move,
// if it sees them. Of what it does not see it knows nothing.
func stands(e, by *Entity) bool {
	if by.team == e.team {
		return !by.mv.going
	}
	return by.seen.Has(e.team) && by.vx == 0 && by.vy == 0
}

// sideOf chooses the side on which to pass: the side of the obstacle on which e
// already is. If the team does not see the obstacle it does not know its middle,
// and the side is drawn.
func (w *World) sideOf(e *Entity, vx, vy int32, by *Entity) int8 {
	if by != nil && by.seen.Has(e.team) {
		o := by.Pos().Sub(e.Pos())
		switch cross := int64(vx)*int64(o.Y) - int64(vy)*int64(o.X); {
		case cross > 0:
			return -1
		case cross < 0:
			return 1
		}
	}
	if w.draw(e.slot, e.id.Counter(), drawSide)&1 == 0 {
		return 1
	}
	return -1
}

// noProgress checks whether the unit gets nearer to its leg's end. If it does not,
// it searches a path again after a while. In the end it gives up.
func (w *World) noProgress(e *Entity, leg grid.Pos, by *Entity) {
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
	if m.stalled%w.rt.repath == 0 {
		if len(m.path) == 1 && by != nil && stands(e, by) && e.Pos().Within(m.goal, 2*m.width) {
			m.halt() // nearer than this it does not get
			e.vx, e.vy = 0, 0
			return
		}
		// A new search avoids obstacles met since the last one. It does not avoid a
		// crowd: paths take only the ground into account, and a queue moves on.
		m.want, m.bumped = m.want || m.bumped, false
		m.side, m.waits = 0, 0
	}
}

// stuck reports whether the unit has made no progress for as long as the rules
// allow.
func (w *World) stuck(e *Entity) bool { return e.mv.going && e.mv.stalled >= w.rt.giveUp }

// idle is a step of a unit that is not going anywhere: it makes way if it was
// asked to, and moves apart from what it overlaps.
func (w *World) idle(e *Entity, speed int32) {
	shove := e.shove
	e.vx, e.vy, e.shove = 0, 0, grid.Vec{}
	if speed == 0 || w.rooted(e) {
		return
	}
	if shove == (grid.Vec{}) && !w.onTurn(e, idleEvery) {
		return
	}
	w.bodies(e, 0)
	if shove == (grid.Vec{}) {
		shove = w.overlap(e)
		if shove == (grid.Vec{}) {
			return
		}
		speed = min(speed, max(stillEnough, fineLen(shove.X<<FineShift, shove.Y<<FineShift)))
	}
	v := shove.Scale(grid.Dist(speed))
	for _, turn := range [...]grid.Facing{0, 32, 224, 64, 192} {
		vx, vy := turned(v.X, v.Y, turn)
		if _, ok := w.free(e, e.x+vx, e.y+vy); ok {
			w.step(e, vx, vy)
			return
		}
	}
}

// overlap returns which way, and how far, e is pushed by the bodies that
// overlap its own.
func (w *World) overlap(e *Entity) grid.Vec {
	var sum grid.Vec
	t := &w.rules.Types[e.typ]
	p := e.Pos()
	for _, o := range w.around {
		d := p.Sub(o.Pos())
		r := t.Radius + w.rules.Types[o.typ].Radius
		l := lengthOf(d)
		if l >= r {
			continue
		}
		if l == 0 { // one on top of the other: each goes its own way
			side, _ := turned(1<<sineShift, 0, grid.Facing(w.draw(e.slot, e.id.Counter(), drawSide)))
			other, _ := turned(0, 1<<sineShift, grid.Facing(w.draw(e.slot, e.id.Counter(), drawSide)))
			d, l = grid.Vec{X: side, Y: other}, 1<<sineShift
		}
		half := (r - l + 1) / 2
		sum = sum.Add(grid.Vec{X: int32(int64(d.X) * int64(half) / int64(l)), Y: int32(int64(d.Y) * int64(half) / int64(l))})
	}
	return sum
}
