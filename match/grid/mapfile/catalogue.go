package mapfile

import (
	"bytes"
	"compress/gzip"
	"slices"
	"sync"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Catalogue holds the editions of each map of a library that a match may be
// played on. A map with another occlusion is another public map, with a hash of
// its own.
type Catalogue struct {
	mu       sync.RWMutex
	library  *Library
	editions map[edition]*grid.Map
	public   map[grid.MapHash]form
	others   []grid.MapHash // that the library does not have, the newest last
	bytes    int            // that those take
}

// form is the public form of a map. Its packed form is made when it is first asked for.
type form struct {
	plain  []byte
	packed func() []byte
}

func formOf(m *grid.Map) form {
	plain := m.Marshal()
	return form{plain, sync.OnceValue(func() []byte { return gzipped(plain) })}
}

// gzipped returns bytes compressed by gzip: a map takes a tenth.
func gzipped(plain []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("mapfile: a buffer takes all that is written: " + err.Error())
	}
	return bytes.Clone(b.Bytes())
}

// othersBytesMax bounds the maps that [Catalogue.Publish] has added, without their
// packed forms, which are smaller. Players may bring maps of their own, with scenarios.
const othersBytesMax = 128 << 20

type edition struct {
	id        string
	occlusion grid.Occlusion
}

var occlusions = []grid.Occlusion{grid.OcclusionNone, grid.OcclusionHighGround, grid.OcclusionLineOfSight}

// NewCatalogue makes all editions of the maps of a library.
func NewCatalogue(l *Library) *Catalogue {
	c := &Catalogue{}
	c.Replace(l)
	return c
}

// Replace offers the maps of another library from now on. Maps offered so far can still be fetched, as if they had
// been published ([Catalogue.Publish]): matches on them go on.
func (c *Catalogue) Replace(l *Library) {
	editions, public := map[edition]*grid.Map{}, map[grid.MapHash]form{}
	for _, e := range l.List() {
		for _, o := range occlusions {
			m := *e.Map
			m.Occlusion = o
			editions[edition{e.ID, o}] = &m
			h := m.Hash()
			if f, ok := c.form(h); ok {
				public[h] = f
			} else {
				public[h] = formOf(&m)
			}
		}
	}
	c.mu.Lock()
	before, others := c.editions, slices.DeleteFunc(c.others, func(h grid.MapHash) bool { _, ok := public[h]; return ok })
	c.others, c.bytes = nil, 0
	old := c.public
	c.library, c.editions, c.public = l, editions, public
	for _, h := range others {
		c.keep(h, old[h])
	}
	for _, m := range before {
		if h := m.Hash(); public[h].packed == nil {
			c.keep(h, old[h])
		}
	}
	c.mu.Unlock()
}

// List lists the maps that are offered, in the order of [Library.List].
func (c *Catalogue) List() []Entry { return c.Offered().List() }

// ByID finds a map that is offered.
func (c *Catalogue) ByID(id string) (Entry, bool) { return c.Offered().ByID(id) }

// Offered returns the library whose maps are offered.
func (c *Catalogue) Offered() *Library {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.library
}

// Edition returns the map to play under an occlusion option: a name of
// [grid.Occlusion], or any other text for the map's own.
func (c *Catalogue) Edition(id, occlusion string) (*grid.Map, bool) {
	e, ok := c.ByID(id)
	if !ok {
		return nil, false
	}
	o, named := grid.ParseOcclusion(occlusion)
	if !named {
		o = e.Map.Occlusion
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	m, ok := c.editions[edition{id, o}]
	return m, ok
}

// Publish adds a map to the fetchable ones, such as the map of a running match that is offered no more, or not
// here. Any goroutine may call it. Of many such maps those are forgotten whose last match began longest ago.
func (c *Catalogue) Publish(m *grid.Map) {
	h := m.Hash()
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.others, h); i >= 0 {
		c.others = append(slices.Delete(c.others, i, i+1), h)
		return
	}
	if _, ok := c.public[h]; ok {
		return
	}
	c.keep(h, formOf(m))
}

// keep adds a map without an offer to the fetchable ones. c.mu is held.
func (c *Catalogue) keep(h grid.MapHash, f form) {
	c.public[h] = f
	c.others, c.bytes = append(c.others, h), c.bytes+len(f.plain)
	for c.bytes > othersBytesMax && len(c.others) > 1 {
		c.bytes -= len(c.public[c.others[0]].plain)
		delete(c.public, c.others[0])
		c.others = c.others[1:]
	}
}

// Public returns the public form of the map with that hash.
func (c *Catalogue) Public(h grid.MapHash) ([]byte, bool) {
	f, ok := c.form(h)
	return f.plain, ok
}

// Packed returns the same, compressed by gzip.
func (c *Catalogue) Packed(h grid.MapHash) ([]byte, bool) {
	f, ok := c.form(h)
	if !ok {
		return nil, false
	}
	return f.packed(), true
}

func (c *Catalogue) form(h grid.MapHash) (form, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	f, ok := c.public[h]
	return f, ok
}
