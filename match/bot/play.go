package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// How patient a bot is.
const (
	retriesMax    = 24 // in a row, without a frame in between: half a minute and more
	resyncsInARow = 3
)

// Config says where and how to play.
type Config struct {
	Socket string // of the service, ws://host/ws
	At     string // the server that has the match, as the ticket's answer says; "": it does not
	Stay   bool   // Socket alone: it is over for the bot when the match moves to another server
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
	Header  http.Header // of the request for the socket; nil: none
}

// Result is how a match went.
type Result struct {
	MatchID    string
	Won        bool
	Ended      *view.Ended
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
	p := &seat{Config: c, route: socket.NewRoute(c.Socket, c.At), client: client.New(client.Config{
		Map: func(hash string) (*grid.Map, error) { return c.Map(ctx, hash) },
	})}
	for tries := 0; ; {
		began := p.frames
		err := p.socket(ctx)
		if p.ended() != nil {
			p.result.Won, p.result.Ended, p.result.Tick = slices.Contains(p.ended().Winners, p.client.Team()), p.ended(), p.client.Tick()
			return p.result, nil
		}
		switch {
		case ctx.Err() != nil:
			return p.result, fmt.Errorf("bot: %w", ctx.Err())
		case isFinal(err):
			return p.result, err
		}
		if p.frames > began {
			tries = 0
		}
		if tries++; tries > retriesMax {
			return p.result, fmt.Errorf("bot: gave up after %d tries: %w", retriesMax, err)
		}
		var pause time.Duration
		if to, ok := errors.AsType[*moved](err); ok {
			pause = p.route.Moved(to.url, time.Now())
		} else {
			pause = p.route.Lost()
		}
		c.Log.Warn("bot: connection lost, coming back", "error", err, "try", tries, "pause", pause)
		select {
		case <-ctx.Done():
			return p.result, fmt.Errorf("bot: %w", ctx.Err())
		case <-time.After(pause):
		}
		p.result.Reconnects++
	}
}

// seat is a seat over all its sockets.
type seat struct {
	Config
	route  *socket.Route
	client *client.State
	player Player // nil before the first welcome
	frames int
	result Result
}

// ended returns how the match ended, nil while it runs.
func (p *seat) ended() *view.Ended {
	if p.client.Replica == nil {
		return nil
	}
	return p.client.Replica.Ended
}

// moved is the end of a connection to a server that has the match no more.
type moved struct {
	url string // of the one that has it, "" if it is not known
}

func (m *moved) Error() string { return fmt.Sprintf("the match moved to %q", m.url) }

// refusal is an end that no new socket would change.
type refusal struct{ error }

func isFinal(err error) bool {
	_, ok := errors.AsType[refusal](err)
	return ok
}

// socket plays over one connection until it ends.
func (p *seat) socket(ctx context.Context) error {
	conn, err := p.route.Dial(ctx, p.Header)
	if err != nil {
		return fmt.Errorf("bot: %w", err)
	}
	defer conn.Close()
	if err := conn.Send(p.client.Hello(p.Ticket)); err != nil {
		return fmt.Errorf("bot: %w", err)
	}
	s := stream{seat: p, conn: conn}
	for {
		b, err := conn.Read()
		if err == nil {
			err = s.message(b)
		}
		if err != nil {
			return fmt.Errorf("bot: %w", err)
		}
		if p.ended() != nil {
			conn.Bye()
			return nil
		}
	}
}

// stream is what one socket has brought.
type stream struct {
	*seat
	conn    *socket.Conn
	resyncs int       // asked for in a row
	acked   grid.Tick // the last tick that the server was told has been applied
}

// message takes in one message and answers it.
func (s *stream) message(b []byte) error {
	f, err := s.client.Decode(b)
	switch {
	case err != nil:
		return err
	case f.Closing != nil && f.Closing.Code == "moved":
		if s.Stay && f.Closing.Url != "" {
			return refusal{&moved{f.Closing.Url}}
		}
		return &moved{f.Closing.Url}
	case f.Closing != nil:
		err := fmt.Errorf("the server closed: %s (%s)", cmp.Or(f.Closing.Text, "no reason given"), cmp.Or(f.Closing.Code, "no code"))
		if !f.Closing.Retry {
			return refusal{err}
		}
		return err
	case s.resyncs > 0 && !f.Diff.Snapshot && f.Welcome == nil:
		return nil // the snapshot is on its way
	}
	err = s.client.Apply(f)
	switch {
	case errors.Is(err, client.ErrWelcome):
		return refusal{err}
	case errors.Is(err, client.ErrStream):
		if s.resyncs++; s.resyncs > resyncsInARow {
			return err
		}
		s.Log.Warn("bot: asking for a snapshot", "error", err)
		return s.conn.Send(s.client.Ack())
	case err != nil:
		return err
	case f.Welcome != nil:
		return s.welcomed(f)
	case f.Waiting != nil:
		return nil
	}
	s.resyncs = 0
	s.frames++
	now := s.client.Tick()
	if s.Applied != nil {
		s.Applied(now)
	}
	out := s.client.Ack()
	s.player.Take(f)
	out.Orders = s.player.Think()
	// The server waits for clients that do not say what they have applied. It
	// is told twice a second of match time, however few frames that were.
	if len(out.Orders) == 0 && !out.Resync && now < s.acked+grid.Tick(s.client.Welcome.TickRate/2) {
		return nil
	}
	s.acked = now
	for _, o := range out.Orders {
		s.result.Orders++
		if s.Ordered != nil {
			s.Ordered(now, o)
		}
	}
	return s.conn.Send(out)
}

func (s *stream) welcomed(f *wire.ServerFrame) (err error) {
	w := s.client.Welcome
	if !s.Stay {
		s.route.Welcomed(w.Servers)
	}
	if s.player == nil {
		s.result.MatchID = w.MatchId
		if s.player, err = s.New(s.client); err != nil {
			return refusal{err}
		}
		s.Log.Info("bot: playing", "match", w.MatchId, "slot", w.Slot, "team", w.Team, "map", s.client.Map.Name)
	}
	s.player.Take(f)
	return nil
}
