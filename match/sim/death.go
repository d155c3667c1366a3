package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// fallen is an entity that was removed in this step, and the teams that saw it.
type fallen struct {
	id      grid.EntityID
	viewers grid.TeamSet
}

// credited lists the entities that a player destroyed in this step, of any owner.
type credited struct {
	victim  *Entity
	by      grid.Slot
	assists uint64 // of slots, a bit each
}

// kill marks an entity as gone. This tick's deaths phase removes it from the world.
func (w *World) kill(e *Entity) {
	if e.dying {
		return
	}
	e.dying, w.deaths = true, true
	if int(e.slot) < len(w.players) && e.class != rules.ClassProjectile {
		w.players[e.slot].losses++
	}
}

// removeDead removes the entities that are gone. Which teams saw their end is
// judged later, by the masks of the tick.
func (w *World) removeDead() {
	if !w.deaths {
		return
	}
	w.deaths = false
	kept := w.all[:0]
	for _, e := range w.all {
		if !e.dying {
			kept = append(kept, e)
			continue
		}
		w.remove(e)
	}
	clear(w.all[len(kept):])
	w.all = kept
}

// remove takes an entity out of the world. Its source of sight stays where it was
// in the tick before, for as long as the rules let the dying see.
func (w *World) remove(e *Entity) {
	if e.class == rules.ClassStructure {
		w.occupy(e, false)
		w.unqueueAll(e)
		w.clearSight(e)
	}
	if e.source != 0 {
		if w.rt.dyingSight > 0 {
			w.eyes.Expire(e.source, w.tick+grid.Tick(w.rt.dyingSight))
		} else {
			w.eyes.Remove(e.source)
		}
	}
	if e.class != rules.ClassProjectile {
		w.count(e, -1)
	}
	w.sink(e)
	w.index[indexOf(e.id.Slot())][e.id.Counter()] = nil
	w.dead = append(w.dead, e)
	w.await(e)
}

// judgeDeaths finds out which teams see the deaths of the tick: the teams whose masks of
// this tick show the place. It runs after the masks are drawn.
func (w *World) judgeDeaths() {
	for _, e := range w.dead {
		before := e.viewers
		e.viewers = w.sightOf(e) // a cloaked entity dies cloaked
		for i := range w.rules.Types[e.typ].Abilities {
			if e.acts[i].on {
				w.stop(e, i)
			}
		}
		w.fallen = append(w.fallen, fallen{e.id, e.viewers})
		if e.class != rules.ClassProjectile {
			ev := eventOf(EventDied, e)
			ev.Seen = before & e.viewers
			ev.By, ev.Assists = w.destroyer(e)
			w.tell(ev)
			w.mourn(e, ev.Seen)
		}
		w.forget(e)
	}
	w.tellSunk()
	for _, c := range w.credits {
		p := &w.players[c.by]
		if c.victim.team != p.team && c.victim.team != grid.NoTeam && c.victim.viewers.Has(p.team) {
			p.shown += w.rules.Types[c.victim.typ].Score
		}
		for s := range w.players {
			if p := &w.players[s]; c.assists>>s&1 != 0 && c.victim.viewers.Has(p.team) {
				p.shown += w.assistScore(c.victim)
			}
		}
	}
	w.credits = w.credits[:0]
}

// destroyer returns the player whose damage destroyed an entity in this step, and the
// assistants. It returns NoSlot for another cause, and for damage without an owner.
func (w *World) destroyer(e *Entity) (by grid.Slot, assists uint64) {
	for _, c := range w.credits {
		if c.victim == e {
			return c.by, c.assists
		}
	}
	return grid.NoSlot, 0
}

// SeenDie returns the teams that saw the entity die in the last step. The set is empty if
// it did not die in that step.
func (w *World) SeenDie(id grid.EntityID) grid.TeamSet {
	for i := range w.fallen {
		if w.fallen[i].id == id {
			return w.fallen[i].viewers
		}
	}
	return 0
}
