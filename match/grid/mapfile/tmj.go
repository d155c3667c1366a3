package mapfile

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/fogkeep/fogkeep/match/grid"
)

// parseTMJ reads a Tiled map in JSON
// (https://doc.mapeditor.org/en/stable/reference/json-map-format/).
func parseTMJ(b []byte) (*tiled, error) {
	w := walkJSON(b)
	t := &tiled{}
	w.object("the file", func(key string) {
		switch key {
		case "orientation":
			t.orientation = w.str(key)
		case "infinite":
			t.infinite = w.scalar(key) == "true"
		case "width":
			t.sizeAt = w.at
			t.w = int(w.integer(key, 0, math.MaxInt32))
		case "height":
			t.h = int(w.integer(key, 0, math.MaxInt32))
		case "tilewidth":
			t.tileW = int(w.integer(key, 0, math.MaxInt32))
		case "tileheight":
			t.tileH = int(w.integer(key, 0, math.MaxInt32))
		case "properties":
			t.props = w.properties()
		case "tilesets":
			w.array(key, tiledTilesetsMax, func(int) {
				s := w.tileset()
				t.tilesets = append(t.tilesets, s)
			})
		case "layers":
			w.layers(t, 0, false)
		case "type":
			if s := w.str(key); s != "map" {
				w.fail("the file is a %s, not a map", quote(s))
			}
		default:
			w.skip()
		}
	})
	w.end()
	return t, w.err
}

// parseTSJ reads a tileset file in JSON.
func parseTSJ(b []byte) (tileset, error) {
	w := walkJSON(b)
	s := w.tileset()
	w.end()
	return s, w.err
}

func (w *walker) tileset() tileset {
	s := tileset{firstGID: 1}
	w.object("tileset", func(key string) {
		switch key {
		case "firstgid":
			s.at = w.at
			s.firstGID = uint32(w.integer(key, 1, tiledGIDMask))
		case "source":
			s.at = w.at
			s.source = w.str(key)
		case "name":
			s.name = w.str(key)
		case "tilecount":
			s.count = int(w.integer(key, 0, tiledGIDMask))
		case "tiles":
			s.tiles = map[uint32]tile{}
			w.array(key, tiledTilesMax, func(int) {
				var id uint32
				tl := tile{}
				w.object("tile", func(key string) {
					switch key {
					case "id":
						tl.at = w.at
						id = uint32(w.integer(key, 0, tiledGIDMask))
					case "type", "class":
						tl.class = w.str(key)
					case "properties":
						tl.props = w.properties()
					default:
						w.skip()
					}
				})
				s.tiles[id] = tl
			})
		default:
			w.skip()
		}
	})
	return s
}

func (w *walker) properties() props {
	p := props{}
	w.array("properties", tiledTilesMax, func(int) {
		var name string
		var v prop
		w.object("property", func(key string) {
			switch key {
			case "name":
				name = w.str(key)
				v.at = max(v.at, w.at)
			case "value":
				// A class property's value is an object: no property of ours.
				t := w.token()
				v.at = w.at
				switch x := t.(type) {
				case string:
					v.value = x
				case json.Number:
					v.value = string(x)
				case bool:
					v.value = strconv.FormatBool(x)
				case json.Delim:
					v.value = "{…}"
					w.skipRest(x)
				}
			default:
				w.skip()
			}
		})
		p[name] = v
	})
	return p
}

// skipRest skips a list or object whose opening is read.
func (w *walker) skipRest(open json.Delim) {
	if open == '{' {
		w.fields(func(string) { w.skip() })
	} else {
		w.items("list", math.MaxInt, func(int) { w.skip() })
	}
}

func (w *walker) layers(t *tiled, depth int, hidden bool) {
	if depth > tiledDepthMax {
		w.fail("more than %d groups in each other", tiledDepthMax)
		return
	}
	w.array("layers", tiledLayersMax, func(int) { w.layer(t, depth, hidden) })
}

func (w *walker) layer(t *tiled, depth int, hidden bool) {
	l := layer{hidden: hidden, at: w.at}
	kind := ""
	dataAt := int64(0)
	var data *chunk
	place := len(t.layers)
	w.object("layer", func(key string) {
		switch key {
		case "type":
			kind = w.str(key)
		case "name":
			l.name = w.str(key)
		case "visible":
			l.hidden = w.scalar(key) == "false" || l.hidden
		case "x":
			l.x = int(w.integer(key, -tiledCoordMax, tiledCoordMax))
		case "y":
			l.y = int(w.integer(key, -tiledCoordMax, tiledCoordMax))
		case "width":
			l.w = int(w.integer(key, 0, math.MaxInt32))
		case "height":
			l.h = int(w.integer(key, 0, math.MaxInt32))
		case "encoding":
			l.encoding = w.str(key)
		case "compression":
			l.compression = w.str(key)
		case "properties":
			l.props = w.properties()
		case "data":
			c := w.data()
			data, dataAt = &c, c.at
		case "chunks":
			w.array(key, tiledChunksMax, func(int) {
				var c chunk
				w.object("chunk", func(key string) {
					switch key {
					case "x":
						c.x = int(w.integer(key, -tiledCoordMax, tiledCoordMax))
					case "y":
						c.y = int(w.integer(key, -tiledCoordMax, tiledCoordMax))
					case "width":
						c.w = int(w.integer(key, 0, grid.MapSideMax))
					case "height":
						c.h = int(w.integer(key, 0, grid.MapSideMax))
					case "data":
						d := w.data()
						c.gids, c.text, c.at = d.gids, d.text, d.at
					default:
						w.skip()
					}
				})
				if w.err == nil {
					w.err = t.addChunk(&l, c)
				}
			})
		case "objects":
			w.array(key, tiledObjectsMax, func(int) { w.mapObject(t) })
		case "layers":
			w.layers(t, depth+1, l.hidden)
		default:
			w.skip()
		}
	})
	if w.err != nil {
		return
	}
	if l.hidden { // "visible" follows "layers" in a group's keys
		for i := place; i < len(t.layers); i++ {
			t.layers[i].hidden = true
		}
	}
	if kind != "tilelayer" {
		w.err = l.props.only(fmt.Sprintf("layer %s, which is no tile layer", quote(l.name)))
		return
	}
	if data != nil {
		data.w, data.h, data.at = l.w, l.h, dataAt
		w.err = t.addChunk(&l, *data)
	}
	if w.err == nil {
		w.err = t.addLayer(l)
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
func (w *walker) data() (c chunk) {
	t := w.token()
	c.at = w.at
	switch v := t.(type) {
	case string:
		c.text = v
	case json.Delim:
		if v != '[' {
			w.fail("data: want a list or a string")
			return c
		}
		c.gids = []uint32{}
		w.items("data", grid.MapSideMax*grid.MapSideMax, func(int) {
			c.gids = append(c.gids, uint32(w.integer("cell", 0, math.MaxUint32)))
		})
	default:
		w.fail("data: want a list or a string")
	}
	return c
}

func (w *walker) mapObject(t *tiled) {
	o := object{at: w.dec.InputOffset()}
	var ow, oh float64
	isTile := false
	w.object("object", func(key string) {
		switch key {
		case "name":
			o.name = w.str(key)
		case "type", "class":
			o.class = w.str(key)
		case "x":
			o.x = w.float(key)
		case "y":
			o.y = w.float(key)
		case "width":
			ow = w.float(key)
		case "height":
			oh = w.float(key)
		case "gid":
			isTile = true
			w.skip()
		case "properties":
			o.props = w.properties()
		default:
			w.skip()
		}
	})
	if w.err != nil {
		return
	}
	w.err = t.addObject(o, ow, oh, isTile)
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

func (w *walker) float(what string) float64 {
	t := w.token()
	n, ok := t.(json.Number)
	if !ok {
		w.fail("%s: want a number", what)
		return 0
	}
	return w.coord(what, string(n))
}

func (w *walker) coord(what, s string) float64 {
	v, err := parseCoord(s)
	if err != nil {
		w.fail("%s %s: want a number of at most %d", what, quote(s), tiledCoordMax)
	}
	return v
}

// parseCoord reads a coordinate in pixels; it is finite and bounded.
func parseCoord(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && !(math.Abs(v) <= tiledCoordMax) {
		err = strconv.ErrRange
	}
	if err != nil {
		return 0, err
	}
	return v, nil
}
