//go:build !leak

package sim

import "github.com/fogkeep/fogkeep/orders"

// Builds with the tag leak plant leaks here, for tests (internal/leak). In all
// others these do nothing.
func leakDraw(*World) uint64                              { return 0 }
func leakVerdict(*World, *player, *Input, *orders.Result) {}
func leakHandle(*World, *Knowledge)                       {}
func leakEntered([]*Entity)                               {}
func leakHit(*Event, *hit)                                {}
func leakThought(*World, *Entity)                         {}
func leakThinks() bool                                    { return false }
func leakCloak(*World, *Entity) bool                      { return false }
