package tools

import (
	"context"
	"io"

	"github.com/fogkeep/fogkeep/internal/cli"
)

// Commands are the tools: a part of a command line in kong's form.
type Commands struct {
	Lab    labCmd    `cmd:"" help:"Check a scenario and play it."`
	Map    mapCmd    `cmd:"" help:"Read, check, convert and draw maps."`
	Rules  rulesCmd  `cmd:"" help:"Check rulesets."`
	Pack   packCmd   `cmd:"" help:"Check, build and add packs: rulesets with maps, models, sounds and texts."`
	Replay replayCmd `cmd:"" help:"Read and verify the journals of matches."`
}

// Invocation is the argument of a command's Run: a context that ends at the first
// interrupt, and where to write.
type Invocation = cli.Invocation

// Main runs the process's command line and ends the process. commands points to a new
// struct of kong's form, which embeds [Commands] and may have more; the Run of each command
// takes an *[Invocation].
func Main(name, description string, commands any) { cli.Main(name, description, commands) }

// Run runs one command line as [Main] does, for tests. The exit code is 0 for done, 1 for a
// command that failed, and 2 for a command line that makes no sense.
func Run(ctx context.Context, name, description string, commands any, args []string, stdout, stderr io.Writer) int {
	return cli.Run(ctx, name, description, commands, args, stdout, stderr)
}
