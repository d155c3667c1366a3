package replay

import (
	"net/netip"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Watching is the right to watch the replay of a match, or a match that runs, up to
// the spectators' delay.
type Watching struct {
	Match   model.MatchID
	Account model.AccountID
	Known   bool  // the account is no guest
	Epoch   int64 // of the account when the right was given
	// Live: the match runs, and the account is a spectator of it. Then Delay and Eyes
	// come from its seat; else the account may choose any eyes.
	Live  bool
	Delay time.Duration
	Eyes  grid.Team // grid.NoTeam: all
	Link  int64     // the number of the link that opened it, from 1; 0: it needed no link
	// Names of the accounts that have or had a seat, as they are today. An account of
	// the journal that is missing here is deleted: the replay shows neither its name
	// nor its chat.
	Names map[model.AccountID]string
}

// Viewing is a running viewing of a replay.
type Viewing struct {
	Watching
	Address netip.Addr
}
