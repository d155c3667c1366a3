package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/visibility"
)

// fight fires weapons, moves projectiles and runs effects. Then it deals all damage of the
// tick at once. So two units that kill each other in one tick both die: the order of their creation does not matter.
func (w *World) fight() {
	w.runTurns()
	w.lookForTurns(bandFights)
	for _, s := range w.turn {
		for i := w.spans[s][0]; i < w.spans[s][1]; i++ {
			if todo := w.todoAt(bandFights, int(i)); todo != 0 {
				w.fightTurn(w.all[i], todo)
			}
		}
	}
	w.runMines()
	w.deal()
	w.healWounds()
}

// An entity's work in the fight phase: a bit for each weapon that shoots, and a bit for the
// rest.
const fightRest = 1 << rules.UnitWeaponsMax

// fights aims e's weapons and returns the work of its turn.
func (w *World) fights(e *Entity) (todo uint8) {
	switch {
	case e.dying || e.unbuilt || int(e.id.Slot()) >= len(w.players):
		return 0
	case e.class == rules.ClassProjectile:
		return fightRest
	}
	if w.rt.types[e.typ].canFight {
		todo = w.fire(e)
	}
	if len(e.effects) > 0 {
		todo |= fightRest
	}
	return todo
}

// fightTurn does e's work.
func (w *World) fightTurn(e *Entity, todo uint8) {
	if e.class == rules.ClassProjectile {
		if def := w.AreaOf(e.typ); def != nil {
			w.workArea(e, def)
		} else {
			w.fly(e)
		}
		return
	}
	for i := range w.rules.Types[e.typ].Weapons {
		if todo&(1<<i) != 0 {
			w.shoot(e, i)
			e.arms[i].lag = 0 // it was made up for as far as it could be; later shots are the unit's own choice
		}
	}
	if todo&fightRest != 0 {
		w.runEffects(e)
	}
}

// fire runs the weapons of one unit: wind up, shoot, cool down. It changes e alone, and
// returns which weapons shoot, a bit for each. No possible target moves or disappears in
// this phase.
func (w *World) fire(e *Entity) (shots uint8) {
	for i := range w.rules.Types[e.typ].Weapons {
		a := &e.arms[i]
		if a.target == 0 && !a.ground {
			a.firing = false
			continue
		}
		at, target := a.point, w.find(a.target)
		if !a.ground {
			if target == nil || target.dying || !w.inRange(e, i, target) {
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
		rate := &w.rt.weapons[w.WeaponOf(e, i)]
		if a.wind == 0 && w.tick+grid.Tick(rate.windUp) >= a.ready {
			// The player's lag is first taken off the wind-up.
			saved := min(grid.Ticks(a.lag), rate.windUp)
			a.lag -= uint8(saved)
			a.wind, a.rest = max(w.tick+grid.Tick(rate.windUp-saved), a.ready), 0
		}
		if a.wind == 0 || w.tick < a.wind {
			continue
		}
		a.trigger(w, e, rate)
		e.lastShot = w.tick
		shots |= 1 << i
	}
	return shots
}

// shoot fires one shot of e's i-th weapon.
func (w *World) shoot(e *Entity, i int) {
	x, at, target := w.WeaponOf(e, i), e.arms[i].point, w.find(e.arms[i].target)
	if target != nil {
		at = w.nearestOf(e.Pos(), target)
	}
	wp := &w.rules.Weapons[x]
	ev := eventOf(EventShot, e)
	ev.What, ev.To = x, at
	if target != nil {
		ev.Target = target.id
	}
	w.tell(ev)
	h := harm{by: e.id, slot: e.slot, team: e.team, amount: percent(wp.Damage, w.damageOf(e)), weapon: x, level: w.m.Level(e.Tile())}
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
	if w.rt.reveal == 0 || e.dying || to == grid.NoTeam || e.viewers.Has(to) || e.revealedTo.Has(to) && w.tick < e.revealed {
		return
	}
	if w.tick >= e.revealed {
		e.revealedTo = 0
	}
	e.revealedTo = e.revealedTo.With(to)
	e.revealed = w.tick + grid.Tick(w.rt.reveal)
	w.eyes.Add(to, visibility.Source{Tile: e.Tile(), Flyer: true, Until: e.revealed})
}
