package mapfile

import (
	"bytes"
	"image"
	"image/color"
	"image/png"

	"github.com/fogkeep/fogkeep/match/grid"
)

// groundColors are what the tileset's picture shows for each kind of ground.
var groundColors = [...]color.NRGBA{
	grid.Grass:  {0x5d, 0x6b, 0x47, 0xff},
	grid.Dirt:   {0x75, 0x65, 0x4f, 0xff},
	grid.Sand:   {0x95, 0x86, 0x67, 0xff},
	grid.Rock:   {0x6b, 0x6a, 0x6e, 0xff},
	grid.Road:   {0x8d, 0x84, 0x76, 0xff},
	grid.Rubble: {0x66, 0x59, 0x4f, 0xff},
	grid.Ice:    {0xa3, 0xb4, 0xbd, 0xff},
	grid.Water:  {0x2d, 0x55, 0x70, 0xff},
	grid.Cliff:  {0x33, 0x30, 0x2d, 0xff},
}

// TilesPNG returns the picture that the tileset of [WriteTMJ] shows in Tiled,
// for a file named [TilesPicture]: a row of grounds, a row of levels (lighter is
// higher, with as many dots), a row of what may pass (a quarter each for
// ground, hover, naval, air: green may, red may not).
func TilesPNG() ([]byte, error) {
	img := image.NewNRGBA(image.Rect(0, 0, tileColumns*tilePx, 3*tilePx))
	fill := func(x, y, w, h int, c color.NRGBA) {
		for py := y; py < y+h; py++ {
			for px := x; px < x+w; px++ {
				img.SetNRGBA(px, py, c)
			}
		}
	}
	for t, c := range groundColors {
		fill(t*tilePx, 0, tilePx, tilePx, c)
		for i := range 6 { // a little grain, so that a field of one ground is no flat colour
			grain := c
			grain.R, grain.G, grain.B = c.R-c.R/9, c.G-c.G/9, c.B-c.B/9
			fill(t*tilePx+i*11%tilePx, i*7%tilePx, 2, 1, grain)
		}
	}
	for l := range grid.LevelsMax {
		grey := uint8(30 + 14*l)
		fill(l*tilePx, tilePx, tilePx, tilePx, color.NRGBA{grey, grey, grey, 0xff})
		for d := range l {
			fill(l*tilePx+1+d%5*3, tilePx+1+d/5*3, 2, 2, color.NRGBA{0xff, 0xd4, 0x3b, 0xff})
		}
	}
	for p := grid.PassMask(0); p <= grid.PassAll; p++ {
		for k := range grid.MoveKinds {
			c := color.NRGBA{0xff, 0x6b, 0x57, 0xff}
			if p.Has(k) {
				c = color.NRGBA{0x5f, 0xd3, 0x8d, 0xff}
			}
			const half = tilePx / 2
			fill(int(p)*tilePx+int(k)%2*half, 2*tilePx+int(k)/2*half, half-1, half-1, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
