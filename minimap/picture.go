package minimap

import (
	"image"
	"slices"
)

// Picture draws one match again and again, and each of its layers only when that layer changed: the fog when the sight
// of a tile changed, the marks when a mark looks different in pixels, the composition when either did. It equals,
// pixel for pixel, the picture of [Landscape.Draw]. It has one owner.
type Picture struct {
	land  *Landscape
	fog   *image.Paletted // the landscape under the fog
	sight []Sight         // the sight in fog
	spots []spot          // the spots in marks
	marks []run
	had   []run           // marks before its last change
	img   *image.Paletted // fog under marks
	next  []spot          // room for the spots of the next call
	drawn Redraws
}

// Redraws counts how often a picture's layers were drawn.
type Redraws struct {
	Fog, Marks, Composition int
}

// NewPicture returns a picture without sight and marks: the landscape, all seen.
func (l *Landscape) NewPicture() *Picture {
	p := &Picture{
		land: l, sight: slices.Clone(l.allSeen),
		fog: image.NewPaletted(l.img.Rect, palette), img: image.NewPaletted(l.img.Rect, palette),
	}
	copy(p.fog.Pix, l.img.Pix)
	copy(p.img.Pix, l.img.Pix)
	return p
}

// Redraws returns how often each layer was drawn since the picture was made.
func (p *Picture) Redraws() Redraws { return p.drawn }

// Draw takes the arguments of [Landscape.Draw]. It returns the picture, which stays the same until the next call, and
// whether it differs from the last call's. With an error the picture is as it was.
func (p *Picture) Draw(sight []Sight, marks []Mark) (img *image.Paletted, changed bool, err error) {
	if err := p.land.check(sight); err != nil {
		return nil, false, err
	}
	fogChanged := p.drawFog(sight)
	marksChanged := p.drawMarks(marks)
	switch {
	case fogChanged:
		copy(p.img.Pix, p.fog.Pix)
	case marksChanged:
		for _, r := range p.had {
			copy(p.img.Pix[r.at:][:r.n], p.fog.Pix[r.at:])
		}
	default:
		return p.img, false, nil
	}
	paint(p.img.Pix, p.marks)
	p.drawn.Composition++
	return p.img, true, nil
}

// drawFog brings the fog's layer up to date, tile by tile.
func (p *Picture) drawFog(sight []Sight) (changed bool) {
	if sight == nil {
		sight = p.land.allSeen
	}
	w := p.land.w
	for y := range p.land.h {
		row, old := sight[y*w:][:w], p.sight[y*w:][:w]
		for x, s := range row {
			if s != old[x] {
				old[x] = s
				p.land.fogTile(p.fog, x, y, s)
				changed = true
			}
		}
	}
	if changed {
		p.drawn.Fog++
	}
	return changed
}

// drawMarks brings the marks' layer up to date.
func (p *Picture) drawMarks(marks []Mark) (changed bool) {
	p.next = p.next[:0]
	for i := range marks {
		p.next = append(p.next, p.land.spotOf(&marks[i]))
	}
	if slices.Equal(p.next, p.spots) {
		return false
	}
	p.spots, p.next = p.next, p.spots
	c := canvas{w: p.img.Rect.Max.X, h: p.img.Rect.Max.Y, runs: p.had[:0]}
	for _, s := range p.spots {
		c.draw(s)
	}
	p.marks, p.had = c.runs, p.marks
	p.drawn.Marks++
	return true
}
