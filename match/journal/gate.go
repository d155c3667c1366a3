package journal

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Gate decides which records must be on disk before the frame of a tick leaves: those whose content shows in it.
type Gate struct {
	rows []gateRow
	need uint64
}

// gateRow says from which tick on the content of record n is visible.
type gateRow struct {
	n    uint64
	acts grid.Tick
}

// Note takes in record n, whose content shows from a tick on.
func (g *Gate) Note(n uint64, acts grid.Tick) { g.rows = append(g.rows, gateRow{n, acts}) }

// Need returns how many records must be on disk for the frame of a tick.
func (g *Gate) Need(tick grid.Tick) uint64 {
	due := 0
	for i, r := range g.rows { // a later record may act sooner; the disk takes them in order
		if r.acts <= tick {
			g.need, due = r.n+1, i+1
		}
	}
	g.rows = slices.Delete(g.rows, 0, due)
	return g.need
}

// LastShown returns the last tick that a client can have seen of a match that was killed, by the tick of its journal's
// last record. The hash of each second is on disk before the frame that is [sim.OrderDelay] ticks later is sent, and
// the journal has no hash of the next second.
func LastShown(reached grid.Tick, rate int) grid.Tick {
	return reached - reached%grid.Tick(rate) + grid.Tick(rate) + sim.OrderDelay - 1
}
