package nav

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// testMap draws cliffs: single ones, and walls with gaps.
func testMap(r *rand.Rand, w, h int) *grid.Map {
	m := grid.NewMap("routes", w, h)
	close := func(x, y int) {
		if i := y*w + x; x >= 0 && y >= 0 && x < w && y < h {
			m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
		}
	}
	for range w * h * r.IntN(30) / 100 {
		close(r.IntN(w), r.IntN(h))
	}
	for range r.IntN(12) {
		x, y, long, gap := r.IntN(w), r.IntN(h), 10+r.IntN(60), 1+r.IntN(5)
		across := r.IntN(2) == 0
		for i := range long {
			if i < long/2 || i >= long/2+gap {
				if across {
					close(x+i, y)
				} else {
					close(x, y+i)
				}
			}
		}
	}
	return m
}

// change opens and closes some tiles as a team gets to know structures.
func change(r *rand.Rand, g *Ground) {
	x, y := r.IntN(g.m.W-6), r.IntN(g.m.H-6)
	on := r.IntN(3) > 0
	for dy := range 1 + r.IntN(6) {
		for dx := range 1 + r.IntN(6) {
			i := (y+dy)*g.m.W + x + dx
			if r.IntN(20) == 0 {
				g.Touch(i)
			} else {
				g.Set(i, map[bool]uint8{true: Shut}[on])
			}
		}
	}
}

// obviousCost finds the cost of the shortest way over tiles, -1 without a way: it looks at
// all tiles again and again until no tile gets cheaper.
func obviousCost(g *Ground, body Body, from, to grid.Tile) int32 {
	open := func(t grid.Tile) bool { return t == from || g.OpenAt(t, body) }
	costs := make([]int32, g.m.W*g.m.H) // and 1; 0: not met
	costs[g.m.Index(from)] = 1
	for work := []grid.Tile{from}; len(work) > 0; {
		at := work[0]
		work = work[1:]
		for dy := int16(-1); dy <= 1; dy++ {
			for dx := int16(-1); dx <= 1; dx++ {
				t := grid.Tile{X: at.X + dx, Y: at.Y + dy}
				if !g.m.In(t) || !open(t) || !open(grid.Tile{X: t.X, Y: at.Y}) || !open(grid.Tile{X: at.X, Y: t.Y}) {
					continue
				}
				c := costs[g.m.Index(at)] + 10
				if dx != 0 && dy != 0 {
					c += 4
				}
				if was := &costs[g.m.Index(t)]; *was == 0 || c < *was {
					*was = c
					work = append(work, t)
				}
			}
		}
	}
	return costs[g.m.Index(to)] - 1
}

// TestRoutesBesideObvious follows routes over random ground that changes, part by part.
// They cross no tile that is known to be closed, they end at the goal if any way leads
// there, and they cost little more than the shortest way.
func TestRoutesBesideObvious(t *testing.T) {
	found, standing, sum := 0, 0, 0.0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := testMap(r, 40+r.IntN(100), 40+r.IntN(100))
		g := NewGround(NewBase(m))
		f := NewFinder(m, 2)
		f.most = 0 // no fields
		for range 12 {
			change(r, &g)
			body := Body{Radius: 300}
			if r.IntN(4) == 0 {
				body.Radius = 700
			}
			from, to := m.TileAt(r.IntN(m.W*m.H)), m.TileAt(r.IntN(m.W*m.H))
			if !g.OpenAt(from, body) || !g.OpenAt(to, body) {
				continue
			}
			least := obviousCost(&g, body, from, to)
			cost, ok := followRoute(t, f, &g, body, from, to)
			if ok != (least >= 0) {
				t.Fatalf("seed %d: from %v to %v: a route: %v, the shortest way costs %d", seed, from, to, ok, least)
			}
			if !ok {
				standing++
				continue
			}
			found++
			sum += float64(cost+1) / float64(least+1)
			// A short way bends as much for a crossing as a long one, so some tiles are
			// allowed besides.
			if most := least*110/100 + 60; cost > most {
				t.Errorf("seed %d: from %v to %v with radius %d: the route costs %d, the shortest way %d", seed, from, to, body.Radius, cost, least)
			}
		}
	}
	if mean := sum / float64(found); found < 150 || standing < 5 || mean > 1.03 {
		t.Errorf("%d routes, %.3f times the shortest way in the mean; %d stand", found, mean, standing)
	}
}

// followRoute walks a route to its end. It returns the cost of the way over tiles.
func followRoute(t *testing.T, f *Finder, g *Ground, body Body, from, to grid.Tile) (cost int32, ok bool) {
	t.Helper()
	at, goal, wu := from.Center(), to.Center(), int64(0)
	for parts := 0; at != goal; parts++ {
		if parts > 400 {
			t.Fatalf("the route from %v to %v does not end", from, to)
		}
		legs, end, answer := f.Find(g, Request{Body: body, From: at, Goal: goal, Hub: goal})
		f.Grow(g, 0, 0)
		if answer == Pending {
			continue
		}
		if end != goal {
			return 0, false
		}
		for _, leg := range legs {
			if !g.lineOpen(body, at, leg) {
				t.Fatalf("from %v to %v: the leg from %v to %v is closed", from, to, at, leg)
			}
			d := leg.Sub(at)
			x, y := int64(max(d.X, -d.X)), int64(max(d.Y, -d.Y))
			wu += 10*max(x, y) + 4*min(x, y)
			at = leg
		}
	}
	return int32(wu / grid.WUPerTile), true
}

// TestGraphIsKeptUp changes the ground, and compares the maintained graph with a graph made
// at once: a match that goes on after a recovery has the latter.
func TestGraphIsKeptUp(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := testMap(r, 100+r.IntN(60), 60+r.IntN(60))
		base := NewBase(m)
		g := NewGround(base)
		for step := range 10 {
			change(r, &g)
			fresh := NewGround(NewBase(m))
			copy(fresh.solid, g.solid)
			for _, w := range []walker{Body{Radius: 300}.walker(), Body{Radius: 700}.walker()} {
				cg, own := g.graph(w)
				freshCg, freshOwn := fresh.graph(w)
				if r.IntN(2) == 0 {
					continue // several changes at once
				}
				for c := range cg.cells {
					if a, b := g.cluster(w, cg, own, c), fresh.cluster(w, freshCg, freshOwn, c); !reflect.DeepEqual(a, b) {
						t.Fatalf("seed %d, step %d: cluster %d is %+v, made at once %+v", seed, step, c, a, b)
					}
				}
				for d := range cg.districts {
					if a, b := g.district(w, cg, own, d), fresh.district(w, freshCg, freshOwn, d); !reflect.DeepEqual(a, b) {
						t.Fatalf("seed %d, step %d: district %d is %+v, made at once %+v", seed, step, d, a, b)
					}
				}
			}
		}
		for i := range g.solid {
			g.Set(i, 0)
		}
		g.ForgetTouched(func(grid.Tile) bool { return true }, func(int) {})
		cg, own := g.graph(0)
		for c := range cg.cells {
			if g.cluster(0, cg, own, c) != cg.cells[c] {
				t.Fatalf("seed %d: nothing is closed, and cluster %d is not the map's", seed, c)
			}
		}
	}
}

// TestLandmarksSayTooLittle: a landmark's bound for two crossings of the map is never more
// than the cost from one to the other.
func TestLandmarksSayTooLittle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	m := testMap(r, 150, 130)
	b := NewBase(m)
	cg := b.graph(0)
	bare := NewGround(b)
	var all []int32
	for _, x := range cg.cells {
		all = append(all, x.id...)
	}
	pairs := 0
	for range 30 {
		from := all[r.IntN(len(all))]
		b.inner.spread(&bare, 0, from)
		for _, id := range b.inner.met {
			for l := range landmarkCount {
				d := cg.rows[id][l] - cg.rows[from][l]
				if cost := b.inner.nodes[id].cost; max(d, -d)-routeSlack > cost {
					t.Fatalf("from %d to %d costs %d, landmark %d says %d", from, id, cost, l, max(d, -d))
				}
				pairs++
			}
		}
	}
	if pairs < 10_000 {
		t.Errorf("only %d pairs", pairs)
	}
}
