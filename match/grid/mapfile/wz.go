package mapfile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// The Warzone 2100 format.
const (
	wzMapVersion    = 10
	wzTypesVersion  = 8
	wzUnitsPerTile  = 128
	wzTextureMask   = 0x1FF // the low 9 bits of a tile's word
	wzTexturesMax   = wzTextureMask + 1
	wzObjectsMax    = 1 << 16 // of one file
	wzPlayersMax    = grid.SlotsMax
	wzMapHeader     = 16
	wzBytesPerTile  = 3
	wzMapBytesMax   = wzMapHeader + wzBytesPerTile*grid.MapSideMax*grid.MapSideMax + 1<<20
	wzJSONBytesMax  = 16 << 20
	wzTypesBytesMax = 12 + 2*wzTexturesMax
)

// wzTerrain is what each terrain type of ttypes.ttp is here.
var wzTerrain = [...]grid.Terrain{
	grid.Sand, grid.Grass, grid.Dirt, grid.Grass, grid.Dirt, grid.Rock, // sand, sandy brush, baked earth, green mud, red brush, pink rock
	grid.Road, grid.Water, grid.Cliff, grid.Rubble, grid.Ice, grid.Ice, // road, water, cliff face, rubble, sheet ice, slush
}

// openWZ reads the map whose files lie in dir of fsys. name is the folder as
// the user wrote it, for errors.
func openWZ(fsys fs.FS, dir, name string) (*grid.Map, error) {
	file := func(f string) string { return name + "/" + f }
	gameMap, err := readFile(fsys, path.Join(dir, "game.map"), wzMapBytesMax)
	if errors.Is(err, fs.ErrNotExist) {
		why := "game.map is missing: not a Warzone 2100 map folder"
		if _, scriptErr := fs.Stat(fsys, path.Join(dir, "game.js")); scriptErr == nil {
			why = "game.map is missing; the script game.js makes the map when the game starts: fogkeep cannot import such maps"
		}
		return nil, &Error{File: name, Offset: -1, Err: errors.New(why)}
	}
	if err != nil {
		return nil, inFile(file("game.map"), nil, err)
	}
	types, err := readFile(fsys, path.Join(dir, "ttypes.ttp"), wzTypesBytesMax)
	if err != nil {
		return nil, inFile(file("ttypes.ttp"), nil, missing(err))
	}
	terrain, err := wzTypes(types)
	if err != nil {
		return nil, inFile(file("ttypes.ttp"), nil, err)
	}
	m, err := wzTiles(gameMap, terrain)
	if err != nil {
		return nil, inFile(file("game.map"), nil, err)
	}
	m.Name = cleanName(path.Base(name))

	objects := func(f string, each func(wzObject) error) error {
		b, err := readFile(fsys, path.Join(dir, f), wzJSONBytesMax)
		if err != nil {
			return inFile(file(f), nil, missing(err))
		}
		return inFile(file(f), b, wzObjects(b, each))
	}
	starts := map[int64]wzStart{}
	for rank, f := range []string{"struct.json", "droid.json"} {
		err := objects(f, func(o wzObject) error {
			if o.startpos < 0 {
				return nil
			}
			t, err := wzTile(m, o)
			if err != nil {
				return err
			}
			s := wzStart{rank: rank + 1, key: o.key, tile: t, at: o.at, file: f}
			if o.name == "A0CommandCentre" {
				s.rank = 0
			}
			if old, ok := starts[o.startpos]; !ok || s.before(old) {
				starts[o.startpos] = s
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for n := range int64(wzPlayersMax) {
		if s, ok := starts[n]; ok {
			if !m.Passable(s.tile, grid.Ground) {
				return nil, inFile(file(s.file), nil, errAt(s.at, "start %d at %v: not passable by ground", n, s.tile))
			}
			m.Starts = append(m.Starts, s.tile)
		}
	}

	err = objects("feature.json", func(o wzObject) error {
		if o.name != "OilResource" {
			return nil
		}
		t, err := wzTile(m, o)
		if err != nil {
			return err
		}
		if len(m.Resources) == grid.ResourcesMax {
			return errAt(o.at, "more than %d resource places", grid.ResourcesMax)
		}
		m.Resources = append(m.Resources, t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(m.Resources, byRow)
	m.Resources = slices.Compact(m.Resources)
	if err := m.Check(); err != nil {
		return nil, &Error{File: name, Offset: -1, Err: err}
	}
	return m, nil
}

func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("the file is missing: maps that a script fills cannot be imported")
	}
	return err
}

func byRow(a, b grid.Tile) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) }

// wzTypes reads ttypes.ttp: the ground of each texture number.
func wzTypes(b []byte) ([]grid.Terrain, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < 4 || string(b[:4]) != "ttyp":
		return nil, errAt(0, "header is not \"ttyp\"")
	case len(b) < 12:
		return nil, errAt(int64(len(b)), "the file ends inside its header of 12 bytes")
	case le.Uint32(b[4:]) != wzTypesVersion:
		return nil, errAt(4, "version %d: only %d is known", le.Uint32(b[4:]), wzTypesVersion)
	}
	n := le.Uint32(b[8:])
	if n > wzTexturesMax {
		return nil, errAt(8, "%d textures: at most %d", n, wzTexturesMax)
	}
	if need := 12 + 2*int(n); len(b) < need {
		return nil, errAt(int64(len(b)), "%d textures need %d bytes, the file has %d", n, need, len(b))
	}
	out := make([]grid.Terrain, n)
	for i := range out {
		t := le.Uint16(b[12+2*i:])
		if int(t) >= len(wzTerrain) {
			return nil, errAt(int64(12+2*i), "texture %d has terrain type %d: at most %d", i, t, len(wzTerrain)-1)
		}
		out[i] = wzTerrain[t]
	}
	return out, nil
}

// wzTiles reads game.map into a map without objects.
func wzTiles(b []byte, terrain []grid.Terrain) (*grid.Map, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < 4 || string(b[:4]) != "map ":
		return nil, errAt(0, "header is not \"map \"")
	case len(b) < wzMapHeader:
		return nil, errAt(int64(len(b)), "the file ends inside its header of %d bytes", wzMapHeader)
	case le.Uint32(b[4:]) != wzMapVersion:
		return nil, errAt(4, "version %d: only %d is known", le.Uint32(b[4:]), wzMapVersion)
	}
	w64, h64 := le.Uint32(b[8:]), le.Uint32(b[12:])
	if w64 < grid.MapSideMin || w64 > grid.MapSideMax || h64 < grid.MapSideMin || h64 > grid.MapSideMax {
		return nil, errAt(8, "size %dx%d: a side has %d to %d tiles", w64, h64, grid.MapSideMin, grid.MapSideMax)
	}
	w, h := int(w64), int(h64)
	if need := wzMapHeader + wzBytesPerTile*w*h; len(b) < need {
		return nil, errAt(int64(len(b)), "%dx%d tiles need %d bytes, the file has %d", w, h, need, len(b))
	}
	m := grid.NewMap("", w, h)
	corner := func(x, y int) int { // the height of a tile's north-west corner
		x, y = min(x, w-1), min(y, h-1)
		return int(b[wzMapHeader+wzBytesPerTile*(y*w+x)+2])
	}
	heights := make([]int, w*h)
	for i := range heights {
		at := wzMapHeader + wzBytesPerTile*i
		tex := int(le.Uint16(b[at:]) & wzTextureMask)
		if tex >= len(terrain) {
			return nil, errAt(int64(at), "%v has texture %d, ttypes.ttp has %d", m.TileAt(i), tex, len(terrain))
		}
		m.Terrain[i] = terrain[tex]
		m.Pass[i] = grid.PassOf(terrain[tex])
		x, y := i%w, i/w
		heights[i] = (corner(x, y) + corner(x+1, y) + corner(x, y+1) + corner(x+1, y+1)) / 4
	}
	m.Levels = levelsOf(heights, func(i int) bool { return m.Terrain[i] != grid.Cliff })
	return m, nil
}

// wzStart is the object that marks a start, the lowest rank and key there is.
type wzStart struct {
	rank int // 0 command centre, 1 structure, 2 droid
	key  string
	tile grid.Tile
	at   int64
	file string
}

func (s wzStart) before(o wzStart) bool {
	return cmp.Or(cmp.Compare(s.rank, o.rank), cmp.Compare(s.key, o.key)) < 0
}

// wzObject is one object of struct.json, droid.json or feature.json.
type wzObject struct {
	key      string // its name in the file
	name     string // what it is
	x, y     int64
	placed   bool
	startpos int64 // -1: none
	at       int64 // offset of the object in its file
}

// wzObjects calls each for each object, in file order.
func wzObjects(b []byte, each func(wzObject) error) error {
	w := walk(b)
	count := 0
	w.Object("the file", func(key string) {
		if count++; count > wzObjectsMax {
			w.Fail("more than %d objects", wzObjectsMax)
			return
		}
		o := wzObject{key: key, startpos: -1, at: w.At}
		w.Object("object "+quote(key), func(field string) {
			switch field {
			case "name", "template":
				if s := w.Text(field); o.name == "" || field == "name" {
					o.name = s
				}
			case "startpos":
				o.startpos = w.Integer("startpos", 0, wzPlayersMax-1)
			case "position":
				n := 0
				w.Array("position", 3, func(i int) {
					n++
					switch v := w.Integer("position", -1<<31, 1<<31); i {
					case 0:
						o.x = v
					case 1:
						o.y = v
					}
				})
				if o.placed = n >= 2; !o.placed {
					w.Fail("position: want [x, y, z]")
				}
			default:
				w.Skip()
			}
		})
		if w.Err == nil {
			w.Err = each(o)
		}
	})
	w.End()
	return w.Err
}

func wzTile(m *grid.Map, o wzObject) (grid.Tile, error) {
	if !o.placed {
		return grid.Tile{}, errAt(o.at, "object %s has no position", quote(o.key))
	}
	x, y := o.x/wzUnitsPerTile, o.y/wzUnitsPerTile
	if o.x < 0 || o.y < 0 || x >= int64(m.W) || y >= int64(m.H) {
		return grid.Tile{}, errAt(o.at, "object %s at %d,%d: off the map of %dx%d tiles", quote(o.key), o.x, o.y, m.W, m.H)
	}
	return grid.Tile{X: int16(x), Y: int16(y)}, nil
}

// cleanName makes a file's name fit a map's name.
func cleanName(s string) string {
	out := make([]rune, 0, len(s))
	n := 0
	for _, r := range s {
		if r == '�' || r < ' ' {
			r = '_'
		}
		if n += len(string(r)); n > grid.NameBytesMax {
			break
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return "map"
	}
	return string(out)
}

var errTooLarge = errors.New("too large")

func tooLarge(most int64) error { return fmt.Errorf("%w: at most %d bytes", errTooLarge, most) }
