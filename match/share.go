package match

import "github.com/fogkeep/fogkeep/match/grid"

// ShareFrom is from how many entities on a match lets helpers compute parts of its
// ticks, besides routes. For fewer, to wake a helper costs more than it saves.
const ShareFrom = 4096

var shareFrom = ShareFrom // tests share from the first entity on

// share decides who computes the tick: this goroutine alone, or helpers with it. The
// result is the same. A helper's panic is a panic of the tick.
func (f *output) share() {
	if f.hand == nil {
		f.hand = f.seats.host.helpers.Hand().Run
	}
	var run grid.Runner
	if f.seats.world.Len() >= shareFrom {
		run = f.hand
	}
	f.seats.world.SetRouteRunner(f.hand)
	f.seats.world.SetRunner(run)
	f.cache.Run, f.feeds.Run = run, run
}
