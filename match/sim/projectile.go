package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
)

// launch makes the projectile of a shot. It starts a little farther on for the
// player's lag that the wind-up did not cover.
func (w *World) launch(e *Entity, i int, x uint8, target *Entity, at grid.Pos, h harm) {
	wp, rate := &w.rules.Weapons[x], &w.rt.weapons[x]
	p := w.spawn(e.slot, wp.Look, e.Pos(), false)
	p.shot = shot{weapon: x, by: e.id, aim: at, percent: w.damageOf(e), level: h.level, many: hitsOf(wp)}
	if wp.Pierces > 0 { // it flies on to the end of its range
		if way := at.Sub(e.Pos()); way != (grid.Vec{}) {
			p.shot.aim = w.m.Clamp(e.Pos().Add(way.Scale(wp.Range)))
		}
	}
	if len(e.tasks) > 0 {
		p.shot.request = e.tasks[0].request
		e.tasks[0].request = 0 // one shot, one id
	}
	if target != nil && wp.Homing {
		p.shot.target = target.id
	}
	p.x, p.y = e.x, e.y
	skip := int32(e.arms[i].lag)
	w.steer(p, rate.speed)
	if d := fineLen(at.X<<FineShift-p.x, at.Y<<FineShift-p.y); skip > 0 && rate.speed > 0 {
		skip = min(skip, d/rate.speed)
		p.x, p.y = p.x+p.vx*skip, p.y+p.vy*skip
	}
	// It is shown as moving at once, and moves from the next tick on.
}

// steer sets a projectile's velocity towards its aim.
func (w *World) steer(p *Entity, speed int32) (arrives bool) {
	dx, dy := p.shot.aim.X<<FineShift-p.x, p.shot.aim.Y<<FineShift-p.y
	d := fineLen(dx, dy)
	if d <= speed {
		p.vx, p.vy = dx, dy
		return true
	}
	vx, vy := int32(int64(dx)*int64(speed)/int64(d)), int32(int64(dy)*int64(speed)/int64(d))
	// Rounding alone must not bend a straight flight: motion that stays exactly the
	// same is not sent.
	if max(vx-p.vx, p.vx-vx) > 1<<FineShift/8 || max(vy-p.vy, p.vy-vy) > 1<<FineShift/8 {
		p.vx, p.vy = vx, vy
	}
	p.face = grid.FacingOf(grid.Vec{X: p.vx, Y: p.vy})
	return false
}

// fly moves one projectile. It hits where its flight ends. A homing projectile
// follows its target as long as the team that fired it sees the target. After that
// it goes to where the target was last seen.
func (w *World) fly(p *Entity) {
	s := &p.shot
	rate := &w.rt.weapons[s.weapon]
	if rate.flight > 0 {
		w.retarget(p)
	}
	target := w.find(s.target)
	if target != nil && !target.dying && target.viewers.Has(p.team) {
		s.aim = w.nearestOf(p.Pos(), target)
	} else {
		target = nil
	}
	arrives, from := w.steer(p, rate.speed), p.Pos()
	arrives = arrives || rate.flight > 0 && w.tick >= p.birth+grid.Tick(rate.flight)
	p.x, p.y = p.x+p.vx, p.y+p.vy
	switch wp := &w.rules.Weapons[s.weapon]; {
	case w.splitsNow(p):
		w.split(p)
		w.kill(p)
	case wp.Pierces > 0 && w.pierce(p, from, w.harmOf(p)) || arrives:
		w.land(p, target)
	}
}

func (w *World) land(p *Entity, target *Entity) {
	s := &p.shot
	wp := &w.rules.Weapons[s.weapon]
	h := w.harmOf(p)
	ev := eventOf(EventImpact, p)
	ev.What, ev.At = s.weapon, p.Pos()
	w.tell(ev)
	switch {
	case wp.Splash > 0:
		w.hurtArea(p.Pos(), wp.Splash, h, wp.SplashEdge, w.rules.Settings.FriendlyFire)
	case target != nil:
		w.hurt(target, h)
	}
	if target != nil {
		if by := w.find(s.by); by != nil {
			w.reveal(by, target.team)
		}
	}
	if !w.bounce(p, target) {
		w.split(p)
		w.kill(p)
	}
}

// harmOf returns the damage of a projectile.
func (w *World) harmOf(p *Entity) harm {
	s := &p.shot
	amount := percent(w.rules.Weapons[s.weapon].Damage, s.percent)
	return harm{by: s.by, slot: p.slot, team: p.team, amount: amount, weapon: s.weapon, level: s.level}
}
