package model

import (
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/poll"
)

// PollKind is the kind of a question to the players of a lobby.
type PollKind string

// The kinds of questions.
const (
	PollKick     PollKind = "kick"     // the removal of a player
	PollStart    PollKind = "start"    // the start of the match
	PollSettings PollKind = "settings" // another map, limit or options
)

// Poll is a question to the players of an open lobby. Its voters are the players at its beginning who still have
// their seats, except the player whose removal it asks for.
type Poll struct {
	poll.Poll               // a voter's slot is its index in Voters; Ends is in milliseconds
	Num       int64         `json:"num"` // the lobby's last event before it
	Kind      PollKind      `json:"kind"`
	Target    AccountID     `json:"target,omitempty"` // of a removal
	Change    SettingsAsked `json:"change"`
	Voters    []AccountID   `json:"voters"`
	Over      poll.Result   `json:"over"`
}

// SettingsAsked are the settings that a question asks for; nil or an empty map leaves a setting.
type SettingsAsked struct {
	Map     *string        `json:"map,omitempty" maxLength:"200"`
	Limit   *int           `json:"limit,omitempty"`
	Options map[string]any `json:"options,omitempty"`
}

const (
	pollMost = 45 * time.Second
	// pollShown is how long a lobby shows a question after its end.
	pollShown = 5 * time.Second
)

// Shown reports whether a lobby still shows its question.
func (p *Poll) Shown(now time.Time) bool { return p != nil && now.UnixMilli() < p.Ends }

// Named lists the accounts of voters.
func (p *Poll) Named(set grid.SlotSet) []AccountID {
	out := []AccountID{}
	for i, a := range p.Voters {
		if set.Has(grid.Slot(i)) {
			out = append(out, a)
		}
	}
	return out
}

// Ask opens a question with the vote of the player who asks. The caller has checked the question.
func (l *Lobby) Ask(by AccountID, p Poll, now time.Time) error {
	i := l.SeatOf(by)
	switch {
	case i < 0:
		return l.Stranger()
	case l.Seats[i].Kind != PlayerSeat:
		return Refuse(NotSeated, "spectators have no vote")
	case l.Options.Votes != VotesLobby:
		return Refuse(WrongState, "the option votes of this lobby leaves questions to the host")
	case l.State != Open:
		return Refuse(WrongState, "the lobby is %s", l.State)
	case l.Poll.Shown(now) && l.Poll.Over == poll.Open:
		return Refuse(WrongState, "another vote is open")
	}
	var may grid.SlotSet
	p.Voters = nil
	for _, s := range l.Seats {
		if s.Kind == PlayerSeat && s.Account != p.Target {
			may = may.With(grid.Slot(len(p.Voters)))
			p.Voters = append(p.Voters, s.Account)
		}
	}
	asker := slices.Index(p.Voters, by)
	if asker < 0 {
		return RefuseField(BadRequest, "slot", "you cannot remove yourself: leave the lobby instead")
	}
	p.Num = l.Seq
	p.Poll = poll.New(grid.Slot(asker), may, poll.Quorum{Percent: l.Options.VoteQuorum, Least: 2}, now.Add(pollMost).UnixMilli())
	if p.Result(now.UnixMilli()) == poll.Failed {
		return Refuse(WrongState, "this needs %d votes, and %d players would vote", p.Needed(), len(p.Voters))
	}
	l.Poll = &p
	l.Changed()
	return nil
}

// Vote counts a vote on the question with a number.
func (l *Lobby) Vote(by AccountID, num int64, yes bool, now time.Time) error {
	p := l.Poll
	switch {
	case l.SeatOf(by) < 0:
		return l.Stranger()
	case !p.Shown(now) || p.Num != num || p.Over != poll.Open:
		return Refuse(WrongState, "this vote is over")
	case !slices.Contains(p.Voters, by):
		return Refuse(NotSeated, "you have no vote on this question")
	}
	if p.Vote(grid.Slot(slices.Index(p.Voters, by)), yes) {
		l.Changed()
	}
	return nil
}

// SettlePoll ends the open question if its result is known, and returns it if it passes.
func (l *Lobby) SettlePoll(now time.Time) *Poll {
	p := l.Poll
	if !p.Shown(now) || p.Over != poll.Open {
		return nil
	}
	if p.Over = p.Result(now.UnixMilli()); p.Over == poll.Open {
		return nil
	}
	p.Ends = now.Add(pollShown).UnixMilli()
	if p.Over == poll.Passed {
		return p
	}
	return nil
}
