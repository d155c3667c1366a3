package visibility_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/visibility"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// realMaps returns the shipped maps, and the maps of the folder that FOGKEEP_TEST_MAPS
// names: maps of other games, which are never part of the repo.
func realMaps(t *testing.T) map[string]*grid.Map {
	maps := map[string]*grid.Map{}
	lib, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range lib.List() {
		maps[entry.ID] = entry.Map
	}
	if dir := os.Getenv("FOGKEEP_TEST_MAPS"); dir != "" {
		found, _, err := mapfile.Find(dir)
		if err != nil || len(found) == 0 {
			t.Fatalf("FOGKEEP_TEST_MAPS=%s: %d maps, %v", dir, len(found), err)
		}
		for _, p := range found {
			m, err := mapfile.Open(p)
			if err != nil {
				t.Fatal(err)
			}
			maps[filepath.Base(p)] = m
		}
	}
	return maps
}

// TestRealTerrain compares fast with obvious on real ground, under each rule:
// 500 random sources a map, 10,000 with FOGKEEP_TEST_LONG=1.
func TestRealTerrain(t *testing.T) {
	sources := 500
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		sources = 10_000
	}
	for name, real := range realMaps(t) {
		t.Run(name, func(t *testing.T) {
			seed := uint64(len(name))*7919 + uint64(real.W)
			rng := rand.New(rand.NewPCG(seed, 1))
			for _, o := range []grid.Occlusion{grid.OcclusionLineOfSight, grid.OcclusionHighGround, grid.OcclusionNone} {
				m := *real
				m.Occlusion = o
				e, err := visibility.New(visibility.Config{Map: &m, Teams: 1})
				if err != nil {
					t.Fatal(err)
				}
				f := obvious.NewField(&m)
				id := e.Add(0, visibility.Source{})
				for range sources {
					s := visibility.Source{
						Tile:   m.TileAt(rng.IntN(m.W * m.H)),
						Radius: visibility.Radius(rng.IntN(25)),
						Flyer:  rng.IntN(8) == 0, LevelBonus: grid.Level(rng.IntN(4) / 3),
					}
					if rng.IntN(20) == 0 {
						s.Radius = visibility.Radius(rng.IntN(65))
					}
					e.Change(id, s)
					e.Step(0)
					one(t, e, f, &m, s)
				}
			}
		})
	}
}

// one compares the tiles that a single source sees, and checks that it sees no tile outside
// its reach.
func one(t *testing.T, e *visibility.Engine, f *obvious.Field, m *grid.Map, s visibility.Source) {
	t.Helper()
	plain := obvious.Source{X: int(s.Tile.X), Y: int(s.Tile.Y), Radius: int(s.Radius), Flyer: s.Flyer, LevelBonus: int(s.LevelBonus)}
	reach, seen := int(s.Radius)/2+1, 0
	for y := max(0, plain.Y-reach); y <= min(m.H-1, plain.Y+reach); y++ {
		for x := max(0, plain.X-reach); x <= min(m.W-1, plain.X+reach); x++ {
			at := grid.Tile{X: int16(x), Y: int16(y)}
			want := f.Sees(plain, plain.Radius, x, y)
			if e.Visible(0, at) != want {
				t.Fatalf("%v, %+v: sees %v is %v, the obvious rule says %v", m.Occlusion, s, at, !want, want)
			}
			if want {
				seen++
			}
		}
	}
	if n := e.Mask(visibility.VisibleNow, 0).Count(); n != seen {
		t.Fatalf("%v, %+v: %d tiles are seen, %d of them in reach", m.Occlusion, s, n, seen)
	}
}
