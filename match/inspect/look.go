package inspect

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/visibility"
)

// AllEyes looks through no team's eyes: it sees everything.
const AllEyes = -1

// Look is a look at a world at one tick.
type Look struct {
	w   *sim.World
	eye map[visibility.SourceID]*sim.Entity // which entity sees by a source; nil: not asked yet
}

// At returns a look at a world. It is good until the world steps.
func At(w *sim.World) *Look { return &Look{w: w} }

// Tick returns the world's tick.
func (l *Look) Tick() grid.Tick { return l.w.Tick() }

// seer returns the entity that sees by a source; nil: a scan, a reveal, or a dead entity.
func (l *Look) seer(id visibility.SourceID) *sim.Entity {
	if l.eye == nil {
		l.eye = map[visibility.SourceID]*sim.Entity{}
		for _, e := range l.w.Entities() {
			if s := e.Source(); s != 0 {
				l.eye[s] = e
			}
		}
	}
	return l.eye[id]
}

// Point is a tile.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

func pointOf(t grid.Tile) Point { return Point{int(t.X), int(t.Y)} }

func points(tiles []grid.Tile) []Point {
	out := make([]Point, 0, len(tiles))
	for _, t := range tiles {
		out = append(out, pointOf(t))
	}
	return out
}

// Tiles is a coordinate in tiles, to the hundredth.
func Tiles(wu int32) float64 { return float64(int64(wu)*100/grid.WUPerTile) / 100 }

// halves is a radius in tiles.
func halves(r visibility.Radius) float64 { return float64(r) / 2 }

// distance is how far the middles of two tiles are apart, in tiles, to the hundredth.
func distance(a, b grid.Tile) float64 { return float64(grid.Sqrt(uint64(a.Dist2(b))*10_000)) / 100 }

// slotNumber is a slot as JSON has it.
func slotNumber(s grid.Slot) int {
	if s == grid.NoSlot {
		return -1
	}
	return int(s)
}

func teamNumber(t grid.Team) int {
	if t == grid.NoTeam {
		return -1
	}
	return int(t)
}

func teamList(set grid.TeamSet) []int {
	out := []int{}
	for t := range grid.Team(grid.TeamsMax) {
		if set.Has(t) {
			out = append(out, int(t))
		}
	}
	return out
}

func shapeOf(c rules.Class, ghost bool) string {
	switch {
	case ghost:
		return "ghost"
	case c == rules.ClassStructure:
		return "structure"
	case c == rules.ClassResource:
		return "resource"
	case c == rules.ClassProjectile:
		return "projectile"
	}
	return "unit"
}
