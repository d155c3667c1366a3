package refcount

import "github.com/fogkeep/fogkeep/match/grid"

// Counter holds the counters of one match's teams.
type Counter struct {
	w, h  int
	teams []team
	spans [65][]int16 // by radius in half tiles: half width of each row, from the top
}

type team struct {
	counts   []uint16
	explored []bool
	shown    []int32 // tiles that turned visible since Flush
	hidden   []int32
}

// New returns counters that are all zero.
func New(w, h, teams int) *Counter {
	c := &Counter{w: w, h: h, teams: make([]team, teams)}
	for i := range c.teams {
		c.teams[i].counts = make([]uint16, w*h)
		c.teams[i].explored = make([]bool, w*h)
	}
	return c
}

// Flush forgets the changes: a tick is over.
func (c *Counter) Flush() {
	for i := range c.teams {
		t := &c.teams[i]
		t.shown, t.hidden = t.shown[:0], t.hidden[:0]
	}
}

// Visible reports whether a source of the team sees the tile.
func (c *Counter) Visible(t grid.Team, at grid.Tile) bool {
	return c.teams[t].counts[int(at.Y)*c.w+int(at.X)] > 0
}

// Changed returns how many tiles turned visible and hidden since the last
// flush. A tile that turned there and back counts in both.
func (c *Counter) Changed(t grid.Team) (shown, hidden int) {
	return len(c.teams[t].shown), len(c.teams[t].hidden)
}

// circle returns the half widths of the rows of a circle, in tiles.
func (c *Counter) circle(radius int) []int16 {
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

// Add counts in the circle of a source; radius in half tiles, 0 to 64.
func (c *Counter) Add(t grid.Team, at grid.Tile, radius int) {
	reach := radius / 2
	for i, half := range c.circle(radius) {
		c.in(&c.teams[t], int(at.Y)+i-reach, int(at.X)-int(half), int(at.X)+int(half))
	}
}

// Remove counts it out.
func (c *Counter) Remove(t grid.Team, at grid.Tile, radius int) {
	reach := radius / 2
	for i, half := range c.circle(radius) {
		c.out(&c.teams[t], int(at.Y)+i-reach, int(at.X)-int(half), int(at.X)+int(half))
	}
}

// Move counts in what the circle gains and out what it loses.
func (c *Counter) Move(t grid.Team, from, to grid.Tile, radius int) {
	dx, dy := int(to.X)-int(from.X), int(to.Y)-int(from.Y)
	if dx*dx > 16 || dy*dy > 16 { // a jump: the strips are no thinner than the circles
		c.Add(t, to, radius)
		c.Remove(t, from, radius)
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

func (c *Counter) in(t *team, y, x0, x1 int) {
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

func (c *Counter) out(t *team, y, x0, x1 int) {
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
