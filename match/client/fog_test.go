package client

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// deriver is a client that derives its fog from the diffs of its team.
type deriver struct {
	team    grid.Team
	builder *view.Builder
	tracker *view.Tracker
	replica *Replica
	fog     *Fog
	view    view.View
	diff    view.Diff
	base    grid.Tick
	every   grid.Ticks // it takes the frames of ticks that are divisible by this
}

// newDeriver returns a client of a team that is told at each tick, or at beats.
func newDeriver(t *testing.T, w *sim.World, team grid.Team, every grid.Ticks) *deriver {
	t.Helper()
	rs, m := w.Rules(), w.Map()
	var eyes []Eye
	for i := range rs.Types {
		ty := &rs.Types[i]
		eyes = append(eyes, Eye{
			Radius: visibility.Radius(ty.Sight), Flyer: ty.Class == rules.ClassUnit && ty.Move == grid.Air,
			LevelBonus: ty.LevelBonus, Blind: ty.Class > rules.ClassStructure,
		})
	}
	own := grid.SlotSet(0)
	for s := range w.Players() {
		if w.Player(grid.Slot(s)).Team == team {
			own = own.With(grid.Slot(s))
		}
	}
	fog, err := NewFog(m, eyes, own, w.DyingSight())
	if err != nil {
		t.Fatal(err)
	}
	return &deriver{
		team: team, builder: view.NewBuilder(team), replica: NewReplica(m.W, m.H, view.Speeds(w)), fog: fog,
		tracker: view.NewTracker(view.Rules{W: m.W, H: m.H, TickRate: view.TickRateOf(rs, w.TickRate()), Keep: 100, Every: every, Values: rs.Values}),
		every:   every,
	}
}

// take brings the client to w's tick, or lets it miss the tick, and returns what
// of its mask is wrong.
func (c *deriver) take(sc *view.Cache, w *sim.World, missed bool) error {
	c.builder.BuildFrom(sc, w, &c.view)
	c.tracker.Update(&c.view)
	if missed || w.Tick()%grid.Tick(c.every) != 0 {
		return nil
	}
	c.tracker.Diff(&c.diff, c.base, view.MaskOptions{})
	for i := range c.diff.Sights { // on the wire time is told from now
		c.diff.Sights[i].Until -= w.Tick()
	}
	c.base = w.Tick()
	c.fog.Before(c.replica, &c.diff)
	if err := c.replica.Apply(&c.diff); err != nil {
		return err
	}
	if !c.fog.After(c.replica, &c.diff) {
		return fmt.Errorf("the hash tells that the mask is wrong")
	}
	m := w.Map()
	for i := range m.W * m.H {
		at := m.TileAt(i)
		if is, held := w.Eyes().Visible(c.team, at), c.fog.Visible(at); is != held {
			return fmt.Errorf("%v is visible: %v, derived: %v", at, is, held)
		}
		if is, held := w.Eyes().Explored(c.team, at), c.fog.Explored(at) || c.replica.Explored(at); is != held {
			return fmt.Errorf("%v is explored: %v, held: %v", at, is, held)
		}
	}
	return nil
}

// busyWorld is a world in which much is built, scanned and shot at.
func busyWorld(t *testing.T, rate int, occlusion grid.Occlusion, dying int32) *sim.World {
	t.Helper()
	base, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	rs := *base
	rs.Settings.StartStock = rules.Cost{1 << 20, 1 << 20}
	rs.Settings.DyingSightMs = dying
	rs.Types = append([]rules.Type(nil), rs.Types...)
	for i := range rs.Types {
		if ty := &rs.Types[i]; ty.Class == rules.ClassStructure {
			ty.BuildMs, ty.Needs = 700+int32(i)*230, nil
			ty.Health = max(1, ty.Health/8) // so that they fall as they stand
		}
	}
	m := grid.NewMap("busy", 48, 48)
	m.Starts = []grid.Tile{{X: 16, Y: 20}, {X: 31, Y: 27}}
	m.Occlusion = occlusion
	for y := range int16(48) {
		for x := int16(22); x < 26; x++ {
			m.Levels[m.Index(grid.Tile{X: x, Y: y})] = grid.Level(y / 8 % 3)
		}
	}
	w, err := sim.New(sim.Setup{
		Map: m, Rules: &rs, Seed: uint64(rate), TickRate: rate, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}},
		Options: sim.Options{OrdersPerSecond: 1000, OrderBurst: 1000},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// busyOrders are orders of one player to random units at random places.
func busyOrders(w *sim.World, rng *rand.Rand, slot grid.Slot, seq *uint32) (in []sim.Input) {
	rs := w.Rules()
	near := func(e *sim.Entity, span int) grid.Pos {
		at := e.Tile()
		return w.Map().Clamp(grid.Tile{X: at.X + int16(rng.IntN(2*span+1)-span), Y: at.Y + int16(rng.IntN(2*span+1)-span)}.Center())
	}
	for _, s := range w.Knowledge(w.Player(slot).Team).Seen(nil) {
		e := w.Entity(s.ID)
		if e.Slot() != slot || e.Class() != rules.ClassUnit || rng.IntN(w.TickRate()) != 0 {
			continue
		}
		ty := &rs.Types[e.Type()]
		o := orders.Order{Kind: orders.AttackMove, Units: []grid.Handle{s.Handle}, HasPoint: true, Point: near(e, 8)}
		_, runs := e.Running()
		switch {
		case len(ty.Builds) > 0 && runs && rng.IntN(8) != 0:
			continue
		case len(ty.Builds) > 0:
			o.Kind, o.Type, o.Point = orders.Build, ty.Builds[rng.IntN(len(ty.Builds))], near(e, 3)
		case len(ty.Abilities) > 0 && rng.IntN(2) == 0:
			o.Kind, o.Ability = orders.UseAbility, ty.Abilities[rng.IntN(len(ty.Abilities))]
		}
		*seq++
		in = append(in, sim.Input{Kind: sim.InputOrder, Slot: slot, Seq: *seq, AsOf: w.Tick(), Order: o})
	}
	return in
}

// TestDerivedMasksAreRightAtEveryTick compares, at all tick rates, the mask that
// clients derive from their diffs with the server's: tile by tile, at every tick,
// not only at those that carry a hash.
func TestDerivedMasksAreRightAtEveryTick(t *testing.T) {
	built, died, rates := 0, 0, []int{5, 8, 10, 20, 25, 30, 47, 60}
	for i, rate := range rates {
		w := busyWorld(t, rate, grid.Occlusion(i%3), int32(i%4)*400)
		rng := rand.New(rand.NewPCG(uint64(rate), 8))
		for s := range grid.Slot(2) {
			for _, name := range []string{"worker", "worker", "worker", "soldier", "soldier", "caster", "artillery", "raider", "flyer"} {
				typ, _ := w.Rules().TypeByName(name)
				simtest.Edit(w).Add(s, typ, grid.Tile{X: int16(17 + rng.IntN(14)), Y: int16(16 + rng.IntN(16))}.Center())
			}
		}
		scene := view.NewCache(w)
		beat := view.BeatOf(w.Rules(), rate)
		clients := []*deriver{newDeriver(t, w, 0, 1), newDeriver(t, w, 1, 1), newDeriver(t, w, 0, beat), newDeriver(t, w, 1, beat)}
		seqs := [2]uint32{}
		for range 30 * rate {
			var in []sim.Input
			for s := range grid.Slot(2) {
				in = append(in, busyOrders(w, rng, s, &seqs[s])...)
			}
			w.Step(in)
			for _, e := range w.Events() {
				switch e.Kind {
				case sim.EventBuilt:
					built++
					if rng.IntN(4) == 0 {
						simtest.Edit(w).Remove(w.Entity(e.Source))
					}
				case sim.EventDied:
					died++
				}
			}
			scene.Prepare(w)
			for _, c := range clients {
				if err := c.take(scene, w, c.base != 0 && rng.IntN(40) == 0); err != nil {
					t.Fatalf("%d ticks a second, tick %d, team %d: %v", rate, w.Tick(), c.team, err)
				}
			}
		}
	}
	if built < 50*len(rates)/4 || died < 200 {
		t.Errorf("%d structures were finished and %d things died: that proves little", built, died)
	}
	t.Logf("%d structures were finished, %d things died", built, died)
}
