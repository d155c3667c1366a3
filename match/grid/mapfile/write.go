package mapfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/fogkeep/fogkeep/match/grid"
)

// TilesPicture is the name of the picture that a written map's tileset shows
// in Tiled. Reading a map never needs it.
const TilesPicture = "fogkeep-tiles.png"

// The tileset of written maps: a picture of 16 columns, a row each for
// terrains, levels and what may pass.
const (
	tilePx          = 16
	tileColumns     = 16
	firstTerrainGID = 1
	firstLevelGID   = firstTerrainGID + tileColumns
	firstPassGID    = firstLevelGID + tileColumns
)

// WriteTMJ returns the map as a Tiled map that [Open] reads back as the same
// map, to the same hash. It has a layer of terrain, one of levels, one of
// passability where that differs from the terrain's own, and the starts,
// resource places and features as objects. The map must have passed [grid.Map.Check].
func WriteTMJ(m *grid.Map) []byte {
	var b bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p(`{"type":"map","version":"1.10","orientation":"orthogonal","renderorder":"right-down","infinite":false,`+"\n"+
		`"width":%d,"height":%d,"tilewidth":%d,"tileheight":%d,`+"\n", m.W, m.H, tilePx, tilePx)
	p(`"properties":[{"name":"name","type":"string","value":%s},{"name":"occlusion","type":"string","value":%q}],`+"\n",
		jsonString(m.Name), m.Occlusion)
	writeTileset(&b)
	p("\"layers\":[\n")
	writeLayer(&b, m, 1, "terrain", 1, func(i int) int { return firstTerrainGID + int(m.Terrain[i]) })
	p(",\n")
	writeLayer(&b, m, 2, "levels", 0.35, func(i int) int { return firstLevelGID + int(m.Levels[i]) })
	p(",\n")
	if id := 3; differsInPass(m) {
		writeLayer(&b, m, id, "pass", 0.35, func(i int) int {
			if m.Pass[i] == grid.PassOf(m.Terrain[i]) {
				return 0
			}
			return firstPassGID + int(m.Pass[i])
		})
		p(",\n")
	}
	p(`{"type":"objectgroup","id":4,"name":"places","x":0,"y":0,"opacity":1,"visible":true,"objects":[` + "\n")
	id := 0
	object := func(class string, t grid.Tile, properties string) {
		if id++; id > 1 {
			p(",\n")
		}
		p(`{"id":%d,"name":"","type":%q,"point":true,"x":%d,"y":%d,"width":0,"height":0,"rotation":0,"visible":true%s}`,
			id, class, int(t.X)*tilePx+tilePx/2, int(t.Y)*tilePx+tilePx/2, properties)
	}
	for i, t := range m.Starts {
		object("start", t, fmt.Sprintf(`,"properties":[{"name":"seat","type":"int","value":%d}]`, i))
	}
	for _, t := range m.Resources {
		object("resource", t, "")
	}
	for _, f := range m.Features {
		object("feature", f.At, fmt.Sprintf(`,"properties":[{"name":"link","type":"int","value":%d},{"name":"type","type":"string","value":%s}]`, f.Link, jsonString(f.Type)))
	}
	p("\n]}],\n\"nextlayerid\":5,\"nextobjectid\":%d}\n", id+1)
	return b.Bytes()
}

func differsInPass(m *grid.Map) bool {
	for i, t := range m.Terrain {
		if m.Pass[i] != grid.PassOf(t) {
			return true
		}
	}
	return false
}

func writeTileset(b *bytes.Buffer) {
	fmt.Fprintf(b, `"tilesets":[{"firstgid":%d,"name":"fogkeep","tilewidth":%d,"tileheight":%d,"spacing":0,"margin":0,`+
		`"columns":%d,"tilecount":%d,"image":%q,"imagewidth":%d,"imageheight":%d,"tiles":[`+"\n",
		firstTerrainGID, tilePx, tilePx, tileColumns, 3*tileColumns, TilesPicture, tileColumns*tilePx, 3*tilePx)
	for t := grid.Grass; t <= grid.Cliff; t++ {
		fmt.Fprintf(b, `{"id":%d,"type":%q},`+"\n", int(t), t)
	}
	for l := range grid.LevelsMax {
		fmt.Fprintf(b, `{"id":%d,"properties":[{"name":"level","type":"int","value":%d}]},`+"\n", firstLevelGID-firstTerrainGID+l, l)
	}
	for p := grid.PassMask(0); p <= grid.PassAll; p++ {
		if p > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(b, `{"id":%d,"properties":[{"name":"pass","type":"string","value":%q}]}`, firstPassGID-firstTerrainGID+int(p), passString(p))
	}
	b.WriteString("]}],\n")
}

func passString(p grid.PassMask) string {
	s := ""
	for k := range grid.MoveKinds {
		if p.Has(k) {
			if s != "" {
				s += ","
			}
			s += k.String()
		}
	}
	return s
}

func writeLayer(b *bytes.Buffer, m *grid.Map, id int, name string, opacity float64, gid func(i int) int) {
	fmt.Fprintf(b, `{"type":"tilelayer","id":%d,"name":%q,"x":0,"y":0,"width":%d,"height":%d,"opacity":%g,"visible":true,"data":[`+"\n",
		id, name, m.W, m.H, opacity)
	row := make([]byte, 0, 4*m.W)
	for y := range m.H { // a line a row, so that a change of the map is a readable diff
		row = row[:0]
		for x := range m.W {
			row = append(strconv.AppendInt(row, int64(gid(y*m.W+x)), 10), ',')
		}
		if y == m.H-1 {
			row = row[:len(row)-1]
		}
		b.Write(append(row, '\n'))
	}
	b.WriteString("]}")
}

// jsonString never fails: a map's name is UTF-8.
func jsonString(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}
