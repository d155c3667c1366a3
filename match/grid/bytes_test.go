package grid

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func drawMap(t *rapid.T) *Map {
	w, h := rapid.IntRange(MapSideMin, 40).Draw(t, "w"), rapid.IntRange(MapSideMin, 40).Draw(t, "h")
	m := NewMap(rapid.StringN(0, 20, NameBytesMax).Draw(t, "name"), w, h)
	m.Occlusion = Occlusion(rapid.IntRange(0, int(occlusionEnd)-1).Draw(t, "occlusion"))
	for i := range m.Levels {
		// A tile is a function of its index and a drawn seed: rapid shrinks
		// the seed, not ten thousand tiles.
		m.Levels[i] = Level(i * 7 % LevelsMax)
	}
	seed := rapid.IntRange(1, 1000).Draw(t, "seed")
	for i := range m.Terrain {
		m.Terrain[i] = Terrain(i * seed % int(terrainEnd))
		m.Pass[i] = PassMask(i * seed % (int(PassAll) + 1))
	}
	tile := rapid.Custom(func(t *rapid.T) Tile {
		return Tile{int16(rapid.IntRange(0, w-1).Draw(t, "x")), int16(rapid.IntRange(0, h-1).Draw(t, "y"))}
	})
	m.Starts = rapid.SliceOfN(tile, 1, SlotsMax).Draw(t, "starts")
	for _, s := range m.Starts {
		m.Pass[m.Index(s)] = PassAll
	}
	if rs := rapid.SliceOfN(tile, 0, 30).Draw(t, "resources"); len(rs) > 0 {
		m.Resources = rs
	}
	return m
}

func TestMapRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t)
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		b := m.Marshal()
		got, err := UnmarshalMap(b)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m, got); d != "" {
			t.Fatal(d)
		}
		if !bytes.Equal(got.Marshal(), b) || got.Hash() != m.Hash() {
			t.Fatal("a map has two forms")
		}
		h, err := ParseMapHash(m.Hash().String())
		if err != nil || h != m.Hash() {
			t.Fatalf("hash %v came back as %v, %v", m.Hash(), h, err)
		}
		// The error of each cut names where the bytes ended, and only the full bytes are a
		// map.
		cut := rapid.IntRange(0, len(b)-1).Draw(t, "cut")
		if _, err := UnmarshalMap(b[:cut]); !errors.Is(err, ErrMapFormat) || !strings.Contains(err.Error(), "offset") {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	})
}

func smallMap() *Map {
	m := NewMap("small", 16, 17)
	m.Starts = []Tile{{1, 1}, {14, 15}}
	m.Resources = []Tile{{8, 8}}
	return m
}

func TestUnmarshalMapRefuses(t *testing.T) {
	good := smallMap().Marshal()
	body := len(mapMagic) + 6 + len("small")
	change := func(at int, to ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[at:], to)
		return b
	}
	narrow := NewMap("narrow", 15, 17)
	narrow.Starts = []Tile{{1, 1}}
	for _, c := range []struct {
		name, want string
		b          []byte
	}{
		{"nothing", "offset 0", nil},
		{"another version", "offset 0", change(7, 2)},
		{"too wide", "offset 8", change(8, 0xFF, 0xFF)},
		{"too small", "size 15x17", narrow.Marshal()},
		{"a tail", "early", append(bytes.Clone(good), 0)},
		{"no features", "0 features", append(bytes.Clone(good), 0, 0)},
		{"too many features", "257 features", append(bytes.Clone(good), 1, 1)},
		{"a feature off the map", "feature 0", append(bytes.Clone(good), 1, 0, 99, 0, 0, 0, 7, 1, 't')},
		{"a feature without a type", "feature 0", append(bytes.Clone(good), 1, 0, 1, 0, 1, 0, 7, 0)},
		{"a tail after features", "1 bytes too many", append(bytes.Clone(good), 1, 0, 1, 0, 1, 0, 7, 1, 't', 0)},
		{"name not UTF-8", "offset 14", change(14, 0xFF)},
		{"unknown occlusion", "occlusion 9", change(12, 9)},
		{"level", "tile 0,0: level 200", change(body, 200)},
		{"terrain", "tile 1,0: terrain 99", change(body+16*17+1, 99)},
		{"passability", "tile 0,0: passability", change(body+2*16*17, 0xF0)},
		{"start off the map", "start 0", change(body+3*16*17+1, 0xFF, 0x7F)},
		{"resource off the map", "resource 0", change(len(good)-4, 0xFF, 0xFF)},
	} {
		_, err := UnmarshalMap(c.b)
		if !errors.Is(err, ErrMapFormat) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		}
	}
}

func TestHugeSizeAllocatesNothing(t *testing.T) {
	b := append([]byte(mapMagic), 0, 4, 0, 4, 0, 0) // 1024x1024 in 14 bytes
	if n := testing.AllocsPerRun(10, func() { _, _ = UnmarshalMap(b) }); n > 20 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzUnmarshalMap(f *testing.F) {
	f.Add(smallMap().Marshal())
	f.Add([]byte(mapMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := UnmarshalMap(b)
		if err != nil {
			if !errors.Is(err, ErrMapFormat) {
				t.Fatalf("error of another kind: %v", err)
			}
			return
		}
		if err := m.Check(); err != nil {
			t.Fatalf("read a map that is none: %v", err)
		}
		if !bytes.Equal(m.Marshal(), b) {
			t.Fatal("one map, two forms")
		}
	})
}

// The kept corpus has the small map and damaged copies.
func TestCorpusIsKept(t *testing.T) {
	found, err := filepath.Glob("testdata/fuzz/FuzzUnmarshalMap/*")
	if err != nil || len(found) < 5 {
		t.Fatalf("corpus of FuzzUnmarshalMap has %d files, want at least 5 (%v)", len(found), err)
	}
	whole := false
	for _, name := range found {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		whole = whole || bytes.Contains(b, []byte("small"))
	}
	if !whole {
		t.Error("no seed of the corpus holds a whole map")
	}
}
