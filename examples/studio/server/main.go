package main

import (
	"encoding/json"
	"fmt"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
	"github.com/fogkeep/fogkeep/cmd/fogkeep/tools"
	"github.com/fogkeep/fogkeep/cmd/fogkeep/tools/bots"
)

type commands struct {
	tools.Commands
	Bots  bots.Command `cmd:"" help:"Let bots play each other, without sockets."`
	Serve serve        `cmd:"" help:"Serve players and admins."`
}

type serve struct{ server.Config }

// Run serves until the first interrupt.
func (c *serve) Run(in *tools.Invocation) error {
	c.Hooks.Ready = func(s *server.Server) {
		if err := json.NewEncoder(in.Stdout).Encode(s.Addresses()); err != nil {
			fmt.Fprintln(in.Stderr, err)
		}
	}
	s, err := server.New(in.Ctx, c.Config)
	if err != nil {
		return err
	}
	return s.Run(in.Ctx)
}

func main() { tools.Main("server", "The studio's server and its tools.", &commands{}) }
