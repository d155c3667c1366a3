package tools

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
)

// rulesCmd reads ruleset files.
type rulesCmd struct {
	Validate rulesValidateCmd `cmd:"" help:"Check whether a match can use a ruleset, and report its oddities."`
}

type rulesValidateCmd struct {
	Path string `arg:"" help:"A ruleset file, NAME.json."`
	JSON bool   `name:"json" help:"Write one JSON object."`
}

// Run says whether a match can be played by a ruleset, and what is odd about it.
func (c *rulesValidateCmd) Run(in *Invocation) error {
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
