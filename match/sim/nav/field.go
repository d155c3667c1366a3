package nav

import (
	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Limits of flow fields.
const (
	fieldsMax     = 10       // a slot
	fieldBytesMax = 13 << 20 // all fields, roughly; large maps get fewer
	fieldWorkMin  = 8000     // tiles that a slot's fields may settle in a tick
	fieldWorkMax  = 20000    // and on large maps
	fieldIdle     = 200      // ticks without a use after which one is dropped
	fieldPatience = 100      // and after which no unit waits for it any more
	fieldWait     = 3        // ticks for which a unit waits for one
)

// A field's byte of a tile; 0: not met.
const (
	fieldDir  = 0x07 // direction (index into around) of the next tile to the goal
	fieldCost = 0x78 // the number of the tile's bucket, from 1
	fieldDone = 0x80 // settled: the direction is final

	fieldCostShift = 3
	// fieldBuckets is enough: the costs of tiles that are met and not settled differ by one step at most.
	fieldBuckets = costDiagonal + 1
)

// field leads from every tile to one goal: Dijkstra's search from the goal outwards over
// the ground as a team knows it, in one bucket per cost (Dial 1969), carried on from tick
// to tick until it has reached every unit that asked.
//
// A field is state, for how far it has come decides who gets a path in which
// tick. It is saved as its goal and the number of tiles it has settled, and
// made again by settling as many: the ground where it has been is the same,
// because a change there drops the field.
type field struct {
	goal    grid.Tile
	move    grid.MoveKind
	big     bool
	used    grid.Tick
	settled int32

	tile    []uint8
	buckets [fieldBuckets][]int32
	now     int       // the bucket in work
	open    int       // tiles in the buckets, some settled meanwhile
	wanted  bool      // a unit waits for it
	waits   grid.Tick // since when, in this step; no part of the state
}

// findFar finds the path by the field to the goal, if the field has come as far as the
// unit. Else the unit waits for the field if that is there soon. If not, it gets a part
// of a route of its own meanwhile.
func (p *Finder) findFar(g *Ground, q *Request, y ways, goal grid.Tile) Answer {
	f := p.fieldTo(q, y, goal)
	if f == nil {
		return p.ask(g, q, y, goal, routeFar)
	}
	f.used = q.Now
	from := q.From.Tile()
	if f.tile[p.m.Index(from)]&fieldDone == 0 {
		from = p.doneBeside(f, y, from)
	}
	i := p.m.Index(from)
	switch {
	case f.tile[i]&fieldDone != 0:
		p.trace(g, q, f.tile, from, goal, goal)
		f.wanted = f.waits == q.Now // by another unit, in this tick
		return Found
	case f.open == 0: // it has been everywhere, and not here
		return p.straight(q.From)
	}
	f.wanted, f.waits = true, q.Now // it goes on growing until it is there, or has been everywhere
	if p.soon(q.Slot, f) {
		return Pending
	}
	return p.ask(g, q, y, goal, routeBrief)
}

// soon reports whether a field will cover the map in a few ticks, after the fields that
// grow before it.
func (p *Finder) soon(s grid.Slot, f *field) bool {
	left := 0
	for _, other := range p.fields[s] {
		if other.wanted {
			left += p.m.W*p.m.H - int(other.settled)
		}
		if other == f {
			break
		}
	}
	return left <= fieldWait*p.work
}

// doneBeside returns a settled tile beside a closed tile, or the tile itself.
func (p *Finder) doneBeside(f *field, y ways, at grid.Tile) grid.Tile {
	if y.open(p.m.Index(at), p.m.W) {
		return at
	}
	for _, d := range around {
		t := grid.Tile{X: at.X + d.X, Y: at.Y + d.Y}
		if p.m.In(t) && f.tile[p.m.Index(t)]&fieldDone != 0 {
			return t
		}
	}
	return at
}

// fieldTo returns the slot's field to a goal, a new one if need be, in place
// of the one longest unused. It returns nil if all are waited for: they are
// grown to their end first. It also returns nil if the map is large and the unit goes
// there alone: a field over all the map is not worth its work then.
func (p *Finder) fieldTo(q *Request, y ways, goal grid.Tile) *field {
	slot, move := q.Slot, q.Body.Move
	list := p.fields[slot]
	oldest := -1
	for i, f := range list {
		if f.goal == goal && f.move == move && f.big == y.big {
			return f
		}
		if !f.wanted && (oldest < 0 || f.used < list[oldest].used) {
			oldest = i
		}
	}
	if !q.Group && p.m.W*p.m.H > fieldWait*p.work {
		return nil
	}
	if len(list) >= p.most {
		if oldest < 0 {
			return nil
		}
		p.dropField(slot, oldest)
	}
	f := p.newField(goal, move, y.big, q.Now)
	p.fields[slot] = append(p.fields[slot], f)
	return f
}

func (p *Finder) newField(goal grid.Tile, move grid.MoveKind, big bool, now grid.Tick) *field {
	var f *field
	if n := len(p.spare); n > 0 {
		f = p.spare[n-1]
		p.spare = p.spare[:n-1]
		clear(f.tile)
	} else {
		f = &field{tile: make([]uint8, p.m.W*p.m.H)}
	}
	f.goal, f.move, f.big, f.used, f.settled, f.now = goal, move, big, now, 0, 0
	f.wanted, f.waits = false, 0
	for i := range f.buckets {
		f.buckets[i] = f.buckets[i][:0]
	}
	i := p.m.Index(goal)
	f.tile[i] = 1 << fieldCostShift
	f.buckets[0] = append(f.buckets[0], int32(i))
	f.open = 1
	return f
}

func (p *Finder) dropField(s grid.Slot, i int) {
	list := p.fields[s]
	p.spare = append(p.spare, list[i])
	p.fields[s] = append(list[:i], list[i+1:]...)
}

// Grow ends the slot's tick. Within the slot's work for a tick it grows the fields that
// units wait for, and it drops the fields that no unit has used for long. g is the ground
// of the slot's team.
func (p *Finder) Grow(g *Ground, s grid.Slot, now grid.Tick) {
	p.left[s] = p.budget
	left := int32(p.work)
	list := p.fields[s]
	for i := 0; i < len(list); i++ {
		f := list[i]
		f.wanted = f.wanted && now-f.used <= fieldPatience
		if !f.wanted && now-f.used > fieldIdle {
			p.dropField(s, i)
			list = p.fields[s]
			i--
			continue
		}
		if f.wanted && left > 0 {
			before := f.settled
			f.grow(g, before+left)
			left -= f.settled - before
			f.wanted = f.open > 0
		}
	}
}

// grow settles tiles until so many are settled, or all.
func (f *field) grow(g *Ground, until int32) {
	r := g.labels(f.move)
	y := ways{parts: r.parts, home: r.at(g.m.Index(f.goal)), big: f.big}
	width, height := g.m.W, g.m.H
	for f.open > 0 && f.settled < until {
		b := &f.buckets[f.now]
		if len(*b) == 0 {
			f.now = (f.now + 1) % fieldBuckets
			continue
		}
		i := (*b)[len(*b)-1]
		*b = (*b)[:len(*b)-1]
		f.open--
		if f.tile[i]&fieldDone != 0 {
			continue // met again on a shorter way
		}
		f.tile[i] |= fieldDone
		f.settled++
		x, row := int(i)%width, int(i)/width
		east := x < width-1 && f.meet(&y, int(i)+1, width, 2, costStraight)
		south := row < height-1 && f.meet(&y, int(i)+width, width, 3, costStraight)
		west := x > 0 && f.meet(&y, int(i)-1, width, 0, costStraight)
		north := row > 0 && f.meet(&y, int(i)-width, width, 1, costStraight)
		if east && south {
			f.meet(&y, int(i)+width+1, width, 6, costDiagonal)
		}
		if south && west {
			f.meet(&y, int(i)+width-1, width, 7, costDiagonal)
		}
		if west && north {
			f.meet(&y, int(i)-width-1, width, 4, costDiagonal)
		}
		if north && east {
			f.meet(&y, int(i)-width+1, width, 5, costDiagonal)
		}
	}
}

// meet offers a tile the way over its neighbour in direction dir. It reports
// whether the tile is open.
func (f *field) meet(y *ways, i, width int, dir uint8, step int) bool {
	if !y.open(i, width) {
		return false
	}
	t := f.tile[i]
	if t&fieldDone != 0 {
		return true
	}
	if t != 0 {
		// Steps from the bucket in work to the tile's bucket.
		way := int(t&fieldCost>>fieldCostShift) - 1 - f.now
		if way < 0 {
			way += fieldBuckets
		}
		if step >= way {
			return true
		}
	}
	at := f.now + step
	if at >= fieldBuckets {
		at -= fieldBuckets
	}
	f.tile[i] = uint8(at+1)<<fieldCostShift | dir
	f.buckets[at] = append(f.buckets[at], int32(i))
	f.open++
	return true
}

// Changed drops the slot's fields that have been at or beside a tile that was opened
// or closed on the ground of the slot's team.
func (p *Finder) Changed(s grid.Slot, i int) {
	const span = 2 // a big unit's tile also depends on the tiles around it
	at := p.m.TileAt(i)
	for j := 0; j < len(p.fields[s]); j++ {
		if p.touches(p.fields[s][j], at, span) {
			p.dropField(s, j)
			j--
		}
	}
}

func (p *Finder) touches(f *field, at grid.Tile, span int16) bool {
	for dy := -span; dy <= span; dy++ {
		for dx := -span; dx <= span; dx++ {
			t := grid.Tile{X: at.X + dx, Y: at.Y + dy}
			if p.m.In(t) && (f.tile[p.m.Index(t)] != 0 || t == f.goal) {
				return true
			}
		}
	}
	return false
}

// State writes or reads the slot's fields, as goals and numbers of settled tiles. g
// is the ground of the slot's team.
func (p *Finder) State(a *archive.Archive, g *Ground, s grid.Slot) {
	n := a.Length(len(p.fields[s]), 14)
	if a.Reading() && n > p.most {
		a.Fail("%d flow fields of slot %d, at most %d", n, s, p.most)
	}
	for i := range n {
		if a.Err() != nil {
			return
		}
		if !a.Reading() {
			p.fields[s][i].state(a)
			continue
		}
		var of field
		if of.state(a); a.Err() == nil && (!p.m.In(of.goal) || of.move >= grid.MoveKinds || of.settled < 0) {
			a.Fail("a flow field to %v", of.goal)
			return
		}
		f := p.newField(of.goal, of.move, of.big, of.used)
		f.wanted = of.wanted
		f.grow(g, of.settled)
		p.fields[s] = append(p.fields[s], f)
	}
}

func (f *field) state(a *archive.Archive) {
	archive.Word(a, &f.goal.X)
	archive.Word(a, &f.goal.Y)
	archive.Octet(a, &f.move)
	a.Flag(&f.big)
	archive.Word(a, &f.used)
	archive.Word(a, &f.settled)
	a.Flag(&f.wanted)
}
