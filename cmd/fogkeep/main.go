package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands is the command line. Each command is a file of this folder.
type commands struct {
	Bench   benchCmd   `cmd:"" help:"Measure parts of fogkeep on this machine."`
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

// invocation is what every command is given.
type invocation struct {
	Ctx            context.Context // ends at the first interrupt
	Stdout, Stderr io.Writer       // results; everything else
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// exitEarly carries kong's wish to leave (after --help) out of its parser.
type exitEarly int

// run parses and runs one command line and returns the exit code: 0 for done,
// 1 for a command that failed, 2 for a command line that makes no sense.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exitEarly:
			code = int(e)
		default:
			panic(e)
		}
	}()
	var cli commands
	parser, err := kong.New(&cli,
		kong.Name("fogkeep"),
		kong.Description("A real-time strategy server that never sends what a team cannot see."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exitEarly(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		panic(err) // the command table above is wrong
	}
	line, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "fogkeep: %v\nfogkeep: see `fogkeep --help`\n", err)
		return 2
	}
	err = line.Run(&invocation{Ctx: ctx, Stdout: stdout, Stderr: stderr})
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(stderr, "fogkeep: %v\n", err)
		return 1
	}
	return 0
}
