//go:build !race

package match

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// receiver is one end of a match, player or spectator, and all that it was
// sent.
type receiver struct {
	name    string
	slot    grid.Slot // [grid.NoSlot]: a spectator
	team    grid.Team // [grid.NoTeam]: it sees with all teams' eyes
	delay   grid.Tick
	token   string // of the connection in question
	tokens  []tokenAt
	derives bool
	steady  bool // its link took every frame, whole, from tick 1 on
	got     []sent
	orders  map[uint32]*asked
}

// tokenAt is the resume token that a connection was given.
type tokenAt struct {
	at    grid.Tick
	token string
}

func (r *receiver) spectator() bool { return r.slot == grid.NoSlot }

// sent is one message as it left the server, while the match was at a tick.
type sent struct {
	at    grid.Tick
	bytes []byte
}

// asked is an order as its player sent it.
type asked struct {
	*pb.Order
	at      grid.Tick
	targets bool // the player knew its target then: held it, or remembered it
}

// fieldClient is one receiver's state, built from its messages by the rules of
// server.proto alone: it shares no code with proto/wire or match/view. It binds the held
// things to things of the history by their looks.
type fieldClient struct {
	h       *history
	r       *receiver
	say     func(field, what string)
	welcome *pb.Welcome
	closed  bool

	// The message in turn.
	f        *pb.ServerFrame
	at       grid.Tick // of the match when it was sent
	now      grid.Tick // that the frame shows
	before   grid.Tick // the last tick whose sights the receiver held
	snapshot bool
	then     *moments
	eyes     *sightThen
	enters   []*held
	given    []*held // whose owner changed
	moves    []*held
	exacts   []*held
	gone     []*held // in leave
	fallen   []*held // in destroyed
	values   map[string][]valueTold

	lastBursts []lastBurstsTold

	dropped  []*ghostHeld
	ghosted  []*ghostHeld
	maskRows []maskTold

	beats grid.Tick // from one tick with team rows to the next

	// The held state.
	tick              grid.Tick // by its clock
	told              grid.Tick // of the last frame that was not partial
	things            map[uint32]*held
	ghosts            map[uint32]*ghostHeld
	visible, explored []bool
	freed             map[uint32]grid.Tick // handles that it no longer holds
	perhaps           map[uint32]grid.Tick // possible handles of things that came and went between two frames
	used              map[uint32]bool      // handles in use before the frame
	frames            int
	likeMe            *fieldClient      // of a receiver with the same eyes and a good link
	history           map[uint32][]held // by handle, as sent: for others with the same eyes
}

// held is a thing in sight as the receiver holds it.
type held struct {
	handle  uint32
	typ     uint16
	owner   grid.Slot
	may     []grid.EntityID // its candidates
	entered grid.Tick       // of the frame that told it
	course  uint32
	at      grid.Pos // as of since
	since   grid.Tick
	place   uint32 // the form in which at came; 0 in an enter
	from    grid.Pos
	refined bool
	moved   bool      // told by a row of motion, after the enter
	told    grid.Tick // of the frame that told course and place

	values map[string]uint32 // by field; 0 until told
	// Rows of actions and effects, without their handles, as of the last frame.
	actions, effects [][3]uint32
	declared         map[uint32]int32 // by the number of a declared value; 0 until told
}

type ghostHeld struct {
	handle  uint32
	typ     uint16
	owner   grid.Slot
	pos     grid.Pos
	face    grid.Facing
	missing uint32
	amount  uint32
}

// lastBurstsTold are the last shots of a thing out of sight.
type lastBurstsTold struct {
	of     *held
	bursts [2]uint32
}

type valueTold struct {
	of    *held
	value uint32
}

type maskTold struct {
	y                 int
	visible, explored []bool // nil: not told
}

func newFieldClient(h *history, r *receiver, say func(field, what string)) *fieldClient {
	n := h.setup.Map.W * h.setup.Map.H
	return &fieldClient{
		h: h, r: r, say: say, things: map[uint32]*held{}, ghosts: map[uint32]*ghostHeld{}, visible: make([]bool, n), explored: make([]bool, n),
		beats: h.values, freed: map[uint32]grid.Tick{}, perhaps: map[uint32]grid.Tick{}, history: map[uint32][]held{},
	}
}

// wrong reports a forbidden or false fact, by field.
func (c *fieldClient) wrong(field, format string, args ...any) {
	c.say(field, fmt.Sprintf("%s, tick %d: %s: ", c.r.name, c.now, field)+fmt.Sprintf(format, args...))
}

// take reads one message.
func (c *fieldClient) take(at grid.Tick, f *pb.ServerFrame) {
	c.f, c.at, c.snapshot, c.then, c.eyes = f, at, false, nil, nil
	c.given = nil
	c.enters, c.moves, c.exacts, c.gone, c.fallen = nil, nil, nil, nil, nil
	c.dropped, c.ghosted, c.maskRows, c.values = nil, nil, nil, map[string][]valueTold{}
	if f.Welcome != nil {
		if c.welcome == nil {
			c.welcome = f.Welcome
		}
		return
	}
	if f.Closing != nil || f.Waiting != nil {
		return
	}
	c.frames++
	c.clock()
	if c.then = c.h.at(c.now); c.then == nil {
		c.wrong("tick", "there is no such tick")
		c.then = c.h.last()
	}
	c.eyes = c.then.eyes[c.h.eyesOf(c.r.team)]
	if c.snapshot {
		clear(c.things)
		clear(c.ghosts)
		clear(c.visible)
	}
	c.used = map[uint32]bool{}
	for handle := range c.things {
		c.used[handle] = true
	}
	for handle := range c.ghosts {
		c.used[handle] = true
	}
	if f.Partial {
		return
	}
	c.leaves()
	c.enter()
	c.readOwners()
	c.motion()
	c.readValues()
	c.readGhosts()
	c.readMask()
	c.follow()
	c.free()
}

// clock is which tick the frame shows.
func (c *fieldClient) clock() {
	c.before = c.told
	switch {
	case c.f.Tick != 0:
		c.snapshot, c.now = true, grid.Tick(c.f.Tick)
	case c.f.Span != 0:
		c.now = c.tick + grid.Tick(c.f.Span)
	default:
		c.now = c.tick + 1
	}
	c.tick = c.now
	if !c.f.Partial {
		c.told = c.now
	}
}

// rows walks over packed rows that begin with a handle's distance.
func (c *fieldClient) rows(field string, list []uint32, width int, do func(handle uint32, rest []uint32)) {
	if len(list)%width != 0 {
		c.wrong(field, "%d numbers are no rows of %d", len(list), width)
	}
	handle := uint32(0)
	for ; len(list) >= width; list = list[width:] {
		handle += list[0]
		do(handle, list[1:width])
	}
}

func (c *fieldClient) leaves() {
	c.lastBursts = nil
	c.rows("last_bursts", c.f.LastBursts, 3, func(handle uint32, row []uint32) {
		if x := c.things[handle]; x != nil {
			c.lastBursts = append(c.lastBursts, lastBurstsTold{x, [2]uint32(row)})
		} else {
			c.wrong("last_bursts", "handle %d is not held", handle)
		}
	})
	take := func(field string, list []uint32, to *[]*held) {
		c.rows(field, list, 1, func(handle uint32, _ []uint32) {
			if x := c.things[handle]; x != nil {
				*to = append(*to, x)
				delete(c.things, handle)
			} else {
				c.wrong(field, "handle %d is not held", handle)
			}
		})
	}
	take("leave", c.f.Leave, &c.gone)
	take("destroyed", c.f.Destroyed, &c.fallen)
}

func (c *fieldClient) cell(n uint32) grid.Pos {
	row := uint32(16 * c.h.setup.Map.W)
	return grid.Pos{X: int32(n%row)*64 + 32, Y: int32(n/row)*64 + 32}
}

func (c *fieldClient) enter() {
	types := uint32(len(c.h.setup.Rules.Types))
	kinds := uint32(len(c.h.setup.Players)+1) * types
	handle := uint32(0)
	for list := c.f.Enter; len(list) >= 3; list = list[3:] {
		handle += list[0] / kinds
		kind := list[0] % kinds
		x := &held{
			handle: handle, typ: uint16(kind % types), owner: grid.NoSlot, entered: c.now, at: c.cell(list[1]), since: c.now, told: c.now, course: list[2],
			values: map[string]uint32{},
		}
		if kind >= types {
			x.owner = grid.Slot(kind/types - 1)
		}
		if c.things[handle] != nil {
			c.wrong("enter", "handle %d is held already", handle)
		}
		c.things[handle] = x
		c.enters = append(c.enters, x)
	}
	if len(c.f.Enter)%3 != 0 {
		c.wrong("enter", "%d numbers", len(c.f.Enter))
	}
}

func (c *fieldClient) readOwners() {
	c.rows("owner", c.f.Owner, 2, func(handle uint32, row []uint32) {
		x := c.things[handle]
		if x == nil {
			c.wrong("owner", "handle %d is not held", handle)
			return
		}
		if x.owner = grid.NoSlot; row[0] > 0 {
			x.owner = grid.Slot(row[0] - 1)
		}
		x.told = c.now
		c.given = append(c.given, x)
	})
}

// velocity returns a course's velocity, by the rule of server.proto.
func velocity(course uint32, full int32) (vx, vy int32) {
	var dir uint32
	k, speed := int64(2016), int64(full)
	switch {
	case course < 256:
		return 0, 0
	case course < 16384:
		dir = course - 256
	case course < 1064960:
		dir, k = course-16384, 131072
	default:
		n := course - 1064960
		dir, speed = n%16128, int64(full)*int64(n/16128+1)/64
	}
	u := int64(dir)%(2*k) - k
	n := int64(0)
	for bit := int64(1) << 31; bit > 0; bit >>= 1 { // the square root, rounded down
		if m := n | bit; m*m <= 256*(k*k+u*u) {
			n = m
		}
	}
	point := [4][2]int64{{k, u}, {-u, k}, {-k, -u}, {u, -k}}[int64(dir)/(2*k)%4]
	return int32(16 * point[0] * speed / n), int32(16 * point[1] * speed / n)
}

// reckon returns a thing's place at tick t, by the receiver's state.
func (c *fieldClient) reckon(x *held, t grid.Tick) grid.Pos {
	vx, vy := velocity(x.course, c.h.full[x.typ])
	one := func(p, v int32, tiles int) int32 {
		at := int64(p) + int64(v)*(int64(t)-int64(x.since))>>6
		return int32(max(0, min(at, int64(tiles)*1024-1)))
	}
	return grid.Pos{X: one(x.at.X, vx, c.h.setup.Map.W), Y: one(x.at.Y, vy, c.h.setup.Map.H)}
}

func (c *fieldClient) motion() {
	corner := map[uint32]bool{}
	for _, x := range c.enters {
		corner[x.handle] = true
	}
	c.rows("motion", c.f.Motion, 3, func(handle uint32, row []uint32) {
		x := c.things[handle]
		if x == nil {
			c.wrong("motion", "handle %d is not held", handle)
			return
		}
		x.from = c.reckon(x, c.now)
		by := func(n, side, unit int32) grid.Pos {
			half := side / 2
			return x.from.Add(grid.Vec{X: (n/side - half) * unit, Y: (n%side - half) * unit})
		}
		switch p := int32(row[0]); {
		case p < 121:
			x.at = by(p, 11, 64)
		case p < 16250:
			x.at = by(p-121, 127, 1)
		case p < 277371:
			x.at = by(p-16250, 511, 1)
		default:
			x.at = c.cell(uint32(p) - 277371)
			corner[handle] = true
		}
		x.place, x.course, x.since, x.told, x.refined, x.moved = row[0], row[1], c.now, c.now, false, true
		c.moves = append(c.moves, x)
	})
	c.rows("exact", c.f.Exact, 3, func(handle uint32, row []uint32) {
		x := c.things[handle]
		if x == nil || !corner[handle] {
			c.wrong("exact", "handle %d has no cell to refine", handle)
			return
		}
		if row[1] >= 4096 || grid.Tick(row[0]) > c.now {
			c.wrong("exact", "handle %d: %d ticks ago, at %d of a cell", handle, row[0], row[1])
			return
		}
		x.at = grid.Pos{X: x.at.X&^63 + int32(row[1]/64), Y: x.at.Y&^63 + int32(row[1]%64)}
		x.since, x.refined = c.now-grid.Tick(row[0]), true
		c.exacts = append(c.exacts, x)
	})
}

func (c *fieldClient) readValues() {
	entered := map[uint32]bool{}
	for _, x := range c.enters {
		entered[x.handle] = true
	}
	for i := range valueTable {
		field := valueTable[i].path
		c.rows(field, numbersIn(c.f, field), 2, func(handle uint32, row []uint32) {
			x := c.things[handle]
			if x == nil {
				c.wrong(field, "handle %d is not held", handle)
				return
			}
			x.values[field] = row[0]
			if (field == "health" || field == "shield") && !entered[x.handle] {
				x.values[field+"_changes"] = (x.values[field+"_changes"] + 1) % 128
			}
			c.values[field] = append(c.values[field], valueTold{x, row[0]})
		})
	}
}

func (c *fieldClient) readGhosts() {
	g := c.f.Ghosts
	if g == nil {
		return
	}
	c.rows("ghosts.gone", g.Gone, 1, func(handle uint32, _ []uint32) {
		if x := c.ghosts[handle]; x != nil {
			c.dropped = append(c.dropped, x)
			delete(c.ghosts, handle)
		} else {
			c.wrong("ghosts.gone", "no ghost %d is held", handle)
		}
	})
	at := func(list []uint32, i int) uint32 { // readers take a missing number as 0
		if i < len(list) {
			return list[i]
		}
		return 0
	}
	i := 0
	c.rows("ghosts.handle", g.Handle, 1, func(handle uint32, _ []uint32) {
		x := &ghostHeld{
			handle: handle, typ: uint16(at(g.Type, i)), owner: grid.NoSlot, pos: grid.Pos{X: int32(at(g.X, i)), Y: int32(at(g.Y, i))},
			face: grid.Facing(at(g.Facing, i)), missing: at(g.HpMissing, i), amount: at(g.Amount, i),
		}
		if o := at(g.Owner, i); o > 0 {
			x.owner = grid.Slot(o - 1)
		}
		if int(x.typ) >= len(c.h.setup.Rules.Types) {
			c.wrong("ghosts.type", "there is no type %d", x.typ)
			x.typ = 0
		}
		c.ghosts[handle] = x
		c.ghosted = append(c.ghosted, x)
		i++
	})
	for name, list := range map[string][]uint32{"type": g.Type, "owner": g.Owner, "x": g.X, "y": g.Y, "facing": g.Facing, "hp_missing": g.HpMissing} {
		if len(list) != len(g.Handle) {
			c.wrong("ghosts."+name, "%d numbers for %d ghosts", len(list), len(g.Handle))
		}
	}
}

func (c *fieldClient) readMask() {
	f, m := c.f.Mask, c.h.setup.Map
	if f == nil {
		return
	}
	y, visible, explored := 0, f.Visible, f.Explored
	take := func(counts []uint32, i int, runs *[]uint32, name string) []bool {
		if i >= len(counts) || counts[i] == 0 {
			return nil
		}
		n := int(counts[i])
		if n > len(*runs) {
			c.wrong("mask."+name+"_runs", "%d runs, of %d that are left", n, len(*runs))
			return nil
		}
		row, x := make([]bool, m.W), 0
		for k, run := range (*runs)[:n] {
			for range min(run, uint32(2*m.W)) {
				if x < m.W {
					row[x] = k%2 == 1
				}
				x++
			}
		}
		if x > m.W {
			c.wrong("mask."+name, "row %d has %d tiles", y, x)
		}
		*runs = (*runs)[n:]
		return row
	}
	for i, gap := range f.Row {
		if y += int(gap); y >= m.H {
			c.wrong("mask.row", "there is no row %d", y)
			return
		}
		row := maskTold{y: y, visible: take(f.VisibleRuns, i, &visible, "visible"), explored: take(f.ExploredRuns, i, &explored, "explored")}
		c.maskRows = append(c.maskRows, row)
		for x := range m.W {
			at := y*m.W + x
			if row.visible != nil {
				c.visible[at] = row.visible[x]
				c.explored[at] = c.explored[at] || row.visible[x]
			}
			if row.explored != nil {
				c.explored[at] = c.explored[at] || row.explored[x]
			}
		}
	}
	if len(visible) > 0 || len(f.VisibleRuns) != len(f.Row) {
		c.wrong("mask.visible_runs", "%d rows, %d counts of runs, %d runs too many", len(f.Row), len(f.VisibleRuns), len(visible))
	}
	if len(explored) > 0 || len(f.ExploredRuns) != len(f.Row) {
		c.wrong("mask.explored_runs", "%d rows, %d counts of runs, %d runs too many", len(f.Row), len(f.ExploredRuns), len(explored))
	}
}

// follow binds newly seen things to candidates, by their looks, and drops candidates that
// a held thing can no longer be.
func (c *fieldClient) follow() {
	for _, x := range c.enters {
		x.may = nil
		for id := range c.eyes.seen {
			if y := c.then.things[id]; y.typ == x.typ && y.slot == x.owner && c.reckon(x, c.now).Within(y.pos, reckonMax) {
				x.may = append(x.may, id)
			}
		}
		if len(x.may) > 1 && c.r.steady { // the nearest, with ties; over a bad link, others may be nearer than the thing itself
			best := slices.MinFunc(x.may, func(a, b grid.EntityID) int { return int(c.off(x, a) - c.off(x, b)) })
			least := c.off(x, best)
			x.may = slices.DeleteFunc(x.may, func(id grid.EntityID) bool { return c.off(x, id) > least+2*46*46 })
		}
	}
	for _, x := range c.moves {
		if near := slices.DeleteFunc(slices.Clone(x.may), func(id grid.EntityID) bool {
			y := c.then.things[id]
			return y == nil || !c.reckon(x, c.now).Within(y.pos, reckonMax)
		}); len(near) > 0 {
			x.may = near
		}
	}
	for _, x := range c.things {
		x.may = slices.DeleteFunc(slices.Clone(x.may), func(id grid.EntityID) bool {
			s, seen := c.eyes.seen[id]
			return !seen || x.entered != c.now && s.since > c.before
		})
	}
	for _, list := range [][]*held{c.enters, c.given, c.moves} {
		for _, x := range list {
			c.history[x.handle] = append(c.history[x.handle], *x)
		}
	}
}

// reckonMax is how far a client that reckons may be off, WU: an eighth of a
// tile.
const reckonMax = 128

func (c *fieldClient) off(x *held, id grid.EntityID) int64 {
	return c.reckon(x, c.now).Sub(c.then.things[id].pos).Len2()
}

// free notes which handles are no longer held.
func (c *fieldClient) free() {
	for _, x := range append(slices.Clone(c.gone), c.fallen...) {
		if c.things[x.handle] == nil && c.ghosts[x.handle] == nil {
			c.freed[x.handle] = c.now
		}
	}
	for _, g := range c.dropped {
		if c.things[g.handle] == nil && c.ghosts[g.handle] == nil {
			c.freed[g.handle] = c.now
		}
	}
}

// sorted returns the held things, by handle.
func (c *fieldClient) sorted() []*held {
	out := make([]*held, 0, len(c.things))
	for _, handle := range slices.Sorted(maps.Keys(c.things)) {
		out = append(out, c.things[handle])
	}
	return out
}

// parse decodes a message. It copies the rows of packed into their fields.
func parse(b []byte) (*pb.ServerFrame, error) {
	f := new(pb.ServerFrame)
	if err := proto.Unmarshal(b, f); err != nil {
		return f, err
	}
	packed, values := f.Packed, f.PackedValues
	err := wire.Unpack(f)
	f.Packed, f.PackedValues = packed, values
	return f, err
}
