package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// bands cuts the entities into parts in which those that a step has something to do
// with are looked for side by side. Each band only reads the world and writes to its
// own list, or to what of its own entities nobody else reads in that phase. What is done
// with those that were found is done by one goroutine, in the order of their ids or of
// their slots' turns, so it does not matter who looked.
type bands struct {
	run  grid.Runner
	w    *World
	what bandQuestion
	one  func(i int) // lookThrough, which is made once
	list [bandCount][]*Entity
	foes [bandCount][]*Entity // scratch
	all  bool                 // in tests: nobody's turn is left out
}

// bandCount is how many bands there are.
const bandCount = 16

// bandQuestion is what is looked for.
type bandQuestion uint8

const (
	bandMoved  bandQuestion = iota // those whose eye is on another tile than they are
	bandDriven                     // the same, once the world's driver has moved them
	bandTurned                     // those whose sight by the teams may have changed
	bandLost                       // those that have lost a target from sight

	// What each has to do in a phase that visits them in turns (World.lookForTurns).
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

// find looks for entities. What it found is in list, by band, until it looks again.
func (b *bands) find(w *World, what bandQuestion, run grid.Runner) {
	if b.one == nil {
		b.one = b.lookThrough
	}
	b.w, b.what = w, what
	run.Run(bandCount, b.one)
}

// lookForTurns begins a phase that visits the entities in turns. With a runner, those
// that have something to do are looked for at once. Without one, each is looked at in its
// turn: to load all of them twice would cost more than the rest.
func (w *World) lookForTurns(what bandQuestion) {
	w.busy = sized(w.busy, len(w.all))
	if what == bandThinks {
		w.choices = sized(w.choices, len(w.all))
	}
	if w.bands.run != nil {
		w.bands.find(w, what, w.bands.run)
	}
}

// todoAt returns what the i-th entity has to do in its turn of the phase, 0: nothing.
func (w *World) todoAt(what bandQuestion, i int) uint8 {
	if w.bands.run == nil {
		return w.todo(what, i, &w.foes)
	}
	return w.busy[i]
}

// todo does what the i-th entity does by itself alone, and returns what it has to do
// besides.
func (w *World) todo(what bandQuestion, i int, foes *[]*Entity) uint8 {
	e, busy := w.all[i], false
	switch what {
	case bandWorks:
		busy = w.works(e)
	case bandThinks:
		c := &w.choices[i]
		if busy = w.thinks(e, c, foes); !busy && w.bands.all {
			c.made, busy = false, e.class <= rules.ClassStructure
		}
	case bandMoves:
		busy = w.moves(e) || w.bands.all && e.class == rules.ClassUnit && !e.gone
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
	if b.what >= bandWorks {
		for at := from; at < to; at++ {
			w.busy[at] = w.todo(b.what, at, &b.foes[i])
		}
		return
	}
	switch b.what {
	case bandLost:
		for _, e := range all {
			if w.losesTarget(e) {
				list = append(list, e)
			}
		}
	case bandMoved, bandDriven:
		for _, e := range all {
			if b.what == bandDriven && e.class == rules.ClassUnit {
				w.driveUnit(e)
			}
			if e.Tile() != e.eyeAt && e.source != 0 {
				list = append(list, e)
			}
		}
	case bandTurned:
		for _, e := range all {
			if e.class == rules.ClassUnit && !e.cloaked && e.born != w.tick && w.eyes.TeamsSeeing(e.Tile()).With(e.team) == e.seen {
				continue // most of them, most of the time
			}
			list = append(list, e)
		}
	}
	b.list[i] = list
}

// sized returns a list of n, with what it had.
func sized[T any](list []T, n int) []T { return slices.Grow(list[:0], n)[:n] }

// placeOf returns the place of e in all.
func (w *World) placeOf(e *Entity) int {
	at, _ := slices.BinarySearchFunc(w.all, e.id, func(o *Entity, id grid.EntityID) int { return cmp.Compare(o.id, id) })
	return at
}
