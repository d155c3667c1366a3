package sim

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim/nav"
)

// invariants returns the fault of the world, or nil. Between calls, overlaps keeps how long
// two ground units have been inside one another.
func invariants(w *World, overlaps map[[2]grid.EntityID]int) error {
	pop := make([]int32, len(w.players))
	popCap := make([]int32, len(w.players))
	solid := make([]uint8, len(w.solid))
	last := grid.EntityID(0)
	for _, e := range w.all {
		t := &w.rules.Types[e.typ]
		switch {
		case e.id <= last:
			return fmt.Errorf("%v follows %v", e.id, last)
		case w.find(e.id) != e:
			return fmt.Errorf("%v is not found by its id", e.id)
		case e.dying:
			return fmt.Errorf("%v %s is gone and not removed", e.id, t.Name)
		case e.class <= rules.ClassStructure && (e.hp < 1 || e.hp > t.Health):
			return fmt.Errorf("%v %s has health %d of %d", e.id, t.Name, e.hp, t.Health)
		case !w.m.InPos(e.Pos()):
			return fmt.Errorf("%v %s is off the map at %v", e.id, t.Name, e.Pos())
		case e.energy < 0 || e.energy > t.EnergyMax:
			return fmt.Errorf("%v %s has energy %d of %d", e.id, t.Name, e.energy, t.EnergyMax)
		case e.class == rules.ClassResource && (e.stock < 1 || e.stock > t.Stock):
			return fmt.Errorf("%v %s has a stock of %d", e.id, t.Name, e.stock)
		case e.carried < 0 || e.carried > t.Carry:
			return fmt.Errorf("%v %s carries %d of %d", e.id, t.Name, e.carried, t.Carry)
		case e.class == rules.ClassUnit && !w.passable(t, e.Tile()):
			return fmt.Errorf("%v %s stands on closed %v", e.id, t.Name, e.Tile())
		}
		last = e.id
		if e.class == rules.ClassStructure {
			w.eachFoot(e.typ, e.foot, func(i int) { solid[i] = contentsOf(t, true, e.stock) })
		}
		if int(e.slot) < len(w.players) && e.class <= rules.ClassStructure && !e.unbuilt {
			pop[e.slot] += t.Pop
			popCap[e.slot] += t.PopGives
			for _, q := range e.maker.queue {
				pop[e.slot] += w.rules.Types[q].Pop
			}
		}
		for i := range w.teams {
			h := e.handles[i]
			if e.viewers.Has(grid.Team(i)) && h == 0 {
				return fmt.Errorf("%v %s is seen by team %d and has no name there", e.id, t.Name, i)
			}
			if h != 0 && w.teams[i].names[h-1].ID != e.id {
				return fmt.Errorf("%v %s has handle %d with team %d, which names %v", e.id, t.Name, h, i, w.teams[i].names[h-1].ID)
			}
			if h != 0 && !e.viewers.Has(grid.Team(i)) && e.class != rules.ClassStructure && e.class != rules.ClassResource {
				return fmt.Errorf("%v %s is out of sight of team %d and keeps handle %d", e.id, t.Name, i, h)
			}
		}
	}
	for i := range solid {
		if w.owner[i] != 0 && solid[i] != w.solid[i] || w.owner[i] == 0 && w.solid[i]&^nav.Gap != 0 {
			return fmt.Errorf("%v: solid %d, structures say %d", w.m.TileAt(i), w.solid[i], solid[i])
		}
	}
	for i := range w.players {
		p := &w.players[i]
		if p.pop != pop[i] || p.popCap != popCap[i] {
			return fmt.Errorf("player %d: population %d of %d, entities say %d of %d", i, p.pop, p.popCap, pop[i], popCap[i])
		}
		for r, n := range p.stock {
			if n < 0 {
				return fmt.Errorf("player %d has %d of resource %d", i, n, r)
			}
		}
	}
	// Each resource of a player was gathered, refunded, or there at the start.
	for r := range w.rules.Resources {
		sum := int64(0)
		for i := range w.players {
			sum += int64(w.players[i].stock[r]) - int64(w.players[i].gains[r])
		}
		if most := int64(len(w.players)) * int64(w.rules.Settings.StartStock[r]); sum > most {
			return fmt.Errorf("resource %d: the players have %d more than they began with and gathered", r, sum-most)
		}
	}
	for i := range w.teams {
		k := &w.teams[i]
		for h, n := range k.names {
			if n.InSight() && w.find(n.ID) == nil {
				return fmt.Errorf("team %d: handle %d names %v, which is gone", i, h+1, n.ID)
			}
		}
		for j := range k.ghosts {
			if j > 0 && k.ghosts[j-1].Handle >= k.ghosts[j].Handle {
				return fmt.Errorf("team %d: ghosts out of order", i)
			}
		}
	}
	return overlapping(w, overlaps)
}

// overlapLimit is how many ticks two ground units may be deep inside one another: units
// that were made or set down on one spot have to get apart, and a unit that gets nowhere
// squeezes past others for three seconds before it leaves them. Mining workers may overlap
// for longer, as they pass through each other. Bodies that overlap by less than [apartMin]
// more than fighters do stay as they are.
const overlapLimit = 100

func overlapping(w *World, overlaps map[[2]grid.EntityID]int) error {
	if overlaps == nil {
		return nil
	}
	seen := map[[2]grid.EntityID]bool{}
	for i, e := range w.all {
		if e.class != rules.ClassUnit {
			continue
		}
		et := &w.rules.Types[e.typ]
		for _, o := range w.all[i+1:] {
			ot := &w.rules.Types[o.typ]
			if o.class != rules.ClassUnit || (et.Move == grid.Air) != (ot.Move == grid.Air) || w.glides(e) || w.glides(o) {
				continue
			}
			if r := (et.Radius+ot.Radius)/2 - apartMin; e.Pos().Within(o.Pos(), r) {
				pair := [2]grid.EntityID{e.id, o.id}
				seen[pair] = true
				if overlaps[pair]++; overlaps[pair] > overlapLimit {
					return fmt.Errorf("%v %s and %v %s have been inside one another for %d ticks, at %v and %v",
						e.id, et.Name, o.id, ot.Name, overlaps[pair], e.Pos(), o.Pos())
				}
			}
		}
	}
	for pair := range overlaps {
		if !seen[pair] {
			delete(overlaps, pair)
		}
	}
	return nil
}
