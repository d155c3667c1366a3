package main

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/tools"
	"github.com/fogkeep/fogkeep/internal/cli"
)

// commands is the command line. Each command is a file of this folder, or of package tools.
type commands struct {
	tools.Commands
	New     newCmd     `cmd:"" help:"Write a folder with a game to begin with: a ruleset, a mode and a server."`
	Bot     botCmd     `cmd:"" help:"Join a lobby and play as a bot."`
	Serve   serveCmd   `cmd:"" help:"Serve players, admins and metrics."`
	Replace replaceCmd `cmd:"" help:"Serve in place of the server that runs on the data folder: it stops, and its matches go on."`
	Migrate migrateCmd `cmd:"" help:"Change the database's schema."`
	DB      dbCmd      `cmd:"" name:"db" help:"Copy, check and drill whole databases."`
	Admin   adminCmd   `cmd:"" help:"Manage admins, bans and keys, directly in the database."`
	Cluster clusterCmd `cmd:"" help:"Make and operate a cluster of several machines."`
	Config  configCmd  `cmd:"" help:"Check and print the settings of the server."`
	Doctor  doctorCmd  `cmd:"" help:"Check ports, disk, clock, database and address for players, and name remedies."`
	Ready   readyCmd   `cmd:"" help:"Ask the server on this machine whether it is ready; for probes of containers."`
	Version versionCmd `cmd:"" help:"Print the version."`

	cli.ConfigFlag
	ShowVersion versionFlag `name:"version" help:"Print the version."`
}

// invocation is the argument of every command.
type invocation = cli.Invocation

const description = "A real-time strategy server that sends each team only the things that the team can see."

func main() {
	if slices.Contains(os.Args[1:], "serve") || slices.Contains(os.Args[1:], "replace") {
		signal.Ignore(syscall.SIGHUP) // until [serveCmd.Run] takes it: it must not end a server
	}
	cli.Main("fogkeep", description, &commands{})
}
