package sim

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// chaos is a player with random, mostly legal orders.
type chaos struct {
	client
	r *rand.Rand
}

func (c *chaos) point() grid.Pos {
	m := c.w.Map()
	if c.r.IntN(40) == 0 {
		return grid.Pos{X: int32(c.r.Uint32()), Y: int32(c.r.Uint32())}
	}
	return grid.Pos{X: c.r.Int32N(int32(m.W) << grid.TileShift), Y: c.r.Int32N(int32(m.H) << grid.TileShift)}
}

// inputs returns the tick's orders: often an empty list.
func (c *chaos) inputs() []Input {
	switch {
	case c.r.IntN(300) == 0: // its connection comes and goes
		return []Input{{Kind: []InputKind{InputGone, InputJoined}[c.r.IntN(2)], Slot: c.slot}}
	case c.r.IntN(4) != 0:
		return nil
	}
	return []Input{c.wild()}
}

// wild returns an order that often makes sense.
func (c *chaos) wild() Input {
	seen := c.w.Knowledge(c.w.players[c.slot].team).Seen(nil)
	o := orders.Order{
		Kind:   orders.Kind(1 + c.r.IntN(int(orders.Surrender)-1)),
		Queued: c.r.IntN(3) == 0, Together: c.r.IntN(3) == 0, HasPoint: c.r.IntN(5) != 0, Point: c.point(),
		Type: uint16(c.r.IntN(len(c.w.rules.Types) + 1)), Ability: uint8(c.r.IntN(len(c.w.rules.Abilities) + 1)),
		Item: uint8(c.r.IntN(3)), Request: c.r.Uint32(),
	}
	for range c.r.IntN(8) {
		if len(seen) > 0 {
			o.Units = append(o.Units, seen[c.r.IntN(len(seen))].Handle)
		}
	}
	switch c.r.IntN(4) {
	case 0:
		if len(seen) > 0 {
			o.Target = seen[c.r.IntN(len(seen))].Handle
		}
	case 1:
		if g := c.w.Knowledge(c.w.players[c.slot].team).Ghosts(); len(g) > 0 {
			o.Target = g[c.r.IntN(len(g))].Handle
		}
	}
	switch o.Kind {
	case orders.Stop:
		if o.Item > 0 {
			o.Kind, o.Item = orders.Fire, uint8(o.Type%orders.FireModes)
		}
	case orders.Move, orders.AttackMove, orders.Patrol, orders.AttackGround:
		o.Target, o.HasPoint = 0, true
	case orders.Train:
		o.Units = c.mine(func(e *Entity) bool { return e.class == rules.ClassStructure })
		o.Type = uint16(c.r.IntN(8))
	case orders.Build:
		o.Units, o.Target = c.named("worker"), 0
		o.Type = uint16(8 + c.r.IntN(5))
		if len(o.Units) > 0 && c.r.IntN(2) == 0 {
			s, _ := c.w.Knowledge(c.w.players[c.slot].team).Sighted(o.Units[0])
			o.Point = c.w.Entity(s.ID).Pos().Add(grid.Vec{X: c.r.Int32N(8192) - 4096, Y: c.r.Int32N(8192) - 4096})
		}
	}
	return c.order(o)
}

// wildSetup is a small map with everything on it: water, cliffs, levels.
func wildSetup(t testing.TB, seed uint64) Setup {
	m := flatMap(48)
	for i := range 48 {
		if i < 20 || i > 27 {
			at := m.Index(grid.Tile{X: int16(i), Y: int16(47 - i)})
			m.Terrain[at], m.Pass[at] = grid.Cliff, grid.PassOf(grid.Cliff)
			if i > 0 {
				m.Terrain[at-1], m.Pass[at-1] = grid.Water, grid.PassOf(grid.Water)
			}
		}
	}
	for y := 30; y < 48; y++ {
		for x := 30; x < 48; x++ {
			m.Levels[m.Index(grid.Tile{X: int16(x), Y: int16(y)})] = 1
		}
	}
	rs := *mustRules(t)
	rs.Start = append([]rules.StartEntry(nil), rs.Start...)
	for name, n := range map[string]int32{"caster": 2, "flyer": 2, "detector": 1, "raider": 2, "barracks": 1, "factory": 1} {
		typ, ok := rs.TypeByName(name)
		if !ok {
			t.Fatal(name)
		}
		rs.Start = append(rs.Start, rules.StartEntry{Type: typ, Count: n})
	}
	sortStarts(rs.Start)
	rs.Settings.StartStock = rules.Cost{3000, 2000}
	return Setup{Map: m, Rules: &rs, Seed: seed, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
}

func sortStarts(s []rules.StartEntry) {
	for i := range s {
		for j := i; j > 0 && s[j].Type < s[j-1].Type; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}

// TestRestoreEveryTick plays wild matches and, at every tick or every now and then, steps a
// world that was restored from a save beside it. Each tick keeps the invariants. In matches
// 56, 139 and 963 units of unlike speed follow one path.
func TestRestoreEveryTick(t *testing.T) {
	for _, tt := range []struct {
		seed         uint64
		ticks, every int
	}{{1, 240, 1}, {2, 800, 16}, {3, 800, 16}, {4, 400, 40}, {56, 300, 40}, {58, 300, 40}, {139, 200, 40}, {202, 200, 40}, {963, 200, 40}} {
		setup := wildSetup(t, tt.seed)
		w := newWorld(t, setup)
		players := []*chaos{}
		for s := range 2 {
			players = append(players, &chaos{client{w: w, slot: grid.Slot(s)}, rand.New(rand.NewPCG(tt.seed, uint64(s)))})
		}
		overlaps := map[[2]grid.EntityID]int{}
		var before, after, again []byte
		for tick := range tt.ticks {
			var in []Input
			for _, p := range players {
				in = append(in, p.inputs()...)
			}
			if tick%tt.every != 0 {
				w.Step(in)
			} else {
				before = w.Save(before[:0])
				twin, err := Restore(setup, before)
				if err != nil {
					t.Fatalf("seed %d tick %d: %v", tt.seed, w.Tick(), err)
				}
				w.Step(in)
				twin.Step(in)
				after, again = w.Save(after[:0]), twin.Save(again[:0])
				if !bytes.Equal(after, again) {
					t.Fatalf("seed %d tick %d: the restored world stepped elsewhere: %s", tt.seed, w.Tick(), firstDifference(w, twin))
				}
			}
			if err := invariants(w, overlaps); err != nil {
				t.Fatalf("seed %d tick %d: %v", tt.seed, w.Tick(), err)
			}
		}
		after = w.Save(after[:0])
		if first := w.Hash(); first != w.Hash() || !bytes.Equal(after, w.Save(nil)) {
			t.Fatalf("seed %d: hashing and saving have changed the world", tt.seed)
		}
	}
}

// TestRestoreRefuses: a save that was cut, or changed, is an error or a world,
// never a panic.
func TestRestoreRefuses(t *testing.T) {
	setup := wildSetup(t, 1)
	w := newWorld(t, setup)
	for range 30 {
		w.Step(nil)
	}
	save := w.Save(nil)
	for n := 0; n < len(save); n += 1 + len(save)/60 {
		if _, err := Restore(setup, save[:n]); err == nil {
			t.Errorf("the first %d of %d bytes restore", n, len(save))
		}
	}
	if _, err := Restore(setup, append(save, 0)); err == nil {
		t.Error("a byte too many restores")
	}
	r := rand.New(rand.NewPCG(9, 9))
	for range 60 {
		b := bytes.Clone(save)
		b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		if twin, err := Restore(setup, b); err == nil {
			twin.Save(nil)
		}
	}
}

// firstDifference names the first entity that differs.
func firstDifference(a, b *World) string {
	for i, e := range a.all {
		if i >= len(b.all) {
			return e.id.String() + " is missing"
		}
		x, y := archive.Writer(nil), archive.Writer(nil)
		e.state(x)
		b.all[i].state(y)
		if !bytes.Equal(x.Bytes(), y.Bytes()) {
			return fmt.Sprintf("%v %s:\n%+v\n%+v", e.id, a.rules.Types[e.typ].Name, *e, *b.all[i])
		}
	}
	if len(a.all) != len(b.all) {
		return fmt.Sprintf("%d entities and %d", len(a.all), len(b.all))
	}
	for i := range a.players {
		x, y := archive.Writer(nil), archive.Writer(nil)
		a.players[i].state(x)
		b.players[i].state(y)
		if !bytes.Equal(x.Bytes(), y.Bytes()) {
			return fmt.Sprintf("player %d: %+v\n%+v", i, a.players[i], b.players[i])
		}
	}
	for i := range a.teams {
		x, y := archive.Writer(nil), archive.Writer(nil)
		a.teams[i].state(x)
		b.teams[i].state(y)
		if !bytes.Equal(x.Bytes(), y.Bytes()) {
			return fmt.Sprintf("knowledge of team %d", i)
		}
	}
	return fmt.Sprintf("elsewhere: due %+v\n%+v", a.due, b.due)
}
