package page

import (
	"encoding/base64"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/minimap"
)

// shapeNames are the shapes in words.
var shapeNames = map[minimap.Shape]string{
	minimap.Unit: "unit", minimap.Structure: "structure", minimap.Resource: "resource",
	minimap.Projectile: "projectile", minimap.Ghost: "ghost", minimap.Start: "start",
}

// stateJSON is a State on the wire.
type stateJSON struct {
	ID       string         `json:"id"`
	Tick     grid.Tick      `json:"tick"`
	Eyes     Eyes           `json:"eyes"`
	Width    int            `json:"width"`
	Height   int            `json:"height"`
	Entities []entityJSON   `json:"entities"`
	Counts   map[string]int `json:"counts"`
	Sight    string         `json:"sight,omitempty"`
}

type entityJSON struct {
	Key    uint32  `json:"key"`
	Type   string  `json:"type"`
	Shape  string  `json:"shape"`
	Slot   int     `json:"slot"`
	Team   int     `json:"team"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Facing uint8   `json:"facing"`
	HP     int32   `json:"hp"`
	HPMax  int32   `json:"hpMax"`
	Size   uint8   `json:"size,omitempty"`
	Doing  string  `json:"doing,omitempty"`
	Seen   []int   `json:"seen,omitempty"`
}

func stateOf(id string, q query, s *State) stateJSON {
	out := stateJSON{
		ID: id, Tick: s.Tick, Eyes: q.eyes, Width: s.Map.W, Height: s.Map.H,
		Entities: make([]entityJSON, 0, len(s.Entities)), Counts: map[string]int{},
	}
	for _, e := range s.Entities {
		j := entityJSON{
			Key: e.Key, Type: e.Type, Shape: shapeNames[e.Shape], Slot: -1, Team: -1,
			X: tiles(e.Pos.X), Y: tiles(e.Pos.Y), Facing: uint8(e.Facing),
			HP: e.HP, HPMax: e.HPMax, Size: e.Size, Doing: e.Doing,
		}
		if e.Slot != grid.NoSlot {
			j.Slot = int(e.Slot)
		}
		if e.Team != grid.NoTeam {
			j.Team = int(e.Team)
		}
		for t := range grid.Team(grid.TeamsMax) {
			if e.Seen.Has(t) {
				j.Seen = append(j.Seen, int(t))
			}
		}
		out.Entities = append(out.Entities, j)
		out.Counts[j.Shape]++
	}
	if q.sight && s.Sight != nil {
		out.Sight = packSight(s.Sight)
	}
	return out
}

// tiles is a coordinate in tiles, to the hundredth, which is what a reader
// wants to read.
func tiles(wu int32) float64 { return float64(int64(wu)*100/grid.WUPerTile) / 100 }

// packSight puts four tiles into a byte, the first into the lowest bits.
func packSight(sight []minimap.Sight) string {
	b := make([]byte, (len(sight)+3)/4)
	for i, s := range sight {
		b[i/4] |= byte(s) << (2 * (i % 4))
	}
	return base64.StdEncoding.EncodeToString(b)
}
