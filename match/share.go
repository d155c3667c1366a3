package match

import "github.com/fogkeep/fogkeep/match/grid"

// ShareFrom is from how many entities on a match lets helpers compute parts of its
// ticks, besides routes. For fewer, to wake a helper costs more than it saves.
const ShareFrom = 4096

var shareFrom = ShareFrom // tests share from the first entity on

// share decides who computes the tick: this goroutine alone, or helpers with it. What
// is computed is the same. A panic of a helper is one of the tick.
func (m *live) share() {
	if m.hand == nil {
		m.hand = m.host.helpers.Hand().Run
	}
	var run grid.Runner
	if m.world.Len() >= shareFrom {
		run = m.hand
	}
	m.world.SetRouteRunner(m.hand)
	m.world.SetRunner(run)
	m.cache.Run, m.feeds.Run = run, run
}
