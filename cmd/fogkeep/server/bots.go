package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
)

// botRunner plays the bots' seats of lobbies. Its bots connect like any player, with a
// ticket, by the driver for clients inside the process.
type botRunner struct {
	log    *slog.Logger
	maps   mapCatalogue
	driver link.Dialer

	playing sync.WaitGroup

	ctx    context.Context // ends with close
	cancel context.CancelFunc
}

func newBotRunner(ctx context.Context, log *slog.Logger, maps mapCatalogue, driver link.Dialer) *botRunner {
	b := &botRunner{log: log, maps: maps, driver: driver}
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return b
}

// Play implements model.Bots. How many bots play at once is bounded by the quota
// that their matches were started with.
func (b *botRunner) Play(_ context.Context, ticket model.Secret, id model.MatchID, level model.BotLevel) {
	b.playing.Go(func() {
		defer panics.Catch(b.log, "bot", nil)
		plays, err := bot.Parse(string(level))
		if err != nil { // of a later version of the program
			b.log.Warn("a bot plays as medium", "match", id, "err", err)
		}
		r, err := bot.Play(b.ctx, bot.Config{
			Open:   b.open,
			Stay:   true, // the server that takes a match over has bots of its own for it
			Ticket: string(ticket), Map: b.fetch, New: plays.New,
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

func (b *botRunner) open(ctx context.Context) (socket.Link, error) {
	t, err := b.driver.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return socket.Over(ctx, t), nil
}

// fetch gives a bot the public map, as GET /maps/{hash} would.
func (b *botRunner) fetch(_ context.Context, hash string) (*grid.Map, error) {
	h, err := grid.ParseMapHash(hash)
	if err != nil {
		return nil, err
	}
	public, ok := b.maps.Public(h)
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
