package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/lobby/matchmaking"
)

// MatchmakingConfig says who plays in the simulated queues.
type MatchmakingConfig struct {
	asJSON
	Players int    `default:"500" help:"Players of the server, 20 to 5000."`
	Hours   int    `default:"24" help:"Hours of play, 1 to 240."`
	Seed    uint64 `default:"1" help:"Seed of the simulated people."`
}

// Run simulates and prints.
func (c *MatchmakingConfig) Run(in *cli.Invocation) error {
	if c.Players < 20 || c.Players > 5000 || c.Hours < 1 || c.Hours > 240 {
		return errors.New("want 20 to 5000 players and 1 to 240 hours")
	}
	r, err := Matchmaking(in.Ctx, *c)
	if err != nil {
		return err
	}
	return c.print(in.Stdout, r)
}

// MatchmakingReport is how long players waited, and how even their matches were.
type MatchmakingReport struct {
	Players int              `json:"players"`
	Hours   int              `json:"hours"`
	Seed    uint64           `json:"seed"`
	Rows    []MatchmakingRow `json:"rows"`
}

// MatchmakingRow is one queue.
type MatchmakingRow struct {
	Name       string  `json:"name"`
	TeamSize   int     `json:"team_size"`
	Parties    float64 `json:"parties"` // share of players who come as a party of two
	Online     int     `json:"online"`  // players who are there at the same time
	Matches    int     `json:"matches"`
	WaitP50S   float64 `json:"wait_p50_s"`
	WaitP95S   float64 `json:"wait_p95_s"`
	WaitMaxS   float64 `json:"wait_max_s"`
	ApartP50   float64 `json:"apart_p50"` // difference of the teams' mean ratings, in points
	ApartP95   float64 `json:"apart_p95"`
	Favourite  float64 `json:"favourite"`   // how often the team with the better ratings won
	ErrorP50   float64 `json:"error_p50"`   // of the rating, against the player's true strength, at the end
	ErrorStart float64 `json:"error_start"` // the same, when nobody had played
}

// The simulated people: how different they are, how much luck a match has, how
// long they play and rest.
const (
	trueSpread   = 400 // deviation of the players' strengths, in rating points
	luck         = 250 // of one team in one match, as the rating has it
	matchMinutes = 8   // the shortest; 16 on average
	restMinutes  = 5   // on average
)

// Matchmaking lets people with known strengths play in queues with the default
// rules, second by second. The same configuration gives the same report.
func Matchmaking(ctx context.Context, c MatchmakingConfig) (*MatchmakingReport, error) {
	out := &MatchmakingReport{Players: c.Players, Hours: c.Hours, Seed: c.Seed}
	for _, row := range []MatchmakingRow{
		{Name: "1v1, everybody there", TeamSize: 1, Online: c.Players},
		{Name: "1v1, one in ten there", TeamSize: 1, Online: c.Players / 10},
		{Name: "2v2, everybody there", TeamSize: 2, Online: c.Players, Parties: 0.4},
		{Name: "2v2, one in ten there", TeamSize: 2, Online: c.Players / 10, Parties: 0.4},
	} {
		if err := simulateQueue(ctx, c, &row); err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// person is a simulated player.
type person struct {
	strength float64
	rating   matchmaking.Rating
	free     time.Time // when it queues again
	party    int       // of its members, the number in people; itself without a party
}

func simulateQueue(ctx context.Context, c MatchmakingConfig, row *MatchmakingRow) error {
	source := rand.New(rand.NewPCG(c.Seed, uint64(row.TeamSize)<<32|uint64(row.Online)))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	people := make([]*person, row.Online)
	for i := range people {
		people[i] = &person{
			strength: 1500 + trueSpread*source.NormFloat64(), rating: matchmaking.NewRating(), party: i,
			free: start.Add(time.Duration(source.Float64() * float64(20*time.Minute))),
		}
	}
	for i := 0; i+1 < int(row.Parties*float64(len(people))); i += 2 {
		people[i+1].party, people[i+1].free = i, people[i].free
	}
	members := map[string][]*person{} // of the parties, by the entry's id
	for _, p := range people {
		id := fmt.Sprintf("%06d", p.party)
		members[id] = append(members[id], p)
	}
	rules, rater := matchmaking.Rules{TeamSize: row.TeamSize, Width: matchmaking.DefaultWidth()}, matchmaking.NewWengLin()
	var waits, apart []float64
	favourite := 0
	for now, end := start, start.Add(time.Duration(c.Hours)*time.Hour); now.Before(end); now = now.Add(time.Second) {
		if err := ctx.Err(); err != nil {
			return err
		}
		var entries []matchmaking.Entry
		for id, who := range members {
			if who[0].free.After(now) {
				continue
			}
			e := matchmaking.Entry{ID: id, Since: who[0].free}
			for _, p := range who {
				e.Members = append(e.Members, p.rating)
			}
			entries = append(entries, e)
		}
		for _, m := range rules.Pair(now, entries) {
			var teams [2][]*person
			var ratings [2][]matchmaking.Rating
			var strength, mean [2]float64
			for t, ids := range m.Teams {
				for _, id := range ids {
					for _, p := range members[id] {
						waits = append(waits, now.Sub(p.free).Seconds())
						teams[t], ratings[t] = append(teams[t], p), append(ratings[t], p.rating)
						strength[t] += p.strength
						mean[t] += p.rating.Mean / float64(row.TeamSize)
					}
				}
			}
			outcome := matchmaking.FirstWon
			if source.Float64() > 1/(1+math.Exp((strength[1]-strength[0])/(math.Sqrt2*luck))) {
				outcome = matchmaking.SecondWon
			}
			row.Matches++
			apart = append(apart, math.Abs(mean[0]-mean[1]))
			if (mean[0] > mean[1]) == (outcome == matchmaking.FirstWon) {
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
		errorsStart = append(errorsStart, math.Abs(matchmaking.NewRating().Mean-p.strength))
	}
	row.WaitP50S, row.WaitP95S, row.WaitMaxS = part(waits, .5), part(waits, .95), part(waits, 1)
	row.ApartP50, row.ApartP95 = part(apart, .5), part(apart, .95)
	row.Favourite = float64(favourite) / float64(max(1, row.Matches))
	row.ErrorP50, row.ErrorStart = part(errors, .5), part(errorsStart, .5)
	return nil
}

// part returns the value below which a share of the values are; it sorts them.
func part(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(share*float64(len(values))))]
}
