package minimap

import (
	"image/color"

	"github.com/fogkeep/fogkeep/match/grid"
)

// The palette's layout. Lit ground comes first, so that the remembered shade of
// a pixel is the lit one plus remembered.
const (
	shades     = 12
	grounds    = 9                // grid.Grass to grid.Cliff
	remembered = grounds * shades // offset of the remembered grounds

	unseen     = 2 * remembered // two shades of nearly black, for a faint dither
	outline    = unseen + 2     // around marks
	white      = outline + 1
	resource   = white + 1
	resourceDk = resource + 1
	players    = resourceDk + 1
	faded      = players + colors
	colors     = 16 // that players have; among more players, some share one
)

// A kind of ground without a colour does not compile.
var _ [grounds - 1 - int(grid.Cliff)]struct{}

// playerColors are the colours that players choose among. Any two, and any one
// and the ground, stay apart under the three kinds of colour blindness
// (smallest distance 15 of 100 in OKLab, simulated after Machado 2009, within
// each row of eight). The browser client gets them as web/sdk/src/gen/colors.ts.
var playerColors = [colors]uint32{
	0xb183ff, 0xdd6304, 0xffff59, 0x338e96, 0xf4ae00, 0x8fffea, 0xac00dc, 0x53c8b7,
	0x00adff, 0xad899a, 0xffff26, 0xbb00a9, 0xf9ba80, 0x33fdff, 0x0060ff, 0xe57300,
}

// groundColors are the colours of ground in even light.
var groundColors = [grounds]uint32{
	grid.Grass:  0x5d6b47,
	grid.Dirt:   0x75654f,
	grid.Sand:   0x958667,
	grid.Rock:   0x6b6a6e,
	grid.Road:   0x8d8476,
	grid.Rubble: 0x66594f,
	grid.Ice:    0xa3b4bd,
	grid.Water:  0x2d5570,
	grid.Cliff:  0x4d4944,
}

// unexploredColor is the colour of unexplored ground.
const unexploredColor = 0x0b1016

// PlayerColor returns a player's colour by its number.
func PlayerColor(n uint8) color.RGBA { return rgb(playerColors[n%colors]) }

func rgb(v uint32) color.RGBA {
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xFF}
}

// palette is shared by all pictures and never changed.
var palette = makePalette()

func makePalette() color.Palette {
	p := make(color.Palette, 0, 256)
	for _, v := range groundColors {
		for s := range shades {
			p = append(p, light(rgb(v), s))
		}
	}
	for i := range remembered {
		p = append(p, memory(p[i].(color.RGBA)))
	}
	p = append(p, rgb(unexploredColor), rgb(0x0d131a), rgb(0x10151b), rgb(0xffffff), rgb(0x7fe3d0), rgb(0x2c6f66))
	for _, v := range playerColors {
		p = append(p, rgb(v))
	}
	for _, v := range playerColors {
		c := rgb(v)
		p = append(p, mix(c, color.RGBA{0x3a, 0x44, 0x50, 0xFF}, 40))
	}
	return p
}

// light shades a ground: warm and bright at 11, cool and dark at 0, the even
// light at 5.
func light(c color.RGBA, shade int) color.RGBA {
	if shade <= 5 {
		return mix(c, color.RGBA{0x12, 0x1a, 0x2a, 0xFF}, (5-shade)*13)
	}
	return mix(c, color.RGBA{0xff, 0xee, 0xcc, 0xFF}, (shade-5)*8)
}

// memory is how explored ground looks out of sight: greyer, colder, darker.
func memory(c color.RGBA) color.RGBA {
	grey := (int(c.R)*30 + int(c.G)*59 + int(c.B)*11) / 100
	c = mix(c, color.RGBA{uint8(grey), uint8(grey), uint8(grey), 0xFF}, 60)
	return mix(c, color.RGBA{0x0c, 0x12, 0x1c, 0xFF}, 50)
}

// mix moves a towards b by percent.
func mix(a, b color.RGBA, percent int) color.RGBA {
	m := func(x, y uint8) uint8 { return uint8((int(x)*(100-percent) + int(y)*percent) / 100) }
	return color.RGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 0xFF}
}
