package minimap

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

func flat(w, h int) *grid.Map {
	m := grid.NewMap("flat", w, h)
	m.Starts = []grid.Tile{{X: 1, Y: 1}}
	return m
}

// pixels returns the middle pixel of a tile.
func pixel(img *image.Paletted, scale int, x, y int) color.RGBA {
	return img.At(x*scale+scale/2, y*scale+scale/2).(color.RGBA)
}

func brightness(c color.RGBA) int { return int(c.R) + int(c.G) + int(c.B) }

func TestPaletteFits(t *testing.T) {
	if len(palette) != faded+colors || len(palette) > 256 {
		t.Fatalf("%d colours, the layout says %d", len(palette), faded+colors)
	}
	seen := map[color.Color]bool{}
	for n := range uint8(colors) {
		if c := PlayerColor(n); seen[c] || palette[players+int(n)] != color.Color(c) {
			t.Errorf("number %d is colour %v", n, c)
		} else {
			seen[c] = true
		}
	}
}

func TestFogIsByTile(t *testing.T) {
	m := flat(20, 16)
	for _, scale := range []int{1, 3, 8} {
		l, err := NewLandscape(m, scale)
		if err != nil {
			t.Fatal(err)
		}
		sight := make([]Sight, 20*16)
		sight[m.Index(grid.Tile{X: 4, Y: 5})] = Visible
		sight[m.Index(grid.Tile{X: 5, Y: 5})] = Explored
		img, err := l.Draw(sight, nil)
		if err != nil {
			t.Fatal(err)
		}
		all, err := l.Draw(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for py := range img.Rect.Dy() {
			for px := range img.Rect.Dx() {
				got, lit := img.At(px, py).(color.RGBA), all.At(px, py).(color.RGBA)
				switch x, y := px/scale, py/scale; {
				case x == 4 && y == 5:
					if got != lit {
						t.Fatalf("scale %d: a visible pixel is %v, lit %v", scale, got, lit)
					}
				case x == 5 && y == 5:
					if b := brightness(got); b >= brightness(lit)*3/4 || b <= 60 {
						t.Fatalf("scale %d: an explored pixel has brightness %d, lit %d", scale, b, brightness(lit))
					}
				default:
					if b := brightness(got); b > 75 {
						t.Fatalf("scale %d: an unexplored pixel at %d,%d has brightness %d", scale, px, py, b)
					}
				}
			}
		}
	}
}

// Unexplored ground looks the same over any ground.
func TestUnexploredTellsNothing(t *testing.T) {
	a, b := flat(16, 16), flat(16, 16)
	for i := range b.Terrain {
		b.Terrain[i], b.Levels[i] = grid.Terrain(i%grounds), grid.Level(i%5)
	}
	var pictures [2]*image.Paletted
	for i, m := range []*grid.Map{a, b} {
		l, err := NewLandscape(m, 4)
		if err != nil {
			t.Fatal(err)
		}
		if pictures[i], err = l.Draw(make([]Sight, 256), nil); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(pictures[0].Pix, pictures[1].Pix) {
		t.Error("two maps differ in the dark")
	}
}

func TestLandscapeShows(t *testing.T) {
	m := flat(32, 32)
	for y := int16(8); y < 24; y++ {
		for x := int16(8); x < 24; x++ {
			m.Levels[m.Index(grid.Tile{X: x, Y: y})] = 4
		}
	}
	for i, terrain := range []grid.Terrain{grid.Water, grid.Sand, grid.Cliff} {
		m.Terrain[m.Index(grid.Tile{X: int16(2 * i), Y: 30})] = terrain
	}
	l, err := NewLandscape(m, 8)
	if err != nil {
		t.Fatal(err)
	}
	img, err := l.Draw(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	mean := func(x0, y0, x1, y1 int) int { // of tiles
		sum, n := 0, 0
		for y := y0 * 8; y < y1*8; y++ {
			for x := x0 * 8; x < x1*8; x++ {
				sum += brightness(img.At(x, y).(color.RGBA))
				n++
			}
		}
		return sum / n
	}
	if high, low := mean(14, 14, 18, 18), mean(1, 1, 5, 5); high <= low {
		t.Errorf("high ground has brightness %d, low %d", high, low)
	}
	// The sun is in the north-west: the slope that faces it is bright.
	if lit, dark := mean(6, 12, 9, 20), mean(23, 12, 26, 20); lit <= dark+20 {
		t.Errorf("the western slope has brightness %d, the eastern %d", lit, dark)
	}
	if w := pixel(img, 8, 0, 30); w.B <= w.R {
		t.Errorf("water is %v", w)
	}
	again, err := NewLandscape(m, 8)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.img.Pix, l.img.Pix) {
		t.Error("a map has two pictures")
	}
}

func TestMarks(t *testing.T) {
	m := flat(20, 20)
	l, err := NewLandscape(m, 8)
	if err != nil {
		t.Fatal(err)
	}
	at := grid.Tile{X: 10, Y: 10}.Center()
	draw := func(marks ...Mark) *image.Paletted {
		img, err := l.Draw(nil, marks)
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	plain := draw()
	for shape := Unit; shape <= Start; shape++ {
		img := draw(Mark{Shape: shape, At: at, Slot: 1, Color: 3, Size: 2})
		changed := 0
		for i := range img.Pix {
			if img.Pix[i] != plain.Pix[i] {
				changed++
			}
		}
		if changed == 0 || changed > 48*48 {
			t.Errorf("shape %d changes %d pixels", shape, changed)
		}
		if shape == Unit || shape == Structure {
			if got := pixel(img, 8, 10, 10); got != PlayerColor(3) {
				t.Errorf("shape %d: its middle is %v, the player's colour %v", shape, got, PlayerColor(3))
			}
		}
		// Marks off the picture are not drawn, and do not panic.
		draw(Mark{Shape: shape, At: grid.Pos{X: -1 << 30, Y: 1 << 30}, Size: 255},
			Mark{Shape: shape, At: grid.Pos{}, Size: 255, Slot: grid.NoSlot}, Mark{Shape: shape, At: grid.Pos{X: 20*1024 - 1, Y: 20*1024 - 1}, Slot: 15})
	}
	// The later mark is on top.
	if got := pixel(draw(Mark{At: at, Color: 1}, Mark{At: at, Color: 2}), 8, 10, 10); got != PlayerColor(2) {
		t.Errorf("on top is %v", got)
	}
}

func TestRefuses(t *testing.T) {
	for _, scale := range []int{0, -1, ScaleMax + 1} {
		if _, err := NewLandscape(flat(16, 16), scale); err == nil {
			t.Errorf("scale %d is taken", scale)
		}
	}
	if _, err := NewLandscape(flat(1024, 16), 5); err == nil {
		t.Error("a picture of 5120 pixels is taken")
	}
	l, err := NewLandscape(flat(16, 16), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Draw(make([]Sight, 255), nil); err == nil {
		t.Error("sight of 255 tiles is taken for 256")
	}
	if s := FitScale(flat(100, 16), 512); s != 5 {
		t.Errorf("scale %d fits 100 tiles into 512 pixels", s)
	}
	if s := FitScale(flat(1024, 16), 512); s != 1 {
		t.Errorf("scale %d for more tiles than pixels", s)
	}
}

func TestEncode(t *testing.T) {
	l, err := NewLandscape(flat(20, 30), 2)
	if err != nil {
		t.Fatal(err)
	}
	img, err := l.Draw(nil, []Mark{{At: grid.Pos{X: 5000, Y: 5000}, Slot: 2}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	back, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := back.(*image.Paletted); !ok || !bytes.Equal(p.Pix, img.Pix) {
		t.Error("the PNG is another picture")
	}
}

func BenchmarkDraw256(b *testing.B) {
	m := flat(256, 256)
	l, err := NewLandscape(m, 1)
	if err != nil {
		b.Fatal(err)
	}
	sight := make([]Sight, 256*256)
	for i := range sight {
		sight[i] = Sight(i / 7 % 3)
	}
	marks := make([]Mark, 400)
	for i := range marks {
		marks[i] = Mark{At: grid.Pos{X: int32(i) * 600, Y: int32(i*i) % (256 * 1024)}, Slot: grid.Slot(i % 8)}
	}
	b.ReportAllocs()
	for b.Loop() {
		img, err := l.Draw(sight, marks)
		if err != nil {
			b.Fatal(err)
		}
		if err := Encode(new(bytes.Buffer), img); err != nil {
			b.Fatal(err)
		}
	}
}
