package client

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
)

const testW, testH = 70, 40

// extra is one entity of a made-up world.
type extra struct {
	unit   view.Unit
	seen   bool
	fineX  int32 // 1/64 world unit
	fineY  int32
	handle grid.Handle

	changes, before [len(view.Attributes)]uint16 // of health and shield: ever, and when it came into sight

	acts acts
}

// stage makes up views: units walk, turn, stop, are hurt, and go in and out
// of sight; handles rest and are given out again.
type stage struct {
	t      *rapid.T
	tick   grid.Tick
	actors []*extra
	free   []grid.Handle
	mask   [][2]uint64 // of the 8x8 blocks, visible and explored
	view   view.View
	ghosts []view.Ghost

	stock      [2][2]uint32 // of the players, by kind
	population [2][2]uint32 // of the players, and how much they may have
	players    [2]view.Player
	sights     []view.Sight
	started    []startedThen
}

func newStage(t *rapid.T) *stage {
	s := &stage{t: t, mask: make([][2]uint64, (testW+7)/8*((testH+7)/8)), players: [2]view.Player{{State: view.Playing}, {State: view.Playing}}}
	for i := range rapid.IntRange(1, 12).Draw(t, "actors") {
		a := &extra{fineX: rapid.Int32Range(0, testW<<16-1).Draw(t, "x"), fineY: rapid.Int32Range(0, testH<<16-1).Draw(t, "y")}
		a.unit = view.Unit{Type: uint16(i % 3), Owner: grid.Slot(i % 2), FullSpeed: testFull[i%3], Exact: i%2 == 0}
		s.actors = append(s.actors, a)
	}
	return s
}

var testFull = []int32{9830, 4000, 0}

func (s *stage) step() *view.View {
	s.tick++
	s.view = view.View{Tick: s.tick, W: testW, H: testH, Removed: s.view.Removed[:0]}
	for _, a := range s.actors {
		s.walk(a)
		s.act(a)
	}
	s.see()
	slices.SortFunc(s.view.Units, func(a, b view.Unit) int { return int(a.Handle) - int(b.Handle) })
	slices.SortFunc(s.view.Removed, func(a, b view.Removed) int { return int(a.Handle) - int(b.Handle) })
	s.light()
	s.tell()
	if rapid.IntRange(0, 5).Draw(s.t, "ghost") == 0 {
		s.ghosts = nil
		for h := range grid.Handle(rapid.IntRange(0, 4).Draw(s.t, "ghosts")) {
			s.ghosts = append(s.ghosts, view.Ghost{Handle: 900 + 2*h, Type: 1, Missing: rapid.Int32Range(0, 2).Draw(s.t, "missing")})
		}
	}
	s.view.Ghosts = s.ghosts
	return &s.view
}

func (s *stage) walk(a *extra) {
	u := &a.unit
	switch rapid.IntRange(0, 30).Draw(s.t, "turn") {
	case 0:
		u.Vel = view.Velocity{}
	case 1, 2:
		u.Vel = view.Velocity{X: rapid.Int32Range(-u.FullSpeed, u.FullSpeed).Draw(s.t, "vx"), Y: rapid.Int32Range(-u.FullSpeed, u.FullSpeed).Draw(s.t, "vy")}
	case 3, 7:
		if next := rapid.Uint32Range(0, 99).Draw(s.t, "missing"); next != u.Values[view.ValueHealth] {
			u.Values[view.ValueHealth] = next
			a.changes[0] += rapid.SampledFrom([]uint16{1, 1, 1, 2, 3, 127, 128}).Draw(s.t, "changes")
		}
	case 8: // back and forth in one tick
		a.changes[0] += 2
	case 9, 10:
		if next := rapid.Uint32Range(0, 9).Draw(s.t, "shield"); next != u.Values[view.ValueShield] {
			u.Values[view.ValueShield] = next
			a.changes[1]++
		}
	case 11:
		a.changes[1] += 2
	case 4:
		u.Values[view.ValueFlags] = rapid.Uint32Range(0, 3).Draw(s.t, "flags")
	case 5:
		u.Facing = grid.Facing(rapid.Uint8().Draw(s.t, "facing"))
	case 6: // thrown across the map
		a.fineX, a.fineY = rapid.Int32Range(0, testW<<16-1).Draw(s.t, "x"), rapid.Int32Range(0, testH<<16-1).Draw(s.t, "y")
	}
	a.fineX = max(0, min(a.fineX+u.Vel.X, testW<<16-1))
	a.fineY = max(0, min(a.fineY+u.Vel.Y, testH<<16-1))
	u.Pos = grid.Pos{X: a.fineX >> 6, Y: a.fineY >> 6}
}

func (s *stage) see() {
	for _, a := range s.actors {
		if rapid.IntRange(0, 12).Draw(s.t, "sight") == 0 {
			a.seen = !a.seen
			if a.seen {
				if a.handle = grid.Handle(len(s.actors) + 1); len(s.free) > 0 && rapid.Bool().Draw(s.t, "again") {
					a.handle = s.free[0]
					s.free = s.free[1:]
				} else {
					for s.taken(a.handle) {
						a.handle++
					}
				}
				a.unit.Handle, a.unit.Entered, a.before = a.handle, s.tick, a.changes
			} else {
				s.view.Removed = append(s.view.Removed, view.Removed{Handle: a.handle, Destroyed: rapid.Bool().Draw(s.t, "destroyed")})
				s.free = append(s.free, a.handle)
			}
		}
		if a.seen {
			for i, of := range view.Attributes {
				a.unit.Values[of.Changes] = uint32(a.changes[i]-a.before[i]) % view.ChangesWrap
			}
			s.view.Units = append(s.view.Units, a.unit)
		}
	}
}

func (s *stage) taken(h grid.Handle) bool {
	return slices.Contains(s.free, h) || slices.ContainsFunc(s.actors, func(a *extra) bool { return a.seen && a.unit.Handle == h })
}

func (s *stage) light() {
	across := (testW + 7) / 8
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(s.mask)-1), 0, 3, rapid.ID).Draw(s.t, "blocks") {
		x, y := i%across*8, i/across*8
		lit := rapid.Uint64().Draw(s.t, "tiles")
		for row := range 8 { // bits off the map are never set
			if y+row >= testH {
				lit &^= 0xFF << (8 * row)
			}
			for col := range 8 {
				if x+col >= testW {
					lit &^= 1 << (8*row + col)
				}
			}
		}
		s.mask[i] = [2]uint64{lit, s.mask[i][1] | lit}
		s.view.Mask.Blocks = append(s.view.Mask.Blocks, view.Block{X: int16(x), Y: int16(y), Visible: s.mask[i][0], Explored: s.mask[i][1]})
	}
}

// viewer is a client behind a link of its own.
type viewer struct {
	replica *Replica
	rest    *heldRest
	base    grid.Tick
}

// For all events of a link (skips, stalls, resumes, new starts), a client that was told the newest tick holds the
// view: the same entities, each within the tolerance and on the right tile where that counts, every value right,
// their abilities and effects, and the player's private state. And all clients that were told the same tick hold
// the same, to the bit.
func TestReplicaIsTheView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStage(t)
		keep := grid.Ticks(rapid.IntRange(3, 40).Draw(t, "keep"))
		tr := view.NewTracker(view.Rules{W: testW, H: testH, Keep: keep})
		viewers := make([]viewer, 3)
		for i := range viewers {
			viewers[i] = viewer{replica: NewReplica(testW, testH, testFull), rest: newHeldRest()}
		}
		var d view.Diff
		for range rapid.IntRange(1, 60).Draw(t, "ticks") {
			v := s.step()
			tr.Update(v)
			var first *Replica
			for i := range viewers {
				w := &viewers[i]
				switch rapid.IntRange(0, 9).Draw(t, "link") {
				case 0, 1, 2: // the frame finds no room
					if i > 0 {
						continue
					}
				case 3: // the client begins anew
					w.base = 0
				}
				tr.Diff(&d, w.base, view.MaskOptions{MaskRows: i != 2, AllRows: i == 2}) // the last one is sent all each time
				if !d.Snapshot && d.Empty() && w.base+1 != tr.Tick() {
					continue
				}
				if err := w.replica.Apply(&d); err != nil {
					t.Fatal(err)
				}
				w.rest.take(t, s, tr, &d, w.replica, w.base, true)
				w.base = tr.Tick()
				check(t, v, s, w.replica)
				if first == nil {
					first = w.replica
				} else {
					same(t, first, w.replica)
				}
			}
		}
	})
}

func check(t *rapid.T, v *view.View, s *stage, r *Replica) {
	if len(r.Entities) != len(v.Units) {
		t.Fatalf("tick %d: %d entities are held, %d are in view", v.Tick, len(r.Entities), len(v.Units))
	}
	for _, u := range v.Units {
		e := r.Entities[u.Handle]
		if e == nil {
			t.Fatalf("tick %d: handle %d is missing", v.Tick, u.Handle)
		}
		at := r.Pos(e, r.Tick)
		if !at.Within(u.Pos, view.ToleranceDefault) || u.Exact && at.Tile() != u.Pos.Tile() {
			t.Fatalf("tick %d: handle %d is held at %v, it is at %v (exact %v)", v.Tick, u.Handle, at, u.Pos, u.Exact)
		}
		if e.Type != u.Type || e.Owner != u.Owner || e.Values != u.Values {
			t.Fatalf("tick %d: handle %d is held as %+v, it is %+v", v.Tick, u.Handle, *e, u)
		}
	}
	checkActs(t, v, r)
	if len(r.Ghosts) != len(v.Ghosts) {
		t.Fatalf("tick %d: %d ghosts are held, there are %d", v.Tick, len(r.Ghosts), len(v.Ghosts))
	}
	for _, g := range v.Ghosts {
		if r.Ghosts[g.Handle] != g {
			t.Fatalf("tick %d: ghost %d is held as %+v, it is %+v", v.Tick, g.Handle, r.Ghosts[g.Handle], g)
		}
	}
	across := (testW + 7) / 8
	for i, m := range s.mask {
		for bit := range 64 {
			at := grid.Tile{X: int16(i%across*8 + bit%8), Y: int16(i/across*8 + bit/8)}
			if int(at.X) >= testW || int(at.Y) >= testH {
				continue
			}
			if lit, explored := m[0]>>bit&1 != 0, m[1]>>bit&1 != 0; r.Visible(at) != lit || r.Explored(at) != explored {
				t.Fatalf("tick %d: %v is told visible %v, explored %v; it is %v, %v", v.Tick, at, r.Visible(at), r.Explored(at), lit, explored)
			}
		}
	}
}

func same(t *rapid.T, a, b *Replica) {
	for h, e := range a.Entities {
		f := b.Entities[h]
		if a.Pos(e, a.Tick) != b.Pos(f, b.Tick) || a.Pos(e, a.Tick+7) != b.Pos(f, b.Tick+7) {
			t.Fatalf("tick %d: one client reckons handle %d at %v, another at %v", a.Tick, h, a.Pos(e, a.Tick), b.Pos(f, b.Tick))
		}
	}
}

// A unit that walks straight on is told of once.
func TestStraightWalkIsSilent(t *testing.T) {
	tr := view.NewTracker(view.Rules{W: testW, H: testH, Keep: 100})
	var d view.Diff
	told := 0
	for i := range 300 {
		u := view.Unit{
			Handle: 1, Entered: 1, FullSpeed: 9830, Exact: true, Vel: view.Velocity{X: 9000, Y: 3953},
			Pos: grid.Pos{X: 2000 + int32(i)*9000>>6, Y: 3000 + int32(i)*3953>>6},
		}
		tr.Update(&view.View{Tick: grid.Tick(i + 1), W: testW, H: testH, Units: []view.Unit{u}})
		tr.Diff(&d, grid.Tick(i), view.MaskOptions{})
		told += len(d.Motion)
	}
	if told > 3 {
		t.Errorf("told of %d times", told)
	}
}

func BenchmarkUpdateAndDiff900(b *testing.B) {
	tr := view.NewTracker(view.Rules{W: 256, H: 256, Keep: 200})
	v := &view.View{W: 256, H: 256}
	for i := range 900 {
		v.Units = append(v.Units, view.Unit{
			Handle: grid.Handle(i + 1), Entered: 1, FullSpeed: 9830, Exact: i < 200,
			Pos: grid.Pos{X: int32(i) * 250, Y: int32(i) * 270}, Vel: view.Velocity{X: int32(i)*10 - 4500, Y: 8000 - int32(i)*7},
		})
	}
	var d view.Diff
	b.ReportAllocs()
	for b.Loop() {
		v.Tick++
		for i := range v.Units {
			u := &v.Units[i]
			u.Pos.X, u.Pos.Y = (u.Pos.X+u.Vel.X>>6)&(1<<18-1), (u.Pos.Y+u.Vel.Y>>6)&(1<<18-1)
		}
		tr.Update(v)
		tr.Diff(&d, v.Tick-1, view.MaskOptions{})
	}
}
