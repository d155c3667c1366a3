package mapgen

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

var update = flag.Bool("update", false, "write the shipped maps")

// all draws the maps once for all tests.
var all = sync.OnceValues(All)

const shipped = "../../match/grid/mapfile/shipped"

func TestShippedMapsAreWhatTheGeneratorDraws(t *testing.T) {
	drawn, err := all()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, g := range drawn {
		files[filepath.Join(shipped, g.ID+".tmj")] = mapfile.WriteTMJ(g.Map)
	}
	picture := filepath.Join(shipped, mapfile.TilesPicture)
	if files[picture], err = mapfile.TilesPNG(); err != nil {
		t.Fatal(err)
	}
	for p, want := range files {
		if *update {
			if err := os.WriteFile(p, want, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(p); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator draws (%v): go test ./internal/mapgen -update", p, err)
		}
	}
	found, _ := filepath.Glob(filepath.Join(shipped, "*"))
	if names := slices.Sorted(maps.Keys(files)); !slices.Equal(found, names) {
		t.Errorf("the folder holds %v, the generator draws %v", found, names)
	}
}

func TestEveryStartAndResourceIsReachedByGround(t *testing.T) {
	maps, err := all()
	if err != nil {
		t.Fatal(err)
	}
	starts := map[int]bool{}
	for _, g := range maps {
		starts[len(g.Map.Starts)] = true
		reached := obviousReach(g.Map)
		for _, p := range slices.Concat(g.Map.Starts, g.Map.Resources) {
			if !reached[p] {
				t.Errorf("%s: %v is cut off", g.ID, p)
			}
		}
	}
	if !starts[2] || !starts[4] || !starts[8] {
		t.Errorf("maps for %v players, want 2, 4 and 8", starts)
	}
}

// TestFeaturesStandInMatchesOfArsenal: matches begin on all maps, and the maps have each kind of feature.
func TestFeaturesStandInMatchesOfArsenal(t *testing.T) {
	maps, err := all()
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Shipped("arsenal")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[rules.FeatureKind]int{}
	for _, g := range maps {
		s := sim.Setup{Map: g.Map, Rules: rs, Options: sim.Options{Mode: "skirmish"}}
		for i := range g.Map.Starts {
			s.Players = append(s.Players, sim.Player{Team: grid.Team(i), Start: i})
		}
		w, err := sim.New(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range w.Entities() {
			kinds[rs.Types[e.Type()].Feature.Kind()]++
		}
	}
	for k := rules.FeatureObstacle; k <= rules.FeatureSwitch; k++ {
		if kinds[k] == 0 {
			t.Errorf("no map has a feature of kind %d", k)
		}
	}
}

// obviousReach spreads from the first start until nothing changes.
func obviousReach(m *grid.Map) map[grid.Tile]bool {
	reached := map[grid.Tile]bool{m.Starts[0]: true}
	for grown := true; grown; {
		grown = false
		for i := range m.Pass {
			p := m.TileAt(i)
			if reached[p] || !m.Passable(p, grid.Ground) {
				continue
			}
			for _, n := range []grid.Tile{{X: p.X - 1, Y: p.Y}, {X: p.X + 1, Y: p.Y}, {X: p.X, Y: p.Y - 1}, {X: p.X, Y: p.Y + 1}} {
				if reached[n] {
					reached[p], grown = true, true
					break
				}
			}
		}
	}
	return reached
}

func TestSeatsHaveTheSameShare(t *testing.T) {
	maps, err := all()
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range maps {
		m := g.Map
		e := easel{recipe: &recipes[i], m: m, step: make([]int, m.W*m.H)}
		e.each(func(i int, p point) {
			for _, op := range e.symmetry {
				j := m.Index(e.tile(apply(op, p)))
				if m.Terrain[i] != m.Terrain[j] || m.Levels[i] != m.Levels[j] {
					t.Fatalf("%s: %v and its image %v differ", g.ID, m.TileAt(i), m.TileAt(j))
				}
			}
		})
	}
}

func TestMapsHaveWhatMakesThemWorthPlaying(t *testing.T) {
	maps, err := all()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range maps {
		count := map[grid.Terrain]int{}
		for _, terrain := range g.Map.Terrain {
			count[terrain]++
		}
		if g.Map.LevelCount() < 3 || count[grid.Cliff] == 0 || count[grid.Water] == 0 || len(g.Map.Resources) < 6*len(g.Map.Starts) {
			t.Errorf("%s: %d levels, %d resources, grounds %v", g.ID, g.Map.LevelCount(), len(g.Map.Resources), count)
		}
		for _, s := range g.Map.Starts { // a base needs flat room
			for dy := int16(-4); dy <= 4; dy++ {
				for dx := int16(-4); dx <= 4; dx++ {
					n := grid.Tile{X: s.X + dx, Y: s.Y + dy}
					if !g.Map.Passable(n, grid.Ground) || g.Map.Level(n) != g.Map.Level(s) {
						t.Fatalf("%s: %v beside the start %v is no ground for a base", g.ID, n, s)
					}
				}
			}
		}
	}
}
