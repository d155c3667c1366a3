package grid

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSqrtIsTheRootRoundedDown(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, n uint64) {
		r := Sqrt(n)
		if r*r > n || (r < math.MaxUint32 && (r+1)*(r+1) <= n) {
			t.Fatalf("Sqrt(%d) = %d", n, r)
		}
	}
	for n := range uint64(10_000) {
		check(t, n)
	}
	for r := uint64(1); r <= math.MaxUint32; r = r*3 + 1 {
		check(t, r*r-1)
		check(t, r*r)
		check(t, r*r+1)
	}
	check(t, math.MaxUint64)
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.Uint64().Draw(t, "n")) })
}

// facingByAtan2 is the obvious form: the angle in 256ths of a turn.
func facingByAtan2(v Vec) float64 {
	a := math.Atan2(float64(v.Y), float64(v.X)) * 256 / (2 * math.Pi)
	if a < 0 {
		a += 256
	}
	return a
}

func checkFacing(t interface{ Fatalf(string, ...any) }, v Vec) {
	got, want := FacingOf(v), facingByAtan2(v)
	off := math.Abs(float64(got) - want)
	off = min(off, 256-off)
	// Half a step is the rounding; the excess is the 1/65536 of the tangent table, at most
	// 0.0013 of a step near the axes.
	if off > 0.5+0.0013 {
		t.Fatalf("FacingOf(%d,%d) = %d, Atan2 says %.5f: %.5f steps off", v.X, v.Y, got, want, off)
	}
}

func TestFacingOfAgainstAtan2(t *testing.T) {
	for y := int32(-150); y <= 150; y++ {
		for x := int32(-150); x <= 150; x++ {
			if x != 0 || y != 0 {
				checkFacing(t, Vec{x, y})
			}
		}
	}
	for i := range 20_000 { // a fine ring
		a := float64(i) * 2 * math.Pi / 20_000
		checkFacing(t, Vec{int32(math.Round(1e6 * math.Cos(a))), int32(math.Round(1e6 * math.Sin(a)))})
	}
	if FacingOf(Vec{}) != 0 {
		t.Errorf("the zero vector faces %d", FacingOf(Vec{}))
	}
	rapid.Check(t, func(t *rapid.T) {
		v := Vec{rapid.Int32().Draw(t, "x"), rapid.Int32().Draw(t, "y")}
		if v != (Vec{}) {
			checkFacing(t, v)
		}
	})
}

func TestFacingAxes(t *testing.T) {
	for v, want := range map[Vec]Facing{
		{1, 0}: 0, {1, 1}: 32, {0, 1}: 64, {-1, 1}: 96,
		{-1, 0}: 128, {-1, -1}: 160, {0, -1}: 192, {1, -1}: 224,
	} {
		if got := FacingOf(v); got != want {
			t.Errorf("FacingOf(%v) = %d, want %d", v, got, want)
		}
	}
}

func TestTurnGoesTheShortWay(t *testing.T) {
	for f := range 256 {
		for to := range 256 {
			for _, step := range []uint8{0, 1, 7, 128, 255} {
				got := Facing(f).Turn(Facing(to), step)
				d := int(int8(uint8(to - f)))
				want := max(-int(step), min(int(step), d))
				if got != Facing(f+want) {
					t.Fatalf("Facing(%d).Turn(%d, %d) = %d, want %d", f, to, step, got, Facing(f+want))
				}
			}
		}
	}
}

func TestVec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := int32(MapSideMax * WUPerTile)
		v := Vec{rapid.Int32Range(-side, side).Draw(t, "x"), rapid.Int32Range(-side, side).Draw(t, "y")}
		l := float64(v.Len())
		if want := math.Hypot(float64(v.X), float64(v.Y)); l > want+1e-6 || l < want-1-1e-6 {
			t.Fatalf("%v.Len() = %v, want %v rounded down", v, l, want)
		}
		n := Dist(rapid.Int32Range(0, side).Draw(t, "n"))
		s := v.Scale(n)
		// Len is rounded down, so a short vector scales to a little more than n.
		if l > 0 && float64(s.Len()) > float64(n)*(1+1/l)+1 {
			t.Fatalf("%v.Scale(%d) = %v of length %d", v, n, s, s.Len())
		}
	})
}

func TestTilesAndPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tile := Tile{rapid.Int16Range(0, MapSideMax-1).Draw(t, "x"), rapid.Int16Range(0, MapSideMax-1).Draw(t, "y")}
		if c := tile.Center(); c.Tile() != tile {
			t.Fatalf("%v has its centre at %v, on %v", tile, c, c.Tile())
		}
		m := NewMap("m", MapSideMax, 16)
		p := Pos{rapid.Int32().Draw(t, "px"), rapid.Int32().Draw(t, "py")}
		if c := m.Clamp(p); !m.InPos(c) || !m.In(c.Tile()) || (m.InPos(p) && c != p) {
			t.Fatalf("Clamp(%v) = %v", p, c)
		}
	})
}
