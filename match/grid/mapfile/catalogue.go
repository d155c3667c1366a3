package mapfile

import "github.com/fogkeep/fogkeep/match/grid"

// Catalogue holds the editions of each map of a library that a match may be
// played on. A map with another occlusion is another public map, with a hash of
// its own.
type Catalogue struct {
	*Library
	editions map[edition]*grid.Map
	public   map[grid.MapHash][]byte
}

type edition struct {
	id        string
	occlusion grid.Occlusion
}

var occlusions = []grid.Occlusion{grid.OcclusionNone, grid.OcclusionHighGround, grid.OcclusionLineOfSight}

// NewCatalogue makes all editions of the maps of a library.
func NewCatalogue(l *Library) *Catalogue {
	c := &Catalogue{l, map[edition]*grid.Map{}, map[grid.MapHash][]byte{}}
	for _, e := range l.List() {
		for _, o := range occlusions {
			m := *e.Map
			m.Occlusion = o
			c.editions[edition{e.ID, o}] = &m
			c.Publish(&m)
		}
	}
	return c
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
	m, ok := c.editions[edition{id, o}]
	return m, ok
}

// Publish adds a map to those that can be fetched, such as one that a running
// match was started on and that is offered no more. Nobody may fetch meanwhile.
func (c *Catalogue) Publish(m *grid.Map) {
	if h := m.Hash(); c.public[h] == nil {
		c.public[h] = m.Marshal()
	}
}

// Public returns the public form of the map with that hash.
func (c *Catalogue) Public(h grid.MapHash) ([]byte, bool) {
	b, ok := c.public[h]
	return b, ok
}
