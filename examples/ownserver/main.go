package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// config are the flags.
type config struct {
	addr, data string
	options    sim.Options
	speed      int // percent
}

func main() {
	var c config
	flag.StringVar(&c.addr, "addr", "127.0.0.1:9090", "where to listen")
	flag.StringVar(&c.data, "data", "./ownserver-data", "folder of journals and keys")
	flag.Parse()
	c.options.AbandonMs = 5 * 60_000 // a match that all have left ends
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, c, flag.Args(), slog.Default(), func(addr string) { slog.Info("open", "addr", addr) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "ownserver:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. "token NAME" only writes a token, as the studio's own
// accounts would give it to a player.
func run(ctx context.Context, c config, args []string, log *slog.Logger, open func(addr string)) error {
	if err := os.MkdirAll(c.data, 0o700); err != nil {
		return err
	}
	accounts, err := match.Key(filepath.Join(c.data, "accounts.key")) // 32 random bytes, made if there are none
	if err != nil {
		return err
	}
	if len(args) == 2 && args[0] == "token" {
		fmt.Println(token(accounts, args[1], time.Now().Add(time.Hour)))
		return nil
	}

	// The parts of a match.
	library, err := mapfile.Shipped()
	if err != nil {
		return err
	}
	maps := mapfile.NewCatalogue(library)
	ruleset, err := rules.Shipped("skirmish")
	if err != nil {
		return err
	}

	// The match service, and who it asks about players.
	p := newPlayers(accounts, log)
	journals, err := journal.OpenDir(filepath.Join(c.data, "journals"))
	if err != nil {
		return err
	}
	resume, err := match.Key(filepath.Join(c.data, "resume.key"))
	if err != nil {
		return err
	}
	limits, err := spec.NewLedger("match-ticks.process=320")
	if err != nil {
		return err
	}
	matches := match.New(match.Config{
		Journals: journals, Admitter: p, Reporter: p, Ledger: limits, Key: resume, Logger: log, Build: "ownserver 1",
	})
	defer matches.Close()
	p.start = func(id string, names [2]string) error {
		m, ok := maps.Edition("twin-fords", "")
		if !ok {
			return errors.New("no such map")
		}
		played := spec.Match{ID: id, Map: m, Rules: ruleset, Seed: rand.Uint64(), Options: c.options, SpeedPercent: c.speed}
		for i, name := range names {
			played.Seats = append(played.Seats, spec.Seat{Name: name, Account: name, Team: grid.Team(i), Start: i, Color: uint8(i)})
		}
		return matches.Start(played)
	}

	// The matches of the last run go on, before players can start one.
	if err := matches.Recover(ctx, nil); err != nil {
		return err
	}

	mux := http.NewServeMux()
	mux.HandleFunc("POST /play", p.play)
	mux.Handle("GET /ws", matches)
	mux.HandleFunc("GET /maps/{hash}", func(w http.ResponseWriter, r *http.Request) {
		hash, err := grid.ParseMapHash(r.PathValue("hash"))
		public, ok := maps.Public(hash)
		if err != nil || !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(public)
	})
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	open(listener.Addr().String())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 1 << 14}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
