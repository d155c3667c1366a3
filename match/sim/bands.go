package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// bands cuts the entities into parts, in which goroutines search side by side for the
// entities with work in a step. Each band only reads the world, and writes to its own
// list or to fields of its own entities that no other band reads in that phase. One
// goroutine then does the work, in the order of ids or of the slots' turns, so the
// result does not depend on which goroutine searched.
type bands struct {
	run      grid.Runner
	w        *World
	question bandQuestion
	one      func(i int) // lookThrough, which is made once
	list     [bandCount][]*Entity
	foes     [bandCount][]*Entity // scratch
	all      bool                 // in tests: no turn is left out
}

// bandCount is how many bands there are.
const bandCount = 16

// bandQuestion selects the entities to search for.
type bandQuestion uint8

const (
	bandMoved  bandQuestion = iota // their eye is on another tile than they are
	bandDriven                     // the same, once the world's driver has moved them
	bandTurned                     // the teams that see them may have changed
	bandLost                       // they have lost a target from sight

	// The work of each entity in a phase that visits them in turns (World.lookForTurns).
	bandWorks
	bandThinks
	bandMoves
	bandFights
)

// SetRunner lets parts of a step be computed side by side; nil: one after the other.
// It may change between two steps. The state does not depend on it.
func (w *World) SetRunner(r grid.Runner) {
	w.bands.run = r
	w.eyes.SetRunner(r)
}

// find looks for entities. The result is in list, by band, until the next search.
func (b *bands) find(w *World, question bandQuestion, run grid.Runner) {
	if b.one == nil {
		b.one = b.lookThrough
	}
	b.w, b.question = w, question
	run.Run(bandCount, b.one)
}

// lookForTurns begins a phase that visits the entities in turns. With a runner, it
// searches for all entities with work at once. Without a runner, it looks at each
// entity in its turn: to load all entities twice would cost more than it saves.
func (w *World) lookForTurns(question bandQuestion) {
	w.busy = sized(w.busy, len(w.all))
	if question == bandThinks {
		w.choices = sized(w.choices, len(w.all))
	}
	if w.bands.run != nil {
		w.bands.find(w, question, w.bands.run)
	}
}

// todoAt returns the work of the i-th entity in its turn of the phase; 0: no work.
func (w *World) todoAt(question bandQuestion, i int) uint8 {
	if w.bands.run == nil {
		return w.todo(question, i, &w.foes)
	}
	return w.busy[i]
}

// todo does the part of the i-th entity's work that concerns it alone, and returns the
// rest.
func (w *World) todo(question bandQuestion, i int, foes *[]*Entity) uint8 {
	e, busy := w.all[i], false
	switch question {
	case bandWorks:
		busy = w.works(e)
	case bandThinks:
		c := &w.choices[i]
		if busy = w.thinks(e, c, foes); !busy && w.bands.all {
			c.decision, busy = false, e.class <= rules.ClassStructure
		}
	case bandMoves:
		busy = w.moves(e) || w.bands.all && e.class == rules.ClassUnit && !e.dying
	case bandFights:
		return w.fights(e)
	}
	if busy {
		return 1
	}
	return 0
}

// lookThrough looks through one band.
func (b *bands) lookThrough(i int) {
	w, list := b.w, b.list[i][:0]
	from, to := len(w.all)*i/bandCount, len(w.all)*(i+1)/bandCount
	all := w.all[from:to]
	if b.question >= bandWorks {
		for at := from; at < to; at++ {
			w.busy[at] = w.todo(b.question, at, &b.foes[i])
		}
		return
	}
	switch b.question {
	case bandLost:
		for _, e := range all {
			if w.losesTarget(e) {
				list = append(list, e)
			}
		}
	case bandMoved, bandDriven:
		for _, e := range all {
			if b.question == bandDriven && e.class == rules.ClassUnit {
				w.driveUnit(e)
			}
			if e.Tile() != e.eyeAt && e.source != 0 {
				list = append(list, e)
			}
		}
	case bandTurned:
		for _, e := range all {
			if e.class == rules.ClassUnit && !e.cloaked && e.birth != w.tick && w.eyes.TeamsSeeing(e.Tile()).With(e.team) == e.viewers {
				continue // most entities, most of the time
			}
			list = append(list, e)
		}
	}
	b.list[i] = list
}

// sized returns a list of length n that keeps the old elements.
func sized[T any](list []T, n int) []T { return slices.Grow(list[:0], n)[:n] }

// placeOf returns the place in all of the first entity from an id on.
func (w *World) placeOf(id grid.EntityID) int {
	at, _ := slices.BinarySearchFunc(w.all, id, func(o *Entity, id grid.EntityID) int { return cmp.Compare(o.id, id) })
	return at
}
