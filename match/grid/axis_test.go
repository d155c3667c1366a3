package grid

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// The definition, in exact rational arithmetic.
func obviousAxisTile(a Axis, pos int64) int64 {
	r := new(big.Rat).SetFrac(big.NewInt(pos-a.Center), big.NewInt(a.Dim))
	r.Add(r, big.NewRat(1, 2))
	r.Mul(r, new(big.Rat).SetInt64(int64(a.Tiles)))
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int)) // Euclidean: floor, as the denominator is positive
	_ = m
	return q.Int64()
}

func TestAxisTileIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{
			Center: rapid.Int64Range(-1<<40, 1<<40).Draw(t, "center"),
			Dim:    rapid.Int64Range(1, 1<<30).Draw(t, "dim"),
			Tiles:  rapid.IntRange(1, MapSideMax).Draw(t, "tiles"),
		}
		pos := a.Center + rapid.Int64Range(-2*a.Dim, 2*a.Dim).Draw(t, "offset")
		if got, want := a.Tile(pos), obviousAxisTile(a, pos); got != want {
			t.Fatalf("%+v.Tile(%d) = %d, want %d", a, pos, got, want)
		}
		tile := rapid.Int64Range(-10, int64(a.Tiles)+10).Draw(t, "tile")
		low := a.Pos(tile)
		if a.Tile(low) < tile || a.Tile(low-1) >= tile {
			t.Fatalf("%+v.Pos(%d) = %d, which lies on tile %d, the one before on %d",
				a, tile, low, a.Tile(low), a.Tile(low-1))
		}
		if a.Dim >= int64(a.Tiles) && a.Tile(low) != tile {
			t.Fatalf("%+v: Tile(Pos(%d)) = %d", a, tile, a.Tile(low))
		}
	})
}

func TestAxisOfTheCoreIsAShift(t *testing.T) {
	for _, tiles := range []int{MapSideMin, 17, 250, MapSideMax} {
		dim := int64(tiles) * WUPerTile
		a := Axis{Center: dim / 2, Dim: dim, Tiles: tiles}
		for _, pos := range []int64{0, 1, WUPerTile - 1, WUPerTile, dim/2 - 1, dim / 2, dim - 1, dim, -1} {
			if got := a.Tile(pos); got != pos>>TileShift {
				t.Errorf("%d tiles: Tile(%d) = %d, want %d", tiles, pos, got, pos>>TileShift)
			}
		}
	}
}
