package sim

import (
	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility"
)

// Frozen is the state of a world as of one tick, as a copy in memory. [World.Freeze] makes the copy in that tick. To write it
// down takes many times as long, and another goroutine can do it later, in parts. Frozen is reused: it keeps its allocations.
type Frozen struct {
	tick  grid.Tick
	of    *World // for its constant parts
	bands [frozenBands]frozenBand
	teams []frozenTeam
	eyes  visibility.Frozen

	// The small parts are written at once.
	head, due, tail []byte
	paths           []byte // of all players

	next int       // the part that is written next
	part func(int) // freezePart, made once
}

// frozenBands is into how many parts the entities are cut. A team is a part too.
const frozenBands = 16

// frozenBand holds some of the entities. The entities' lists are in lists of the band.
type frozenBand struct {
	lines   []Entity
	details []details
	extras  []extras
	tasks   []task
	effects []effect
	legs    []grid.Pos
	queues  []uint16
	values  []int32
}

// frozenTeam is the knowledge of a team.
type frozenTeam struct {
	Knowledge
	ground []byte
}

// noExtras are the extras of a plain entity.
var noExtras extras

// Freeze copies the state into f. It does not change the world. With a runner it copies
// several parts side by side.
func (w *World) Freeze(f *Frozen) {
	if f.part == nil {
		f.part = f.freezePart
	}
	f.tick, f.of, f.next = w.tick, w, 0
	for len(f.teams) < len(w.teams) {
		f.teams = append(f.teams, frozenTeam{})
	}
	a := archive.Writer(f.head[:0])
	w.firstState(a)
	a.Length(len(w.all), 0)
	f.head = a.Bytes()
	a = archive.Writer(f.due[:0])
	w.dueState(a)
	f.due = a.Bytes()
	w.eyes.Freeze(&f.eyes)
	w.bands.run.Run(frozenBands+len(w.teams), f.part)
	a = archive.Writer(f.paths[:0])
	for s := range w.players {
		w.pathsState(a, grid.Slot(s))
	}
	f.paths = a.Bytes()
	a = archive.Writer(f.tail[:0])
	w.tailState(a)
	f.tail = a.Bytes()
}

// freezePart copies a band of the entities, or a team.
func (f *Frozen) freezePart(i int) {
	w := f.of
	if i < frozenBands {
		f.bands[i].copy(w, w.all[len(w.all)*i/frozenBands:len(w.all)*(i+1)/frozenBands])
		return
	}
	k, to := &w.teams[i-frozenBands], &f.teams[i-frozenBands]
	to.names, to.free = append(to.names[:0], k.names...), append(to.free[:0], k.free...)
	to.rest, to.Knowledge.ghosts = append(to.rest[:0], k.rest...), append(to.Knowledge.ghosts[:0], k.ghosts...)
	a := archive.Writer(to.ground[:0])
	k.ground.State(a)
	to.ground = a.Bytes()
	w.eyes.FreezeTeam(&f.eyes, grid.Team(i-frozenBands))
}

// copy takes in entities.
func (b *frozenBand) copy(w *World, all []*Entity) {
	if cap(b.lines) < len(all) {
		b.lines, b.details = make([]Entity, len(all), len(all)+len(all)/4), make([]details, len(all), len(all)+len(all)/4)
	}
	b.lines, b.details = b.lines[:len(all)], b.details[:len(all)]
	b.extras, b.tasks, b.effects, b.legs, b.queues, b.values = b.extras[:0], b.tasks[:0], b.effects[:0], b.legs[:0], b.queues[:0], b.values[:0]
	for i, e := range all {
		to, d := &b.lines[i], &b.details[i]
		*to, *d = *e, *e.details
		to.details = d
		d.tasks, b.tasks = kept(b.tasks, d.tasks)
		d.effects, b.effects = kept(b.effects, d.effects)
		d.mv.path, b.legs = kept(b.legs, d.mv.path)
		if w.rt.types[e.typ].plain {
			d.extras = &noExtras
			continue
		}
		b.extras = append(b.extras, *e.extras)
		x := &b.extras[len(b.extras)-1]
		x.maker.queue, b.queues = kept(b.queues, x.maker.queue)
		x.values, b.values = kept(b.values, x.values)
		d.extras = x
	}
}

// kept appends a list to a list of the band, and returns the copy there.
func kept[T any](all, list []T) (at, more []T) {
	if len(list) == 0 {
		return nil, all
	}
	n := len(all)
	all = append(all, list...)
	return all[n:len(all):len(all)], all
}

// Tick returns the tick whose state it is.
func (f *Frozen) Tick() grid.Tick { return f.tick }

// Save appends to b the bytes that [World.Save] would have written in the tick of Freeze.
// Any goroutine may call it, once per Freeze, even while the world steps on.
func (f *Frozen) Save(b []byte) []byte {
	for done := false; !done; {
		b, done = f.SavePart(b)
	}
	return b
}

// SavePart appends the next part of [Frozen.Save]. It reports whether it was the last;
// there are at most [FrozenParts].
func (f *Frozen) SavePart(b []byte) (_ []byte, last bool) {
	i := f.next
	f.next++
	if i == 0 {
		b = append(b, f.head...)
	}
	a := archive.Writer(b)
	switch t := i - frozenBands; {
	case t < 0:
		for k := range f.bands[i].lines {
			e := &f.bands[i].lines[k]
			e.state(a)
			f.of.scriptState(a, e)
		}
	default:
		if t == 0 {
			a.Append(f.due)
		}
		f.teams[t].tableState(a)
		a.Append(f.teams[t].ground)
		if last = t == len(f.of.teams)-1; last {
			a.Nested(f.eyes.Save, nil)
			a.Append(f.paths)
			a.Append(f.tail)
		}
	}
	return a.Bytes(), last
}

// FrozenParts is the most parts of a [Frozen].
const FrozenParts = frozenBands + grid.TeamsMax
