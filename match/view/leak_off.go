//go:build !leak

package view

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Builds with the tag leak plant leaks here, for tests (internal/leak). In all
// others these do nothing.
func leak(*sim.World, grid.Team, *View)                                 {}
func leakWhole(*View)                                                   {}
func leakDiff(*Diff)                                                    {}
func leakCounted([len(Attributes)]uint16) (none [len(Attributes)]uint8) { return none }
func leakSince(grid.Tick) grid.Tick                                     { return 0 }
