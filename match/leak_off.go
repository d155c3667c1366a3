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
func leakHold(*live, *seat) bool                      { return false }
func leakSize(_ *live, _ *session, b []byte) []byte   { return b }
func leakSynced(_ *live, synced uint64) uint64        { return synced }
func leakDelay() grid.Ticks                           { return 0 }
func leakResult(_ *live, r *sim.Result) *sim.Result   { return r }
func leakAway(_ *live, was grid.SlotSet) grid.SlotSet { return was }
func leakOverhears() bool                             { return false }
