package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// How patient a bot is.
const (
	dialTimeout   = 10 * time.Second
	writeTimeout  = 10 * time.Second
	silenceMax    = 30 * time.Second // the server sends a frame a second, or a ping
	retryMin      = 100 * time.Millisecond
	retryMax      = 3 * time.Second
	retriesMax    = 12 // in a row, without a frame in between
	resyncsInARow = 3
)

// Config says where and how to play.
type Config struct {
	Socket string // ws://host/ws
	Ticket string // single use
	// Map returns the public map with that hash.
	Map func(ctx context.Context, hash string) (*grid.Map, error)
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
	p := &player{Config: c}
	for tries := 0; ; {
		began := p.frames
		err := p.socket(ctx)
		if p.mind != nil && p.mind.Ended() != nil {
			p.result.Won, p.result.Ended, p.result.Tick = p.mind.Won(), p.mind.Ended(), p.mind.Tick()
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
		pause := min(retryMax, retryMin<<min(tries-1, 10))
		c.Log.Warn("bot: connection lost, coming back", "error", err, "try", tries, "pause", pause)
		select {
		case <-ctx.Done():
			return p.result, fmt.Errorf("bot: %w", ctx.Err())
		case <-time.After(pause):
		}
		p.result.Reconnects++
	}
}

// player is a seat over all its sockets.
type player struct {
	Config
	mind   *Mind
	resume string // token for the next socket
	frames int
	result Result
}

// refusal is an end that no new socket would change.
type refusal struct{ error }

func isFinal(err error) bool {
	_, ok := errors.AsType[refusal](err)
	return ok
}

// socket plays over one connection until it ends.
func (p *player) socket(ctx context.Context) error {
	dialer := websocket.Dialer{HandshakeTimeout: dialTimeout}
	conn, _, err := dialer.DialContext(ctx, p.Socket, p.Header)
	if err != nil {
		return fmt.Errorf("bot: dial %s: %w", p.Socket, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	conn.SetReadLimit(wire.ServerBytesMax)
	alive := func() error { return conn.SetReadDeadline(time.Now().Add(silenceMax)) }
	conn.SetPingHandler(func(data string) error {
		if err := alive(); err != nil {
			return err
		}
		return conn.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(writeTimeout))
	})

	hello := &pb.Hello{Protocol: wire.Protocol, Ticket: p.Ticket}
	if p.resume != "" {
		hello.Ticket, hello.Resume = "", p.resume
	}
	if err := send(conn, &pb.ClientFrame{Hello: hello}); err != nil {
		return err
	}
	s := stream{player: p, conn: conn}
	for {
		if err := alive(); err != nil {
			return err
		}
		kind, b, err := conn.ReadMessage()
		if err != nil {
			return fmt.Errorf("bot: read: %w", err)
		}
		if kind != websocket.BinaryMessage {
			return fmt.Errorf("bot: a message of kind %d, want a binary one", kind)
		}
		if err := s.message(ctx, b); err != nil {
			return err
		}
		if p.mind != nil && p.mind.Ended() != nil {
			bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
			_ = conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(time.Second)) // it is over either way
			return nil
		}
	}
}

// stream is what one socket has brought.
type stream struct {
	*player
	conn    *websocket.Conn
	decoder wire.Decoder
	lost    int       // resyncs asked for in a row; above 0 only a snapshot is taken
	told    grid.Tick // the last tick that the server was told has been applied
}

// message takes in one message and answers it.
func (s *stream) message(ctx context.Context, b []byte) error {
	f, err := s.decoder.Decode(b)
	if err != nil {
		return err
	}
	switch {
	case f.Welcome != nil:
		return s.welcomed(ctx, f.Welcome)
	case f.Closing != nil:
		err := fmt.Errorf("bot: the server closed: %s (%s)", firstOf(f.Closing.Text, "no reason given"), firstOf(f.Closing.Code, "no code"))
		if !f.Closing.Retry {
			return refusal{err}
		}
		return err
	case f.Waiting != nil:
		return nil
	case s.mind == nil:
		return errors.New("bot: a frame before the welcome")
	case s.lost > 0 && !f.Diff.Snapshot:
		return nil
	}
	if err := s.mind.Take(f); err != nil {
		if s.lost++; s.lost > resyncsInARow {
			return err
		}
		s.Log.Warn("bot: asking for a snapshot", "error", err)
		return send(s.conn, &pb.ClientFrame{Resync: true})
	}
	s.lost = 0
	s.frames++
	if s.Applied != nil {
		s.Applied(s.mind.Tick())
	}
	orders := s.mind.Think()
	// The server waits for clients that do not say what they have applied. It
	// is told twice a second of match time, however few frames that were.
	if len(orders) == 0 && s.mind.Tick() < s.told+grid.Tick(s.mind.rate/2) {
		return nil
	}
	s.told = s.mind.Tick()
	for _, o := range orders {
		s.result.Orders++
		if s.Ordered != nil {
			s.Ordered(s.mind.Tick(), o)
		}
	}
	return send(s.conn, &pb.ClientFrame{Applied: uint32(s.mind.Tick()), Orders: orders})
}

func (s *stream) welcomed(ctx context.Context, w *pb.Welcome) error {
	s.resume = w.Resume
	if s.mind != nil {
		return s.mind.Welcomed(w)
	}
	s.result.MatchID = w.MatchId
	m, err := s.Map(ctx, w.MapHash)
	if err != nil {
		return fmt.Errorf("bot: map %s: %w", w.MapHash, err)
	}
	if s.mind, err = NewMind(w, m); err != nil {
		return refusal{err}
	}
	s.Log.Info("bot: playing", "match", w.MatchId, "slot", w.Slot, "team", w.Team, "map", m.Name)
	return nil
}

func send(conn *websocket.Conn, f *pb.ClientFrame) error {
	b, err := proto.Marshal(f)
	if err != nil {
		return fmt.Errorf("bot: %w", err)
	}
	if err := conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	if err := conn.WriteMessage(websocket.BinaryMessage, b); err != nil {
		return fmt.Errorf("bot: write: %w", err)
	}
	return nil
}
