package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/jackc/pgx/v5"

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
	flags := flag.NewFlagSet("withpg", flag.ContinueOnError)
	disk := flags.String("disk", "", "a folder: the data lies there and is synced, to measure the disk; without it, it lies in memory")
	if err := flags.Parse(argv); err != nil {
		return 1, err
	}
	if argv = flags.Args(); len(argv) == 0 {
		return 1, errors.New("name the command to run")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	where, end, err := database(*disk)
	if err != nil {
		return 1, err
	}
	defer end()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "FOGKEEP_DATABASE_URL="+where)
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		return max(1, exit.ExitCode()), nil // -1: a signal ended it
	} else if err != nil {
		return 1, err
	}
	return 0, nil
}

// database starts PostgreSQL, and returns how it is ended.
func database(disk string) (where string, end func(), err error) {
	if disk != "" {
		s, err := pgtest.NewServerIn(disk)
		if err != nil {
			return "", nil, err
		}
		return s.URL(), func() { s.Close() }, nil
	}
	conninfo, drop, err := pgtest.Create("")
	if err != nil {
		pgtest.Stop()
		return "", nil, err
	}
	end = func() { drop(); pgtest.Stop() }
	at, err := pgx.ParseConfig(conninfo)
	if err != nil {
		end()
		return "", nil, err
	}
	query := url.Values{"host": {at.Host}, "port": {fmt.Sprint(at.Port)}} // a server takes a URL alone
	u := url.URL{Scheme: "postgres", User: url.UserPassword(at.User, at.Password), Path: "/" + at.Database, RawQuery: query.Encode()}
	return u.String(), end, nil
}
