package bench

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/lobby/matchmaking"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// MatchmakingConfig is what [Matchmaking] simulates.
type MatchmakingConfig struct {
	asJSON
	Players int    `default:"500" help:"Players of the full queues; a tenth of them are in the quiet ones."`
	Hours   int    `default:"24" help:"Simulated hours."`
	Avoids  int    `default:"10" help:"Accounts that each player avoids, in the queues with such lists."`
	Vetoes  int    `default:"2" help:"Maps that each player dislikes, and strikes out in the same queues. The pool has seven."`
	Seed    uint64 `default:"1" help:"Another seed has other players and other luck."`
}

// poolMaps is the size of the pool of maps.
const poolMaps = 7

// Validate checks the bounds.
func (c *MatchmakingConfig) Validate() error {
	switch {
	case c.Players < 40 || c.Players > 5000:
		return errors.New("--players: want 40 to 5000")
	case c.Hours < 1 || c.Hours > 240:
		return errors.New("--hours: want 1 to 240")
	case c.Avoids < 0 || c.Avoids > c.Players/20:
		return errors.New("--avoids: want 0 to a twentieth of --players")
	case c.Vetoes < 0 || c.Vetoes > poolMaps-2:
		return fmt.Errorf("--vetoes: want 0 to %d", poolMaps-2)
	}
	return nil
}

// Run simulates and prints.
func (c *MatchmakingConfig) Run(in *cli.Invocation) error {
	return c.print(in.Stdout, map[string][]SimulatedQueue{"queues": Matchmaking(*c)})
}

// Matchmaking lets people with known strengths wait in queues with the default rules, second by second. Each queue is
// simulated without and with lists of avoided accounts and vetoes.
func Matchmaking(c MatchmakingConfig) (out []SimulatedQueue) {
	for _, row := range []SimulatedQueue{
		{TeamSize: 1, Online: c.Players},
		{TeamSize: 1, Online: c.Players / 10},
		{TeamSize: 2, Online: c.Players, Parties: 0.4},
		{TeamSize: 2, Online: c.Players / 10, Parties: 0.4},
	} {
		for _, row.Lists = range []bool{false, true} {
			again := row
			again.play(c)
			out = append(out, again)
		}
	}
	return out
}

// SimulatedQueue is a queue with simulated players, and their outcomes.
type SimulatedQueue struct {
	TeamSize   int     `json:"team_size"`
	Online     int     `json:"online"`  // players who are there at the same time
	Parties    float64 `json:"parties"` // share of players who come as a party of two
	Lists      bool    `json:"lists"`   // the queue honours avoided accounts and vetoes
	Matches    int     `json:"matches"`
	WaitP50S   float64 `json:"wait_p50_s"`
	WaitP95S   float64 `json:"wait_p95_s"`
	WaitP99S   float64 `json:"wait_p99_s"`
	WaitMostS  float64 `json:"wait_most_s"`
	ApartP50   float64 `json:"apart_p50"` // difference of the teams' mean ratings, in points
	ApartP95   float64 `json:"apart_p95"`
	ApartP99   float64 `json:"apart_p99"`
	Favourite  float64 `json:"favourite"`        // how often the team with the better ratings won
	ErrorP50   float64 `json:"rating_error_p50"` // of the rating, against the player's true strength
	ErrorStart float64 `json:"rating_error_start"`
	Met        float64 `json:"met_avoided"`  // share of matches with an account that one of its players avoids
	Disliked   float64 `json:"disliked_map"` // share of the players of matches whose map they dislike
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
	rating   matchmaking.Rating
	free     time.Time // when it queues again
	party    string    // id of its party
	avoids   []string  // ids of the parties of avoided accounts
	dislikes []string  // ids of maps
}

// peopleOf draws the players of a queue.
func (row *SimulatedQueue) peopleOf(c MatchmakingConfig, start time.Time, source *rand.Rand, pool []model.MapInfo) []*person {
	people := make([]*person, row.Online)
	for i := range people {
		people[i] = &person{
			strength: 1500 + trueSpread*source.NormFloat64(), rating: matchmaking.NewRating(), party: fmt.Sprintf("%06d", i),
			free: start.Add(time.Duration(source.Float64() * float64(20*time.Minute))),
		}
	}
	for i := 0; i+1 < int(row.Parties*float64(len(people))); i += 2 {
		people[i+1].party, people[i+1].free = people[i].party, people[i].free
	}
	for _, p := range people {
		// A queue has a share of all players, and of the avoided accounts.
		for range c.Avoids * row.Online / c.Players {
			if other := people[source.IntN(len(people))].party; other != p.party {
				p.avoids = append(p.avoids, other)
			}
		}
		for _, i := range source.Perm(len(pool))[:c.Vetoes] {
			p.dislikes = append(p.dislikes, pool[i].ID)
		}
	}
	return people
}

func (row *SimulatedQueue) play(c MatchmakingConfig) {
	source := rand.New(rand.NewPCG(c.Seed, uint64(row.TeamSize)<<32|uint64(row.Online)))
	draw := rand.New(rand.NewPCG(c.Seed, 0)) // of the maps alone
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var pool []model.MapInfo
	for i := range poolMaps {
		pool = append(pool, model.MapInfo{ID: fmt.Sprint("map ", i)})
	}
	people := row.peopleOf(c, start, source, pool)
	members := map[string][]*person{} // of the parties, by the entry's id
	for _, p := range people {
		members[p.party] = append(members[p.party], p)
	}
	queue := model.Queue{}
	if row.Lists {
		queue.Vetoes = c.Vetoes
	}
	rules, rater := matchmaking.Rules{TeamSize: row.TeamSize, Width: matchmaking.DefaultWidth()}, matchmaking.NewWengLin()
	var waits, apart []float64
	favourite, met, disliked := 0, 0, 0
	for now, end := start, start.Add(time.Duration(c.Hours)*time.Hour); now.Before(end); now = now.Add(time.Second) {
		var entries []matchmaking.Entry
		for id, who := range members {
			if who[0].free.After(now) {
				continue
			}
			e := matchmaking.Entry{ID: id, Since: who[0].free}
			for _, p := range who {
				e.Members = append(e.Members, p.rating)
				if row.Lists {
					e.Avoids = append(e.Avoids, p.avoids...)
				}
			}
			entries = append(entries, e)
		}
		for _, m := range rules.Pair(now, entries) {
			var teams [2][]*person
			var ratings [2][]matchmaking.Rating
			var strength, mean [2]float64
			var wishes [2][][]string
			for t, ids := range m.Teams {
				for _, id := range ids {
					wishes[t] = append(wishes[t], members[id][0].dislikes)
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
			left, _ := queue.Strike(pool, wishes, draw)
			played := left[draw.IntN(len(left))].ID
			everyone := slices.Concat(teams[0], teams[1])
			if slices.ContainsFunc(everyone, func(p *person) bool {
				return slices.ContainsFunc(everyone, func(q *person) bool { return slices.Contains(p.avoids, q.party) })
			}) {
				met++
			}
			for _, p := range everyone {
				if slices.Contains(p.dislikes, played) {
					disliked++
				}
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
	matches := float64(max(1, row.Matches))
	row.WaitP50S, row.WaitP95S, row.WaitP99S, row.WaitMostS = part(waits, .5), part(waits, .95), part(waits, .99), part(waits, 1)
	row.ApartP50, row.ApartP95, row.ApartP99 = part(apart, .5), part(apart, .95), part(apart, .99)
	row.Favourite, row.Met, row.Disliked = float64(favourite)/matches, float64(met)/matches, float64(disliked)/float64(max(1, len(waits)))
	row.ErrorP50, row.ErrorStart = part(errors, .5), part(errorsStart, .5)
}

// part returns the value below which a share of the values are; it sorts them.
func part(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(share*float64(len(values))))]
}
