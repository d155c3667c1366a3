package view

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
)

var update = flag.Bool("update", false, "rewrite testdata; read the difference before you commit it")

// A direction survives the way there and back, at every point of the rim.
func TestRimIsItsOwnInverse(t *testing.T) {
	for dir := range uint32(coarseDirs) {
		v := rim(dir, coarseK, 1<<24)
		if back := rimOf(v, coarseK); back != dir {
			t.Fatalf("direction %d is %v, which is direction %d", dir, v, back)
		}
	}
}

// A coded course comes back as the same speed and nearly the same direction.
func TestCourseKeepsVelocity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		full := rapid.Int32Range(64, 60000).Draw(t, "full")
		v := Velocity{rapid.Int32Range(-full, full).Draw(t, "x"), rapid.Int32Range(-full, full).Draw(t, "y")}
		fine := rapid.Bool().Draw(t, "fine")
		speed := int64(grid.Sqrt(uint64(int64(v.X)*int64(v.X) + int64(v.Y)*int64(v.Y))))
		c := CourseOf(v, full, 7, fine)
		if v == (Velocity{}) {
			if c != Stand(7) {
				t.Fatalf("standing is course %d", c)
			}
			return
		}
		w := c.Velocity(full)
		// A pace is a 64th of the full speed, a direction 1/2016 of the speed,
		// and cutting takes a unit each way.
		off := speed/1000 + int64(full)/64 + 3
		if dx, dy := int64(w.X-v.X), int64(w.Y-v.Y); max(dx, -dx, dy, -dy) > off {
			t.Fatalf("%v at full speed %d becomes course %d = %v, off by more than %d", v, full, c, w, off)
		}
	})
}

// A place says where to go from the old one, and lands on the map.
func TestPlaceLands(t *testing.T) {
	const w, h = 100, 60
	rapid.Check(t, func(t *rapid.T) {
		pos := func(name string) grid.Pos {
			return grid.Pos{X: rapid.Int32Range(0, w*1024-1).Draw(t, name+"x"), Y: rapid.Int32Range(0, h*1024-1).Draw(t, name+"y")}
		}
		old, at := pos("old"), pos("at")
		if rapid.Bool().Draw(t, "near") {
			at = (&grid.Map{W: w, H: h}).Clamp(old.Add(grid.Vec{X: rapid.Int32Range(-300, 300).Draw(t, "dx"), Y: rapid.Int32Range(-300, 300).Draw(t, "dy")}))
		}
		exact := rapid.Bool().Draw(t, "exact")
		finely := exact && rapid.Bool().Draw(t, "finely")
		p, held := placeOf(old, at, exact, finely, w, h)
		got, corner := p.From(old, w)
		if corner {
			fine := uint32(FineMiddle)
			if finely {
				fine = fineOf(at)
			}
			got = InCell(got, fine)
		}
		if got != held {
			t.Fatalf("clients put it at %v, the tracker at %v", got, held)
		}
		if finely && held != at {
			t.Fatalf("exact place %v became %v", at, held)
		}
		if exact && held.Tile() != at.Tile() {
			t.Fatalf("%v became %v, which is on another tile", at, held)
		}
		if !held.Within(at, 46) {
			t.Fatalf("%v became %v, more than half a cell away", at, held)
		}
		if held.X < 0 || held.Y < 0 || held.X >= w*1024 || held.Y >= h*1024 {
			t.Fatalf("%v is off the map", held)
		}
	})
}

// A place is told in the shortest form that has it, at every offset near the limits of
// the forms, and means that offset again.
func TestPlaceTakesTheShortestForm(t *testing.T) {
	const w, h = 100, 100
	old := grid.Pos{X: 50 * 1024, Y: 50 * 1024}
	offs := func(around ...int32) (out []int32) {
		for _, at := range around {
			for d := int32(-2); d <= 2; d++ {
				out = append(out, at+d, -at+d)
			}
		}
		return out
	}
	// In whole cells: clients then have it at the middle of the offset, with any cut.
	for _, cx := range offs(0, nearCells) {
		for _, cy := range offs(0, nearCells) {
			at := old.Add(grid.Vec{X: cx << cellShift, Y: cy << cellShift})
			p, held := placeOf(old, at, false, false, w, h)
			near := max(cx, -cx, cy, -cy) <= nearCells
			if (p < placeNear) != near || !near && p < placeCell {
				t.Fatalf("%d, %d cells away: place %d", cx, cy, p)
			}
			if got, corner := p.From(old, w); near && (got != at || corner || held != at) {
				t.Fatalf("%d, %d cells away: place %d is %v, and held as %v, want %v", cx, cy, p, got, held, at)
			}
		}
	}
	// In world units.
	for _, dx := range offs(0, nearUnits, farUnits) {
		for _, dy := range offs(0, nearUnits, farUnits) {
			at := old.Add(grid.Vec{X: dx, Y: dy})
			p, held := placeOf(old, at, true, true, w, h)
			form := [2]Place{placeCell, placeCell + cellNumMax}
			switch far := max(dx, -dx, dy, -dy); {
			case far <= nearUnits:
				form = [2]Place{placeNear, placeFar - 1}
			case far <= farUnits:
				form = [2]Place{placeFar, placeCell - 1}
			}
			got, corner := p.From(old, w)
			if corner {
				got = InCell(got, fineOf(at))
			}
			if p < form[0] || p > form[1] || got != at || held != at {
				t.Fatalf("%d, %d units away: place %d, which is %v, held as %v; want %v as one of %v", dx, dy, p, got, held, at, form)
			}
		}
	}
}

// A cell is not told if its corner is off the map, though it is near.
func TestPlaceStaysOnTheMap(t *testing.T) {
	const w, h = 20, 10
	last := grid.Pos{X: w<<grid.TileShift - 1, Y: h<<grid.TileShift - 1}
	for _, c := range []struct {
		old, at grid.Pos
		near    bool
	}{
		{grid.Pos{X: 64}, grid.Pos{}, true},
		{grid.Pos{X: 63, Y: 5}, grid.Pos{X: 1, Y: 5}, false},
		{grid.Pos{X: 5, Y: 63}, grid.Pos{X: 5, Y: 1}, false},
		{grid.Pos{X: last.X - 64, Y: 5}, grid.Pos{X: last.X, Y: 5}, true},
		{grid.Pos{X: last.X - 63, Y: 5}, grid.Pos{X: last.X, Y: 5}, false},
		{grid.Pos{X: 5, Y: last.Y - 64}, grid.Pos{X: 5, Y: last.Y}, true},
		{grid.Pos{X: 5, Y: last.Y - 63}, grid.Pos{X: 5, Y: last.Y}, false},
	} {
		if p, held := placeOf(c.old, c.at, false, false, w, h); (p < placeNear) != c.near || held.X < 0 || held.Y < 0 || held.X > last.X || held.Y > last.Y {
			t.Errorf("from %v to %v: place %d, held at %v", c.old, c.at, p, held)
		}
	}
}

// motionVector is one line of testdata/motion.json, which web tests too.
type motionVector struct {
	Course uint32   `json:"course"`
	Full   int32    `json:"full"`
	V      [2]int32 `json:"v"`
	From   [2]int32 `json:"from"`
	Ticks  uint32   `json:"ticks"`
	At     [2]int32 `json:"at"`
}

// motionVectors covers each form of a course, each face of the rim and its
// corners, negative velocities, and the map's edges.
func motionVectors() []motionVector {
	const w, h = 96, 64
	var out []motionVector
	courses := []Course{0, 64, 255, courseFull, courseFull + 1, courseFull + 2015, courseFull + 2016, courseFull + 4031,
		courseFull + 4032, courseFull + 8064, courseFull + 12096, courseFine - 1, courseFine, courseFine + 131072, courseFine + 262144,
		courseFine + 700001, coursePaced - 1, coursePaced, coursePaced + 16127, coursePaced + 16128*20 + 5000, coursePaced + 16128*63 + 9,
		1<<21 - 1, 1 << 21, coursePaced + 16128*200 + 11111}
	for i := range 40 {
		courses = append(courses, courseFull+Course(i*403), courseFine+Course(i*26214+7), coursePaced+Course(i*25000+13))
	}
	for i, c := range courses {
		full := []int32{9830, 4096, 65536, 777}[i%4]
		from := grid.Pos{X: int32(i*977) % (w << 10), Y: int32(i*1583) % (h << 10)}
		ticks := []grid.Ticks{1, 2, 7, 20, 100, 900, 20000}[i%7]
		v := c.Velocity(full)
		at := Reckon(from, v, ticks, w, h)
		out = append(out, motionVector{uint32(c), full, [2]int32{v.X, v.Y}, [2]int32{from.X, from.Y}, uint32(ticks), [2]int32{at.X, at.Y}})
	}
	return out
}

func TestMotionVectors(t *testing.T) {
	golden(t, "motion.json", struct {
		About   string         `json:"about"`
		W, H    int            `json:"-"`
		Width   int            `json:"width"`
		Height  int            `json:"height"`
		Vectors []motionVector `json:"vectors"`
	}{
		About: "velocity and reckoned place by course; written by go test ./match/view -update",
		Width: 96, Height: 64, Vectors: motionVectors(),
	})
}

// golden compares v, as JSON, with a file of testdata, or rewrites the file.
func golden(t *testing.T, name string, v any) {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, '\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != string(want) {
		t.Errorf("%s differs from what the code gives: run go test ./match/view -update, read the difference, and change both sides of the wire", path)
	}
}
