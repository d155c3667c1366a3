package match

import (
	"github.com/fogkeep/fogkeep/internal/leak"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// leakHears: everybody hears what is said to a team.
func leakHears(_ *seat, _ *sim.Said) bool { return leak.Is("chat") }

// leakOf has the spectators of each late broadcast.
var leakOf = map[*late]*spectators{}

// leakDelay: spectators are a tick less late than they have to be.
func leakDelay() grid.Tick {
	if leak.Is("spectators-early") {
		return 1
	}
	return 0
}

// leakResult: spectators are told of the end when it comes.
func leakResult(l *late, r *sim.Result) *sim.Result {
	if leak.Is("spectators-end") {
		return leakOf[l].world.Result()
	}
	return r
}

// leakAway: spectators are told at once who lost its connection.
func leakAway(l *late, was grid.SlotSet) grid.SlotSet {
	if leak.Is("spectators-away") {
		return leakOf[l].seats.away()
	}
	return was
}

// leakOverhears: spectators hear what teams say among themselves.
func leakOverhears() bool { return leak.Is("spectators-hear") }
