package model

import (
	"crypto/rand"
	"encoding/base32"
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/matchmaking"
)

// PartyID names a party for ever: a UUIDv7 in text.
type PartyID string

// OfferID names an offer for ever: a UUIDv7 in text.
type OfferID string

// Party is one player, or several who want to play together. Parties wait in queues.
// Its methods are the rules of parties: they change only the value; db.Parties.Save
// stores it.
//
//	makes it, joins by code ──► idle ──leader queues──► waiting ──found──► offered ──all accept──► idle, with Lobby
//	                             ^                        │  ^                │
//	                             +── leaves, a member goes┘  +── others do not accept
type Party struct {
	ID      PartyID
	Leader  AccountID
	Code    string // lets its holder join
	Seq     int64  // counts its changes
	Queue   string // in which it waits; "": not waiting
	Since   time.Time
	Offer   OfferID
	Lobby   LobbyID  // of the match that was found for it last
	Vetoes  []string // ids of maps that it strikes out of the search, the most wanted first
	OutOf   Code     // why it came out of a queue; "": it left, or a match was found
	Members []Member
}

// Member is one of a party.
type Member struct {
	Account  AccountID
	Name     string             // as the account has it; not stored
	Rating   matchmaking.Rating // in the queue in which the party waits
	Accepted bool               // the offer
	Seen     time.Time
	Faction  string // that it wishes for; "": random
}

// Offer is a match that was found: it is made if all accept in time.
type Offer struct {
	ID      OfferID
	Queue   string
	Map     string
	Vetoed  []string // ids of maps that its parties struck out
	Teams   [2][]PartyID
	Bots    [2]int
	Expires time.Time
}

// Parties lists the parties of both teams.
func (o *Offer) Parties() []PartyID { return slices.Concat(o.Teams[0], o.Teams[1]) }

// Barred returns how long an account may not queue after its nth offer without
// acceptance.
func Barred(n int) time.Duration {
	steps := []time.Duration{30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute}
	return steps[min(max(n, 1), len(steps))-1]
}

// newPartyCode draws 80 random bits, which cannot be guessed.
func newPartyCode() string {
	var b [10]byte
	rand.Read(b[:])
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

// NewParty makes a party of one account.
func NewParty(a AccountID, now time.Time) *Party {
	return &Party{ID: PartyID(NewID()), Leader: a, Code: newPartyCode(), Members: []Member{{Account: a, Rating: matchmaking.NewRating(), Seen: now}}}
}

// Has reports whether the account is a member.
func (p *Party) Has(a AccountID) bool { return p.IndexOf(a) >= 0 }

// IndexOf returns the index of a member, -1 for a stranger.
func (p *Party) IndexOf(a AccountID) int {
	return slices.IndexFunc(p.Members, func(m Member) bool { return m.Account == a })
}

// HasRoom reports whether another account could join now.
func (p *Party) HasRoom() bool { return len(p.Members) < matchmaking.TeamSizeMax && p.Offer == "" }

// AddMember takes in one more. A party that waits comes out of the queue, since it is
// another party now.
func (p *Party) AddMember(a AccountID, now time.Time) error {
	if len(p.Members) >= matchmaking.TeamSizeMax {
		return PartyFull
	}
	p.Members = append(p.Members, Member{Account: a, Rating: matchmaking.NewRating(), Seen: now})
	p.LeaveQueue(PartyChanged)
	p.Lobby = ""
	return nil
}

// Remove takes a member out; the next one leads. A party that waits comes out of
// the queue.
func (p *Party) Remove(a AccountID) {
	i := p.IndexOf(a)
	if i < 0 {
		return
	}
	p.Members = slices.Delete(p.Members, i, i+1)
	if p.Leader == a && len(p.Members) > 0 {
		p.Leader = p.Members[0].Account
	}
	p.LeaveQueue(PartyChanged)
}

// EnterQueue puts the party into a queue at its leader's word.
func (p *Party) EnterQueue(by AccountID, q *Queue, now time.Time) error {
	switch {
	case p.Leader != by:
		return NotLeader
	case p.Queue != "":
		return AlreadyQueued
	case len(p.Members) > q.TeamSize:
		return Refuse(PartyTooLarge, "a team of %s has %d players, and your party %d", q.Name, q.TeamSize, len(p.Members))
	}
	p.Queue, p.Since, p.Lobby, p.OutOf = q.ID, now, "", ""
	return nil
}

// LeaveQueue takes the party out of its queue, and says why.
func (p *Party) LeaveQueue(why Code) {
	if p.Queue == "" {
		return
	}
	p.Queue, p.Since, p.Vetoes, p.OutOf = "", time.Time{}, nil, why
	p.DropOffer()
}

// DropOffer takes the party out of its offer.
func (p *Party) DropOffer() {
	p.Offer = ""
	for i := range p.Members {
		p.Members[i].Accepted = false
	}
}

// Offered notes that a match was found.
func (p *Party) Offered(o OfferID) {
	p.DropOffer()
	p.Offer = o
}

// Started notes that its match is made: the party is out of the queue, and stays
// together.
func (p *Party) Started(l LobbyID) {
	p.LeaveQueue("")
	p.Lobby = l
}

// Accepted reports whether all members accept.
func (p *Party) Accepted() bool {
	return !slices.ContainsFunc(p.Members, func(m Member) bool { return !m.Accepted })
}

// Entry is the party as it is paired.
func (p *Party) Entry() matchmaking.Entry {
	e := matchmaking.Entry{ID: string(p.ID), Since: p.Since}
	for _, m := range p.Members {
		e.Members = append(e.Members, m.Rating)
	}
	return e
}
