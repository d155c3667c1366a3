package visibility

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

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

// savedEngine is a saved engine, field by field, for a test to change one of them.
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
		{"team 0 does not see what it sees itself", func(s *savedEngine) { s.teams[0].feeds = 2 }},
		{"team 1 does not see what it sees itself", func(s *savedEngine) { s.teams[1].feeds = 1 }},
		{"teams 0x5 of 2", func(s *savedEngine) { s.teams[0].feeds = 5 }},
		{"teams 0x4 of 2", func(s *savedEngine) { s.dirty = 4 }},
		{"source 0x", func(s *savedEngine) { s.teams[0].sources = append([]byte{1}, savedSource(id(1, 0), 0, 0, 5)...) }},
		{"is in place 0 of team 0", func(s *savedEngine) { s.teams[0].sources = append([]byte{1}, savedSource(id(0, 1), 0, 0, 5)...) }},
		{"off", func(s *savedEngine) { s.teams[0].sources = append([]byte{1}, savedSource(id(0, 0), 16, 0, 5)...) }},
		{"no empty place of its own", func(s *savedEngine) { // of another team
			s.teams[0].sources, s.teams[0].free = append([]byte{1}, empty...), []SourceID{id(1, 0)}
		}},
		{"no empty place of its own", func(s *savedEngine) { // past the last
			s.teams[0].sources, s.teams[0].free = append([]byte{1}, empty...), []SourceID{id(0, 1)}
		}},
		{"no empty place of its own", func(s *savedEngine) { // taken by a source
			s.teams[0].sources, s.teams[0].free = append([]byte{2}, slices.Concat(savedSource(id(0, 0), 0, 0, 5), empty)...), []SourceID{id(0, 0)}
		}},
		{"no empty place of its own", func(s *savedEngine) { // twice the same
			s.teams[0].sources, s.teams[0].free = append([]byte{2}, slices.Concat(empty, empty)...), []SourceID{id(0, 0), id(0, 0)}
		}},
		{"team 0 has 1 empty places and 0 free ones", func(s *savedEngine) { s.teams[0].sources = append([]byte{1}, empty...) }},
		{"team 0 sees what it has not explored", func(s *savedEngine) { s.teams[0].visible = append([]byte{1, 0, 1}, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0) }},
		{"no visible tiles", func(s *savedEngine) { s.teams[0].visible = []byte{0} }},
		{"timed source 0x2 is of team 2 of 2", func(s *savedEngine) { s.timed = []SourceID{2} }},
		{"changed tile 256 after -1 of 256", func(s *savedEngine) { s.edits = append([]byte{1}, savedEdit(256, 1, 0, 0)...) }},
		{"changed tile 7 after 7 of 256", func(s *savedEngine) {
			s.edits = append([]byte{2}, slices.Concat(savedEdit(7, 1, 0, 0), savedEdit(7, 1, 0, 0))...)
		}},
		{"ground of level 16, opaque 0", func(s *savedEngine) { s.edits = append([]byte{1}, savedEdit(7, 16, 0, 0)...) }},
		{"ground of level 16, opaque 0", func(s *savedEngine) { s.edits = append([]byte{1}, savedEdit(7, 1, 0, 16)...) }},
		{"1 bytes too many", func(s *savedEngine) { s.afterwards = []byte{0} }},
		// The first of two faults is the one that is named.
		{"team 0 does not see what it sees itself", func(s *savedEngine) { s.teams[0].feeds, s.teams[1].feeds = 2, 1 }},
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

// TestRestoredMasksAreCompared: the steps after a restore find what changed, though
// the restored engine does not know where its sources were drawn.
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
