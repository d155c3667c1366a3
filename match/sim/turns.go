package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/script"
	"github.com/fogkeep/fogkeep/orders"
)

// scripted is the code of an ability with a script. The world's own phases only note the events: [World.runTurns] calls
// the script.
type scripted struct {
	idle
	*rules.AbilityScript
	every grid.Tick // between two calls for "tick", and for "ready"
}

func (s scripted) info() abilityInfo {
	return abilityInfo{aim: orders.TargetMode(s.Aim), lasting: s.Lasting, passive: s.Passive, rooted: s.Rooted}
}

func (scripted) start(_ *World, e *Entity, i int) { e.acts[i].begins = true }

// turns is scratch for the calls of the scripts of abilities and effects, not state.
type turns struct {
	callers []*Entity
	of      turn
	done    [grid.SlotsMax]done // in this tick
	moved   []*Entity           // by calls of this tick: w.near has them where they were
	found   []*Entity           // by a search
	units   []scriptUnit        // that the present call has read by searches
	lists   []script.Value      // of them, as the searches returned them
	args    [1]script.Value     // of the present call
}

// values returns entities as values, in room that later calls use again: no value outlives its call.
func (t *turns) values(of *turn, found []*Entity) []script.Value {
	first := len(t.lists)
	t.units, t.lists = slices.Grow(t.units, len(found)), slices.Grow(t.lists, len(found))
	for _, e := range found {
		t.units = append(t.units, scriptUnit{w: of.w, e: e, team: of.team})
		t.lists = append(t.lists, t.units[len(t.units)-1].value())
	}
	return t.lists[first:len(t.lists):len(t.lists)]
}

// done counts the acts of scripts.
type done struct{ acts, spawns, reveals int }

// runTurns calls the scripts of abilities and effects, for every entity with one. No other function calls them. It goes by
// places and looks, never by ids: a call sees the changes of the calls before it, and ids tell which entity was made first.
func (w *World) runTurns() {
	if !w.rt.turns {
		return
	}
	t := &w.turns
	t.callers, t.moved, t.done = t.callers[:0], t.moved[:0], [grid.SlotsMax]done{}
	for _, e := range w.all {
		if (w.rt.types[e.typ].scripted || len(e.effects) > 0 && w.hasScript(e)) && !e.dying && !e.unbuilt && int(e.slot) < len(w.players) {
			t.callers = append(t.callers, e)
		}
	}
	slices.SortStableFunc(t.callers, CompareLooks)
	for _, e := range t.callers {
		if w.rt.types[e.typ].scripted {
			for i := range w.rules.Types[e.typ].Abilities {
				if !e.dying {
					w.abilityTurn(e, i)
				}
			}
		}
		if len(e.effects) > 0 && !e.dying {
			w.effectTurns(e)
		}
	}
	clear(t.callers)
	clear(t.moved)
	clear(t.found)
	clear(t.units)
	clear(t.lists)
	t.of = turn{}
}

// hasScript reports whether an effect on e has a script.
func (w *World) hasScript(e *Entity) bool {
	return slices.ContainsFunc(e.effects, func(x effect) bool { return w.rules.Effects[x.kind].Script != nil })
}

// abilityTurn makes the calls that are due for e's i-th ability.
func (w *World) abilityTurn(e *Entity, i int) {
	def, rate := w.def(e, i)
	code, ok := rate.kind.(scripted)
	if !ok {
		return
	}
	act, of := &e.acts[i], turn{e: e, slot: e.slot, team: e.team, ability: i}
	if code.Passive && !act.on && w.tick >= act.ready && w.canSpend(e, def) && w.grantOf(e, i).Allows() && w.isReady(&of, &code) {
		w.start(e, i, 0, e.Pos(), nil)
	}
	switch {
	case act.begins:
		if act.begins = false; act.runs { // it was stopped and started in one tick
			w.call(of, code.Program, "stop")
		}
		act.runs = act.on
		w.call(of, code.Program, "start")
	case act.on && act.runs && (w.tick-act.start)%code.every == 0:
		w.call(of, code.Program, "tick")
	}
	if act.runs && !act.on {
		act.runs = false
		w.call(of, code.Program, "stop")
	}
}

// isReady asks a passive ability whether it starts.
func (w *World) isReady(of *turn, code *scripted) bool {
	p := code.Program
	if !p.Handles("ready") {
		return true
	}
	if w.tick%code.every != 0 || !w.mayCall(p, "ready") {
		return false
	}
	yes, steps, fault := p.Ask(&w.scripts.thread, "ready", w.take(*of)...)
	return w.scriptCalled(steps, fault) && yes
}

// effectTurns makes the calls that are due for e's effects, and ends the expired effects.
// It goes by their kinds and players, not by their beginnings.
func (w *World) effectTurns(e *Entity) {
	var due [rules.UnitEffectsMax + rules.LastingMax]effect
	n := 0
	for _, x := range e.effects {
		if w.rules.Effects[x.kind].Script != nil {
			due[n] = x
			n++
		}
	}
	slices.SortFunc(due[:n], func(a, b effect) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.slot, b.slot))
	})
	for _, d := range due[:n] {
		p, x := w.rules.Effects[d.kind].Script, e.effectOf(d.kind, d.slot)
		if x == nil {
			continue
		}
		of := turn{e: e, slot: d.slot, team: w.players[d.slot].team, ability: -1, effect: d.kind}
		if !x.begun {
			x.begun = true
			w.call(of, p, "start")
		}
		if x = e.effectOf(d.kind, d.slot); w.tick >= x.next {
			x.next = w.tick + grid.Tick(w.rt.effects[d.kind].every)
			w.call(of, p, "tick")
		}
		if x = e.effectOf(d.kind, d.slot); w.tick >= x.end {
			w.call(of, p, "stop")
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

// scriptState is the part of an entity's state that only entities with scripts and declared values have.
func (w *World) scriptState(a *archive.Archive, e *Entity) {
	if int(e.typ) >= len(w.rt.types) {
		return // reindex refuses it
	}
	if w.rt.types[e.typ].scripted {
		for i := range e.acts {
			a.Flag(&e.acts[i].begins)
			a.Flag(&e.acts[i].runs)
		}
	}
	for i := range e.effects {
		if x := &e.effects[i]; int(x.kind) < len(w.rules.Effects) && w.rules.Effects[x.kind].Script != nil {
			a.Flag(&x.begun)
			a.U8(&x.count)
		}
	}
	w.valuesState(a, e)
}

// take makes of the present call, and returns it as the argument of a script.
func (w *World) take(of turn) []script.Value {
	t := &w.turns.of
	*t = of
	w.turns.units, w.turns.lists = w.turns.units[:0], w.turns.lists[:0]
	t.w, t.object = w, script.Object{Kind: "ability", Host: t}
	w.turns.args[0] = &t.object
	return w.turns.args[:]
}

// call calls the handler of an event, and then carries out its effects, if each names a thing that exists.
func (w *World) call(of turn, p *script.Program, event string) {
	if !p.Handles(event) || !w.mayCall(p, event) {
		return
	}
	effects, steps, fault := p.Call(&w.scripts.thread, event, w.take(of)...)
	for _, e := range effects {
		if _, err := w.named(e); err != nil {
			fault = p.Wrong(event, err)
			break
		}
	}
	if w.scriptCalled(steps, fault) {
		for _, e := range effects {
			w.turns.of.carryOut(e)
		}
	}
}

// heal gives a unit or a finished structure health, up to the most that it can have.
func (w *World) heal(e *Entity, amount int32) {
	w.setHealth(e, int32(min(int64(e.hp)+int64(amount), 1<<31-1)))
}
