package visibility

import (
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// TestRefcountEqualsEngine moves a crowd over a map with odd sides and compares the
// baseline with the engine it is the baseline of: a baseline that is wrong would
// be no measure.
func TestRefcountEqualsEngine(t *testing.T) {
	m := grid.NewMap("flat", 67, 45)
	m.Occlusion = grid.OcclusionNone
	m.Starts = []grid.Tile{{}}
	e, err := New(Config{Map: m, Teams: 2})
	if err != nil {
		t.Fatal(err)
	}
	c := newRefcount(m.W, m.H, 2)
	rng := rand.New(rand.NewPCG(5, 6))
	type unit struct {
		id SourceID
		at grid.Tile
		r  int
	}
	var units []unit
	for i := range 60 {
		u := unit{at: m.TileAt(rng.IntN(m.W * m.H)), r: rng.IntN(30)}
		u.id = e.Add(grid.Team(i%2), Source{Tile: u.at, Radius: Radius(u.r)})
		c.add(grid.Team(i%2), u.at, u.r)
		units = append(units, u)
	}
	for step := range 60 {
		for i := range units {
			u := &units[i]
			to := grid.Tile{
				X: int16(max(0, min(m.W-1, int(u.at.X)+rng.IntN(3)-1))),
				Y: int16(max(0, min(m.H-1, int(u.at.Y)+rng.IntN(3)-1))),
			}
			if rng.IntN(10) == 0 {
				to = m.TileAt(rng.IntN(m.W * m.H))
			}
			e.Move(u.id, to)
			c.move(grid.Team(i%2), u.at, to, u.r)
			u.at = to
		}
		if step == 40 { // one goes
			last := len(units) - 1
			e.Remove(units[last].id)
			c.remove(grid.Team(last%2), units[last].at, units[last].r)
			units = units[:last]
		}
		e.Step(0)
		for i := range m.W * m.H {
			for team := range grid.Team(2) {
				if e.Visible(team, m.TileAt(i)) != c.visible(team, m.TileAt(i)) {
					t.Fatalf("step %d, team %d, %v: engine and counters differ", step, team, m.TileAt(i))
				}
			}
		}
		c.flush()
	}
}

// refcount keeps the teams' sight like most engines: one counter for each tile and team, of
// the sources that see the tile. Benchmarks compare the engine with it. It is as well
// written as the counters of real engines: 16 bits each, a team's counters side by side,
// circles as spans of rows. A source that moves touches only the strips in which its old
// and its new circle differ (as 0 A.D.'s CCmpRangeManager does). It has circles only and no
// terrain, where counting is at its best.
type refcount struct {
	w, h  int
	teams []countedTeam
	spans [65][]int16 // by radius in half tiles: half width of each row, from the top
}

type countedTeam struct {
	counts   []uint16
	explored []bool
	shown    []int32 // tiles that turned visible since flush
	hidden   []int32
}

// newRefcount returns counters that are all zero.
func newRefcount(w, h, teams int) *refcount {
	c := &refcount{w: w, h: h, teams: make([]countedTeam, teams)}
	for i := range c.teams {
		c.teams[i].counts = make([]uint16, w*h)
		c.teams[i].explored = make([]bool, w*h)
	}
	return c
}

// flush forgets the changes: a tick is over.
func (c *refcount) flush() {
	for i := range c.teams {
		t := &c.teams[i]
		t.shown, t.hidden = t.shown[:0], t.hidden[:0]
	}
}

// visible reports whether a source of the team sees the tile.
func (c *refcount) visible(t grid.Team, at grid.Tile) bool {
	return c.teams[t].counts[int(at.Y)*c.w+int(at.X)] > 0
}

// circle returns the half widths of the rows of a circle, in tiles.
func (c *refcount) circle(radius int) []int16 {
	if s := c.spans[radius]; s != nil {
		return s
	}
	reach := radius / 2
	s := make([]int16, 2*reach+1)
	for dy := -reach; dy <= reach; dy++ {
		dx := 0
		for 4*((dx+1)*(dx+1)+dy*dy) <= radius*radius {
			dx++
		}
		s[dy+reach] = int16(dx)
	}
	c.spans[radius] = s
	return s
}

// add counts in the circle of a source; radius in half tiles, 0 to 64.
func (c *refcount) add(t grid.Team, at grid.Tile, radius int) {
	reach := radius / 2
	for i, half := range c.circle(radius) {
		c.in(&c.teams[t], int(at.Y)+i-reach, int(at.X)-int(half), int(at.X)+int(half))
	}
}

// remove counts it out.
func (c *refcount) remove(t grid.Team, at grid.Tile, radius int) {
	reach := radius / 2
	for i, half := range c.circle(radius) {
		c.out(&c.teams[t], int(at.Y)+i-reach, int(at.X)-int(half), int(at.X)+int(half))
	}
}

// move adds the tiles that the circle gains and subtracts the tiles that it loses.
func (c *refcount) move(t grid.Team, from, to grid.Tile, radius int) {
	dx, dy := int(to.X)-int(from.X), int(to.Y)-int(from.Y)
	if dx*dx > 16 || dy*dy > 16 { // a jump: the strips are no thinner than the circles
		c.add(t, to, radius)
		c.remove(t, from, radius)
		return
	}
	circle, reach := c.circle(radius), radius/2
	team := &c.teams[t]
	for y := min(from.Y, to.Y) - int16(reach); y <= max(from.Y, to.Y)+int16(reach); y++ {
		a0, a1 := row(circle, reach, from, y)
		b0, b1 := row(circle, reach, to, y)
		switch {
		case a0 > a1:
			c.in(team, int(y), b0, b1)
		case b0 > b1:
			c.out(team, int(y), a0, a1)
		default: // two spans that overlap
			c.in(team, int(y), b0, min(b1, a0-1))
			c.in(team, int(y), max(b0, a1+1), b1)
			c.out(team, int(y), a0, min(a1, b0-1))
			c.out(team, int(y), max(a0, b1+1), a1)
		}
	}
}

// row returns the first and last tile of a circle's row, the first behind the
// last if the circle does not reach it.
func row(circle []int16, reach int, at grid.Tile, y int16) (first, last int) {
	i := int(y) - int(at.Y) + reach
	if i < 0 || i >= len(circle) {
		return 1, 0
	}
	return int(at.X) - int(circle[i]), int(at.X) + int(circle[i])
}

func (c *refcount) in(t *countedTeam, y, x0, x1 int) {
	x0, x1 = max(x0, 0), min(x1, c.w-1)
	if x0 > x1 || uint(y) >= uint(c.h) {
		return
	}
	counts := t.counts[y*c.w+x0 : y*c.w+x1+1]
	for i := range counts {
		counts[i]++
		if counts[i] == 1 {
			at := y*c.w + x0 + i
			t.explored[at] = true
			t.shown = append(t.shown, int32(at))
		}
	}
}

func (c *refcount) out(t *countedTeam, y, x0, x1 int) {
	x0, x1 = max(x0, 0), min(x1, c.w-1)
	if x0 > x1 || uint(y) >= uint(c.h) {
		return
	}
	counts := t.counts[y*c.w+x0 : y*c.w+x1+1]
	for i := range counts {
		counts[i]--
		if counts[i] == 0 {
			t.hidden = append(t.hidden, int32(y*c.w+x0+i))
		}
	}
}
