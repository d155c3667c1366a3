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
	// are as of its seat; else any eyes may be chosen.
	Live  bool
	Delay time.Duration
	Eyes  grid.Team // grid.NoTeam: all
	Link  int64     // the number of the link that it was opened with, from 1; 0: none was needed
	// Names of the accounts that have or had a seat, as they are today. One of the
	// journal that is missing here is deleted: it has no name any more, and what it
	// said is not told.
	Names map[model.AccountID]string
}

// Viewing is somebody who watches a replay now.
type Viewing struct {
	Watching
	Address netip.Addr
}
