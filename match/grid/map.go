package grid

import (
	"fmt"
	"unicode/utf8"
)

// Level is the height level of a tile, 0 the lowest.
type Level = uint8

// LevelsMax bounds the number of height levels of a map.
const LevelsMax = 16

// Terrain is the material of a tile. It is for drawing and for importers; rules ask
// [Map.Passable] and the level.
type Terrain uint8

// The kinds of ground.
const (
	Grass Terrain = iota
	Dirt
	Sand
	Rock
	Road
	Rubble
	Ice
	Water
	Cliff
	terrainEnd
)

var terrainNames = [...]string{"grass", "dirt", "sand", "rock", "road", "rubble", "ice", "water", "cliff"}

func (t Terrain) String() string {
	if t < terrainEnd {
		return terrainNames[t]
	}
	return fmt.Sprintf("terrain(%d)", uint8(t))
}

// ParseTerrain returns the kind of ground with that name.
func ParseTerrain(name string) (Terrain, bool) {
	for i, n := range terrainNames {
		if n == name {
			return Terrain(i), true
		}
	}
	return 0, false
}

// MoveKind is a way of moving; which tiles a unit may stand on depends on it.
type MoveKind uint8

// The ways of moving.
const (
	Ground MoveKind = iota // land only: no water, no cliffs
	Hover                  // land and water, no cliffs
	Naval                  // water only
	Air                    // everything
	MoveKinds
)

var moveKindNames = [...]string{"ground", "hover", "naval", "air"}

func (k MoveKind) String() string {
	if k < MoveKinds {
		return moveKindNames[k]
	}
	return fmt.Sprintf("movement(%d)", uint8(k))
}

// PassMask says which ways of moving a tile lets through, one bit each.
type PassMask uint8

// PassAll lets everything through.
const PassAll PassMask = 1<<MoveKinds - 1

// Has reports whether the tile lets k through.
func (p PassMask) Has(k MoveKind) bool { return p>>k&1 != 0 }

// PassOf returns the ways of moving that ground of kind t lets through by itself.
func PassOf(t Terrain) PassMask {
	switch t {
	case Cliff:
		return 1 << Air
	case Water:
		return 1<<Air | 1<<Hover | 1<<Naval
	default:
		return 1<<Air | 1<<Hover | 1<<Ground
	}
}

// Occlusion says how terrain hides tiles.
type Occlusion uint8

// The ways in which terrain hides tiles.
const (
	OcclusionNone        Occlusion = iota // the sight circle alone
	OcclusionHighGround                   // and no tile above the source's own level
	OcclusionLineOfSight                  // and cliffs and higher ground throw shadows
	occlusionEnd
)

var occlusionNames = [...]string{"none", "high-ground", "line-of-sight"}

func (o Occlusion) String() string {
	if o < occlusionEnd {
		return occlusionNames[o]
	}
	return fmt.Sprintf("occlusion(%d)", uint8(o))
}

// ParseOcclusion returns the occlusion with that name.
func ParseOcclusion(name string) (Occlusion, bool) {
	for i, n := range occlusionNames {
		if n == name {
			return Occlusion(i), true
		}
	}
	return 0, false
}

// Map is the battlefield as a match starts. Its slices have one entry per tile, row by row.
// It is read-only once [Map.Check] has passed it; the world keeps the changes of a match.
type Map struct {
	Name      string
	W, H      int // tiles
	Occlusion Occlusion
	Levels    []Level
	Terrain   []Terrain
	Pass      []PassMask
	Starts    []Tile // one a seat, in seat order
	Resources []Tile // where a resource lies
	Features  []Feature
}

// Feature is something that stands on the map and may change in a match: a bridge, a gate, a tree, a pickup. The ruleset has
// its type; without such a type the match begins without it.
type Feature struct {
	Type string
	At   Tile  // north-western
	Link uint8 // a switch moves the gates and bridges with its link; 0: no link
}

// NewMap returns a flat map of grass, without starts.
func NewMap(name string, w, h int) *Map {
	m := &Map{
		Name: name, W: w, H: h, Occlusion: OcclusionHighGround,
		Levels:  make([]Level, w*h),
		Terrain: make([]Terrain, w*h),
		Pass:    make([]PassMask, w*h),
	}
	for i := range m.Pass {
		m.Pass[i] = PassOf(Grass)
	}
	return m
}

// In reports whether the tile is on the map.
func (m *Map) In(t Tile) bool {
	return t.X >= 0 && t.Y >= 0 && int(t.X) < m.W && int(t.Y) < m.H
}

// InPos reports whether the position is on the map.
func (m *Map) InPos(p Pos) bool {
	return p.X >= 0 && p.Y >= 0 && p.X < int32(m.W)<<TileShift && p.Y < int32(m.H)<<TileShift
}

// Clamp returns the position on the map that is nearest to p.
func (m *Map) Clamp(p Pos) Pos {
	return Pos{
		max(0, min(p.X, int32(m.W)<<TileShift-1)),
		max(0, min(p.Y, int32(m.H)<<TileShift-1)),
	}
}

// Index returns the tile's place in the map's slices. The tile must be on the
// map.
func (m *Map) Index(t Tile) int { return int(t.Y)*m.W + int(t.X) }

// TileAt is the inverse of [Map.Index].
func (m *Map) TileAt(i int) Tile { return Tile{int16(i % m.W), int16(i / m.W)} }

// Level returns the height level of a tile of the map.
func (m *Map) Level(t Tile) Level { return m.Levels[m.Index(t)] }

// Passable reports whether the tile is on the map and lets k through.
func (m *Map) Passable(t Tile, k MoveKind) bool {
	return m.In(t) && m.Pass[m.Index(t)].Has(k)
}

// LevelCount returns the number of levels the map uses: the highest and one.
func (m *Map) LevelCount() int {
	hi := Level(0)
	for _, l := range m.Levels {
		hi = max(hi, l)
	}
	return int(hi) + 1
}

// Check returns the fault of the map, naming the field and the tile, or nil: a map that
// passes can be shown and encoded. A match needs start points besides.
func (m *Map) Check() error {
	if err := m.CheckGround(); err != nil {
		return err
	}
	switch {
	case len(m.Starts) > SlotsMax:
		return fmt.Errorf("%d start points: at most %d", len(m.Starts), SlotsMax)
	case len(m.Resources) > ResourcesMax:
		return fmt.Errorf("%d resource places: at most %d", len(m.Resources), ResourcesMax)
	case len(m.Features) > FeaturesMax:
		return fmt.Errorf("%d features: at most %d", len(m.Features), FeaturesMax)
	}
	for i, f := range m.Features {
		if !m.In(f.At) || f.Type == "" || len(f.Type) > NameBytesMax || !utf8.ValidString(f.Type) {
			return fmt.Errorf("feature %d, %q at %v: off the map, or its type is no text of 1 to %d bytes", i, f.Type, f.At, NameBytesMax)
		}
	}
	for i, t := range m.Starts {
		if !m.Passable(t, Ground) {
			return fmt.Errorf("start %d at %v: off the map or not passable by ground", i, t)
		}
	}
	for i, t := range m.Resources {
		if !m.In(t) {
			return fmt.Errorf("resource %d at %v: off the map", i, t)
		}
	}
	return nil
}

// CheckGround is Check without the players' needs, starts and resources: a map that passes
// can be looked at.
func (m *Map) CheckGround() error {
	n := m.W * m.H
	switch {
	case m.W < MapSideMin || m.W > MapSideMax || m.H < MapSideMin || m.H > MapSideMax:
		return fmt.Errorf("size %dx%d: a side has %d to %d tiles", m.W, m.H, MapSideMin, MapSideMax)
	case len(m.Name) > NameBytesMax:
		return fmt.Errorf("name of %d bytes: at most %d", len(m.Name), NameBytesMax)
	case m.Occlusion >= occlusionEnd:
		return fmt.Errorf("occlusion %d is unknown", m.Occlusion)
	case len(m.Levels) != n || len(m.Terrain) != n || len(m.Pass) != n:
		return fmt.Errorf("levels, terrain, passability have %d, %d, %d tiles, the map has %d",
			len(m.Levels), len(m.Terrain), len(m.Pass), n)
	}
	for i := range n {
		switch {
		case m.Levels[i] >= LevelsMax:
			return fmt.Errorf("%v: level %d: at most %d", m.TileAt(i), m.Levels[i], LevelsMax-1)
		case m.Terrain[i] >= terrainEnd:
			return fmt.Errorf("%v: terrain %d is unknown", m.TileAt(i), m.Terrain[i])
		case m.Pass[i]&^PassAll != 0:
			return fmt.Errorf("%v: passability %#x has unknown bits", m.TileAt(i), m.Pass[i])
		}
	}
	return nil
}
