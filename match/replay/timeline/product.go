package timeline

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Product is a player's production of one type: units in training, or structures under construction.
type Product struct {
	Slot   grid.Slot
	Type   uint16
	Count  int32      // in work
	Queued int32      // that wait for those before them
	Done   grid.Ticks // of the one in work that is the furthest
	Total  grid.Ticks // how long one takes
}

// Products returns the production of all players, ascending by slot and type.
func Products(w *sim.World) []Product {
	var out []Product
	of := func(s grid.Slot, typ uint16) *Product {
		want := Product{Slot: s, Type: typ, Total: w.BuildTicks(typ)}
		i, found := slices.BinarySearchFunc(out, want, func(a, b Product) int {
			return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Type, b.Type))
		})
		if !found {
			out = slices.Insert(out, i, want)
		}
		return &out[i]
	}
	for _, e := range w.Entities() {
		if e.Class() != rules.ClassStructure || int(e.Slot()) >= w.Players() {
			continue
		}
		if !e.Built() {
			done, _ := w.Raised(e)
			p := of(e.Slot(), e.Type())
			p.Count, p.Done = p.Count+1, max(p.Done, done)
			continue
		}
		product, _ := w.Production(e)
		for i, typ := range product.Queue {
			p := of(e.Slot(), typ)
			if i > 0 {
				p.Queued++
				continue
			}
			p.Count, p.Done = p.Count+1, max(p.Done, product.Done)
		}
	}
	return out
}
