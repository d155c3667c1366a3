package minimap

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
)

// A picture that draws only changes equals one drawn from scratch.
func TestPictureEqualsDraw(t *testing.T) {
	const w, h = 24, 17
	rapid.Check(t, func(t *rapid.T) {
		l, err := NewLandscape(flat(w, h), rapid.SampledFrom([]int{1, 2, 3, 8}).Draw(t, "scale"))
		if err != nil {
			t.Fatal(err)
		}
		p := l.NewPicture()
		var sight []Sight
		var marks []Mark
		last, err := l.Draw(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0: // other eyes
				if sight = nil; rapid.Bool().Draw(t, "fog") {
					sight = make([]Sight, w*h)
				}
			case 1:
				for range rapid.IntRange(0, 9).Draw(t, "tiles") {
					if sight != nil {
						sight[rapid.IntRange(0, w*h-1).Draw(t, "tile")] = Sight(rapid.IntRange(0, 2).Draw(t, "sight"))
					}
				}
			case 2:
				marks = slices.Insert(marks, rapid.IntRange(0, len(marks)).Draw(t, "place"), drawMark(t))
			case 3:
				if len(marks) > 0 {
					i := rapid.IntRange(0, len(marks)-1).Draw(t, "which")
					marks = slices.Delete(marks, i, i+1)
				}
			case 4: // a mark moves
				if len(marks) > 0 {
					m := &marks[rapid.IntRange(0, len(marks)-1).Draw(t, "which")]
					m.At.X += rapid.Int32Range(-1500, 1500).Draw(t, "dx")
					m.At.Y += rapid.Int32Range(-1500, 1500).Draw(t, "dy")
				}
			case 5: // a mark becomes another's
				if len(marks) > 0 {
					m := &marks[rapid.IntRange(0, len(marks)-1).Draw(t, "which")]
					other := drawMark(t)
					other.At, *m = m.At, other
				}
			}
			got, changed, err := p.Draw(sight, marks)
			if err != nil {
				t.Fatal(err)
			}
			want, err := l.Draw(sight, marks)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Pix, want.Pix) {
				t.Fatalf("the picture differs from one that is drawn from nothing: %v", firstDifference(got.Pix, want.Pix, got.Stride))
			}
			if !changed && !bytes.Equal(last.Pix, want.Pix) {
				t.Fatal("the picture changed and says that it did not")
			}
			last = want
		}
	})
}

func drawMark(t *rapid.T) Mark {
	m := Mark{
		Shape: Shape(rapid.IntRange(0, int(Start)).Draw(t, "shape")),
		At:    grid.Pos{X: rapid.Int32Range(-3000, 27000).Draw(t, "x"), Y: rapid.Int32Range(-3000, 20000).Draw(t, "y")},
		Size:  rapid.Uint8Range(0, 5).Draw(t, "size"),
		Slot:  grid.Slot(rapid.IntRange(0, 15).Draw(t, "slot")),
		Color: rapid.Uint8Range(0, 15).Draw(t, "colour"),
	}
	if m.Shape != Start && rapid.Bool().Draw(t, "nobody's") {
		m.Slot = grid.NoSlot
	}
	return m
}

func firstDifference(a, b []uint8, stride int) string {
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("at %d,%d colour %d, want %d", i%stride, i/stride, a[i], b[i])
		}
	}
	return "nowhere"
}

// Each layer is drawn when its own part changed, and at no other call.
func TestLayersAreDrawnWhenTheirsChanged(t *testing.T) {
	const scale = 2 // a pixel is half a tile
	l, err := NewLandscape(flat(20, 20), scale)
	if err != nil {
		t.Fatal(err)
	}
	p := l.NewPicture()
	sight := make([]Sight, 400)
	marks := []Mark{{At: grid.Pos{X: 5 * 1024, Y: 5 * 1024}, Slot: 1, Color: 1}, {Shape: Structure, At: grid.Pos{X: 9000, Y: 9000}, Size: 2}}
	for _, step := range []struct {
		what   string
		change func()
		want   Redraws // of this call
	}{
		{"the first call", func() {}, Redraws{Fog: 1, Marks: 1, Composition: 1}},
		{"nothing changes", func() {}, Redraws{}},
		{"a unit moves within its pixel", func() { marks[0].At.X += 511 }, Redraws{}},
		{"a unit crosses a pixel", func() { marks[0].At.X++ }, Redraws{Marks: 1, Composition: 1}},
		{"the unit goes back", func() { marks[0].At.X-- }, Redraws{Marks: 1, Composition: 1}},
		{"a tile is explored", func() { sight[7] = Explored }, Redraws{Fog: 1, Composition: 1}},
		{"the size of a unit is not shown", func() { marks[0].Size = 9 }, Redraws{}},
		{"a unit changes its colour", func() { marks[0].Color = 2 }, Redraws{Marks: 1, Composition: 1}},
		{"a unit comes", func() { marks = append(marks, Mark{At: grid.Pos{X: 100, Y: 100}}) }, Redraws{Marks: 1, Composition: 1}},
		{"a unit goes", func() { marks = marks[:2] }, Redraws{Marks: 1, Composition: 1}},
		{"both change", func() { sight[7], marks[0].At.Y = Visible, 9*1024 }, Redraws{Fog: 1, Marks: 1, Composition: 1}},
		{"all is seen", func() { sight = nil }, Redraws{Fog: 1, Composition: 1}},
		{"all is seen, said otherwise", func() { sight = slices.Repeat([]Sight{Visible}, 400) }, Redraws{}},
	} {
		step.change()
		before := p.Redraws()
		_, changed, err := p.Draw(sight, marks)
		if err != nil {
			t.Fatal(err)
		}
		after := p.Redraws()
		got := Redraws{after.Fog - before.Fog, after.Marks - before.Marks, after.Composition - before.Composition}
		if got != step.want {
			t.Errorf("%s: drawn %+v, want %+v", step.what, got, step.want)
		}
		if changed != (got.Composition > 0) {
			t.Errorf("%s: changed is %v", step.what, changed)
		}
	}
	if _, _, err := p.Draw(make([]Sight, 399), marks); err == nil {
		t.Error("sight of 399 tiles is taken for 400")
	}
}

// BenchmarkPicture256 is what one picture of 256 by 256 tiles with 400 units
// costs, without its encoding: from nothing, and when only a part changed.
func BenchmarkPicture256(b *testing.B) {
	l, err := NewLandscape(flat(256, 256), 2)
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
	b.Run("from nothing", func(b *testing.B) {
		for b.Loop() {
			if _, err := l.Draw(sight, marks); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, c := range []struct {
		name   string
		change func(n int)
	}{
		{"nothing changed", func(int) {}},
		{"units moved", func(n int) {
			for i := range marks {
				marks[i].At.X ^= int32(n&1) << 10
			}
		}},
		{"sight moved", func(n int) {
			for i := range 600 {
				sight[(n*31+i*97)%len(sight)] ^= 1
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := l.NewPicture()
			n := 0
			for b.Loop() {
				n++
				c.change(n)
				if _, _, err := p.Draw(sight, marks); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
