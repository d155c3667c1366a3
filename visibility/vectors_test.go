package visibility

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

const vectorsFile = "testdata/vectors.json"

// vectorCase is a map and what a team's sources see on it, step by step: what
// web/src/vision has to see as well. The file is written with -update and read
// by vitest.
type vectorCase struct {
	Name      string       `json:"name"`
	Width     int          `json:"width"`
	Height    int          `json:"height"`
	Occlusion int          `json:"occlusion"` // 0 none, 1 high ground, 2 line of sight
	Levels    []string     `json:"levels"`    // a hexadecimal digit a tile
	Opaque    []string     `json:"opaque"`    // # or .
	Steps     []vectorStep `json:"steps"`
}

// vectorStep is one step. Rows are hexadecimal, as Mask.AppendRow has them.
type vectorStep struct {
	Ground   [][4]int `json:"ground"`  // x, y, level, opaque: changed before the step
	Sources  [][5]int `json:"sources"` // x, y, radius in half tiles, flyer, level bonus
	Visible  []string `json:"visible"`
	Explored []string `json:"explored"`
	Hash     uint32   `json:"hash"` // Engine.Hash
	Seen     uint32   `json:"seen"` // Mask.Hash of what is visible
}

// TestVectors holds the file to the engine and the engine to the obvious scan.
func TestVectors(t *testing.T) {
	var cases []vectorCase
	rng := rand.New(rand.NewPCG(20, 26))
	for _, o := range []grid.Occlusion{grid.OcclusionNone, grid.OcclusionHighGround, grid.OcclusionLineOfSight} {
		for _, size := range [][2]int{{16, 16}, {37, 23}, {64, 24}, {91, 50}} {
			for _, rough := range []int{40, 140} {
				cases = append(cases, makeVector(t, rng, o, size, rough))
			}
		}
	}
	var want bytes.Buffer
	want.WriteString("[\n")
	for i, c := range cases { // a case a line: a diff tells which
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		want.Write(b)
		want.WriteString(map[bool]string{true: ",\n", false: "\n"}[i < len(cases)-1])
	}
	want.WriteString("]\n")
	if *update {
		if err := os.WriteFile(vectorsFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what the engine sees; if the rule was meant to change, run go test ./visibility -run Vectors -update", vectorsFile)
	}
}

func makeVector(t *testing.T, rng *rand.Rand, o grid.Occlusion, size [2]int, rough int) vectorCase {
	m := flat(size[0], size[1], o)
	for i := range m.Levels {
		if rng.IntN(256) < rough {
			m.Levels[i] = grid.Level(rng.IntN(4))
		}
		if rng.IntN(512) < rough {
			m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
		}
	}
	c := vectorCase{
		Name: fmt.Sprintf("%v %dx%d, %d rough", o, m.W, m.H, rough), Width: m.W, Height: m.H, Occlusion: int(o),
	}
	for y := range m.H {
		var levels, opaque strings.Builder
		for x := range m.W {
			i := y*m.W + x
			fmt.Fprintf(&levels, "%x", m.Levels[i])
			opaque.WriteByte(".#"[boolInt(m.Terrain[i] == grid.Cliff)])
		}
		c.Levels, c.Opaque = append(c.Levels, levels.String()), append(c.Opaque, opaque.String())
	}
	e := newEngine(t, m, 1)
	f := obvious.NewField(m)
	judge := newJudge(e, f)
	var ids []SourceID
	for n := range 3 {
		step := vectorStep{Ground: [][4]int{}}
		if n == 2 { // the last step is on changed ground
			for range 5 {
				at, g := m.TileAt(rng.IntN(m.W*m.H)), Ground{Level: grid.Level(rng.IntN(5)), Opaque: rng.IntN(2) == 0}
				e.SetGround(at, g)
				f.Levels[m.Index(at)], f.Opaque[m.Index(at)] = g.Level, g.Opaque
				step.Ground = append(step.Ground, [4]int{int(at.X), int(at.Y), int(g.Level), boolInt(g.Opaque)})
			}
		}
		for i := range 4 {
			s := Source{
				Tile: m.TileAt(rng.IntN(m.W * m.H)), Radius: Radius(rng.IntN(22)),
				Flyer: rng.IntN(6) == 0, LevelBonus: grid.Level(rng.IntN(4) / 2),
			}
			if i == 0 && n == 1 {
				s.Radius = RadiusMax - Radius(rng.IntN(4))
			}
			if len(ids) < 4 {
				ids = append(ids, e.Add(0, s))
			} else {
				e.Change(ids[i], s)
			}
			step.Sources = append(step.Sources, [5]int{int(s.Tile.X), int(s.Tile.Y), int(s.Radius), boolInt(s.Flyer), int(s.LevelBonus)})
		}
		e.Step(grid.Tick(n))
		if err := judge.check(e); err != nil {
			t.Fatalf("%s, step %d: %v", c.Name, n, err)
		}
		for y := range m.H {
			step.Visible = append(step.Visible, hex.EncodeToString(e.Mask(VisibleNow, 0).AppendRow(nil, y)))
			step.Explored = append(step.Explored, hex.EncodeToString(e.Mask(ExploredEver, 0).AppendRow(nil, y)))
		}
		step.Hash, step.Seen = e.Hash(0), e.Mask(VisibleNow, 0).Hash()
		c.Steps = append(c.Steps, step)
	}
	return c
}
