package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/fogkeep/fogkeep/internal/telemetry"
)

// Invocation is the argument of every command's Run.
type Invocation struct {
	Program        string          // its name
	Ctx            context.Context // ends at the first interrupt
	Stdout, Stderr io.Writer       // results; everything else
	Variables      *Variables      // settings besides the flags
}

// Progress tells a person at a terminal about a step that takes a while. Elsewhere it
// writes no line.
func (in *Invocation) Progress(format string, args ...any) {
	if telemetry.IsTerminal(in.Stderr) {
		fmt.Fprintf(in.Stderr, format+"…\n", args...)
	}
}

// Main runs the process's command line until the first interrupt, and ends the process.
func Main(name, description string, commands any) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Run(ctx, name, description, commands, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// exitEarly carries kong's wish to leave (after --help) out of its parser.
type exitEarly int

// settings returns the variables that flags of the commands are read from.
func settings(model *kong.Node) (names []string) {
	for _, f := range model.Flags {
		names = append(names, f.Envs...)
		if len(f.Envs) > 0 && isSecret(f) {
			names = append(names, f.Envs[0]+fileSuffix)
		}
	}
	for _, c := range model.Children {
		names = append(names, settings(c)...)
	}
	return names
}

// Run parses and runs one command line of the program called name. commands points to a
// new struct of kong's form. The exit code is 0 for done, 1 for a command that failed,
// and 2 for a command line that makes no sense. If commands has a CheckEnvironment, it is
// asked before the command runs: with the command's name, and the variables of all flags.
func Run(ctx context.Context, name, description string, commands any, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exitEarly:
			code = int(e)
		default:
			panic(e)
		}
	}()
	variables := &Variables{}
	parser, err := kong.New(commands,
		kong.Name(name),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exitEarly(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Resolvers(variables),
	)
	if err != nil {
		panic(err) // the command table is wrong
	}
	known := settings(parser.Model.Node)
	if path := configOf(args); path != "" && slices.Contains(known, ConfigVariable) {
		if err := variables.read(path, known); err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", name, err)
			return 1
		}
	}
	line, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n%s: see `%s --help`\n", name, err, name, name)
		return 2
	}
	if c, ok := commands.(interface {
		CheckEnvironment(command string, settings []string) error
	}); ok {
		if err := c.CheckEnvironment(line.Selected().Name, known); err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", name, err)
			return 1
		}
	}
	err = line.Run(&Invocation{Program: name, Ctx: ctx, Stdout: stdout, Stderr: stderr, Variables: variables})
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}
