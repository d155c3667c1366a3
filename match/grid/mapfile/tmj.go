package mapfile

import (
	"fmt"
	"math"

	"github.com/fogkeep/fogkeep/internal/strictjson"
	"github.com/fogkeep/fogkeep/match/grid"
)

// levelsMax is how deep the objects and lists of a file may be nested.
const levelsMax = 1000

// walker reads the parts of a map.
type walker struct{ *strictjson.Reader }

func walk(b []byte) walker { return walker{strictjson.New(b, levelsMax)} }

// parseTMJ reads a Tiled map in JSON
// (https://doc.mapeditor.org/en/stable/reference/json-map-format/).
func parseTMJ(b []byte) (*tiled, error) {
	w := walk(b)
	t := &tiled{}
	w.Object("the file", func(key string) {
		switch key {
		case "orientation":
			t.orientation = w.Text(key)
		case "infinite":
			t.infinite = w.Scalar(key) == "true"
		case "width":
			t.sizeAt = w.At
			t.w = int(w.Integer(key, 0, math.MaxInt32))
		case "height":
			t.h = int(w.Integer(key, 0, math.MaxInt32))
		case "tilewidth":
			t.tileW = int(w.Integer(key, 0, math.MaxInt32))
		case "tileheight":
			t.tileH = int(w.Integer(key, 0, math.MaxInt32))
		case "properties":
			t.props = w.properties()
		case "tilesets":
			w.Array(key, tiledTilesetsMax, func(int) {
				s := w.tileset()
				t.tilesets = append(t.tilesets, s)
			})
		case "layers":
			w.layers(t, 0, false)
		case "type":
			if s := w.Text(key); s != "map" {
				w.Fail("the file is a %s, not a map", quote(s))
			}
		default:
			w.Skip()
		}
	})
	w.End()
	return t, w.Err
}

// parseTSJ reads a tileset file in JSON.
func parseTSJ(b []byte) (tileset, error) {
	w := walk(b)
	s := w.tileset()
	w.End()
	return s, w.Err
}

func (w walker) tileset() tileset {
	s := tileset{firstGID: 1}
	w.Object("tileset", func(key string) {
		switch key {
		case "firstgid":
			s.at = w.At
			s.firstGID = uint32(w.Integer(key, 1, tiledGIDMask))
		case "source":
			s.at = w.At
			s.source = w.Text(key)
		case "name":
			s.name = w.Text(key)
		case "tilecount":
			s.count = int(w.Integer(key, 0, tiledGIDMask))
		case "tiles":
			s.tiles = map[uint32]tile{}
			w.Array(key, tiledTilesMax, func(int) {
				var id uint32
				tl := tile{}
				w.Object("tile", func(key string) {
					switch key {
					case "id":
						tl.at = w.At
						id = uint32(w.Integer(key, 0, tiledGIDMask))
					case "type", "class":
						tl.class = w.Text(key)
					case "properties":
						tl.props = w.properties()
					default:
						w.Skip()
					}
				})
				s.tiles[id] = tl
			})
		default:
			w.Skip()
		}
	})
	return s
}

func (w walker) properties() props {
	p := props{}
	w.Array("properties", tiledTilesMax, func(int) {
		var name string
		var v prop
		w.Object("property", func(key string) {
			switch key {
			case "name":
				name = w.Text(key)
				v.at = max(v.at, w.At)
			case "value":
				kind, text := w.Value()
				switch v.at = w.At; kind {
				case '{', '[': // a class property's value is an object: no property of ours
					v.value = "{…}"
					w.Skip()
				case 's', 'n', 'b':
					v.value = text
				}
			default:
				w.Skip()
			}
		})
		p[name] = v
	})
	return p
}

func (w walker) layers(t *tiled, depth int, hidden bool) {
	if depth > tiledDepthMax {
		w.Fail("more than %d groups in each other", tiledDepthMax)
		return
	}
	w.Array("layers", tiledLayersMax, func(int) { w.layer(t, depth, hidden) })
}

func (w walker) layer(t *tiled, depth int, hidden bool) {
	l := layer{hidden: hidden, at: w.Place()}
	kind := ""
	dataAt := int64(0)
	var data *chunk
	place := len(t.layers)
	w.Object("layer", func(key string) {
		switch key {
		case "type":
			kind = w.Text(key)
		case "name":
			l.name = w.Text(key)
		case "visible":
			l.hidden = w.Scalar(key) == "false" || l.hidden
		case "x":
			l.x = int(w.Integer(key, -tiledCoordMax, tiledCoordMax))
		case "y":
			l.y = int(w.Integer(key, -tiledCoordMax, tiledCoordMax))
		case "width":
			l.w = int(w.Integer(key, 0, math.MaxInt32))
		case "height":
			l.h = int(w.Integer(key, 0, math.MaxInt32))
		case "encoding":
			l.encoding = w.Text(key)
		case "compression":
			l.compression = w.Text(key)
		case "properties":
			l.props = w.properties()
		case "data":
			c := w.data()
			data, dataAt = &c, c.at
		case "chunks":
			w.Array(key, tiledChunksMax, func(int) {
				var c chunk
				w.Object("chunk", func(key string) {
					switch key {
					case "x":
						c.x = int(w.Integer(key, -tiledCoordMax, tiledCoordMax))
					case "y":
						c.y = int(w.Integer(key, -tiledCoordMax, tiledCoordMax))
					case "width":
						c.w = int(w.Integer(key, 0, grid.MapSideMax))
					case "height":
						c.h = int(w.Integer(key, 0, grid.MapSideMax))
					case "data":
						d := w.data()
						c.gids, c.text, c.at = d.gids, d.text, d.at
					default:
						w.Skip()
					}
				})
				if w.Err == nil {
					w.Err = t.addChunk(&l, c)
				}
			})
		case "objects":
			w.Array(key, tiledObjectsMax, func(int) { w.mapObject(t) })
		case "layers":
			w.layers(t, depth+1, l.hidden)
		default:
			w.Skip()
		}
	})
	if w.Err != nil {
		return
	}
	if l.hidden { // "visible" follows "layers" in a group's keys
		for i := place; i < len(t.layers); i++ {
			t.layers[i].hidden = true
		}
	}
	if kind != "tilelayer" {
		w.Err = l.props.only(fmt.Sprintf("layer %s, which is no tile layer", quote(l.name)))
		return
	}
	if data != nil {
		data.w, data.h, data.at = l.w, l.h, dataAt
		w.Err = t.addChunk(&l, *data)
	}
	if w.Err == nil {
		w.Err = t.addLayer(l)
	}
}

func (t *tiled) addLayer(l layer) error {
	if len(t.layers) == tiledLayersMax {
		return errAt(l.at, "more than %d layers", tiledLayersMax)
	}
	t.layers = append(t.layers, l)
	return nil
}

// addChunk checks the size of a chunk before anything is allocated for it.
func (t *tiled) addChunk(l *layer, c chunk) error {
	if c.w < 0 || c.h < 0 || c.w > grid.MapSideMax || c.h > grid.MapSideMax {
		return errAt(c.at, "layer %s: size %dx%d: a side has 0 to %d tiles", quote(l.name), c.w, c.h, grid.MapSideMax)
	}
	if t.cells += c.w * c.h; t.cells > tiledCellsMax {
		return errAt(c.at, "layer %s: more than %d cells in all layers", quote(l.name), tiledCellsMax)
	}
	if len(l.chunks) == tiledChunksMax {
		return errAt(c.at, "layer %s: more than %d chunks", quote(l.name), tiledChunksMax)
	}
	l.chunks = append(l.chunks, c)
	return nil
}

// data reads the cells of a layer or chunk: a list of numbers, or a string
// that is decoded later, because its encoding may come after it.
func (w walker) data() (c chunk) {
	kind, text := w.Value()
	c.at = w.At
	switch kind {
	case 's':
		c.text = text
	case '[':
		c.gids = []uint32{}
		w.Array("data", grid.MapSideMax*grid.MapSideMax, func(int) {
			c.gids = append(c.gids, uint32(w.Integer("cell", 0, math.MaxUint32)))
		})
	default:
		w.Fail("data: want a list or a string")
	}
	return c
}

func (w walker) mapObject(t *tiled) {
	o := object{at: w.Place()}
	var ow, oh float64
	isTile := false
	w.Object("object", func(key string) {
		switch key {
		case "name":
			o.name = w.Text(key)
		case "type", "class":
			o.class = w.Text(key)
		case "x":
			o.x = w.Number(key, tiledCoordMax)
		case "y":
			o.y = w.Number(key, tiledCoordMax)
		case "width":
			ow = w.Number(key, tiledCoordMax)
		case "height":
			oh = w.Number(key, tiledCoordMax)
		case "gid":
			isTile = true
			w.Skip()
		case "properties":
			o.props = w.properties()
		default:
			w.Skip()
		}
	})
	if w.Err != nil {
		return
	}
	w.Err = t.addObject(o, ow, oh, isTile)
}

// addObject moves an object's point to the middle of its shape. A tile object's
// own point is its bottom left corner, every other's the top left one.
func (t *tiled) addObject(o object, w, h float64, isTile bool) error {
	if len(t.objects) == tiledObjectsMax {
		return errAt(o.at, "more than %d objects", tiledObjectsMax)
	}
	o.x += w / 2
	if isTile {
		h = -h
	}
	o.y += h / 2
	t.objects = append(t.objects, o)
	return nil
}
