package socket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// resyncsMax bounds the snapshots that a client asks for in a row on one connection.
const resyncsMax = 3

// Client is one client of one match, over all its connections. After a lost connection
// it comes back with its resume token, and it follows the match from server to server.
// All functions are optional; they run on the goroutine of [Client.Run], which alone
// may use the State meanwhile.
type Client struct {
	*client.State
	Route  *Route
	Header http.Header // of the requests for sockets; may be nil
	// Ticket returns the ticket for a connection. Once the client was welcomed it shows
	// the resume token instead.
	Ticket func(ctx context.Context) (string, error)
	// Stay: the client ends when the match moves to another server.
	Stay bool
	// Tries bounds the connections in a row that bring no frame; 0: no bound.
	Tries int

	// Open replaces Route.Dial. The client then sends no network reports.
	Open func(ctx context.Context) (Link, error)
	// OnMessage sees each message as it came.
	OnMessage func(b []byte)
	// OnWelcome sees each welcome, once it is applied. An error ends the client.
	OnWelcome func(f *wire.ServerFrame) error
	// OnFrame sees each frame, once it is applied, and may add to the answer.
	OnFrame func(f *wire.ServerFrame, answer *pb.ClientFrame)
	// OnBroken sees each error of the stream. An error that it returns ends the client,
	// which asks for a snapshot otherwise.
	OnBroken func(err error) error
	// OnLost sees why a connection ended, before the pause ahead of the next one.
	OnLost func(err error, try int, pause time.Duration)

	frames  int
	network network
}

// Link is one connection of a client.
type Link interface {
	Read() ([]byte, error)
	Send(f *pb.ClientFrame) error
	Bye()
	Close() error
}

// Refusal is a server's closing after which no new connection helps.
type Refusal struct{ Code, Text string }

func (r *Refusal) Error() string { return closedText(r.Code, r.Text) }

func closedText(code, text string) string {
	return fmt.Sprintf("the server closed: %s (%s)", cmp.Or(text, "no reason given"), cmp.Or(code, "no code"))
}

// moved ends a connection to a server that does not have the match any more.
type moved struct{ url string } // of the server that has it, "" if it is not known

func (m *moved) Error() string { return fmt.Sprintf("the match moved to %q", m.url) }

// final is an error that ends a client.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// Run plays until the match ends. It returns an error if a server refuses the client,
// if Tries connections brought no frame, or if ctx ends.
func (s *Client) Run(ctx context.Context) error {
	for try := 0; ; {
		before := s.frames
		err := s.connection(ctx)
		if s.Ended != nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if end, ok := errors.AsType[final](err); ok {
			return end.error
		}
		if s.frames > before {
			try = 0
		}
		if try++; s.Tries > 0 && try > s.Tries {
			return fmt.Errorf("gave up after %d tries: %w", s.Tries, err)
		}
		var pause time.Duration
		if to, ok := errors.AsType[*moved](err); ok {
			pause = s.Route.Moved(to.url, time.Now())
		} else {
			pause = s.Route.Lost()
		}
		if s.OnLost != nil {
			s.OnLost(err, try, pause)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (s *Client) open(ctx context.Context) (Link, error) {
	if s.Open != nil {
		return s.Open(ctx)
	}
	return s.Route.Dial(ctx, s.Header)
}

// connection plays over one connection until it ends.
func (s *Client) connection(ctx context.Context) error {
	ticket := ""
	if s.Welcome == nil {
		var err error
		if ticket, err = s.Ticket(ctx); err != nil {
			return fmt.Errorf("ticket: %w", err)
		}
	}
	conn, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Send(s.Hello(ticket)); err != nil {
		return err
	}
	st := stream{Client: s, conn: conn}
	for s.Ended == nil {
		b, err := conn.Read()
		if err == nil {
			err = st.message(b)
		}
		if err != nil {
			return err
		}
	}
	conn.Bye()
	return nil
}

// stream is the traffic of one connection.
type stream struct {
	*Client
	conn    Link
	resyncs int       // snapshots that were asked for in a row
	acked   grid.Tick // the last tick that the server was told has been applied
}

// message takes in one message and answers it.
func (s *stream) message(b []byte) error {
	if s.OnMessage != nil {
		s.OnMessage(b)
	}
	f, err := s.Decode(b)
	if err != nil {
		return s.broken(err)
	}
	s.network.alive(time.Now())
	switch {
	case f.Closing != nil && f.Closing.Code == "moved":
		if s.Stay && f.Closing.Url != "" {
			return final{&moved{f.Closing.Url}}
		}
		return &moved{f.Closing.Url}
	case f.Closing != nil && !f.Closing.Retry:
		return final{&Refusal{f.Closing.Code, f.Closing.Text}}
	case f.Closing != nil:
		return errors.New(closedText(f.Closing.Code, f.Closing.Text))
	case s.resyncs > 0 && !f.Diff.Snapshot && f.Welcome == nil:
		return nil // the snapshot is on its way
	}
	err = s.Apply(f)
	switch {
	case errors.Is(err, client.ErrWelcome):
		return final{err}
	case errors.Is(err, client.ErrStream):
		return s.broken(err)
	case err != nil:
		return err
	case f.Welcome != nil:
		return s.welcomed(f)
	case !f.IsFrame():
		return nil
	}
	s.resyncs = 0
	s.frames++
	now, out, at := s.Tick(), s.Ack(), time.Now()
	s.network.frame(s.Client, f, at)
	if s.Open == nil && !s.Welcome.Spectator && s.Welcome.Replay == nil {
		out.Network = s.network.take(at)
	}
	if s.OnFrame != nil {
		s.OnFrame(f, out)
	}
	// The server holds back frames for clients that do not acknowledge. The client acknowledges twice per second of
	// match time, at any rate of frames.
	if len(out.Orders) == 0 && out.Camera == nil && out.Network == nil && !out.Resync && now < s.acked+grid.Tick(s.Welcome.TickRate/2) {
		return nil
	}
	s.acked = now
	s.network.sent(out.Orders, at)
	return s.conn.Send(out)
}

func (s *stream) welcomed(f *wire.ServerFrame) error {
	if !s.Stay {
		s.Route.Welcomed(s.Welcome.Servers)
	}
	if s.OnWelcome == nil {
		return nil
	}
	if err := s.OnWelcome(f); err != nil {
		return final{err}
	}
	return nil
}

// broken asks for a snapshot, a few times in a row.
func (s *stream) broken(err error) error {
	if s.OnBroken != nil {
		if end := s.OnBroken(err); end != nil {
			return final{end}
		}
	}
	if s.resyncs++; s.resyncs > resyncsMax {
		return err
	}
	return s.conn.Send(s.Ack())
}
