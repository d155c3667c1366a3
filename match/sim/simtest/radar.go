package simtest

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Blip is a thing that the radar of a team finds in the last step.
type Blip struct {
	Class  uint8
	Block  grid.Tile // its first column and row of cells of 8 x 8 tiles
	Side   int16     // of the block, in cells: 1 without a jammer
	Source grid.EntityID
}

// Has reports whether the contact of the blip may be in a cell.
func (b *Blip) Has(class uint8, x, y int16) bool {
	return class == b.Class && x >= b.Block.X && y >= b.Block.Y && x < b.Block.X+b.Side && y < b.Block.Y+b.Side
}

// Blips returns the things that the radar of the team finds in the last step, whether the team sees them or not. It shares
// no code with the simulation's own radar.
func Blips(w *sim.World, team grid.Team) (out []Blip) {
	rs := w.Rules()
	if int(w.Tick())*1000%(int(rs.Settings.RadarSweepMs)*w.TickRate()) != 0 || w.Result() != nil {
		return nil
	}
	built := func(of func(t *rules.Type, e *sim.Entity) bool) (list []*sim.Entity) {
		for _, e := range w.Entities() {
			if e.Built() && of(&rs.Types[e.Type()], e) {
				list = append(list, e)
			}
		}
		return list
	}
	radars := built(func(t *rules.Type, e *sim.Entity) bool { return t.Radar > 0 && e.Team() == team })
	for _, e := range w.Entities() {
		t := &rs.Types[e.Type()]
		if t.Signature == 0 || e.Team() == team || e.Cloaked() {
			continue
		}
		b := Blip{Class: t.Signature - 1, Block: grid.Tile{X: e.Tile().X >> 3, Y: e.Tile().Y >> 3}, Side: 1, Source: e.ID()}
		hidden := false
		for _, j := range built(func(t *rules.Type, j *sim.Entity) bool { return t.Jam.Radius > 0 && j.Team() == e.Team() }) {
			if jam := rs.Types[j.Type()].Jam; middle(w.Map(), j.Tile().X>>3, j.Tile().Y>>3, 1).Within(middle(w.Map(), b.Block.X, b.Block.Y, 1), jam.Radius) {
				hidden, b.Side = hidden || jam.Scatter == 0, max(b.Side, jam.Scatter)
			}
		}
		b.Block = grid.Tile{X: b.Block.X / b.Side * b.Side, Y: b.Block.Y / b.Side * b.Side}
		for _, r := range radars {
			if !hidden && r.Pos().Within(middle(w.Map(), b.Block.X, b.Block.Y, b.Side), rs.Types[r.Type()].Radar) {
				out = append(out, b)
				break
			}
		}
	}
	return out
}

// middle returns the middle of a block of cells.
func middle(m *grid.Map, x, y, side int16) grid.Pos {
	return grid.Tile{X: min(x*8+side*4, int16(m.W-1)), Y: min(y*8+side*4, int16(m.H-1))}.Center()
}
