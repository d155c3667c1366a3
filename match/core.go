package match

import (
	"time"

	"github.com/fogkeep/fogkeep/match/sim"
)

// core is the state that all parts of a match share. It belongs to the match's goroutine.
type core struct {
	host   *host
	spec   Spec // its seats change hands
	rate   int  // ticks per second
	world  *sim.World
	end    ending
	inputs inputs
	tell   listener
}

// listener is the match, whose parts have news for others and words for its players.
type listener interface {
	publish()
	announce(text string)
}

// ending is how a match ended. The zero value: it goes on.
type ending struct {
	result *sim.Result // nil: no result yet
	failed string      // why it broke off; "": it did not
	at     time.Time   // when
}

// closed reports whether the match takes no more part in the game.
func (e *ending) closed() bool { return e.result != nil || e.failed != "" }
