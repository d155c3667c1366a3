package matchmaking

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// simulatedQueue is a queue with simulated players, and their outcomes.
type simulatedQueue struct {
	teamSize, online             int     // online: players who are there at the same time
	parties                      float64 // share of players who come as a party of two
	matches                      int
	waitP50S, waitP95S, waitMaxS float64
	apartP50, apartP95           float64 // difference of the teams' mean ratings, in points
	favourite                    float64 // how often the team with the better ratings won
	errorP50, errorStart         float64 // of the rating, against the player's true strength: at the end, and at the start
}

// People with known strengths play in queues with the default rules, second by second.
// Everybody plays, and in 1v1 ratings come near to the strengths within the hours. The longer runs of
// docs/contributing/matchmaking.md are 24 hours with 500 players, and with 50.
func TestSimulatedQueues(t *testing.T) {
	for _, row := range []simulatedQueue{{teamSize: 1, online: 60}, {teamSize: 2, online: 60, parties: 0.4}} {
		again := row
		row.play(12, 1)
		again.play(12, 1)
		if row != again {
			t.Errorf("two runs differ: %+v, %+v", row, again)
		}
		if row.matches < 500 || row.waitMaxS > 600 || row.favourite < 0.5 {
			t.Errorf("%+v", row)
		}
		if row.teamSize == 1 && (row.waitMaxS > 300 || row.errorP50 > 0.6*row.errorStart) {
			t.Errorf("%+v", row)
		}
	}
}

// The simulated people: how different they are, how much luck a match has, how
// long they play and rest.
const (
	trueSpread   = 400 // deviation of the players' strengths, in rating points
	luck         = 250 // of one team in one match, as the rating has it
	matchMinutes = 8   // the shortest; 16 on average
	restMinutes  = 5   // on average
)

// person is a simulated player.
type person struct {
	strength float64
	rating   Rating
	free     time.Time // when it queues again
	party    int       // of its members, the number in people; itself without a party
}

func (row *simulatedQueue) play(hours int, seed uint64) {
	source := rand.New(rand.NewPCG(seed, uint64(row.teamSize)<<32|uint64(row.online)))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	people := make([]*person, row.online)
	for i := range people {
		people[i] = &person{
			strength: 1500 + trueSpread*source.NormFloat64(), rating: NewRating(), party: i,
			free: start.Add(time.Duration(source.Float64() * float64(20*time.Minute))),
		}
	}
	for i := 0; i+1 < int(row.parties*float64(len(people))); i += 2 {
		people[i+1].party, people[i+1].free = i, people[i].free
	}
	members := map[string][]*person{} // of the parties, by the entry's id
	for _, p := range people {
		id := fmt.Sprintf("%06d", p.party)
		members[id] = append(members[id], p)
	}
	rules, rater := Rules{TeamSize: row.teamSize, Width: DefaultWidth()}, NewWengLin()
	var waits, apart []float64
	favourite := 0
	for now, end := start, start.Add(time.Duration(hours)*time.Hour); now.Before(end); now = now.Add(time.Second) {
		var entries []Entry
		for id, who := range members {
			if who[0].free.After(now) {
				continue
			}
			e := Entry{ID: id, Since: who[0].free}
			for _, p := range who {
				e.Members = append(e.Members, p.rating)
			}
			entries = append(entries, e)
		}
		for _, m := range rules.Pair(now, entries) {
			var teams [2][]*person
			var ratings [2][]Rating
			var strength, mean [2]float64
			for t, ids := range m.Teams {
				for _, id := range ids {
					for _, p := range members[id] {
						waits = append(waits, now.Sub(p.free).Seconds())
						teams[t], ratings[t] = append(teams[t], p), append(ratings[t], p.rating)
						strength[t] += p.strength
						mean[t] += p.rating.Mean / float64(row.teamSize)
					}
				}
			}
			outcome := FirstWon
			if source.Float64() > 1/(1+math.Exp((strength[1]-strength[0])/(math.Sqrt2*luck))) {
				outcome = SecondWon
			}
			row.matches++
			apart = append(apart, math.Abs(mean[0]-mean[1]))
			if (mean[0] > mean[1]) == (outcome == FirstWon) {
				favourite++
			}
			after := rater.Rate(ratings, outcome)
			ends := now.Add(time.Duration((matchMinutes + matchMinutes*source.ExpFloat64()) * float64(time.Minute)))
			for t, team := range teams {
				for i, p := range team {
					p.rating = after[t][i]
				}
			}
			for _, ids := range m.Teams {
				for _, id := range ids { // a party rests together
					back := ends.Add(time.Duration(restMinutes * source.ExpFloat64() * float64(time.Minute))).Truncate(time.Second)
					for _, p := range members[id] {
						p.free = back
					}
				}
			}
		}
	}
	var errors, errorsStart []float64
	for _, p := range people {
		errors = append(errors, math.Abs(p.rating.Mean-p.strength))
		errorsStart = append(errorsStart, math.Abs(NewRating().Mean-p.strength))
	}
	row.waitP50S, row.waitP95S, row.waitMaxS = part(waits, .5), part(waits, .95), part(waits, 1)
	row.apartP50, row.apartP95 = part(apart, .5), part(apart, .95)
	row.favourite = float64(favourite) / float64(max(1, row.matches))
	row.errorP50, row.errorStart = part(errors, .5), part(errorsStart, .5)
}

// part returns the value below which a share of the values are; it sorts them.
func part(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(share*float64(len(values))))]
}
