package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
)

// fallen is what went in this step, and who saw it go.
type fallen struct {
	id   grid.EntityID
	seen grid.TeamSet
}

// kill marks an entity as gone; it leaves the world in this tick's deaths.
func (w *World) kill(e *Entity) {
	if e.gone {
		return
	}
	e.gone, w.deaths = true, true
	if int(e.slot) < len(w.players) && e.class != ClassProjectile {
		w.players[e.slot].lost++
	}
}

// bury takes what is gone out of the world, and adds it to the fallen of the
// tick.
func (w *World) bury() {
	if !w.deaths {
		return
	}
	w.deaths = false
	kept := w.all[:0]
	for _, e := range w.all {
		if !e.gone {
			kept = append(kept, e)
			continue
		}
		w.remove(e)
	}
	clear(w.all[len(kept):])
	w.all = kept
	w.pool = append(w.pool, w.dead...)
	w.dead = w.dead[:0]
}

func (w *World) remove(e *Entity) {
	// Who sees the place now sees it go. It may have stepped out of sight in
	// this very tick. What is cloaked dies cloaked.
	e.seen = w.sightOf(e)
	for i := range w.rules.Types[e.typ].Abilities {
		if e.acts[i].on {
			w.stop(e, i)
		}
	}
	w.fallen = append(w.fallen, fallen{e.id, e.seen})
	if e.class != ClassProjectile {
		ev := eventOf(EventDied, e)
		ev.Seen = e.seen
		w.tell(ev)
	}
	w.forget(e)
	if e.class == ClassStructure {
		w.occupy(e, false)
		w.unqueueAll(e)
	}
	if e.source != 0 {
		if w.rt.dyingSight > 0 {
			w.eyes.Expire(e.source, w.tick+grid.Tick(w.rt.dyingSight))
		} else {
			w.eyes.Remove(e.source)
		}
	}
	if e.class != ClassProjectile {
		w.count(e, -1)
	}
	w.index[indexOf(e.id.Slot())][e.id.Counter()] = nil
	w.dead = append(w.dead, e)
}
