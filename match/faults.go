package match

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// faults reports the faults of a match's scripts to the log, at most once in ten seconds of match time.
type faults struct {
	*core
	count int       // since the last report
	next  grid.Tick // not before this tick
}

// tick counts a tick's faults, and reports the last of them.
func (f *faults) tick(out *sim.Outcome) {
	if len(out.Faults) == 0 {
		return
	}
	f.host.metrics.faults.Add(float64(len(out.Faults)))
	f.count += len(out.Faults)
	if out.Tick < f.next {
		return
	}
	last := out.Faults[len(out.Faults)-1]
	f.host.log.Warn("a script failed: the effects of its handler are left out", "match", f.spec.ID, "tick", out.Tick, "script", last.Script, "line", last.Line, "handler", last.Handler, "error", last.Why, "faults", f.count)
	f.count, f.next = 0, out.Tick+grid.Tick(10*f.rate)
}
