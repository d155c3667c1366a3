package match

import (
	"github.com/fogkeep/fogkeep/internal/leak"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// leakHears: everybody hears what is said to a team.
func leakHears(_ *live, _ *seat, _ *sim.Said) bool { return leak.Is("chat") }

// leakResult: spectators are told of the end when it comes.
func leakResult(m *live, r *sim.Result) *sim.Result {
	if leak.Is("spectators-end") {
		return m.world.Result()
	}
	return r
}

// leakAway: spectators are told at once who lost its connection.
func leakAway(m *live, was grid.SlotSet) grid.SlotSet {
	if leak.Is("spectators-away") {
		return m.seats.away()
	}
	return was
}

// leakOverhears: spectators hear what teams say among themselves.
func leakOverhears() bool { return leak.Is("spectators-hear") }
