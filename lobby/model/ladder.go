package model

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Ladder has the rules of a queue's seasons. Operators write it as JSON, see docs/reference/matchmaking.md.
type Ladder struct {
	Placements  int        `json:"placements,omitempty"` // first matches of a season, in which the rating is hidden
	KeepPercent int        `json:"keepPercent"`          // how much of its distance to a new player's rating a rating keeps in the next season
	Decay       *Decay     `json:"decay,omitempty"`
	Divisions   []Division `json:"divisions,omitempty"` // the lowest first
}

// Decay lowers the ratings of idle accounts down to a bound.
type Decay struct {
	Above     int `json:"above"`     // the bound
	AfterDays int `json:"afterDays"` // without a rated match
	PerDay    int `json:"perDay"`    // points
}

// Division is a part of the ladder.
type Division struct {
	Name string `json:"name"`
	From int    `json:"from" doc:"the lowest rating"`
}

// Limits of ladders.
const (
	placementsMost  = 50
	divisionsMost   = 16
	decayPerDayMost = 1000
	decayDaysMost   = 365
	pastSeasonsMost = 32
)

func (l *Ladder) validate() error {
	switch d := l.Decay; {
	case l.Placements < 0 || l.Placements > placementsMost || l.KeepPercent < 0 || l.KeepPercent > 100 || len(l.Divisions) > divisionsMost:
		return fmt.Errorf("ladder: want placements 0 to %d, keepPercent 0 to 100, at most %d divisions", placementsMost, divisionsMost)
	case d != nil && (d.PerDay < 1 || d.PerDay > decayPerDayMost || d.AfterDays < 1 || d.AfterDays > decayDaysMost):
		return fmt.Errorf("ladder: want a decay of 1 to %d points perDay, afterDays 1 to %d", decayPerDayMost, decayDaysMost)
	}
	for i, d := range l.Divisions {
		if _, err := CleanLine(BadName, "name", d.Name, queueNameLenMax); err != nil {
			return err
		}
		if i > 0 && d.From <= l.Divisions[i-1].From {
			return fmt.Errorf("ladder: division %q: want from above %d, the lower division's", d.Name, l.Divisions[i-1].From)
		}
	}
	return nil
}

// Season is a season of a queue. Season 0 is the time before the first one.
type Season struct {
	Number int
	Began  time.Time
	Ends   time.Time // zero: when an admin ends it
}

// Over reports whether the season has ended: no match counts until the next one begins.
func (s Season) Over(now time.Time) bool { return !s.Ends.IsZero() && !now.Before(s.Ends) }

// PastSeason is an account's result in a season.
type PastSeason struct {
	Season   int    `json:"season"`
	Rating   int    `json:"rating"`
	Division string `json:"division,omitempty"`
	Won      int    `json:"won"`
	Lost     int    `json:"lost"`
	Drawn    int    `json:"drawn"`
}

// Played counts the matches of the season.
func (r *QueueRating) Played() int { return r.Won + r.Lost + r.Drawn }

// InSeason is a rating as it is in the queue's season. The rating of an earlier season moves towards a new player's,
// once for each season since; its results are in the past. So the end of a season changes no row.
func (q *Queue) InSeason(r QueueRating, season int) QueueRating {
	if q.Ladder == nil || r.Season >= season {
		return r
	}
	if r.Played() > 0 {
		past := append(slices.Clone(r.Past), PastSeason{r.Season, r.Points(), q.Division(r), r.Won, r.Lost, r.Drawn})
		r.Past = past[max(0, len(past)-pastSeasonsMost):]
	}
	r.Rating = r.Rating.Reset(math.Pow(float64(q.Ladder.KeepPercent)/100, float64(season-r.Season)))
	r.Season, r.Won, r.Lost, r.Drawn, r.Decays = season, 0, 0, 0, time.Time{}
	r.Provisional = q.Provisional(r)
	return r
}

// PlacementsLeft counts the matches until the rating is shown.
func (q *Queue) PlacementsLeft(r QueueRating) int {
	if q.Ladder == nil {
		return 0
	}
	return max(0, q.Ladder.Placements-r.Played())
}

// Provisional reports whether the leaderboard leaves a rating out.
func (q *Queue) Provisional(r QueueRating) bool {
	if q.Ladder != nil && q.Ladder.Placements > 0 {
		return q.PlacementsLeft(r) > 0
	}
	return r.Rating.Provisional()
}

// Division names the division of a rating; "" while it is provisional, and below the lowest.
func (q *Queue) Division(r QueueRating) (name string) {
	if q.Ladder == nil || q.Provisional(r) {
		return ""
	}
	for _, d := range q.Ladder.Divisions {
		if r.Points() >= d.From {
			name = d.Name
		}
	}
	return name
}

// Counted notes that a match was counted: the rating is in view or not, and its decay begins anew.
func (q *Queue) Counted(r *QueueRating, now time.Time) {
	r.Provisional, r.Decays = q.Provisional(*r), time.Time{}
	if q.Ladder != nil && q.Ladder.Decay != nil && r.Points() > q.Ladder.Decay.Above {
		r.Decays = now.AddDate(0, 0, q.Ladder.Decay.AfterDays)
	}
}

// Decayed takes the points of the days without a match off a rating, down to the bound.
func (d *Decay) Decayed(r *QueueRating, now time.Time) {
	for !r.Decays.IsZero() && !now.Before(r.Decays) {
		r.Rating.Mean = max(float64(d.Above), r.Rating.Mean-float64(d.PerDay))
		if r.Decays = r.Decays.AddDate(0, 0, 1); r.Points() <= d.Above {
			r.Decays = time.Time{}
		}
	}
}
