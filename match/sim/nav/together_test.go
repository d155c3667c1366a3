package nav

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// together calls all at the same time.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

// TestRoutesTogether asks for many paths over ground that changes: one after the other,
// together without help, and together side by side. The answers, the budget that is left
// and the fields are the same, also where the budget does not cover all, and where parts
// of the graph are to be made again.
func TestRoutesTogether(t *testing.T) {
	found, pending := 0, 0
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 4))
		m := testMap(r, 150+r.IntN(60), 150+r.IntN(60))
		var grounds [3]Ground
		var finders [3]*Finder
		for i := range finders {
			grounds[i], finders[i] = NewGround(NewBase(m)), NewFinder(m, 2)
			finders[i].work = 500 // a field takes long, so that units walk routes meanwhile
			finders[i].budget = 12_000
			finders[i].left[1] = 12_000
		}
		for now := range grid.Tick(8) {
			for i := range grounds {
				changes := rand.New(rand.NewPCG(seed, uint64(now)))
				for range 3 {
					change(changes, &grounds[i])
				}
				for len(finders[i].fields[1]) > 0 {
					finders[i].dropField(1, 0)
				}
			}
			var all []Request
			for range 1 + r.IntN(100) {
				q := Request{Now: now, Slot: 1, Body: Body{Radius: 300}, From: m.TileAt(r.IntN(m.W * m.H)).Center(), Goal: m.TileAt(r.IntN(m.W * m.H)).Center()}
				if r.IntN(4) == 0 {
					q.Body.Radius = 700
				}
				if q.Group = r.IntN(4) == 0; q.Group {
					q.Goal = m.TileAt(m.W * m.H / 2).Center()
				}
				q.Hub = q.Goal
				all = append(all, q)
			}
			var one []Path
			for _, q := range all {
				legs, goal, answer := finders[0].Find(&grounds[0], q)
				p := Path{Goal: goal, Answer: answer}
				if answer == Found {
					p.Legs = slices.Clone(legs)
					found++
				} else {
					p.Goal = grid.Pos{} // has no meaning
					pending++
				}
				one = append(one, p)
			}
			for i, run := range []grid.Runner{nil, together} {
				for j, p := range finders[i+1].FindAll(&grounds[i+1], all, run) {
					if p.Answer != Found {
						p.Goal, p.Legs = grid.Pos{}, nil
					}
					if !reflect.DeepEqual(p, one[j]) {
						t.Fatalf("seed %d, tick %d, request %d: together %v, alone %v", seed, now, j, p, one[j])
					}
				}
				if a, b := finders[i+1].left, finders[0].left; a != b {
					t.Fatalf("seed %d, tick %d: of the budget %d is left, alone %d", seed, now, a[1], b[1])
				}
			}
			for i := range finders {
				finders[i].Grow(&grounds[i], 1, now)
			}
		}
	}
	if found < 300 || pending < 30 {
		t.Errorf("%d paths were found, %d requests waited", found, pending)
	}
}

// TestFewRoutesThrownAway has more requests than the budget covers. Of the routes that are
// searched side by side, few are thrown away because the budget ends before them.
func TestFewRoutesThrownAway(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 4))
	m := testMap(r, 200, 200)
	g := NewGround(NewBase(m))
	for _, budget := range []int{6000, 9000, 12_000, 20_000} {
		f := NewFinder(m, 2)
		f.work, f.budget, f.left[1] = 500, budget, budget
		var all []Request
		for range 140 {
			q := Request{Slot: 1, Body: Body{Radius: 300}, From: m.TileAt(r.IntN(m.W * m.H)).Center(), Goal: m.TileAt(r.IntN(m.W * m.H)).Center()}
			q.Hub = q.Goal
			all = append(all, q)
		}
		searched := 0
		run := func(n int, lane func(int)) {
			searched += len(f.asks)
			together(n, lane)
		}
		pending := 0
		for _, p := range f.FindAll(&g, all, run) {
			if p.Answer == Pending {
				pending++
			}
		}
		if f.left[1] > 0 || pending == 0 {
			t.Fatalf("a budget of %d: %d are left, %d requests wait", budget, f.left[1], pending)
		}
		asked := 0
		for i := range all {
			if f.asksRoute(&g, &all[i]) {
				asked++
			}
		}
		if thrown := searched - (asked - pending); thrown > routeLanes {
			t.Errorf("a budget of %d: %d routes of %d that were searched were thrown away", budget, thrown, searched)
		}
	}
}

// asksRoute reports whether a request needs a route.
func (f *Finder) asksRoute(g *Ground, q *Request) bool {
	f.asks = f.asks[:0]
	return f.find(g, q) == routeAsked
}
