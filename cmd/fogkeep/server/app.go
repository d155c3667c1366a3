package server

import (
	"cmp"
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/identity"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/store"
	"github.com/fogkeep/fogkeep/lobby/webhook"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/cluster"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/inspectserver"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/replayserver"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/proto/wire"
	"github.com/fogkeep/fogkeep/web"
)

// app is the parts of one server process, joined.
type app struct {
	home
	lobby           *lobby.Service
	journalLife     time.Duration   // 0: for ever
	allMatches      *clusterMatches // nil: no cluster
	telling         sync.WaitGroup
	log             *slog.Logger
	matches         *match.Service
	library         *playback.Library
	replays         *replayserver.Service
	admission       Admission
	seats           *seatNotices
	webhooks        *webhook.Dispatcher
	maps            mapCatalogue
	packs           *offeredPacks
	inspector       *inspectserver.Service
	bots            *botRunner
	drivers         drivers
	players, admins http.Handler
	services        http.Handler
	requests        *httpMetrics
}

// newApp joins the services and starts none.
func (s *Server) newApp(ctx context.Context, p parsed, traces tracer, database db.Store, library *mapfile.Library, metrics prometheus.Registerer, ledger *quota.Ledger) (_ *app, err error) {
	c, log, rulesets, playersURL := s.cfg, s.log, &s.rulesets, s.players.URL()
	nodeURL, betweenNodes := c.nodeURLs(playersURL)
	home, err := c.home(ctx, betweenNodes, p.proxies, log, metrics, ledger)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && home.node != nil {
			home.node.close()
		}
	}()
	metrics.MustRegister(panics.Caught)
	adapter, maps := &admissionAdapter{log: log, shared: home.node != nil}, mapCatalogue{mapfile.NewCatalogue(library)}
	admission := Admission(adapter)
	if c.Hooks.Admission != nil {
		admission = c.Hooks.Admission(adapter)
	}
	a := &app{home: home, journalLife: days(c.KeepDays.Journals), log: log, admission: admission, maps: maps, seats: newSeatNotices(log), drivers: p.drivers, requests: newHTTPMetrics(metrics, newAccessLog(log), traces)}
	packs, err := c.packs(log)
	if err != nil {
		return nil, err
	}
	shipped, err := shippedPacks()
	if err != nil {
		return nil, err
	}
	a.packs = &offeredPacks{shipped: shipped, log: log, maps: maps, dir: c.packsDir(), library: packs, folder: library}
	rulesets.packs = a.packs
	publicURL := cmp.Or(c.PublicURL, playersURL)
	providers, err := identity.New(identity.Config{File: p.identity, Own: c.Hooks.Verifiers, PublicURL: publicURL, Ledger: ledger, Logger: log, Metrics: metrics})
	if err != nil {
		return nil, fmt.Errorf("--identity-file: %w", err)
	}
	face := api.Config{Ledger: ledger, Proxies: p.proxies, Origins: p.origins, Version: Version(), PublicURL: publicURL, LinkURL: c.PublicURL, NetworkURLs: s.players.NetworkURLs, Identity: providers}
	nodes := func() []string { return a.nodeURLs(nodeURL) }
	var noted playback.Notes = home.notes
	if n := home.node; n != nil {
		noted = newClusterNotes(home.notes, n.peers, log)
	}
	a.library = playback.New(playback.Config{
		Journals: home.past, Notes: noted, Ledger: ledger, Logger: log, Registerer: metrics,
		Busy: func() bool { return a.matches.Busy() },
	})
	config := match.Config{
		Servers:     nodes,
		SeatChanged: a.seats.changed,
		Ledger:      ledger, Journals: home.journals, Admitter: admission, Reporter: admission, Address: p.proxies.Address, Origin: p.origins.And(nodes).Allows, Refuse: refuseSocket, Logger: log, Registerer: metrics, Build: Version(), Key: home.key,
		Disk: dataDisk(c.DataDir), DiskReserve: int64(c.DiskReserveMiB) << 20,
		BytesPerS: c.BytesPerSecond, Notes: home.notes, Library: a.library,
	}
	config.StandIn = func(id, ticket, level string) {
		a.bots.Play(ctx, model.Secret(ticket), model.MatchID(id), model.BotLevel(level))
	}
	if n := home.node; n != nil {
		config.StateSeconds = clusterStateSeconds
		config.Where = a.where
		if c.forwards() {
			config.Carry = n.peers.carry
		}
		config.Fenced = func(string) { n.cluster.Changed() }
	}
	a.matches = match.New(config)
	a.bots = newBotRunner(ctx, log, maps, p.drivers[link.DriverProcess].(link.Dialer))
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	localMatches := &matchAdapter{a.matches, home.name, maps, rulesets, c.Hooks.Ticked, nil}
	var matches model.Matches = localMatches
	var clusterInfo admin.Cluster
	if n := home.node; n != nil {
		n.peers.mux.Handle("/ws", a.matches.Carried(anyProxy.Address))
		a.allMatches = newClusterMatches(localMatches, n.cluster, n.peers, n.store, a.tookOver, log)
		a.allMatches.proxy = c.forwards()
		matches = a.allMatches
		clusterInfo = clusterAdmin{n.cluster}
		n.host.app = a
	}
	replays := &replayAdapter{journals: home.past, checked: map[model.MatchID]checkedJournal{}, glanced: map[model.MatchID]checkedJournal{}}
	replays.library = a.library
	replays.matchEvents = &matchEvents{library: a.library, open: map[model.MatchID]*openEvents{}}
	a.replays = replayserver.New(replayserver.Config{
		Library: a.library, Admitter: replayAdmission{replays}, BytesPerS: c.BytesPerSecond,
		Ledger: ledger, Address: p.proxies.Address, Origin: p.origins.And(nodes).Allows, Refuse: refuseSocket, Logger: log, Registerer: metrics,
	})
	replays.Service = a.replays
	a.lobby = lobby.New(lobby.Config{
		Cluster: clusterInfo, Packs: a.packs, Starts: newStarts(a.library, maps, rulesets, log), PlayerScenarios: c.Allow.Scenarios,
		Replays: replays, ReplayLife: days(c.KeepDays.Journals), ReplayKey: home.replayKey,
		Queues: p.queues, Registerer: metrics,
		Ledger: ledger, Store: database, Maps: maps, Rulesets: rulesets.infos, Modes: sim.Modes, Matches: matches, Bots: a.bots,
		Logger: log, Protocol: wire.Protocol, Node: home.name, NodeURL: nodeURL, BuildWait: c.WaitForBuild,
		Outbound: p.webhooks, AuditLife: days(c.KeepDays.Audit), GuestLife: days(c.KeepDays.Guests),
		NoOwnLogin: !c.Allow.Accounts, NoGuests: !c.Allow.Guests, Issuers: providers.Issuers(),
	})
	a.seats.lobby, localMatches.startSetup = a.lobby, a.lobby.Room.StartSetup
	a.webhooks = webhook.New(webhook.Config{Service: a.lobby, Policy: p.webhooks, Ledger: ledger, Logger: log, Registerer: metrics, Version: Version()})
	adapter.lobby, adapter.matches, replays.lobby = a.lobby, a.matches, a.lobby
	if err := a.lobby.Admin.OfferPacks(ctx); err != nil {
		return nil, fmt.Errorf("packs: %w", err)
	}
	if err := a.lobby.Queue.CheckQueues(); err != nil {
		return nil, fmt.Errorf("--queues: %w", err)
	}

	health := &health{lobby: a.lobby, node: a.node, journals: a.dir, log: log}
	if a.players, err = withRoutes(a.playerRoutes(face, web.Policy{Frames: c.FrameAncestors, Nodes: nodes}, health), c.Hooks.Routes); err != nil {
		return nil, err
	}
	a.inspector = inspectserver.New(inspectserver.Config{Library: a.library, Live: a.matches, Ledger: ledger, Logger: log})
	a.admins = a.adminRoutes(face, health)
	a.services = a.serviceRoutes(face, health)
	return a, nil
}

// queues reads the queues for which players wait.
func (c Config) queues() ([]model.Queue, error) {
	switch c.QueuesFile {
	case "":
		return model.DefaultQueues(), nil
	case "none":
		return nil, nil
	}
	raw, err := os.ReadFile(c.QueuesFile)
	if err != nil {
		return nil, fmt.Errorf("--queues %s: %w", c.QueuesFile, cause(err))
	}
	queues, err := model.ParseQueues(raw)
	if err != nil {
		return nil, fmt.Errorf("--queues %s: %w", c.QueuesFile, err)
	}
	return queues, nil
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// playerRoutes is the player listener: pages, the lobby's API, maps, sockets.
func (a *app) playerRoutes(config api.Config, policy web.Policy, health *health) http.Handler {
	r := chi.NewRouter()
	r.Use(a.requests.of("players"))
	health.routes(r)
	r.Handle("/api/*", api.New(a.lobby, config))
	r.Handle("/maps/{hash}", config.Pages(api.WithoutQuery(a.maps)))
	r.Method(http.MethodGet, "/packs/{hash}", config.Pages(api.WithoutQuery(a.packs)))
	if _, on := a.drivers[link.DriverSocket]; on {
		r.Handle("/ws", api.WithoutQuery(a.matches))
	} else {
		r.Handle("/ws", http.NotFoundHandler()) // not a page
	}
	r.Handle("/ws/replay", api.WithoutQuery(a.replays))
	r.Handle("/admin/*", http.NotFoundHandler()) // this listener never serves admin pages
	r.Handle("/*", web.Handler("index.html", policy))
	return r
}

// adminRoutes is the admin listener: its page, and the admins' API with the inspector.
func (a *app) adminRoutes(config api.Config, health *health) http.Handler {
	admin := api.NewAdmin(a.lobby, config)
	var owner inspectserver.Owner
	if a.node != nil {
		owner = a.node.peers.match
		a.node.peers.serveMatch(a.inspector.Here())
	}
	withInspector(admin, a.inspector, a.library, owner)
	r := chi.NewRouter()
	r.Use(a.requests.of("admins"))
	health.routes(r)
	r.Handle("/admin/api/*", admin)
	r.Method(http.MethodGet, "/maps/{hash}", api.WithoutQuery(a.maps)) // the maps of inspected matches
	r.Handle("/api/*", http.NotFoundHandler())                         // not on this listener
	r.Handle("/*", web.Handler("admin.html", web.Policy{}))
	return r
}

// serviceRoutes is the listener for the servers of a studio.
func (a *app) serviceRoutes(config api.Config, health *health) http.Handler {
	r := chi.NewRouter()
	r.Use(a.requests.of("services"))
	health.routes(r)
	r.Handle("/service/api/*", api.NewService(a.lobby, config))
	return r
}

// home is this process's place in a cluster, and its matches' journals.
type home struct {
	name     string
	journals journal.Store
	past     pastJournals // the same
	key      []byte       // of resume tokens
	// replayKey is the source of the keys of links to replays.
	replayKey []byte
	dir       *journal.Dir // nil in a cluster, whose log keeps them
	notes     *notes.Dir
	node      *node // nil: no cluster
}

func (c *Config) home(ctx context.Context, url string, clients listen.Proxies, log *slog.Logger, metrics prometheus.Registerer, ledger *quota.Ledger) (h home, err error) {
	if c.Cluster != "" {
		if h.node, err = newNode(ctx, c, url, clients, log, metrics, ledger); err != nil {
			return h, err
		}
		h.name, h.journals, h.past = h.node.name, h.node.store, h.node.store
		if h.key, err = h.node.key("resume tokens"); err == nil {
			h.replayKey, err = h.node.key("links to replays")
		}
		if err == nil {
			h.notes, err = notes.OpenDir(filepath.Join(c.DataDir, "notes"), log) // of its own matches
		}
		if err != nil {
			h.node.close()
		}
		return h, err
	}
	folder := filepath.Join(c.DataDir, "journals")
	if h.dir, err = journal.OpenDir(folder); err != nil {
		return h, err
	}
	if h.notes, err = notes.OpenDir(folder, log); err != nil { // beside them
		return h, err
	}
	h.dir.Wrap = timedFiles(metrics)
	h.journals, h.past = h.dir, h.dir
	if h.name, err = store.Node(c.DataDir); err != nil {
		return h, fmt.Errorf("data folder %s: %w", c.DataDir, err)
	}
	if h.key, err = match.Key(filepath.Join(c.DataDir, "resume.key")); err == nil {
		h.replayKey, err = hkdf.Key(sha256.New, h.key, nil, "fogkeep links to replays", 32)
	}
	return h, err
}

// where is match.Config.Where.
func (a *app) where(id string) shared.Whereabouts {
	if a.allMatches == nil { // this node is starting
		return shared.Whereabouts{State: shared.WhereWaits}
	}
	at := a.allMatches.Where(context.Background(), shared.MatchID(id))
	if at.Node == a.name { // it came while the caller looked
		return shared.Whereabouts{State: shared.WhereWaits}
	}
	return at
}

// nodeURLs returns where players reach the other nodes: live nodes, and the store's
// nodes, which may be down just now.
func (a *app) nodeURLs(self string) []string {
	out := a.lobby.Play.NodeURLs()
	if a.node != nil && self != "" { // else players know no nodes
		for _, n := range a.node.cluster.Nodes() {
			if n.State != cluster.Gone && n.URL != "" && n.URL != self && !slices.Contains(out, n.URL) {
				out = append(out, n.URL)
			}
		}
	}
	return out
}

// came takes in a match that ran elsewhere and runs here now.
func (a *app) came(id string) {
	for _, m := range a.matches.Matches() {
		if m.ID == id {
			a.maps.Publish(m.Map) // it may be offered no more, or not here
		}
	}
	a.tookOver(model.MatchID(id))
}

// recover brings back the matches that were live when the server ended. Only
// then may anything start one. In a cluster matches come back once the node has
// joined, here or elsewhere.
func (a *app) recover(ctx context.Context) error {
	if a.node != nil {
		select {
		case <-a.node.cluster.Joined():
		case <-ctx.Done():
		}
		return ctx.Err()
	}
	if err := a.matches.Recover(ctx, a.admission.Fate); err != nil {
		return fmt.Errorf("recovery of live matches: %w", err)
	}
	for _, m := range a.matches.Matches() {
		a.came(m.ID)
	}
	return nil
}

// run brings live matches back, calls open, and runs the services until ctx
// ends. Then it closes them in order: first the matches, which complete their
// journals, then the bots that played in them.
func (a *app) run(ctx context.Context, open func()) error {
	g, ctx := errgroup.WithContext(ctx)
	leave := func() {}
	if a.node != nil { // it says goodbye once its matches are closed
		joined, cancel := context.WithCancel(context.WithoutCancel(ctx))
		leave = cancel
		g.Go(panics.AsError(a.log, "cluster", func() error { return a.node.cluster.Run(joined) }))
	}
	defer leave()
	if err := a.recover(ctx); err != nil {
		a.close()
		leave()
		if stopped := ctx.Err() != nil; stopped {
			return g.Wait() // before it was open
		}
		return err
	}
	open()
	g.Go(panics.AsError(a.log, "lobby", func() error { return a.lobby.Run(ctx) }))
	if a.dir != nil {
		g.Go(panics.AsError(a.log, "retention", func() error { a.dir.Retain(ctx, a.journalLife, a.log); return nil }))
	}
	g.Go(panics.AsError(a.log, "retention of notes", func() error { a.notes.Retain(ctx, a.journalLife); return nil }))
	g.Go(panics.AsError(a.log, "seats", func() error { return a.seats.run(ctx) }))
	g.Go(panics.AsError(a.log, "webhooks", func() error { return a.webhooks.Run(ctx) }))
	g.Go(panics.AsError(a.log, "drivers", func() error { return a.drivers.run(ctx, a) }))
	g.Go(panics.AsError(a.log, "end", func() error {
		<-ctx.Done()
		a.close()
		leave()
		return nil
	}))
	return g.Wait()
}

// moveAway moves the matches of a stopping node to others, within a time. Then it stops
// the remaining ones with complete journals; they go on where another node takes them, or
// at this node's next start.
func (a *app) moveAway(within time.Duration) {
	if a.node == nil || within == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := a.node.cluster.Empty(ctx); err != nil {
		a.log.Warn("matches are left on a node that stops: others take them over once it is gone", "err", err)
	}
}

// close ends the services and waits for them: first the matches, which complete
// their journals, then the bots that played in them. It may be called more than
// once.
func (a *app) close() {
	if a.replays != nil {
		a.replays.Close()
	}
	if a.inspector != nil {
		a.inspector.Close()
	}
	a.matches.Close() // its late spectators use the library
	a.library.Close()
	a.bots.close()
	a.telling.Wait()
}

// refuseSocket answers a request for a socket that is not upgraded.
func refuseSocket(w http.ResponseWriter, err error) {
	if errors.Is(err, listen.ErrOrigin) {
		err = model.CrossOrigin
	}
	api.WriteProblem(w, err)
}
