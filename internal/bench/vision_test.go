package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility"
)

// BenchmarkVision is the engine's part of `fogkeep-bench vision`, for profiles.
func BenchmarkVision(b *testing.B) {
	for _, c := range []struct {
		name   string
		side   int
		radius visibility.Radius
		rule   grid.Occlusion
	}{
		{"r8/flat/256", 256, 16, grid.OcclusionNone},
		{"r16/flat/256", 256, 32, grid.OcclusionNone},
		{"r8/high/256", 256, 16, grid.OcclusionHighGround},
		{"r8/los/256", 256, 16, grid.OcclusionLineOfSight},
		{"r8/flat/512", 512, 16, grid.OcclusionNone},
		{"r8/flat/1024", 1024, 16, grid.OcclusionNone},
		{"r8/los/1024", 1024, 16, grid.OcclusionLineOfSight}, // many viewsheds, made and forgotten
	} {
		b.Run(c.name, func(b *testing.B) {
			v, err := newVisionCase(c.side, c.radius, c.rule)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				v.tick()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/visionUnits, "ns/move")
		})
	}
}

// BenchmarkVisionEqualWork has the crowd of the small map in the middle of larger ones:
// as many tiles change as on the small map.
func BenchmarkVisionEqualWork(b *testing.B) {
	for _, side := range []int{256, 512, 1024} {
		b.Run(fmt.Sprint(side), func(b *testing.B) {
			v, err := newCrowdCase(side, 256, 16, grid.OcclusionNone)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				v.tick()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/visionUnits, "ns/move")
		})
	}
}

// BenchmarkShed makes every line of sight anew: what a unit costs on a tile that
// is not remembered.
func BenchmarkShed(b *testing.B) {
	for _, radius := range []visibility.Radius{16, 32, 64} {
		b.Run(fmt.Sprintf("r%d", radius/2), func(b *testing.B) {
			e, err := visibility.New(visibility.Config{Map: hills(256, 256, grid.OcclusionLineOfSight), Teams: 1, ViewshedBytesMax: 1})
			if err != nil {
				b.Fatal(err)
			}
			id := e.Add(0, visibility.Source{Radius: radius})
			e.Step(0)
			b.ResetTimer()
			for i := range b.N {
				e.Move(id, grid.Tile{X: int16(i * 7 % 256), Y: int16(i * 7 / 256 % 256)})
				e.Step(0)
			}
		})
	}
}

// TestPathIsOneTileATick: what is measured is what the report says.
func TestPathIsOneTileATick(t *testing.T) {
	path := newPath(40, 30, 50)
	for i := range path {
		for k, at := range path[i] {
			if d := at.Dist2(path[(i+1)%len(path)][k]); d < 1 || d > 2 {
				t.Fatalf("tick %d: unit %d goes from %v to %v", i, k, at, path[(i+1)%len(path)][k])
			}
		}
	}
}

// TestVisionReport: the benchmark runs, and its JSON has the agreed keys and no
// other.
func TestVisionReport(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Vision(ctx); err != context.Canceled {
		t.Fatalf("cancelled: %v", err)
	}
	r := &VisionReport{R8Flat: 10, RefcountR8: 100, R8Flat1024: 15}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]float64
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	keys := strings.Fields("r8_flat_ns r16_flat_ns r8_highground_ns r8_los_ns r8_flat_512_ns r8_flat_1024_ns refcount_r8_ns obvious_r8_ns lookup_all_teams_ns allocs_per_tick")
	for _, k := range keys {
		if _, ok := got[k]; !ok {
			t.Errorf("no key %s", k)
		}
	}
	if len(got) != len(keys) {
		t.Errorf("keys %v, want %v", got, keys)
	}
}

// TestCaseFollowsItsPath: the units that are measured are where the path says,
// and seen.
func TestCaseFollowsItsPath(t *testing.T) {
	v, err := newVisionCase(64, 16, grid.OcclusionNone)
	if err != nil {
		t.Fatal(err)
	}
	v.tick()
	f := v.path[0]
	for i := range v.ids {
		if _, s := v.eyes.Get(v.ids[i]); s.Tile != f[i] || !v.eyes.Visible(grid.Team(i%visionTeams), f[i]) {
			t.Fatalf("unit %d is at %v, want %v, and seen by its own team", i, s.Tile, f[i])
		}
	}
}
