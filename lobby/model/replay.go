package model

import (
	"cmp"
	"slices"
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

// Linked reports whether the match's link opens its replay.
func (m *Match) Linked() bool { return m.Access() == ReplaysLink || m.Access() == ReplaysListed }

// Listable reports whether the catalogue may have the match: it ended by its rules, its host lists it, all its players
// have accounts, and it does not show the past of another match.
func (m *Match) Listable() bool {
	if m.State != MatchDone || m.Access() != ReplaysListed || m.Spec.From != nil && m.Spec.From.Match != "" {
		return false
	}
	for i := range m.Spec.Participants {
		if slices.ContainsFunc(m.Spec.Participants[i].Holders(), func(h Holder) bool { return !h.Bot && h.Account == "" }) {
			return false
		}
	}
	return true
}

// Listed is a match in the catalogue of replays.
type Listed struct {
	Num     int64 // as in [Match]
	Match   MatchID
	Map     string // its id
	Mode    string
	Seconds int       // length of the match, at its speed
	Version int64     // of the simulation; 0: unknown
	Rating  int       // mean of the players' points when it began; 0: unrated
	Open    time.Time // from then on others see it
	Agreed  bool      // all its players share replays; not stored
}

// Over reports whether the store knows an end of the match.
func (m *Match) Over() bool { return m.State == MatchDone || m.State == MatchFailed }
