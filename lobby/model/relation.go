package model

import (
	"slices"
	"time"
)

// RelationKind is the stance of one account on another.
type RelationKind string

// The kinds of relations.
const (
	Request RelationKind = "request" // asks to be friends
	Friend  RelationKind = "friend"  // both accounts have one
	Block   RelationKind = "block"   // silences both accounts for each other
	Avoid   RelationKind = "avoid"   // matchmaking keeps the two apart, for a time
)

// Relation is one account's stance on another.
type Relation struct {
	Account AccountID
	Other   AccountID
	Name    string // of the account that is not asking: see db.Relations
	Kind    RelationKind
	At      time.Time
}

// Presence says where an account is.
type Presence string

// The presences. Hidden accounts are offline for all others.
const (
	Offline  Presence = "offline"
	Online   Presence = "online"
	InLobby  Presence = "lobby"
	InBattle Presence = "match"
)

// DirectMessage is a line from one friend to another.
type DirectMessage struct {
	ID   int64
	From AccountID
	To   AccountID
	Text string
	At   time.Time
}

// MessageLife is how long the store keeps messages.
const MessageLife = 30 * 24 * time.Hour

// Pair has two accounts: the first has a relation to the second.
type Pair [2]AccountID

// Apart reports whether one of the pairs has both accounts, in either order.
func Apart(pairs []Pair, a, b AccountID) bool {
	return slices.Contains(pairs, Pair{a, b}) || slices.Contains(pairs, Pair{b, a})
}

// Silence makes players of whom one blocks the other deaf for each other.
func (s *Spec) Silence(blocks []Pair) {
	for i := range s.Participants {
		p := &s.Participants[i]
		for _, other := range s.Participants {
			if Apart(blocks, p.Account, other.Account) {
				p.Deaf |= 1 << other.Start
			}
		}
	}
}
