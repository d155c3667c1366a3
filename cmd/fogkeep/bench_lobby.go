package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/lobby"
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
func (b *benchLobbyCmd) measure(in *invocation, databaseURL, dir string) (kind string, r bench.LobbyReport, err error) {
	ctx, cancel := context.WithCancel(in.Ctx)
	defer cancel()
	// All matches of the load live at once, and nobody is to be refused.
	c := server.Defaults()
	c.Addr, c.AdminAddr, c.MetricsAddr = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	c.DataDir, c.DatabaseURL, c.TrustedProxies = dir, databaseURL, []string{"127.0.0.0/8"}
	c.Limit = []string{"live-matches.process=0", "match-starts.process=0", "new-guests.process=0", "new-lobbies.process=0"}
	c.Hooks.Logger = slog.New(slog.NewTextHandler(in.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	ready := make(chan struct{})
	c.Hooks.Ready = func(*server.Server) { close(ready) }
	s, err := server.New(ctx, c)
	if err != nil {
		return "", r, err
	}
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	select {
	case <-ready:
	case err := <-done:
		return "", r, err
	}
	defer func() {
		cancel()
		<-done
	}()

	progress(in, "%d guests through %s", b.Guests, s.Store())
	admin := s.Lobby().OperatorSession(lobby.Operator{Name: "bench", UID: "1000"})
	r, err = bench.Lobby(ctx, bench.LobbyConfig{
		URL: s.Addresses().Players, Map: largestMap(s.Lobby()), Guests: b.Guests, PerLobby: 8, Lobbies: b.Lobbies,
		Ended: func(ctx context.Context, match string) error {
			return admin.EndMatch(ctx, lobby.MatchID(match), "bench")
		},
	})
	return s.Store(), r, err
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
