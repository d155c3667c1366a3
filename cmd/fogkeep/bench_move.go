package main

import (
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// benchMoveCmd gives orders to groups of units, and measures how they are obeyed.
type benchMoveCmd struct {
	Scenes []string `help:"Names of scenes; none is all."`
	Seeds  int      `default:"20" help:"Runs of each scene."`
	Maps   string   `placeholder:"DIR" help:"Folder with further maps: each is crossed by 60 units."`
	Strip  string   `placeholder:"DIR" help:"Write a strip of pictures of each scene's first run into this folder."`
	JSON   bool     `name:"json" help:"Write one JSON object."`
}

// Run measures and prints.
func (c *benchMoveCmd) Run(in *invocation) error {
	config := bench.MoveConfig{Scenes: c.Scenes, Seeds: c.Seeds}
	if c.Maps != "" {
		found, skipped, err := mapfile.Find(c.Maps)
		if err != nil {
			return err
		}
		for _, s := range skipped {
			progress(in, "%v", s)
		}
		for _, path := range found {
			m, err := mapfile.OpenPlayable(path)
			if err != nil {
				return err
			}
			config.Maps = append(config.Maps, m)
		}
		if len(config.Maps) == 0 {
			return fmt.Errorf("bench move: no map in %s", c.Maps)
		}
	}
	if c.Strip != "" {
		if err := os.MkdirAll(c.Strip, 0o755); err != nil {
			return err
		}
		config.Strip = func(scene string, strip image.Image) error {
			f, err := os.Create(filepath.Join(c.Strip, scene+".png"))
			if err != nil {
				return err
			}
			defer f.Close()
			if err := png.Encode(f, strip); err != nil {
				return err
			}
			return f.Close()
		}
	}
	r, err := bench.Move(in.Ctx, config)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	return r.Text(in.Stdout)
}
