package model

import (
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/matchmaking"
)

func TestSeasonsOfARating(t *testing.T) {
	now := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	q := Queue{Ladder: &Ladder{
		Placements: 3, KeepPercent: 50, Decay: &Decay{Above: 1800, AfterDays: 14, PerDay: 30}, Divisions: []Division{{"Iron", 1000}, {"Gold", 1800}},
	}}
	r := QueueRating{Rating: matchmaking.Rating{Mean: 1900, Deviation: 100}, Won: 2, Season: 1}
	if q.Counted(&r, now); !r.Provisional || q.PlacementsLeft(r) != 1 || q.Division(r) != "" {
		t.Errorf("with a placement match left: %+v", r)
	}
	r.Lost++
	if q.Counted(&r, now); r.Provisional || q.PlacementsLeft(r) != 0 || q.Division(r) != "Gold" {
		t.Errorf("after the placement matches: %+v", r)
	}

	idle := r
	for _, day := range []struct{ days, points int }{{13, 1900}, {14, 1870}, {15, 1840}, {15, 1840}, {40, 1800}, {400, 1800}} {
		if q.Ladder.Decay.Decayed(&idle, now.AddDate(0, 0, day.days)); idle.Points() != day.points {
			t.Errorf("after %d idle days %d points, want %d", day.days, idle.Points(), day.points)
		}
	}
	at := QueueRating{Rating: matchmaking.Rating{Mean: 1800}}
	if q.Counted(&at, now); !at.Decays.IsZero() {
		t.Errorf("a rating at the bound decays on %v", at.Decays)
	}

	for _, c := range []struct{ season, points, deviation, past int }{
		{1, 1900, 100, 0},
		{2, 1700, 360, 1}, // half of the distance: of the variances too
		{3, 1600, 435, 1}, // a season without a match has no result
	} {
		got := q.InSeason(r, c.season)
		if got.Points() != c.points || int(got.Rating.Deviation) != c.deviation || len(got.Past) != c.past {
			t.Errorf("in season %d: %+v", c.season, got)
		}
		if c.past > 0 && (got.Played() != 0 || !got.Provisional || !got.Decays.IsZero() || got.Past[0] != (PastSeason{1, 1900, "Gold", 2, 1, 0})) {
			t.Errorf("in season %d: %+v", c.season, got)
		}
	}
	if s := (Season{Ends: now}); !s.Over(now) || s.Over(now.Add(-1)) || (Season{}).Over(now) {
		t.Error("a season ends at its end")
	}
	for _, l := range []Ladder{
		{Placements: 51}, {KeepPercent: 101}, {Decay: &Decay{PerDay: 0, AfterDays: 1}}, {Decay: &Decay{PerDay: 1}},
		{Divisions: []Division{{"a", 5}, {"b", 5}}}, {Divisions: []Division{{"", 5}}},
	} {
		if l.validate() == nil {
			t.Errorf("%+v is taken", l)
		}
	}
}
