package main

import (
	"encoding/json"
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/fogkeep/fogkeep/internal/telemetry"
)

type versionCmd struct {
	JSON bool `name:"json" help:"Write one JSON object: version, commit, date and go."`
}

// Run prints the version, the commit and its date, and the version of Go, as far as the binary knows them.
func (c versionCmd) Run(in *invocation) error {
	b := telemetry.BuildInfo()
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(b)
	}
	_, err := fmt.Fprintln(in.Stdout, versionText(b))
	return err
}

func versionText(b telemetry.Build) string {
	out := "fogkeep " + b.Version
	if b.Commit != "" {
		out += " " + b.Commit
	}
	if b.Date != "" {
		out += " of " + b.Date
	}
	return out + ", " + b.Go
}

// versionFlag prints the same as [versionCmd] in place of running a command.
type versionFlag bool

// BeforeReset runs before the command line is checked, so that the flag needs no command.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	fmt.Fprintln(app.Stdout, versionText(telemetry.BuildInfo()))
	app.Exit(0)
	return nil
}
