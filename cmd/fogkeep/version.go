package main

import (
	"fmt"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
)

type versionCmd struct{}

// Run prints the module's version and the commit that was built, as far as
// the binary knows them.
func (versionCmd) Run(in *invocation) error {
	_, err := fmt.Fprintln(in.Stdout, "fogkeep "+server.Version())
	return err
}
