package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/store"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/minimap/page"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// house is what the doors lead to.
type house struct {
	lobby           *lobby.Service
	tidy            tidy
	matches         *match.Service
	desk            *frontDesk
	maps            *shelf
	bots            *botRunner
	players, admins http.Handler
}

// house wires the rooms. Nothing runs yet.
func (c *serveCmd) house(ctx context.Context, log *slog.Logger, kept lobby.Store, library *mapfile.Library, metrics prometheus.Registerer, ledger *budget.Ledger) (*house, error) {
	journals, err := journal.OpenDir(filepath.Join(c.DataDir, "journals"))
	if err != nil {
		return nil, err
	}
	proxies, err := c.Proxies()
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
	origins, err := c.Origins()
	if err != nil {
		return nil, err
	}
	metrics.MustRegister(panics.Caught)
	h := &house{tidy: tidy{journals, days(c.JournalDays), log}}
	maps := newShelf(library)
	desk := &frontDesk{log: log}
	h.desk, h.maps = desk, maps
	config := api.Config{Budget: ledger, Proxies: proxies, Origins: origins, Version: buildVersion(), PublicURL: cmp.Or(c.PublicURL, c.playersURL)}
	h.matches = match.New(match.Config{
		Budget: ledger, Journals: journals, Admitter: desk, Reporter: desk, Address: proxies.Address, Origin: origins.Allows, Refuse: refuseSocket, Logger: log, Registerer: metrics, Build: buildVersion(), Key: key,
		Disk: dataDisk(c.DataDir), DiskReserve: int64(c.DiskReserveMiB) << 20,
		BytesPerS: c.BytesPerSecond, ReplayBufferBytes: c.ReplayBufferMiB << 20, LogTraffic: c.LogTraffic,
	})
	if h.bots, err = newBotRunner(ctx, log, maps, h.matches.Internal()); err != nil {
		return nil, err
	}
	h.lobby = lobby.New(lobby.Config{
		Budget: ledger, Store: kept, Maps: maps, Matches: &arena{h.matches, maps, c.OrdersPerSecond, c.OrderBurst, c.AbandonMinutesMax, c.ticked}, Bots: h.bots,
		Logger: log, Protocol: wire.Protocol, Node: node,
		AuditLife: days(c.AuditDays), GuestLife: days(c.GuestDays),
		Hashing: lobby.Hashing{MemoryKiB: c.PasswordMemoryKiB, Passes: c.PasswordPasses},
	})
	desk.lobby, desk.matches = h.lobby, h.matches

	pages := contentPolicy{frames: c.FrameAncestors}
	health := &health{lobby: h.lobby}
	h.players = h.playerRoutes(config, maps, pages, health)
	h.admins = h.adminRoutes(config, maps, contentPolicy{}, health, log)
	return h, nil
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// playerRoutes is the player listener: pages, the lobby's API, maps, sockets.
func (h *house) playerRoutes(config api.Config, maps *shelf, policy contentPolicy, health *health) http.Handler {
	r := chi.NewRouter()
	health.routes(r)
	r.Handle("/api/*", api.New(h.lobby, config))
	r.Handle("/maps/{hash}", config.Origins.Share(serveMap(maps)))
	r.Handle("/ws", h.matches)
	r.Handle("/admin/*", http.NotFoundHandler()) // not on this door, whatever the pages do
	r.Handle("/*", site("index.html", policy))
	return r
}

// adminRoutes is the admin listener: its page, the admins' API, and the
// pictures of live matches.
func (h *house) adminRoutes(config api.Config, maps *shelf, policy contentPolicy, health *health, log *slog.Logger) http.Handler {
	admin := api.NewAdmin(h.lobby, config)
	look := func(r *http.Request) (lobby.MatchID, string) { return lookOf(r.URL.Path, r.URL.Query().Get("eyes")) }
	live := page.Handler(&lens{h.matches}, func(next http.Handler) http.Handler {
		list := admin.Require(lobby.Viewer, next)
		inside := admin.RequireFog(look, next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if id, _ := look(r); id == "" {
				list.ServeHTTP(w, r)
				return
			}
			inside.ServeHTTP(w, r)
		})
	}, log)
	r := chi.NewRouter()
	health.routes(r)
	r.Handle("/admin/api/live/*", http.StripPrefix("/admin/api/live", live))
	r.Handle("/admin/api/*", admin)
	r.Get("/maps/{hash}", serveMap(maps))      // what the debug page draws under the units
	r.Handle("/api/*", http.NotFoundHandler()) // not on this door
	r.Handle("/*", site("admin.html", policy))
	return r
}

// recover brings back the matches that were live when the server ended. Only
// then may anything start one.
func (h *house) recover(ctx context.Context) error {
	if err := h.matches.Recover(ctx, h.desk.fate); err != nil {
		return fmt.Errorf("recovery of live matches: %w", err)
	}
	for _, m := range h.matches.Matches() {
		h.maps.keep(m.Map) // it may be offered no more
	}
	return nil
}

// run brings live matches back, calls open, and keeps the rooms alive until ctx
// ends. Then it closes them in order: matches first, whose journals they
// complete, then the bots that sat in them.
func (h *house) run(ctx context.Context, grace time.Duration, log *slog.Logger, open func()) error {
	if err := h.recover(ctx); err != nil {
		h.matches.Close()
		h.bots.door.listener.Close()
		if ctx.Err() != nil {
			return nil // stopped before it was open
		}
		return err
	}
	open()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(caught(log, "lobby", func() error { return h.lobby.Run(ctx) }))
	g.Go(caught(log, "tidy", func() error { h.tidy.run(ctx); return nil }))
	g.Go(caught(log, "bots", func() error { return h.bots.door.serve(ctx, grace, log) }))
	g.Go(caught(log, "end", func() error {
		<-ctx.Done()
		h.matches.Close()
		h.bots.close()
		return nil
	}))
	return g.Wait()
}

// refuseSocket answers a request for a socket that is not upgraded.
func refuseSocket(w http.ResponseWriter, err error) {
	if errors.Is(err, match.ErrOrigin) {
		err = lobby.CrossOrigin
	}
	api.WriteProblem(w, err)
}
