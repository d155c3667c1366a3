package sim

import "github.com/fogkeep/fogkeep/match/rules"

// setOwner makes an entity another player's. It is the one place where that
// happens. In the hands of a team-mate, what the entity does goes on. The numbers that its former owner's
// client gave to what orders start are forgotten: to the new owner's client they
// mean something else, or nothing.
func (w *World) setOwner(e *Entity, to *player) {
	if to.team != e.team {
		w.changeSides(e, to.team)
	}
	w.countAll(e, -1)
	e.slot = to.slot
	w.countAll(e, 1)
	e.shot.request = 0
	for i := range e.tasks {
		e.tasks[i].request = 0
	}
	for i := range e.acts {
		e.acts[i].request = 0
	}
}

// countAll counts an entity and what it makes among what its owner has.
func (w *World) countAll(e *Entity, n int32) {
	if e.class == rules.ClassProjectile {
		return
	}
	w.count(e, n)
	if int(e.slot) >= len(w.players) {
		return // nobody's
	}
	for _, typ := range e.made.queue {
		w.players[e.slot].pop += n * w.rules.Types[typ].Pop
	}
}

// handOver gives everything a player has to a team-mate.
func (w *World) handOver(p, mate *player) {
	for _, e := range w.all {
		if e.slot == p.slot && !e.gone {
			w.setOwner(e, mate)
		}
	}
	for i := range p.stock {
		mate.stock[i] += p.stock[i]
		p.stock[i] = 0
	}
}
