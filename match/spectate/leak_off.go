//go:build !leak

package spectate

import "github.com/fogkeep/fogkeep/match/grid"

// leakDelay is a planted leak of builds with the tag leak (internal/leak). In all
// others it does nothing.
func leakDelay() grid.Ticks { return 0 }
