package main

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/fogkeep/fogkeep/internal/cli"
)

// commands is the command line. Each command is a file of this folder.
type commands struct {
	Bot     botCmd     `cmd:"" help:"Join a lobby and play as a bot."`
	Lab     labCmd     `cmd:"" help:"Check a scenario and play it."`
	Map     mapCmd     `cmd:"" help:"Read, check, convert and draw maps."`
	Serve   serveCmd   `cmd:"" help:"Serve players, admins and metrics."`
	Rules   rulesCmd   `cmd:"" help:"Check rulesets."`
	Replay  replayCmd  `cmd:"" help:"Read and verify the journals of matches."`
	Migrate migrateCmd `cmd:"" help:"Change the database's schema."`
	Admin   adminCmd   `cmd:"" help:"First steps and emergencies, on the database itself."`
	Cluster clusterCmd `cmd:"" help:"Make a cluster of several machines, and work on one that runs."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// invocation is the argument of every command.
type invocation = cli.Invocation

const description = "A real-time strategy server that never sends what a team cannot see."

func main() {
	if slices.Contains(os.Args[1:], "serve") {
		signal.Ignore(syscall.SIGHUP) // until [serveCmd.Run] takes it: it must not end a server
	}
	cli.Main("fogkeep", description, &commands{})
}
