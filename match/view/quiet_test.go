package view

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
)

// eyePair has the same eyes twice: the first leave rows out of their views that their tracker does not need, the
// second leave out no rows.
type eyePair struct {
	eyes         grid.Team
	quiet, whole eyeSide
}

type eyeSide struct {
	builder *Builder
	tracker *Tracker
	view    View
	diff    Diff
	own     OwnerDiff
}

// newEyePair returns a pair that is told at beats so many ticks apart.
func newEyePair(w *sim.World, eyes grid.Team, every grid.Ticks) *eyePair {
	p := &eyePair{eyes: eyes}
	for _, s := range []*eyeSide{&p.quiet, &p.whole} {
		s.builder = NewBuilder(eyes)
		s.tracker = NewTracker(Rules{W: w.Map().W, H: w.Map().H, TickRate: TickRateOf(w.Rules(), w.TickRate()), Keep: 200, Every: every, Values: w.Rules().Values})
	}
	return p
}

// look compares the frames of w's tick for clients from several bases.
func (p *eyePair) look(w *sim.World, sc *Cache, counts map[string]int) error {
	p.quiet.view.Quiet = p.quiet.tracker.Quiet()
	for _, s := range []*eyeSide{&p.quiet, &p.whole} {
		s.builder.BuildFrom(sc, w, &s.view)
		s.tracker.Update(&s.view)
	}
	counts["left out"] += len(p.whole.view.Units) - len(p.quiet.view.Units)
	if err := same("in sight", slices.Collect(p.quiet.tracker.live.all()), handlesOf(p.whole.view.Units)); err != nil {
		return err
	}
	bases := []grid.Tick{w.Tick() - 1}
	if w.Tick()%16 == 0 {
		bases = append(bases, w.Tick()-2, w.Tick()-7, w.Tick()-min(60, w.Tick()), 0)
	}
	for _, base := range bases {
		for _, s := range []*eyeSide{&p.quiet, &p.whole} {
			s.tracker.Diff(&s.diff, base, MaskOptions{})
			s.tracker.DiffOwner(&s.own, 0, base)
		}
		if q, w := &p.quiet, &p.whole; !reflect.DeepEqual(q.diff, w.diff) || !reflect.DeepEqual(q.own, w.own) {
			return fmt.Errorf("from base %d a view that leaves out tells\n%+v\n%+v\na whole one\n%+v\n%+v", base, q.diff, q.own, w.diff, w.own)
		}
	}
	return nil
}

// Rows left out of a view do not change the frames: of units that walk for a
// long time nearly straight, that stand, turn on the spot, or stop, and of units on the tile that the team's sight
// needs.
func TestLeftOutIsNotMissed(t *testing.T) {
	rs := obviousRules(t)
	w := worldOf(t, rs, 5)
	rng := rand.New(rand.NewPCG(3, 9))
	edit := simtest.Edit(w)
	typ, ok := rs.TypeByName("soldier")
	if !ok {
		t.Fatal("no soldiers")
	}
	for i := range 60 {
		edit.Add(grid.Slot(i%4), typ, grid.Tile{X: int16(3 + rng.IntN(55)), Y: int16(3 + rng.IntN(46))}.Center())
	}
	// Each walks to a goal, a whole number of 1/64 world units a tick: not quite
	// straight. Some crawl, some stand, a few jump.
	type goal struct {
		x, y, speed int32
		rest        int
	}
	goals := map[grid.EntityID]*goal{}
	side := func(tiles int) int32 { return rng.Int32N(int32(tiles) << (grid.TileShift + VelocityShift)) }
	w.SetDriver(&sim.Driver{Unit: func(id grid.EntityID, p sim.Driven) sim.Driven {
		g := goals[id]
		if g == nil || g.rest == 1 {
			g = &goal{side(w.Map().W), side(w.Map().H), []int32{3, 60, 700, 9830, 9830, 20000}[rng.IntN(6)], 0}
			goals[id] = g
		}
		if g.rest > 1 {
			g.rest--
			return p
		}
		dx, dy := float64(g.x-p.X), float64(g.y-p.Y)
		if d := max(dx, -dx, dy, -dy); d > float64(g.speed) && rng.IntN(400) != 0 {
			p.VX, p.VY = int32(dx*float64(g.speed)/d), int32(dy*float64(g.speed)/d)
			p.X, p.Y = p.X+p.VX, p.Y+p.VY
		} else {
			p.VX, p.VY, g.rest = 0, 0, 1+rng.IntN(60)
		}
		if rng.IntN(5000) == 0 {
			p.X, p.Y = side(w.Map().W), side(w.Map().H)
		}
		if rng.IntN(100) == 0 {
			p.HP = 20 + rng.Int32N(20)
		}
		return p
	}})
	sc := NewCache(w)
	var pairs []*eyePair
	for team := range grid.Team(w.Teams()) {
		pairs = append(pairs, newEyePair(w, team, 1), newEyePair(w, team, 2))
	}
	pairs = append(pairs, newEyePair(w, grid.NoTeam, 1), newEyePair(w, grid.NoTeam, 2))
	counts := map[string]int{}
	rows := 0
	for range 1500 {
		w.Step(nil)
		if w.Tick() == 300 { // nobody looks for a while
			for range 9 {
				w.Step(nil)
			}
		}
		sc.Prepare(w)
		for _, p := range pairs {
			if err := p.look(w, sc, counts); err != nil {
				t.Fatalf("tick %d, eyes %d: %v", w.Tick(), p.eyes, err)
			}
			rows += len(p.quiet.view.Units)
		}
	}
	if counts["left out"] < 2*rows {
		t.Errorf("%d rows were left out, %d were there", counts["left out"], rows)
	}
}

// A unit with a line is on it, but for the slack; a standing one is there exactly.
func TestLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var l line
	x, y, v := int32(5000), int32(7000), Velocity{}
	kept := 0
	for range 20_000 {
		switch rng.IntN(40) {
		case 0:
			v = Velocity{rng.Int32N(200) - 100, rng.Int32N(200) - 100}
		case 1:
			v = Velocity{}
		case 2:
			x++
		}
		moved := v
		if v != (Velocity{}) {
			moved.X += rng.Int32N(3) - 1
		}
		x, y = x+moved.X, y+moved.Y
		was := l
		turned := l.follow(x, y, v)
		if turned && l != (line{x, y, v}) {
			t.Fatalf("it turned to %+v, and is at %d,%d with %+v", l, x, y, v)
		}
		if (l.v == Velocity{}) != (v == Velocity{}) {
			t.Fatalf("a line of %+v for %+v", l.v, v)
		}
		slack := int32(lineSlack << VelocityShift)
		if v == (Velocity{}) {
			slack = 0
		}
		if !within(x-l.x, y-l.y, slack) {
			t.Fatalf("it is at %d,%d, its line %+v", x, y, l)
		}
		if !turned {
			kept++
			if want := (line{was.x + was.v.X, was.y + was.v.Y, was.v}); l != want {
				t.Fatalf("the line goes on at %+v, want %+v", l, want)
			}
		}
	}
	if kept < 10_000 {
		t.Errorf("only %d of 20,000 steps were on a line", kept)
	}
}

// A unit with an untold value, or one that changes by itself, is never quiet.
func TestUnitsThatAreNotQuiet(t *testing.T) {
	stands := Unit{Handle: 5, Entered: 1, Pos: grid.Tile{X: 5, Y: 5}.Center()}
	for name, c := range map[string]struct {
		change func(*Unit)
		quiet  bool
	}{
		"nothing":         {func(*Unit) {}, true},
		"a value":         {func(u *Unit) { u.Values[ValueHealth] = 3 }, false},
		"busy":            {func(u *Unit) { u.Busy = true }, false},
		"another place":   {func(u *Unit) { u.Pos.X += 2 * int32(ToleranceDefault) }, true}, // which is told at once
		"on its way":      {func(u *Unit) { u.Vel, u.Line = Velocity{64, 0}, Velocity{64, 0} }, true},
		"much faster":     {func(u *Unit) { u.Vel, u.Line = Velocity{200 * 64, 0}, Velocity{200 * 64, 0} }, false},
		"a turn on place": {func(u *Unit) { u.Facing++ }, false}, // it rests anew
	} {
		tr := small()
		at := grid.Tick(20)
		v := View{W: 16, H: 16, Quiet: tr.Quiet(), Units: []Unit{stands}}
		for now := at; now < at+2*restTicks; now++ {
			v.Tick = now
			tr.Update(&v)
		}
		v.Tick = at + 2*restTicks + 1
		if v.Tick%2 == 0 {
			t.Fatal("values are due at this tick")
		}
		c.change(&v.Units[0])
		tr.Update(&v)
		if got := tr.Quiet()[5] > v.Tick+1; got != c.quiet {
			t.Errorf("%s: it is quiet %v, until %d at tick %d", name, got, tr.Quiet()[5], v.Tick)
		}
	}
	if reflect.TypeOf(stands).NumField() != 12 {
		t.Error("a unit has other fields: has a change of them turned it, in Cache.prepare?")
	}
}
