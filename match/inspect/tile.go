package inspect

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility"
)

// Bounds of the eyes of a [Tile].
const (
	litMax     = 64 // that light it
	nearestMax = 8  // that do not
)

// Tile is a team's knowledge of a tile, and its sources.
type Tile struct {
	Tick uint32 `json:"tick"`
	Point
	Team     int      `json:"team"`
	Level    int      `json:"level"`
	Terrain  string   `json:"terrain"`
	Opaque   bool     `json:"opaque" doc:"it stands one level above its own"`
	Visible  bool     `json:"visible"`
	Explored bool     `json:"explored"`
	Detected bool     `json:"detected" doc:"the team detects cloaked units there"`
	Known    Ground   `json:"known" doc:"the ground as the team last saw it"`
	Sources  []Lit    `json:"sources" doc:"the eyes that see it, the nearest first, 64 at most"`
	Not      []NotLit `json:"not" doc:"eyes that do not, the nearest first, 8 at most"`
	Entities []uint32 `json:"entities" doc:"entities there, seen or not"`
	Seen     *When    `json:"seen,omitempty" doc:"when the team last saw it"`
	First    *When    `json:"first,omitempty" doc:"when the team first saw it"`
}

// Ground is the ground of a tile.
type Ground struct {
	Level  int  `json:"level"`
	Opaque bool `json:"opaque"`
}

// Lit is an eye that sees a tile.
type Lit struct {
	Eye     Eye     `json:"eye"`
	Line    []Point `json:"line"`
	Detects bool    `json:"detects" doc:"it detects cloaked units there"`
}

// NotLit is an eye that does not.
type NotLit struct {
	Eye      Eye      `json:"eye"`
	Reason   string   `json:"reason" enum:"range,level,blocked"`
	Line     []Point  `json:"line"`
	Blocked  *Blocker `json:"blocked,omitempty"`
	Distance float64  `json:"distance" doc:"tiles"`
	Need     float64  `json:"need" doc:"at which distance it would be in its circle, tiles"`
}

// When is when something was seen.
type When struct {
	State string  `json:"state" enum:"now,at,never,searching" doc:"searching: the match is still being read; ask again"`
	Tick  *uint32 `json:"tick,omitempty" doc:"with at"`
}

// Sees reports whether a team sees a tile.
func (l *Look) Sees(team grid.Team, at grid.Tile) bool { return l.w.Eyes().Visible(team, at) }

// Tile describes a team's knowledge of a tile. Its Seen and First are nil if a look at this tick alone cannot tell.
func (l *Look) Tile(team grid.Team, at grid.Tile) Tile {
	eng, m := l.w.Eyes(), l.w.Map()
	ground, known := eng.Ground(at), eng.Known(team, at)
	out := Tile{
		Tick: uint32(l.Tick()), Point: pointOf(at), Team: int(team), Level: int(ground.Level), Terrain: m.Terrain[m.Index(at)].String(), Opaque: ground.Opaque,
		Visible: eng.Visible(team, at), Explored: eng.Explored(team, at), Detected: eng.Detected(team, at),
		Known: Ground{int(known.Level), known.Opaque}, Sources: []Lit{}, Not: []NotLit{}, Entities: []uint32{},
	}
	s := l.sightings(team, []grid.Tile{at}, false)
	for i := range s {
		x := &s[i]
		line := points(visibility.Line(x.src.Tile, at))
		if x.sight.Reason == visibility.Sees {
			if len(out.Sources) == litMax {
				continue
			}
			detects := x.src.Detect > 0 && eng.Why(x.id, at, true).Reason == visibility.Sees
			out.Sources = append(out.Sources, Lit{l.eyeOf(x), line, detects})
			continue
		}
		if len(out.Not) == nearestMax {
			break
		}
		row := NotLit{Eye: l.eyeOf(x), Reason: x.sight.Reason.String(), Line: line, Distance: distance(x.src.Tile, at), Need: halves(x.need)}
		if x.sight.Reason == visibility.Blocked {
			row.Blocked = l.blockerAt(x.sight.Blocker)
		}
		out.Not = append(out.Not, row)
	}
	for _, e := range l.w.Entities() {
		stands := e.Tile() == at
		if l.w.Rules().Types[e.Type()].FootW > 0 {
			w, h := l.w.FootSize(e.Type())
			f := e.Foot()
			stands = at.X >= f.X && at.Y >= f.Y && int(at.X-f.X) < w && int(at.Y-f.Y) < h
		}
		if stands {
			out.Entities = append(out.Entities, uint32(e.ID()))
		}
	}
	switch {
	case out.Visible:
		out.Seen = &When{State: "now"}
	case !out.Explored:
		out.Seen, out.First = &When{State: "never"}, &When{State: "never"}
	}
	return out
}
