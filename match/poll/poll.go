package poll

import (
	"math/bits"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Poll is one question to players.
type Poll struct {
	By   grid.Slot    // the player who asks; its vote against the question takes the question back
	May  grid.SlotSet // the voters; they may change while the poll is open
	Yes  grid.SlotSet
	No   grid.SlotSet
	Rule Quorum
	Ends int64 // the time at which it fails, in the caller's unit
}

// New returns a poll with the vote of the player who asks.
func New(by grid.Slot, may grid.SlotSet, rule Quorum, ends int64) Poll {
	return Poll{By: by, May: may, Yes: grid.SlotSet(0).With(by), Rule: rule, Ends: ends}
}

// Quorum is the number of votes that a question needs.
type Quorum struct {
	Percent int // more votes than so many percent of the voters; 100: all
	Least   int // so many in any case
}

// Of returns the needed votes of n voters.
func (q Quorum) Of(n int) int { return max(q.Least, min(n, n*q.Percent/100+1)) }

// Result is the state of a poll.
type Result uint8

// The results. The values equal those on the wire.
const (
	Open Result = iota
	Passed
	Failed
)

// Vote takes in a vote, and reports whether it changes anything: it is a voter's, and another than before.
func (p *Poll) Vote(slot grid.Slot, yes bool) bool {
	was, bit := *p, grid.SlotSet(0).With(slot)
	if !p.May.Has(slot) {
		return false
	}
	if p.Yes, p.No = p.Yes&^bit, p.No&^bit; yes {
		p.Yes |= bit
	} else {
		p.No |= bit
	}
	return p.Yes != was.Yes || p.No != was.No
}

// Needed returns how many votes the question needs.
func (p *Poll) Needed() int { return p.Rule.Of(count(p.May)) }

// Result returns the result at a time. A vote counts as long as its player is a voter.
func (p *Poll) Result(now int64) Result {
	switch yes, needed := count(p.Yes&p.May), p.Needed(); {
	case !(p.Yes & p.May).Has(p.By), count(p.May&^p.No) < needed:
		return Failed
	case yes >= needed:
		return Passed
	case now >= p.Ends:
		return Failed
	}
	return Open
}

func count(s grid.SlotSet) int { return bits.OnesCount64(uint64(s)) }
