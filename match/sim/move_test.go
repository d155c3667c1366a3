package sim

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// ground is a sandbox world on a map drawn by f.
func sandboxWorld(t testing.TB, side int, draw func(block func(x, y int))) *World {
	m := grid.NewMap("ground", side, side)
	m.Starts = []grid.Tile{{X: 1, Y: 1}, {X: 2, Y: 1}}
	if draw != nil {
		draw(func(x, y int) {
			i := m.Index(grid.Tile{X: int16(x), Y: int16(y)})
			m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
		})
	}
	w, err := empty(Setup{Map: m, Rules: mustRules(t), Seed: 1, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	w.mode = sandbox{}
	return w
}

// block puts n units into a block whose corner is at x, y.
func (w *World) block(s grid.Slot, name string, n, x, y int) []grid.EntityID {
	typ, _ := w.rules.TypeByName(name)
	cols := int(grid.Sqrt(uint64(n-1))) + 1
	var ids []grid.EntityID
	for i := range n {
		ids = append(ids, w.spawn(s, typ, grid.Tile{X: int16(x + i%cols), Y: int16(y + i/cols)}.Center(), false).id)
	}
	w.settle()
	w.see()
	return ids
}

// send orders the units to a tile.
func (w *World) send(c *client, ids []grid.EntityID, kind orders.Kind, x, y int) Input {
	var hs []grid.Handle
	for _, id := range ids {
		if e := w.find(id); e != nil {
			hs = append(hs, e.handles[w.players[c.slot].team])
		}
	}
	return c.order(orders.Order{Kind: kind, Units: hs, HasPoint: true, Point: grid.Tile{X: int16(x), Y: int16(y)}.Center()})
}

// TestGroupsArriveAndStand moves groups over open ground, through a gap,
// through each other, and to the same place from two sides. They have to get
// there, keep out of each other, and then stand still: a unit that trembles has
// to be told of every tick.
func TestGroupsArriveAndStand(t *testing.T) {
	type party struct{ n, x, y, toX, toY int }
	gap := func(block func(x, y int)) {
		for y := range 64 {
			if y < 30 || y > 32 {
				block(32, y)
			}
		}
	}
	corridor := func(block func(x, y int)) {
		for x := 16; x < 48; x++ {
			for y := range 64 {
				if y < 30 || y > 33 {
					block(x, y)
				}
			}
		}
	}
	for _, tt := range []struct {
		name    string
		draw    func(func(x, y int))
		parties []party
		seconds int
		spread  int // tiles from the goal within which all have to be
	}{
		{"open", nil, []party{{50, 4, 4, 50, 40}}, 30, 6},
		{"a gap", gap, []party{{50, 4, 20, 55, 40}}, 45, 6},
		{"through each other", nil, []party{{30, 4, 28, 56, 30}, {30, 54, 28, 6, 30}}, 40, 6},
		{"a corridor from both ends", corridor, []party{{16, 4, 28, 58, 31}, {16, 54, 28, 5, 31}}, 60, 6},
		{"one place from two sides", nil, []party{{30, 4, 28, 32, 32}, {30, 54, 28, 32, 32}}, 35, 9},
		{"a hundred and fifty", nil, []party{{150, 2, 2, 46, 46}}, 40, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := sandboxWorld(t, 64, tt.draw)
			c := client{w: w, slot: 0}
			var ids [][]grid.EntityID
			for _, p := range tt.parties {
				ids = append(ids, w.block(0, "soldier", p.n, p.x, p.y))
			}
			var in []Input
			for i, p := range tt.parties {
				in = append(in, w.send(&c, ids[i], orders.Move, p.toX, p.toY))
			}
			overlaps := map[[2]grid.EntityID]int{}
			done := 0
			for range tt.seconds * 20 {
				for _, n := range w.Step(in).Notices {
					t.Errorf("tick %d: %v", w.Tick(), n)
				}
				in = nil
				if w.Tick()%5 == 0 { // so the limit of overlaps is five times as long
					if err := invariants(w, overlaps); err != nil {
						t.Fatalf("tick %d: %v", w.Tick(), err)
					}
				}
				busy := false
				for _, e := range w.all {
					busy = busy || len(e.tasks) > 0
				}
				if busy {
					done = int(w.Tick())
				}
			}
			for i, p := range tt.parties {
				goal := grid.Tile{X: int16(p.toX), Y: int16(p.toY)}.Center()
				for _, id := range ids[i] {
					if e := w.find(id); !e.Pos().Within(goal, grid.Tiles(int32(tt.spread))) {
						t.Errorf("%v stands at %v, its group went to %v", id, e.Tile(), goal.Tile())
					}
				}
			}
			for range 100 {
				w.Step(nil)
				for _, e := range w.all {
					if e.vx != 0 || e.vy != 0 {
						t.Fatalf("tick %d: %v moves, and has nothing to do", w.Tick(), e.id)
					}
				}
			}
			t.Logf("the last arrived at tick %d", done)
		})
	}
}

// TestStraightLegsAreCalm: a unit on a straight leg keeps its velocity to the bit, so that
// a client with the velocity knows the unit's place.
func TestStraightLegsAreCalm(t *testing.T) {
	w := sandboxWorld(t, 64, nil)
	c := client{w: w, slot: 0}
	ids := w.block(0, "soldier", 1, 4, 4)
	w.Step([]Input{w.send(&c, ids, orders.Move, 55, 37)})
	changes, moved := 0, 0
	var vx, vy int32
	for range 400 {
		w.Step(nil)
		e := w.find(ids[0])
		if e.vx != vx || e.vy != vy {
			changes++
		}
		if e.vx != 0 || e.vy != 0 {
			moved++
		}
		vx, vy = e.vx, e.vy
	}
	if moved < 350 || changes > 5 {
		t.Errorf("%d changes of velocity in %d ticks of a straight walk", changes, moved)
	}
}

// TestBigUnitsNeedRoom: a unit wider than a tile does not enter a way that is
// one tile wide.
func TestBigUnitsNeedRoom(t *testing.T) {
	for _, width := range []int{1, 3} {
		w := sandboxWorld(t, 48, func(block func(x, y int)) {
			for y := range 48 {
				if y < 20 || y >= 20+width {
					block(24, y)
				}
			}
		})
		rs := *w.rules
		rs.Types = append([]rules.Type(nil), rs.Types...)
		typ, _ := rs.TypeByName("artillery")
		rs.Types[typ].Radius = 800
		w.rules = &rs
		c := client{w: w, slot: 0}
		ids := w.block(0, "artillery", 1, 10, 20)
		w.Step([]Input{w.send(&c, ids, orders.Move, 40, 20)})
		through, told := false, false
		for range 900 {
			for _, n := range w.Step(nil).Notices {
				told = told || n.Code == orders.Unreachable || n.Code == orders.Stuck
			}
			through = through || w.find(ids[0]).Tile().X > 24
		}
		if through != (width == 3) || told != (width == 1) {
			t.Errorf("a gap of %d: through %v, told of it %v", width, through, told)
		}
	}
}

// TestUnseenIsTouchedOnly: a wall that the team has never seen does not turn a
// unit aside before it runs into it; then it goes round.
func TestUnseenIsTouchedOnly(t *testing.T) {
	w := sandboxWorld(t, 64, nil)
	rs := *w.rules
	rs.Types = append([]rules.Type(nil), rs.Types...)
	typ, _ := rs.TypeByName("soldier")
	rs.Types[typ].Sight = 0 // it sees its own tile
	w.rules = &rs
	wall, _ := rs.TypeByName("wall")
	for y := int16(20); y < 44; y++ {
		w.spawn(1, wall, grid.Tile{X: 32, Y: y}.Center(), false)
	}
	w.settle()
	c := client{w: w, slot: 0}
	ids := w.block(0, "soldier", 1, 10, 32)
	w.Step([]Input{w.send(&c, ids, orders.Move, 50, 32)})
	touched := grid.Tick(0)
	for range 1600 {
		w.Step(nil)
		e := w.find(ids[0])
		if touched == 0 && e.Tile().X >= 31 {
			touched = w.Tick()
			if e.Tile().Y != 32 {
				t.Errorf("it turned aside before it touched the wall: %v", e.Tile())
			}
		}
	}
	if e := w.find(ids[0]); !e.Pos().Within(grid.Tile{X: 50, Y: 32}.Center(), grid.Tiles(2)) {
		t.Errorf("it is at %v, and should have found the way round", e.Tile())
	}
}

// A unit that stands looks ahead before it sets off, but only at what its team sees: it
// meets a cloaked body only on touch, and a visible body before.
func TestNothingUnseenIsMetAhead(t *testing.T) {
	setsOff := func(cloaked, there bool) (at, touched grid.Tick) {
		w := sandboxWorld(t, 32, nil)
		c := client{w: w, slot: 0}
		ids := w.block(0, "soldier", 1, 4, 10)
		if there {
			foe := w.find(w.block(1, "raider", 1, 5, 10)[0])
			foe.cloaked, foe.hp = cloaked, 1<<20
			w.see()
		}
		in := []Input{w.send(&c, ids, orders.Move, 20, 10)}
		e := w.find(ids[0])
		e.face = 0
		for range 60 {
			w.Step(in)
			in = nil
			switch {
			case at == 0 && (e.vx != 0 || e.vy != 0):
				at = w.tick
				if e.vy != 0 { // it goes round at once
					return 0, 0
				}
			case at != 0 && touched == 0 && (e.vy != 0 || e.vx == 0):
				touched = w.tick
			}
		}
		return at, touched
	}
	alone, never := setsOff(false, false)
	if alone == 0 || never != 0 {
		t.Fatalf("on free ground it sets off at tick %d, and meets something at tick %d", alone, never)
	}
	if at, touched := setsOff(true, true); at != alone || touched <= alone {
		t.Errorf("with somebody cloaked in the way it sets off at tick %d, alone at %d, and meets it at tick %d", at, alone, touched)
	}
	if at, _ := setsOff(false, true); at == alone {
		t.Error("it walks into what it sees")
	}
}

// TestSurround: raiders that attack a building stand around it soon. The front units go
// round it, and no unit waits behind another.
func TestSurround(t *testing.T) {
	w := sandboxWorld(t, 64, nil)
	rs := *w.rules
	rs.Types = append([]rules.Type(nil), rs.Types...)
	typ, _ := rs.TypeByName("command-centre")
	rs.Types[typ].Health = 1 << 20
	w.rules = &rs
	c := client{w: w, slot: 0}
	ids := w.block(0, "raider", 24, 22, 29) // five columns, the first three tiles from the wall
	centre := w.find(w.block(1, "command-centre", 1, 32, 32)[0])
	attack := orders.Order{Kind: orders.Attack, Target: centre.handles[0]}
	for _, id := range ids {
		attack.Units = append(attack.Units, w.find(id).handles[0])
	}
	reach := w.rules.Weapons[w.WeaponOf(w.find(ids[0]), 0)].Range
	in := []Input{c.order(attack)}
	last := 0
	for i := range 200 {
		w.Step(in)
		in = nil
		for _, id := range ids {
			if w.gap(w.find(id).Pos(), centre) > reach {
				last = i
			}
		}
	}
	// The last column has 7 tiles to the wall and up to 6 along it: 3.5 s.
	if last > 4*20 {
		t.Errorf("after %.1f s the last of them is in reach", float64(last)/20)
	}
}

// TestLongPathsGoOn: a path with more corners than the unit keeps is extended before its
// end. A whole group at that place would stand in its own way.
func TestLongPathsGoOn(t *testing.T) {
	w := sandboxWorld(t, 96, func(block func(x, y int)) {
		for x := 8; x < 94; x += 3 { // walls with a gap at alternate ends
			for y := range 96 {
				if y < 40 || y > 54 || x/3%2 == 0 && y < 53 || x/3%2 == 1 && y > 41 {
					block(x, y)
				}
			}
		}
	})
	c := client{w: w, slot: 0}
	ids := w.block(0, "soldier", 30, 1, 44)
	in := []Input{w.send(&c, ids, orders.Move, 94, 47)}
	behind := 0
	for w.Tick() < 20*150 {
		w.Step(in)
		in = nil
		behind = 0
		for _, id := range ids {
			if w.find(id).Tile().X < 90 {
				behind++
			}
		}
		if behind == 0 {
			break
		}
	}
	if behind > 0 {
		t.Errorf("after %d s %d are still on their way", w.Tick()/20, behind)
	}
}

// TestPushedRoundACorner: a unit that was pushed to where a wall is between it and the
// next corner of its path goes back. It does not follow the wall.
func TestPushedRoundACorner(t *testing.T) {
	w := sandboxWorld(t, 64, func(block func(x, y int)) {
		for x := 10; x < 64; x++ {
			block(x, 30)
		}
	})
	c := client{w: w, slot: 0}
	ids := w.block(0, "soldier", 1, 4, 24)
	in := []Input{w.send(&c, ids, orders.Move, 56, 34)} // round the western end of the wall
	e := w.find(ids[0])
	for range 600 {
		w.Step(in)
		in = nil
		if len(e.mv.path) == 1 && e.Tile().Y > 30 { // it has passed the wall: push it back
			e.x, e.y = 14*grid.WUPerTile<<FineShift, 29*grid.WUPerTile<<FineShift
			break
		}
	}
	at := w.Tick()
	for len(e.tasks) > 0 && w.Tick() < at+1000 {
		w.Step(nil)
	}
	if took := w.Tick() - at; took > 700 || !e.Pos().Within(grid.Tile{X: 56, Y: 34}.Center(), grid.WUPerTile) {
		t.Errorf("after %d ticks it is at %v", took, e.Tile())
	}
}
