package main

import (
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// shelf shows the library of maps to the lobby, and holds the editions of each
// map that a match may be played on: the same ground under another occlusion
// is another public map, with a hash of its own.
type shelf struct {
	*mapfile.Library
	editions map[edition]*grid.Map
	public   map[grid.MapHash][]byte
}

type edition struct {
	id        string
	occlusion grid.Occlusion
}

var occlusions = []grid.Occlusion{grid.OcclusionNone, grid.OcclusionHighGround, grid.OcclusionLineOfSight}

func newShelf(l *mapfile.Library) *shelf {
	s := &shelf{l, map[edition]*grid.Map{}, map[grid.MapHash][]byte{}}
	for _, e := range l.List() {
		for _, o := range occlusions {
			m := *e.Map
			m.Occlusion = o
			b := m.Marshal()
			s.editions[edition{e.ID, o}] = &m
			s.public[m.Hash()] = b
		}
	}
	return s
}

// Maps implements lobby.Maps.
func (s *shelf) Maps() []lobby.MapInfo {
	var out []lobby.MapInfo
	for _, e := range s.List() {
		out = append(out, mapInfoOf(e))
	}
	return out
}

// Map implements lobby.Maps.
func (s *shelf) Map(id string) (lobby.MapInfo, bool) {
	e, ok := s.ByID(id)
	if !ok {
		return lobby.MapInfo{}, false
	}
	return mapInfoOf(e), true
}

// edition returns the map to play under an occlusion option: a name of
// grid.Occlusion, or "map" for the map's own.
func (s *shelf) edition(id, occlusion string) (*grid.Map, bool) {
	e, ok := s.ByID(id)
	if !ok {
		return nil, false
	}
	o, named := grid.ParseOcclusion(occlusion)
	if !named {
		o = e.Map.Occlusion
	}
	m, ok := s.editions[edition{id, o}]
	return m, ok
}

// keep adds a map that a match is played on to those that can be fetched. It is
// called before anybody fetches.
func (s *shelf) keep(m *grid.Map) {
	if _, ok := s.public[m.Hash()]; !ok {
		s.public[m.Hash()] = m.Marshal()
	}
}

// bytes returns the public form of the map with that hash.
func (s *shelf) bytes(h grid.MapHash) ([]byte, bool) {
	b, ok := s.public[h]
	return b, ok
}

func mapInfoOf(e mapfile.Entry) lobby.MapInfo {
	return lobby.MapInfo{
		ID: e.ID, Name: e.Map.Name, Hash: e.Hash.String(),
		Width: e.Map.W, Height: e.Map.H, Starts: len(e.Map.Starts),
	}
}
