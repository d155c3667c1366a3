package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim/nav"
	"github.com/fogkeep/fogkeep/orders"
)

// How units get past each other. Friends are soft: they overlap a little, follow and push
// each other, and never close a way for good. Foes and structures are hard.
//
// A unit looks around every few ticks, bends its velocity by what it sees, and holds that
// velocity until the next look. So a crowd costs few bytes: the server sends only the
// changes that clients could not compute.

// Times, in ticks.
const (
	lookEvery   = 4  // between two looks of a unit on its way
	standEvery  = 6  // of a standing unit
	detourFor   = 5  // how long it walks around an obstacle
	holdFor     = 6  // how long it stands where there is no way round
	holdMax     = 30 // and where it has been so for long
	crowdFactor = 5  // times as long for a unit that met its foe by itself: the units in front are fighting
	makeWayMax  = 8  // how long one makes way
)

const (
	bendShare = 16                  // a bend of less than this share of the speed does not count
	halfTile  = grid.WUPerTile / 2  // how far aside one makes way that stands exactly in it
	apartMin  = grid.WUPerTile / 16 // bodies that overlap by less stay as they are
)

// avoid returns the velocity until the next look: the wish, bent by the friends around, or
// a way around the obstacle. It may end the unit's way instead.
func (w *World) avoid(e *Entity, leg grid.Pos, wx, wy, speed int32) (vx, vy int32) {
	m := &e.mv
	m.look, m.bent, m.alone = w.tick+grid.Tick(w.patience(e, lookEvery)), false, !m.brief
	w.lookAround(e, lookEvery)
	vx, vy = w.bend(e, wx, wy, speed)
	if w.settles(e, wx, wy) {
		m.halt()
		return 0, 0
	}
	left := roughLen(leg.Sub(e.Pos())) << FineShift
	if w.isOpen(e, vx, vy) && w.isOpenAhead(e, vx, vy, min(lookEvery, 1+int32(left)/max(1, speed))) {
		if w.tick >= m.sideUntil {
			m.side = 0
		}
		if vx == 0 && vy == 0 {
			w.hold(e)
		}
		return vx, vy
	}
	if m.side == 0 {
		m.side = w.sideOf(e, wx, wy)
	}
	m.sideUntil = w.tick + grid.Tick(2*w.rate)
	w.checkLeg(e, leg)
	aside := w.patience(e, detourFor)
	w.lookAhead(e, aside, speed)
	m.bent = true
	for _, turn := range [...]int{32, 64, 96} {
		vx, vy = turned(wx, wy, grid.Facing(turn*int(m.side)))
		if w.isOpen(e, vx, vy) && w.isOpenAhead(e, vx, vy, aside) {
			m.look = w.tick + grid.Tick(aside)
			if turn > 64 { // back: the other side next time
				m.side = -m.side
			}
			return vx, vy
		}
	}
	m.side = -m.side // this side is shut: the other one next time
	w.hold(e)
	return 0, 0
}

// hold lets the unit stand for a while, and longer where it has long made no
// progress.
func (w *World) hold(e *Entity) {
	e.mv.bent = true
	e.mv.look = w.tick + grid.Tick(w.patience(e, min(holdMax, holdFor+int32(e.mv.stalled)/8)))
}

// patience returns a time, longer for a unit that is on its way to a foe that it met
// by itself.
func (w *World) patience(e *Entity, ticks int32) int32 {
	if e.mv.brief {
		return ticks * crowdFactor
	}
	return ticks
}

// lookAround finds the units that e can come to in so many ticks. They are on e's
// layer: the ground or the air.
func (w *World) lookAround(e *Entity, ticks int32) {
	way := (ticks - 1) * (w.near.steps[e.typ] + w.near.fast)
	w.lookWithin(e, w.rules.Types[e.typ].Radius+grid.Dist(way))
}

func (w *World) lookWithin(e *Entity, radius grid.Dist) {
	w.aroundOf = e
	w.around = w.near.bodies(w.around[:0], e, e.Pos(), radius, w.layerOf(e))
}

func (w *World) layerOf(e *Entity) nearKind {
	if w.rules.Types[e.typ].Move == grid.Air {
		return nearAir
	}
	return nearGround
}

// lookAhead finds the units that now stand in e's reach of so many ticks: all that
// [World.isOpen] and [World.isOpenAhead] need at that speed. In a crowd these are far fewer
// than the units that e can meet.
func (w *World) lookAhead(e *Entity, ticks, speed int32) {
	w.lookWithin(e, w.rules.Types[e.typ].Radius+grid.Dist(ticks*(speed>>FineShift+1)))
}

// bend returns the wish, changed by the friends in the way. A unit walks no faster into
// a friend with the same direction than that friend walks. It passes an oncoming friend
// on the right. It asks an idle friend to make way. bend sums up the effects of all
// friends, so their order makes no difference. Foes do not count here.
func (w *World) bend(e *Entity, wx, wy, speed int32) (vx, vy int32) {
	m := &e.mv
	var sx, sy, most int64
	glides, radius := w.glides(e), w.rules.Types[e.typ].Radius
	for _, o := range w.around {
		// The test that drops most units comes first, and reads only their one cache line.
		if o.dying {
			continue
		}
		if o.team != e.team {
			m.alone = false
			continue
		}
		dx, dy := int64(o.x-e.x), int64(o.y-e.y)
		if dx*int64(wx)+dy*int64(wy) < 0 {
			continue // behind
		}
		r := int64(radius+w.rules.Types[o.typ].Radius) << FineShift
		if far := r + 2*lookEvery*int64(speed) + 1; dx*dx+dy*dy >= far*far || glides || w.glides(o) {
			continue
		}
		d := int64(fineLen(int32(dx), int32(dy)))
		if !o.mv.going {
			if !w.idles(o) || w.arriving(e) {
				m.alone = false // is gone round
			} else if d < r+int64(speed)*2 {
				w.askAside(e, o, wx, wy, r)
			}
			continue
		}
		ox, oy := int64(o.vx), int64(o.vy)
		if w.movesBefore(o, e) { // its place as the tick began, as e's is
			dx, dy = dx-ox, dy-oy
			d = int64(fineLen(int32(dx), int32(dy)))
		}
		if w.meets(e, o) {
			// Both pass on the right, at once or, where they are side by side already,
			// on the side on which they are.
			side := (int64(wx)*dy - int64(wy)*dx) / int64(speed) // to the right of e
			if off := r*3/4 - max(side, -side); off > 0 && d < r+lookEvery*int64(speed) {
				push := min(off/lookEvery, int64(speed)/2)
				if side > r/8 {
					push = -push
				}
				sx, sy, most = sx-int64(wy)*push/int64(speed), sy+int64(wx)*push/int64(speed), max(most, push)
			}
			continue
		}
		if m.stalled >= grid.Ticks(w.rate) && ox == 0 && oy == 0 {
			continue // it has waited long enough
		}
		d = max(d, 1)
		gap := d - r*3/4
		if !m.brief && int64(speed)*int64(speed) > (ox*ox+oy*oy)*3/2 { // overtakes
			gap = d - r/2
		}
		if gap < 0 {
			gap /= 2
		}
		if more := ((int64(wx)-ox)*dx+(int64(wy)-oy)*dy)/d - gap/lookEvery; more > 0 {
			sx, sy, most = sx-dx*more/d, sy-dy*more/d, max(most, more)
		}
	}
	if most*bendShare < int64(speed) {
		return wx, wy
	}
	if l := int64(grid.Vec{X: int32(sx), Y: int32(sy)}.Len()); l > most { // two in the way slow it down no more than one
		sx, sy = sx*most/l, sy*most/l
	}
	m.bent = true
	vx, vy = wx+int32(sx), wy+int32(sy)
	l := fineLen(vx, vy)
	if l < speed*w.slowest(e)/16 || int64(vx)*int64(wx)+int64(vy)*int64(wy) < 0 {
		return 0, 0
	}
	if l > speed {
		vx, vy = int32(int64(vx)*int64(speed)/int64(l)), int32(int64(vy)*int64(speed)/int64(l))
	}
	return vx, vy
}

// movesBefore reports whether o makes its step of a tick before e makes its own.
func (w *World) movesBefore(o, e *Entity) bool {
	if a, b := o.id.Slot(), e.id.Slot(); a != b {
		return slices.Index(w.turn, a) < slices.Index(w.turn, b)
	}
	return o.id < e.id
}

// slowest returns the share of e's speed, in sixteenths, below which e rather stands. A
// unit that met its foe by itself does not creep: the units in front are fighting.
func (w *World) slowest(e *Entity) int32 {
	switch stands := e.vx == 0 && e.vy == 0; {
	case !e.mv.brief:
		return 2
	case stands:
		return 14
	}
	return 12
}

// meets reports whether o is a friend that wants to go where e comes from.
func (w *World) meets(e, o *Entity) bool {
	if len(o.mv.path) == 0 || len(e.mv.path) == 0 {
		return false
	}
	a, b := e.mv.path[0].Sub(e.Pos()), o.mv.path[0].Sub(o.Pos())
	return int64(a.X)*int64(b.X)+int64(a.Y)*int64(b.Y) < 0
}

// glides reports whether a unit passes through its friends, and they through it:
// workers that mine.
func (w *World) glides(e *Entity) bool {
	return len(e.tasks) > 0 && e.tasks[0].kind == orders.Harvest
}

// idles reports whether a unit is idle, so that it makes way for friends.
func (w *World) idles(e *Entity) bool {
	return !e.mv.going && (len(e.tasks) == 0 || e.tasks[0].kind == orders.Follow) &&
		e.arms[e.lead()].target == 0 && !w.rooted(e)
}

// arriving reports whether e is so near to its place in its group that it no longer asks
// standing units to move. It has to be on the ground of its group too: else the last unit
// would stop behind the others, even far from its group.
func (w *World) arriving(e *Entity) bool {
	m := &e.mv
	return len(m.path) == 1 && m.width > 0 && e.Pos().Within(m.goal, m.width) && e.Pos().Within(m.hub, m.width*5/4)
}

// settles reports whether e has arrived because another unit stands on its place.
func (w *World) settles(e *Entity, wx, wy int32) bool {
	if !w.arriving(e) || w.glides(e) {
		return false
	}
	p := e.Pos()
	for _, o := range w.around {
		d := o.Pos().Sub(p)
		r := w.rules.Types[e.typ].Radius + w.rules.Types[o.typ].Radius + touchDist
		if !o.dying && stands(e, o) && int64(d.X)*int64(wx)+int64(d.Y)*int64(wy) > 0 && d.Len2() < int64(r)*int64(r) {
			return true
		}
	}
	return false
}

// stands reports whether the obstacle stays there, as far as e's team can tell. The team
// knows the tasks of its own units. Of other units it knows only whether they move, and
// only while it sees them.
func stands(e, by *Entity) bool {
	if by.team == e.team {
		return !by.mv.going
	}
	return by.viewers.Has(e.team) && by.vx == 0 && by.vy == 0
}

// room returns how near e's middle may come to o's, or 0 if o is not in e's way. A
// friend is in the way only while it does something where it stands, or where e
// arrives. A unit that gets nowhere squeezes past friends.
func (w *World) room(e, o *Entity) grid.Dist {
	r := w.rules.Types[e.typ].Radius + w.rules.Types[o.typ].Radius
	if o.team != e.team {
		return r
	}
	if o.mv.going || w.glides(e) || w.glides(o) || w.idles(o) && !w.arriving(e) {
		return 0
	}
	attacks := len(e.tasks) > 0 && e.tasks[0].kind == orders.Attack
	switch second := grid.Ticks(w.rate); {
	case !attacks && e.mv.stalled < second:
		return r * 3 / 4
	case e.mv.stalled < 3*second || attacks || e.mv.brief:
		return r * 3 / 8
	}
	return 0
}

// isOpen reports whether e can make a step. Bodies that overlap already may move
// apart. An obstacle that e's team did not know of is noted, because e touches it.
func (w *World) isOpen(e *Entity, vx, vy int32) bool {
	t := &w.rules.Types[e.typ]
	p := grid.Pos{X: (e.x + vx) >> FineShift, Y: (e.y + vy) >> FineShift}
	if !w.m.InPos(p) {
		return false
	}
	if t.Move != grid.Air {
		if at := p.Tile(); at != e.Tile() {
			i := w.m.Index(at)
			if !w.m.Pass[i].Has(t.Move) {
				return false
			}
			if nav.Closes(w.solid[i], t.Move) {
				w.teams[e.team].touch(w, i)
				return false
			}
		}
	}
	if e.mv.alone {
		return true
	}
	if w.aroundOf != e {
		w.lookAround(e, 1)
	}
	return w.hasRoom(e, p, false)
}

// isOpenAhead is [World.isOpen] for a place that e reaches in so many ticks. It uses only
// the knowledge of e's team. So an unseen obstacle does not stop e before e touches it.
func (w *World) isOpenAhead(e *Entity, vx, vy, ticks int32) bool {
	p := grid.Pos{X: (e.x + vx*ticks) >> FineShift, Y: (e.y + vy*ticks) >> FineShift}
	if !w.m.InPos(p) {
		return false
	}
	if k := w.rules.Types[e.typ].Move; k != grid.Air {
		if i := w.m.Index(p.Tile()); !w.m.Pass[i].Has(k) || w.teams[e.team].ground.Closed(i, k) {
			return false
		}
	}
	return e.mv.alone || w.hasRoom(e, p, true)
}

// hasRoom reports whether no unit around is in e's way at p. If ahead is set, only units
// that e's team sees count.
func (w *World) hasRoom(e *Entity, p grid.Pos, ahead bool) bool {
	now, own := e.Pos(), w.rules.Types[e.typ].Radius
	for _, o := range w.around {
		if o.dying || ahead && !o.viewers.Has(e.team) {
			continue
		}
		q := o.Pos()
		most := int64(own + w.rules.Types[o.typ].Radius) // no friend and no foe needs more
		d2 := p.Sub(q).Len2()
		if d2 >= most*most || d2 >= now.Sub(q).Len2() {
			continue
		}
		if r := int64(w.room(e, o)); d2 < r*r {
			return false
		}
	}
	return true
}

// sideOf chooses the side on which to pass an obstacle: the side with less of the
// obstacle. The team does not know the middle of an unseen obstacle. A draw decides a
// tie.
func (w *World) sideOf(e *Entity, vx, vy int32) int8 {
	var right int64
	for _, o := range w.around {
		d := o.Pos().Sub(e.Pos())
		r := int64(w.room(e, o)) + touchDist
		if o.dying || r == touchDist || !o.viewers.Has(e.team) || d.Len2() > 4*r*r {
			continue
		}
		if int64(vx)*int64(d.X)+int64(vy)*int64(d.Y) > 0 {
			right += int64(vx)*int64(d.Y) - int64(vy)*int64(d.X)
		}
	}
	switch {
	case right > 0:
		return -1
	case right < 0:
		return 1
	}
	if w.draw(e.slot, e.id.Counter(), drawSide)&1 == 0 {
		return 1
	}
	return -1
}

// askAside asks an idle friend to make way, to its own side of e's way.
func (w *World) askAside(e, o *Entity, wx, wy int32, r int64) {
	dx, dy := int64(o.x-e.x), int64(o.y-e.y)
	l := int64(max(1, fineLen(wx, wy)))
	side := (int64(wx)*dy - int64(wy)*dx) / l
	off := r - max(side, -side)
	if off <= 0 {
		return
	}
	if side < 0 {
		l = -l
	}
	far := min(off, halfTile<<FineShift)
	o.shove = grid.Vec{X: int32(-int64(wy) * far / l >> FineShift), Y: int32(int64(wx) * far / l >> FineShift)}
	if w.bands.run != nil { // else o is looked at in its turn
		w.busy[w.placeOf(o.id)] = 1
	}
}

// makeWay is a step of a unit without a destination. The unit makes way if a friend asked
// it to, and moves apart from bodies that overlap its own.
func (w *World) makeWay(e *Entity, speed int32) {
	if w.tick < e.glide && w.isOpen(e, e.vx, e.vy) {
		e.x, e.y = e.x+e.vx, e.y+e.vy
		w.staysHere(e)
		return
	}
	by := e.shove
	e.vx, e.vy, e.shove, e.glide = 0, 0, grid.Vec{}, 0
	if by == (grid.Vec{}) {
		if !w.onTurn(e, standEvery) {
			return
		}
		w.lookAround(e, 1)
		if by = w.overlap(e); by == (grid.Vec{}) {
			return
		}
		speed /= 2
	}
	far := max(1, fineLen(by.X, by.Y)<<FineShift)
	ticks := max(1, min(makeWayMax, (far+speed-1)/speed))
	step := min(speed, far/ticks)
	v := by.Scale(grid.Dist(step))
	w.lookAround(e, ticks)
	e.mv.alone = !slices.ContainsFunc(w.around, func(o *Entity) bool { return o.team != e.team })
	w.lookAhead(e, ticks, step)
	for _, turn := range [...]grid.Facing{0, 32, 224} {
		vx, vy := turned(v.X, v.Y, turn)
		if w.isOpen(e, vx, vy) && w.isOpenAhead(e, vx, vy, ticks) {
			e.x, e.y, e.vx, e.vy = e.x+vx, e.y+vy, vx, vy
			e.glide = w.tick + grid.Tick(ticks)
			w.staysHere(e)
			return
		}
	}
}

// staysHere lets a unit that made way stand watch where it is now.
func (w *World) staysHere(e *Entity) {
	if len(e.tasks) == 0 {
		e.guard = e.Pos()
	}
}

// overlap returns the direction and distance in which overlapping bodies push e. Units that
// fight or work side by side stand closer.
func (w *World) overlap(e *Entity) grid.Vec {
	var sum grid.Vec
	t := &w.rules.Types[e.typ]
	p := e.Pos()
	for _, o := range w.around {
		if o.dying || o.team == e.team && o.mv.going {
			continue
		}
		d := p.Sub(o.Pos())
		r := t.Radius + w.rules.Types[o.typ].Radius
		if most := int64(max(0, r-apartMin+1)); d.Len2() >= most*most {
			continue // most units
		}
		if o.team == e.team && !(w.idles(e) && w.idles(o)) {
			r /= 2
		}
		l := d.Len()
		if l+apartMin > r {
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
