package model

import (
	"errors"
	"time"
)

// What a Store reports beside refusals.
var (
	ErrNotFound    = errors.New("not found")
	ErrTaken       = errors.New("taken")                       // a name, an email, a seat: something that is there once
	ErrUnavailable = errors.New("the database did not answer") // lost, too slow, full: trying again may help
)

// AccountFilter chooses accounts by name, after the given name (for paging).
type AccountFilter struct {
	Query string // part of a name, folded; empty: all
	After string // folded name of the last one seen
	Limit int
}

// Retention says which guests are of no use any more: whoever is not seated, has
// no open reset link and no external identity, was made before New, took part in no match that was over
// after History or runs, and has either no session at Now or never played and was
// made before Unused.
type Retention struct {
	Now, New, Unused, History time.Time
}

// Reset is a single-use link by which an account gets a new password.
type Reset struct {
	Hash    SecretHash
	Account AccountID
	By      string // the admin
	Expires time.Time
}

// QueueLength is how many wait in a queue.
type QueueLength struct {
	Parties, Players int
}

// MatchFilter chooses matches, newest first.
type MatchFilter struct {
	States  []MatchState // none: all
	Account AccountID    // of a player who has or had a seat; empty: all
	From    time.Time    // started then or later; zero: at any time
	To      time.Time    // started before; zero: at any time
	Before  int64        // below this Num; 0: from the newest
	Limit   int
}

// LobbyFilter chooses lobbies, newest first.
type LobbyFilter struct {
	Query   string  // part of the lobby's or map's name, folded; empty: all
	States  []State // none: all but closed
	Public  bool    // only those without a password
	HasRoom bool    // only those that a player could join now
	// Meeting leaves out where nobody meets others: ended lobbies, and those of one
	// player that nobody could join.
	Meeting bool
	// Hosted leaves out those that were made for one match, which have no host.
	Hosted    bool
	UsedSince time.Time // only those in which somebody was since; zero: all
	Before    int64     // below this Num; 0: from the newest
	Limit     int
}
