package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/visibility"
)

// fight fires weapons, moves projectiles and runs effects. Then it deals
// all damage of the tick at once. So two units that kill each other in one tick
// both die, whichever was made first.
func (w *World) fight() {
	for _, s := range w.turn {
		for _, e := range w.of(s) {
			switch {
			case e.gone || e.unbuilt:
			case e.class == rules.ClassProjectile:
				w.fly(e)
			default:
				if w.rt.types[e.typ].canFight {
					w.fire(e)
				}
				if len(e.effects) > 0 {
					w.runEffects(e)
				}
			}
		}
	}
	w.deal()
}

// fire runs the weapons of one unit: wind up, shoot, cool down.
func (w *World) fire(e *Entity) {
	for i := range w.rules.Types[e.typ].Weapons {
		a := &e.arms[i]
		if a.target == 0 && !a.ground {
			a.firing = false
			continue
		}
		at, target := a.point, w.find(a.target)
		if !a.ground {
			if target == nil || target.gone || !w.inRange(e, i, target) {
				a.firing, a.wind = false, 0
				continue
			}
			at = w.nearestOf(e.Pos(), target)
		}
		to := grid.FacingOf(at.Sub(e.Pos()))
		e.face = e.face.Turn(to, w.rt.types[e.typ].turn)
		if off := int8(to - e.face); off > 8 || off < -8 {
			continue // turning towards it
		}
		x := w.weaponOf(e, i)
		rate := &w.rt.weapons[x]
		if a.wind == 0 && w.tick+grid.Tick(rate.windUp) >= a.ready {
			// The player's lag is first taken off the wind-up.
			saved := min(grid.Ticks(a.lag), rate.windUp)
			a.lag -= uint8(saved)
			a.wind = max(w.tick+grid.Tick(rate.windUp-saved), a.ready)
		}
		if a.wind == 0 || w.tick < a.wind {
			continue
		}
		a.wind, a.ready = 0, w.tick+grid.Tick(rate.cooldown)
		a.shots++
		a.firing = true
		e.lastShot = w.tick
		w.shoot(e, i, x, target, at)
		a.lag = 0 // it was made up for as far as it could be; later shots are the unit's own choice
	}
}

// shoot fires one shot.
func (w *World) shoot(e *Entity, i int, x uint8, target *Entity, at grid.Pos) {
	wp := &w.rules.Weapons[x]
	ev := eventOf(EventShot, e)
	ev.What, ev.To = x, at
	if target != nil {
		ev.Target = target.id
	}
	w.tell(ev)
	h := harm{by: e.id, slot: e.slot, team: e.team, amount: percent(wp.Damage, e.damagePct), weapon: x, level: w.m.Level(e.Tile())}
	if wp.Speed > 0 {
		w.launch(e, i, x, target, at, h)
		return
	}
	if wp.Splash > 0 {
		w.hurtArea(at, wp.Splash, h, wp.SplashEdge, w.rules.Settings.FriendlyFire)
	} else if target != nil {
		w.hurt(target, h)
	}
	if target != nil {
		w.reveal(e, target.team)
	}
}

// reveal shows the shooter's tile to the team it hit, if the rules say so.
func (w *World) reveal(e *Entity, to grid.Team) {
	if w.rt.reveal == 0 || e.gone || to == grid.NoTeam || e.seen.Has(to) || e.revealedTo.Has(to) && w.tick < e.revealed {
		return
	}
	if w.tick >= e.revealed {
		e.revealedTo = 0
	}
	e.revealedTo = e.revealedTo.With(to)
	e.revealed = w.tick + grid.Tick(w.rt.reveal)
	w.eyes.Add(to, visibility.Source{Tile: e.Tile(), Flyer: true, Until: e.revealed})
}
