package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/internal/outbound"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/identity"
	"github.com/fogkeep/fogkeep/lobby/store"
	"github.com/fogkeep/fogkeep/lobby/webhook"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
	"github.com/fogkeep/fogkeep/minimap/page"
	"github.com/fogkeep/fogkeep/proto/wire"
	"github.com/fogkeep/fogkeep/web"
)

// app is the parts of one server process, joined.
type app struct {
	lobby           *lobby.Service
	journals        *journal.Dir
	journalLife     time.Duration // 0: for ever
	log             *slog.Logger
	matches         *match.Service
	admission       Admission
	seats           *seatNotices
	webhooks        *webhook.Dispatcher
	maps            mapCatalogue
	bots            *botRunner
	players, admins http.Handler
	services        http.Handler
}

// newApp joins the services. Nothing runs yet. playersURL is where the players'
// listener was opened, for links where no other URL is configured.
func newApp(ctx context.Context, c Config, playersURL string, log *slog.Logger, kept lobby.Store, library *mapfile.Library, rulesets *rulesfile.Library, metrics prometheus.Registerer, ledger *budget.Ledger) (_ *app, err error) {
	journals, err := journal.OpenDir(filepath.Join(c.DataDir, "journals"))
	if err != nil {
		return nil, err
	}
	proxies, err := c.proxies()
	if err != nil {
		return nil, err
	}
	node, err := store.Node(c.DataDir)
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", c.DataDir, err)
	}
	key, err := match.Key(filepath.Join(c.DataDir, "resume.key"))
	if err != nil {
		return nil, err
	}
	origins, err := c.origins()
	if err != nil {
		return nil, err
	}
	allow, err := outbound.ParseAllow(c.WebhookAllow)
	if err != nil {
		return nil, err
	}
	outside := outbound.Policy{Allow: allow}
	metrics.MustRegister(panics.Caught)
	own, maps := &admissionAdapter{log: log}, mapCatalogue{mapfile.NewCatalogue(library)}
	admission := Admission(own)
	if c.Hooks.Admission != nil {
		admission = c.Hooks.Admission(own)
	}
	a := &app{journals: journals, journalLife: days(c.JournalDays), log: log, admission: admission, maps: maps}
	a.seats = newSeatNotices(log)
	publicURL := cmp.Or(c.PublicURL, playersURL)
	file, err := c.identityFile()
	if err != nil {
		return nil, fmt.Errorf("--identity-file: %w", err)
	}
	providers, err := identity.New(identity.Config{File: file, Own: c.Hooks.Verifiers, PublicURL: publicURL, Budget: ledger, Logger: log, Metrics: metrics})
	if err != nil {
		return nil, fmt.Errorf("--identity-file: %w", err)
	}
	config := api.Config{Budget: ledger, Proxies: proxies, Origins: origins, Version: Version(), PublicURL: publicURL, Identity: providers}
	a.matches = match.New(match.Config{
		SeatChanged: a.seats.changed,
		Budget:      ledger, Journals: journals, Admitter: admission, Reporter: admission, Address: proxies.Address, Origin: origins.Allows, Refuse: refuseSocket, Logger: log, Registerer: metrics, Build: Version(), Key: key,
		Disk: dataDisk(c.DataDir), DiskReserve: int64(c.DiskReserveMiB) << 20,
		BytesPerS: c.BytesPerSecond, ReplayBufferBytes: c.ReplayBufferMiB << 20, LogTraffic: c.LogTraffic,
	})
	if a.bots, err = newBotRunner(ctx, log, maps, a.matches.Internal()); err != nil {
		a.matches.Close()
		return nil, err
	}
	defer func() {
		if err != nil {
			a.close()
			a.bots.listener.Close()
		}
	}()
	queues, err := c.queues()
	if err != nil {
		return nil, err
	}
	a.lobby = lobby.New(lobby.Config{
		Queues: queues, Registerer: metrics,
		Budget: ledger, Store: kept, Maps: maps, Rulesets: infosOf(rulesets), Matches: &matchAdapter{a.matches, maps, rulesets, c.OrdersPerSecond, c.OrderBurst, c.AbandonMinutesMax, c.Hooks.Ticked}, Bots: a.bots,
		Logger: log, Protocol: wire.Protocol, Node: node,
		Outbound: outside, AuditLife: days(c.AuditDays), GuestLife: days(c.GuestDays),
		Hashing:    lobby.Hashing{MemoryKiB: c.PasswordMemoryKiB, Passes: c.PasswordPasses},
		NoOwnLogin: !c.OwnLogin, NoGuests: !c.Guests, Issuers: providers.Issuers(),
	})
	a.seats.lobby = a.lobby
	a.webhooks = webhook.New(webhook.Config{Service: a.lobby, Policy: outside, Budget: ledger, Logger: log, Registerer: metrics, Version: Version()})
	own.lobby, own.matches = a.lobby, a.matches
	if err := a.lobby.CheckQueues(); err != nil {
		return nil, fmt.Errorf("--queues: %w", err)
	}

	health := &health{lobby: a.lobby}
	if a.players, err = withRoutes(a.playerRoutes(config, web.Policy{Frames: c.FrameAncestors}, health), c.Hooks.Routes); err != nil {
		return nil, err
	}
	a.admins = a.adminRoutes(config, health)
	a.services = a.serviceRoutes(config, health)
	return a, nil
}

// queues reads the queues for which players wait.
func (c Config) queues() ([]lobby.Queue, error) {
	switch c.QueuesFile {
	case "":
		return lobby.DefaultQueues(), nil
	case "none":
		return nil, nil
	}
	raw, err := os.ReadFile(c.QueuesFile)
	if err != nil {
		return nil, fmt.Errorf("--queues %s: %w", c.QueuesFile, cause(err))
	}
	queues, err := lobby.ParseQueues(raw)
	if err != nil {
		return nil, fmt.Errorf("--queues %s: %w", c.QueuesFile, err)
	}
	return queues, nil
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// playerRoutes is the player listener: pages, the lobby's API, maps, sockets.
func (a *app) playerRoutes(config api.Config, policy web.Policy, health *health) http.Handler {
	r := chi.NewRouter()
	health.routes(r)
	r.Handle("/api/*", api.New(a.lobby, config))
	r.Handle("/maps/{hash}", config.Origins.Share(a.maps))
	r.Handle("/ws", a.matches)
	r.Handle("/admin/*", http.NotFoundHandler()) // not on this listener, whatever the pages do
	r.Handle("/*", web.Handler("index.html", policy))
	return r
}

// adminRoutes is the admin listener: its page, the admins' API, and the
// pictures of live matches.
func (a *app) adminRoutes(config api.Config, health *health) http.Handler {
	admin := api.NewAdmin(a.lobby, config)
	look := func(r *http.Request) (lobby.MatchID, string) {
		id, eyes := page.LookedAt(r.URL)
		return lobby.MatchID(id), eyes
	}
	live := page.Handler(&inspectAdapter{a.matches}, func(next http.Handler) http.Handler {
		list := admin.Require(lobby.Viewer, next)
		inside := admin.RequireFog(look, next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if id, _ := look(r); id == "" {
				list.ServeHTTP(w, r)
				return
			}
			inside.ServeHTTP(w, r)
		})
	}, a.log)
	r := chi.NewRouter()
	health.routes(r)
	r.Handle("/admin/api/live/*", http.StripPrefix("/admin/api/live", live))
	r.Handle("/admin/api/*", admin)
	r.Method(http.MethodGet, "/maps/{hash}", a.maps) // what the debug page draws under the units
	r.Handle("/api/*", http.NotFoundHandler())       // not on this listener
	r.Handle("/*", web.Handler("admin.html", web.Policy{}))
	return r
}

// serviceRoutes is the listener for the servers of a studio.
func (a *app) serviceRoutes(config api.Config, health *health) http.Handler {
	r := chi.NewRouter()
	health.routes(r)
	r.Handle("/service/api/*", api.NewService(a.lobby, config))
	return r
}

// recover brings back the matches that were live when the server ended. Only
// then may anything start one.
func (a *app) recover(ctx context.Context) error {
	if err := a.matches.Recover(ctx, a.admission.Fate); err != nil {
		return fmt.Errorf("recovery of live matches: %w", err)
	}
	for _, m := range a.matches.Matches() {
		a.maps.Publish(m.Map) // it may be offered no more
	}
	return nil
}

// run brings live matches back, calls open, and runs the services until ctx
// ends. Then it closes them in order: first the matches, which complete their
// journals, then the bots that played in them.
func (a *app) run(ctx context.Context, grace time.Duration, open func()) error {
	if err := a.recover(ctx); err != nil {
		a.close()
		if ctx.Err() != nil {
			return nil // stopped before it was open
		}
		return err
	}
	open()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(panics.AsError(a.log, "lobby", func() error { return a.lobby.Run(ctx) }))
	g.Go(panics.AsError(a.log, "retention", func() error { a.journals.Retain(ctx, a.journalLife, a.log); return nil }))
	g.Go(panics.AsError(a.log, "seats", func() error { return a.seats.run(ctx) }))
	g.Go(panics.AsError(a.log, "webhooks", func() error { return a.webhooks.Run(ctx) }))
	g.Go(panics.AsError(a.log, "bots", func() error { return a.bots.listener.Run(ctx, grace) }))
	g.Go(panics.AsError(a.log, "end", func() error {
		<-ctx.Done()
		a.close()
		return nil
	}))
	return g.Wait()
}

// close ends the services and waits for them: first the matches, which complete
// their journals, then the bots that played in them. It may be called more than
// once.
func (a *app) close() {
	a.matches.Close()
	a.bots.close()
}

// refuseSocket answers a request for a socket that is not upgraded.
func refuseSocket(w http.ResponseWriter, err error) {
	if errors.Is(err, match.ErrOrigin) {
		err = lobby.CrossOrigin
	}
	api.WriteProblem(w, err)
}
