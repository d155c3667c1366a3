package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/visibility"
)

// A team hears the sounds of things that it does not see: their class, and the cell of the
// map that they come from. Cell and class alone decide whether a sound is heard. With the
// exact place of the source, the edge of a listener's circle would tell more than the cell.

// TraceCell is the side in tiles of the cells of the map that place sounds and contacts.
const TraceCell = 8

// HeardMax bounds the sounds that a team hears in one tick. The others are heard in the
// ticks after it, if they last.
const HeardMax = 32

// Trace is the class and the coarse place of something that a team does not see: a sound, or a contact of its radar.
type Trace struct {
	Class uint8
	Cell  grid.Tile // column and row of cells
}

func (a Trace) compare(b Trace) int {
	return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Cell.Y, b.Cell.Y), cmp.Compare(a.Cell.X, b.Cell.X))
}

// traceAt returns the trace of something at a tile.
func traceAt(class uint8, t grid.Tile) Trace {
	return Trace{class, grid.Tile{X: t.X / TraceCell, Y: t.Y / TraceCell}}
}

// Middle returns the middle of the trace's cell, on a map of the given size in tiles.
func (a Trace) Middle(w, h int) grid.Tile {
	return a.middle(1, w, h)
}

// middle returns the middle of the block of so many cells by so many that begins with the trace's cell.
func (a Trace) middle(side, w, h int) grid.Tile {
	half := side * TraceCell / 2
	return grid.Tile{X: int16(min(w-1, int(a.Cell.X)*TraceCell+half)), Y: int16(min(h-1, int(a.Cell.Y)*TraceCell+half))}
}

// sound is a sound of this step.
type sound struct {
	Trace
	radius  grid.Dist
	viewers grid.TeamSet // teams that see its source
}

// echo is a sound that a team has heard, and does not hear again before a tick.
type echo struct {
	Trace
	end grid.Tick
}

// Heard returns the sounds that the team heard in the last step, sorted by class and cell.
func (k *Knowledge) Heard() []Trace { return k.sounds }

// hear gathers the sounds of the step, and finds the teams that hear them. It runs after
// all else, when it is known which teams see which source.
func (w *World) hear() {
	if len(w.rules.Sounds) == 0 {
		return
	}
	w.sounds = w.sounds[:0]
	if w.result == nil {
		w.gatherSounds()
	}
	slices.SortFunc(w.sounds, func(a, b sound) int {
		return cmp.Or(a.compare(b.Trace), cmp.Compare(b.radius, a.radius), cmp.Compare(a.viewers, b.viewers))
	})
	w.sounds = slices.Compact(w.sounds)
	for i := range w.teams {
		w.teams[i].listen(w)
	}
}

func (w *World) gatherSounds() {
	for i := range w.events {
		e := &w.events[i]
		s := rules.Sound{}
		switch {
		case e.Kind == EventShot:
			s = w.rules.Weapons[e.What].Sound
		case e.Kind == EventAction && e.On:
			s = w.rules.Abilities[e.What].Sound
		}
		if s.Radius == 0 || w.rules.Types[e.Type].Relevance == rules.RelevantToOwner {
			continue
		}
		if source := w.find(e.Source); source != nil {
			w.sounds = append(w.sounds, soundAt(s, e.At, source.viewers))
		} else {
			w.sounds = append(w.sounds, soundAt(s, e.At, w.SeenDie(e.Source)))
		}
	}
	for _, e := range w.all {
		if s := w.rules.Types[e.typ].Sound; s.Radius > 0 && (e.vx != 0 || e.vy != 0) {
			w.sounds = append(w.sounds, soundAt(s, e.Pos(), e.viewers))
		}
	}
}

func soundAt(s rules.Sound, at grid.Pos, seen grid.TeamSet) sound {
	return sound{traceAt(s.Class, at.Tile()), s.Radius, seen}
}

// listen finds the sounds of the step that the team hears: one of a class and cell each
// second.
func (k *Knowledge) listen(w *World) {
	k.sounds = k.sounds[:0]
	k.echoes = slices.DeleteFunc(k.echoes, func(e echo) bool { return e.end <= w.tick })
	for i := range w.sounds {
		s := &w.sounds[i]
		if s.viewers.Has(k.team) {
			continue
		}
		at, again := slices.BinarySearchFunc(k.echoes, s.Trace, func(e echo, h Trace) int { return e.compare(h) })
		if again || !w.audible(k.team, s) {
			continue
		}
		if len(k.sounds) == HeardMax {
			return
		}
		k.echoes = slices.Insert(k.echoes, at, echo{s.Trace, w.tick + grid.Tick(w.rate)})
		k.sounds = append(k.sounds, s.Trace)
	}
}

// audible reports whether a unit or structure of the team is near enough to hear a sound.
// Ground between the two that is higher than both halves the radius.
func (w *World) audible(t grid.Team, s *sound) bool {
	from := s.Middle(w.m.W, w.m.H)
	for _, e := range w.all {
		if e.team != t || e.class > rules.ClassStructure || e.unbuilt || !e.Pos().Within(from.Center(), s.radius) {
			continue
		}
		if e.Pos().Within(from.Center(), s.radius/2) || !w.behindRidge(from, e.Tile()) {
			return true
		}
	}
	return false
}

// behindRidge reports whether ground between two tiles is higher than both.
func (w *World) behindRidge(a, b grid.Tile) bool {
	top := max(w.m.Level(a), w.m.Level(b))
	return slices.ContainsFunc(visibility.Line(a, b), func(t grid.Tile) bool { return w.m.Level(t) > top })
}

// hearingState are the sounds that teams have just heard, of rulesets with sounds.
func (w *World) hearingState(a *archive.Archive) {
	if len(w.rules.Sounds) == 0 {
		return
	}
	for i := range w.teams {
		archive.List(a, &w.teams[i].echoes, 4, func(e *echo) {
			a.U8(&e.Class)
			saveTile(a, &e.Cell)
			archive.Word(a, &e.end)
		})
	}
}
