package obvious

import "github.com/fogkeep/fogkeep/match/grid"

// Field is the ground that sight has to do with.
type Field struct {
	W, H      int // tiles
	Occlusion grid.Occlusion
	Levels    []grid.Level // a tile each, row by row
	Opaque    []bool       // cliffs and walls, a tile each
}

// NewField returns the field of a map as the match starts: cliffs are opaque.
func NewField(m *grid.Map) *Field {
	f := &Field{W: m.W, H: m.H, Occlusion: m.Occlusion}
	f.Levels = append(f.Levels, m.Levels...)
	for _, t := range m.Terrain {
		f.Opaque = append(f.Opaque, t == grid.Cliff)
	}
	return f
}

// Source is an eye. Radius and Detect are in half tiles.
type Source struct {
	X, Y           int
	Radius, Detect int
	Flyer          bool
	LevelBonus     int
}

// Sees reports whether the source sees the tile x, y within the radius, in half
// tiles.
func (f *Field) Sees(s Source, radius, x, y int) bool {
	dx, dy := x-s.X, y-s.Y
	// 1. The circle: the distance of the centres, squared, in half tiles.
	if 2*dx*2*dx+2*dy*2*dy > radius*radius {
		return false
	}
	if s.Flyer || f.Occlusion == grid.OcclusionNone {
		return true
	}
	// 2. High ground.
	eye := f.level(s.X, s.Y) + s.LevelBonus
	if eye > grid.LevelsMax-1 {
		eye = grid.LevelsMax - 1
	}
	if f.level(x, y) > eye {
		return false
	}
	if f.Occlusion == grid.OcclusionHighGround {
		return true
	}
	// 3. Line of sight: ask every tile in the box between the two whether it
	// lies on the line and stands above the eye.
	for ty := min(s.Y, y); ty <= max(s.Y, y); ty++ {
		for tx := min(s.X, x); tx <= max(s.X, x); tx++ {
			if f.stands(tx, ty) > eye && onLine(dx, dy, tx-s.X, ty-s.Y) {
				return false
			}
		}
	}
	return true
}

func (f *Field) level(x, y int) int { return int(f.Levels[y*f.W+x]) }

// stands is how high a tile reaches: an opaque one a level above its ground.
func (f *Field) stands(x, y int) int {
	if f.Opaque[y*f.W+x] {
		return f.level(x, y) + 1
	}
	return f.level(x, y)
}

// onLine reports whether the tile at offset tx, ty is strictly between the
// origin and dx, dy. Along the longer axis the line, at the middle of the
// tile's column (or row), is at most half a tile from the tile's centre:
// |t - tx*dy/dx| <= 1/2, times 2*dx.
func onLine(dx, dy, tx, ty int) bool {
	if dx*dx < dy*dy { // steeper than 45 degrees: swap the axes
		dx, dy, tx, ty = dy, dx, ty, tx
	}
	if tx == 0 || tx == dx {
		return false // in the column of one end: not between
	}
	off := 2 * (ty*dx - tx*dy)
	if off < 0 {
		off = -off
	}
	if dx < 0 {
		dx = -dx
	}
	return off <= dx
}

// Scan returns the union of the sources' sight: every tile is asked about every
// source.
func (f *Field) Scan(sources []Source) []bool {
	seen := make([]bool, f.W*f.H)
	f.ScanInto(seen, sources)
	return seen
}

// ScanInto is [Field.Scan] into a slice of one bool a tile.
func (f *Field) ScanInto(seen []bool, sources []Source) {
	for i := range seen {
		seen[i] = false
		for _, s := range sources {
			if f.Sees(s, s.Radius, i%f.W, i/f.W) {
				seen[i] = true
				break
			}
		}
	}
}

// ScanDetected returns the tiles on which the sources see cloaked units: the tiles that one source sees, and that a
// detector sees within its detection radius.
func (f *Field) ScanDetected(sources []Source) []bool {
	seen := f.Scan(sources)
	for i := range seen {
		detected := false
		for _, s := range sources {
			detected = detected || s.Detect > 0 && f.Sees(s, s.Detect, i%f.W, i/f.W)
		}
		seen[i] = seen[i] && detected
	}
	return seen
}
