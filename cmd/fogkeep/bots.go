package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/fogkeep/fogkeep/internal/bot"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/match/grid"
)

// botsMax bounds the bots that play at once in one process.
const botsMax = 256

// botRunner plays the bots' seats of lobbies. Its bots come in like anybody
// else, with a ticket over a websocket; the socket is on a loopback door of
// their own, which works whatever address and certificate the players' has.
type botRunner struct {
	log  *slog.Logger
	maps *shelf
	door *door

	playing sync.WaitGroup
	seats   chan struct{} // a token a bot

	ctx    context.Context // ends with close
	cancel context.CancelFunc
}

func newBotRunner(ctx context.Context, log *slog.Logger, maps *shelf, sockets http.Handler) (*botRunner, error) {
	mux := http.NewServeMux()
	mux.Handle("GET /ws", sockets)
	b := &botRunner{
		log: log, maps: maps, seats: make(chan struct{}, botsMax),
		door: &door{name: "bot", env: "the loopback interface", addr: "127.0.0.1:0", handler: mux},
	}
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return b, b.door.open(ctx)
}

// Play implements lobby.Bots.
func (b *botRunner) Play(_ context.Context, ticket lobby.Secret, id lobby.MatchID) {
	select {
	case b.seats <- struct{}{}:
	default:
		b.log.Warn("no bot plays: too many do", "match", id, "most", botsMax)
		return
	}
	b.playing.Go(func() {
		defer func() { <-b.seats }()
		defer panics.Catch(b.log, "bot", nil)
		r, err := bot.Play(b.ctx, bot.Config{
			Socket: "ws://" + b.door.listener.Addr().(*net.TCPAddr).String() + "/ws",
			Ticket: string(ticket), Map: b.fetch,
		})
		switch {
		case b.ctx.Err() != nil:
		case err != nil:
			b.log.Warn("a bot left its match", "match", id, "err", err)
		default:
			b.log.Debug("a bot played", "match", id, "won", r.Won, "orders", r.Orders)
		}
	})
}

// fetch gives a bot the public map, as GET /maps/{hash} would.
func (b *botRunner) fetch(_ context.Context, hash string) (*grid.Map, error) {
	h, err := grid.ParseMapHash(hash)
	if err != nil {
		return nil, err
	}
	public, ok := b.maps.bytes(h)
	if !ok {
		return nil, fmt.Errorf("no map %s", hash)
	}
	return grid.UnmarshalMap(public)
}

// close ends all bots and waits for them.
func (b *botRunner) close() {
	b.cancel()
	b.playing.Wait()
}
