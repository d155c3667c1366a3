package model

import (
	"errors"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// TestHandicapsOfSeats: the host sets any handicap, a player lowers its own; both take the word ready back, and the match
// gets them.
func TestHandicapsOfSeats(t *testing.T) {
	l := room()
	sit(t, l, false, "a", "b")
	sit(t, l, true, "eye")
	ready := func() {
		for i := range l.Seats {
			l.Seats[i].Ready = true
		}
	}
	ready()
	version := l.SettingsVersion
	low := grid.Handicap{Start: 50, Income: 100}
	if err := l.Change("a", SeatChange{Handicap: &low}); err != nil || l.Seats[1].Handicap != (grid.Handicap{Start: 50}) {
		t.Fatalf("a player lowers its own: %v, %+v", err, l.Seats[1])
	}
	if l.Seats[1].Ready || l.Seats[2].Ready || l.SettingsVersion != version+1 {
		t.Error("a player is still ready for the match before the change")
	}
	ready()
	if err := l.SetHandicap("host", 2, grid.Handicap{Damage: 400}); err != nil || l.Seats[2].Handicap.Damage != 400 || l.Seats[1].Ready || l.Seats[2].Ready {
		t.Errorf("the host raises a player's: %v, %+v", err, l.Seats)
	}
	version = l.SettingsVersion
	if err := l.SetHandicap("host", 2, grid.Handicap{Start: 100, Damage: 400}); err != nil || l.SettingsVersion != version {
		t.Errorf("the same handicap is a change: %v", err)
	}
	own := grid.Handicap{Income: 200}
	if err := l.Change("host", SeatChange{Handicap: &own}); err != nil || l.Seats[0].Handicap != own {
		t.Errorf("the host raises its own: %v", err)
	}
	eye := l.Seats[l.SeatOf("eye")].Place
	for why, c := range map[string]struct {
		err  error
		code Code
	}{
		"a player raises its own":     {l.Change("a", SeatChange{Handicap: &grid.Handicap{Start: 51}}), NotHost},
		"a player takes it back":      {l.Change("a", SeatChange{Handicap: &grid.Handicap{}}), NotHost},
		"a player sets another's":     {l.SetHandicap("a", 2, grid.Handicap{Damage: 50}), NotHost},
		"too low":                     {l.Change("a", SeatChange{Handicap: &grid.Handicap{Start: 9}}), BadRequest},
		"too high":                    {l.SetHandicap("host", 2, grid.Handicap{Damage: 401}), BadRequest},
		"a spectator":                 {l.SetHandicap("host", eye, low), WrongState},
		"a spectator for itself":      {l.Change("eye", SeatChange{Handicap: &low}), NotSeated},
		"a seat that is free":         {l.SetHandicap("host", 3, low), NoSuchSeat},
		"a stranger, for a player":    {l.SetHandicap("x", 1, low), NotSeated},
		"a stranger, for its no seat": {l.Change("x", SeatChange{Handicap: &low}), NotSeated},
	} {
		if !errors.Is(c.err, c.code) {
			t.Errorf("%s: %v, want %s", why, c.err, c.code)
		}
	}
	// A person who takes a seat over in the match plays with its handicap.
	l.State, l.Seats[2].Open = Playing, true
	if err := l.Sit(Account{ID: "c", Name: "C"}, false); err != nil || l.Seats[2].Account != "c" || l.Seats[2].Handicap.Damage != 400 {
		t.Errorf("taken over: %v, %+v", err, l.Seats[2])
	}
	if err := l.SetHandicap("host", 1, low); err == nil {
		t.Error("a handicap changes while the match runs")
	}
}
