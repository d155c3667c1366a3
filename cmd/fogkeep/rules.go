package main

import (
	"encoding/json"
	"fmt"

	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
)

// rulesCmd reads ruleset files.
type rulesCmd struct {
	Validate rulesValidateCmd `cmd:"" help:"Say whether a match can be played by a ruleset, and what is odd about it."`
}

type rulesValidateCmd struct {
	Path string `arg:"" help:"A ruleset file, NAME.json."`
	JSON bool   `name:"json" help:"Write one JSON object."`
}

// rulesVerdict is what validate --json writes.
type rulesVerdict struct {
	Path     string   `json:"path"`
	Valid    bool     `json:"valid"`
	Error    string   `json:"error,omitempty"`
	Name     string   `json:"name,omitempty"`
	Hash     string   `json:"hash,omitempty"`
	Types    int      `json:"types,omitempty"`
	Warnings []string `json:"warnings"`
}

// Run says whether a match can be played by a ruleset, and what is odd about it.
func (c *rulesValidateCmd) Run(in *invocation) error {
	rs, err := rulesfile.Open(c.Path)
	v := rulesVerdict{Path: c.Path, Valid: err == nil, Warnings: []string{}}
	if err != nil {
		v.Error = err.Error()
	} else {
		v.Name, v.Hash, v.Types = rs.Name, rs.Hash.String(), len(rs.Types)
		v.Warnings = append(v.Warnings, rulesfile.Warnings(rs)...)
	}
	if c.JSON {
		if jsonErr := json.NewEncoder(in.Stdout).Encode(v); jsonErr != nil {
			return jsonErr
		}
		return err
	}
	if err != nil {
		return err
	}
	for _, w := range v.Warnings {
		fmt.Fprintf(in.Stderr, "fogkeep: %s: warning: %s\n", c.Path, w)
	}
	_, err = fmt.Fprintf(in.Stdout, "%s: valid, %d types, %d warnings, hash %s\n", c.Path, v.Types, len(v.Warnings), v.Hash)
	return err
}
