package spectate

import (
	"github.com/fogkeep/fogkeep/internal/leak"
	"github.com/fogkeep/fogkeep/match/grid"
)

// leakDelay: spectators are a tick less late than they have to be.
func leakDelay() grid.Ticks {
	if leak.Is("spectators-early") {
		return 1
	}
	return 0
}
