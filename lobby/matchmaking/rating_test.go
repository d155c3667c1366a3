package matchmaking

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// ratedMatch is a row of testdata/openskill.json: the result of the npm package
// openskill 4.1.0 for a match with the model bradleyTerryFull, gamma 1 and tau 5/60
// (with plackettLuce it is the same: there are two teams), all values times 60.
type ratedMatch struct {
	Teams [2][][2]float64
	Place [2]int
	Rated [2][][2]float64
}

func ratingsOf(in [2][][2]float64) (out [2][]Rating) {
	for t, team := range in {
		for _, r := range team {
			out[t] = append(out[t], Rating{r[0], r[1]})
		}
	}
	return out
}

func near(a, b Rating, by float64) bool {
	return math.Abs(a.Mean-b.Mean) < by && math.Abs(a.Deviation-b.Deviation) < by
}

func TestRatesAsOpenSkillDoes(t *testing.T) {
	raw, err := os.ReadFile("testdata/openskill.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []ratedMatch
	if err := json.Unmarshal(raw, &rows); err != nil || len(rows) < 8 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for i, row := range rows {
		o := Draw
		switch {
		case row.Place[0] < row.Place[1]:
			o = FirstWon
		case row.Place[0] > row.Place[1]:
			o = SecondWon
		}
		got, want := NewWengLin().Rate(ratingsOf(row.Teams), o), ratingsOf(row.Rated)
		for team := range got {
			for j := range got[team] {
				if !near(got[team][j], want[team][j], 1e-6) {
					t.Errorf("row %d, team %d, player %d: %v, want %v", i, team, j, got[team][j], want[team][j])
				}
			}
		}
	}
}

func rating(t *rapid.T, label string) Rating {
	return Rating{rapid.Float64Range(0, 3000).Draw(t, label), rapid.Float64Range(30, 500).Draw(t, label+" deviation")}
}

func TestRatingRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var teams [2][]Rating
		for i := range teams {
			for range rapid.IntRange(1, TeamSizeMax).Draw(t, "size") {
				teams[i] = append(teams[i], rating(t, "player"))
			}
		}
		w := NewWengLin()
		won, lost, drawn := w.Rate(teams, FirstWon), w.Rate(teams, SecondWon), w.Rate(teams, Draw)
		mirrored := w.Rate([2][]Rating{teams[1], teams[0]}, SecondWon)
		for i := range teams[0] {
			before := teams[0][i]
			if won[0][i].Mean < before.Mean || lost[0][i].Mean > before.Mean || won[0][i].Mean < drawn[0][i].Mean || lost[0][i].Mean > drawn[0][i].Mean {
				t.Fatalf("%v becomes %v by a win, %v by a loss, %v by a draw", before, won[0][i], lost[0][i], drawn[0][i])
			}
			if won[0][i].Deviation > math.Hypot(before.Deviation, w.Tau) || won[0][i].Deviation <= 0 {
				t.Fatalf("the deviation of %v becomes %v", before, won[0][i])
			}
			if !near(won[0][i], mirrored[1][i], 1e-9) {
				t.Fatalf("the order of teams matters: %v, %v", won[0][i], mirrored[1][i])
			}
		}
	})
}

// A new player is provisional for about ten matches against equals.
func TestProvisional(t *testing.T) {
	r, n := NewRating(), 0
	for ; r.Provisional() && n < 100; n++ {
		r = NewWengLin().Rate([2][]Rating{{r}, {{r.Mean, 200}}}, Outcome(1+n%2))[0][0]
	}
	if n < 8 || n > 12 {
		t.Errorf("provisional for %d matches, until %v", n, r)
	}
}
