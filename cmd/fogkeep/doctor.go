package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
)

type doctorCmd struct{ server.Config }

// Run prints a line for each check. The exit code is 1 if one failed.
func (c *doctorCmd) Run(in *invocation) error {
	table := tabwriter.NewWriter(in.Stdout, 0, 0, 2, ' ', 0)
	failed := 0
	for _, f := range c.Diagnose(in.Ctx) {
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.State, f.Check, f.Text)
		if f.State == server.Wrong {
			failed++
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if failed > 0 {
		return errors.New("checks failed: the lines above name the remedies")
	}
	return nil
}
