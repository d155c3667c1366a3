package match

import "time"

// gathering is the pause of a recovered match in which its players return.
type gathering struct {
	*core
	seats *seats
	until time.Time // zero: it is over
}

// gatherWait is how long a recovered match is paused for its players to return.
// Clients try again after five seconds at most.
const gatherWait = 10 * time.Second

// begin pauses the match until all players who were connected are back, or for
// gatherWait.
func (g *gathering) begin() {
	g.until = g.host.now().Add(gatherWait)
	g.tell.publish()
}

// lasts reports whether the match is paused for its players to return.
func (g *gathering) lasts() bool {
	if g.until.IsZero() {
		return false
	}
	if !g.end.closed() && g.host.now().Before(g.until) {
		for _, st := range g.seats.all {
			if st.session == nil && st.here && st.kept() {
				return true
			}
		}
	}
	g.seats.stoodStill(g.host.now().Sub(g.until.Add(-gatherWait)))
	g.until = time.Time{}
	for _, st := range g.seats.all {
		if st.session == nil {
			g.seats.tellAway(st) // it was there when the process ended, and is not back
		}
	}
	g.tell.publish()
	return false
}
