package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
	"github.com/fogkeep/fogkeep/internal/telemetry"
)

type serveCmd struct {
	server.Config
	password string `kong:"-"` // the line about the first admin's; "": there was one already
}

// Run serves until the first interrupt.
func (c *serveCmd) Run(in *invocation) error {
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP) // before the server is ready too: it would end the process
	defer signal.Stop(reload)
	level, err := c.Level()
	if err != nil {
		return err
	}
	c.Hooks.Reload, c.Hooks.Level = reload, new(slog.LevelVar)
	c.Hooks.Level.Set(level)
	log := telemetry.NewLoggerAt(in.Stderr, c.Hooks.Level)
	if limit := memoryLimit(os.DirFS("/")); limit > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
		log.Info("the Go runtime keeps within the container's memory", "limitMiB", limit>>20)
	}
	c.Hooks.Logger = log
	traces, end, err := newTraces(in.Ctx, log)
	if err != nil {
		return err
	}
	defer end()
	c.Hooks.Traces = traces
	c.Hooks.Ready = func(s *server.Server) { c.greet(in, s) }
	s, err := server.New(in.Ctx, c.Config)
	if err != nil {
		return err
	}
	if err := c.handOut(in, s.FirstPassword()); err != nil {
		s.Close()
		return err
	}
	return s.Run(in.Ctx)
}

// replaceCmd is serve in place of a server that runs.
type replaceCmd struct{ serveCmd }

// Run waits until the other server has stopped its matches, and serves.
func (c *replaceCmd) Run(in *invocation) error {
	c.Hooks.Replace = true
	return c.serveCmd.Run(in)
}

// passwordFile is the file in the data folder for the first admin's password.
const passwordFile = "admin-password"

// handOut gives the operator the first admin's password: on a terminal as a line, else in
// a file, since collectors of logs keep the output.
func (c *serveCmd) handOut(in *invocation, password string) error {
	switch {
	case password == "":
		return nil
	case telemetry.IsTerminal(in.Stdout):
		c.password = password + "\n  Log in as \"admin\". It is shown this once and kept nowhere; change it on the admin page."
		return nil
	}
	path, err := filepath.Abs(filepath.Join(c.DataDir, passwordFile))
	if err == nil {
		if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) { // one of an earlier database
			err = nil
		}
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err == nil {
		_, err = fmt.Fprintln(f, password)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("the first admin's password was not written: %w: make another with `fogkeep admin password admin`", err)
	}
	c.password = "in " + path + "\n  Log in as \"admin\", change the password on the admin page, and delete the file."
	return nil
}

// greet tells the operator what runs and where.
func (c *serveCmd) greet(in *invocation, s *server.Server) {
	w, at := in.Stdout, s.Addresses()
	database := "SQLite in " + c.DataDir
	if s.Store() == "postgres" {
		database = "PostgreSQL"
	}
	fmt.Fprintf(w, "fogkeep %s\n\n", server.Version())
	fmt.Fprintf(w, "  store    %s\n", database)
	switch {
	case c.PublicURL != "":
		fmt.Fprintf(w, "  play     %s, listening on %s\n", c.PublicURL, at.Players)
	case c.Local():
		port := at.Players[strings.LastIndexByte(at.Players, ':')+1:] // also of an https address
		fmt.Fprintf(w, "  play     %s\n           This machine alone reaches it; --addr 0.0.0.0:%s opens it to others.\n", at.Players, port)
	case len(at.Network) > 0:
		fmt.Fprintf(w, "  play     %s on this machine\n           %s on others that its firewall lets in\n", at.Players, strings.Join(at.Network, " or "))
	default:
		fmt.Fprintf(w, "  play     %s, for all machines that reach this one\n", at.Players)
	}
	if name := s.Node(); name != "" {
		fmt.Fprintf(w, "  node     %s of the cluster in %s\n", name, c.Cluster)
	}
	fmt.Fprintf(w, "  admin    %s\n", at.Admins)
	if at.Services != "" {
		fmt.Fprintf(w, "  service  %s\n", at.Services)
	}
	fmt.Fprintf(w, "  metrics  %s/metrics\n", at.Metrics)
	if c.password != "" {
		fmt.Fprintf(w, "\n  admin password  %s\n", c.password)
	}
	fmt.Fprintln(w)
}
