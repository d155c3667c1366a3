package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim/nav"
	"github.com/fogkeep/fogkeep/minimap"
)

// mapCmd reads map files.
type mapCmd struct {
	Info     mapInfoCmd     `cmd:"" help:"List a map's contents."`
	Validate mapValidateCmd `cmd:"" help:"Check whether a match can use a map, and report its oddities."`
	Convert  mapConvertCmd  `cmd:"" help:"Write a map as a Tiled map (.tmj)."`
	Render   mapRenderCmd   `cmd:"" help:"Draw a map as a PNG."`
}

// mapPath is the argument of the commands.
type mapPath struct {
	Path string `arg:"" help:"The id of a shipped map, a .tmj or .tmx file, a Warzone 2100 map folder, or mp.wz#multiplay/maps/NAME."`
}

type mapInfoCmd struct {
	mapPath
	JSON bool `name:"json" help:"Write one JSON object."`
}

// mapInfo is what info --json writes.
type mapInfo struct {
	Name      string     `json:"name"`
	Width     int        `json:"width"`
	Height    int        `json:"height"`
	Starts    [][2]int16 `json:"starts"`
	Resources int        `json:"resources"`
	Levels    int        `json:"levels"`
}

// Run prints the content of a map.
func (c *mapInfoCmd) Run(in *Invocation) error {
	m, err := mapfile.OpenNamed(c.Path)
	if err != nil {
		return err
	}
	info := mapInfo{
		Name: m.Name, Width: m.W, Height: m.H,
		Starts: make([][2]int16, 0, len(m.Starts)), Resources: len(m.Resources), Levels: m.LevelCount(),
	}
	for _, t := range m.Starts {
		info.Starts = append(info.Starts, [2]int16{t.X, t.Y})
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(info)
	}
	_, err = fmt.Fprintf(in.Stdout, "name       %s\nsize       %d x %d tiles\nstarts     %d: %v\nresources  %d\nlevels     %d\nocclusion  %v\nhash       %v\n",
		m.Name, m.W, m.H, len(m.Starts), info.Starts, info.Resources, info.Levels, m.Occlusion, m.Hash())
	return err
}

type mapValidateCmd struct {
	mapPath
	JSON bool `name:"json" help:"Write one JSON object."`
}

// verdict is what `map validate --json` writes, and `rules check --json`, with
// more of a ruleset that is valid.
type verdict struct {
	Path     string          `json:"path"`
	Valid    bool            `json:"valid"`
	Error    string          `json:"error,omitempty"`
	Errors   []rules.Problem `json:"errors,omitempty"` // of a ruleset: each with its place
	Name     string          `json:"name,omitempty"`
	Hash     string          `json:"hash,omitempty"`
	Types    int             `json:"types,omitempty"`
	Warnings []string        `json:"warnings"`
}

// verdictOf is the verdict on a file that was read with or without an error.
func verdictOf(path string, err error) verdict {
	v := verdict{Path: path, Valid: err == nil, Warnings: []string{}}
	if err != nil {
		v.Error = err.Error()
		if p := (*rules.Problems)(nil); errors.As(err, &p) {
			v.Errors = p.List
		}
	}
	return v
}

// write writes v as one JSON object, or its warnings and the line of a valid file.
// It returns err, which the file was read with.
func (v verdict) write(in *Invocation, asJSON bool, err error, line string) error {
	if asJSON {
		if jsonErr := json.NewEncoder(in.Stdout).Encode(v); jsonErr != nil {
			return jsonErr
		}
		return err
	}
	if err != nil {
		return err
	}
	for _, w := range v.Warnings {
		fmt.Fprintf(in.Stderr, "%s: %s: warning: %s\n", in.Program, v.Path, w)
	}
	_, err = fmt.Fprintln(in.Stdout, line)
	return err
}

// Run says whether a map can be played, and its oddities.
func (c *mapValidateCmd) Run(in *Invocation) error {
	m, err := mapfile.OpenPlayable(c.Path)
	v := verdictOf(c.Path, err)
	if err != nil {
		return v.write(in, c.JSON, err, "")
	}
	v.Warnings = append(v.Warnings, warningsOf(m)...)
	return v.write(in, c.JSON, nil, fmt.Sprintf("%s: valid, %d starts, %d warnings", c.Path, len(m.Starts), len(v.Warnings)))
}

// warningsOf lists the oddities of a map that can be played.
func warningsOf(m *grid.Map) (out []string) {
	if len(m.Starts) < 2 {
		out = append(out, "there is only one start")
	}
	ground := nav.NewBase(m)
	for i, t := range m.Starts {
		if !ground.Connected(grid.Ground, t, m.Starts[0]) {
			out = append(out, fmt.Sprintf("start %d at %v cannot be reached by ground from start 0 at %v", i, t, m.Starts[0]))
		}
		for j, u := range m.Starts[:i] {
			if t == u {
				out = append(out, fmt.Sprintf("starts %d and %d are the same %v", j, i, t))
			}
		}
	}
	far := 0
	for _, t := range m.Resources {
		if !ground.Connected(grid.Ground, t, m.Starts[0]) {
			far++
		}
	}
	if far > 0 {
		out = append(out, fmt.Sprintf("%d of %d resource places cannot be reached by ground from start 0", far, len(m.Resources)))
	}
	return out
}

type mapConvertCmd struct {
	mapPath
	Out  string `short:"o" help:"The file to write; NAME.tmj here by default, - for standard output."`
	JSON bool   `name:"json" help:"Write one JSON object about the written file."`
}

// mapWritten is what convert --json and render --json write.
type mapWritten struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	Hash  string `json:"hash"` // of the map
}

// Run writes a map as a .tmj file.
func (c *mapConvertCmd) Run(in *Invocation) error {
	m, err := mapfile.OpenNamed(c.Path)
	if err != nil {
		return err
	}
	b := mapfile.WriteTMJ(m)
	if c.Out == "-" && !c.JSON {
		_, err := in.Stdout.Write(b)
		return err
	}
	if err := writeMapFile(in, c.Out, mapfile.Slug(m.Name)+".tmj", b, m, c.JSON); err != nil {
		return err
	}
	return writeTilesPicture(filepath.Dir(c.Out))
}

// writeTilesPicture puts the picture of the tileset beside a converted map, so
// that Tiled can show it; one that is there is left.
func writeTilesPicture(dir string) error {
	p := filepath.Join(dir, mapfile.TilesPicture)
	if _, err := os.Stat(p); err == nil {
		return nil
	}
	b, err := mapfile.TilesPNG()
	if err != nil {
		return fmt.Errorf("draw %s: %w", p, err)
	}
	if err := os.WriteFile(p, b, 0o644); err != nil {
		return fmt.Errorf("write tileset picture: %w", err)
	}
	return nil
}

type mapRenderCmd struct {
	mapPath
	Out    string `short:"o" help:"The file to write; NAME.png here by default, - for standard output."`
	Scale  int    `help:"Pixels per tile; 0 fits the longer side into 1024 pixels."`
	Places bool   `default:"true" negatable:"" help:"Show starts and resource places."`
	mapEyes
	JSON bool `name:"json" help:"Write one JSON object about the written file."`
}

// Run draws a map as a PNG.
func (c *mapRenderCmd) Run(in *Invocation) error {
	m, err := mapfile.OpenNamed(c.Path)
	if err != nil {
		return err
	}
	scale := c.Scale
	if scale == 0 {
		scale = minimap.FitScale(m, 1024)
	}
	in.Progress("drawing %s, %d x %d tiles at %d pixels a tile", m.Name, m.W, m.H, scale)
	land, err := minimap.NewLandscape(m, scale)
	if err != nil {
		return err
	}
	var marks []minimap.Mark
	if c.Places {
		for _, t := range m.Resources {
			marks = append(marks, minimap.Mark{Shape: minimap.Resource, At: t.Center(), Slot: grid.NoSlot})
		}
		for i, t := range m.Starts {
			marks = append(marks, minimap.Mark{Shape: minimap.Start, At: t.Center(), Slot: grid.Slot(i), Color: uint8(i)})
		}
	}
	sight, eyes, err := c.look(m)
	if err != nil {
		return err
	}
	img, err := land.Draw(sight, append(marks, eyes...))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := minimap.Encode(&b, img); err != nil {
		return fmt.Errorf("render %s: %w", c.Path, err)
	}
	if c.Out == "-" && !c.JSON {
		_, err := in.Stdout.Write(b.Bytes())
		return err
	}
	return writeMapFile(in, c.Out, mapfile.Slug(m.Name)+".png", b.Bytes(), m, c.JSON)
}

func writeMapFile(in *Invocation, out, otherwise string, b []byte, m *grid.Map, asJSON bool) error {
	if out == "" || out == "-" {
		out = otherwise
	}
	if err := os.WriteFile(out, b, 0o644); err != nil {
		return fmt.Errorf("write map: %w", err)
	}
	if asJSON {
		return json.NewEncoder(in.Stdout).Encode(mapWritten{Path: out, Bytes: len(b), Hash: m.Hash().String()})
	}
	_, err := fmt.Fprintf(in.Stdout, "%s: %d bytes\n", out, len(b))
	return err
}
