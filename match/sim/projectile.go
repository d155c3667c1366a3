package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
)

// launch makes the projectile of a shot. It starts a little farther on for the
// player's lag that the wind-up did not cover.
func (w *World) launch(e *Entity, i int, x uint8, target *Entity, at grid.Pos, h harm) {
	wp, rate := &w.rules.Weapons[x], &w.rt.weapons[x]
	p := w.spawn(e.slot, wp.Look, e.Pos(), false)
	p.shot = shot{weapon: x, by: e.id, aim: at, percent: w.damageOf(e), level: h.level}
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
	target := w.find(s.target)
	if target != nil && !target.gone && target.seen.Has(p.team) {
		s.aim = w.nearestOf(p.Pos(), target)
	} else {
		target = nil
	}
	arrives := w.steer(p, w.rt.weapons[s.weapon].speed)
	if p.x, p.y = p.x+p.vx, p.y+p.vy; arrives {
		w.land(p, target)
	}
}

func (w *World) land(p *Entity, target *Entity) {
	s := &p.shot
	wp := &w.rules.Weapons[s.weapon]
	h := harm{by: s.by, slot: p.slot, team: p.team, amount: percent(wp.Damage, s.percent), weapon: s.weapon, level: s.level}
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
	w.kill(p)
}
