package mapfile_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// realMapsEnv names a folder of maps of other games, which are never part of
// the repo.
const realMapsEnv = "FOGKEEP_TEST_MAPS"

// playersInName is the number of players that a Warzone 2100 map's name tells.
var playersInName = regexp.MustCompile(`^(\d+)c-`)

// TestRealMaps reads every map of the folder, and compares what it read with
// an obvious second reading of the same files.
func TestRealMaps(t *testing.T) {
	dir := os.Getenv(realMapsEnv)
	var found []string
	if dir != "" {
		var err error
		if found, _, err = mapfile.Find(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range found {
		t.Run(filepath.Base(p), func(t *testing.T) {
			m, err := mapfile.Open(p)
			if err != nil {
				t.Fatal(err)
			}
			if n := playersInName.FindStringSubmatch(filepath.Base(p)); n != nil {
				if want, _ := strconv.Atoi(n[1]); len(m.Starts) != want {
					t.Errorf("%d starts, the name says %d", len(m.Starts), want)
				}
			}
			if info, err := os.Stat(p); err == nil && info.IsDir() {
				obviousWZ(t, p, m)
			}
			back := filepath.Join(t.TempDir(), "back.tmj")
			if err := os.WriteFile(back, mapfile.WriteTMJ(m), 0o600); err != nil {
				t.Fatal(err)
			}
			again, err := mapfile.Open(back)
			if err != nil {
				t.Fatal(err)
			}
			if again.Hash() != m.Hash() {
				t.Error("converted to .tmj and back it is another map")
			}
			t.Logf("%dx%d, %d starts, %d resources, %d levels", m.W, m.H, len(m.Starts), len(m.Resources), m.LevelCount())
		})
	}
	t.Attr("real-maps", strconv.Itoa(len(found))) // the summary of all tests prints it
}

// obviousWZ reads the size and the command centres of a map folder without a
// line of the importer.
func obviousWZ(t *testing.T, dir string, m *grid.Map) {
	b, err := os.ReadFile(filepath.Join(dir, "game.map"))
	if err != nil {
		t.Fatal(err)
	}
	if w, h := int(b[8])+256*int(b[9]), int(b[12])+256*int(b[13]); m.W != w || m.H != h {
		t.Errorf("size %dx%d, the file says %dx%d", m.W, m.H, w, h)
	}
	if b, err = os.ReadFile(filepath.Join(dir, "struct.json")); err != nil {
		t.Fatal(err)
	}
	var objects map[string]struct {
		Name     string `json:"name"`
		Position []int  `json:"position"`
		Startpos *int   `json:"startpos"`
	}
	if err := json.Unmarshal(b, &objects); err != nil {
		t.Fatal(err)
	}
	centres := 0
	for _, o := range objects {
		if o.Name == "A0CommandCentre" && o.Startpos != nil {
			centres++
			want := grid.Tile{X: int16(o.Position[0] / 128), Y: int16(o.Position[1] / 128)}
			if got := m.Starts[*o.Startpos]; got != want {
				t.Errorf("start %d is %v, its command centre %v", *o.Startpos, got, want)
			}
		}
	}
	if centres != len(m.Starts) {
		t.Errorf("%d starts, %d command centres", len(m.Starts), centres)
	}
}
