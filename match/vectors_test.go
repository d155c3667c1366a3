package match

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

var update = flag.Bool("update", false, "rewrite the vectors and the page's table; read the difference before you commit it")

// vectorScenes are the matches that the vectors are of, by the name of their
// files.
var vectorScenes = []struct {
	name string
	play func(t testing.TB) *vectorFile
}{
	{"base.json", playBase},
	{"battle.json", playBattle},
	{"beats.json", playBeats},
	{"links.json", playLinks},
	{"spectators.json", playSpectators},
	{"end.json", playEnd},
	{"ground.json", playGround},
	{"mode.json", playMode},
	{"weapons.json", playWeapons},
}

// TestVectors holds the vectors to the server: it plays their matches again and
// has to send the same bytes.
func TestVectors(t *testing.T) {
	var names []string
	for _, s := range vectorScenes {
		names = append(names, s.name)
		t.Run(s.name, func(t *testing.T) {
			want, err := s.play(t).encode()
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(vectorsDir, s.name)
			if *update {
				if err := os.WriteFile(path, want, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(got, want) {
				return
			}
			have, need := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
			for i := range need {
				if i >= len(have) || !bytes.Equal(have[i], need[i]) {
					t.Fatalf("%s:%d is not what the server sends, which is\n%.400s\nif that was meant to change, run go test ./match -run TestVectors$ -update", path, i+1, need[i])
				}
			}
			t.Fatalf("%s has lines behind its end", path)
		})
	}
	slices.Sort(names)
	if files, _ := readVectors(t); !slices.Equal(files, names) {
		t.Errorf("the files are %v, the matches %v", files, names)
	}
}

// TestVectorsRead has the client in Go read all vectors from their bytes.
func TestVectorsRead(t *testing.T) {
	names, files := readVectors(t)
	for _, name := range names {
		f := files[name]
		m, err := grid.UnmarshalMap(f.Map)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Streams {
			if err := readStream(m, &f.Streams[i], 0); err != nil {
				t.Errorf("%s, %s: %v", name, f.Streams[i].Client, err)
			}
		}
	}
}

// vectorMap is small: two hills that hide the units on them, a cliff, and starts out of
// each other's sight.
func vectorMap(occlusion grid.Occlusion) *grid.Map {
	m := grid.NewMap("vectors", 44, 26)
	m.Occlusion = occlusion
	m.Starts = []grid.Tile{{X: 9, Y: 8}, {X: 35, Y: 12}, {X: 9, Y: 20}}
	m.Resources = []grid.Tile{{X: 15, Y: 4}, {X: 40, Y: 19}, {X: 14, Y: 22}}
	for y := 3; y < 9; y++ {
		for x := 20; x < 25; x++ {
			m.Levels[y*m.W+x] = 2
		}
	}
	for y := 16; y < 20; y++ {
		m.Terrain[y*m.W+22], m.Pass[y*m.W+22] = grid.Cliff, grid.PassOf(grid.Cliff)
	}
	return m
}
