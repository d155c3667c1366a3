package nav

import "github.com/fogkeep/fogkeep/match/grid"

// Body holds the properties of a unit that decide where it may walk.
type Body struct {
	Move   grid.MoveKind
	Radius grid.Dist
}

// big reports whether the body needs more room than one tile gives.
func (b Body) big() bool { return b.Radius > grid.WUPerTile/2 }

// ClearLine reports whether, as far as the team knows, a unit can walk straight
// from one place to another: two lines, as far apart as its body is wide, cross
// open tiles only.
func (g *Ground) ClearLine(body Body, from, to grid.Pos) bool {
	if body.Move == grid.Air || from == to {
		return true
	}
	side := to.Sub(from).Scale(body.Radius * 3 / 4)
	side.X, side.Y = -side.Y, side.X
	other := grid.Vec{X: -side.X, Y: -side.Y}
	return g.lineOpen(body, g.m.Clamp(from.Add(side)), g.m.Clamp(to.Add(side))) &&
		g.lineOpen(body, g.m.Clamp(from.Add(other)), g.m.Clamp(to.Add(other)))
}

// lineOpen walks the tiles that the line from a to b crosses (the grid
// traversal of Amanatides and Woo, 1987, in integers). Through a corner both
// tiles beside it must be open too. The first tile is not asked for.
func (g *Ground) lineOpen(body Body, a, b grid.Pos) bool {
	at, end := a.Tile(), b.Tile()
	dx, dy := int64(b.X)-int64(a.X), int64(b.Y)-int64(a.Y)
	sx, sy := int16(1), int16(1)
	ex, ey := int64(at.X+1)<<grid.TileShift-int64(a.X), int64(at.Y+1)<<grid.TileShift-int64(a.Y)
	if dx < 0 {
		sx, dx, ex = -1, -dx, int64(a.X)-int64(at.X)<<grid.TileShift
	}
	if dy < 0 {
		sy, dy, ey = -1, -dy, int64(a.Y)-int64(at.Y)<<grid.TileShift
	}
	for at != end {
		// The next border is crossed at ex/dx or ey/dy of the way.
		cx, cy := ex*dy, ey*dx
		switch {
		case at.X != end.X && (cx < cy || at.Y == end.Y):
			at.X += sx
			ex += grid.WUPerTile
		case at.Y != end.Y && (cx > cy || at.X == end.X):
			at.Y += sy
			ey += grid.WUPerTile
		default:
			if !g.OpenAt(grid.Tile{X: at.X + sx, Y: at.Y}, body) || !g.OpenAt(grid.Tile{X: at.X, Y: at.Y + sy}, body) {
				return false
			}
			at.X, at.Y = at.X+sx, at.Y+sy
			ex, ey = ex+grid.WUPerTile, ey+grid.WUPerTile
		}
		if !g.OpenAt(at, body) {
			return false
		}
	}
	return true
}

// OpenAt reports whether the tile is on the map and, as far as the team knows, a
// unit may stand there; a big one needs the tiles around it as well.
func (g *Ground) OpenAt(at grid.Tile, body Body) bool {
	if !g.m.In(at) || !g.open(g.m.Index(at), body.Move) {
		return false
	}
	if !body.big() {
		return true
	}
	for _, d := range around {
		t := grid.Tile{X: at.X + d.X, Y: at.Y + d.Y}
		if !g.m.In(t) || !g.open(g.m.Index(t), body.Move) {
			return false
		}
	}
	return true
}
