package visibility

import "github.com/fogkeep/fogkeep/match/grid"

// Reason says by which rule a source sees a tile, or does not.
type Reason uint8

// The reasons, in the order of the rules of the package comment.
const (
	Sees       Reason = iota // no rule is against it
	OutOfRange               // rule 1: the tile is outside the sight circle
	TooHigh                  // rule 2: the tile is higher than the eye
	Blocked                  // rule 3: something stands in the way
)

var reasonNames = [...]string{"sight", "range", "level", "blocked"}

func (r Reason) String() string { return reasonNames[r] }

// Sight is why a source sees a tile, or does not.
type Sight struct {
	Reason  Reason
	Over    bool       // it sees over all terrain: rules 2 and 3 do not count
	Eye     grid.Level // the highest level that it sees, if not Over
	Blocker grid.Tile  // with Blocked: the tile in the way that is nearest to the source
}

// Why says whether a source sees a tile within its sight radius, or with detect within
// its detection radius, and by which rule. It looks at the tables from which [Engine.Step]
// draws the masks. It may make such a table, so only the goroutine that owns the engine
// may call it. It changes no mask.
func (e *Engine) Why(id SourceID, at grid.Tile, detect bool) Sight {
	s := e.find(id)
	e.tileIndex(at) // a tile off the map is a mistake
	r := s.radius
	if detect {
		r = s.detect
	}
	out := Sight{Over: s.eye == eyeAll}
	if !out.Over {
		out.Eye = s.eye
	}
	shape := &e.shapes[r]
	words, bx, by := shape.at(int(s.tile.X), int(s.tile.Y))
	x, y := int(at.X)>>3-bx+padBefore, int(at.Y)>>3-by+padBefore
	if uint(x) >= uint(shape.side) || uint(y) >= uint(shape.side) || words[y*shape.side+x]>>bit(at)&1 == 0 || detect && r == 0 {
		out.Reason = OutOfRange
		return out
	}
	switch {
	case out.Over:
	case e.terrain.below[s.eye][e.block(at)]>>bit(at)&1 == 0:
		out.Reason = TooHigh
	case e.occl == grid.OcclusionLineOfSight && e.viewshed(s, r, e.teams[id.team()].memory)[y*shape.side+x]>>bit(at)&1 == 0:
		out.Reason, out.Blocker = Blocked, e.blocker(s, at, e.teams[id.team()].memory)
	}
	return out
}

// blocker returns the first tile on the line from a source to a tile that stands
// above the source's eye.
func (e *Engine) blocker(s *eyeSource, to grid.Tile, memory []grid.Tile) grid.Tile {
	first, found := grid.Tile{}, false
	between(int(to.X-s.tile.X), int(to.Y-s.tile.Y), func(dx, dy int) {
		at := grid.Tile{X: s.tile.X + int16(dx), Y: s.tile.Y + int16(dy)}
		if !found && e.stops(s, at, memory) {
			first, found = at, true
		}
	})
	return first
}

// Line returns the tiles that rule 3 asks about between two tiles, from the first to
// the last, both included. Where the line passes exactly between two tiles, both are
// in it.
func Line(from, to grid.Tile) []grid.Tile {
	out := []grid.Tile{from}
	between(int(to.X-from.X), int(to.Y-from.Y), func(dx, dy int) {
		out = append(out, grid.Tile{X: from.X + int16(dx), Y: from.Y + int16(dy)})
	})
	if to != from {
		out = append(out, to)
	}
	return out
}

// Stands returns how high a tile reaches: its level, and one more where it is opaque.
func (e *Engine) Stands(at grid.Tile) grid.Level { return e.terrain.stands[e.tileIndex(at)] }
