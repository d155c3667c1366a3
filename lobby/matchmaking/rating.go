package matchmaking

import "math"

// Rating estimates the skill of a player: most probably Mean, within one Deviation in
// two of three cases.
type Rating struct {
	Mean, Deviation float64
}

// The rating of a new player, and the deviation at which a rating becomes too uncertain for the list. After about ten
// matches against equals the deviation is lower.
const (
	newMean              = 1500
	newDeviation         = 500
	provisionalDeviation = 280
)

// NewRating is the rating of a new player.
func NewRating() Rating { return Rating{newMean, newDeviation} }

// Provisional reports whether the rating is still too uncertain for the list.
func (r Rating) Provisional() bool { return r.Deviation > provisionalDeviation }

// Reset moves a rating towards a new player's, mean and variance. It keeps a share of the distance.
func (r Rating) Reset(keep float64) Rating {
	variance := newDeviation*newDeviation + (r.Deviation*r.Deviation-newDeviation*newDeviation)*keep
	return Rating{newMean + (r.Mean-newMean)*keep, math.Sqrt(variance)}
}

// Outcome of a match of two teams.
type Outcome int

// The outcomes.
const (
	Draw      Outcome = iota
	FirstWon          // the first team
	SecondWon         // the second
)

// WengLin rates by the Bradley-Terry model of Weng and Lin, "A Bayesian Approximation
// Method for Online Ranking", Journal of Machine Learning Research 12 (2011), algorithm
// 1, for two teams, with gamma 1. The OpenSkill libraries give the same results with gamma 1 and the same proportions;
// 60 points here are one point there. Their default gamma makes the deviation shrink more slowly: after the same number
// of matches, ratings are then about twice as far from the truth (docs/contributing/matchmaking.md).
type WengLin struct {
	// Beta is the luck in one match: the deviation of a player's performance from its
	// skill.
	Beta float64
	// Tau is added to the deviation before each match, as the root of the sum of squares. It stands for learning and
	// forgetting between matches.
	Tau float64
}

// NewWengLin returns the rater with the proportions of OpenSkill.
func NewWengLin() WengLin { return WengLin{Beta: newDeviation / 2, Tau: newDeviation / 100} }

// shrinkMost is the smallest share of a variance that one match leaves.
const shrinkMost = 0.0001

// Rate implements [Rater].
func (w WengLin) Rate(teams [2][]Rating, o Outcome) [2][]Rating {
	var out [2][]Rating
	var mean, variance [2]float64 // of the teams: sums
	for t, team := range teams {
		for _, r := range team {
			r.Deviation = math.Hypot(r.Deviation, w.Tau)
			out[t] = append(out[t], r)
			mean[t] += r.Mean
			variance[t] += r.Deviation * r.Deviation
		}
	}
	c := math.Sqrt(variance[0] + variance[1] + 2*w.Beta*w.Beta)
	for t := range out {
		p := 1 / (1 + math.Exp((mean[1-t]-mean[t])/c)) // that the team wins
		score := 0.5
		switch o {
		case FirstWon:
			score = float64(1 - t)
		case SecondWon:
			score = float64(t)
		}
		moved := variance[t] / c * (score - p)
		learned := variance[t] / (c * c) * p * (1 - p)
		for i := range out[t] {
			r := &out[t][i]
			share := r.Deviation * r.Deviation / variance[t]
			r.Mean += share * moved
			r.Deviation *= math.Sqrt(max(1-share*learned, shrinkMost))
		}
	}
	return out
}
