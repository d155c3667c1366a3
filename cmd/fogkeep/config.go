package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
)

// configCmd shows the settings with which `fogkeep serve` would start.
type configCmd struct {
	Check configCheckCmd `cmd:"" help:"Check the settings as a start would, and warn of unsafe ones."`
	Print configPrintCmd `cmd:"" help:"Print a configuration file with all settings."`
}

type configCheckCmd struct{ server.Config }

// Run starts no server, and opens no database.
func (c *configCheckCmd) Run(in *invocation) error {
	if err := c.Config.Check(); err != nil {
		return err
	}
	warnings := c.Warnings()
	for _, w := range warnings {
		fmt.Fprintf(in.Stdout, "warning: %s\n", w)
	}
	fmt.Fprintf(in.Stdout, "the settings are valid; %d warnings\n", len(warnings))
	return nil
}

type configPrintCmd struct {
	server.Config
	Effective bool `help:"Print a table instead: each setting with its value and origin."`
}

// Run prints settings of the server alone, secrets as "(secret)".
func (c *configPrintCmd) Run(in *invocation, line *kong.Context) error {
	table := tabwriter.NewWriter(in.Stdout, 0, 0, 2, ' ', 0)
	defer table.Flush()
	for _, f := range line.Selected().Flags {
		if len(f.Envs) == 0 {
			continue // --effective
		}
		text, from := in.Variables.Effective(line, f)
		if c.Effective {
			fmt.Fprintf(table, "%s\t%s\t%s\n", f.Envs[0], text, from)
			continue
		}
		mark := ""
		if from == "default" {
			mark = "#"
		}
		if strings.ContainsAny(text, " #") {
			text = `"` + text + `"`
		}
		fmt.Fprintf(in.Stdout, "# %s\n%s%s=%s\n\n", f.Help, mark, f.Envs[0], text)
	}
	return nil
}
