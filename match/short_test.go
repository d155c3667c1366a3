package match

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// bytesPerSOfModem is the rate of a link of 28.8 kbit/s.
const bytesPerSOfModem = 28_800 / 8

// A player at 28.8 kbit/s looks at one of two fights that are alike. The server tells it
// about four times as much of the fight in view, with nearly all effects, and hardly any
// effects of the other.
func TestNarrowClientIsToldOfTheFightInView(t *testing.T) {
	spec := Spec{ID: matchID, Map: flatMap(96), Rules: shipped(t), Seed: 5, EveryTick: true, Seats: []SeatSpec{
		{Name: "short", Team: 0, Start: 0}, {Name: "foe", Team: 1, Start: 1}, {Name: "other foe", Team: 2, Start: 2},
	}}
	r := newLinkHarness(t, t, spec, Config{BytesPerS: bytesPerSOfModem})
	edit := simtest.Edit(r.m.world)
	places := [2]grid.Tile{{X: 30, Y: 30}, {X: 65, Y: 65}}
	var fighters []*sim.Entity
	soldier, _ := spec.Rules.TypeByName("soldier")
	scout, _ := spec.Rules.TypeByName("scout")
	for _, at := range places {
		fighters = append(fighters, edit.Add(0, scout, at.Center())) // the observer
		for i := range int16(120) {
			if e := edit.Add(grid.Slot(1+i%2), soldier, grid.Tile{X: at.X - 6 + i%12, Y: at.Y - 5 + i/12}.Center()); e != nil {
				fighters = append(fighters, e)
			}
		}
	}
	placeOf := func(at grid.Pos) int {
		if at.Tile().X > 48 {
			return 1
		}
		return 0
	}
	e := r.ends[0]
	e.derive(true)
	e.quiet = true
	const begin, end = 60, 460
	var rows, effects, happened [2]int
	e.onFrame = func(f *wire.ServerFrame) {
		checkFrame(e, f)
		if r.now() < begin {
			return
		}
		units := r.truth[0][r.now()].units
		for _, row := range f.Diff.Values[view.ValueHealth] {
			if u := units[row.Handle]; u.Owner != 0 {
				rows[placeOf(u.Pos)]++
			}
		}
		for _, row := range f.Diff.Fire {
			effects[placeOf(units[row.Handle].Pos)]++
		}
	}
	e.enter(false)
	e.say(&pb.ClientFrame{Camera: &pb.Camera{X: uint32(places[0].X), Y: uint32(places[0].Y), Radius: 15}})
	sent, short := 0, 0
	for r.now() < end {
		for i, x := range fighters { // wounded and healed in each tick, so that no fighter falls
			edit.SetHealth(x, 60+int32(int(r.now())+i)%40)
			if (int(r.now())+i)%20 == 0 { // it looks for another target
				edit.Order(x, orders.Stop, grid.Pos{}, false)
				edit.Move(x, x.Pos())
			}
		}
		r.log.synced = r.log.next
		before := e.counts.bytes
		r.tick()
		if r.now() < begin {
			continue
		}
		sent += e.counts.bytes - before
		if e.conn.Incomplete() {
			short++
		}
		for _, x := range r.m.output.players.View(0).Events {
			if x.Kind == view.EventShot && x.Source != 0 {
				happened[placeOf(r.truth[0][r.now()].units[x.Source].Pos)]++
			}
		}
	}
	if perS := sent * r.m.rate / (end - begin); short < (end-begin)*9/10 || perS > bytesPerSOfModem*12/10 {
		t.Errorf("short of bytes in %d of %d ticks, %d bytes a second, want at most %d", short, end-begin, perS, bytesPerSOfModem)
	}
	if ratio := float64(rows[0]) / float64(rows[1]); !(ratio > 2.5 && ratio < 6) {
		t.Errorf("%d changes in view are told and %d out of it, %.1f times as many, want about 4", rows[0], rows[1], ratio)
	}
	if happened[0] < 500 || happened[1] < 500 || effects[0]*10 < happened[0]*9 || effects[1]*10 > happened[1] {
		t.Errorf("of %d shooters in view %d are told, want nearly all; of %d out of it %d, want nearly none", happened[0], effects[0], happened[1], effects[1])
	}
	t.Logf("rows %v, effects told %v of %v, %d bytes a second", rows, effects, happened, sent*r.m.rate/(end-begin))
}
