package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// NoWeapon marks damage that no weapon did.
const NoWeapon = 0xFF

// harm is damage before armour and high ground are taken into account.
type harm struct {
	by     grid.EntityID
	slot   grid.Slot
	team   grid.Team
	amount int32
	weapon uint8
	level  grid.Level // where it was fired from
}

// hit is damage to one entity. It is dealt at the end of the phase.
type hit struct {
	victim *Entity
	harm
}

// Harm is damage that was dealt, after armour, high ground and effects.
type Harm struct {
	By     grid.Slot // whose it was
	Weapon uint8     // that did it; NoWeapon: an ability or an effect
	Victim *Entity
	Amount int32 // shield and health that it took
	Killed bool
}

// The world calls HarmHook with each harm as it is dealt. It must not touch the world.
type HarmHook func(Harm)

// OnHarm sets the hook, for measuring; nil removes it. It is no part of the state.
func (w *World) OnHarm(h HarmHook) { w.harms = h }

// hurt notes damage to an entity. Armour and high ground are taken into account
// here.
func (w *World) hurt(v *Entity, h harm) {
	if v.class > rules.ClassStructure || v.dying || h.amount <= 0 {
		return
	}
	if v.team == grid.NoTeam && !w.rules.Types[v.typ].Feature.Breakable {
		return // an entity without an owner takes no harm
	}
	if int(h.slot) < len(w.players) {
		h.amount = max(1, percent(h.amount, w.players[h.slot].handicap.Damage))
	}
	if h.weapon != NoWeapon {
		h.amount = percent(h.amount, w.rules.Weapons[h.weapon].Against(w.rules.Types[v.typ].Armour))
		flies := v.class == rules.ClassUnit && w.rules.Types[v.typ].Move == grid.Air
		if !flies && w.m.Level(v.Tile()) > h.level {
			h.amount = percent(h.amount, w.rules.Settings.HighGround)
		}
		h.amount = max(1, h.amount)
	}
	if len(v.effects) > 0 {
		h.amount = max(1, percent(h.amount, w.takenOf(v)))
	}
	w.hits = append(w.hits, hit{v, h})
}

// hurtArea notes damage to everything within r of a place: full damage in the middle, edge
// percent at the rim. own says whether it hurts the team's own entities.
func (w *World) hurtArea(at grid.Pos, r grid.Dist, h harm, edge int32, own bool) {
	w.foes = w.near.targets(w.foes[:0], at, r+grid.WUPerTile)
	for _, v := range w.foes {
		if v.dying || !own && v.team == h.team {
			continue
		}
		if v.class == rules.ClassUnit && h.weapon != NoWeapon && !w.weaponHits(h.weapon, &w.rules.Types[v.typ]) {
			continue
		}
		if !w.gapWithin(at, v, 0, r) {
			continue
		}
		gap := w.gap(at, v)
		part := h
		part.amount = percent(h.amount, 100-(100-edge)*int32(gap)/int32(max(r, 1)))
		w.hurt(v, part)
	}
}

// deal applies the damage of the tick, first to shields. No other function lowers health.
func (w *World) deal() {
	for i := 0; i < len(w.hits); i++ { // reactions may add to the list
		h := &w.hits[i]
		v := h.victim
		if v.dying {
			continue
		}
		left := v.hp + v.shield/1000
		if w.harms != nil {
			w.harms(Harm{h.slot, h.weapon, v, min(h.amount, left), h.amount >= left})
		}
		w.setHealth(v, v.hp-w.absorb(v, h.amount))
		w.hurtValues(v, h.amount)
		w.noteFeat(v, &h.harm, left)
		w.wounded(v, h.slot)
		v.lastHit = w.tick
		ev := Event{Kind: EventHit, What: h.weapon, Type: v.typ, Slot: v.slot, Source: v.id, At: v.Pos()}
		w.events = append(w.events, ev)
		if h.weapon != NoWeapon && w.rules.Weapons[h.weapon].Effect >= 0 {
			w.addEffect(v, uint8(w.rules.Weapons[h.weapon].Effect), h.slot, h.by)
		}
		if v.hp <= 0 {
			w.credit(v, h.slot)
			w.kill(v)
			w.shipwreck(v, h.slot)
			w.collapse(v, h.slot)
			w.leaveWreck(v)
			continue
		}
		w.react(v, deedTaken, h.harm)
	}
	clear(w.hits)
	w.hits = w.hits[:0]
}

// setHealth is the only way to change health. It updates the change counter.
func (w *World) setHealth(e *Entity, hp int32) {
	most, _, _ := w.Most(e)
	hp = max(0, min(hp, most))
	if hp != e.hp {
		e.hp, e.hpMoves = hp, e.hpMoves+1
	}
}

// setShield is the only way to change a shield, in thousandths. Its change counter counts
// changes of whole points: clients get those.
func (w *World) setShield(e *Entity, shield int32) {
	_, most, _ := w.Most(e)
	shield = max(0, min(shield, 1000*most))
	if shield/1000 != e.shield/1000 {
		e.shieldMoves++
	}
	e.shield = shield
}

// absorb takes damage from the shield of v, and returns the rest, for health.
func (w *World) absorb(v *Entity, amount int32) int32 {
	part := min(amount, v.shield/1000)
	if part > 0 {
		w.setShield(v, v.shield-1000*part)
	}
	return amount - part
}

// chargeShield lets the shield of e come back, a step at a time, once it has taken no
// damage for a while.
func (w *World) chargeShield(e *Entity, most int32) {
	rate := &w.rt.types[e.typ].shield
	if e.shield >= 1000*most || e.unbuilt {
		return
	}
	calm := grid.Ticks(w.tick - e.lastHit)
	if calm > rate.delay && (calm-rate.delay)%rate.every == 0 {
		w.setShield(e, e.shield+rate.step)
	}
}

// credit notes the destroyer of v, and counts v if it was an enemy's. The score that a player sees counts only the
// deaths that its team saw (see judgeDeaths). Otherwise the score would tell the effect of a shell fired into the fog.
func (w *World) credit(v *Entity, by grid.Slot) {
	by, assists := w.creditsOf(v, by)
	if int(by) >= len(w.players) {
		return
	}
	if v.team == grid.NoTeam {
		assists = 0
	}
	w.credits = append(w.credits, credited{v, by, assists})
	w.assist(v, assists)
	if p := &w.players[by]; v.team != p.team && v.team != grid.NoTeam {
		p.kills++
		p.score += w.rules.Types[v.typ].Score
	}
}
