//go:build !leak

package match

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Builds with the tag leak plant leaks here, for tests (internal/leak). In all
// others these do nothing.
func leakReset()                                      {}
func leakHears(*live, *seat, *sim.Said) bool          { return false }
func leakResult(_ *live, r *sim.Result) *sim.Result   { return r }
func leakAway(_ *live, was grid.SlotSet) grid.SlotSet { return was }
func leakOverhears() bool                             { return false }
