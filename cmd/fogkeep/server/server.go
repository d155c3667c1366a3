package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/internal/telemetry"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/store"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
)

// Server is one server process: its listeners, its store, and the services
// joined. [New] makes it, [Server.Run] runs it once.
type Server struct {
	cfg      Config
	log      *slog.Logger
	app      *app
	store    string // its kind
	password string // of the first admin, if New has made it
	rulesets rulesetLibrary

	reloading sync.Mutex

	registry *prometheus.Registry

	players, admins, metrics *listen.Server
	services                 *listen.Server // nil: off
	play, admin, service     listen.StartupGate

	unlock  func()   // lets the data folder go
	release []func() // opened by New, in order
}

// New checks the configuration, locks the data folder, binds the listeners and opens the
// store. The server answers only in [Server.Run]. New's error says in one line what to
// change. A caller that does not call Run calls [Server.Close].
func New(ctx context.Context, cfg Config) (_ *Server, err error) {
	// 1. Everything that can be wrong with the configuration.
	parsed, err := cfg.parse()
	if err != nil {
		return nil, err
	}
	level, err := cfg.Level()
	if err != nil {
		return nil, err
	}
	log := cfg.Hooks.Logger
	if log == nil {
		cfg.Hooks.Level = new(slog.LevelVar)
		log = telemetry.NewLoggerAt(os.Stderr, cfg.Hooks.Level)
	}
	if cfg.Hooks.Level != nil {
		cfg.Hooks.Level.Set(level)
	}
	s := &Server{cfg: cfg, log: log}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if err := prepareDataDir(cfg.DataDir); err != nil {
		return nil, err
	}
	library, err := cfg.maps(log, nil)
	if err != nil {
		return nil, err
	}
	rulesets, err := cfg.rulesets(log, nil)
	if err != nil {
		return nil, err
	}
	s.rulesets.Store(rulesets)

	// 2. The listeners, bound but not served yet: a port in use is reported before
	// anything has started.
	ledger := quota.New(parsed.limits)
	s.players = &listen.Server{Name: "player", Setting: "--addr or FOGKEEP_ADDR", Addr: cfg.Addr}
	s.players.Certificate, s.players.Key = cfg.tlsFiles()
	s.players.TLS = cfg.acme(log)
	s.admins = &listen.Server{Name: "admin", Setting: "--admin-addr or FOGKEEP_ADMIN_ADDR", Addr: cfg.AdminAddr}
	s.metrics = &listen.Server{Name: "metrics", Setting: "--metrics-addr or FOGKEEP_METRICS_ADDR", Addr: cfg.MetricsAddr}
	if cfg.ServiceAddr != "" {
		s.services = &listen.Server{Name: "service", Setting: "--service-addr or FOGKEEP_SERVICE_ADDR", Addr: cfg.ServiceAddr, Handler: &s.service}
	}
	for _, l := range s.listeners() {
		l.Config = listen.Config{Ledger: ledger, Proxies: parsed.proxies, Admin: l != s.players, Refuse: api.WriteProblem, Logger: log}
		if l != s.players { // players may come under any name
			l.Hosts = parsed.hosts
		}
	}
	if cfg.Hooks.Replace {
		s.unlock, err = s.replace(ctx, cfg.DataDir)
	} else {
		s.unlock, err = lockDataDir(cfg.DataDir)
	}
	if err != nil {
		return nil, err
	}
	s.release = append(s.release, s.unlock)
	for _, l := range s.listeners() {
		if err := l.Open(ctx); err != nil {
			return nil, err
		}
		s.release = append(s.release, func() { l.Close() })
	}
	if err := s.noteAddresses(cfg.DataDir); err != nil {
		return nil, fmt.Errorf("data folder %s: %w", cfg.DataDir, cause(err))
	}

	// 3. The services.
	database, err := store.Open(ctx, cfg.DatabaseURL, cfg.DataDir, log)
	if err != nil {
		return nil, cfg.noStore(err)
	}
	s.release = append(s.release, func() { database.Close() })
	s.store = database.Kind()
	registry := telemetry.NewRegistry()
	s.registry = registry
	registry.MustRegister(ledger)
	for _, w := range cfg.Warnings() {
		log.Warn("a setting is unsafe", "setting", w)
	}
	traces := newTracer(cfg.Hooks.Traces, database.Kind())
	if s.app, err = s.newApp(ctx, parsed, traces, metered(database, registry, traces), library, registry, ledger); err != nil {
		return nil, err
	}
	s.release = append(s.release, func() {
		s.app.close()
		if s.app.node != nil {
			s.app.node.close()
		}
	})
	if s.password, err = s.app.lobby.Admin.FirstAdmin(ctx); err != nil {
		return nil, fmt.Errorf("first admin: %w", err)
	}
	s.players.Handler, s.admins.Handler, s.metrics.Handler = &s.play, &s.admin, telemetry.Handler(registry, cfg.Pprof)
	return s, nil
}

func (s *Server) listeners() []*listen.Server {
	all := []*listen.Server{s.players, s.admins, s.metrics}
	if s.services != nil {
		all = append(all, s.services)
	}
	if s.app != nil && s.app.node != nil {
		all = append(all, s.app.node.peers.listener)
	}
	return all
}

// Run answers that the server is starting, brings live matches back, opens, calls
// Hooks.Ready, and serves until ctx ends. Then a node of a cluster moves its matches to
// others. Run closes the remaining matches, which go on at the next start, and everything
// that [New] opened. Another server gets the data folder as soon as the matches have
// stopped, while open requests end. If one waits for the folder, see [Hooks].Replace, Run
// ends as if ctx had. A context that ended is no error.
func (s *Server) Run(ctx context.Context) error {
	defer s.Close()
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	g, run := errgroup.WithContext(run)
	g.Go(panics.AsError(s.log, "stop", func() error {
		until, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(run, cancel)()
		if awaitSuccessor(until, s.cfg.DataDir) {
			s.log.Info("another server takes this one's place")
		}
		if run.Err() == nil { // everything serves on while matches move away
			s.app.moveAway(2 * s.cfg.Grace)
			stop()
		}
		return nil
	}))
	if s.app.node == nil { // the journal server of a node uses the folder to its end
		g.Go(panics.AsError(s.log, "release", func() error {
			<-run.Done()
			s.app.matches.Stop()
			for _, l := range s.listeners() {
				<-l.Released()
			}
			s.unlock()
			return nil
		}))
	}
	g.Go(panics.AsError(s.log, "reload", func() error {
		for {
			select {
			case <-s.cfg.Hooks.Reload:
				_ = s.Reload() // it has logged the files that stay as they were
			case <-run.Done():
				return nil
			}
		}
	}))
	for _, l := range s.listeners() {
		g.Go(panics.AsError(s.log, l.Name, func() error { return l.Run(run, s.cfg.Grace) }))
	}
	g.Go(panics.AsError(s.log, "serve", func() error {
		return s.app.run(run, func() {
			s.play.Open(s.app.players)
			s.admin.Open(s.app.admins)
			s.service.Open(s.app.services)
			if s.app.node != nil {
				s.app.node.peers.gate.Open(s.app.requests.tracer.between(s.app.node.peers.mux))
			}
			if s.cfg.Hooks.Ready != nil {
				s.cfg.Hooks.Ready(s)
			}
		})
	}))
	err := g.Wait()
	s.log.Info("stopped")
	return err
}

// Close closes the parts that [New] opened: for a server that is not run. It may be
// called more than once.
func (s *Server) Close() {
	for i := len(s.release) - 1; i >= 0; i-- {
		s.release[i]()
	}
	s.release = nil
}

// Addresses are where the listeners of a server are, such as
// "http://127.0.0.1:8080".
type Addresses struct {
	Players, Admins, Metrics string
	Services                 string // "": off
	// Network is where players on other machines find a server that listens on all addresses
	// without TLS, as far as this machine knows its addresses.
	Network []string
}

// Addresses returns where the listeners are bound. A port 0 of the configuration
// is a port that was free.
func (s *Server) Addresses() Addresses {
	out := Addresses{Players: s.players.URL(), Network: s.players.NetworkURLs(), Admins: s.admins.URL(), Metrics: s.metrics.URL()}
	if s.services != nil {
		out.Services = s.services.URL()
	}
	return out
}

// Store returns the kind of the server's database: "sqlite" or "postgres".
func (s *Server) Store() string { return s.store }

// Node returns the name of this process in its cluster; "": no cluster.
func (s *Server) Node() string {
	if s.app.node == nil {
		return ""
	}
	return s.app.node.name
}

// FirstPassword returns the password of the account "admin", if [New] has just
// made that account; else "". It is stored nowhere.
func (s *Server) FirstPassword() string { return s.password }

// Lobby returns the lobby service.
func (s *Server) Lobby() *lobby.Service { return s.app.lobby }

// Matches returns the match service.
func (s *Server) Matches() *match.Service { return s.app.matches }

// noStore says in one line why the store does not open, and the remedy.
func (c *Config) noStore(err error) error {
	why := strings.Join(strings.Fields(err.Error()), " ")
	if c.DatabaseURL == "" {
		return fmt.Errorf("%s: repair or move %s, or name another folder with FOGKEEP_DATA_DIR", why, c.DataDir)
	}
	return fmt.Errorf("%s: start the database, correct FOGKEEP_DATABASE_URL, or unset it to use the embedded one", why)
}

// maps returns the shipped maps, the operator's folder's, and the program's. before is
// the library offered so far, or nil: a map whose file is invalid by now keepsOld as it was.
func (c *Config) maps(log *slog.Logger, before *mapfile.Library) (*mapfile.Library, error) {
	l, refused, err := mapfile.OpenLibrary(filepath.Join(cmp.Or(c.ContentDir, c.DataDir), "maps"))
	if err != nil {
		return nil, fmt.Errorf("maps: %w", err)
	}
	for _, err := range refused {
		if before != nil {
			log.Error("a map cannot be read: it stays as it was, or is left out", "err", err)
			continue
		}
		log.Warn("a map is left out", "err", err)
	}
	if before != nil && len(refused) > 0 {
		for _, e := range before.List() {
			if keepsOld(e.Source, slices.ContainsFunc(l.List(), func(n mapfile.Entry) bool { return n.Source == e.Source })) {
				l.Keep(e)
			}
		}
	}
	for _, m := range c.Hooks.Maps {
		if err := l.Add(m); err != nil {
			return nil, fmt.Errorf("maps: %w", err)
		}
	}
	return l, nil
}

// rulesets returns the shipped rulesets, the operator's folder's, and the program's.
// before is as in [Config.maps].
func (c *Config) rulesets(log *slog.Logger, before *rulesfile.Library) (*rulesfile.Library, error) {
	l, refused, err := rulesfile.OpenLibrary(filepath.Join(cmp.Or(c.ContentDir, c.DataDir), "rules"))
	if err != nil {
		return nil, fmt.Errorf("rulesets: %w", err)
	}
	for _, err := range refused {
		if before != nil {
			log.Error("a ruleset cannot be read: it stays as it was, or is left out", "err", err)
			continue
		}
		log.Warn("a ruleset is left out", "err", err)
	}
	if before != nil && len(refused) > 0 {
		for _, e := range before.List() {
			if _, read := l.ByID(e.ID); keepsOld(e.Source, read || e.Shipped) {
				if err := l.Keep(e); err != nil {
					return nil, fmt.Errorf("rulesets: %w", err)
				}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.Hooks.Rulesets)) {
		if err := l.Add(id, c.Hooks.Rulesets[id]); err != nil {
			return nil, fmt.Errorf("rulesets: %w", err)
		}
	}
	for _, e := range l.List() {
		for _, odd := range rulesfile.Warnings(e.Rules) {
			log.Warn("a ruleset is odd", "ruleset", e.ID, "why", odd)
		}
	}
	return l, nil
}

// keepsOld reports whether a file that cannot be read now still exists: then its earlier
// content keepsOld.
func keepsOld(source string, read bool) bool {
	if source == "" || read {
		return false
	}
	_, err := os.Stat(source)
	return err == nil
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
