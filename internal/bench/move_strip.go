package bench

import (
	"image"
	"image/color"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// film keeps pictures of a run. A nil film keeps none.
type film struct {
	scale  int // pixels a tile
	ground *image.Paletted
	shots  []*image.Paletted
	moved  map[grid.EntityID]bool // had something to do once
}

// What a strip shows.
const (
	inkLow = iota // ground, by level
	inkHigh
	inkHigher
	inkShut
	inkWater
	inkStructure
	inkResource
	inkStands  // has had nothing to do yet
	inkMoves   // has something to do
	inkArrived // has done it
	inkStuck   // gave up
	inkOther   // of another slot
	inkFrame
)

var inks = color.Palette{
	color.RGBA{214, 220, 200, 255}, color.RGBA{226, 214, 184, 255}, color.RGBA{238, 226, 206, 255}, color.RGBA{92, 88, 84, 255},
	color.RGBA{150, 180, 204, 255}, color.RGBA{120, 104, 140, 255}, color.RGBA{214, 170, 40, 255}, color.RGBA{150, 150, 150, 255},
	color.RGBA{40, 90, 200, 255}, color.RGBA{30, 140, 60, 255}, color.RGBA{210, 30, 40, 255}, color.RGBA{220, 120, 30, 255},
	color.RGBA{0, 0, 0, 255},
}

// stripFrames is how many pictures a strip has, in rows of four; filmEvery, how many
// ticks lie between those that it is chosen from.
const (
	stripFrames = 8
	stripRow    = 4
	filmEvery   = 20
)

func newFilm(m *grid.Map) *film {
	f := &film{scale: max(2, 400/max(m.W, m.H)), moved: map[grid.EntityID]bool{}}
	f.ground = image.NewPaletted(image.Rect(0, 0, m.W*f.scale, m.H*f.scale), inks)
	for y := range f.ground.Rect.Max.Y {
		for x := range f.ground.Rect.Max.X {
			t := grid.Tile{X: int16(x / f.scale), Y: int16(y / f.scale)}
			ink := uint8(min(int(m.Level(t)), inkHigher))
			switch {
			case m.Terrain[m.Index(t)] == grid.Water:
				ink = inkWater
			case !m.Passable(t, grid.Ground):
				ink = inkShut
			}
			f.ground.SetColorIndex(x, y, ink)
		}
	}
	return f
}

// take keeps a picture of the world, now and then.
func (f *film) take(s *stage) {
	if f == nil || s.w.Tick()%filmEvery != 0 {
		return
	}
	shot := image.NewPaletted(f.ground.Rect, inks)
	copy(shot.Pix, f.ground.Pix)
	for _, e := range s.w.Entities() {
		t := &s.w.Rules().Types[e.Type()]
		switch e.Class() {
		case rules.ClassStructure:
			for y := range int(t.FootH) * f.scale {
				for x := range int(t.FootW) * f.scale {
					shot.SetColorIndex(int(e.Foot().X)*f.scale+x, int(e.Foot().Y)*f.scale+y, inkStructure)
				}
			}
		case rules.ClassResource:
			f.disc(shot, e.Pos(), grid.WUPerTile/2, inkResource)
		case rules.ClassUnit:
			f.disc(shot, e.Pos(), t.Radius, f.inkOf(s, e))
		}
	}
	f.shots = append(f.shots, shot)
}

func (f *film) inkOf(s *stage, e *sim.Entity) uint8 {
	busy := !s.idle(e)
	f.moved[e.ID()] = f.moved[e.ID()] || busy
	switch {
	case s.stuck[e.ID()] > 0:
		return inkStuck
	case e.Slot() != 0:
		return inkOther
	case busy:
		return inkMoves
	case f.moved[e.ID()]:
		return inkArrived
	default:
		return inkStands
	}
}

func (f *film) disc(to *image.Paletted, at grid.Pos, r grid.Dist, ink uint8) {
	cx, cy := int(at.X)*f.scale, int(at.Y)*f.scale // 1/1024 pixels
	size := int(r) * f.scale
	for y := (cy - size) >> grid.TileShift; y <= (cy+size)>>grid.TileShift; y++ {
		for x := (cx - size) >> grid.TileShift; x <= (cx+size)>>grid.TileShift; x++ {
			dx, dy := x<<grid.TileShift+grid.WUPerTile/2-cx, y<<grid.TileShift+grid.WUPerTile/2-cy
			if dx*dx+dy*dy <= size*size {
				to.SetColorIndex(x, y, ink)
			}
		}
	}
}

// strip returns pictures of the run at even distances, the first and the last among
// them, row by row.
func (f *film) strip() image.Image {
	size := f.ground.Rect.Max
	out := image.NewPaletted(image.Rect(0, 0, stripRow*(size.X+2), stripFrames/stripRow*(size.Y+2)), inks)
	for i := range out.Pix {
		out.Pix[i] = inkFrame
	}
	if len(f.shots) == 0 {
		return out
	}
	for k := range stripFrames {
		shot := f.shots[k*(len(f.shots)-1)/(stripFrames-1)]
		for y := range size.Y {
			at := out.PixOffset(k%stripRow*(size.X+2)+1, k/stripRow*(size.Y+2)+1+y)
			copy(out.Pix[at:at+size.X], shot.Pix[y*shot.Stride:y*shot.Stride+size.X])
		}
	}
	return out
}
