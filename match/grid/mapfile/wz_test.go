package mapfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fogkeep/fogkeep/match/grid"
)

// wzFiles is a small map of our own in the Warzone 2100 format: 20x16, a
// plateau of height 200 in the east, a cliff at x 10, water in the last row.
func wzFiles() map[string][]byte {
	const w, h = 20, 16
	le := binary.LittleEndian
	m := []byte("map ")
	for _, v := range []uint32{10, w, h} {
		m = le.AppendUint32(m, v)
	}
	for y := range h {
		for x := range w {
			texture, height := uint16(0), byte(50+x%3)
			switch {
			case y == h-1:
				texture = 2
			case x == 10:
				texture = 1
			}
			if x > 10 {
				height = byte(200 + y%2)
			}
			m = append(le.AppendUint16(m, texture|0xA000), height) // flips set
		}
	}
	m = append(m, 1, 0, 0, 0, 0, 0, 0, 0) // no gateways
	types := append([]byte("ttyp"), 8, 0, 0, 0, 3, 0, 0, 0, 1, 0, 8, 0, 7, 0)
	return map[string][]byte{
		"game.map":   m,
		"ttypes.ttp": types,
		"struct.json": []byte(`{
  "structure_1": {"name": "A0CommandCentre", "position": [320, 448, 0], "rotation": [0,0,0], "startpos": 1},
  "structure_2": {"name": "A0CommandCentre", "position": [2176, 1024, 0], "startpos": 0},
  "structure_3": {"name": "PillBox1", "position": [0, 0, 0], "startpos": 0},
  "structure_4": {"name": "A0CannonTower", "position": [128, 0, 0], "player": -1}
}`),
		"droid.json":   []byte(`{"droid_1": {"id": 9, "position": [10, 10, 0], "startpos": 0, "template": "ConstructionDroid"}}`),
		"feature.json": []byte(`{"f1": {"name": "OilResource", "position": [700, 700, 0]}, "f2": {"name": "Tree1", "position": [0, 0, 0]}}`),
	}
}

func asFS(files map[string][]byte) fstest.MapFS {
	out := fstest.MapFS{}
	for name, b := range files {
		out[name] = &fstest.MapFile{Data: b}
	}
	return out
}

func TestWZ(t *testing.T) {
	m, err := openWZ(asFS(wzFiles()), ".", "maps/2c-test")
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "2c-test" || m.W != 20 || m.H != 16 {
		t.Errorf("%q, %dx%d", m.Name, m.W, m.H)
	}
	if want := []grid.Tile{{X: 17, Y: 8}, {X: 2, Y: 3}}; fmt.Sprint(m.Starts) != fmt.Sprint(want) {
		t.Errorf("starts %v, want %v", m.Starts, want)
	}
	if want := []grid.Tile{{X: 5, Y: 5}}; fmt.Sprint(m.Resources) != fmt.Sprint(want) {
		t.Errorf("resources %v, want %v", m.Resources, want)
	}
	low, high, cliff, water := grid.Tile{X: 3, Y: 3}, grid.Tile{X: 15, Y: 3}, grid.Tile{X: 10, Y: 3}, grid.Tile{X: 3, Y: 15}
	if m.Level(low) != 0 || m.Level(high) != 1 || m.LevelCount() != 2 {
		t.Errorf("levels %d and %d of %d, want 0 and 1 of 2", m.Level(low), m.Level(high), m.LevelCount())
	}
	if m.Passable(cliff, grid.Ground) || m.Passable(water, grid.Ground) || !m.Passable(water, grid.Hover) || !m.Passable(low, grid.Ground) {
		t.Error("passability does not follow the terrain types")
	}
}

// Without a command centre the first other structure marks the start, else the
// first droid.
func TestWZStartWithoutCommandCentre(t *testing.T) {
	files := wzFiles()
	files["struct.json"] = []byte(`{"b": {"name": "Wall", "position": [300, 300, 0], "startpos": 1}, "a": {"name": "Wall", "position": [500, 300, 0], "startpos": 1}}`)
	m, err := openWZ(asFS(files), ".", "m")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.Starts); got != "[tile 0,0 tile 3,2]" {
		t.Errorf("starts %s", got)
	}
}

func TestWZRefuses(t *testing.T) {
	with := func(name string, b []byte) map[string][]byte {
		f := wzFiles()
		if b == nil {
			delete(f, name)
		} else {
			f[name] = b
		}
		return f
	}
	patch := func(name string, at int, b ...byte) map[string][]byte {
		f := wzFiles()
		copy(f[name][at:], b)
		return f
	}
	script := with("game.map", nil)
	script["game.js"] = []byte("// makes the map")
	for _, c := range []struct {
		name  string
		want  string // the whole message
		files map[string][]byte
	}{
		{"no map", "m: game.map is missing: not a Warzone 2100 map folder", with("game.map", nil)},
		{"a script", "m: game.map is missing; the script game.js makes the map when the game starts: fogkeep cannot import such maps", script},
		{"no structures", "m/struct.json: the file is missing: maps that a script fills cannot be imported", with("struct.json", nil)},
		{"another header", `m/game.map: offset 0: header is not "map "`, patch("game.map", 0, 'M')},
		{"another version", "m/game.map: offset 4: version 39: only 10 is known", patch("game.map", 4, 39)},
		{"absurd size", "m/game.map: offset 8: size 4294967295x16: a side has 16 to 1024 tiles", patch("game.map", 8, 255, 255, 255, 255)},
		{"truncated", "m/game.map: offset 500: 20x16 tiles need 976 bytes, the file has 500", with("game.map", wzFiles()["game.map"][:500])},
		{"cut header", "m/game.map: offset 9: the file ends inside its header of 16 bytes", with("game.map", wzFiles()["game.map"][:9])},
		{"unknown texture", "m/game.map: offset 19: tile 1,0 has texture 7, ttypes.ttp has 3", patch("game.map", 19, 7)},
		{"types header", `m/ttypes.ttp: offset 0: header is not "ttyp"`, patch("ttypes.ttp", 0, 'x')},
		{"types cut", "m/ttypes.ttp: offset 14: 3 textures need 18 bytes, the file has 14", with("ttypes.ttp", wzFiles()["ttypes.ttp"][:14])},
		{"too many types", "m/ttypes.ttp: offset 8: 16777219 textures: at most 512", patch("ttypes.ttp", 11, 1)},
		{"type unknown", "m/ttypes.ttp: offset 14: texture 1 has terrain type 77: at most 11", patch("ttypes.ttp", 14, 77)},
		{"JSON syntax", `m/struct.json: line 2, offset 7: "t!" is no value of JSON: a text has double quotes`, with("struct.json", []byte("{\"a\":\n t!}"))},
		{"JSON cut", "m/struct.json: line 1, offset 30: the file ends too early", with("struct.json", []byte(`{"a": {"name": "A0CommandCentr`))},
		{"start off the map", `m/struct.json: line 1, offset 1: object "a" at 99999,0: off the map of 20x16 tiles`,
			with("struct.json", []byte(`{"a": {"name": "A0CommandCentre", "position": [99999, 0, 0], "startpos": 0}}`))},
		{"start on a cliff", `m/struct.json: offset 1: start 0 at tile 10,0: not passable by ground`,
			with("struct.json", []byte(`{"a": {"name": "A0CommandCentre", "position": [1280, 0, 0], "startpos": 0}}`))},
		{"startpos absurd", `m/struct.json: line 1, offset 19: startpos 999: want a whole number from 0 to 63`,
			with("struct.json", []byte(`{"a": {"startpos": 999}}`))},
		{"position short", `m/struct.json: line 1, offset 20: position: want [x, y, z]`,
			with("struct.json", []byte(`{"a": {"position":[1]}}`))},
		{"no position", `m/struct.json: line 1, offset 1: object "a" has no position`,
			with("struct.json", []byte(`{"a": {"startpos": 0}}`))},
		{"feature a list", `m/feature.json: line 1, offset 0: the file: want an object`, with("feature.json", []byte(`[]`))},
	} {
		_, err := openWZ(asFS(c.files), ".", "m")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: the error is no ErrFormat", c.name)
		}
	}
}

func zipOf(t *testing.T, files map[string][]byte) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(t.TempDir(), "mp.wz")
	if err := os.WriteFile(p, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func under(dir string, files map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for name, b := range files {
		out[dir+"/"+name] = b
	}
	return out
}

func TestZip(t *testing.T) {
	one := zipOf(t, under("multiplay/maps/2c-test", wzFiles()))
	for _, p := range []string{one, one + "#multiplay/maps/2c-test", one + "#/multiplay/maps/2c-test/"} {
		m, err := Open(p)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if m.Name != "2c-test" || m.W != 20 {
			t.Errorf("%s: %q of width %d", p, m.Name, m.W)
		}
	}
	both := under("a/one", wzFiles())
	maps.Copy(both, under("a/two", wzFiles()))
	two := zipOf(t, both)
	bomb := under("m", wzFiles())
	bomb["m/struct.json"] = make([]byte, wzJSONBytesMax+1) // packs to a few KiB
	for _, c := range []struct{ path, want string }{
		{two, "2 maps in this zip: name one after a #, for example #a/one"},
		{two + "#a/three", `no map folder "a/three" among the 2 of this zip, for example #a/one`},
		{two + "#../../etc", `no map folder "etc"`},
		{zipOf(t, map[string][]byte{"readme": nil}), "no Warzone 2100 map in this zip"},
		{zipOf(t, bomb), "struct.json: 16777217 bytes: too large: at most 16777216 bytes"},
	} {
		if _, err := Open(c.path); err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v, want %q", c.path, err, c.want)
		}
	}
	broken := filepath.Join(t.TempDir(), "x.wz")
	if err := os.WriteFile(broken, []byte("PK no zip"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(broken); !errors.Is(err, ErrFormat) {
		t.Errorf("not a zip: %v", err)
	}
}

func FuzzWZ(f *testing.F) {
	files := wzFiles()
	f.Add(files["game.map"], files["ttypes.ttp"], files["struct.json"], files["droid.json"], files["feature.json"])
	f.Fuzz(func(t *testing.T, gameMap, types, structs, droids, features []byte) {
		m, err := openWZ(asFS(map[string][]byte{
			"game.map": gameMap, "ttypes.ttp": types, "struct.json": structs, "droid.json": droids, "feature.json": features,
		}), ".", "m")
		checkRead(t, m, err)
	})
}

// checkRead says that a reader gave a playable map or a clear error.
func checkRead(t *testing.T, m *grid.Map, err error) {
	t.Helper()
	if err != nil {
		if !errors.Is(err, ErrFormat) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 500 {
			t.Fatalf("an unclear error: %q", err)
		}
		return
	}
	if err := m.Check(); err != nil {
		t.Fatalf("read a map that cannot be played: %v", err)
	}
	back, err := OpenFS(asFS(map[string][]byte{"x.tmj": WriteTMJ(m)}), "x.tmj", "x.tmj")
	if err != nil || back.Hash() != m.Hash() {
		t.Fatalf("written and read again it is another map: %v", err)
	}
}

// A map whose objects name no start can be shown.
func TestWZWithoutStarts(t *testing.T) {
	f := wzFiles()
	f["struct.json"], f["droid.json"] = []byte(`{}`), []byte(`{"d": {"position": [0,0,0], "player": 0}}`)
	m, err := openWZ(asFS(f), ".", "m")
	if err != nil || len(m.Starts) != 0 || len(m.Resources) == 0 {
		t.Errorf("%+v, %v", m, err)
	}
}
