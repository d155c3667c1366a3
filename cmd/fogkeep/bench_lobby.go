package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/internal/config"
	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/telemetry"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/store"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// benchLobbyCmd measures admission: guests through log-in, lobby, ticket and
// socket, against the whole server in this process, on SQLite and, where a
// database is named, on PostgreSQL.
type benchLobbyCmd struct {
	Guests      int    `default:"2000" help:"How many guests come in."`
	Lobbies     int    `default:"4" help:"Lobbies that form at once."`
	DatabaseURL string `env:"FOGKEEP_DATABASE_URL" help:"postgres://… to measure as well: it is filled with accounts and matches, so give it an empty one. Without it only SQLite is measured."`
	JSON        bool   `name:"json" help:"Write one JSON object."`
}

// Run measures and prints.
func (c *benchLobbyCmd) Run(in *invocation) error {
	reports := map[string]bench.LobbyReport{}
	databases := []string{""} // SQLite
	if c.DatabaseURL != "" {
		databases = append(databases, c.DatabaseURL)
	} else {
		progress(in, "no --database-url: PostgreSQL is not measured")
	}
	for _, databaseURL := range databases {
		dir, err := os.MkdirTemp("", "fogkeep-bench")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		kind, r, err := c.measure(in, databaseURL, dir)
		if err != nil {
			return fmt.Errorf("bench lobby: %w", err)
		}
		reports[kind] = r
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(reports)
	}
	for _, kind := range slices.Sorted(maps.Keys(reports)) {
		r := reports[kind]
		fmt.Fprintf(in.Stdout, "%-9s %d guests into %d matches in %.1f s: %.0f joins/s, p50 %.1f ms, p99 %.1f ms, start p99 %.1f ms, %d errors %s\n",
			kind, r.Guests, r.Matches, r.Seconds, r.JoinsPerS, r.JoinP50Ms, r.JoinP99Ms, r.StartP99, r.Errors, r.FirstErr)
	}
	return nil
}

// measure runs the server as `fogkeep serve` joins it, and the load against it.
func (c *benchLobbyCmd) measure(in *invocation, databaseURL, dir string) (kind string, r bench.LobbyReport, err error) {
	ctx, cancel := context.WithCancel(in.Ctx)
	defer cancel()
	kept, err := store.Open(ctx, databaseURL, dir)
	if err != nil {
		return "", r, err
	}
	defer kept.Close()
	library, _, err := mapfile.OpenLibrary(dir)
	if err != nil {
		return "", r, err
	}
	quiet := slog.New(slog.NewTextHandler(in.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	// All matches of the load live at once, and nobody is to be refused.
	server := serveCmd{Server: config.Server{DataDir: dir, AbandonMinutesMax: lobby.AbandonMinutesMax, TrustedProxies: []string{"127.0.0.0/8"}, Limit: []string{"live-matches.process=0", "match-starts.process=0", "new-guests.process=0", "new-lobbies.process=0"}}}
	limits, err := server.Limits()
	if err != nil {
		return "", r, err
	}
	proxies, err := server.Proxies()
	if err != nil {
		return "", r, err
	}
	ledger := budget.New(limits)
	players := &listen.Server{
		Name: "player", Addr: "127.0.0.1:0",
		Config: listen.Config{Budget: ledger, Proxies: proxies, Refuse: api.WriteProblem, Logger: quiet},
	}
	if err := players.Open(ctx); err != nil {
		return "", r, err
	}
	a, err := server.newApp(ctx, quiet, kept, library, telemetry.NewRegistry(), ledger)
	if err != nil {
		return "", r, err
	}
	players.Handler = a.players
	done := make(chan error, 2)
	go func() { done <- a.run(ctx, server.Grace, func() {}) }()
	go func() { done <- players.Run(ctx, server.Grace) }()
	defer func() {
		cancel()
		<-done
		<-done
	}()

	progress(in, "%d guests through %s", c.Guests, kept.Kind())
	admin := a.lobby.OperatorSession(lobby.Operator{Name: "bench", UID: "1000"})
	r, err = bench.Lobby(ctx, bench.LobbyConfig{
		URL: players.URL(), Map: largestMap(a.lobby), Guests: c.Guests, PerLobby: 8, Lobbies: c.Lobbies,
		Ended: func(ctx context.Context, match string) error {
			return admin.EndMatch(ctx, lobby.MatchID(match), "bench")
		},
	})
	return kept.Kind(), r, err
}

// largestMap returns the shipped map with the most starts: eight.
func largestMap(s *lobby.Service) string {
	var best lobby.MapInfo
	for _, m := range s.Maps.Maps() {
		if m.Starts > best.Starts {
			best = m
		}
	}
	return best.ID
}
