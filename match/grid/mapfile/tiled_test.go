package mapfile

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/fogkeep/fogkeep/match/grid"
)

// drawn is a small Tiled map in the words of this test: terrain and level
// numbers, written below in every notation there is.
func drawnGIDs() (w, h int, gids []uint32) {
	w, h = 20, 18
	for y := range h {
		for x := range w {
			g := uint32(1) // grass
			switch {
			case x == 9 && y > 2:
				g = 2 | 0x8000_0000 // cliff, flipped
			case y == h-1:
				g = 3 // water
			case x > 9:
				g = 4 // rock, level 2
			}
			gids = append(gids, g)
		}
	}
	return w, h, gids
}

func pack(t *testing.T, gids []uint32, compression string) string {
	t.Helper()
	var raw []byte
	for _, g := range gids {
		raw = binary.LittleEndian.AppendUint32(raw, g)
	}
	var b bytes.Buffer
	var w io.WriteCloser
	switch compression {
	case "":
		return base64.StdEncoding.EncodeToString(raw)
	case "zlib":
		w = zlib.NewWriter(&b)
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zstd":
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func csv(gids []uint32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(gids), " ", ","), "[]")
}

const tmjTileset = `{"firstgid":1,"name":"t","tiles":[{"id":0,"type":"grass"},{"id":1,"class":"Cliff"},{"id":2,"properties":[{"name":"terrain","type":"string","value":"water"}]},
	{"id":3,"type":"rock","properties":[{"name":"level","type":"int","value":2}]}]}`

const tmjObjects = `{"type":"objectgroup","name":"o","objects":[
	{"id":1,"type":"start","point":true,"x":40.5,"y":24,"properties":[{"name":"seat","value":1}]},
	{"id":2,"name":"start","x":240,"y":80,"width":16,"height":16,"properties":[{"name":"seat","value":0}]},
	{"id":3,"class":"resource","gid":4,"x":48,"y":64,"width":16,"height":16},
	{"id":4,"name":"tree","x":-9999,"y":0,"properties":[{"name":"c","type":"class","value":{"deep":[1,{}]}}]}]}`

// tmj wraps a tile layer's cells into a whole map.
func tmj(layer string) []byte {
	return fmt.Appendf(nil, `{"type":"map","orientation":"orthogonal","infinite":%v,"width":20,"height":18,"tilewidth":16,"tileheight":16,
	"properties":[{"name":"name","value":"Small"},{"name":"occlusion","value":"none"}],
	"layers":[{"type":"tilelayer","name":"l","width":20,"height":18,%s},{"type":"imagelayer","image":"x.png"},
		{"type":"group","layers":[%s],"visible":true}],
	"tilesets":[%s]}`, strings.Contains(layer, "chunks"), layer, tmjObjects, tmjTileset)
}

const tmxTiles = `<tile id="0" class="grass"/><tile id="1" type="cliff"/>
	<tile id="2"><properties><property name="terrain" value="water"/></properties></tile>
	<tile id="3" class="rock"><properties><property name="level" type="int" value="2"/></properties></tile>`

func tmx(data string, tileset string) []byte {
	infinite := 0
	if strings.Contains(data, "<chunk") {
		infinite = 1
	}
	return fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE map SYSTEM "http://mapeditor.org/dtd/1.0/map.dtd">
<map version="1.10" orientation="orthogonal" width="20" height="18" tilewidth="16" tileheight="16" infinite="%d">
 <properties><property name="name" value="Small"/><property name="occlusion">none</property></properties>
 %s
 <layer id="1" name="l" width="20" height="18">%s</layer>
 <imagelayer id="9"><image source="x.png"/></imagelayer>
 <group id="5"><objectgroup id="6" name="o">
  <object id="1" type="start" x="40.5" y="24"><properties><property name="seat" type="int" value="1"/></properties><point/></object>
  <object id="2" name="start" x="240" y="80" width="16" height="16"><properties><property name="seat" value="0"/></properties></object>
  <object id="3" class="resource" gid="4" x="48" y="64" width="16" height="16"/>
  <object id="4" name="tree" x="-9999" y="0"/>
 </objectgroup></group>
</map>
`, infinite, tileset, data)
}

// chunks cuts the cells into chunks of 8x8, moved by an offset that the reader
// must take away again.
func chunks(w, h int, gids []uint32, each func(x, y, n int, part []uint32) string) string {
	const side, dx, dy = 8, -24, 40
	var parts []string
	for y := 0; y < h; y += side {
		for x := 0; x < w; x += side {
			part := make([]uint32, side*side)
			for i := range part {
				if px, py := x+i%side, y+i/side; px < w && py < h {
					part[i] = gids[py*w+px]
				}
			}
			parts = append(parts, each(x+dx, y+dy, side, part))
		}
	}
	return strings.Join(parts, "")
}

// moveObjects puts the objects where the chunks' offset has moved the ground.
var moveObjects = strings.NewReplacer(
	`"x":40.5,"y":24`, `"x":-343.5,"y":664`, `"x":240,"y":80`, `"x":-144,"y":720`, `"x":48,"y":64`, `"x":-336,"y":704`,
	`x="40.5" y="24"`, `x="-343.5" y="664"`, `x="240" y="80"`, `x="-144" y="720"`, `x="48" y="64"`, `x="-336" y="704"`)

// notations is one map in every form that Tiled writes.
func notations(t *testing.T) map[string]map[string][]byte {
	w, h, gids := drawnGIDs()
	inline := `<tileset firstgid="1" name="t" tilewidth="16">` + tmxTiles + `</tileset>`
	one := func(name string, b []byte) map[string][]byte { return map[string][]byte{name: b} }
	forms := map[string]map[string][]byte{
		"tmj numbers": one("m.tmj", tmj(`"data":[`+csv(gids)+`]`)),
		"tmj csv":     one("m.tmj", tmj(`"encoding":"csv","data":"`+csv(gids)+`"`)),
		"tmx csv":     one("m.tmx", tmx(`<data encoding="csv">`+"\n"+csv(gids)+",\n"+`</data>`, inline)),
		"tmx tileset of its own": {
			"m.tmx":     tmx(`<data encoding="csv">`+csv(gids)+`</data>`, `<tileset firstgid="1" source="sub/t.tsx"/>`),
			"sub/t.tsx": []byte(`<?xml version="1.0"?><tileset name="t">` + tmxTiles + `</tileset>`),
		},
		"tmj tileset of its own": {
			"m.tmj": bytes.Replace(tmj(`"data":[`+csv(gids)+`]`), []byte(tmjTileset), []byte(`{"firstgid":1,"source":"t.tsj"}`), 1),
			"t.tsj": []byte(tmjTileset),
		},
	}
	cells := strings.Builder{}
	for _, g := range gids {
		fmt.Fprintf(&cells, `<tile gid="%d"/>`, g)
	}
	forms["tmx elements"] = one("m.tmx", tmx(`<data>`+cells.String()+`</data>`, inline))
	for _, c := range []string{"", "zlib", "gzip", "zstd"} {
		p := pack(t, gids, c)
		forms["tmj base64 "+c] = one("m.tmj", tmj(`"compression":"`+c+`","data":"`+p+`","encoding":"base64"`))
		forms["tmx base64 "+c] = one("m.tmx", tmx(`<data encoding="base64" compression="`+c+`">`+"\n   "+p+"\n  "+`</data>`, inline))
		forms["tmj chunks "+c] = one("m.tmj", []byte(moveObjects.Replace(string(tmj(`"compression":"`+c+`","encoding":"base64","chunks":[`+
			strings.TrimSuffix(chunks(w, h, gids, func(x, y, n int, part []uint32) string {
				return fmt.Sprintf(`{"x":%d,"y":%d,"width":%d,"height":%d,"data":%q},`, x, y, n, n, pack(t, part, c))
			}), ",")+`]`)))))
		forms["tmx chunks "+c] = one("m.tmx", []byte(moveObjects.Replace(string(tmx(`<data encoding="base64" compression="`+c+`">`+
			chunks(w, h, gids, func(x, y, n int, part []uint32) string {
				return fmt.Sprintf(`<chunk x="%d" y="%d" width="%d" height="%d">%s</chunk>`, x, y, n, n, pack(t, part, c))
			})+`</data>`, inline)))))
	}
	return forms
}

func TestEveryNotationIsTheSameMap(t *testing.T) {
	w, h, gids := drawnGIDs()
	want := grid.NewMap("Small", w, h)
	want.Occlusion = grid.OcclusionNone
	for i, g := range gids {
		want.Terrain[i] = []grid.Terrain{1: grid.Grass, 2: grid.Cliff, 3: grid.Water, 4: grid.Rock}[g&0xFF]
		want.Pass[i] = grid.PassOf(want.Terrain[i])
		if g == 4 {
			want.Levels[i] = 2
		}
	}
	want.Starts = []grid.Tile{{X: 15, Y: 5}, {X: 2, Y: 1}}
	want.Resources = []grid.Tile{{X: 3, Y: 3}}
	for name, files := range notations(t) {
		file := "m.tmj"
		if files[file] == nil {
			file = "m.tmx"
		}
		m, err := OpenFS(asFS(files), file, "maps/"+file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if d := cmp.Diff(want, m); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestTiledConventions(t *testing.T) {
	layer := func(name, props string, gid func(i int) int) string {
		var cells []string
		for i := range 16 * 16 {
			cells = append(cells, fmt.Sprint(gid(i)))
		}
		return fmt.Sprintf(`{"type":"tilelayer","name":%q,"width":16,"height":16,"properties":[%s],"data":[%s]}`, name, props, strings.Join(cells, ","))
	}
	always := func(g int) func(int) int { return func(int) int { return g } }
	column := func(x, g int) func(int) int {
		return func(i int) int {
			if i%16 == x {
				return g
			}
			return 0
		}
	}
	mapProps := ""
	open := func(layers ...string) *grid.Map {
		t.Helper()
		b := fmt.Appendf(nil, `{"width":16,"height":16,"tilewidth":8,"tileheight":8,"properties":[`+mapProps+`],"tilesets":[{"firstgid":1,"tiles":[
			{"id":1,"type":"rock"},{"id":2,"properties":[{"name":"pass","value":"air,naval"}]},
			{"id":3,"properties":[{"name":"height","value":1000}]},{"id":4,"properties":[{"name":"height","value":64000}]}]}],
			"layers":[%s,{"type":"objectgroup","objects":[{"type":"start","x":0,"y":0},{"type":"start","x":127.9,"y":127.9}]}]}`, strings.Join(layers, ","))
		m, err := OpenFS(asFS(map[string][]byte{"some map.tmj": b}), "some map.tmj", "some map.tmj")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := open(layer("ground", "", always(1)), layer("high", `{"name":"level","value":3}`, column(5, 2)), layer("rules", "", column(7, 3)))
	if m.Name != "some map" || len(m.Starts) != 2 || m.Starts[1] != (grid.Tile{X: 15, Y: 15}) {
		t.Errorf("name %q, starts %v", m.Name, m.Starts)
	}
	at := func(x int16) grid.Tile { return grid.Tile{X: x, Y: 4} }
	if m.Level(at(5)) != 3 || m.Terrain[m.Index(at(5))] != grid.Rock || m.Level(at(4)) != 0 || m.Terrain[m.Index(at(4))] != grid.Grass {
		t.Error("a layer's level or a tile's class was not taken")
	}
	if m.Passable(at(7), grid.Ground) || !m.Passable(at(7), grid.Naval) || !m.Passable(at(7), grid.Air) {
		t.Error("a tile's pass was not taken")
	}
	mapProps = `{"name":"terrain","value":"dirt"}` // of tiles that name none
	m = open(layer("heights", "", func(i int) int {
		if i%16 < 8 {
			return 4
		}
		return 5
	}))
	if m.Level(at(0)) != 0 || m.Level(at(15)) != 1 || m.LevelCount() != 2 {
		t.Errorf("heights became levels %d and %d", m.Level(at(0)), m.Level(at(15)))
	}
	if m.Terrain[m.Index(at(0))] != grid.Dirt || !m.Passable(at(0), grid.Ground) {
		t.Errorf("the map says dirt, tile %v is %v", at(0), m.Terrain[m.Index(at(0))])
	}
	m = open(layer("ground", "", func(i int) int {
		if i == 4*16+9 {
			return 0
		}
		return 1
	}))
	if m.Passable(at(9), grid.Ground) || m.Terrain[m.Index(at(9))] != grid.Cliff {
		t.Error("an empty cell can be walked on")
	}
}

func TestTiledRefuses(t *testing.T) {
	_, _, gids := drawnGIDs()
	good := string(tmj(`"data":[` + csv(gids) + `]`))
	goodX := string(tmx(`<data encoding="csv">`+csv(gids)+`</data>`, `<tileset firstgid="1">`+tmxTiles+`</tileset>`))
	zeros := make([]uint32, 1<<20)
	for _, c := range []struct{ name, want, content string }{
		{"empty", "m.tmj: line 1, offset 0: the file is empty", ""},
		{"cut", "the file ends too early", good[:200]},
		{"tail", "something follows the document", good + "x"},
		{"absurd size", "size 20x100000: a side has 16 to 1024 tiles", strings.Replace(good, `"height":18`, `"height":100000`, 1)},
		{"size past int", "height 99999999999999999999: want a whole number", strings.Replace(good, `"height":18`, `"height":99999999999999999999`, 1)},
		{"gid past the tileset", `layer "l", cell 0,0: tile number 9 belongs to no tileset: "t" begins at 1 and has 4 tiles`, strings.Replace(good, `"data":[1,`, `"data":[9,`, 1)},
		{"gid past the count", `layer "l", cell 0,0: tile number 12 belongs to no tileset: "t" begins at 1 and has 11 tiles`,
			strings.Replace(strings.Replace(good, `"data":[1,`, `"data":[12,`, 1), `"name":"t"`, `"name":"t","tilecount":11`, 1)},
		{"gid between tilesets", `tile number 5 belongs to no tileset: "t" begins at 1 and has 4 tiles`,
			strings.Replace(strings.Replace(good, `"data":[1,1,`, `"data":[100,5,`, 1), tmjTileset, `{"firstgid":100,"tiles":[{"id":0,"type":"ice"}]},`+tmjTileset, 1)},
		{"two starts with one seat", `start at tile 15,5: the start at tile 2,1 already has seat 1`, strings.Replace(good, `"name":"seat","value":0`, `"name":"seat","value":1`, 1)},
		{"object's class", `object at pixel 56,56: unknown class "resorce": did you mean "resource"? (known are start, resource, feature)`, strings.Replace(good, `"class":"resource"`, `"class":"resorce"`, 1)},
		{"object's class, far off", `object at pixel 56,56: unknown class "tree": known are start, resource, feature`, strings.Replace(good, `"class":"resource"`, `"class":"tree"`, 1)},
		{"object's name", `object at pixel 248,88: unknown class "starts": did you mean "start"?`, strings.Replace(good, `"name":"start"`, `"name":"starts"`, 1)},
		{"tile's property", `tile 2 of tileset "t": tile: unknown property "terain": did you mean "terrain"? (known are terrain, pass, level, height)`, strings.Replace(good, `"name":"terrain"`, `"name":"terain"`, 1)},
		{"tile's class", `layer "l", cell 0,0: tile 0 of tileset "t" has the class "gras", which is no ground: did you mean "grass"?`, strings.Replace(good, `"type":"grass"`, `"type":"gras"`, 1)},
		{"map's property", `the map: unknown property "oclusion": did you mean "occlusion"? (known are name, occlusion, terrain)`, strings.Replace(good, `"name":"occlusion"`, `"name":"oclusion"`, 1)},
		{"map's terrain", `the map: terrain "gras" is unknown: did you mean "grass"?`, strings.Replace(good, `"name":"occlusion","value":"none"`, `"name":"terrain","value":"gras"`, 1)},
		{"start's property", `start at tile 2,1: unknown property "seatt": did you mean "seat"? (known is seat)`, strings.Replace(good, `"name":"seat"`, `"name":"seatt"`, 1)},
		{"layer's property", `layer "l": unknown property "levle": did you mean "level"?`, strings.Replace(good, `"name":"l",`, `"name":"l","properties":[{"name":"levle","value":1}],`, 1)},
		{"group's property", `layer "", which is no tile layer: property "level": it has no properties here, remove it`, strings.Replace(good, `"type":"group",`, `"type":"group","properties":[{"name":"level","value":1}],`, 1)},
		{"pass that is a class", `tile 3 of tileset "t": pass: "{…}" is no way of moving`, strings.Replace(good, `"name":"level","type":"int","value":2`, `"name":"pass","type":"class","value":{"deep":[1,{}]}`, 1)},
		{"no terrain anywhere", `no painted tile names its ground: give the tiles of the tileset a property terrain`,
			strings.Replace(good, tmjTileset, `{"firstgid":1,"name":"t","tilecount":4}`, 1)},
		{"layer too short", `layer "l": 2 cells where 20x18 need 360`, string(tmj(`"data":[1,2]`))},
		{"huge layer", `size 50000x50000: a side has 0 to 1024 tiles`, strings.Replace(good, `"name":"l","width":20,"height":18`, `"name":"l","width":50000,"height":50000`, 1)},
		{"isometric", `orientation "isometric": only orthogonal`, strings.Replace(good, "orthogonal", "isometric", 1)},
		{"unknown terrain", `tile 2 of tileset "t": terrain "lava" is unknown: known are grass, dirt,`, strings.Replace(good, `"value":"water"`, `"value":"lava"`, 1)},
		{"level", `property level is "99": want a whole number from 0 to 15`, strings.Replace(good, `"value":2`, `"value":99`, 1)},
		{"occlusion", `occlusion "nonw"`, strings.Replace(good, `"value":"none"`, `"value":"nonw"`, 1)},
		{"start in the water", `start at tile 2,17: not passable by ground`, strings.Replace(good, `"x":40.5,"y":24`, `"x":40.5,"y":280`, 1)},
		{"start off the map", `start at pixel -3,24: off the map`, strings.Replace(good, `"x":40.5,"y":24`, `"x":-3,"y":24`, 1)},
		{"outside tileset", `lies outside of the map's folder`, strings.Replace(good, tmjTileset, `{"firstgid":1,"source":"../../secret.tsj"}`, 1)},
		{"missing tileset", `tileset "t.tsj": the file does not exist`, strings.Replace(good, tmjTileset, `{"firstgid":1,"source":"t.tsj"}`, 1)},
		{"no tileset", `layer "l", cell 0,0: tile number 1 belongs to no tileset`, strings.Replace(good, tmjTileset, ``, 1)},
		{"encoding", `encoding "rot13"`, string(tmj(`"encoding":"rot13","data":"x"`))},
		{"compression", `compression "lzma"`, string(tmj(`"encoding":"base64","compression":"lzma","data":"AAAA"`))},
		{"not base64", `base64: illegal base64 data`, string(tmj(`"encoding":"base64","data":"@@"`))},
		{"zlib cut", `zlib: after`, string(tmj(`"encoding":"base64","compression":"zlib","data":"` + pack(t, gids, "zlib")[:40] + `"`))},
		{"not gzip", `gzip: `, string(tmj(`"encoding":"base64","compression":"gzip","data":"AAAAAAAAAAAAAAAA"`))},
		{"bomb", `zlib: more than the 1440 bytes of its size`, string(tmj(`"encoding":"base64","compression":"zlib","data":"` + pack(t, zeros, "zlib") + `"`))},
		{"zstd bomb", `zstd: more than the 1440 bytes of its size`, string(tmj(`"encoding":"base64","compression":"zstd","data":"` + pack(t, zeros, "zstd") + `"`))},
		{"a tileset", `the file is a "tileset", not a map`, `{"type":"tileset"}`},
	} {
		_, err := OpenFS(asFS(map[string][]byte{"m.tmj": []byte(c.content)}), "m.tmj", "m.tmj")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "m.tmj: line ") || !errors.Is(err, ErrFormat) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
	for _, c := range []struct{ name, want, content string }{
		{"empty", "m.tmx: line 1, offset 0: the file ends too early", ""},
		{"cut", "the file ends too early", goodX[:300]},
		{"not a map", `the file is a <"svg">, want a <map>`, "<svg/>"},
		{"mismatched", "line 2, offset 15: XML: ", "<map>\n<a></map>"},
		{"absurd size", "size 999999x18", strings.Replace(goodX, `width="20"`, `width="999999"`, 1)},
		{"width is text", `width of <"map"> is "many": want a whole number`, strings.Replace(goodX, `width="20"`, `width="many"`, 1)},
		{"entity", "invalid character entity", strings.Replace(goodX, `value="Small"`, `value="&boom;"`, 1)},
		{"charset", "only UTF-8", strings.Replace(goodX, `encoding="UTF-8"`, `encoding="UTF-16"`, 1)},
		{"gid past the tileset", `layer "l", cell 0,0: tile number 9 belongs to no tileset: "" begins at 1 and has 4 tiles`, strings.Replace(goodX, `<data encoding="csv">1,`, `<data encoding="csv">9,`, 1)},
		{"tilecount", `tilecount -1`, strings.Replace(goodX, `firstgid="1"`, `firstgid="1" tilecount="-1"`, 1)},
		{"tile's property", `tile 2 of tileset "": tile: unknown property "terain": did you mean "terrain"?`, strings.Replace(goodX, `name="terrain"`, `name="terain"`, 1)},
		{"object layer's property", `layer "o", which is no tile layer: property "seat": it has no properties here`, strings.Replace(goodX, `<objectgroup id="6" name="o">`, `<objectgroup id="6" name="o"><properties><property name="seat" value="1"/></properties>`, 1)},
		{"csv", `cell 1 is "x": want a number`, string(tmx(`<data encoding="csv">1,x</data>`, ""))},
	} {
		_, err := OpenFS(asFS(map[string][]byte{"m.tmx": []byte(c.content)}), "m.tmx", "m.tmx")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "m.tmx: line ") || !errors.Is(err, ErrFormat) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// countedFS counts how often each file is opened.
type countedFS struct {
	fs.FS
	opened map[string]int
}

func (c countedFS) Open(name string) (fs.File, error) {
	c.opened[name]++
	return c.FS.Open(name)
}

// TestTilesetsAreBounded: a file that is named often is read once, and tiles
// and bytes are bounded for all tilesets of a map together.
func TestTilesetsAreBounded(t *testing.T) {
	_, _, gids := drawnGIDs()
	named := func(n int, source func(i int) string) []byte {
		var sets []string
		for i := range n {
			sets = append(sets, fmt.Sprintf(`{"firstgid":%d,"source":%q}`, 1+i<<16, source(i)))
		}
		return []byte(strings.Replace(string(tmj(`"data":[`+csv(gids)+`]`)), tmjTileset, strings.Join(sets, ","), 1))
	}
	small := []byte(tmjTileset)
	c := countedFS{asFS(map[string][]byte{"m.tmj": named(256, func(i int) string { return []string{"a.tsj", "x/../a.tsj"}[i%2] }), "a.tsj": small}), map[string]int{}}
	if _, err := OpenFS(c, "m.tmj", "m.tmj"); err != nil {
		t.Fatal(err)
	}
	if c.opened["a.tsj"] != 1 {
		t.Errorf("the tileset was read %d times", c.opened["a.tsj"])
	}
	var many bytes.Buffer
	many.WriteString(`{"tiles":[`)
	for i := range tiledTilesMax {
		if i > 0 {
			many.WriteByte(',')
		}
		fmt.Fprintf(&many, `{"id":%d}`, i)
	}
	many.WriteString(`]}`)
	wide := []byte(strings.Repeat(" ", tiledSetBytesMax/4) + string(small))
	for _, x := range []struct {
		name, want string
		files      map[string][]byte
	}{
		{"tiles", "the map's tilesets describe more than 262144 tiles",
			map[string][]byte{"m.tmj": named(5, func(int) string { return "a.tsj" }), "a.tsj": many.Bytes()}},
		{"bytes", `tileset "3.tsj": all tileset files of a map: too large: at most 16777216 bytes`,
			map[string][]byte{"m.tmj": named(5, func(i int) string { return fmt.Sprint(i, ".tsj") }),
				"0.tsj": wide, "1.tsj": wide, "2.tsj": wide, "3.tsj": wide, "4.tsj": wide}},
	} {
		if _, err := OpenFS(asFS(x.files), "m.tmj", "m.tmj"); err == nil || !strings.Contains(err.Error(), x.want) || !errors.Is(err, ErrFormat) {
			t.Errorf("%s:\n got %v\nwant %s", x.name, err, x.want)
		}
	}
}

// An error has the line and offset of its value.
func TestErrorsPointAtTheValue(t *testing.T) {
	b := []byte("{\n \"width\": 20,\n \"height\": true\n}")
	_, err := OpenFS(asFS(map[string][]byte{"m.tmj": b}), "m.tmj", "m.tmj")
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Line != 3 || e.Offset < int64(bytes.Index(b, []byte("true"))) || e.Offset > int64(bytes.Index(b, []byte("true")))+4 {
		t.Errorf("%+v", err)
	}
}

func FuzzTMJ(f *testing.F) {
	_, _, gids := drawnGIDs()
	f.Add(tmj(`"data":[` + csv(gids) + `]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := OpenFS(asFS(map[string][]byte{"m.tmj": b}), "m.tmj", "m.tmj")
		checkRead(t, m, err)
	})
}

func FuzzTMX(f *testing.F) {
	_, _, gids := drawnGIDs()
	f.Add(tmx(`<data encoding="csv">`+csv(gids)+`</data>`, `<tileset firstgid="1">`+tmxTiles+`</tileset>`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := OpenFS(asFS(map[string][]byte{"m.tmx": b}), "m.tmx", "m.tmx")
		checkRead(t, m, err)
	})
}
