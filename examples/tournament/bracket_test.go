package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestElimination: every player but the champion loses once, or twice in a double elimination; the champion loses less.
// The favourites' tournament is won by the best seed, who meets the second best in the final alone.
func TestElimination(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for players := playersLeast; players <= playersMost; players++ {
		for _, double := range []bool{false, true} {
			for _, upsets := range []float64{0, 0.5} {
				b, err := NewBracket(players, double)
				if err != nil {
					t.Fatal(err)
				}
				lives := 1
				if double {
					lives = 2
				}
				lost, played := make([]int, players), 0
				var last [2]int
				for {
					ready := b.Ready()
					if len(ready) == 0 {
						break
					}
					m := ready[random.IntN(len(ready))]
					p, _ := m.Players()
					if p[0] == p[1] || lost[p[0]] >= lives || lost[p[1]] >= lives {
						t.Fatalf("%d players, double %v: %s is between %v, who have lost %d and %d times", players, double, m.Name, p, lost[p[0]], lost[p[1]])
					}
					side := 0
					if (p[1] < p[0]) != (random.Float64() < upsets) {
						side = 1
					}
					if err := b.Report(m, side); err != nil {
						t.Fatal(err)
					}
					if b.Report(m, side) == nil {
						t.Fatalf("%s has two results", m.Name)
					}
					lost[p[1-side]]++
					last = p
					played++
				}
				champion, over := b.Champion()
				if !over {
					t.Fatalf("%d players, double %v: no champion after %d matches", players, double, played)
				}
				for p, n := range lost {
					if p != champion && n != lives || p == champion && n >= lives {
						t.Errorf("%d players, double %v: %d has lost %d times, the champion is %d", players, double, p, n, champion)
					}
				}
				if want := lives*(players-1) + lost[champion]; played != want {
					t.Errorf("%d players, double %v: %d matches, want %d", players, double, played, want)
				}
				slices.Sort(last[:])
				if upsets == 0 && (champion != 0 || last != [2]int{0, 1}) {
					t.Errorf("%d players, double %v: the favourites' final is %v, won by %d", players, double, last, champion)
				}
			}
		}
	}
	for _, n := range []int{0, 3, 65} {
		if _, err := NewBracket(n, true); err == nil {
			t.Errorf("a tournament of %d", n)
		}
	}
}
