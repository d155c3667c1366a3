//go:build !race

package match

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
	"github.com/fogkeep/fogkeep/visibility"
)

// The checks of the field table: each compares one field of the message in turn with the
// history.

// frame reports whether the message in turn is a frame.
func (c *fieldClient) frame() bool { return c.then != nil }

func checkTick(c *fieldClient) {
	if c.frame() && c.snapshot && c.now+c.r.delay != c.at {
		c.wrong("tick", "a snapshot of tick %d leaves at %d, with a delay of %d", c.now, c.at, c.r.delay)
	}
}

func checkSpan(c *fieldClient) {
	if c.frame() && !c.snapshot && c.now+c.r.delay != c.at {
		c.wrong("span", "a span of %d after tick %d, at %d with a delay of %d", c.f.Span, c.before, c.at, c.r.delay)
	}
}

// Over a good link only the ticks between two beats are skipped.
func checkSkipped(c *fieldClient) {
	n, span := grid.Tick(c.f.Skipped), c.now-c.before
	if n > 0 && (c.r.steady && n >= c.beats || c.snapshot || n >= span) {
		c.wrong("skipped", "%d ticks of %d", n, span)
	}
}

// A partial frame comes between two beats, without the team's sights.
func checkPartial(c *fieldClient) {
	if !c.f.Partial {
		return
	}
	f := proto.Clone(c.f).(*pb.ServerFrame)
	f.Span, f.Partial, f.Answers, f.Said, f.Pinged, f.Budget, f.Speed, f.Votes = 0, false, nil, nil, nil, nil, nil, nil
	if c.snapshot || c.now%c.beats == 0 || proto.Size(f) > 0 {
		c.wrong("partial", "tick %d: besides what is the player's own it has %v", c.now, f)
	}
}

// The rows of a frame alone determine its packed bytes.
func checkPacked(c *fieldClient) {
	if len(c.f.Packed) == 0 {
		return
	}
	f, again := proto.Clone(c.f).(*pb.ServerFrame), &pb.ServerFrame{}
	f.Packed, f.PackedValues = nil, nil
	b, err := proto.Marshal(f)
	if err == nil {
		err = proto.Unmarshal(wire.AppendPacked(nil, b), again)
	}
	if err != nil || !bytes.Equal(again.Packed, c.f.Packed) {
		c.wrong("packed", "tick %d: %x is not what its rows are packed to, %x (%v)", c.now, c.f.Packed, again.Packed, err)
	}
}

// away reports whether a thing that x may be was out of sight at some tick since the
// frame before.
func (c *fieldClient) away(x *held) bool {
	return slices.ContainsFunc(x.may, func(id grid.EntityID) bool {
		s, seen := c.eyes.seen[id]
		return !seen || s.since > c.before
	})
}

// seenDying reports whether a thing that x may be was seen dying since the frame before.
func (c *fieldClient) seenDying(x *held) bool {
	return slices.ContainsFunc(x.may, func(id grid.EntityID) bool {
		for t := c.before + 1; t <= c.now; t++ {
			if c.h.died(c.h.eyesOf(c.r.team), id, t) {
				return true
			}
		}
		return false
	})
}

func checkLeave(c *fieldClient) {
	for _, x := range c.gone {
		if !c.away(x) {
			c.wrong("leave", "%s leaves, and is in sight", c.name(x))
		} else if c.r.steady && len(x.may) == 1 && c.seenDying(x) {
			c.wrong("leave", "%s leaves, and was seen dying", c.name(x))
		}
	}
	if !c.frame() {
		return
	}
	for _, x := range c.sorted() {
		if len(x.may) == 0 && x.entered != c.now {
			c.wrong("leave", "%s is out of sight, and was not told to leave", c.name(x))
		}
	}
}

func checkDestroyed(c *fieldClient) {
	for _, x := range c.fallen {
		if !c.seenDying(x) {
			c.wrong("destroyed", "%s was not seen dying", c.name(x))
		}
	}
}

// name describes a held thing, for reports.
func (c *fieldClient) name(x *held) string {
	return fmt.Sprintf("%d (%s of %d)", x.handle, c.h.setup.Rules.Types[x.typ].Name, x.owner)
}

func checkEnter(c *fieldClient) {
	if !c.frame() {
		return
	}
	for _, x := range c.enters {
		if len(x.may) == 0 {
			c.wrong("enter", "%s at %v, where none is in sight", c.name(x), c.reckon(x, c.now))
		} else {
			c.checkCourse("enter", x)
		}
	}
	if !c.r.steady {
		return
	}
	held := map[grid.EntityID]bool{}
	for _, x := range c.things {
		for _, id := range x.may {
			held[id] = true
		}
	}
	for id := range c.eyes.seen {
		if !held[id] {
			y := c.then.things[id]
			c.wrong("enter", "the %s at %v is in sight and was not told", c.h.setup.Rules.Types[y.typ].Name, y.pos)
		}
	}
	c.checkNames()
}

// checkNames compares new handles with the rule that any client with these eyes can
// apply: in each tick the lowest numbers that are free, in the order of places and looks.
func (c *fieldClient) checkNames() {
	fresh := map[grid.Tick][]uint32{} // by the tick in which they were given
	last := map[grid.Tick]*thing{}
	for _, x := range c.enters {
		if c.used[x.handle] {
			continue // a ghost that shows itself again
		}
		since := c.now
		if len(x.may) > 0 {
			since = max(c.before+1, c.eyes.seen[x.may[0]].since)
			if y := c.h.at(c.now).things[x.may[0]]; y != nil && c.h.placed(y) { // named before all else
				fresh[c.before+1] = append(fresh[c.before+1], x.handle)
				continue
			}
		}
		fresh[since] = append(fresh[since], x.handle)
		if len(x.may) != 1 {
			delete(last, since)
			continue
		}
		y := c.h.at(since).things[x.may[0]]
		if was := last[since]; was != nil && !c.snapshot && (y.pos.Y < was.pos.Y || y.pos.Y == was.pos.Y && y.pos.X < was.pos.X) && y.fineY < was.fineY {
			c.wrong("enter", "handle %d is given to %v after %v: not in the order of places", x.handle, y.pos, was.pos)
		}
		last[since] = y
	}
	for _, g := range c.ghosted {
		if !c.used[g.handle] && !slices.ContainsFunc(c.gone, func(x *held) bool { return x.handle == g.handle }) {
			at := c.now
			if last, ok := c.remembered(g); ok && c.h.placed(last.as) {
				at = c.before + 1
			}
			fresh[at] = append(fresh[at], g.handle)
		}
	}
	given := maps.Clone(c.used)
	for t := c.before + 1; t <= c.now; t++ {
		c.checkNamesAt(t, fresh[t], given)
	}
}

// checkNamesAt checks that the handles given in a tick were the lowest free ones.
func (c *fieldClient) checkNamesAt(t grid.Tick, fresh []uint32, given map[uint32]bool) {
	slices.Sort(fresh)
	passed := 0 // things that came in that tick and were gone by the frame: no message had them
	if t < c.now {
		for id, s := range c.h.at(t).eyes[c.h.eyesOf(c.r.team)].seen {
			if now, still := c.eyes.seen[id]; s.since == t && (!still || now.since != t) {
				passed++
			}
		}
	}
	next := uint32(0)
	isFree := func(handle uint32, early grid.Tick) bool {
		freed := c.freed[handle]
		return !given[handle] && (freed == 0 || freed-early+handleRest <= t)
	}
	// surely reports whether a handle was free beyond doubt: it rests no more, and no earlier visit can have had it.
	surely := func(handle uint32) bool {
		return isFree(handle, 0) && (c.perhaps[handle] == 0 || c.perhaps[handle]+handleRest <= t)
	}
	// visit lets a visit take a handle, if it can have been free: a tick before the frame that said so, too.
	visit := func(handle uint32) {
		if isFree(handle, c.beats-1) {
			c.perhaps[handle] = c.now
		}
	}
	for _, handle := range fresh {
		for next++; next != handle; next++ {
			sure := surely(next)
			if passed > 0 {
				visit(next)
			}
			if sure {
				if passed--; passed < 0 {
					c.wrong("enter", "handle %d is new; the lowest that is free is %d", handle, next)
					return
				}
			}
		}
		if !isFree(handle, c.beats-1) {
			c.wrong("enter", "handle %d is new, and was not free", handle)
			return
		}
		given[next] = true
	}
	for next++; passed > 0; next++ { // things that are gone took some handles
		if surely(next) {
			passed--
		}
		visit(next)
	}
}

// handleRest is for how long a handle rests, of docs/reference/protocol.md.
const handleRest = 100

// checkCourse compares a told place and course with the thing's own, to the last bit: the
// rules derive the told values from the truth.
func (c *fieldClient) checkCourse(field string, x *held) {
	if !c.r.steady || c.snapshot {
		if c.likeMe != nil {
			c.sameAsOthers(field, x)
		} else if !slices.ContainsFunc(x.may, func(id grid.EntityID) bool { return c.reckon(x, c.now).Within(c.then.things[id].pos, reckonMax) }) {
			c.wrong(field, "%s is reckoned at %v", c.name(x), c.reckon(x, c.now))
		}
		return
	}
	if !slices.ContainsFunc(x.may, func(id grid.EntityID) bool {
		y := c.then.things[id]
		return c.rightPlace(x, y) && c.rightCourse(x, y)
	}) {
		for _, id := range x.may {
			y := c.then.things[id]
			c.wrong(field, "%s is told at %v (from %v by place %d) with course %d; it is at %v, moves by %d, %d and looks to %d",
				c.name(x), x.at, x.from, x.place, x.course, y.pos, y.vx, y.vy, y.face)
		}
	}
}

func (c *fieldClient) rightPlace(x *held, y *thing) bool {
	middle := grid.Pos{X: y.pos.X&^63 + 32, Y: y.pos.Y&^63 + 32}
	switch d := x.at.Sub(y.pos); {
	case c.h.full[x.typ] == 0:
		return x.at == y.pos
	case x.moved && x.place < 121:
		return max(d.X, -d.X) <= 32 && max(d.Y, -d.Y) <= 32
	case x.moved && x.place < 277371 || x.refined:
		return x.at == y.pos
	}
	return x.at == middle
}

func (c *fieldClient) rightCourse(x *held, y *thing) bool {
	full := c.h.full[x.typ]
	if y.vx == 0 && y.vy == 0 || full == 0 {
		return x.course == uint32(y.face)
	}
	if x.course < 256 {
		return false
	}
	vx, vy := velocity(x.course, full)
	told, is := length(vx, vy), length(y.vx, y.vy)
	cross := float64(vx)*float64(y.vy) - float64(vy)*float64(y.vx)
	dot := float64(vx)*float64(y.vx) + float64(vy)*float64(y.vy)
	turn := dot >= 0 && max(cross, -cross) <= told*is/4032+2*(told+is)
	is = max(is, float64(full)/64) // no course is slower
	return turn && max(told-is, is-told) <= float64(full)/128+3
}

func length(x, y int32) float64 {
	return math.Sqrt(float64(x)*float64(x) + float64(y)*float64(y))
}

// sameAsOthers compares messages over a bad link with messages over a good link to the
// same eyes: all reckon alike.
func (c *fieldClient) sameAsOthers(field string, x *held) {
	var same *held
	for i := range c.likeMe.history[x.handle] {
		if y := &c.likeMe.history[x.handle][i]; y.told <= c.now {
			same = y
		}
	}
	if same == nil || same.typ != x.typ || same.owner != x.owner || same.course != x.course ||
		c.reckon(same, c.now) != c.reckon(x, c.now) || c.reckon(same, c.now+40) != c.reckon(x, c.now+40) {
		c.wrong(field, "%s is told at %v as of tick %d with course %d; others with the same eyes hold %+v", c.name(x), x.at, x.since, x.course, same)
	}
}

// checkOwner compares the held owners with the true owners, in every frame: the server
// tells a change of owner in its tick.
func checkOwner(c *fieldClient) {
	for _, x := range c.given {
		if !slices.ContainsFunc(x.may, func(id grid.EntityID) bool { return c.then.things[id].slot == x.owner }) && len(x.may) > 0 {
			c.wrong("owner", "%s is told to be %d's, and is %d's", c.name(x), x.owner, c.then.things[x.may[0]].slot)
		}
	}
	if !c.frame() || !c.r.steady {
		return
	}
	for _, x := range c.sorted() {
		if len(x.may) > 0 && !slices.ContainsFunc(x.may, func(id grid.EntityID) bool { return c.then.things[id].slot == x.owner }) {
			c.wrong("owner", "%s is held as %d's, and is %d's", c.name(x), x.owner, c.then.things[x.may[0]].slot)
		}
	}
}

func checkMotion(c *fieldClient) {
	for _, x := range c.moves {
		c.checkCourse("motion", x)
	}
	if !c.frame() || !c.r.steady {
		return
	}
	for _, x := range c.sorted() {
		if at := c.reckon(x, c.now); len(x.may) > 0 && !slices.ContainsFunc(x.may, func(id grid.EntityID) bool {
			y := c.then.things[id]
			carries := y.team != grid.NoTeam && y.class != rules.ClassProjectile && (c.r.team == grid.NoTeam || y.team == c.r.team)
			return at.Within(y.pos, reckonMax) && (!carries || at.Tile() == y.pos.Tile())
		}) {
			c.wrong("motion", "%s is reckoned at %v, and is at %v", c.name(x), at, c.then.things[x.may[0]].pos)
		}
	}
}

func checkExact(c *fieldClient) {
	for _, x := range c.exacts {
		if !slices.ContainsFunc(x.may, func(id grid.EntityID) bool { return x.since >= c.eyes.seen[id].since }) {
			c.wrong("exact", "%s is told as of tick %d, when it was not in sight", c.name(x), x.since)
		}
		c.checkCourse("exact", x)
	}
}

// lately reports whether a thing that x may be had a value at one of the last ticks, in
// sight all the while: frames have values every few ticks.
func (c *fieldClient) lately(x *held, is func(m *moments, s stay, y *thing) bool) bool {
	eyes := c.h.eyesOf(c.r.team)
	return slices.ContainsFunc(x.may, func(id grid.EntityID) bool {
		for t := c.now; t+c.h.values > c.now && t >= c.eyes.seen[id].since; t-- {
			if m := c.h.at(t); is(m, m.eyes[eyes].seen[id], m.things[id]) {
				return true
			}
		}
		return false
	})
}

// checkValue makes the check of a value: as told now, and as a receiver with a good link
// holds it.
func checkValue(row valueRow) func(*fieldClient) {
	field, is := row.path, row.is
	if row.read != nil {
		is = func(_ *history, _ *moments, _ stay, y *thing, v uint32) bool { return y.values[field] == v }
	}
	return func(c *fieldClient) {
		is := func(h *history, m *moments, s stay, y *thing, v uint32) bool {
			if c.hides(field, y) {
				return v == 0
			}
			return is(h, m, s, y, v)
		}
		for _, v := range c.values[field] {
			if row.age != nil && len(v.of.may) == 1 && !row.age(c.now, c.eyes.seen[v.of.may[0]], v.value) {
				c.wrong(field, "%s is told %d, of another time", c.name(v.of), v.value)
			}
			if len(v.of.may) > 0 && !c.lately(v.of, func(m *moments, s stay, y *thing) bool { return is(c.h, m, s, y, v.value) }) {
				c.wrong(field, "%s is told %d", c.name(v.of), v.value)
			}
		}
		if !c.frame() || !c.r.steady {
			return
		}
		for _, x := range c.sorted() {
			if len(x.may) > 0 && !c.lately(x, func(m *moments, s stay, y *thing) bool { return is(c.h, m, s, y, x.values[field]) }) {
				y := c.then.things[x.may[0]]
				c.wrong(field, "%s is held with %d, and is %+v, %+v", c.name(x), x.values[field], y, c.eyes.seen[y.id])
			}
		}
	}
}

// checkFlags checks as the other values, but the server sends the end of a construction in
// its tick: the structure then sees farther, and clients derive their fog from that.
func checkFlags(row valueRow) func(*fieldClient) {
	check := checkValue(row)
	return func(c *fieldClient) {
		check(c)
		if !c.frame() || !c.r.steady {
			return
		}
		for _, x := range c.sorted() {
			if flags := x.values["flags"]; len(x.may) == 1 && (flags&64 == 0) != c.then.things[x.may[0]].built {
				c.wrong("flags", "%s is held as being built %v", c.name(x), flags&64 != 0)
			}
		}
	}
}

// hides reports whether a value of a thing is for its own team: of things told to all, in
// sight or not, the rules name the values that all may know.
func (c *fieldClient) hides(field string, y *thing) bool {
	t := &c.h.setup.Rules.Types[y.typ]
	own := y.team != grid.NoTeam && (c.r.team == grid.NoTeam || y.team == c.r.team)
	return t.Relevance == rules.RelevantAlways && !own && !slices.Contains(t.Tells, strings.TrimSuffix(field, "_changes"))
}

func isMissing(_ *history, _ *moments, _ stay, y *thing, v uint32) bool {
	return uint32(y.missing) == v
}
func isFlags(_ *history, _ *moments, _ stay, y *thing, v uint32) bool   { return y.flags == v }
func isChanges(_ *history, _ *moments, s stay, _ *thing, v uint32) bool { return s.changes[0]%128 == v }
func isShield(_ *history, _ *moments, _ stay, y *thing, v uint32) bool  { return uint32(y.off) == v }
func isShieldChanges(_ *history, _ *moments, s stay, _ *thing, v uint32) bool {
	return s.changes[1]%128 == v
}

// isBurst checks a burst of the weapon, without its age.
func isBurst(weapon int) func(*history, *moments, stay, *thing, uint32) bool {
	return func(_ *history, _ *moments, s stay, y *thing, v uint32) bool {
		return len(y.weapons) > weapon && s.guns[weapon].burst() == v&0xff || len(y.weapons) <= weapon && v == 0
	}
}

// ageOf checks how long ago it was that the weapon began to fire as it does.
func ageOf(weapon int) func(now grid.Tick, s stay, v uint32) bool {
	return func(now grid.Tick, s stay, v uint32) bool {
		g := &s.guns[weapon]
		return v>>8 == 0 && !g.fires || g.fires && uint32(now)-v>>8 == g.since
	}
}

// checkLastBursts: of a thing out of sight the server tells only the shots of its last
// tick in sight.
func checkLastBursts(c *fieldClient) {
	eyes := c.h.eyesOf(c.r.team)
	for _, row := range c.lastBursts {
		x := row.of
		right := slices.ContainsFunc(x.may, func(id grid.EntityID) bool {
			for t := c.now - 1; t >= c.before; t-- {
				m := c.h.at(t)
				s, seen := m.eyes[eyes].seen[id]
				if !seen || s.since > c.before { // it came back, under another handle
					continue
				}
				for i, now := range m.things[id].weapons {
					if row.bursts[i] != uint32(now.shots-s.guns[i].first)&63<<2 {
						return false
					}
				}
				return true
			}
			return false
		})
		if !right && len(x.may) > 0 {
			c.wrong("last_bursts", "%s is told with %v", c.name(x), row.bursts)
		}
		if c.things[x.handle] == x {
			c.wrong("last_bursts", "%s is in sight", c.name(x))
		}
	}
}

func isAmount(_ *history, _ *moments, _ stay, y *thing, v uint32) bool {
	switch {
	case y.class == rules.ClassResource:
		return uint32(y.stock) == v
	case !y.built:
		step := uint32(y.done) * 16 / max(1, uint32(y.work))
		return v == min(255, 16*step)
	case y.feature:
		return v == uint32(y.stock)
	case y.taking > 0:
		return v == min(255, 16*(uint32(y.taken)*16/uint32(y.taking)))
	}
	return v == 0
}

// featureAmount returns the state of a thing that is a feature.
func featureAmount(x *thing) uint32 {
	if x.feature {
		return uint32(x.stock)
	}
	return 0
}

// can reports whether the receiver may hold the thing under a handle; no thing has handle
// 0.
func (c *fieldClient) can(handle uint32, id grid.EntityID) bool {
	if handle == 0 {
		_, seen := c.eyes.seen[id]
		return !seen
	}
	x := c.things[handle]
	return x != nil && slices.Contains(x.may, id)
}

func checkFire(c *fieldClient) {
	eyes := c.h.eyesOf(c.r.team)
	c.rows("fire", c.f.Fire, 2, func(handle uint32, row []uint32) {
		for t := c.now; t+c.h.values > c.now && t > 0; t-- {
			m := c.h.at(t)
			for _, e := range m.events {
				_, source := m.eyes[eyes].seen[e.Source]
				_, target := m.eyes[eyes].seen[e.Target]
				if e.Kind == sim.EventShot && source && target && c.can(handle, e.Source) && row[0] != 0 && c.can(row[0], e.Target) {
					return
				}
			}
		}
		c.wrong("fire", "%d is not seen firing at %d", handle, row[0])
	})
}

// checkGhosts holds each column to how the thing was last in sight.
func checkGhosts(column string, right func(g *ghostHeld, last *thing) bool) func(*fieldClient) {
	field := "ghosts." + column
	return func(c *fieldClient) {
		for _, g := range c.ghosted {
			last, ok := c.remembered(g)
			if !ok {
				c.wrong(field, "a %s of %d is remembered at %v, where none was ever in sight", c.h.setup.Rules.Types[g.typ].Name, g.owner, g.pos)
			} else if !right(g, last.as) {
				c.wrong(field, "%+v is remembered; it was last in sight at tick %d as %+v", g, last.at, last.as)
			}
		}
	}
}

// remembered returns a ghost's thing as it was last in sight.
func (c *fieldClient) remembered(g *ghostHeld) (glimpse, bool) {
	return c.h.lastSeen(c.h.eyesOf(c.r.team), standing{g.typ, g.owner, g.pos}, c.now)
}

func checkGhostHandle(c *fieldClient) {
	checkGhosts("handle", func(*ghostHeld, *thing) bool { return true })(c)
	if c.r.team == grid.NoTeam { // their names are given anew: checkNames
		if c.r.steady && c.frame() {
			c.checkNamesOf("ghosts.handle")
		}
		return
	}
	for _, g := range c.ghosted {
		if c.r.steady && !c.snapshot && !slices.ContainsFunc(c.gone, func(x *held) bool { return x.handle == g.handle }) && !c.used[g.handle] {
			c.wrong("ghosts.handle", "%d names a ghost, and nothing that was in sight", g.handle)
		}
		for _, x := range c.gone {
			if last, ok := c.remembered(g); ok && x.handle == g.handle && !slices.Contains(x.may, last.as.id) {
				c.wrong("ghosts.handle", "%d was %s, and is remembered as another", g.handle, c.name(x))
			}
		}
	}
}

func (c *fieldClient) checkNamesOf(field string) {
	say := c.say
	c.say = func(_, what string) { say(field, what) }
	c.checkNames()
	c.say = say
}

func checkGone(c *fieldClient) {
	for _, g := range c.dropped {
		foot := footOf(c.h.setup.Rules, g)
		seen := false
		for t := c.before + 1; t <= c.now; t++ {
			seen = seen || c.h.litFoot(c.h.at(t).eyes[c.h.eyesOf(c.r.team)].visible, g.typ, foot)
		}
		if !seen {
			c.wrong("ghosts.gone", "a ghost at %v is dropped, and its ground was not in sight", g.pos)
		}
	}
	if !c.frame() || !c.r.steady {
		return
	}
	for _, g := range c.ghosts {
		if c.h.litFoot(c.eyes.visible, g.typ, footOf(c.h.setup.Rules, g)) && c.h.setup.Rules.Types[g.typ].Feature.Mine == nil {
			c.wrong("ghosts.gone", "a ghost at %v is held, and its ground is in sight", g.pos)
		}
	}
}

func footOf(rules *rules.Ruleset, g *ghostHeld) grid.Tile {
	ty := &rules.Types[g.typ]
	w, h := max(1, int32(ty.FootW)), max(1, int32(ty.FootH))
	return grid.Tile{X: int16((g.pos.X - w*512) >> 10), Y: int16((g.pos.Y - h*512) >> 10)}
}

// checkMask compares rows, and their sum, with the present and past sight.
func checkMask(field string, explored bool) func(*fieldClient) {
	return func(c *fieldClient) {
		for _, row := range c.maskRows {
			told, is := row.visible, c.eyes.visible
			if explored {
				told, is = row.explored, c.eyes.explored
			}
			if is = is[row.y*c.h.setup.Map.W:][:c.h.setup.Map.W]; told != nil && !slices.Equal(told, is) {
				c.wrong(field, "row %d", row.y)
			}
		}
		if !c.frame() || c.r.derives {
			return
		}
		told, is := c.visible, c.eyes.visible
		if explored {
			told, is = c.explored, c.eyes.explored
		}
		for i := range is {
			if told[i] != is[i] {
				c.wrong(field, "%v: held as %v, and is %v", c.h.setup.Map.TileAt(i), told[i], is[i])
				return
			}
		}
	}
}

func checkMaskRow(c *fieldClient) {
	checkMask("mask.row", false)(c)
	checkMask("mask.row", true)(c)
}

func checkMaskHash(c *fieldClient) {
	if c.f.MaskHash == nil {
		return
	}
	if c.now%grid.Tick(c.h.setup.TickRate) != 0 {
		c.wrong("mask_hash", "between two seconds")
	}
	if is := hashOf(c.h.setup.Map, c.eyes.visible); is != *c.f.MaskHash {
		c.wrong("mask_hash", "%x, and the mask's is %x", *c.f.MaskHash, is)
	}
}

// hashOf is the hash of a mask, by docs/reference/protocol.md.
func hashOf(m *grid.Map, visible []bool) uint32 {
	sum, blocks := uint32(0), (m.W+7)/8
	for by := range (m.H + 7) / 8 {
		for bx := range blocks {
			for half := range 2 {
				word := uint32(0)
				for bit := range 32 {
					x, y := 8*bx+bit%8, 8*by+4*half+bit/8
					if x < m.W && y < m.H && visible[y*m.W+x] {
						word |= 1 << bit
					}
				}
				if word != 0 {
					h := word*0xCC9E2D51 ^ uint32(2*(by*blocks+bx)+half)*0x9E3779B1
					h = (h ^ h>>16) * 0x85EBCA6B
					h = (h ^ h>>13) * 0xC2B2AE35
					sum += h ^ h>>16
				}
			}
		}
	}
	return sum
}

// checkEvents compares events with the events of the tick that these eyes see. All
// columns of a row are judged together.
func checkEvents(column string) func(*fieldClient) {
	field := "events." + column
	return func(c *fieldClient) {
		f := c.f.Events
		if f == nil {
			return
		}
		at := func(list []uint32, i int) uint32 {
			if i < len(list) {
				return list[i]
			}
			return 0
		}
		for i, kind := range f.Kind {
			told := toldEvent{
				kind, grid.Pos{X: int32(at(f.X, i)), Y: int32(at(f.Y, i))}, at(f.What, i), at(f.Source, i), at(f.Target, i),
			}
			if !c.caughtSince(&told) {
				c.wrong(field, "%+v was not seen", told)
			}
		}
		if len(f.X) != len(f.Kind) || len(f.Y) != len(f.Kind) || max(len(f.What), len(f.Source), len(f.Target)) > len(f.Kind) {
			c.wrong(field, "columns of %d, %d, %d, %d, %d, %d", len(f.Kind), len(f.X), len(f.Y), len(f.What), len(f.Source), len(f.Target))
		}
	}
}

type toldEvent struct {
	kind           pb.EventKind
	at             grid.Pos
	what           uint32
	source, target uint32
}

// caughtSince reports whether a told event happened since the last beat.
func (c *fieldClient) caughtSince(told *toldEvent) bool {
	for t := c.now - min(c.now, c.beats-1); t <= c.now; t++ {
		m := c.h.at(t)
		eyes := m.eyes[c.h.eyesOf(c.r.team)]
		if slices.ContainsFunc(m.events, func(e sim.Event) bool { return c.caught(eyes, &e, told) }) {
			return true
		}
		if slices.ContainsFunc(eyes.sounds, func(s simtest.Sound) bool {
			return *told == toldEvent{kind: pb.EventKind_EVENT_KIND_HEARD, at: s.Middle(c.h.setup.Map), what: uint32(s.Class)}
		}) {
			return true
		}
	}
	return false
}

// caught reports whether a told event is e as these eyes catch it. It lacks an author
// that is out of sight by now.
func (c *fieldClient) caught(eyes *sightThen, e *sim.Event, told *toldEvent) bool {
	_, sees := eyes.seen[e.Source]
	_, still := c.eyes.seen[e.Source]
	by := sees && (told.source != 0 && c.can(told.source, e.Source) || told.source == 0 && !still && e.Kind == sim.EventAction)
	is := func(kind pb.EventKind, at grid.Pos, what uint32) bool {
		return told.kind == kind && told.at == at && told.what == what && told.target == 0
	}
	switch e.Kind {
	case sim.EventShot: // at the ground; at a unit it is a row of fire
		return by && e.Target == 0 && c.h.lit(eyes.visible, e.To.Tile()) && is(pb.EventKind_EVENT_KIND_SHOT, e.To, uint32(e.What))
	case sim.EventImpact:
		return told.source == 0 && c.h.lit(eyes.visible, e.At.Tile()) && is(pb.EventKind_EVENT_KIND_BLAST, e.At, uint32(e.What))
	case sim.EventArea:
		return told.source == 0 && c.h.lit(eyes.visible, e.At.Tile()) && is(pb.EventKind_EVENT_KIND_ABILITY, e.At, uint32(e.What))
	case sim.EventBuilt:
		return by && is(pb.EventKind_EVENT_KIND_BUILT, e.At, uint32(e.Type))
	case sim.EventAction:
		return by && e.On && !c.lasts(e.What) && is(pb.EventKind_EVENT_KIND_ABILITY, e.At, uint32(e.What))
	case sim.EventHit:
		own := c.r.team != grid.NoTeam && c.h.setup.Players[e.Slot].Team == c.r.team
		return own && (by || told.source == 0 && !(sees && still)) && is(pb.EventKind_EVENT_KIND_ATTACKED, e.At, 0)
	}
	return false
}

func checkSights(field string) func(*fieldClient) {
	return func(c *fieldClient) {
		for _, s := range c.f.Sights {
			if !slices.ContainsFunc(c.eyes.timed, func(x visibility.Source) bool {
				return uint32(x.Tile.X) == s.X && uint32(x.Tile.Y) == s.Y && uint32(x.Radius) == s.Radius && x.Flyer == s.Flyer &&
					uint32(x.LevelBonus) == s.LevelBonus && x.Until == c.now+grid.Tick(s.Ticks)
			}) {
				c.wrong(field, "%v is no sight of its", s)
			}
		}
	}
}

// checkContacts compares contacts with the things that the receiver's radar found then.
func checkContacts(field string) func(*fieldClient) {
	return func(c *fieldClient) {
		t := c.f.GetContacts()
		for i, x := range t.GetX() {
			at := func(list []uint32) uint32 { // absent numbers are 0
				if i < len(list) {
					return list[i]
				}
				return 0
			}
			class, y, ago := at(t.Class), at(t.Y), grid.Tick(at(t.Ago))
			found := c.r.team != grid.NoTeam && ago < c.now && slices.ContainsFunc(c.h.at(c.now - ago).eyes[c.h.eyesOf(c.r.team)].blips, func(b simtest.Blip) bool {
				return class < 256 && x < 256 && y < 256 && b.Has(uint8(class), int16(x), int16(y))
			})
			if !found {
				c.wrong(field, "radar of team %d did not find %d in %d,%d %d ticks ago", c.r.team, class, x, y, ago)
			}
		}
	}
}

func checkPlayers(field string) func(*fieldClient) {
	return func(c *fieldClient) {
		for _, p := range c.f.Players {
			if int(p.Slot) >= len(c.then.players) {
				c.wrong(field, "there is no player %d", p.Slot)
				continue
			}
			is := pb.PlayerState_PLAYER_STATE_PLAYING
			switch y := c.then.players[p.Slot]; {
			case y.left:
				is = pb.PlayerState_PLAYER_STATE_LEFT
			case !y.Alive:
				is = pb.PlayerState_PLAYER_STATE_DEFEATED
			case y.away:
				is = pb.PlayerState_PLAYER_STATE_AWAY
			}
			if before := c.h.at(c.now - 1); c.r.delay > 0 && before != nil && !before.players[p.Slot].away && p.State == pb.PlayerState_PLAYER_STATE_PLAYING {
				is = p.State // the journal has a lost connection one tick after its loss
			}
			if p.State != is {
				c.wrong(field, "player %d is told %v, and is %v", p.Slot, p.State, is)
			}
			name := ""
			if p.Slot == fogTaken && c.at >= fogTakenAt {
				name = fogTaker
			}
			if p.Name != name {
				c.wrong(field, "player %d is told to be %q, and is %q", p.Slot, p.Name, name)
			}
			if y := c.then.players[p.Slot]; (p.Score != nil) != (c.r.team == grid.NoTeam || y.Team == c.r.team) || p.Score != nil && *p.Score != y.Score {
				c.wrong(field, "player %d of team %d has a score of %d; told is %v", p.Slot, y.Team, y.Score, p)
			}
			y := c.then.players[p.Slot]
			known := y.values
			if c.r.team != grid.NoTeam && y.Team != c.r.team && c.then.result == nil {
				known = known[:1]
			}
			if !slices.Equal(p.Values, known) {
				c.wrong(field, "player %d of team %d has the values %v; told is %v", p.Slot, y.Team, y.values, p)
			}
		}
	}
}

// heard reports whether the receiver may hear a line, by the tick that it is shown.
func (c *fieldClient) heard(right func(s *sim.Said) bool) bool {
	for t := grid.Tick(1); t <= c.now; t++ {
		for _, s := range c.h.at(t).said {
			all := s.To == ^grid.TeamSet(0)
			if (all || !c.r.spectator() && c.h.setup.Players[s.Slot].Team == c.r.team) && right(&s) {
				return true
			}
		}
	}
	return false
}

func checkSaid(field string) func(*fieldClient) {
	return func(c *fieldClient) {
		for _, x := range c.f.Said {
			if !c.heard(func(s *sim.Said) bool {
				return s.Ping == 0 && s.Text == x.Text && uint32(s.Slot) == x.Slot && x.All == (s.To == ^grid.TeamSet(0)) &&
					uint32(s.Handed) == uint32(x.Handed) && uint32(s.Units) == x.Units
			}) {
				c.wrong(field, "%v is not for its ears", x)
			}
		}
	}
}

func checkPinged(field string) func(*fieldClient) {
	return func(c *fieldClient) {
		for _, x := range c.f.Pinged {
			if c.r.spectator() || !c.heard(func(s *sim.Said) bool {
				return uint32(s.Ping) == uint32(x.Kind) && s.Ping != 0 && uint32(s.Slot) == x.Slot && s.Point.X == x.At.GetX() && s.Point.Y == x.At.GetY()
			}) {
				c.wrong(field, "%v is not for its eyes", x)
			}
		}
	}
}

// checkAnswers compares answers with the rules' verdicts on this player's own orders, and
// the verdicts with the player's knowledge.
func checkAnswers(field string) func(*fieldClient) {
	return func(c *fieldClient) {
		for _, a := range c.f.Answers {
			for seq := a.Seq; seq-a.Seq <= a.More && seq-a.Seq < 1000; seq++ {
				if c.r.spectator() {
					if c.r.orders[seq] == nil || a.Code != uint32(orders.NotAlive) || len(a.LeftOut)+len(a.LeftOutCode) > 0 {
						c.wrong(field, "a spectator's order: %v", a)
					}
				} else if !c.answered(a, seq) {
					c.wrong(field, "%v, of %d", a, seq)
				}
			}
			if o := c.r.orders[a.Seq]; o != nil && o.Order != nil && !o.targets && o.Target != 0 && !answersToUnknown[orders.Reject(a.Code)] {
				c.wrong(field, "an order about handle %d, which it did not know, is answered %v", o.Target, orders.Reject(a.Code))
			}
		}
	}
}

// answersToUnknown are the possible answers to an order whose player does not know its
// target: the codes of earlier checks, and the code for a target out of sight.
var answersToUnknown = map[orders.Reject]bool{
	orders.Stale: true, orders.RateLimited: true, orders.NotRunning: true, orders.NotAlive: true, orders.Malformed: true, orders.UnknownUnit: true,
	orders.NotYours: true, orders.Unable: true, orders.QueueFull: true, orders.NotGranted: true, orders.CoolingDown: true,
	orders.Unaffordable: true, orders.PopLimit: true, orders.TargetLost: true,
}

// leftOutMost is how many units left out an answer names, of server.proto.
const leftOutMost = 32

func (c *fieldClient) answered(a *pb.Answer, seq uint32) bool {
	for t := c.now; t > 0; t-- {
		for _, is := range c.h.at(t).answers {
			is.Left = is.Left[:min(len(is.Left), leftOutMost)]
			if is.Slot != c.r.slot || is.Seq != seq || uint32(is.Code) != a.Code || len(is.Left) != len(a.LeftOut) || len(is.Left) != len(a.LeftOutCode) {
				continue
			}
			right := c.r.orders[seq] != nil
			for i, l := range is.Left {
				right = right && uint32(l.Unit) == a.LeftOut[i] && uint32(l.Code) == a.LeftOutCode[i]
			}
			if right {
				return true
			}
		}
	}
	return false
}

// own checks a row of the player's own part: the handle has to name a thing of the
// player's, and the row has to be true.
func (c *fieldClient) own(field string, handle uint32, right func(y *thing) bool) {
	x := c.things[handle]
	if x == nil {
		c.wrong(field, "handle %d is not held", handle)
		return
	}
	if len(x.may) > 0 && !slices.ContainsFunc(x.may, func(id grid.EntityID) bool {
		y := c.then.things[id]
		return y.slot == c.r.slot && right(y)
	}) {
		c.wrong(field, "%s: it is told %v", c.name(x), c.f.Own)
	}
}

// ownRows makes the check of a field of the player's own part.
func ownRows(field string, check func(c *fieldClient, own *pb.Own)) func(*fieldClient) {
	return func(c *fieldClient) {
		if c.f.Own == nil {
			return
		}
		if c.r.spectator() {
			c.wrong(field, "a spectator has nothing of its own: %v", c.f.Own)
			return
		}
		check(c, c.f.Own)
	}
}

func checkResources(c *fieldClient, own *pb.Own) {
	if own.Resources == nil {
		return
	}
	p, n := c.then.players[c.r.slot], len(c.h.setup.Rules.Resources)
	for i := range max(n, len(own.Resources)) {
		if len(own.Resources) != n || own.Resources[i] != uint32(p.Stock[i]) {
			c.wrong("own.resources", "%v, of %v", own.Resources, p.Stock)
			return
		}
	}
}

// checkUpgrades holds the upgrades to the structures of the team that have made one: the match makes one alone.
func checkUpgrades(c *fieldClient, own *pb.Own) {
	for _, n := range own.Upgrades {
		if !c.h.made(c.r.team, uint16(n), c.now) {
			c.wrong("own.upgrades", "type %d, which no structure of the team has made", n)
		}
	}
}

func checkPopulation(c *fieldClient, own *pb.Own) {
	if p := c.then.players[c.r.slot]; own.Population != nil && *own.Population != uint32(max(0, p.Pop)) {
		c.wrong("own.population", "%d, and it has %d", *own.Population, p.Pop)
	}
}

func checkPopulationMax(c *fieldClient, own *pb.Own) {
	if p := c.then.players[c.r.slot]; own.PopulationMax != nil && *own.PopulationMax != uint32(max(0, p.PopCap)) {
		c.wrong("own.population_max", "%d, and it may have %d", *own.PopulationMax, p.PopCap)
	}
}

func checkQueues(c *fieldClient, own *pb.Own) {
	handle, list := uint32(0), own.Queues
	for len(list) >= 2 {
		handle += list[0]
		n := int(list[1])
		list = list[2:]
		size := n + min(n, 1)
		if size > len(list) || n < 0 {
			c.wrong("own.queues", "a queue of %d in %v", n, own.Queues)
			return
		}
		types, progress := list[:n], list[n:size]
		list = list[size:]
		c.own("own.queues", handle, func(y *thing) bool {
			if !y.makes || len(y.made.Queue) != n {
				return false
			}
			for i, typ := range y.made.Queue {
				if uint32(typ) != types[i] {
					return false
				}
			}
			return n == 0 || progress[0] == min(255, uint32(y.made.Done)*255/uint32(y.made.Total))
		})
	}
}

func (c *fieldClient) cellOf(p grid.Pos) uint32 {
	return uint32(p.Y/64)*uint32(16*c.h.setup.Map.W) + uint32(p.X/64)
}

func checkRallies(c *fieldClient, own *pb.Own) {
	c.rows("own.rallies", own.Rallies, 2, func(handle uint32, row []uint32) {
		c.own("own.rallies", handle, func(y *thing) bool {
			return y.makes && (!y.made.HasRally && row[0] == 0 || y.made.HasRally && row[0] == c.cellOf(y.made.Rally)+1)
		})
	})
}

// noticesFor is for how many ticks an order's early end may wait on a bad link.
const noticesFor = 200

func checkCancelled(field string) func(*fieldClient) {
	return ownRows(field, func(c *fieldClient, own *pb.Own) {
		if len(own.Cancelled) != len(own.CancelledCode) {
			c.wrong(field, "%d units and %d codes", len(own.Cancelled), len(own.CancelledCode))
			return
		}
		for i, handle := range own.Cancelled {
			ended := func(y *thing) bool {
				for t := c.now; t > 0 && t+noticesFor > c.now; t-- {
					if slices.ContainsFunc(c.h.at(t).notices, func(n sim.Notice) bool {
						return n.Slot == c.r.slot && n.Unit == y.id && uint32(n.Code) == own.CancelledCode[i]
					}) {
						return true
					}
				}
				return false
			}
			c.own(field, handle, ended)
		}
	})
}

var orderKinds = map[orders.Kind]pb.OrderKind{
	orders.Move: 1, orders.AttackMove: 2, orders.Attack: 3, orders.AttackGround: 4, orders.Stop: 5, orders.Hold: 6, orders.Patrol: 7,
	orders.Follow: 8, orders.Harvest: 9, orders.Build: 10, orders.Train: 11, orders.SetRally: 12, orders.UseAbility: 13, orders.Cancel: 14,
	orders.Surrender: 15, orders.StopAbility: 16, orders.Fire: 17, orders.Repair: 18, orders.Board: 19,
	orders.Unload: 20,
}

func checkTasks(c *fieldClient, own *pb.Own) {
	handle, cell, told, list := uint32(0), uint32(0), false, own.Tasks
	for len(list) >= 2 {
		handle += list[0]
		kind, p := list[1]/3, list[1]%3
		if list = list[2:]; p == 1 {
			if len(list) == 0 {
				c.wrong("own.tasks", "a place is missing")
				return
			}
			cell, told, list = list[0], true, list[1:]
		}
		c.own("own.tasks", handle, func(y *thing) bool {
			to, has := y.hasTo(c.h.setup.Map)
			switch {
			case !y.busy:
				return kind == 0 && p == 0
			case uint32(orderKinds[y.task.Kind]) != kind || has != (p != 0):
				return false
			}
			return !has || told && c.cellOf(to) == cell
		})
	}
}

func checkStarted(c *fieldClient, own *pb.Own) {
	if len(own.Started)%2 != 0 {
		c.wrong("own.started", "%v", own.Started)
		return
	}
	for i := 0; i < len(own.Started); i += 2 {
		request := own.Started[i]
		for _, x := range c.things {
			if len(x.may) != 1 || x.handle == own.Started[i+1] {
				continue
			}
			if y := c.then.things[x.may[0]]; y != nil && y.slot == c.r.slot && y.request == request && request != 0 {
				c.wrong("own.started", "shot %d has handle %d, not %d", request, x.handle, own.Started[i+1])
			}
		}
		if c.things[own.Started[i+1]] == nil && c.startedSince(request) {
			continue // it is gone by now, and so is its handle
		}
		c.own("own.started", own.Started[i+1], func(y *thing) bool { return y.request == request && request != 0 })
	}
}

// startedFor is for how many ticks a snapshot tells started shots.
const startedFor = 200

// startedSince reports whether a shot of the player's with that number began since the
// frame before, or lately if this frame is the first.
func (c *fieldClient) startedSince(request uint32) bool {
	from := c.before
	if c.snapshot {
		from = max(startedFor, c.now) - startedFor
	}
	for t := from + 1; t <= c.now; t++ {
		for _, y := range c.h.at(t).things {
			if y.slot == c.r.slot && y.request == request && request != 0 {
				return true
			}
		}
	}
	return false
}

// checkOwnValue makes the check of a value that only its owner knows. A client with
// skipped frames may get a value less than a step old.
func checkOwnValue(row ownValueRow) func(c *fieldClient, own *pb.Own) {
	return func(c *fieldClient, own *pb.Own) {
		name := strings.TrimPrefix(row.path, "own.")
		c.rows(row.path, numbersIn(own, name), 2, func(handle uint32, r []uint32) {
			c.own(row.path, handle, func(y *thing) bool {
				d := int64(r[0]) - int64(y.values[row.path])
				return d == 0 || !c.r.steady && d > -row.step && d < row.step
			})
		})
	}
}

// numbersIn returns the numbers of a packed field.
func numbersIn(m protoreflect.ProtoMessage, field string) []uint32 {
	r := m.ProtoReflect()
	list, _ := r.Get(r.Descriptor().Fields().ByName(protoreflect.Name(field))).Interface().(protoreflect.List)
	out := make([]uint32, list.Len())
	for i := range out {
		out[i] = uint32(list.Get(i).Uint())
	}
	return out
}

func checkReady(c *fieldClient, own *pb.Own) {
	c.rows("own.ready", own.Ready, 3, func(handle uint32, row []uint32) {
		c.own("own.ready", handle, func(y *thing) bool {
			return int(row[0]) < len(y.actions) && row[1] == uint32(max(y.actions[row[0]].Ready, c.now)-c.now)
		})
	})
}

// checkRunning compares starts with the owner's instances.
func checkRunning(c *fieldClient, own *pb.Own) {
	c.rows("own.running", own.Running, 4, func(handle uint32, row []uint32) {
		c.own("own.running", handle, func(y *thing) bool {
			if int(row[0]) >= len(y.actions) {
				return false
			}
			a, ends := y.actions[row[0]], uint32(0)
			if a.Until != 0 {
				ends = 1 + uint32(a.Until-c.now)
			}
			return a.On && row[1] == ends && row[2] == a.Request && c.h.setup.Rules.Abilities[a.Ability].Kind != "rage"
		})
	})
}

// checkPassengers compares the rows of transports with the units in them. Lists are complete: the rows of one follow each other.
func checkPassengers(c *fieldClient, own *pb.Own) {
	c.rows("own.passengers", own.Passengers, 4, func(handle uint32, row []uint32) {
		c.own("own.passengers", handle, func(y *thing) bool {
			if len(y.passengers) == 0 {
				return row[0] == 0 && row[1] == 0 && row[2] == 0
			}
			return int(row[0]) < len(y.passengers) && [2]uint32(row[1:]) == y.passengers[row[0]]
		})
	})
}

// checkGrants compares the units' grants with the rules' grants to these units alone.
func checkGrants(c *fieldClient, own *pb.Own) {
	c.rows("own.grants", own.Grants, 3, func(handle uint32, row []uint32) {
		c.own("own.grants", handle, func(y *thing) bool { return int(row[0]) < len(y.actions) && row[1] == uint32(y.actions[row[0]].Grant) })
	})
}

// lasts reports whether an ability runs beyond the tick in which it starts.
func (c *fieldClient) lasts(ability uint8) bool {
	a := c.h.setup.Rules.Abilities[ability]
	return a.DurationMs > 0 || a.Kind == "cloak" || a.Kind == "deploy" || a.Kind == "sprint" || a.Kind == "burn"
}

// when is a row's column for the start of a thing's action, for a receiver that has seen
// the thing since a tick.
func (c *fieldClient) when(began, seenSince grid.Tick) uint32 {
	if began <= seenSince {
		return 0
	}
	return 1 + uint32(c.now-began)
}

// checkActions compares the told abilities with the running ones.
func checkActions(c *fieldClient) {
	c.checkActivity("actions", 3, c.f.Actions, func(x *held) *[][3]uint32 { return &x.actions }, func(y *thing, s stay) (out [][3]uint32) {
		for i, a := range y.actions {
			if a.On {
				out = append(out, [3]uint32{uint32(i) + 1, c.when(a.Since, s.since)})
			}
		}
		return out
	})
}

// checkEffects compares the told effects with the things' own. A row has the author if
// the author was in sight then and still is.
func checkEffects(c *fieldClient) {
	c.checkActivity("effects", 4, c.f.Effects, func(x *held) *[][3]uint32 { return &x.effects }, func(y *thing, s stay) (out [][3]uint32) {
		for _, e := range y.effects {
			if c.h.setup.Rules.Effects[e.Kind].TeamOnly && c.r.team != grid.NoTeam && y.team != c.r.team {
				continue
			}
			row := [3]uint32{uint32(e.Kind) + 1, c.when(e.Since, s.since)}
			if by, sees := c.eyes.seen[e.By]; sees && row[1] != 0 && by.since < e.Since {
				row[2] = c.handleOf(e.By)
			}
			out = append(out, row)
		}
		return out
	})
}

// handleOf returns the handle under which the receiver holds a thing, 0 if no handle is
// sure to be the thing's.
func (c *fieldClient) handleOf(id grid.EntityID) uint32 {
	for _, x := range c.sorted() {
		if len(x.may) == 1 && x.may[0] == id {
			return x.handle
		}
	}
	return 0
}

// checkActivity compares rows with their things, and all rows that a receiver with a good
// link holds with their things. Rows are [handle, number + 1, when, ...].
func (c *fieldClient) checkActivity(field string, width int, rows []uint32, of func(x *held) *[][3]uint32, is func(y *thing, s stay) [][3]uint32) {
	if !c.frame() {
		return
	}
	told := map[*held]bool{}
	for _, x := range c.enters {
		*of(x) = nil
	}
	c.rows(field, rows, width, func(handle uint32, row []uint32) {
		x := c.things[handle]
		if x == nil {
			c.wrong(field, "handle %d is not held", handle)
			return
		}
		if !told[x] {
			told[x], *of(x) = true, nil
		}
		if row[0] != 0 {
			var r [3]uint32
			copy(r[:], row)
			*of(x) = append(*of(x), r)
		} else if !slices.Equal(row, make([]uint32, width-1)) || len(*of(x)) > 0 {
			c.wrong(field, "%s has none any more, and %v", c.name(x), row)
		}
	})
	for _, x := range c.sorted() {
		if len(x.may) != 1 || !told[x] && !c.r.steady {
			continue
		}
		has, is := slices.Clone(*of(x)), is(c.then.things[x.may[0]], c.eyes.seen[x.may[0]])
		for i := range has {
			if !told[x] && has[i][1] != 0 {
				has[i][1] += uint32(c.now - c.before) // as of this frame
			}
			if by := c.things[has[i][2]]; by != nil && len(by.may) > 1 {
				has[i][2] = 0 // as handleOf
			}
		}
		for _, list := range [][][3]uint32{has, is} {
			slices.SortFunc(list, func(a, b [3]uint32) int { return slices.Compare(a[:], b[:]) })
		}
		*of(x) = has
		if !slices.Equal(has, is) {
			c.wrong(field, "%s is told, or held, with %v, and has %v", c.name(x), has, is)
		}
	}
}

// checkWelcome holds a field of the welcome to the match's public setup and the
// receiver's own seat.
func checkWelcome(path string) func(*fieldClient) {
	return func(c *fieldClient) {
		if c.f.Welcome == nil {
			return
		}
		var is, told [][]byte
		r := *c.r
		for _, t := range r.tokens {
			if t.at <= c.at {
				r.token = t.token // of the last connection until then
			}
		}
		public := c.h.welcomes(&r)
		if c.at >= fogTakenAt {
			public.Players[fogTaken].Name, public.Players[fogTaken].Bot = fogTaker, false
		}
		each(path, &pb.ServerFrame{Welcome: public}, func(m protoreflect.Message, fd protoreflect.FieldDescriptor) { is = append(is, valueOf(m, fd)) })
		each(path, c.f, func(m protoreflect.Message, fd protoreflect.FieldDescriptor) { told = append(told, valueOf(m, fd)) })
		if !slices.EqualFunc(is, told, bytes.Equal) {
			c.wrong(path, "told %.80q, and public is %.80q", told, is)
		}
	}
}

func checkEnded(field string) func(*fieldClient) {
	return func(c *fieldClient) {
		e := c.f.Ended
		if e == nil {
			return
		}
		r := c.then.result
		if r == nil {
			c.wrong(field, "the match is not over at tick %d: %v", c.now, e)
			return
		}
		var winners []uint32
		if r.Winner != grid.NoTeam {
			winners = []uint32{uint32(r.Winner)}
		}
		right := slices.Equal(e.Winners, winners) && e.Reason == r.Reason && len(e.Scores) == len(r.Players)
		for i := range e.Scores {
			if right {
				s, p := e.Scores[i], r.Players[i]
				right = s.Kills == uint32(p.Killed) && s.Assists == uint32(p.Assists) && s.Losses == uint32(p.Lost) && s.Made == uint32(p.Made) && s.Points == p.Score
			}
		}
		right = right && e.SeriesTicks == uint32(r.Series.Step) && len(e.Series) == len(r.Series.Players)
		for i := range e.Series {
			if right {
				s, p := e.Series[i], r.Series.Players[i]
				same := func(told uint32, is int32) bool { return told == uint32(is) }
				right = slices.EqualFunc(s.Gathered, p.Gathered, same) && slices.EqualFunc(s.Army, p.Army, same)
			}
		}
		if !right {
			c.wrong(field, "%v, and it ended as %+v", e, r)
		}
	}
}

// checkBudget compares the budget that a client gets with the configured one.
func checkBudget(c *fieldClient) {
	if b := c.f.Budget; b != nil && int(b.BytesPerS) != fogBudget {
		c.wrong("budget.bytes_per_s", "%d, and %d was set", b.BytesPerS, fogBudget)
	}
}

// fogWish is one player's wish for the speed.
var fogWish = wire.Speed{Percent: 150, Paused: true}

// checkSpeed compares the speed that a client gets with the players' wishes: one wish, to
// which no other player agrees, and a short pause. The speed stays as it is.
func checkSpeed(field string) func(*fieldClient) {
	return func(c *fieldClient) {
		x := c.f.Speed
		if x == nil {
			return
		}
		pauses := uint32(PausesMax)
		if c.welcome.Spectator {
			pauses = 0
		}
		right := x.Percent == speedNormal && x.Held == 0 && x.By == fogWisher+1 && x.PausesLeft == pauses && len(x.Wishes) <= 1 &&
			x.Paused == (c.at <= fogWishAt+fogPaused) && x.Paused == (x.PauseMs >= 59_000 && x.PauseMs <= 60_000)
		for _, w := range x.Wishes {
			age := time.Duration(c.at-fogWishAt) * time.Second / time.Duration(c.h.setup.TickRate)
			left := time.Duration(w.Ms) * time.Millisecond
			right = right && w.Slot == fogWisher && w.Percent == fogWish.Percent && w.Paused && left <= wishMost && left >= wishMost-age-time.Second
		}
		if !right {
			c.wrong(field, "%v, and one wish of %+v was made", x, fogWish)
		}
	}
}

// standing reports whether the message in turn is a player's line of chat while the match
// stands still.
func (c *fieldClient) standing() bool {
	return c.f.Waiting != nil && len(c.f.Said) == 1 && c.at > fogWishAt && c.at < fogWishAt+fogPaused
}

// checkVotes compares the questions that a client gets with the asked questions: one to
// all, which is open, and one to the first team, which has failed.
func checkVotes(field string) func(*fieldClient) {
	return func(c *fieldClient) {
		x := c.f.Votes
		if x == nil {
			return
		}
		right := c.at >= fogWishAt && !c.welcome.Spectator && (x.Refused == "" || x.Refused == voteLate && c.r.slot == 1)
		kinds := [4]int{}
		for _, p := range x.Polls {
			kinds[p.Kind&3]++
			switch p.Kind {
			case kKick:
				right = right && c.r.team == 0 && p.By == 0 && p.Slot == 1 && slices.Equal(p.Voters, []uint32{0}) && slices.Equal(p.Yes, []uint32{0}) &&
					len(p.No) == 0 && p.Needed == 2 && p.Ms == 0 && p.Result == pb.PollResult_POLL_RESULT_FAILED
			case kRemake:
				n := uint32(len(p.Voters))
				right = right && p.By == 1 && p.Slot == 0 && n >= 2 && p.Voters[0] == 0 && p.Voters[1] == 1 && slices.IsSorted(p.Voters) && slices.Equal(p.Yes, []uint32{1}) &&
					slices.Equal(p.No, []uint32{0}) && p.Needed == (2*n+2)/3 && (p.Result == 0) == (p.Ms > 0) && p.Ms <= uint32(voteMost.Milliseconds()) && p.Result != pb.PollResult_POLL_RESULT_PASSED
			default:
				right = false
			}
		}
		if !right || kinds[1] > 1 || kinds[3] > 1 {
			c.wrong(field, "%v, and two questions were asked", x)
		}
	}
}

func checkWaiting(c *fieldClient) {
	if c.f.Waiting == nil || c.standing() && int(c.f.Waiting.Ticks) == c.h.setup.TickRate {
		return
	}
	// It begins the delay after the match, or after it came in.
	first := grid.Tick(1) + c.r.delay
	if d := int64(c.f.Waiting.Ticks) - int64(first) + int64(c.at); c.f.Waiting.Ticks != 1 && (d < -1 || d > 1) {
		c.wrong("waiting.ticks", "%d at tick %d, with a delay of %d", c.f.Waiting.Ticks, c.at, c.r.delay)
	}
}
