package minimap

import (
	"fmt"
	"image"
	"image/png"
	"io"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Sight is a team's knowledge of a tile.
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
	Color uint8     // of its player, 0..15; unused for neutral marks
}

// Draw returns the picture: the landscape, under the fog, under the marks in their order. sight has one entry per tile,
// row by row, or is nil for all seen. The fog does not hide marks: the caller must not pass marks that a team must not
// see. For repeated drawings use a [Picture].
func (l *Landscape) Draw(sight []Sight, marks []Mark) (*image.Paletted, error) {
	img, _, err := l.NewPicture().Draw(sight, marks)
	return img, err
}

func (l *Landscape) check(sight []Sight) error {
	if sight != nil && len(sight) != l.w*l.h {
		return fmt.Errorf("minimap: sight of %d tiles for a map of %dx%d", len(sight), l.w, l.h)
	}
	return nil
}

// fogTile draws the landscape of one tile as it looks with a sight.
func (l *Landscape) fogTile(img *image.Paletted, tx, ty int, s Sight) {
	for y := ty * l.scale; y < (ty+1)*l.scale; y++ {
		at := y*img.Stride + tx*l.scale
		row, ground := img.Pix[at:][:l.scale], l.img.Pix[at:][:l.scale]
		for x := range row {
			switch s {
			case Visible:
				row[x] = ground[x]
			case Explored:
				row[x] = ground[x] + uint8(remembered)
			default:
				row[x] = uint8(unseen) + uint8(tx+ty)&1
			}
		}
	}
}

// Encode writes the picture as a PNG, quickly rather than small.
func Encode(w io.Writer, img *image.Paletted) error {
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	return e.Encode(w, img)
}

// spot is a mark in pixels. Two marks with equal spots look the same.
type spot struct {
	shape  Shape
	x, y   int // the middle
	side   int // width of squares, radius of round shapes
	number int // the number in a start
	color  uint8
	nobody bool
}

func (l *Landscape) spotOf(m *Mark) spot {
	s := spot{
		shape: m.Shape, color: players + m.Color%colors, nobody: m.Slot == grid.NoSlot,
		x: int(int64(m.At.X) * int64(l.scale) >> grid.TileShift),
		y: int(int64(m.At.Y) * int64(l.scale) >> grid.TileShift),
	}
	if s.nobody {
		s.color = white
	}
	switch m.Shape {
	case Structure, Ghost:
		s.side = max(5, int(m.Size)*l.scale, l.scale)
		if m.Shape == Ghost && s.nobody { // a resource place
			s.side = max(2, l.scale/2)
		}
	case Unit:
		s.side = max(1, l.scale*3/8+1)
	case Resource:
		s.side = max(2, l.scale/2)
	case Start:
		s.side, s.number = max(5, 2*l.scale), int(m.Slot)+1
	}
	return s
}

// run is a piece of a row in one colour.
type run struct {
	at, n int32 // from this pixel on, so many
	color uint8
}

// paint draws runs in their order.
func paint(pix []uint8, runs []run) {
	for _, r := range runs {
		row := pix[r.at:][:r.n]
		for i := range row {
			row[i] = r.color
		}
	}
}

// canvas turns spots into runs; all clipping is here.
type canvas struct {
	w, h int
	runs []run
}

// row adds the pixels from x0 up to x1, which is not among them.
func (c *canvas) row(x0, x1, y int, color uint8) {
	x0, x1 = max(0, x0), min(c.w, x1)
	if x0 < x1 && y >= 0 && y < c.h {
		c.runs = append(c.runs, run{int32(y*c.w + x0), int32(x1 - x0), color})
	}
}

func (c *canvas) draw(s spot) {
	x, y, side := s.x, s.y, s.side
	switch s.shape {
	case Unit:
		c.disc(x, y, side+1, outline)
		c.disc(x, y, side, s.color)
	case Structure:
		c.rect(x-side/2, y-side/2, side, outline)
		c.rect(x-side/2+1, y-side/2+1, side-2, s.color)
	case Ghost:
		if s.nobody {
			c.diamond(x, y, side+1, resourceDk)
			c.diamond(x, y, side-1, outline)
			break
		}
		c.rect(x-side/2, y-side/2, side, outline)
		for i := 1; i <= max(1, side/10); i++ {
			c.frame(x-side/2+i, y-side/2+i, side-2*i, s.color+faded-players)
		}
	case Resource:
		c.diamond(x, y, side+1, resourceDk)
		c.diamond(x, y, side-1, resource)
	case Projectile:
		c.row(x, x+1, y, white)
	case Start:
		c.disc(x, y, side+2, outline)
		c.disc(x, y, side+1, white)
		c.disc(x, y, side, s.color)
		c.number(x, y, s.number, max(1, side/5))
	}
}

func (c *canvas) disc(cx, cy, r int, color uint8) {
	half := 0
	for y := -r; y <= r; y++ {
		for half < r && (half+1)*(half+1)+y*y <= r*r+r/2 {
			half++
		}
		for half*half+y*y > r*r+r/2 {
			half--
		}
		c.row(cx-half, cx+half+1, cy+y, color)
	}
}

func (c *canvas) diamond(cx, cy, r int, color uint8) {
	for y := -r; y <= r; y++ {
		c.row(cx-(r-abs(y)), cx+(r-abs(y))+1, cy+y, color)
	}
}

func (c *canvas) rect(x0, y0, side int, color uint8) {
	for y := range side {
		c.row(x0, x0+side, y0+y, color)
	}
}

func (c *canvas) frame(x0, y0, side int, color uint8) {
	if side <= 0 {
		return
	}
	c.row(x0, x0+side, y0, color)
	for y := 1; y < side; y++ {
		c.row(x0, x0+1, y0+y, color)
		c.row(x0+side-1, x0+side, y0+y, color)
	}
	c.row(x0, x0+side, y0+side-1, color)
}

// digits is a font of 3x5 pixels, a row of three bits each from the top.
var digits = [10][5]uint8{
	{7, 5, 5, 5, 7}, {2, 6, 2, 2, 7}, {7, 1, 7, 4, 7}, {7, 1, 7, 1, 7}, {5, 5, 7, 1, 1},
	{7, 4, 7, 1, 7}, {7, 4, 7, 5, 7}, {7, 1, 1, 2, 2}, {7, 5, 7, 5, 7}, {7, 5, 7, 1, 7},
}

// number writes n, at most two digits, centred, each font pixel size wide.
func (c *canvas) number(cx, cy, n, size int) {
	text := []int{n % 10}
	if n >= 10 {
		text = []int{n / 10 % 10, n % 10}
	}
	x0 := cx - (len(text)*4-1)*size/2
	for i, d := range text {
		for y, row := range digits[d] {
			for x := range 3 {
				if row>>(2-x)&1 == 0 {
					continue
				}
				for s := range size {
					left := x0 + (i*4+x)*size
					c.row(left, left+size, cy-5*size/2+y*size+s, outline)
				}
			}
		}
	}
}
