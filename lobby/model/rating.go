package model

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/matchmaking"
)

// QueueRating is how well an account plays in one queue.
type QueueRating struct {
	Queue            string
	Account          AccountID
	Name             string // as the account has it; not stored
	Rating           matchmaking.Rating
	Won, Lost, Drawn int
	Factions         []FactionRecord // by name
	Provisional      bool            // no leaderboard lists it
	Season           int             // in which it was counted last; the results are of this season
	Decays           time.Time       // when it loses points next; zero: it does not
	Past             []PastSeason    // oldest first
}

// FactionRecord is an account's results in one queue with one faction.
type FactionRecord struct {
	Faction string `json:"faction" doc:"of the queue's ruleset"`
	Won     int    `json:"won"`
	Lost    int    `json:"lost"`
	Drawn   int    `json:"drawn"`
}

// factionRecordsMax bounds the factions of a rating: the rulesets of a queue change.
const factionRecordsMax = 32

// WithFaction returns the record with a faction, to count a result in; nil: there is no faction, or no room.
func (r *QueueRating) WithFaction(name string) *FactionRecord {
	i, ok := slices.BinarySearchFunc(r.Factions, name, func(f FactionRecord, name string) int { return cmp.Compare(f.Faction, name) })
	if name == "" || !ok && len(r.Factions) >= factionRecordsMax {
		return nil
	}
	if !ok {
		r.Factions = slices.Insert(r.Factions, i, FactionRecord{Faction: name})
	}
	return &r.Factions[i]
}

// Points is the rating as it is shown.
func (r *QueueRating) Points() int { return Points(r.Rating) }

// Points is a rating as players see it.
func Points(r matchmaking.Rating) int { return int(math.Round(r.Mean)) }

// RatedSeat is a player for whom a match counts.
type RatedSeat struct {
	Match   MatchID
	Place   int
	Queue   string
	Account AccountID // "": deleted since
	Team    int
	Before  matchmaking.Rating // when the match began
	Change  int                // of the points, by the result
	Rated   time.Time          // zero: the result has not been counted
}

// LeaderboardAfter is the row behind which a page begins.
type LeaderboardAfter struct {
	Points  int
	Account AccountID
}
