package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim/nav"
)

// pathAsksMax is how many units of a slot get a path in one tick.
const pathAsksMax = 140

// findPaths serves the units that ask for a path.
func (w *World) findPaths() {
	for s := range w.players {
		asks := w.asks[:0]
		for _, e := range w.of(grid.Slot(s)) {
			if e.mv.want && !e.dying {
				asks = append(asks, e)
			}
		}
		w.asks = asks
		if w.hubs == nil {
			w.hubs = map[grid.Pos]int{}
		}
		clear(w.hubs)
		for _, e := range asks {
			w.hubs[e.mv.hub]++
		}
		// If there are many, whose turn it is moves on with the tick, so that all are served.
		n, turn := len(asks), 0
		if n > pathAsksMax {
			n, turn = pathAsksMax, int(w.tick)*pathAsksMax%n
		}
		ground, requests := &w.teams[w.players[s].team].ground, w.requests[:0]
		for i := range n {
			e := asks[(turn+i)%len(asks)]
			requests = append(requests, nav.Request{
				Now: w.tick, Slot: grid.Slot(s), Body: w.body(e), From: e.Pos(), Goal: e.mv.goal, Hub: e.mv.hub,
				Group: w.hubs[e.mv.hub] > 1, Brief: e.mv.brief,
			})
		}
		w.requests = requests
		for i, path := range w.paths.FindAll(ground, requests, w.routes) {
			w.takePath(asks[(turn+i)%len(asks)], path)
		}
		w.paths.Grow(ground, grid.Slot(s), w.tick)
	}
}

// SetRouteRunner lets the world search routes side by side; nil: one after the other. The
// runner may change between two steps. The state does not depend on it. Unlike
// [World.SetRunner] it is of use in a world of any size: a route takes longer than to wake
// a helper.
func (w *World) SetRouteRunner(r grid.Runner) { w.routes = r }

// takePath lets the unit go the path that was found, or leaves it asking.
func (w *World) takePath(e *Entity, path nav.Path) {
	m := &e.mv
	switch path.Answer {
	case nav.Found:
		m.path, m.goal = append(m.path[:0], path.Legs...), path.Goal
		m.want, m.best = false, 0
	case nav.TooLong:
		m.halt()
		e.chaseAfter = w.tick + grid.Tick(w.rt.repath)*2
	case nav.Pending: // it asks again
	}
}

// body returns the properties of a unit that decide where it may walk.
func (w *World) body(e *Entity) nav.Body {
	t := &w.rules.Types[e.typ]
	return nav.Body{Move: t.Move, Radius: t.Radius}
}

// setGround notes the contents of a footprint that the team sees.
func (k *Knowledge) setGround(w *World, typ uint16, foot grid.Tile, contents uint8) {
	w.eachFoot(typ, foot, func(i int) {
		if k.ground.Set(i, contents) {
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

// checkTouched forgets the touched obstacles on tiles that are now in sight.
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
