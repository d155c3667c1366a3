package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/fogkeep/fogkeep/internal/pgtest"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "withpg: %v\n", err)
	}
	os.Exit(code)
}

// run returns the exit code: the command's own, or 1 with an error.
func run(argv []string) (code int, err error) {
	if len(argv) == 0 {
		return 1, errors.New("name the command to run")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer pgtest.Stop()
	url, drop, err := pgtest.Create("")
	if err != nil {
		return 1, err
	}
	defer drop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "FOGKEEP_DATABASE_URL="+url)
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		return max(1, exit.ExitCode()), nil // -1: a signal ended it
	} else if err != nil {
		return 1, err
	}
	return 0, nil
}
