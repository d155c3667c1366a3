package model

import (
	"cmp"
	"time"
)

// Redaction is a deleted account that is still in the journal of a match in which it
// played.
type Redaction struct {
	Match   MatchID
	Account AccountID
}

// ReplayTicket lets its bearer watch one replay, once. It is no [Ticket]: the store
// keeps the two apart, and neither works as the other.
type ReplayTicket struct {
	Hash    SecretHash
	Match   MatchID
	Account AccountID
	Epoch   int64
	Live    bool
	Link    int64
	Expires time.Time
	Used    time.Time // zero until it is redeemed
}

// GoneName replaces the name of a deleted account. No player can take it.
const GoneName = "deleted"

// Access is the right to watch the match once it is over: a value of [Options.Replays].
func (m *Match) Access() string {
	return cmp.Or(m.Replays, m.Spec.Options.Replays, ReplaysParticipants)
}

// Over reports whether the store knows an end of the match.
func (m *Match) Over() bool { return m.State == MatchDone || m.State == MatchFailed }
