package visibility

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

var update = flag.Bool("update", false, "rewrite the golden files; read the diff")

// TestPictures reads small maps and the visible tiles on them, both as pictures. The files
// of testdata/pictures explain themselves: lines of settings, the map, "----", and the same
// map with a ~ for each tile that no source sees.
//
//	.      ground of level 0      1-9  ground of that level
//	#      cliff of level 0       A-I  cliff of level 1 to 9
//	@ a source on level 0; "level 2" before the map puts all sources higher
//
// With "detect" in the settings the picture shows detected tiles.
func TestPictures(t *testing.T) {
	files, err := filepath.Glob("testdata/pictures/*.txt")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d pictures, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			head, _, _ := strings.Cut(string(b), "----\n")
			p, err := parsePicture(head)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			e := newEngine(t, p.m, 1)
			f := obvious.NewField(p.m)
			for _, s := range p.sources {
				e.Add(0, s)
			}
			e.Step(0)
			m, want := e.Mask(VisibleNow, 0), f.Scan(teamSources(e, 0))
			if p.sources[0].Detect > 0 {
				m, want = e.Mask(DetectedNow, 0), f.ScanDetected(teamSources(e, 0))
			}
			if err := sameMask(m, want); err != nil {
				t.Fatal(err)
			}
			got := head + "----\n" + p.shade(m)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(b) {
				t.Errorf("%s: got\n%s\nwant\n%s", path, got, b)
			}
		})
	}
}

// picture is a file's first half.
type picture struct {
	m       *grid.Map
	rows    []string
	sources []Source
}

func parsePicture(text string) (*picture, error) {
	p := &picture{m: &grid.Map{Name: "picture"}}
	src, level := Source{}, grid.Level(0)
	for n, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		number := 0
		fmt.Sscan(rest, &number)
		var ok bool
		switch {
		case word == "//" || line == "":
		case word == "occlusion":
			if p.m.Occlusion, ok = grid.ParseOcclusion(rest); !ok {
				return nil, fmt.Errorf("line %d: no occlusion %q", n+1, rest)
			}
		case word == "radius":
			src.Radius = Radius(number)
		case word == "detect":
			src.Detect = Radius(number)
		case word == "flyer":
			src.Flyer = true
		case word == "bonus":
			src.LevelBonus = grid.Level(number)
		case word == "level":
			level = grid.Level(number)
		case rest != "":
			return nil, fmt.Errorf("line %d: no setting %q", n+1, word)
		default:
			p.rows = append(p.rows, line)
		}
	}
	p.m.W, p.m.H = len(p.rows[0]), len(p.rows)
	for y, row := range p.rows {
		if len(row) != p.m.W {
			return nil, fmt.Errorf("row %d has %d tiles, the first has %d", y, len(row), p.m.W)
		}
		for x := range row {
			l, terrain := grid.Level(0), grid.Grass
			switch c := row[x]; {
			case c == '@':
				l = level
				src.Tile = grid.Tile{X: int16(x), Y: int16(y)}
				p.sources = append(p.sources, src)
			case c >= '1' && c <= '9':
				l = c - '0'
			case c == '#':
				terrain = grid.Cliff
			case c >= 'A' && c <= 'I':
				l, terrain = c-'A'+1, grid.Cliff
			case c != '.':
				return nil, fmt.Errorf("row %d: no tile %q", y, c)
			}
			p.m.Levels = append(p.m.Levels, l)
			p.m.Terrain = append(p.m.Terrain, terrain)
			p.m.Pass = append(p.m.Pass, grid.PassOf(terrain))
		}
	}
	if len(p.sources) == 0 {
		return nil, fmt.Errorf("no source")
	}
	return p, nil
}

// shade draws the map with a ~ for every tile that is not in the mask.
func (p *picture) shade(m Mask) string {
	var b strings.Builder
	for y, row := range p.rows {
		for x := range row {
			if m.Has(grid.Tile{X: int16(x), Y: int16(y)}) {
				b.WriteByte(row[x])
			} else {
				b.WriteByte('~')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
