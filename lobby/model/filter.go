package model

import (
	"time"
)

// AccountFilter chooses accounts by name, after the given name (for paging).
type AccountFilter struct {
	Query string // part of a name, folded; empty: all
	After string // folded name of the last one seen
	Limit int
}

// Retention defines useless guests: not seated, without an open reset link and without an
// external identity, made before New, without a match that runs or was over after History, and
// either without a session at Now, or made before Unused without ever playing.
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
	States  []MatchState // empty: all
	Issuer  string       // made for this issuer; empty: all
	Account AccountID    // of a player with a past or present seat; empty: all
	From    time.Time    // started then or later; zero: at any time
	To      time.Time    // started before; zero: at any time
	Before  int64        // below this Num; 0: from the newest
	Limit   int
}

// LobbyFilter chooses lobbies, newest first.
type LobbyFilter struct {
	Query   string  // part of the lobby's or map's name, folded; empty: all
	States  []State // empty: all but closed
	Public  bool    // only those without a password
	HasRoom bool    // only lobbies that a player could join now
	// Meeting leaves out lobbies where players cannot meet: ended ones, and lobbies of
	// one player that no other can join.
	Meeting bool
	// Hosted leaves out planned lobbies, which have no host.
	Hosted    bool
	For       AccountID // leaves out hosts whom this account blocks, and hosts who block it; "": no account
	UsedSince time.Time // only lobbies in use since; zero: all
	Before    int64     // below this Num; 0: from the newest
	Limit     int
}
