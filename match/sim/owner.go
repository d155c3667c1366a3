package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// setOwner makes an entity another player's. No other function does that. In the hands of a team-mate,
// the entity's work goes on. It forgets the former client's numbers for products and abilities: to the
// new owner's client they would mean something else.
func (w *World) setOwner(e *Entity, to *player) {
	if to.team != e.team {
		w.changeSides(e, to.team)
		e.lent = 0
	}
	w.countAll(e, -1)
	e.slot = to.slot
	w.countAll(e, 1)
	for _, c := range e.cargo { // they go with their transport
		w.count(c, -1)
		c.slot, c.team, c.lent = e.slot, e.team, e.lent
		w.count(c, 1)
	}
	e.shot.request = 0
	for i := range e.tasks {
		e.tasks[i].request = 0
	}
	for i := range e.acts {
		e.acts[i].request = 0
	}
}

// countAll adds an entity and its products in the making to its owner's counts.
func (w *World) countAll(e *Entity, n int32) {
	if e.class == rules.ClassProjectile {
		return
	}
	w.count(e, n)
	if int(e.slot) >= len(w.players) {
		return // no owner
	}
	for _, typ := range e.maker.queue {
		w.players[e.slot].pop += n * w.rules.Types[typ].Pop
	}
}

// handOver lends all of a player's entities and stock to a team-mate, until the player
// comes back. Loans from others to the player go on to the team-mate too.
func (w *World) handOver(p, mate *player) {
	units := w.lend(mate, func(e *Entity) bool { return e.slot == p.slot }, func(e *Entity) {
		if e.lent == 0 {
			e.lent = uint8(p.slot) + 1
		}
	})
	own := p.stock
	for i := range w.players {
		if q := &w.players[i]; q.lentTo == uint8(p.slot)+1 {
			q.lentTo = uint8(mate.slot) + 1
			for k := range own {
				own[k] = max(0, own[k]-q.lent[k])
			}
		}
	}
	if units == 0 && p.stock == (rules.Cost{}) {
		return
	}
	for i := range p.stock {
		mate.stock[i] += p.stock[i]
		p.lent[i] += own[i]
		p.stock[i] = 0
	}
	p.lentTo = uint8(mate.slot) + 1
	w.tellHanded(p, HandedOver, units)
}

// takeBack gives a returning player the rest of the loan.
func (w *World) takeBack(p *player) {
	if p.lentTo == 0 || !p.alive {
		return
	}
	mate := &w.players[p.lentTo-1]
	units := w.lend(p, func(e *Entity) bool { return e.lent == uint8(p.slot)+1 }, func(e *Entity) { e.lent = 0 })
	for i := range p.lent {
		back := min(p.lent[i], mate.stock[i])
		mate.stock[i] -= back
		p.stock[i] += back
		p.lent[i] = 0
	}
	p.lentTo = 0
	w.tellHanded(p, HandedBack, units)
}

// forfeit makes a loan the team-mate's for good.
func (w *World) forfeit(p *player) {
	for _, e := range w.all {
		if e.lent == uint8(p.slot)+1 {
			e.lent = 0
		}
	}
	p.lentTo, p.lent = 0, rules.Cost{}
}

// lend gives the chosen entities to another player, and returns the number of units and
// structures.
func (w *World) lend(to *player, chosen func(*Entity) bool, mark func(*Entity)) (units int32) {
	for _, e := range w.all {
		if e.dying || !chosen(e) {
			continue
		}
		mark(e)
		w.setOwner(e, to)
		if e.class == rules.ClassUnit || e.class == rules.ClassStructure {
			units++
		}
	}
	return units
}

// tellHanded tells the team that a player's units have gone to a team-mate, or are the
// player's again.
func (w *World) tellHanded(p *player, fate Handed, units int32) {
	w.out.Said = append(w.out.Said, Said{Slot: p.slot, To: grid.TeamSet(0).With(p.team), Handed: fate, Units: units})
}

// lends reports whether a team-mate has something that can move or shoot, and that is the
// player's again when the player comes back.
func (w *World) lends(p *player) bool {
	return p.lentTo != 0 && !p.leaver && slices.ContainsFunc(w.all, func(e *Entity) bool {
		t := &w.rules.Types[e.typ]
		return e.lent == uint8(p.slot)+1 && !e.dying && (t.Class == rules.ClassUnit || len(t.Weapons) > 0)
	})
}
