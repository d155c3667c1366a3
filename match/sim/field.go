package sim

import (
	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Limits of flow fields.
const (
	fieldsMax     = 10       // a slot
	fieldBytesMax = 64 << 20 // all of them, roughly; large maps get fewer
	fieldWorkMin  = 5000     // tiles that a slot's fields may settle in a tick
	fieldWorkMax  = 20000    // and on large maps
	fieldIdle     = 200      // ticks without a use after which one is dropped
)

// What a field keeps of a tile besides its cost.
const (
	fieldDir  = 0x07 // direction (index into around) of the next tile to the goal
	fieldMet  = 0x40 // has a cost
	fieldDone = 0x80 // settled: cost and direction are final
)

// field leads from every tile to one goal: Dijkstra's search from the goal
// outwards over the ground as a team knows it, in buckets a cost (Dial 1969),
// carried on from tick to tick until it has reached every unit that asked.
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

	cost    []int32
	tile    []uint8
	buckets [costDiagonal + 2][]int32
	now     int32     // cost of the bucket in work
	open    int       // tiles in the buckets, some of them settled meanwhile
	asked   bool      // somebody waits for it
	waits   grid.Tick // since when, in this step; no part of the state
}

// askField gives the unit a path by the field to its goal, if the field has
// come as far as the unit; else the field goes on growing and the unit asks
// again.
func (w *World) askField(e *Entity, y ways, goal grid.Tile) {
	f := w.fieldTo(e, y, goal)
	if f == nil {
		return // all fields are in use
	}
	f.used = w.tick
	from := e.Tile()
	if f.tile[w.m.Index(from)]&fieldDone == 0 {
		from = w.doneBeside(f, y, from)
	}
	i := w.m.Index(from)
	switch {
	case f.tile[i]&fieldDone != 0:
		w.trace(e, f.tile, from, goal)
		f.asked = f.waits == w.tick // by another, who said so in this tick
	case f.open == 0: // it has been everywhere, and not here
		e.mv.goal = e.Pos()
		e.mv.setPath(e.mv.goal)
	default:
		f.asked, f.waits = true, w.tick // it goes on growing until it is there, or has been everywhere
	}
}

// doneBeside returns a settled tile beside one that is closed, or the tile
// itself.
func (w *World) doneBeside(f *field, y ways, at grid.Tile) grid.Tile {
	if y.open(w.m.Index(at), w.m.W) {
		return at
	}
	for _, d := range around {
		t := grid.Tile{X: at.X + d.X, Y: at.Y + d.Y}
		if w.m.In(t) && f.tile[w.m.Index(t)]&fieldDone != 0 {
			return t
		}
	}
	return at
}

// fieldTo returns the slot's field to a goal, a new one if need be, in place
// of the one longest unused. It returns nil if all are waited for: they are
// grown to their end first, lest many goals keep each other from ever being
// reached.
func (w *World) fieldTo(e *Entity, y ways, goal grid.Tile) *field {
	slot := e.id.Slot()
	list := w.paths.fields[slot]
	move := w.rules.Types[e.typ].Move
	oldest := -1
	for i, f := range list {
		if f.goal == goal && f.move == move && f.big == y.big {
			return f
		}
		if !f.asked && (oldest < 0 || f.used < list[oldest].used) {
			oldest = i
		}
	}
	if len(list) >= w.paths.most {
		if oldest < 0 {
			return nil
		}
		w.dropField(slot, oldest)
	}
	f := w.newField(goal, move, y.big)
	w.paths.fields[slot] = append(w.paths.fields[slot], f)
	return f
}

func (w *World) newField(goal grid.Tile, move grid.MoveKind, big bool) *field {
	var f *field
	if n := len(w.paths.spare); n > 0 {
		f = w.paths.spare[n-1]
		w.paths.spare = w.paths.spare[:n-1]
		clear(f.tile)
	} else {
		n := w.m.W * w.m.H
		f = &field{cost: make([]int32, n), tile: make([]uint8, n)}
	}
	f.goal, f.move, f.big, f.used, f.settled, f.now = goal, move, big, w.tick, 0, 0
	f.asked, f.waits = false, 0
	for i := range f.buckets {
		f.buckets[i] = f.buckets[i][:0]
	}
	i := w.m.Index(goal)
	f.cost[i], f.tile[i] = 0, fieldMet
	f.buckets[0] = append(f.buckets[0], int32(i))
	f.open = 1
	return f
}

func (w *World) dropField(s grid.Slot, i int) {
	list := w.paths.fields[s]
	w.paths.spare = append(w.paths.spare, list[i])
	w.paths.fields[s] = append(list[:i], list[i+1:]...)
}

// growFields lets the slot's fields that somebody waits for go on, within the
// slot's work for a tick, and drops those that nobody has used for long.
func (w *World) growFields(s grid.Slot) {
	left := int32(w.paths.work)
	list := w.paths.fields[s]
	for i := 0; i < len(list); i++ {
		f := list[i]
		if !f.asked && w.tick-f.used > fieldIdle {
			w.dropField(s, i)
			list = w.paths.fields[s]
			i--
			continue
		}
		if f.asked && left > 0 {
			before := f.settled
			w.grow(f, w.players[s].team, before+left)
			left -= f.settled - before
			f.asked = f.open > 0
		}
	}
}

// grow settles tiles until so many are settled, or all.
func (w *World) grow(f *field, team grid.Team, until int32) {
	r := w.labels(&w.teams[team], f.move)
	y := ways{label: r.label, own: r.label[w.m.Index(f.goal)], big: f.big}
	width, height := w.m.W, w.m.H
	for f.open > 0 && f.settled < until {
		b := &f.buckets[f.now%int32(len(f.buckets))]
		if len(*b) == 0 {
			f.now++
			continue
		}
		i := (*b)[len(*b)-1]
		*b = (*b)[:len(*b)-1]
		f.open--
		if f.tile[i]&fieldDone != 0 || f.cost[i] != f.now {
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
func (f *field) meet(y *ways, i, width int, dir uint8, step int32) bool {
	if !y.open(i, width) {
		return false
	}
	t := f.tile[i]
	if t&fieldDone != 0 {
		return true
	}
	if c := f.now + step; t&fieldMet == 0 || c < f.cost[i] {
		f.cost[i], f.tile[i] = c, fieldMet|dir
		at := c % int32(len(f.buckets))
		f.buckets[at] = append(f.buckets[at], int32(i))
		f.open++
	}
	return true
}

// groundChanged does what follows when a tile's ground, as the team knows it,
// has changed: labels are kept up, and the fields that have been at or beside
// the tile go.
func (w *World) groundChanged(k *Knowledge, i int) {
	const span = 2 // a big unit's tile is judged by those around it
	k.ground.version++
	for m := range k.ground.reach {
		r := &k.ground.reach[m]
		if w.m.Pass[i].Has(grid.MoveKind(m)) && grid.MoveKind(m) != grid.Air {
			r.change(w, i, k.ground.solid[i] == 0)
		}
	}
	at := w.m.TileAt(i)
	for s := range w.players {
		if w.players[s].team != k.team {
			continue
		}
		for j := 0; j < len(w.paths.fields[s]); j++ {
			if w.touchesField(w.paths.fields[s][j], at, span) {
				w.dropField(grid.Slot(s), j)
				j--
			}
		}
	}
}

func (w *World) touchesField(f *field, at grid.Tile, span int16) bool {
	for dy := -span; dy <= span; dy++ {
		for dx := -span; dx <= span; dx++ {
			t := grid.Tile{X: at.X + dx, Y: at.Y + dy}
			if w.m.In(t) && (f.tile[w.m.Index(t)] != 0 || t == f.goal) {
				return true
			}
		}
	}
	return false
}

// fieldsState saves the fields as goals and numbers of settled tiles.
func (w *World) fieldsState(a *archive.Archive) {
	for s := range w.players {
		n := a.Length(len(w.paths.fields[s]), 14)
		if a.Reading() && n > w.paths.most {
			a.Fail("%d flow fields of slot %d, at most %d", n, s, w.paths.most)
		}
		for i := range n {
			if a.Err() != nil {
				return
			}
			if !a.Reading() {
				f := w.paths.fields[s][i]
				f.state(a)
				continue
			}
			var g field
			if g.state(a); a.Err() == nil && (!w.m.In(g.goal) || g.move >= grid.MoveKinds || g.settled < 0) {
				a.Fail("a flow field to %v", g.goal)
				return
			}
			f := w.newField(g.goal, g.move, g.big)
			f.used, f.asked = g.used, g.asked
			w.grow(f, w.players[s].team, g.settled)
			w.paths.fields[s] = append(w.paths.fields[s], f)
		}
	}
}

func (f *field) state(a *archive.Archive) {
	saveTile(a, &f.goal)
	archive.Octet(a, &f.move)
	a.Flag(&f.big)
	archive.Word(a, &f.used)
	archive.Word(a, &f.settled)
	a.Flag(&f.asked)
}
