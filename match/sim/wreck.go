package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// A wreck is a resource place that a destroyed unit or structure leaves for a time. So workers salvage it by orders of the kind
// Harvest, and teams see and remember it as they do other resource places.

type wreck struct {
	id  grid.EntityID
	end grid.Tick
}

// leaveWreck puts the wreck of a destroyed entity where it fell, if the ground there holds it. A wreck that lies there already
// grows, and lasts anew. The type's stock is the most that it holds.
func (w *World) leaveWreck(e *Entity) {
	x := &w.rules.Types[e.typ].Wreck
	if !x.Left || e.unbuilt || !w.m.Passable(e.Tile(), grid.Ground) {
		return
	}
	amount := percent(w.rules.Types[e.typ].Cost[w.rules.Types[x.Type].Resource], x.Percent)
	if amount == 0 {
		return
	}
	until := w.tick + grid.Tick(w.rt.types[e.typ].wreck)
	for i := range w.wrecks {
		if o := w.find(w.wrecks[i].id); o != nil && !o.dying && o.typ == x.Type && o.foot == e.Tile() {
			o.stock, w.wrecks[i].end = min(w.rules.Types[x.Type].Stock, o.stock+amount), max(until, w.wrecks[i].end)
			return
		}
	}
	if w.places[w.m.Index(e.Tile())] {
		return
	}
	o := w.spawn(grid.NoSlot, x.Type, e.Tile().Center(), false)
	o.stock = min(amount, o.stock)
	w.wrecks = append(w.wrecks, wreck{o.id, until})
	if len(w.wrecks) > rules.WrecksMax {
		w.endWreck(&w.wrecks[0])
		w.wrecks = slices.Delete(w.wrecks, 0, 1)
	}
}

// runWrecks takes the wrecks away whose time is over.
func (w *World) runWrecks() {
	if len(w.wrecks) == 0 {
		return
	}
	w.wrecks = slices.DeleteFunc(w.wrecks, func(x wreck) bool {
		if w.tick >= x.end {
			w.endWreck(&x)
		}
		e := w.find(x.id)
		return e == nil || e.dying
	})
}

func (w *World) endWreck(x *wreck) {
	if e := w.find(x.id); e != nil {
		w.kill(e)
	}
}

// clearWrecks takes away the wrecks on the site of a structure.
func (w *World) clearWrecks(t *rules.Type, foot grid.Tile) {
	for i := range w.wrecks {
		if e := w.find(w.wrecks[i].id); e != nil && e.foot.X >= foot.X && e.foot.Y >= foot.Y && e.foot.X < foot.X+int16(t.FootW) && e.foot.Y < foot.Y+int16(t.FootH) {
			w.kill(e)
		}
	}
}

func (w *World) wreckState(a *archive.Archive) {
	if !w.rt.wrecks {
		return
	}
	archive.List(a, &w.wrecks, 9, func(x *wreck) {
		archive.Word(a, &x.id)
		archive.Word(a, &x.end)
	})
}
