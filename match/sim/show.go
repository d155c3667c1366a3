package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// The methods with which match/view builds the players' frames. They do not change the
// world.

// Speed returns a type's full speed in 1/64 WU per tick; for a projectile, the speed of the
// fastest weapon that fires it.
func (w *World) Speed(typ uint16) int32 {
	if s := w.rt.types[typ].speed; s != 0 || w.rules.Types[typ].Class != rules.ClassProjectile {
		return s
	}
	s := int32(0)
	for i := range w.rules.Weapons {
		if w.rules.Weapons[i].Look == typ {
			s = max(s, w.rt.weapons[i].speed)
		}
	}
	return s
}

// Mode returns the name of the match's mode.
func (w *World) Mode() string { return w.mode.Name() }

// TimeLimit returns the first tick at which the time limit ends the match, 0: no limit.
func (w *World) TimeLimit() grid.Tick {
	return grid.Tick((int64(w.opts.TimeLimitMs)*int64(w.rate) + 999) / 1000)
}

// ScoreLimit returns the team score that ends the match; 0: no limit.
func (w *World) ScoreLimit() int32 { return w.opts.ScoreLimit }

// BuildTicks returns how long making one of a type takes.
func (w *World) BuildTicks(typ uint16) grid.Ticks { return w.rt.types[typ].build }

// WeaponTicks returns the time between two shots of a weapon that goes on firing, for one
// with bursts between two shots of a burst.
func (w *World) WeaponTicks(weapon uint8) grid.Ticks {
	if rate := &w.rt.weapons[weapon]; rate.burst > 1 {
		return rate.burstEvery
	}
	return w.Cooldown(weapon)
}

// Cooldown returns the time from a shot or the last shot of a burst to the next. The wind-up
// begins a tick after the shot before, at the earliest.
func (w *World) Cooldown(weapon uint8) grid.Ticks {
	rate := &w.rt.weapons[weapon]
	if rate.windUp == 0 {
		return rate.cooldown
	}
	return max(rate.cooldown, rate.windUp+1)
}

// WindUp returns the time from aiming a weapon to its first shot.
func (w *World) WindUp(weapon uint8) grid.Ticks { return w.rt.weapons[weapon].windUp }

// ShotSpeed returns the speed of a weapon's projectiles, in 1/64 WU a tick; 0: the
// weapon hits at once.
func (w *World) ShotSpeed(weapon uint8) int32 { return w.rt.weapons[weapon].speed }

// Turn returns how far a unit or structure of a type turns in a tick, in 256ths of
// a turn.
func (w *World) Turn(typ uint16) uint8 { return w.rt.types[typ].turn }

// LagMax returns the most lag of a player that is compensated.
func (w *World) LagMax() grid.Ticks { return w.rt.lagMax }

// AbilityTicks returns the time before an ability can start again.
func (w *World) AbilityTicks(ability uint8) grid.Ticks { return w.rt.abilities[ability].cooldown }

// AbilityNeeds returns an ability's target mode and whether an order can stop it; no order
// starts a passive ability.
func (w *World) AbilityNeeds(ability uint8) (aim uint8, lasting, passive bool) {
	in := w.rt.abilities[ability].kind.info()
	return uint8(in.aim), in.lasting, in.passive
}

// EffectTicks returns the duration of an effect, and the interval of its damage.
func (w *World) EffectTicks(effect uint8) (duration, every grid.Ticks) {
	r := &w.rt.effects[effect]
	return r.duration, r.every
}

// EffectChanges returns the changes of an effect to attributes, in the units of a match. They are read-only.
func (w *World) EffectChanges(effect uint8) []rules.AttributeChange {
	return w.rt.effects[effect].changes
}

// AbilityDuration returns how long an ability runs, 0: until it is stopped, or not
// at all.
func (w *World) AbilityDuration(ability uint8) grid.Ticks { return w.rt.abilities[ability].duration }

// Action returns the instance of e's i-th ability, in the order of its type's list.
func (w *World) Action(e *Entity, i int) Action {
	s := &e.acts[i]
	return Action{w.rules.Types[e.typ].Abilities[i], s.on, s.start, s.end, s.ready, s.request, w.grantOf(e, i)}
}

// Lasts reports whether an ability runs beyond the tick in which it starts.
func (w *World) Lasts(ability uint8) bool {
	r := &w.rt.abilities[ability]
	return r.duration > 0 || r.kind.info().lasting
}

// DyingSight returns how long a team still sees with its own destroyed entities.
func (w *World) DyingSight() grid.Ticks { return w.rt.dyingSight }

// ContactTicks returns how long a contact of radar lasts; 0: the ruleset has no radar.
func (w *World) ContactTicks() grid.Ticks {
	if len(w.rules.Signatures) == 0 {
		return 0
	}
	return w.rt.contact
}

// OrdersPerSecond returns how many orders a player may give, sustained.
func (w *World) OrdersPerSecond() int32 { return w.orderRate }

// OrderBurst returns how many orders a player may give at once.
func (w *World) OrderBurst() int32 { return w.burst }

// Raised returns, of a structure under construction, the work done and the
// work it takes.
func (w *World) Raised(e *Entity) (done, total grid.Ticks) {
	return grid.Ticks(e.raised), w.rt.types[e.typ].build
}

// Production returns the queue of a structure, and whether it has one at all.
func (w *World) Production(e *Entity) (Production, bool) {
	if len(w.rules.Types[e.typ].Trains) == 0 {
		return Production{}, false
	}
	p := Production{Queue: e.maker.queue, Done: e.maker.done, HasRally: e.maker.hasRally, Rally: e.maker.rally}
	if len(p.Queue) > 0 {
		p.Total = w.rt.types[p.Queue[0]].build
	}
	return p, true
}

// Running returns the order that a unit carries out now.
func (e *Entity) Running() (Task, bool) {
	if e.queued == 0 {
		return Task{}, false
	}
	return e.tasks[0].shown(), true
}

// HasLeft reports whether the player left for good.
func (w *World) HasLeft(s grid.Slot) bool { return w.players[s].leaver }
