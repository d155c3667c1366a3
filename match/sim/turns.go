package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// turns is scratch for the calls of registered abilities and effects, not state.
type turns struct {
	callers []*Entity
	lent    uint32 // odd while a function is called; it counts the calls
	of      turnOf
	done    [grid.SlotsMax]done // in this tick
	moved   []*Entity           // by calls of this tick: w.near has them where they were
	found   []*Entity           // by a search
}

// turnOf is whose call it is.
type turnOf struct {
	e       *Entity
	slot    grid.Slot // for which it acts
	team    grid.Team
	params  rules.Params
	ability int   // the place among e's; -1: an effect
	effect  uint8 // the ruleset's number
	deeds   done  // in this call
}

// done counts the acts of registered kinds.
type done struct{ acts, spawns, reveals int }

// runTurns calls the functions of registered kinds, for every entity with such a kind. No
// other function calls them. It goes by places and looks, never by ids: a call sees the
// changes of the calls before it, and ids tell which entity was made first.
func (w *World) runTurns() {
	if !w.rt.turns {
		return
	}
	t := &w.turns
	t.callers, t.moved, t.done = t.callers[:0], t.moved[:0], [grid.SlotsMax]done{}
	for _, e := range w.all {
		if !e.gone && !e.unbuilt && int(e.slot) < len(w.players) && (e.custom != nil || w.hasOwnEffect(e)) {
			t.callers = append(t.callers, e)
		}
	}
	slices.SortStableFunc(t.callers, CompareLooks)
	for _, e := range t.callers {
		for i := range e.custom {
			if !e.gone {
				w.abilityTurn(e, i)
			}
		}
		if len(e.effects) > 0 && !e.gone {
			w.effectTurns(e)
		}
	}
	clear(t.callers)
	clear(t.moved)
	clear(t.found)
	t.of = turnOf{}
}

func (w *World) hasOwnEffect(e *Entity) bool {
	for i := range e.effects {
		if w.rt.effects[e.effects[i].kind].custom != nil {
			return true
		}
	}
	return false
}

// abilityTurn makes the calls that are due for e's i-th ability.
func (w *World) abilityTurn(e *Entity, i int) {
	def, rate := w.def(e, i)
	code, ok := rate.kind.(ownAbility)
	if !ok {
		return
	}
	act, own := &e.acts[i], &e.custom[i]
	of := turnOf{e: e, slot: e.slot, team: e.team, params: def.Params, ability: i}
	if code.Passive && !act.on && w.tick >= act.ready && w.canSpend(e, def) && w.grantOf(e, i).Allows() {
		ready := false
		w.call(of, func(u UnitWorld) { ready = code.Ready(u) })
		if ready {
			w.start(e, i, 0, e.Pos(), nil)
		}
	}
	switch {
	case own.begins:
		if own.begins = false; own.runs { // it was stopped and started in one tick
			w.call(of, code.Stop)
		}
		own.runs = act.on
		w.call(of, code.Start)
	case act.on && own.runs:
		w.call(of, code.Tick)
	}
	if own.runs && !act.on {
		own.runs = false
		w.call(of, code.Stop)
	}
}

// effectTurns makes the calls that are due for e's effects, and ends the expired effects.
// It goes by their kinds and players, not by their beginnings.
func (w *World) effectTurns(e *Entity) {
	var due [rules.UnitEffectsMax + rules.LastingMax]effect
	n := copy(due[:], e.effects)
	slices.SortFunc(due[:n], func(a, b effect) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.slot, b.slot))
	})
	for _, d := range due[:n] {
		rate := &w.rt.effects[d.kind]
		x := e.effectOf(d.kind, d.slot)
		if rate.custom == nil || x == nil {
			continue
		}
		of := turnOf{e: e, slot: d.slot, team: w.players[d.slot].team, params: w.rules.Effects[d.kind].Params, ability: -1, effect: d.kind}
		if !x.custom.begun {
			x.custom.begun, x.custom.heals = true, w.tick+grid.Tick(w.rate)
			w.call(of, rate.custom.Begin)
		}
		if x = e.effectOf(d.kind, d.slot); w.tick >= x.next {
			x.next = w.tick + grid.Tick(rate.every)
			w.call(of, rate.custom.Tick)
		}
		if x = e.effectOf(d.kind, d.slot); rate.regen > 0 && w.tick >= x.custom.heals {
			x.custom.heals = w.tick + grid.Tick(w.rate)
			w.heal(e, rate.regen*int32(x.custom.count))
		}
		if w.tick >= x.until {
			w.call(of, rate.custom.End)
			at := slices.IndexFunc(e.effects, func(x effect) bool { return x.kind == d.kind && x.slot == d.slot })
			e.effects = slices.Delete(e.effects, at, at+1)
		}
	}
}

// effectOf returns the player's effect on e with that kind, or nil.
func (e *Entity) effectOf(kind uint8, slot grid.Slot) *effect {
	for i := range e.effects {
		if x := &e.effects[i]; x.kind == kind && x.slot == slot {
			return x
		}
	}
	return nil
}

// call lends the world for one call.
func (w *World) call(of turnOf, f func(UnitWorld)) {
	if f == nil {
		return
	}
	w.turns.of = of
	w.turns.lent++
	defer func() { w.turns.lent++ }()
	f(UnitWorld{w, w.turns.lent})
}

// heal gives a unit or a finished structure health, up to the most that it can have.
func (w *World) heal(e *Entity, amount int32) {
	w.setHealth(e, int32(min(int64(e.hp)+int64(amount), 1<<31-1)))
}
