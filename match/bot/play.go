package bot

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// retriesMax bounds a bot's connections in a row without a frame: half a minute and more.
const retriesMax = 24

// Config says where and how to play.
type Config struct {
	Socket string // of the service, ws://host/ws
	At     string // the server that has the match, as the ticket's answer says; "": it does not
	Stay   bool   // Socket alone: it is over for the bot when the match moves to another server
	// Open opens a connection in place of a websocket to Socket; nil: it does not. Package
	// match serves a connection inside its process so.
	Open   func(ctx context.Context) (socket.Link, error)
	Ticket string // single use
	// Map returns the public map with that hash.
	Map func(ctx context.Context, hash string) (*grid.Map, error)
	// New makes the player, once the client is welcomed; nil: Medium.New.
	New func(c *client.State) (Player, error)
	Log *slog.Logger // nil: silent
	// Ordered, if not nil, is told each order as it is sent, and the tick of
	// the frame it is meant as of.
	Ordered func(applied grid.Tick, o *pb.Order)
	// Applied, if not nil, is told the tick of each frame as it has been applied.
	Applied func(tick grid.Tick)
	Header  http.Header // of the request for the socket; may be nil
}

// Result is how a match went.
type Result struct {
	MatchID    string
	Won        bool
	Ended      *pb.Ended
	Tick       grid.Tick
	Orders     int
	Reconnects int
}

// Play plays a seat until the match ends, coming back after lost connections.
// It returns an error if the server refuses the seat, cannot be reached any
// more, or ctx ends.
func Play(ctx context.Context, c Config) (Result, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.New == nil {
		c.New = Medium.New
	}
	p := &seat{Config: c, client: &socket.Client{
		State: client.New(client.Config{Map: func(hash string) (*grid.Map, error) { return c.Map(ctx, hash) }}),
		Route: socket.NewRoute(c.Socket, c.At), Header: c.Header, Stay: c.Stay, Tries: retriesMax, Open: c.Open,
		Ticket: func(context.Context) (string, error) { return c.Ticket, nil },
	}}
	p.client.OnWelcome, p.client.OnFrame = p.welcomed, p.take
	p.client.OnBroken = func(err error) error {
		c.Log.Warn("bot: asking for a snapshot", "error", err)
		return nil
	}
	p.client.OnLost = func(err error, try int, pause time.Duration) {
		c.Log.Warn("bot: connection lost, coming back", "error", err, "try", try, "pause", pause)
		p.result.Reconnects++
	}
	if err := p.client.Run(ctx); err != nil {
		return p.result, fmt.Errorf("bot: %w", err)
	}
	end := p.client.Ended
	p.result.Won, p.result.Ended, p.result.Tick = slices.Contains(end.Winners, uint32(p.client.Team())), end, p.client.Tick()
	return p.result, nil
}

// seat is a seat over all its connections.
type seat struct {
	Config
	client *socket.Client
	player Player // nil before the first welcome
	result Result
}

// take lets the player think after a frame.
func (p *seat) take(f *wire.ServerFrame, answer *pb.ClientFrame) {
	now := p.client.Tick()
	if p.Applied != nil {
		p.Applied(now)
	}
	p.player.Take(f)
	answer.Orders = p.player.Think()
	for _, o := range answer.Orders {
		p.result.Orders++
		if p.Ordered != nil {
			p.Ordered(now, o)
		}
	}
}

func (p *seat) welcomed(f *wire.ServerFrame) (err error) {
	w := p.client.Welcome
	if p.player == nil {
		p.result.MatchID = w.MatchId
		if p.player, err = p.New(p.client.State); err != nil {
			return err
		}
		p.Log.Info("bot: playing", "match", w.MatchId, "slot", w.Slot, "team", w.Team, "map", p.client.Map.Name)
	}
	p.player.Take(f)
	return nil
}
