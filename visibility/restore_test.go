package visibility

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
)

// savedTeam is the saved form of a team that never saw anything, field by field.
type savedTeam struct {
	feeds   uint16
	sources []byte // their number, then each
	free    []SourceID
	visible []byte // runs, with the byte that says that there are some
	known   []byte
}

// savedEngine is a saved engine, field by field, for a test to change one field.
type savedEngine struct {
	magic      string
	w, h       uint16
	occlusion  byte
	teamCount  byte
	teams      []savedTeam
	dirty      uint16
	timed      []SourceID
	edits      []byte // their number, then each
	afterwards []byte
}

// dark is the runs of a mask of 16x16 tiles in which no tile is set.
var dark = []byte{1, 4, 0}

// lit is a block with two set tiles.
var lit = []byte{1, 0, 0, 0, 0, 0, 0, 0x80}

func emptySave() savedEngine {
	team := func(i int) savedTeam {
		return savedTeam{feeds: 1 << i, sources: []byte{0}, visible: dark, known: dark}
	}
	return savedEngine{
		magic: saveMagic, w: 16, h: 16, occlusion: byte(grid.OcclusionNone), teamCount: 2, teams: []savedTeam{team(0), team(1)}, edits: []byte{0},
	}
}

func (s savedEngine) bytes(nextEnd uint32) []byte {
	le := binary.LittleEndian
	b := []byte(s.magic)
	b = le.AppendUint16(b, s.w)
	b = le.AppendUint16(b, s.h)
	b = append(b, s.occlusion, s.teamCount)
	for _, t := range s.teams {
		b = le.AppendUint16(b, t.feeds)
		b = append(b, t.sources...)
		b = appendIDs(b, t.free)
		b = append(append(b, t.visible...), t.known...)
		b = append(b, 0) // no detector was ever there
	}
	b = le.AppendUint16(b, s.dirty)
	b = le.AppendUint32(b, nextEnd)
	b = appendIDs(b, s.timed)
	b = append(b, s.edits...)
	return append(b, s.afterwards...)
}

func appendIDs(b []byte, ids []SourceID) []byte {
	b = binary.AppendUvarint(b, uint64(len(ids)))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return b
}

// savedSource is a source as it is saved.
func savedSource(id SourceID, x, y uint16, radius byte) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(id))
	b = le.AppendUint16(b, x)
	b = le.AppendUint16(b, y)
	b = append(b, radius, 0, 0)
	return le.AppendUint32(b, 0)
}

func savedEdit(at uint32, level byte, known ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, at)
	for _, l := range append([]byte{level}, known...) {
		b = append(b, l, 0, 0, 0)
	}
	return b
}

// TestRestoreNamesWhatIsWrong: each rule that a saved engine must keep is checked,
// and the error says which one was broken.
func TestRestoreNamesWhatIsWrong(t *testing.T) {
	cfg := Config{Map: flat(16, 16, grid.OcclusionNone), Teams: 2}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	id := func(team, place int) SourceID { return SourceID(genUnit | place<<teamBits | team) }
	empty := make([]byte, 4) // a place without a source
	for _, c := range []struct {
		want   string
		change func(*savedEngine)
	}{
		{"", func(*savedEngine) {}},
		{"", func(s *savedEngine) {
			s.teams[1].sources = append([]byte{2}, slices.Concat(savedSource(id(1, 0), 3, 4, 5), empty)...)
			s.teams[1].free = []SourceID{id(1, 1)}
		}},
		{"", func(s *savedEngine) { s.edits = append([]byte{1}, savedEdit(255, 15, 15, 0)...) }},
		{"header is not", func(s *savedEngine) { s.magic = strings.Repeat("x", len(saveMagic)) }},
		{"it is of a map of 17x16", func(s *savedEngine) { s.w = 17 }},
		{"it is of a map of 16x17", func(s *savedEngine) { s.h = 17 }},
		{"it is of a map of 16x16, line", func(s *savedEngine) { s.occlusion = byte(grid.OcclusionLineOfSight) }},
		{"and 3 teams, not of", func(s *savedEngine) { s.teamCount = 3 }},
		{"team 0 does not see the tiles of its own sources", func(s *savedEngine) { s.teams[0].feeds = 2 }},
		{"team 1 does not see the tiles of its own sources", func(s *savedEngine) { s.teams[1].feeds = 1 }},
		{"teams 0x5 of 2", func(s *savedEngine) { s.teams[0].feeds = 5 }},
		{"teams 0x4 of 2", func(s *savedEngine) { s.dirty = 4 }},
		{"source 0x", func(s *savedEngine) { s.teams[0].sources = append([]byte{1}, savedSource(id(1, 0), 0, 0, 5)...) }},
		{"is in place 0 of team 0", func(s *savedEngine) { s.teams[0].sources = append([]byte{1}, savedSource(id(0, 1), 0, 0, 5)...) }},
		{"off", func(s *savedEngine) { s.teams[0].sources = append([]byte{1}, savedSource(id(0, 0), 16, 0, 5)...) }},
		{"no empty place", func(s *savedEngine) { // of another team
			s.teams[0].sources, s.teams[0].free = append([]byte{1}, empty...), []SourceID{id(1, 0)}
		}},
		{"no empty place", func(s *savedEngine) { // past the last
			s.teams[0].sources, s.teams[0].free = append([]byte{1}, empty...), []SourceID{id(0, 1)}
		}},
		{"no empty place", func(s *savedEngine) { // taken by a source
			s.teams[0].sources, s.teams[0].free = append([]byte{2}, slices.Concat(savedSource(id(0, 0), 0, 0, 5), empty)...), []SourceID{id(0, 0)}
		}},
		{"no empty place", func(s *savedEngine) { // twice the same
			s.teams[0].sources, s.teams[0].free = append([]byte{2}, slices.Concat(empty, empty)...), []SourceID{id(0, 0), id(0, 0)}
		}},
		{"team 0 has 1 empty places and 0 free ones", func(s *savedEngine) { s.teams[0].sources = append([]byte{1}, empty...) }},
		{"team 0 sees tiles that it has not explored", func(s *savedEngine) { s.teams[0].visible = append([]byte{1, 0, 1}, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0) }},
		{"no visible tiles", func(s *savedEngine) { s.teams[0].visible = []byte{0} }},
		{"timed source 0x2 is of team 2 of 2", func(s *savedEngine) { s.timed = []SourceID{2} }},
		{"changed tile 256 after -1 of 256", func(s *savedEngine) { s.edits = append([]byte{1}, savedEdit(256, 1, 0, 0)...) }},
		{"changed tile 7 after 7 of 256", func(s *savedEngine) {
			s.edits = append([]byte{2}, slices.Concat(savedEdit(7, 1, 0, 0), savedEdit(7, 1, 0, 0))...)
		}},
		{"ground of level 16, opaque 0", func(s *savedEngine) { s.edits = append([]byte{1}, savedEdit(7, 16, 0, 0)...) }},
		{"ground of level 16, opaque 0", func(s *savedEngine) { s.edits = append([]byte{1}, savedEdit(7, 1, 0, 16)...) }},
		{"ground of level 1, opaque 2", func(s *savedEngine) { s.edits = slices.Concat([]byte{1}, savedEdit(7, 1, 0), []byte{1, 2, 0, 0}) }},
		{"changed tile 4294967295 after -1 of 256", func(s *savedEngine) { s.edits = append([]byte{1}, savedEdit(1<<32-1, 1, 0, 0)...) }},
		{"changed tile 6 after 7 of 256", func(s *savedEngine) {
			s.edits = append([]byte{2}, slices.Concat(savedEdit(7, 1, 0, 0), savedEdit(6, 1, 0, 0))...)
		}},
		{"a list of 2: the bytes end early", func(s *savedEngine) { s.edits = append([]byte{2}, savedEdit(7, 1, 0, 0)...) }},
		{"", func(s *savedEngine) { // all tiles
			s.edits = []byte{0x80, 2}
			for at := range uint32(256) {
				s.edits = append(s.edits, savedEdit(at, byte(at&15), 0, 3)...)
			}
		}},
		{"changed tile 0 after 0 of 256", func(s *savedEngine) { s.edits = append([]byte{0x81, 2}, make([]byte, 16*300)...) }},
		{"no number", func(s *savedEngine) { s.edits = []byte{0x80, 0} }}, // two bytes for 0
		{"no number", func(s *savedEngine) { s.edits = bytes.Repeat([]byte{0xff}, 11) }},
		{"", func(s *savedEngine) { // the first block, and the last
			s.teams[0].known = slices.Concat([]byte{1, 0, 1}, lit, []byte{2, 1}, lit)
		}},
		{"visible: 5 dark and 0 lit blocks of 4 left", func(s *savedEngine) { s.teams[0].visible = []byte{1, 5, 0} }},
		{"visible: 3 dark and 2 lit blocks of 4 left", func(s *savedEngine) { s.teams[0].visible = slices.Concat([]byte{1, 3, 2}, lit, lit) }},
		{"visible: 0 dark and 0 lit blocks of 4 left", func(s *savedEngine) { s.teams[0].visible = []byte{1, 0, 0, 4, 0} }},
		{"visible: 3 dark and 0 lit blocks of 4 left", func(s *savedEngine) { s.teams[0].visible = slices.Concat([]byte{1, 3, 0, 0, 1}, lit) }},
		{"visible: 0 dark and 3 lit blocks of 3 left", func(s *savedEngine) {
			s.teams[0].visible = slices.Concat([]byte{1, 0, 1}, lit, []byte{0, 3}, lit, lit, lit)
		}},
		{"visible: block 1 is dark", func(s *savedEngine) { s.teams[0].visible = slices.Concat([]byte{1, 1, 3}, make([]byte, 24)) }},
		{"1 bytes too many", func(s *savedEngine) { s.afterwards = []byte{0} }},
		// The error names the first of two faults.
		{"team 0 does not see the tiles of its own sources", func(s *savedEngine) { s.teams[0].feeds, s.teams[1].feeds = 2, 1 }},
		{"team 0 has 1 empty places and 0 free ones", func(s *savedEngine) {
			s.teams[0].sources = append([]byte{1}, empty...)
			s.teams[1].feeds = 1
		}},
	} {
		s := emptySave()
		c.change(&s)
		b := s.bytes(uint32(e.nextEnd))
		again, err := Restore(cfg, b)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("a sound engine is refused: %v", err)
		case c.want == "" && !bytes.Equal(again.Save(nil), b):
			t.Errorf("a restored engine saves %x, it was made of %x", again.Save(nil), b)
		case c.want != "" && (!errors.Is(err, ErrSave) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("error %v, want ErrSave and %q in it", err, c.want)
		}
		for n := range b { // cut short
			if _, err := Restore(cfg, b[:n]); !errors.Is(err, ErrSave) && n != len(b)-len(s.afterwards) {
				t.Fatalf("%d of %d bytes: error %v", n, len(b), err)
			}
		}
	}
}

// TestRestoredMasksAreCompared: the steps after a restore find the changes, though the
// restored engine does not know where its sources were drawn.
func TestRestoredMasksAreCompared(t *testing.T) {
	cfg := Config{Map: flat(512, 64, grid.OcclusionNone), Teams: 1}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	id := e.Add(0, Source{Tile: grid.Tile{X: 100, Y: 30}, Radius: 16, Detect: 8})
	e.Step(1)
	again, err := Restore(cfg, e.Save(nil))
	if err != nil {
		t.Fatal(err)
	}
	for now := range grid.Tick(5) {
		to := grid.Tile{X: int16(140 + 40*now), Y: 30}
		e.Move(id, to)
		again.Move(id, to)
		e.Step(2 + now)
		again.Step(2 + now)
		if a, b := slices.Collect(e.Changes(0)), slices.Collect(again.Changes(0)); !slices.Equal(a, b) {
			t.Fatalf("step %d: changes %v, restored %v", now, a, b)
		}
		if !bytes.Equal(e.Save(nil), again.Save(nil)) {
			t.Fatalf("step %d: masks differ", now)
		}
	}
}

// TestRestoreRefusesTilesOffTheMap: no bytes set a tile of a block that is not on the
// map.
func TestRestoreRefusesTilesOffTheMap(t *testing.T) {
	cfg := Config{Map: flat(20, 17, grid.OcclusionNone), Teams: 1}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	last := e.draw.place(2, 2)
	for tile := range 64 {
		e.teams[0].explored[last] = 1 << tile
		again, err := Restore(cfg, e.Save(nil))
		on := tile&7 < 20-16 && tile>>3 < 17-16
		if (err == nil) != on || !on && !strings.Contains(err.Error(), "explored: block 8 is dark, or lit off the map") {
			t.Errorf("tile %d of the last block is on the map %v: error %v", tile, on, err)
		}
		if err == nil && again.Mask(ExploredEver, 0).Count() != 1 {
			t.Errorf("tile %d of the last block: %d tiles are explored", tile, again.Mask(ExploredEver, 0).Count())
		}
	}
}

// TestRestoreKeepsTheFirstError: the error names the cut, though the rest reads as zeros,
// which break other rules.
func TestRestoreKeepsTheFirstError(t *testing.T) {
	cfg := Config{Map: flat(16, 16, grid.OcclusionNone), Teams: 2}
	s := emptySave()
	s.teams[0].sources = append([]byte{1}, savedSource(SourceID(genUnit), 3, 4, 5)...)
	s.edits = append([]byte{1}, savedEdit(255, 15, 15, 0)...)
	b := s.bytes(1000)
	if _, err := Restore(cfg, b); err != nil {
		t.Fatal(err)
	}
	for n := len(saveMagic); n < len(b); n++ {
		_, err := Restore(cfg, b[:n])
		if err == nil || !errors.Is(err, archive.ErrShort) {
			t.Errorf("%d of %d bytes: %v", n, len(b), err)
		}
	}
}
