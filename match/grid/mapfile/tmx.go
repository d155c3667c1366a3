package mapfile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
)

// parseTMX reads a Tiled map in XML
// (https://doc.mapeditor.org/en/stable/reference/tmx-map-format/). Only the five
// entities of XML itself exist, so no text can grow.
func parseTMX(b []byte) (*tiled, error) {
	x := newXMLWalker(b)
	t := &tiled{}
	root := x.root("map")
	t.sizeAt = x.at
	t.orientation = attr(root, "orientation")
	t.infinite = attr(root, "infinite") == "1"
	t.w, t.h = x.number(root, "width", 0), x.number(root, "height", 0)
	t.tileW, t.tileH = x.number(root, "tilewidth", 0), x.number(root, "tileheight", 0)
	x.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "properties":
			t.props = x.properties()
		case "tileset":
			if len(t.tilesets) == tiledTilesetsMax {
				x.fail("more than %d tilesets", tiledTilesetsMax)
				return
			}
			s := x.tileset(e)
			t.tilesets = append(t.tilesets, s)
		default:
			x.layer(t, e, 0, false)
		}
	})
	x.finish()
	return t, x.err
}

// parseTSX reads a tileset file in XML.
func parseTSX(b []byte) (tileset, error) {
	x := newXMLWalker(b)
	s := x.tileset(x.root("tileset"))
	x.finish()
	return s, x.err
}

// xmlWalker reads XML as a stream of tokens and knows the offset of each.
// After the first error every method returns at once.
type xmlWalker struct {
	dec   *xml.Decoder
	err   error
	at    int64 // offset of the last start element
	depth int   // elements open
}

func newXMLWalker(b []byte) *xmlWalker {
	dec := xml.NewDecoder(bytes.NewReader(b))
	dec.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		return nil, errors.New("only UTF-8 can be read, not " + quote(charset))
	}
	return &xmlWalker{dec: dec}
}

func (x *xmlWalker) fail(format string, args ...any) {
	if x.err == nil {
		x.err = errAt(x.at, format, args...)
	}
}

func (x *xmlWalker) token() xml.Token {
	if x.err != nil {
		return nil
	}
	before := x.dec.InputOffset()
	t, err := x.dec.Token()
	if err != nil {
		x.at = x.dec.InputOffset()
		if errors.Is(err, io.EOF) || strings.HasSuffix(err.Error(), "unexpected EOF") {
			x.fail("the file ends too early")
		} else {
			x.fail("XML: %w", err)
		}
		return nil
	}
	switch t.(type) {
	case xml.StartElement:
		x.at = before
		x.depth++
	case xml.EndElement:
		x.depth--
	}
	return t
}

// root reads up to the file's element, which must be called name.
func (x *xmlWalker) root(name string) xml.StartElement {
	for x.err == nil {
		if e, ok := x.token().(xml.StartElement); ok {
			if e.Name.Local != name {
				x.fail("the file is a <%s>, want a <%s>", quote(e.Name.Local), name)
			}
			return e
		}
	}
	return xml.StartElement{}
}

// children calls f for each child of the element just begun, and skips the parts of the child that f did not read.
func (x *xmlWalker) children(f func(xml.StartElement)) {
	inside := x.depth
	for x.err == nil {
		switch e := x.token().(type) {
		case xml.StartElement:
			f(e)
			for x.err == nil && x.depth > inside {
				x.token()
			}
		case xml.EndElement:
			return
		}
	}
}

// text reads the rest of an element as text, calling f for child elements.
func (x *xmlWalker) text(f func(xml.StartElement)) string {
	var b strings.Builder
	inside := x.depth
	for x.err == nil {
		switch e := x.token().(type) {
		case xml.CharData:
			b.Write(e)
		case xml.StartElement:
			f(e)
			for x.err == nil && x.depth > inside {
				x.token()
			}
		case xml.EndElement:
			return b.String()
		}
	}
	return ""
}

func (x *xmlWalker) finish() {
	for x.err == nil {
		_, err := x.dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			x.at = x.dec.InputOffset()
			x.fail("XML: %w", err)
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// number reads an attribute that is a whole number; absent, it is otherwise.
func (x *xmlWalker) number(e xml.StartElement, name string, otherwise int) int {
	s := attr(e, name)
	if s == "" {
		return otherwise
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v < -tiledCoordMax || v > math.MaxInt32 {
		x.fail("%s of <%s> is %s: want a whole number", name, quote(e.Name.Local), quote(s))
		return otherwise
	}
	return int(v)
}

func (x *xmlWalker) coord(e xml.StartElement, name string) float64 {
	s := attr(e, name)
	if s == "" {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(math.Abs(v) <= tiledCoordMax) { // it may be NaN
		x.fail("%s of <%s> is %s: want a number of at most %d", name, quote(e.Name.Local), quote(s), tiledCoordMax)
	}
	return v
}

func (x *xmlWalker) properties() props {
	p := props{}
	x.children(func(e xml.StartElement) {
		if e.Name.Local != "property" {
			return
		}
		v := prop{attr(e, "value"), x.at}
		if v.value == "" { // a value of several lines is the element's text
			v.value = strings.TrimSpace(x.text(func(xml.StartElement) {}))
		}
		if len(p) == tiledTilesMax {
			x.fail("more than %d properties", tiledTilesMax)
			return
		}
		p[attr(e, "name")] = v
	})
	return p
}

// tileset reads a <tileset>.
func (x *xmlWalker) tileset(e xml.StartElement) tileset {
	s := tileset{source: attr(e, "source"), name: attr(e, "name"), at: x.at}
	gid, count := x.number(e, "firstgid", 1), x.number(e, "tilecount", 0)
	if gid < 1 || gid > tiledGIDMask || count < 0 || count > tiledGIDMask {
		x.fail("tileset %s: firstgid %d, tilecount %d: want at least 1 and 0, at most %d", quote(s.name), gid, count, tiledGIDMask)
		return s
	}
	s.firstGID, s.count = uint32(gid), count
	s.tiles = x.tiles()
	return s
}

// tiles reads the children of a <tileset>.
func (x *xmlWalker) tiles() map[uint32]tile {
	out := map[uint32]tile{}
	x.children(func(e xml.StartElement) {
		if e.Name.Local != "tile" {
			return
		}
		id := x.number(e, "id", 0)
		tl := tile{class: attr(e, "class"), at: x.at}
		if tl.class == "" {
			tl.class = attr(e, "type")
		}
		if id < 0 || id > tiledGIDMask || len(out) == tiledTilesMax {
			x.fail("tile %d: want at most %d tiles", id, tiledTilesMax)
			return
		}
		x.children(func(e xml.StartElement) {
			if e.Name.Local == "properties" {
				tl.props = x.properties()
			}
		})
		out[uint32(id)] = tl
	})
	return out
}

// layer reads a child of <map> or <group> if it is a layer of a kind that
// matters.
func (x *xmlWalker) layer(t *tiled, e xml.StartElement, depth int, hidden bool) {
	hidden = hidden || attr(e, "visible") == "0"
	switch e.Name.Local {
	case "group":
		if depth == tiledDepthMax {
			x.fail("more than %d groups in each other", tiledDepthMax)
			return
		}
		name := attr(e, "name")
		x.children(func(e xml.StartElement) {
			if e.Name.Local == "properties" {
				x.noProperties(name)
			} else {
				x.layer(t, e, depth+1, hidden)
			}
		})
	case "objectgroup", "imagelayer":
		name := attr(e, "name")
		x.children(func(e xml.StartElement) {
			switch e.Name.Local {
			case "properties":
				x.noProperties(name)
			case "object":
				x.mapObject(t, e)
			}
		})
	case "layer":
		l := layer{
			name: attr(e, "name"), at: x.at, hidden: hidden,
			x: x.number(e, "x", 0), y: x.number(e, "y", 0),
			w: x.number(e, "width", 0), h: x.number(e, "height", 0),
		}
		x.children(func(e xml.StartElement) {
			switch e.Name.Local {
			case "properties":
				l.props = x.properties()
			case "data":
				x.data(t, &l, e)
			}
		})
		if x.err == nil {
			x.err = t.addLayer(l)
		}
	}
}

// noProperties reads the properties of a layer that can have none of ours.
func (x *xmlWalker) noProperties(layer string) {
	if p := x.properties(); x.err == nil {
		x.err = p.only(fmt.Sprintf("layer %s, which is no tile layer", quote(layer)))
	}
}

func (x *xmlWalker) data(t *tiled, l *layer, e xml.StartElement) {
	l.encoding, l.compression = attr(e, "encoding"), attr(e, "compression")
	c := chunk{w: l.w, h: l.h, at: x.at}
	c.text = strings.TrimSpace(x.text(func(e xml.StartElement) {
		switch e.Name.Local {
		case "chunk":
			part := chunk{
				x: x.number(e, "x", 0), y: x.number(e, "y", 0),
				w: x.number(e, "width", 0), h: x.number(e, "height", 0), at: x.at,
			}
			part.text = strings.TrimSpace(x.text(func(e xml.StartElement) { x.cell(&part, e) }))
			if x.err == nil {
				x.err = t.addChunk(l, part)
			}
		default:
			x.cell(&c, e)
		}
	}))
	if x.err == nil && !t.infinite {
		x.err = t.addChunk(l, c)
	}
}

// cell reads the oldest notation, an element <tile gid="7"/> a cell.
func (x *xmlWalker) cell(c *chunk, e xml.StartElement) {
	if e.Name.Local != "tile" {
		return
	}
	if len(c.gids) == grid.MapSideMax*grid.MapSideMax {
		x.fail("data: more than %d cells", grid.MapSideMax*grid.MapSideMax)
		return
	}
	gid, err := strconv.ParseUint("0"+attr(e, "gid"), 10, 32)
	if err != nil {
		x.fail("gid %s: want a number", quote(attr(e, "gid")))
	}
	c.gids = append(c.gids, uint32(gid))
}

func (x *xmlWalker) mapObject(t *tiled, e xml.StartElement) {
	o := object{name: attr(e, "name"), class: attr(e, "class"), at: x.at}
	if o.class == "" {
		o.class = attr(e, "type")
	}
	o.x, o.y = x.coord(e, "x"), x.coord(e, "y")
	w, h, isTile := x.coord(e, "width"), x.coord(e, "height"), attr(e, "gid") != ""
	x.children(func(e xml.StartElement) {
		if e.Name.Local == "properties" {
			o.props = x.properties()
		}
	})
	if x.err == nil {
		x.err = t.addObject(o, w, h, isTile)
	}
}
