package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim/nav"
)

// pathAsksMax is how many units of a slot get a path in one tick.
const pathAsksMax = 150

// findPaths serves the units that ask for a path.
func (w *World) findPaths() {
	for s := range w.players {
		asks := w.asks[:0]
		for _, e := range w.of(grid.Slot(s)) {
			if e.mv.want && !e.gone {
				asks = append(asks, e)
			}
		}
		w.asks = asks
		if len(asks) > pathAsksMax {
			// Whose turn it is moves on with the tick, so that all are served.
			turn := int(w.tick) * pathAsksMax % len(asks)
			for i := range pathAsksMax {
				w.serve(asks[(turn+i)%len(asks)])
			}
		} else {
			for _, e := range asks {
				w.serve(e)
			}
		}
		w.paths.Grow(&w.teams[w.players[s].team].ground, grid.Slot(s), w.tick)
	}
}

// serve finds the unit's path, or leaves it asking.
func (w *World) serve(e *Entity) {
	m := &e.mv
	legs, goal, answer := w.paths.Find(&w.teams[e.team].ground, nav.Request{
		Now: w.tick, Slot: e.id.Slot(), Body: w.body(e), From: e.Pos(), Goal: m.goal, Hub: m.hub, Brief: m.brief,
	})
	switch answer {
	case nav.Found:
		m.path, m.goal = append(m.path[:0], legs...), goal
		m.want, m.best = false, 0
	case nav.TooLong:
		m.halt()
		e.chaseAfter = w.tick + grid.Tick(w.rt.repath)*2
	case nav.Pending: // it asks again
	}
}

// body returns what of a unit decides where it may walk.
func (w *World) body(e *Entity) nav.Body {
	t := &w.rules.Types[e.typ]
	return nav.Body{Move: t.Move, Radius: t.Radius}
}

// setGround notes that a structure stands on a footprint, or no longer does.
func (k *Knowledge) setGround(w *World, typ uint16, foot grid.Tile, on bool) {
	w.eachFoot(typ, foot, func(i int) {
		if k.ground.SetSeen(i, on) {
			w.groundChanged(k, i)
		}
	})
}

// touch notes that something unseen is in the way on a tile.
func (k *Knowledge) touch(w *World, i int) {
	if k.ground.Touch(i) {
		w.groundChanged(k, i)
	}
}

// checkTouched forgets what was touched where the tile is now in sight.
func (k *Knowledge) checkTouched(w *World) {
	k.ground.ForgetTouched(
		func(at grid.Tile) bool { return w.eyes.Visible(k.team, at) },
		func(i int) { w.groundChanged(k, i) },
	)
}

// groundChanged drops the paths of the team's players that a tile's change affects.
func (w *World) groundChanged(k *Knowledge, i int) {
	for s := range w.players {
		if w.players[s].team == k.team {
			w.paths.Changed(grid.Slot(s), i)
		}
	}
}
