package model

import (
	"errors"
	"testing"
)

var sides = []FactionInfo{{Name: "north"}, {Name: "south"}}

// TestFactionsOfSeats: players choose their own faction, the host chooses for bots; the server draws the others, by the seed.
func TestFactionsOfSeats(t *testing.T) {
	for wish, want := range map[string]string{"": "", RandomFaction: "", "south": "south"} {
		if got, err := FactionWish(wish, sides); got != want || err != nil {
			t.Errorf("the wish %q is stored as %q, %v", wish, got, err)
		}
	}
	refused := (*Error)(nil)
	if _, err := FactionWish("west", sides); !errors.As(err, &refused) || refused.Field != "faction" {
		t.Errorf("an unknown faction: %v", err)
	}
	l := room()
	sit(t, l, false, "a")
	if err := l.AddBot("host", "", nil); err != nil {
		t.Fatal(err)
	}
	south, one, five := "south", 1, 5
	l.Seats[1].Ready = true
	if err := l.Change("a", SeatChange{Faction: &south}); err != nil || l.Seats[1].Faction != south || l.Seats[1].Ready {
		t.Errorf("a player chooses: %v, %+v", err, l.Seats[1])
	}
	if err := l.SetFaction("host", 2, south); err != nil || l.Seats[2].Faction != south {
		t.Errorf("the host chooses for a bot: %v, %+v", err, l.Seats[2])
	}
	if l.SetFaction("host", 1, south) == nil || l.SetFaction("a", 2, south) == nil || l.SetFaction("host", 3, south) == nil {
		t.Error("the host chooses for a player, a player for a bot, or a faction goes to a free seat")
	}
	spec := Spec{Seed: 3, Participants: []Participant{{Start: 0}, {Start: 1, Faction: "south"}, {Start: 2, Faction: "gone"}}}
	drawn := map[string]bool{}
	for seed := range uint64(20) {
		spec.Seed, spec.Participants[0].Faction = seed, ""
		spec.DrawFactions(sides)
		drawn[spec.Participants[0].Faction] = true
		again := Spec{Seed: seed, Participants: []Participant{{Start: 0}}}
		if again.DrawFactions(sides); again.Participants[0].Faction != spec.Participants[0].Faction {
			t.Error("a seed draws two factions")
		}
	}
	if !drawn["north"] || !drawn["south"] || len(drawn) != 2 || spec.Participants[1].Faction != "south" || !hasFaction(sides, spec.Participants[2].Faction) {
		t.Errorf("drawn are %v, the seats have %+v", drawn, spec.Participants)
	}
	none := Spec{Participants: []Participant{{}}}
	if none.DrawFactions(nil); none.Participants[0].Faction != "" {
		t.Error("a ruleset without factions has one")
	}
	// A free seat is another start point.
	three := 3
	if err := l.Change("a", SeatChange{Start: &three}); err != nil || l.SeatOf("a") != 2 || l.Seats[2].Place != 3 || l.Seats[2].Faction != south {
		t.Errorf("a player moves to another start: %v, %+v", err, l.Seats)
	}
	two := 2
	if l.Change("a", SeatChange{Start: &two}) == nil || l.Change("a", SeatChange{Start: &five}) == nil || l.Change("a", SeatChange{Start: &one}) != nil {
		t.Error("a player takes a taken seat, or one beyond the limit, or not a free one")
	}
	next := l.Options
	next.Ruleset = "another"
	if err := l.Set("host", Settings{Options: &next}); err != nil {
		t.Fatal(err)
	}
	for _, s := range l.Seats {
		if s.Faction != "" {
			t.Errorf("with another ruleset seat %d has the faction %q", s.Place, s.Faction)
		}
	}
}
