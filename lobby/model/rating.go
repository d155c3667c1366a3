package model

import (
	"math"
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
