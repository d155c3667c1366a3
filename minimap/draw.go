package minimap

import (
	"fmt"
	"image"
	"image/png"
	"io"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Sight is what a team knows of a tile.
type Sight uint8

// The kinds of sight.
const (
	Unexplored Sight = iota
	Explored         // seen before, not now
	Visible          // seen now
)

// Shape is how a mark is drawn.
type Shape uint8

// The shapes.
const (
	Unit       Shape = iota // a disc
	Structure               // a square
	Resource                // a diamond, in no player's colour
	Projectile              // a dot
	Ghost                   // hollow: a structure (or, in no slot, a resource place) as last seen
	Start                   // a ring with the seat's number, from 1
)

// Mark is one thing on the map.
type Mark struct {
	Shape Shape
	At    grid.Pos
	Size  uint8     // width in tiles of structures and ghosts; 0 counts as 1
	Slot  grid.Slot // whose; for a start, which seat
	Color uint8     // of its player, 0..15; of what belongs to nobody it is not asked
}

// Draw returns the picture: the landscape, under the fog, under the marks in
// their order. sight has one entry a tile, row by row, or is nil for all seen.
// The fog does not hide marks: what a team must not see must not be passed.
func (l *Landscape) Draw(sight []Sight, marks []Mark) (*image.Paletted, error) {
	img := image.NewPaletted(l.img.Rect, palette)
	copy(img.Pix, l.img.Pix)
	if sight != nil {
		if len(sight) != l.w*l.h {
			return nil, fmt.Errorf("minimap: sight of %d tiles for a map of %dx%d", len(sight), l.w, l.h)
		}
		l.fog(img, sight)
	}
	c := canvas{img, l.scale}
	for i := range marks {
		c.mark(&marks[i])
	}
	return img, nil
}

func (l *Landscape) fog(img *image.Paletted, sight []Sight) {
	for ty := range l.h {
		for tx := range l.w {
			s := sight[ty*l.w+tx]
			if s == Visible {
				continue
			}
			for y := ty * l.scale; y < (ty+1)*l.scale; y++ {
				row := img.Pix[y*img.Stride+tx*l.scale:][:l.scale]
				for x := range row {
					if s == Explored {
						row[x] += uint8(remembered)
					} else {
						row[x] = uint8(unseen) + uint8(tx+ty)&1
					}
				}
			}
		}
	}
}

// Encode writes the picture as a PNG, quickly rather than small. buffers may be
// nil; a caller that draws often passes a pool.
func Encode(w io.Writer, img *image.Paletted, buffers png.EncoderBufferPool) error {
	e := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: buffers}
	return e.Encode(w, img)
}

// canvas draws marks; all clipping is here.
type canvas struct {
	img   *image.Paletted
	scale int
}

func (c canvas) dot(x, y int, color uint8) {
	if x >= 0 && y >= 0 && x < c.img.Rect.Max.X && y < c.img.Rect.Max.Y {
		c.img.Pix[y*c.img.Stride+x] = color
	}
}

func (c canvas) mark(m *Mark) {
	x := int(int64(m.At.X) * int64(c.scale) >> grid.TileShift)
	y := int(int64(m.At.Y) * int64(c.scale) >> grid.TileShift)
	color := players + m.Color%grid.SlotsMax
	if m.Slot == grid.NoSlot {
		color = white
	}
	side := max(1, int(m.Size)) * c.scale
	switch m.Shape {
	case Unit:
		r := max(1, c.scale*3/8+1)
		c.disc(x, y, r+1, outline)
		c.disc(x, y, r, color)
	case Structure:
		side = max(side, 5)
		c.rect(x-side/2, y-side/2, side, outline)
		c.rect(x-side/2+1, y-side/2+1, side-2, color)
	case Ghost:
		if m.Slot == grid.NoSlot { // a resource place
			r := max(2, c.scale/2)
			c.diamond(x, y, r+1, resourceDk)
			c.diamond(x, y, r-1, outline)
			break
		}
		side = max(side, 5)
		c.rect(x-side/2, y-side/2, side, outline)
		for i := 1; i <= max(1, side/10); i++ {
			c.frame(x-side/2+i, y-side/2+i, side-2*i, color+faded-players)
		}
	case Resource:
		r := max(2, c.scale/2)
		c.diamond(x, y, r+1, resourceDk)
		c.diamond(x, y, r-1, resource)
	case Projectile:
		c.dot(x, y, white)
	case Start:
		r := max(5, 2*c.scale)
		c.disc(x, y, r+2, outline)
		c.disc(x, y, r+1, white)
		c.disc(x, y, r, color)
		c.number(x, y, int(m.Slot)+1, max(1, r/5))
	}
}

func (c canvas) disc(cx, cy, r int, color uint8) {
	for y := -r; y <= r; y++ {
		for x := -r; x <= r; x++ {
			if x*x+y*y <= r*r+r/2 {
				c.dot(cx+x, cy+y, color)
			}
		}
	}
}

func (c canvas) diamond(cx, cy, r int, color uint8) {
	for y := -r; y <= r; y++ {
		for x := -(r - abs(y)); x <= r-abs(y); x++ {
			c.dot(cx+x, cy+y, color)
		}
	}
}

func (c canvas) rect(x0, y0, side int, color uint8) {
	for y := range side {
		for x := range side {
			c.dot(x0+x, y0+y, color)
		}
	}
}

func (c canvas) frame(x0, y0, side int, color uint8) {
	for i := range side {
		c.dot(x0+i, y0, color)
		c.dot(x0+i, y0+side-1, color)
		c.dot(x0, y0+i, color)
		c.dot(x0+side-1, y0+i, color)
	}
}

// digits is a font of 3x5 pixels, a row of three bits each from the top.
var digits = [10][5]uint8{
	{7, 5, 5, 5, 7}, {2, 6, 2, 2, 7}, {7, 1, 7, 4, 7}, {7, 1, 7, 1, 7}, {5, 5, 7, 1, 1},
	{7, 4, 7, 1, 7}, {7, 4, 7, 5, 7}, {7, 1, 1, 2, 2}, {7, 5, 7, 5, 7}, {7, 5, 7, 1, 7},
}

// number writes n, at most two digits, centred, each font pixel size wide.
func (c canvas) number(cx, cy, n, size int) {
	text := []int{n % 10}
	if n >= 10 {
		text = []int{n / 10 % 10, n % 10}
	}
	x0 := cx - (len(text)*4-1)*size/2
	for i, d := range text {
		for y, row := range digits[d] {
			for x := range 3 {
				if row>>(2-x)&1 != 0 {
					for s := range size * size {
						c.dot(x0+(i*4+x)*size+s%size, cy-5*size/2+y*size+s/size, outline)
					}
				}
			}
		}
	}
}
