package inspect

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility"
)

// Changes is the difference of two ticks through the same eyes.
type Changes struct {
	From    uint32       `json:"from"`
	Tick    uint32       `json:"tick"`
	Eyes    int          `json:"eyes"`
	Entered []Entity     `json:"entered" doc:"entities that the eyes see now and did not see then"`
	Changed []Entity     `json:"changed" doc:"changed entities, complete"`
	Left    []uint32     `json:"left" doc:"ids of entities that the eyes no longer see"`
	Sight   []TileChange `json:"sight" doc:"tiles whose visibility changed for the eyes"`
}

// TileChange is the eyes' new knowledge of a tile: its index (row by row) and 0 unexplored, 1 explored, 2 visible.
type TileChange struct {
	Tile int `json:"tile"`
	Now  int `json:"now"`
}

// Seen is the sight of eyes at a tick, kept for a comparison with a later one.
type Seen struct {
	tick     grid.Tick
	eyes     int
	entities []Entity
	sight    []byte
}

// Seen returns the eyes' sight now.
func (l *Look) Seen(eyes int) *Seen {
	return &Seen{l.Tick(), eyes, l.entities(eyes), l.sight(eyes)}
}

// Tick returns the tick of the sight.
func (s *Seen) Tick() grid.Tick { return s.tick }

// Since returns the changes since an earlier look of the same eyes.
func (s *Seen) Since(was *Seen) Changes {
	out := Changes{From: uint32(was.tick), Tick: uint32(s.tick), Eyes: s.eyes, Entered: []Entity{}, Changed: []Entity{}, Left: []uint32{}, Sight: []TileChange{}}
	i, j := 0, 0
	for i < len(was.entities) || j < len(s.entities) {
		order := 0
		switch {
		case i == len(was.entities):
			order = 1
		case j == len(s.entities):
			order = -1
		default:
			order = cmp.Compare(was.entities[i].ID, s.entities[j].ID)
		}
		switch {
		case order < 0:
			out.Left = append(out.Left, was.entities[i].ID)
			i++
		case order > 0:
			out.Entered = append(out.Entered, s.entities[j])
			j++
		default:
			if !was.entities[i].equal(&s.entities[j]) {
				out.Changed = append(out.Changed, s.entities[j])
			}
			i, j = i+1, j+1
		}
	}
	for k, now := range s.sight {
		if now != was.sight[k] {
			out.Sight = append(out.Sight, TileChange{k, int(now)})
		}
	}
	return out
}

func (e *Entity) equal(o *Entity) bool {
	return e.ID == o.ID && e.Handle == o.Handle && e.Shape == o.Shape && e.Type == o.Type && e.Slot == o.Slot && e.Team == o.Team &&
		e.X == o.X && e.Y == o.Y && e.Facing == o.Facing && e.Size == o.Size && e.HP == o.HP && e.HPMax == o.HPMax && e.Doing == o.Doing &&
		slices.Equal(e.Seen, o.Seen)
}

// Difference is the knowledge of one team's eyes that another's lack.
type Difference struct {
	Tick  uint32 `json:"tick"`
	A     int    `json:"a" doc:"a team"`
	B     int    `json:"b" doc:"a team"`
	OnlyA Part   `json:"onlyA"`
	OnlyB Part   `json:"onlyB"`
	Both  Counts `json:"both"`
}

// Part is the knowledge that only one of the two has.
type Part struct {
	Entities []uint32 `json:"entities" doc:"ids of the entities that it sees; ghosts are in ghosts"`
	Ghosts   []uint32 `json:"ghosts" doc:"ids of the entities that it remembers, and the other neither sees nor remembers"`
	Tiles    string   `json:"tiles" doc:"base64, 1 bit a tile, row by row, the lowest bits first: the tiles that it sees"`
	Explored string   `json:"explored" doc:"the same for explored tiles"`
	Counts   Counts   `json:"counts"`
}

// Counts says how many there are.
type Counts struct {
	Entities int `json:"entities"`
	Ghosts   int `json:"ghosts"`
	Tiles    int `json:"tiles"`
	Explored int `json:"explored"`
}

// Difference returns the knowledge of the eyes of two teams at the tick, less each other's.
func (l *Look) Difference(a, b grid.Team) Difference {
	out := Difference{Tick: uint32(l.Tick()), A: int(a), B: int(b)}
	seen := func(t grid.Team) (in, remembered map[uint32]bool) {
		in, remembered = map[uint32]bool{}, map[uint32]bool{}
		for _, s := range l.w.Knowledge(t).Seen(nil) {
			in[uint32(s.ID)] = true
		}
		for _, g := range l.w.Knowledge(t).Ghosts() {
			remembered[uint32(g.Of())] = true
		}
		return in, remembered
	}
	inA, ghostsA := seen(a)
	inB, ghostsB := seen(b)
	without := func(of, other, more map[uint32]bool) (only []uint32, both int) {
		only = []uint32{}
		for id := range of {
			switch {
			case other[id]:
				both++
			case !more[id]:
				only = append(only, id)
			}
		}
		slices.Sort(only)
		return only, both
	}
	out.OnlyA.Entities, out.Both.Entities = without(inA, inB, nil)
	out.OnlyB.Entities, _ = without(inB, inA, nil)
	out.OnlyA.Ghosts, out.Both.Ghosts = without(ghostsA, ghostsB, inB)
	out.OnlyB.Ghosts, _ = without(ghostsB, ghostsA, inA)
	eyes, m := l.w.Eyes(), l.w.Map()
	layer := func(which visibility.Layer) (onlyA, onlyB string, nA, nB, both int) {
		maskA, maskB := eyes.Mask(which, a), eyes.Mask(which, b)
		isA, isB := make([]bool, m.W*m.H), make([]bool, m.W*m.H)
		for i := range isA {
			at := m.TileAt(i)
			hasA, hasB := maskA.Has(at), maskB.Has(at)
			switch isA[i], isB[i] = hasA && !hasB, hasB && !hasA; {
			case isA[i]:
				nA++
			case isB[i]:
				nB++
			case hasA:
				both++
			}
		}
		return packTiles(isA), packTiles(isB), nA, nB, both
	}
	ca, cb := &out.OnlyA.Counts, &out.OnlyB.Counts
	out.OnlyA.Tiles, out.OnlyB.Tiles, ca.Tiles, cb.Tiles, out.Both.Tiles = layer(visibility.VisibleNow)
	out.OnlyA.Explored, out.OnlyB.Explored, ca.Explored, cb.Explored, out.Both.Explored = layer(visibility.ExploredEver)
	ca.Entities, ca.Ghosts = len(out.OnlyA.Entities), len(out.OnlyA.Ghosts)
	cb.Entities, cb.Ghosts = len(out.OnlyB.Entities), len(out.OnlyB.Ghosts)
	return out
}
