package headless

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Weak and strong bots win the modes whose areas they have to hold, against an idle player.
func TestBotsHoldTheAreasOfAMode(t *testing.T) {
	rs, err := rules.Shipped("arsenal")
	if err != nil {
		t.Fatal(err)
	}
	m := mapNamed(t, "twin-fords")
	a, b := far(m)
	for mode, reason := range map[string]string{"king-of-the-hill": "hill-held", "capture-points": "points-held"} {
		for _, level := range []bot.Level{bot.Beginner, bot.Medium, bot.Master} {
			t.Run(mode+" "+level.String(), func(t *testing.T) {
				t.Parallel()
				r, err := told(t, Match{
					Map: m, Rules: rs, Seed: 3, TickRate: 5, FrameTicks: 1, Options: sim.Options{Mode: mode}, LimitSeconds: 900,
					Seats: []Seat{{Team: 0, Start: a}, {New: level.New, Team: 1, Start: b}},
				}).Play()
				if err != nil || r.Winner != 1 || r.Reason != reason {
					t.Errorf("it ended with %s at tick %d, winner %d, %v", r.Reason, r.Ticks, r.Winner, err)
				}
			})
		}
	}
}
