package main

import (
	"fmt"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
	"github.com/fogkeep/fogkeep/internal/telemetry"
)

type serveCmd struct{ server.Config }

// Run serves until the first interrupt.
func (c *serveCmd) Run(in *invocation) error {
	log, err := telemetry.NewLogger(in.Stderr, c.LogLevel)
	if err != nil {
		return err
	}
	c.Hooks.Logger = log
	c.Hooks.Ready = func(s *server.Server) { c.greet(in, s) }
	s, err := server.New(in.Ctx, c.Config)
	if err != nil {
		return err
	}
	return s.Run(in.Ctx)
}

// greet tells the operator what runs and where.
func (c *serveCmd) greet(in *invocation, s *server.Server) {
	w, at := in.Stdout, s.Addresses()
	where := "SQLite in " + c.DataDir
	if s.Store() == "postgres" {
		where = "PostgreSQL"
	}
	fmt.Fprintf(w, "fogkeep %s\n\n", server.Version())
	fmt.Fprintf(w, "  store    %s\n", where)
	if c.PublicURL == "" {
		fmt.Fprintf(w, "  play     %s\n", at.Players)
	} else {
		fmt.Fprintf(w, "  play     %s, listening on %s\n", c.PublicURL, at.Players)
	}
	if name := s.Node(); name != "" {
		fmt.Fprintf(w, "  node     %s of the cluster in %s\n", name, c.Cluster)
	}
	fmt.Fprintf(w, "  admin    %s\n", at.Admins)
	if at.Services != "" {
		fmt.Fprintf(w, "  service  %s\n", at.Services)
	}
	fmt.Fprintf(w, "  metrics  %s/metrics\n", at.Metrics)
	if password := s.FirstPassword(); password != "" {
		fmt.Fprintf(w, "\n  admin password  %s\n  Log in as \"admin\". It is shown this once and kept nowhere; change it on the admin page.\n", password)
	}
	fmt.Fprintln(w)
}
