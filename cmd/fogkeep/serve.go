package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/internal/config"
	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/telemetry"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/store"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

type serveCmd struct {
	config.Server

	ticked     func(match string, took, late time.Duration) // nil, but in a bench
	playersURL string                                       // where the players' listener was opened, for links where no other URL is configured
}

// Run joins the services and serves until the first interrupt.
func (c *serveCmd) Run(in *invocation) error {
	// 1. Everything that can be wrong with the configuration.
	if err := c.Check(); err != nil {
		return err
	}
	log, err := telemetry.NewLogger(in.Stderr, c.LogLevel)
	if err != nil {
		return err
	}
	if err := prepareDataDir(c.DataDir); err != nil {
		return err
	}
	unlock, err := lockDataDir(c.DataDir)
	if err != nil {
		return err
	}
	defer unlock()

	// 2. The listeners, bound but not served yet: a port in use is told before
	// anything has started.
	limits, err := c.Limits()
	if err != nil {
		return err
	}
	proxies, err := c.Proxies()
	if err != nil {
		return err
	}
	ledger := budget.New(limits)
	players := &listen.Server{Name: "player", Setting: "FOGKEEP_ADDR", Addr: c.Addr, Certificate: c.TLSCert, Key: c.TLSKey}
	admins := &listen.Server{Name: "admin", Setting: "FOGKEEP_ADMIN_ADDR", Addr: c.AdminAddr}
	metrics := &listen.Server{Name: "metrics", Setting: "FOGKEEP_METRICS_ADDR", Addr: c.MetricsAddr}
	servers := []*listen.Server{players, admins, metrics}
	for _, s := range servers {
		s.Config = listen.Config{Budget: ledger, Proxies: proxies, Admin: s != players, Refuse: api.WriteProblem, Logger: log}
		if err := s.Open(in.Ctx); err != nil {
			return err
		}
		defer s.Close()
	}

	// 3. The services.
	maps, err := c.library(log)
	if err != nil {
		return err
	}
	kept, err := store.Open(in.Ctx, c.DatabaseURL, c.DataDir)
	if err != nil {
		return c.noStore(err)
	}
	defer kept.Close()
	registry := telemetry.NewRegistry()
	c.playersURL = players.URL()
	registry.MustRegister(ledger)
	for _, flag := range c.Exposed() {
		log.Warn("a listener for operators can be reached from other machines and speaks plain HTTP: keep it on loopback, or behind a proxy that speaks TLS and asks who is there", "flag", flag)
	}
	a, err := c.newApp(in.Ctx, log, kept, maps, registry, ledger)
	if err != nil {
		return err
	}
	password, err := a.lobby.FirstAdmin(in.Ctx)
	if err != nil {
		return fmt.Errorf("first admin: %w", err)
	}
	var play, admin listen.StartupGate
	players.Handler, admins.Handler, metrics.Handler = &play, &admin, telemetry.Handler(registry)

	// 4. Answer that the server is starting, bring live matches back, open, say
	// where everything is, and run.
	g, ctx := errgroup.WithContext(in.Ctx)
	for _, s := range servers {
		g.Go(panics.AsError(log, s.Name, func() error { return s.Run(ctx, c.Grace) }))
	}
	g.Go(panics.AsError(log, "serve", func() error {
		return a.run(ctx, c.Grace, func() {
			play.Open(a.players)
			admin.Open(a.admins)
			c.greet(in.Stdout, kept.Kind(), players, admins, metrics, password)
		})
	}))
	err = g.Wait()
	log.Info("stopped")
	return err
}

// noStore says in one line why the store does not open, and what to do.
func (c *serveCmd) noStore(err error) error {
	why := strings.Join(strings.Fields(err.Error()), " ")
	if c.DatabaseURL == "" {
		return fmt.Errorf("%s: repair or move %s, or name another folder with FOGKEEP_DATA_DIR", why, c.DataDir)
	}
	return fmt.Errorf("%s: start the database, correct FOGKEEP_DATABASE_URL, or unset it to use the embedded one", why)
}

// library opens the shipped maps and those of the operator.
func (c *serveCmd) library(log *slog.Logger) (*mapfile.Library, error) {
	dir := cmp.Or(c.MapsDir, filepath.Join(c.DataDir, "maps"))
	maps, refused, err := mapfile.OpenLibrary(dir)
	if err != nil {
		return nil, fmt.Errorf("maps: %w", err)
	}
	for _, err := range refused {
		log.Warn("a map is left out", "err", err)
	}
	return maps, nil
}

// greet tells the operator what runs and where.
func (c *serveCmd) greet(w io.Writer, kind string, players, admins, metrics *listen.Server, password string) {
	where := "SQLite in " + c.DataDir
	if kind == "postgres" {
		where = "PostgreSQL"
	}
	fmt.Fprintf(w, "fogkeep %s\n\n", buildVersion())
	fmt.Fprintf(w, "  store    %s\n", where)
	if c.PublicURL == "" {
		fmt.Fprintf(w, "  play     %s\n", players.URL())
	} else {
		fmt.Fprintf(w, "  play     %s, listening on %s\n", c.PublicURL, players.URL())
	}
	fmt.Fprintf(w, "  admin    %s\n", admins.URL())
	fmt.Fprintf(w, "  metrics  %s/metrics\n", metrics.URL())
	if password != "" {
		fmt.Fprintf(w, "\n  admin password  %s\n  Log in as \"admin\". It is shown this once and kept nowhere; change it on the admin page.\n", password)
	}
	fmt.Fprintln(w)
}

// prepareDataDir makes the data folder and proves that it can be written.
func prepareDataDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data folder %s: %w: make it writable, or name another with FOGKEEP_DATA_DIR", dir, cause(err))
	}
	probe := filepath.Join(dir, ".probe")
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		return fmt.Errorf("data folder %s is not writable (%w): make it writable, or name another with FOGKEEP_DATA_DIR", dir, cause(err))
	}
	return os.Remove(probe)
}

// cause strips the operation and the path off a file error: the caller names
// them in its own words.
func cause(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
