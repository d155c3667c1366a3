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

// ReplayTicket lets its bearer watch one replay, once. It is no [Ticket]: the two are
// kept apart, and neither opens what the other does.
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

// GoneName is what stands where a deleted account's name stood. No player can take it.
const GoneName = "deleted"

// Access is who may watch the match once it is over: one of the values of
// [Options.Replays].
func (m *Match) Access() string {
	return cmp.Or(m.Replays, m.Spec.Options.Replays, ReplaysParticipants)
}

// Over reports whether the store knows an end of the match.
func (m *Match) Over() bool { return m.State == MatchDone || m.State == MatchFailed }
