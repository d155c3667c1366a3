package main

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/internal/telemetry"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
)

//go:embed newgame
var templates embed.FS

type newCmd struct {
	Folder string `arg:"" type:"path" help:"The folder to make. Its name is the ruleset's: 1 to 40 of a-z, 0-9, - and _."`
}

// Run writes a game to begin with: a ruleset with a mode, a configuration, and a server in Go.
func (c *newCmd) Run(in *invocation) error {
	name := filepath.Base(c.Folder)
	if err := rulesfile.CheckID(name); err != nil {
		return fmt.Errorf("%s: %w", c.Folder, err)
	}
	if slices.Contains(rules.ShippedNames(), name) {
		return fmt.Errorf("%s: a shipped ruleset has this name", c.Folder)
	}
	files, err := newGame(name)
	if err != nil {
		return err
	}
	if err := os.Mkdir(c.Folder, 0o777); err != nil { // also refuses a folder that exists
		return err
	}
	if err := os.Mkdir(filepath.Join(c.Folder, "rules"), 0o777); err != nil {
		return err
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(c.Folder, file), text, 0o666); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(in.Stdout, "%s: a ruleset, a mode and a server; README.md has the commands\n", c.Folder)
	return err
}

// newGame returns the files of a new game by their paths.
func newGame(name string) (map[string][]byte, error) {
	const base, settings = "skirmish", `  "settings": {`
	text, err := rules.ShippedText(base)
	if err != nil {
		return nil, err
	}
	mode, _ := templates.ReadFile("newgame/mode.json") // an embedded file can be read
	text = bytes.Replace(text, fmt.Appendf(nil, `"name": %q`, base), fmt.Appendf(nil, `"name": %q`, name), 1)
	files := map[string][]byte{
		"rules/" + name + ".json": bytes.Replace(text, []byte(settings), append(mode, settings...), 1),
		"fogkeep.conf":            []byte("FOGKEEP_DATA_DIR=data\nFOGKEEP_CONTENT_DIR=.\n"),
		".gitignore":              []byte("/data/\n"),
		"go.mod":                  []byte("module example.org/" + name + "\n\ngo 1.26.0\n"),
	}
	if version := telemetry.BuildInfo().Version; strings.Trim(version, "0123456789.") == "" { // a release
		files["go.mod"] = fmt.Appendf(files["go.mod"], "\nrequire github.com/fogkeep/fogkeep v%s\n", version)
	}
	for _, file := range []string{"main.go", "README.md"} {
		text, _ := templates.ReadFile("newgame/" + file + ".txt")
		files[file] = []byte(strings.ReplaceAll(string(text), "NAME", name))
	}
	return files, nil
}
