package inspect

import (
	"encoding/base64"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/visibility"
)

// State is a match at one tick, through some eyes.
type State struct {
	Tick     uint32         `json:"tick"`
	Eyes     int            `json:"eyes" doc:"-1: all; else the team through whose eyes this is"`
	Width    int            `json:"width" doc:"tiles"`
	Height   int            `json:"height" doc:"tiles"`
	Entities []Entity       `json:"entities" doc:"by id"`
	Counts   map[string]int `json:"counts" doc:"entities by shape"`
	Sight    string         `json:"sight,omitempty" doc:"base64, 2 bits a tile, row by row, the lowest bits first: 0 unexplored, 1 explored, 2 visible; with all eyes the union of all teams; only on request"`
}

// Entity is one thing of a [State].
type Entity struct {
	ID     uint32  `json:"id" doc:"one number for the whole match, the same for all eyes"`
	Handle uint32  `json:"handle,omitempty" doc:"the team's own name for it; with a team's eyes"`
	Shape  string  `json:"shape" enum:"unit,structure,resource,projectile,ghost"`
	Type   string  `json:"type"`
	Slot   int     `json:"slot" doc:"-1: neutral"`
	Team   int     `json:"team" doc:"-1: neutral"`
	X      float64 `json:"x" doc:"tiles"`
	Y      float64 `json:"y" doc:"tiles"`
	Facing int     `json:"facing" doc:"0 to 255; 0 east, 64 south"`
	Size   int     `json:"size,omitempty" doc:"width of a structure, tiles"`
	HP     int32   `json:"hp" doc:"with a team's eyes: as that team was told"`
	HPMax  int32   `json:"hpMax"`
	Doing  string  `json:"doing,omitempty" doc:"the order in work"`
	Seen   []int   `json:"seen" doc:"the teams that see it, its own included; for a ghost: the teams that see the remembered entity, empty if that is gone"`
}

// State returns the match at the look's tick: with [AllEyes] everything, else the team's state, as the team's clients
// get it. With sight it has the masks.
func (l *Look) State(eyes int, sight bool) State {
	w := l.w
	out := State{Tick: uint32(w.Tick()), Eyes: eyes, Width: w.Map().W, Height: w.Map().H, Entities: l.entities(eyes), Counts: map[string]int{}}
	for i := range out.Entities {
		out.Counts[out.Entities[i].Shape]++
	}
	if sight {
		out.Sight = packSight(l.sight(eyes))
	}
	return out
}

// entities returns the entities in the eyes' sight, by id.
func (l *Look) entities(eyes int) []Entity {
	w := l.w
	if eyes == AllEyes {
		p := view.WholePicture(w)
		out := make([]Entity, 0, len(p.Things))
		for i := range p.Things {
			out = append(out, l.entityOf(&p.Things[i], w.Entity(grid.EntityID(p.Things[i].Key)), p.Things[i].Key))
		}
		return out
	}
	k := w.Knowledge(grid.Team(eyes))
	p := view.TeamPicture(w, grid.Team(eyes))
	out := make([]Entity, 0, len(p.Things))
	for i := range p.Things {
		t := &p.Things[i]
		id := grid.EntityID(0)
		if s, ok := k.Sighted(grid.Handle(t.Key)); ok {
			id = s.ID
		} else if g, ok := k.Ghost(grid.Handle(t.Key)); ok {
			id = g.Of()
		}
		e := l.entityOf(t, w.Entity(id), uint32(id))
		e.Handle = t.Key
		out = append(out, e)
	}
	Sort(out)
	return out
}

func (l *Look) entityOf(t *view.Thing, e *sim.Entity, id uint32) Entity {
	out := Entity{
		ID: id, Shape: shapeOf(t.Class, t.Ghost), Type: t.Type, Slot: slotNumber(t.Slot), Team: teamNumber(t.Team),
		X: Tiles(t.Pos.X), Y: Tiles(t.Pos.Y), Facing: int(t.Facing), Size: int(t.Size), HP: t.Health, HPMax: t.Full, Seen: []int{},
	}
	if e == nil {
		return out
	}
	out.Seen = teamList(e.SeenBy())
	if task, busy := e.Running(); busy {
		out.Doing = task.Kind.String()
	}
	return out
}

// The values of a mask.
const (
	unexplored = iota
	explored
	visible
)

// sight returns the eyes' knowledge of each tile, row by row.
func (l *Look) sight(eyes int) []byte {
	teams := ^grid.TeamSet(0)
	if eyes != AllEyes {
		teams = grid.TeamSet(0).With(grid.Team(eyes))
	}
	now, ever := l.w.Eyes().Union(visibility.VisibleNow, teams), l.w.Eyes().Union(visibility.ExploredEver, teams)
	m := l.w.Map()
	out := make([]byte, m.W*m.H)
	for i := range out {
		switch at := m.TileAt(i); {
		case now.Has(at):
			out[i] = visible
		case ever.Has(at):
			out[i] = explored
		}
	}
	return out
}

// packSight puts four tiles into a byte, the first into the lowest bits.
func packSight(sight []byte) string {
	b := make([]byte, (len(sight)+3)/4)
	for i, s := range sight {
		b[i/4] |= s << (2 * (i % 4))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// packTiles puts eight tiles into a byte, the first into the lowest bit.
func packTiles(on []bool) string {
	b := make([]byte, (len(on)+7)/8)
	for i, yes := range on {
		if yes {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return base64.StdEncoding.EncodeToString(b)
}
