package feed

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"

	"github.com/fogkeep/fogkeep/match/sim/simtest"
)

// gauge adds up what one client is sent.
type gauge struct {
	bytes int
	sizes wire.Sizes
}

func (g *gauge) Frame(bytes int, sizes *wire.Sizes, _ bool) { g.bytes += bytes; g.sizes.Add(sizes) }
func (*gauge) Message([]byte)                               {}

// TestAProbeMeasuresWhatClientsAreSent: the frames of a probe take as much as a client's frames with the same eyes and
// no other messages, part by part, and each byte of a row counts for the entity that it names.
func TestAProbeMeasuresWhatClientsAreSent(t *testing.T) {
	s := newScene(t)
	m := s.match()
	f := m.ForSpectators()
	r := receive(f, grid.NoSlot, 0, true)
	r.form = FormOf(wire.Hello{DerivesFog: true, Packed: true})
	told := &gauge{}
	edit := simtest.Edit(s.world)
	scout := s.add(0, "scout", grid.Tile{X: 40, Y: 40})
	foe := s.add(1, "worker", grid.Tile{X: 46, Y: 40})
	edit.Order(scout, orders.Patrol, grid.Tile{X: 60, Y: 40}.Center(), false)
	edit.Order(foe, orders.Patrol, grid.Tile{X: 46, Y: 60}.Center(), false)
	for i := range int16(30) { // so many in sight that packed rows are shorter
		other := s.add(1, "worker", grid.Tile{X: 36 + i%10, Y: 44 + i/10})
		edit.Order(other, orders.Patrol, grid.Tile{X: 36 + i%10, Y: 36 + i/10}.Center(), false)
	}
	p := m.NewProbe(0)
	var sizes wire.Sizes
	rows := map[grid.Handle]int{}
	sum := 0
	for n := range 200 {
		s.step(f)
		p.Look(s.world, func(_ wire.Part, h grid.Handle, _ pb.TypeClass, bytes int) { rows[h] += bytes; sum += bytes }, &sizes)
		if !f.Send(r) {
			t.Fatal("the client is gone")
		}
		select {
		case <-r.Out:
		default:
			t.Fatalf("tick %d: no frame", s.world.Tick())
		}
		f.Take(r, &wire.ClientFrame{Applied: s.world.Tick()})
		if n == 0 {
			r.Meter = told // from the second frame on, as the probe counts
		}
	}
	packed := 0
	for part := range wire.Parts {
		for c := range wire.Classes {
			if got, want := sizes.Of(part, c), told.sizes.Of(part, c); got != want {
				t.Errorf("%v of class %s: %+v, the client was sent %+v", part, wire.ClassName(c), got, want)
			}
			if c != 0 && part != wire.PartNamed("ghosts") {
				packed += int(sizes.Of(part, c).Bytes)
			}
		}
	}
	if sizes.Of(wire.PartNamed("packed"), 0).Bytes == 0 {
		t.Error("no frame had packed rows")
	}
	if sum == 0 || packed != sum || len(rows) < 2 {
		t.Errorf("%d bytes of rows for %d entities, %d by class", sum, len(rows), packed)
	}
}
