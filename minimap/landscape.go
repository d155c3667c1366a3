package minimap

import (
	"fmt"
	"image"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Bounds of a picture.
const (
	ScaleMax  = 16   // pixels a tile
	PixelsMax = 4096 // a side
)

// Landscape is the ground layer of one map at one scale.
type Landscape struct {
	w, h, scale int
	img         *image.Paletted
	allSeen     []Sight // one a tile, Visible
}

// FitScale returns the largest scale at which the map's longer side is at most
// pixels, and at least 1.
func FitScale(m *grid.Map, pixels int) int {
	return max(1, min(ScaleMax, pixels/max(m.W, m.H)))
}

// NewLandscape draws the ground: colour by terrain, brightness by level and by
// the slope's angle to a sun in the north-west, a light rim where the ground
// falls away, water darker with its distance to the shore. scale is in pixels a
// tile, 1 to [ScaleMax].
func NewLandscape(m *grid.Map, scale int) (*Landscape, error) {
	if scale < 1 || scale > ScaleMax || max(m.W, m.H)*scale > PixelsMax {
		return nil, fmt.Errorf("minimap: scale %d for %dx%d tiles: want 1 to %d, at most %d pixels a side",
			scale, m.W, m.H, ScaleMax, PixelsMax)
	}
	l := &Landscape{w: m.W, h: m.H, scale: scale,
		img:     image.NewPaletted(image.Rect(0, 0, m.W*scale, m.H*scale), palette),
		allSeen: slices.Repeat([]Sight{Visible}, m.W*m.H)}
	relief := smooth(m)
	shore := shoreDistance(m)
	top := max(1, m.LevelCount()-1)
	for py := range m.H * scale {
		for px := range m.W * scale {
			tx, ty := px/scale, py/scale
			i := ty*m.W + tx
			t := m.Terrain[i]
			grain := int(hash(uint32(px), uint32(py))>>29) - 3 // -3..4
			var shade int                                      // in eighths of a shade
			if t == grid.Water {
				shade = 8*6 - 8*min(4, int(shore[i])) + grain/2
			} else {
				// Even light, up to 3 shades for height, the slope towards the sun.
				shade = 8*4 + 8*3*int(m.Levels[i])/top + slope(m, relief, px, py, scale) + grain
				if rim(m, tx, ty, px%scale, py%scale, scale) {
					shade += 14
				}
			}
			l.img.Pix[py*l.img.Stride+px] = uint8(int(t)*shades + max(0, min(shades-1, shade/8)))
		}
	}
	return l, nil
}

// Size returns the picture's size in pixels.
func (l *Landscape) Size() (w, h int) { return l.w * l.scale, l.h * l.scale }

// Scale returns the pixels a tile.
func (l *Landscape) Scale() int { return l.scale }

// reliefUnit is the height of one level in the relief.
const reliefUnit = 64

// smooth returns each tile's height as the binomial mean of its 3x3
// neighbourhood, so that a step of one level shades more than one tile.
func smooth(m *grid.Map) []int32 {
	out := make([]int32, len(m.Levels))
	for y := range m.H {
		for x := range m.W {
			sum := int32(0)
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					nx, ny := max(0, min(m.W-1, x+dx)), max(0, min(m.H-1, y+dy))
					weight := int32((2 - abs(dx)) * (2 - abs(dy)))
					sum += weight * int32(m.Levels[ny*m.W+nx])
				}
			}
			out[y*m.W+x] = sum * reliefUnit / 16
		}
	}
	return out
}

// slope returns how much brighter a pixel is for facing the north-west, in
// eighths of a shade.
func slope(m *grid.Map, relief []int32, px, py, scale int) int {
	// The height at a point in 1/64 tiles, between the four tile centres around.
	at := func(fx, fy int) int {
		fx, fy = max(0, min((m.W-1)*64, fx-32)), max(0, min((m.H-1)*64, fy-32))
		x, y := fx/64, fy/64
		x1, y1 := min(x+1, m.W-1), min(y+1, m.H-1)
		rx, ry := fx%64, fy%64
		a := int(relief[y*m.W+x])*(64-rx) + int(relief[y*m.W+x1])*rx
		b := int(relief[y1*m.W+x])*(64-rx) + int(relief[y1*m.W+x1])*rx
		return (a*(64-ry) + b*ry) / (64 * 64)
	}
	fx, fy := (2*px+1)*32/scale, (2*py+1)*32/scale
	d := at(fx+32, fy+32) - at(fx-32, fy-32)
	return max(-34, min(34, d*26/reliefUnit))
}

// rim says whether a pixel is on the edge of a tile from which the ground
// falls away by a level or more to the south or east, the sides that the sun
// leaves in the dark.
func rim(m *grid.Map, tx, ty, rx, ry, scale int) bool {
	l := m.Levels[ty*m.W+tx]
	if scale < 3 || l == 0 {
		return false
	}
	return (rx == scale-1 && tx+1 < m.W && m.Levels[ty*m.W+tx+1] < l) ||
		(ry == scale-1 && ty+1 < m.H && m.Levels[(ty+1)*m.W+tx] < l)
}

// shoreDistance returns for each water tile its distance to land in steps, up
// to 5.
func shoreDistance(m *grid.Map) []uint8 {
	const far = 5
	d := make([]uint8, len(m.Terrain))
	for i, t := range m.Terrain {
		if t == grid.Water {
			d[i] = far
		}
	}
	for range far { // each round carries the shore one tile further
		for i := range d {
			x, y := i%m.W, i/m.W
			near := d[i]
			for _, n := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				if nx, ny := x+n[0], y+n[1]; nx >= 0 && ny >= 0 && nx < m.W && ny < m.H {
					near = min(near, d[ny*m.W+nx]+1)
				}
			}
			d[i] = min(d[i], near)
		}
	}
	return d
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// hash mixes two numbers into a random-looking number (the finalizer of
// MurmurHash3 over their sum with odd factors).
func hash(x, y uint32) uint32 {
	h := x*0x9e3779b1 + y*0x85ebca77
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
