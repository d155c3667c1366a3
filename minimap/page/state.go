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

// liveState is a State on the wire.
type liveState struct {
	ID       string         `json:"id"`
	Tick     grid.Tick      `json:"tick"`
	Eyes     Eyes           `json:"eyes" doc:"all, or a team's number"`
	Width    int            `json:"width" doc:"tiles"`
	Height   int            `json:"height" doc:"tiles"`
	Entities []liveEntity   `json:"entities"`
	Counts   map[string]int `json:"counts" doc:"entities by shape"`
	Sight    string         `json:"sight,omitempty" doc:"base64, 2 bits a tile, row by row, the lowest bits first: 0 unexplored, 1 explored, 2 visible; only with a team's eyes and sight=1"`
}

type liveEntity struct {
	Key    uint32  `json:"key" doc:"the entity's id with all eyes, the team's handle with a team's"`
	Type   string  `json:"type"`
	Shape  string  `json:"shape" enum:"unit,structure,resource,projectile,ghost,start"`
	Slot   int     `json:"slot" doc:"-1: nobody"`
	Team   int     `json:"team" doc:"-1: nobody"`
	X      float64 `json:"x" doc:"tiles"`
	Y      float64 `json:"y" doc:"tiles"`
	Facing uint8   `json:"facing" doc:"0 to 255; 0 east, 64 south"`
	HP     int32   `json:"hp"`
	HPMax  int32   `json:"hpMax"`
	Size   uint8   `json:"size,omitempty" doc:"width of a structure, tiles"`
	Doing  string  `json:"doing,omitempty" doc:"its order or action"`
	Seen   []int   `json:"seen,omitempty" doc:"the teams that see it; with all eyes only"`
}

func stateOf(id string, q query, s *State) liveState {
	out := liveState{
		ID: id, Tick: s.Tick, Eyes: q.eyes, Width: s.Map.W, Height: s.Map.H,
		Entities: make([]liveEntity, 0, len(s.Entities)), Counts: map[string]int{},
	}
	for _, e := range s.Entities {
		j := liveEntity{
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
