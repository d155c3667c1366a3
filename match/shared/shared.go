package shared

import (
	"net/netip"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// MatchID names a match for ever: a UUIDv7 in text.
type MatchID string

// AccountID names an account for ever: a UUIDv7 in text.
type AccountID string

// Right is the right to watch the replay of a match, or a match that runs, up to the spectators' delay.
type Right struct {
	Match   MatchID
	Account AccountID
	Known   bool  // the account is no guest
	Epoch   int64 // of the account when the right was given
	// Live: the match runs, and the account is its spectator. Then Delay and Eyes come from its seat; else the account
	// may choose any eyes, and play on from any tick.
	Live  bool
	Delay time.Duration
	Eyes  grid.Team // [grid.NoTeam]: all teams'
	Link  int64     // the number of the link that opened it, from 1; 0: it needed no link
	// Names of the accounts that have or had a seat, as they are today. An account of the journal that is missing here is
	// deleted: the replay shows neither its name nor its chat. nil: names are as in the journal.
	Names map[AccountID]string
}

// Viewing is a viewer who watches a match now.
type Viewing struct {
	Right
	Address netip.Addr // of the newest connection
}

// Whereabouts is the known place of a match.
type Whereabouts struct {
	State WhereState
	Node  string // of a match that runs
	URL   string // the players' address of the node; "": see the node's row in the store
	Why   string // of a match that waits: why no node can continue it; "": one will take it over
}

// WhereState classifies the known place of a match.
type WhereState int

// The states of a match's place.
const (
	// WhereUnknown: not in this process, and it asks no others. The store's row
	// names the node.
	WhereUnknown WhereState = iota
	WhereRuns               // on a node
	WhereWaits              // nowhere at the moment; its journal is kept, and a node will take it over
	WhereGone               // on no node of the cluster, and without a kept journal
)
