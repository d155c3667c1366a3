package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
)

// rulesCmd works on ruleset files.
type rulesCmd struct {
	Check  rulesCheckCmd  `cmd:"" help:"Check whether a match can use a ruleset, and report its oddities."`
	Diff   rulesDiffCmd   `cmd:"" help:"Compare two rulesets, by the names of their types, weapons and abilities."`
	New    rulesNewCmd    `cmd:"" help:"Write a new ruleset, a copy of a shipped one to begin with."`
	Schema rulesSchemaCmd `cmd:"" help:"Write the JSON Schema of rulesets, for editors."`
	Watch  rulesWatchCmd  `cmd:"" help:"Play a match by a ruleset, and play it anew when the file is saved."`
}

type rulesCheckCmd struct {
	Path string `arg:"" help:"A ruleset file, NAME.json."`
	JSON bool   `name:"json" help:"Write one JSON object."`
}

// Run says whether a match can use a ruleset, and reports its oddities.
func (c *rulesCheckCmd) Run(in *Invocation) error {
	rs, err := rulesfile.Open(c.Path)
	v := verdictOf(c.Path, err)
	if err != nil {
		return v.write(in, c.JSON, err, "")
	}
	v.Name, v.Hash, v.Types = rs.Name, rs.Hash.String(), len(rs.Types)
	v.Warnings = append(v.Warnings, rulesfile.Warnings(rs)...)
	if id := strings.TrimSuffix(filepath.Base(c.Path), ".json"); id != rs.Name {
		v.Warnings = append(v.Warnings, fmt.Sprintf("lobbies choose it as %q, its file's name; its \"name\" is %q", id, rs.Name))
	}
	return v.write(in, c.JSON, nil, fmt.Sprintf("%s: valid, %d types, %d warnings, hash %s", c.Path, v.Types, len(v.Warnings), v.Hash))
}

type rulesDiffCmd struct {
	Old  string `arg:"" help:"A ruleset file, or the name of a shipped ruleset."`
	New  string `arg:"" help:"The other one."`
	JSON bool   `name:"json" help:"Write one JSON list."`
}

// Run prints each difference on a line.
func (c *rulesDiffCmd) Run(in *Invocation) error {
	old, err := openRules(c.Old)
	if err != nil {
		return err
	}
	now, err := openRules(c.New)
	if err != nil {
		return err
	}
	changes := rules.Diff(old, now)
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(changes)
	}
	for _, x := range changes {
		fmt.Fprintln(in.Stdout, x)
	}
	_, err = fmt.Fprintf(in.Stdout, "differences: %d\n", len(changes))
	return err
}

// openRules reads a ruleset's file, or a shipped ruleset if there is no such file.
func openRules(name string) (*rules.Ruleset, error) {
	rs, err := rulesfile.Open(name)
	if os.IsNotExist(err) {
		if shipped, no := rules.Shipped(name); no == nil {
			return shipped, nil
		}
	}
	return rs, err
}

type rulesNewCmd struct {
	Path string `arg:"" help:"The file to write, NAME.json. It must not exist."`
	From string `default:"skirmish" placeholder:"NAME" help:"The shipped ruleset to begin with (${default})."`
}

// Run writes a copy of a shipped ruleset under a name of its own.
func (c *rulesNewCmd) Run(in *Invocation) error {
	id, ok := strings.CutSuffix(filepath.Base(c.Path), ".json")
	if !ok || rulesfile.CheckID(id) != nil {
		return fmt.Errorf("%s: want NAME.json, with a NAME of 1 to 40 of a-z, 0-9, - and _", c.Path)
	}
	text, err := rules.ShippedText(c.From)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	named := bytes.Replace(text, fmt.Appendf(nil, `"name": %q`, c.From), fmt.Appendf(nil, `"name": %q`, id), 1)
	f, err := os.OpenFile(c.Path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if _, err = f.Write(named); err == nil {
		err = f.Close()
	}
	if err == nil {
		_, err = fmt.Fprintf(in.Stdout, "%s: a copy of %s; %s rules check %s checks it\n", c.Path, c.From, in.Program, c.Path)
	}
	return err
}

type rulesSchemaCmd struct{}

// Run writes the schema to standard output.
func (rulesSchemaCmd) Run(in *Invocation) error {
	_, err := in.Stdout.Write(rulesfile.Schema)
	return err
}
