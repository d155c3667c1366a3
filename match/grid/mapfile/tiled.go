package mapfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fogkeep/fogkeep/internal/strictjson"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Bounds of a Tiled file.
const (
	tiledLayersMax   = 256
	tiledTilesetsMax = 256
	tiledTilesMax    = 1 << 16  // described tiles of one tileset
	tiledAllTilesMax = 1 << 18  // described tiles of a map; a tileset counts each time it is named
	tiledSetBytesMax = 16 << 20 // of all tileset files of a map together
	tiledObjectsMax  = 1 << 16
	tiledChunksMax   = 1 << 16
	tiledDepthMax    = 16      // groups in groups
	tiledCellsMax    = 1 << 24 // of all layers together
	tiledHeightMax   = 1<<16 - 1
	tiledTilePxMax   = 4096
	tiledGIDMask     = 0x0FFFFFFF // the high 4 bits are flips and rotation
	tiledCoordMax    = 1 << 24    // pixels, either sign
)

// tiled is a Tiled map as parsed, from either notation.
type tiled struct {
	orientation  string
	infinite     bool
	w, h         int // tiles; without meaning if infinite
	tileW, tileH int // pixels
	props        props
	tilesets     []tileset
	layers       []layer // tile layers, bottom to top, groups opened
	objects      []object
	cells        int // of all layers, for the bound
	sizeAt       int64
}

type props map[string]prop

type prop struct {
	value string
	at    int64
}

// number returns the property as a whole number from 0 to most.
func (p props) number(key string, most int) (n int, ok bool, err error) {
	v, ok := p[key]
	if !ok {
		return 0, false, nil
	}
	n, err = strconv.Atoi(strings.TrimSpace(v.value))
	if err != nil || n < 0 || n > most {
		return 0, false, errAt(v.at, "property %s is %s: want a whole number from 0 to %d", key, quote(v.value), most)
	}
	return n, true, nil
}

// only names an unknown property, the first in the file:
// a name that is mistyped must not be passed over.
func (p props) only(of string, known ...string) error {
	first, found := "", false
	for name := range p {
		if slices.Contains(known, name) {
			continue
		}
		if !found || cmp.Or(cmp.Compare(p[name].at, p[first].at), cmp.Compare(name, first)) < 0 {
			first, found = name, true
		}
	}
	if !found {
		return nil
	}
	if len(known) == 0 {
		return errAt(p[first].at, "%s: property %s: it has no properties here, remove it", of, quote(first))
	}
	return errAt(p[first].at, "%s: unknown property %s%s", of, quote(first), orMeant(first, known))
}

// orMeant ends an error about an unknown name: the closest known one, if it is close, and all known ones.
func orMeant(name string, known []string) string {
	best := strictjson.Nearest(strings.ToLower(name), known)
	all := "known are " + strings.Join(known, ", ")
	if len(known) == 1 {
		all = "known is " + known[0]
	}
	if best != "" {
		return fmt.Sprintf(": did you mean %q? (%s)", best, all)
	}
	return ": " + all
}

type tileset struct {
	firstGID uint32
	name     string
	source   string // another file, or ""
	count    int    // of tiles, 0 if the file does not say
	tiles    map[uint32]tile
	at       int64
}

// size returns how many numbers the tileset has: as many as it says, or as the
// highest tile that it describes; the tiles of a collection of pictures may
// have numbers above their count.
func (s *tileset) size() int {
	n := s.count
	for id := range s.tiles {
		n = max(n, int(id)+1)
	}
	return n
}

// check returns the fault of a described tile.
func (s *tileset) check() error {
	for _, id := range slices.Sorted(maps.Keys(s.tiles)) {
		tl := s.tiles[id]
		if _, err := tl.kind(); err != nil {
			return errAt(offsetOf(err), "tile %d of tileset %s: %w", id, quote(s.name), bare(err))
		}
	}
	return nil
}

type tile struct {
	class string
	props props
	at    int64
}

type layer struct {
	name                  string
	x, y, w, h            int
	props                 props
	encoding, compression string
	chunks                []chunk // one for a layer of fixed size
	hidden                bool
	at                    int64
}

// chunk is a rectangle of cells: plain numbers, or text still to be decoded.
type chunk struct {
	x, y, w, h int
	gids       []uint32
	text       string
	at         int64 // of the data
}

type object struct {
	name, class string
	x, y        float64 // pixels: the point, or the middle of the shape
	props       props
	at          int64
}

// loadTilesets reads the tilesets that lie in files of their own, each file
// once however often the map names it.
func (t *tiled) loadTilesets(fsys fs.FS, dir, shownDir string) error {
	read := map[string]tileset{}
	bytesLeft, tiles := int64(tiledSetBytesMax), 0
	for i := range t.tilesets {
		s := &t.tilesets[i]
		if s.source != "" {
			if err := t.loadTileset(s, fsys, dir, shownDir, read, &bytesLeft); err != nil {
				return err
			}
		}
		if err := s.check(); err != nil { // those in files of their own have passed
			return err
		}
		if tiles += len(s.tiles); tiles > tiledAllTilesMax {
			return errAt(s.at, "the map's tilesets describe more than %d tiles", tiledAllTilesMax)
		}
	}
	return nil
}

// loadTileset reads one tileset's file, unless it has been read.
func (t *tiled) loadTileset(s *tileset, fsys fs.FS, dir, shownDir string, read map[string]tileset, bytesLeft *int64) error {
	name := path.Join(dir, strings.ReplaceAll(s.source, "\\", "/"))
	if !fs.ValidPath(name) || path.IsAbs(s.source) {
		return errAt(s.at, "tileset %s: lies outside of the map's folder", quote(s.source))
	}
	if same, ok := read[name]; ok {
		s.name, s.count, s.tiles = same.name, same.count, same.tiles
		return nil
	}
	b, err := readFile(fsys, name, tiledSetBytesMax)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("the file does not exist")
		}
		return errAt(s.at, "tileset %s: %w", quote(s.source), err)
	}
	if *bytesLeft -= int64(len(b)); *bytesLeft < 0 {
		return errAt(s.at, "tileset %s: all tileset files of a map: %w", quote(s.source), tooLarge(tiledSetBytesMax))
	}
	parse := parseTSJ
	if ext := path.Ext(name); strings.EqualFold(ext, ".tsx") || strings.EqualFold(ext, ".xml") {
		parse = parseTSX
	}
	file, err := parse(b)
	if err == nil {
		err = file.check()
	}
	if err != nil {
		return inFile(path.Join(shownDir, s.source), b, err)
	}
	s.name, s.count, s.tiles = file.name, file.count, file.tiles
	read[name] = file
	return nil
}

// kind is the meaning of one tileset number's tiles for a cell.
type kind struct {
	terrain             grid.Terrain
	pass                grid.PassMask
	level, height       int
	hasTerrain, hasPass bool
	class               string // that is no kind of ground, where no property names one
	hasLevel, hasHeight bool
}

// build makes the map; name is the file's.
func (t *tiled) build(name string) (*grid.Map, error) {
	switch {
	case t.orientation != "" && t.orientation != "orthogonal":
		return nil, errAt(t.sizeAt, "orientation %s: only orthogonal maps can be read", quote(t.orientation))
	case t.tileW < 1 || t.tileH < 1 || t.tileW > tiledTilePxMax || t.tileH > tiledTilePxMax:
		return nil, errAt(t.sizeAt, "tiles of %dx%d pixels: want 1 to %d", t.tileW, t.tileH, tiledTilePxMax)
	case len(t.layers) == 0:
		return nil, errAt(t.sizeAt, "the map has no tile layer")
	}
	x0, y0, w, h, err := t.bounds()
	if err != nil {
		return nil, err
	}
	if w < grid.MapSideMin || w > grid.MapSideMax || h < grid.MapSideMin || h > grid.MapSideMax {
		return nil, errAt(t.sizeAt, "size %dx%d: a side has %d to %d tiles", w, h, grid.MapSideMin, grid.MapSideMax)
	}
	m := grid.NewMap(cleanName(name), w, h)
	unnamed, err := t.mapProperties(m)
	if err != nil {
		return nil, err
	}
	if err := t.paint(m, unnamed, x0, y0); err != nil {
		return nil, err
	}
	if err := t.place(m, x0, y0); err != nil {
		return nil, err
	}
	if err := m.Check(); err != nil {
		return nil, errAt(t.sizeAt, "%w", err)
	}
	return m, nil
}

// mapProperties reads the map's own properties, and returns the ground of painted cells without a named one: "" if
// the map does not say.
func (t *tiled) mapProperties(m *grid.Map) (unnamed string, err error) {
	if err := t.props.only("the map", "name", "occlusion", "terrain"); err != nil {
		return "", err
	}
	if p, ok := t.props["name"]; ok {
		if len(p.value) > grid.NameBytesMax || !utf8.ValidString(p.value) {
			return "", errAt(p.at, "name %s: at most %d bytes of UTF-8", quote(p.value), grid.NameBytesMax)
		}
		m.Name = p.value
	}
	if p, ok := t.props["occlusion"]; ok {
		o, ok := grid.ParseOcclusion(p.value)
		if !ok {
			return "", errAt(p.at, "occlusion %s: want none, high-ground or line-of-sight", quote(p.value))
		}
		m.Occlusion = o
	}
	if p, ok := t.props["terrain"]; ok {
		unnamed = strings.ToLower(p.value)
		if _, ok := grid.ParseTerrain(unnamed); !ok {
			return "", errAt(p.at, "the map: terrain %s is unknown%s", quote(p.value), orMeant(p.value, terrainNames()))
		}
	}
	return unnamed, nil
}

func terrainNames() (names []string) {
	for t := grid.Grass; t <= grid.Cliff; t++ {
		names = append(names, t.String())
	}
	return names
}

// bounds returns the rectangle of the map in Tiled's cells.
func (t *tiled) bounds() (x0, y0, w, h int, err error) {
	if !t.infinite {
		return 0, 0, t.w, t.h, nil
	}
	x0, y0 = math.MaxInt, math.MaxInt
	x1, y1 := math.MinInt, math.MinInt
	err = t.eachCell(func(_ *layer, x, y int, _ uint32, _ int64) error {
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x+1), max(y1, y+1)
		return nil
	})
	if err == nil && x1 < x0 {
		err = errAt(t.sizeAt, "no cell is painted")
	}
	return x0, y0, x1 - x0, y1 - y0, err
}

// eachCell decodes the visible layers, bottom to top, and calls f for every
// painted cell.
func (t *tiled) eachCell(f func(l *layer, x, y int, gid uint32, at int64) error) error {
	for i := range t.layers {
		l := &t.layers[i]
		if l.hidden {
			continue
		}
		for c := range l.chunks {
			ch := &l.chunks[c]
			gids, err := ch.cells(l.encoding, l.compression)
			if err != nil {
				return errAt(ch.at, "layer %s: %w", quote(l.name), err)
			}
			for i, g := range gids {
				if g &= tiledGIDMask; g != 0 {
					if err := f(l, l.x+ch.x+i%ch.w, l.y+ch.y+i/ch.w, g, ch.at); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// kinds finds the meaning of a global tile number.
type kinds struct {
	sets []kindSet // by first number, ascending
	last int       // that was asked for
}

type kindSet struct {
	first uint32
	size  int
	name  string
	tiles map[uint32]kind
}

// newKinds reads the tilesets, which have been checked.
func (t *tiled) newKinds() (*kinds, error) {
	out := &kinds{}
	for i := range t.tilesets {
		s := &t.tilesets[i]
		set := kindSet{s.firstGID, s.size(), s.name, map[uint32]kind{}}
		for id, tl := range s.tiles {
			k, err := tl.kind()
			if err != nil {
				return nil, err
			}
			set.tiles[id] = k
		}
		out.sets = append(out.sets, set)
	}
	slices.SortStableFunc(out.sets, func(a, b kindSet) int { return cmp.Compare(a.first, b.first) })
	return out, nil
}

// of returns the kind of a global tile number. A number outside of all tilesets is an error.
func (ks *kinds) of(gid uint32) (kind, error) {
	if i := ks.last; i >= len(ks.sets) || gid < ks.sets[i].first || i+1 < len(ks.sets) && gid >= ks.sets[i+1].first {
		ks.last = max(0, sort.Search(len(ks.sets), func(i int) bool { return ks.sets[i].first > gid })-1)
	}
	if ks.last >= len(ks.sets) || gid < ks.sets[ks.last].first {
		return kind{}, fmt.Errorf("tile number %d belongs to no tileset", gid)
	}
	s := &ks.sets[ks.last]
	id := gid - s.first
	if int(id) >= s.size {
		return kind{}, fmt.Errorf("tile number %d belongs to no tileset: %s begins at %d and has %d tiles", gid, quote(s.name), s.first, s.size)
	}
	k := s.tiles[id]
	if k.class != "" {
		return k, fmt.Errorf("tile %d of tileset %s has the class %s, which is no ground%s", id, quote(s.name), quote(k.class), orMeant(k.class, terrainNames()))
	}
	return k, nil
}

func (tl *tile) kind() (k kind, err error) {
	if err := tl.props.only("tile", "terrain", "pass", "level", "height"); err != nil {
		return k, err
	}
	if p, explicit := tl.props["terrain"]; explicit {
		if k.terrain, k.hasTerrain = grid.ParseTerrain(strings.ToLower(p.value)); !k.hasTerrain {
			return k, errAt(p.at, "terrain %s is unknown%s", quote(p.value), orMeant(p.value, terrainNames()))
		}
	} else if tl.class != "" {
		if k.terrain, k.hasTerrain = grid.ParseTerrain(strings.ToLower(tl.class)); !k.hasTerrain {
			k.class = tl.class // only a tile that is painted needs a ground
		}
	}
	if p, ok := tl.props["pass"]; ok {
		k.hasPass = true
		if k.pass, err = parsePass(p.value); err != nil {
			return k, errAt(p.at, "pass: %w", err)
		}
	}
	if k.level, k.hasLevel, err = tl.props.number("level", grid.LevelsMax-1); err != nil {
		return k, err
	}
	k.height, k.hasHeight, err = tl.props.number("height", tiledHeightMax)
	return k, err
}

// parsePass reads "ground,hover" and the like; "" lets no unit through.
func parsePass(s string) (p grid.PassMask, err error) {
next:
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		for k := range grid.MoveKinds {
			if word == k.String() {
				p |= 1 << k
				continue next
			}
		}
		return 0, fmt.Errorf("%s is no way of moving: ground, hover, naval, air are", quote(word))
	}
	return p, nil
}

// paint fills levels, terrain and passability. unnamed is the ground of painted
// cells that no tile names; if it is "" they are grass, and some cell must be
// named: a map that does not name its ground would be all grass by mistake.
func (t *tiled) paint(m *grid.Map, unnamed string, x0, y0 int) error {
	kinds, err := t.newKinds()
	if err != nil {
		return err
	}
	ground, _ := grid.ParseTerrain(unnamed)
	anyNamed := unnamed != ""
	n := m.W * m.H
	painted := make([]bool, n)
	passSet := make([]bool, n)
	heights := make([]int, n)
	hasLevels, hasHeights := false, false
	for i := range m.Terrain {
		m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
	}
	var current *layer
	var role kind // what the layer itself says
	err = t.eachCell(func(l *layer, x, y int, gid uint32, at int64) (err error) {
		if l != current {
			current = l
			if err := l.props.only(fmt.Sprintf("layer %s", quote(l.name)), "level", "height"); err != nil {
				return err
			}
			if role.level, role.hasLevel, err = l.props.number("level", grid.LevelsMax-1); err != nil {
				return err
			}
			if role.height, role.hasHeight, err = l.props.number("height", tiledHeightMax); err != nil {
				return err
			}
		}
		if x -= x0; x < 0 || x >= m.W {
			return nil // a layer moved out over the edge
		}
		if y -= y0; y < 0 || y >= m.H {
			return nil
		}
		k, err := kinds.of(gid)
		if err != nil {
			return errAt(at, "layer %s, cell %d,%d: %w", quote(l.name), x, y, err)
		}
		i := y*m.W + x
		if !k.hasTerrain {
			k.terrain = ground
		}
		anyNamed = anyNamed || k.hasTerrain
		if k.hasTerrain || !painted[i] {
			m.Terrain[i] = k.terrain
			if !passSet[i] {
				m.Pass[i] = grid.PassOf(k.terrain)
			}
		}
		painted[i] = true
		if k.hasPass {
			m.Pass[i], passSet[i] = k.pass, true
		}
		switch {
		case k.hasLevel:
			m.Levels[i], hasLevels = grid.Level(k.level), true
		case role.hasLevel:
			m.Levels[i], hasLevels = grid.Level(role.level), true
		}
		switch {
		case k.hasHeight:
			heights[i], hasHeights = k.height, true
		case role.hasHeight:
			heights[i], hasHeights = role.height, true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !anyNamed {
		return errAt(t.sizeAt, "no painted tile names its ground: give the tiles of the tileset a property terrain, or give the map a property for all other tiles: %s",
			strings.Join(terrainNames(), ", "))
	}
	if hasHeights && !hasLevels {
		m.Levels = levelsOf(heights, func(i int) bool { return m.Terrain[i] != grid.Cliff })
	}
	return nil
}

// objectClasses are the classes of objects that mean something.
var objectClasses = []string{"start", "resource", "feature"}

// feature reads a feature off an object: the type's name is a text of the ruleset.
func (o *object) feature(at grid.Tile) (grid.Feature, error) {
	f := grid.Feature{At: at}
	err := o.props.only(fmt.Sprintf("feature at %v", at), "type", "link")
	if err != nil {
		return f, err
	}
	if f.Type = o.props["type"].value; f.Type == "" || len(f.Type) > grid.NameBytesMax {
		return f, errAt(o.at, "feature at %v: its property type is the name of a type of the ruleset, at most %d bytes", at, grid.NameBytesMax)
	}
	link, _, err := o.props.number("link", 255)
	f.Link = uint8(link)
	return f, err
}

// place reads starts, resource places and features off the objects.
func (t *tiled) place(m *grid.Map, x0, y0 int) error {
	const unit = 256 // of a pixel, so that positions are whole numbers
	type seat struct {
		n    int
		tile grid.Tile
	}
	var seats []seat
	for _, o := range t.objects {
		class := strings.ToLower(cmp.Or(o.class, o.name))
		if !slices.Contains(objectClasses, class) {
			// A class is ours to know. A name alone may be any label, unless it
			// is one of ours mistyped.
			mistyped := strictjson.Nearest(class, objectClasses) != ""
			if o.class != "" || mistyped {
				return errAt(o.at, "object at pixel %g,%g: unknown class %s%s", o.x, o.y, quote(cmp.Or(o.class, o.name)), orMeant(class, objectClasses))
			}
			continue
		}
		px, py := int64(math.Floor((o.x-float64(x0*t.tileW))*unit)), int64(math.Floor((o.y-float64(y0*t.tileH))*unit))
		x, y := px/int64(t.tileW*unit), py/int64(t.tileH*unit)
		if px < 0 || py < 0 || x >= int64(m.W) || y >= int64(m.H) {
			return errAt(o.at, "%s at pixel %g,%g: off the map", class, o.x, o.y)
		}
		at := grid.Tile{X: int16(x), Y: int16(y)}
		if class == "resource" {
			if err := o.props.only(fmt.Sprintf("resource at %v", at)); err != nil {
				return err
			}
			if len(m.Resources) == grid.ResourcesMax {
				return errAt(o.at, "more than %d resource places", grid.ResourcesMax)
			}
			m.Resources = append(m.Resources, at)
			continue
		}
		if class == "feature" {
			f, err := o.feature(at)
			if err != nil {
				return err
			}
			if len(m.Features) == grid.FeaturesMax {
				return errAt(o.at, "more than %d features", grid.FeaturesMax)
			}
			m.Features = append(m.Features, f)
			continue
		}
		if err := o.props.only(fmt.Sprintf("start at %v", at), "seat"); err != nil {
			return err
		}
		n, ok, err := o.props.number("seat", grid.SlotsMax-1)
		if err != nil {
			return err
		}
		if !ok {
			n = grid.SlotsMax
		}
		if i := slices.IndexFunc(seats, func(s seat) bool { return ok && s.n == n }); i >= 0 {
			return errAt(o.at, "start at %v: the start at %[3]v already has seat %[2]d: give each start a different seat", at, n, seats[i].tile)
		}
		if len(seats) == grid.SlotsMax {
			return errAt(o.at, "more than %d start points", grid.SlotsMax)
		}
		if !m.Passable(at, grid.Ground) {
			return errAt(o.at, "start at %v: not passable by ground", at)
		}
		seats = append(seats, seat{n, at})
	}
	slices.SortStableFunc(seats, func(a, b seat) int { return cmp.Compare(a.n, b.n) })
	for _, s := range seats {
		m.Starts = append(m.Starts, s.tile)
	}
	slices.SortFunc(m.Resources, byRow)
	m.Resources = slices.Compact(m.Resources)
	slices.SortStableFunc(m.Features, func(a, b grid.Feature) int { return byRow(a.At, b.At) })
	return nil
}
