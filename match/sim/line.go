package sim

import "github.com/fogkeep/fogkeep/match/grid"

// clearLine reports whether, as far as its team knows, e can walk straight
// from a to b: two lines, as far apart as its body is wide, cross open tiles
// only.
func (w *World) clearLine(e *Entity, a, b grid.Pos) bool {
	t := &w.rules.Types[e.typ]
	if t.Move == grid.Air {
		return true
	}
	if a == b {
		return true
	}
	side := b.Sub(a).Scale(t.Radius * 3 / 4)
	side.X, side.Y = -side.Y, side.X
	k, big := &w.teams[e.team], w.isBig(e)
	return w.lineOpen(k, w.m.Clamp(a.Add(side)), w.m.Clamp(b.Add(side)), t.Move, big) &&
		w.lineOpen(k, w.m.Clamp(a.Add(grid.Vec{X: -side.X, Y: -side.Y})), w.m.Clamp(b.Add(grid.Vec{X: -side.X, Y: -side.Y})), t.Move, big)
}

// lineOpen walks the tiles that the line from a to b crosses (the grid
// traversal of Amanatides and Woo, 1987, in integers). Through a corner both
// tiles beside it must be open too. The first tile is not asked for.
func (w *World) lineOpen(k *Knowledge, a, b grid.Pos, move grid.MoveKind, big bool) bool {
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
			if !w.openAt(k, grid.Tile{X: at.X + sx, Y: at.Y}, move, big) || !w.openAt(k, grid.Tile{X: at.X, Y: at.Y + sy}, move, big) {
				return false
			}
			at.X, at.Y = at.X+sx, at.Y+sy
			ex, ey = ex+grid.WUPerTile, ey+grid.WUPerTile
		}
		if !w.openAt(k, at, move, big) {
			return false
		}
	}
	return true
}

// openFor reports whether, as far as the team knows, a unit may stand on the
// tile; a big one needs the tiles around it as well.
func (w *World) openFor(k *Knowledge, i int, move grid.MoveKind, big bool) bool {
	if !k.ground.open(w, i, move) {
		return false
	}
	if !big {
		return true
	}
	at := w.m.TileAt(i)
	for _, d := range around {
		t := grid.Tile{X: at.X + d.X, Y: at.Y + d.Y}
		if !w.m.In(t) || !k.ground.open(w, w.m.Index(t), move) {
			return false
		}
	}
	return true
}

func (w *World) openAt(k *Knowledge, t grid.Tile, move grid.MoveKind, big bool) bool {
	return w.m.In(t) && w.openFor(k, w.m.Index(t), move, big)
}
