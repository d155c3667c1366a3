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

// aboutVectors says what is in the file: what a team's sources see on some maps,
// step by step, which web/sdk/src/vision has to see as well. It is written with
// -update and read by vitest.
var aboutVectors = []string{
	"What sources see on a map, by the rule of docs/contributing/vision.md. Written by: go test ./visibility -run TestVectors -update",
	"A case is a map: width and height in tiles; occlusion 0 none, 1 high ground, 2 line of sight; levels has a string a row, a hexadecimal digit a tile; opaque the same with # for tiles that block sight, else a dot.",
	"A step: change the ground, then put the sources where it says, in place of those of the step before. A source has a tile (x, y), a radius in half tiles, flyer (sees every level), and level_bonus.",
	"visible and explored are the masks after the step: a string a row, two hexadecimal digits for each eight tiles, western tiles first; in a byte the lowest bit is the western tile. Explored adds up from step to step.",
	"mask_hash is the hash of the visible tiles, as ServerFrame.mask_hash has it (docs/reference/protocol.md, The fog). engine_hash is of visible and explored together (Engine.Hash of this package); it is never sent.",
}

type vectorCase struct {
	Name      string       `json:"name"`
	Width     int          `json:"width"`
	Height    int          `json:"height"`
	Occlusion int          `json:"occlusion"`
	Levels    []string     `json:"levels"`
	Opaque    []string     `json:"opaque"`
	Steps     []vectorStep `json:"steps"`
}

type vectorStep struct {
	Ground     []vectorGround `json:"ground"` // changed before the step
	Sources    []vectorSource `json:"sources"`
	Visible    []string       `json:"visible"` // as Mask.AppendRow has them
	Explored   []string       `json:"explored"`
	MaskHash   uint32         `json:"mask_hash"`
	EngineHash uint32         `json:"engine_hash"`
}

type vectorGround struct {
	X      int16      `json:"x"`
	Y      int16      `json:"y"`
	Level  grid.Level `json:"level"`
	Opaque bool       `json:"opaque"`
}

type vectorSource struct {
	X          int16      `json:"x"`
	Y          int16      `json:"y"`
	Radius     Radius     `json:"radius"`
	Flyer      bool       `json:"flyer"`
	LevelBonus grid.Level `json:"level_bonus"`
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
	about, err := json.MarshalIndent(aboutVectors, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&want, "{\"about\": %s,\n\"cases\": [\n", about)
	for i, c := range cases { // a case a line: a diff tells which
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		want.Write(b)
		want.WriteString(map[bool]string{true: ",\n", false: "\n"}[i < len(cases)-1])
	}
	want.WriteString("]}\n")
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
	judge := newJudge(e, obvious.NewField(m))
	var ids []SourceID
	for n := range 3 {
		step := vectorStep{Ground: []vectorGround{}}
		if n == 2 { // the last step is on changed ground
			for range 5 {
				at, g := m.TileAt(rng.IntN(m.W*m.H)), Ground{Level: grid.Level(rng.IntN(5)), Opaque: rng.IntN(2) == 0}
				judge.setGround(e, at, g)
				step.Ground = append(step.Ground, vectorGround{at.X, at.Y, g.Level, g.Opaque})
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
			step.Sources = append(step.Sources, vectorSource{s.Tile.X, s.Tile.Y, s.Radius, s.Flyer, s.LevelBonus})
		}
		e.Step(grid.Tick(n))
		if err := judge.check(e); err != nil {
			t.Fatalf("%s, step %d: %v", c.Name, n, err)
		}
		for y := range m.H {
			step.Visible = append(step.Visible, hex.EncodeToString(e.Mask(VisibleNow, 0).AppendRow(nil, y)))
			step.Explored = append(step.Explored, hex.EncodeToString(e.Mask(ExploredEver, 0).AppendRow(nil, y)))
		}
		step.MaskHash, step.EngineHash = e.Mask(VisibleNow, 0).Hash(), e.Hash(0)
		c.Steps = append(c.Steps, step)
	}
	return c
}
