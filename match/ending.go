package match

import (
	"time"

	"github.com/fogkeep/fogkeep/match/sim"
)

// ending is how a match ended. The zero value: it goes on.
type ending struct {
	result *sim.Result // nil: it has none
	failed string      // why it broke off; "": it did not
	at     time.Time   // when
}

// closed reports whether the match takes no more part in the game.
func (e *ending) closed() bool { return e.result != nil || e.failed != "" }
