package bench

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/fogkeep/fogkeep/internal/budget"
	inlet "github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// WritesConfig is what [Writes] measures: a process that does nothing but send so many
// bytes to so many sockets, so often a second.
type WritesConfig struct {
	Sockets int
	Bytes   int // payload of a frame
	Rate    int // ticks a second
	Seconds int
	Apart   bool // server and clients have a processor each
}

// The ways to send.
const (
	wayNone    = "none"    // nothing is sent: what the clock alone costs
	wayBare    = "bare"    // one write(2) a socket, of a frame that was made before
	waySession = "session" // as a match sends: link.Session over a socket of the listener
	wayWriters = "writers" // the same, with every frame handed to the socket's writer
)

var writeWays = []string{wayNone, wayBare, waySession, wayWriters}

// WritesRow is what one way cost.
type WritesRow struct {
	Way      string  `json:"way"`
	UserUs   float64 `json:"user_us_a_tick"`
	SystemUs float64 `json:"system_us_a_tick"`
	Switches float64 `json:"switches_a_tick"` // of the process's threads
	HandUs   float64 `json:"hand_p50_us"`     // time of the goroutine that sends, median of ticks
}

// StartWrites starts the process that sends in one way, and returns what it writes.
// Closing it ends the process.
type StartWrites func(ctx context.Context, way string, c WritesConfig) (io.ReadCloser, error)

// writesLine is what that process tells: first its address, then what it measured.
type writesLine struct {
	Address string
	Row     *WritesRow
	Error   string
}

// Writes measures what the system calls of a tick cost, in each of the ways, one after
// the other. The clients are here.
func Writes(ctx context.Context, c WritesConfig, start StartWrites) ([]WritesRow, error) {
	if !processMeasured {
		return nil, errors.New("the processor time of a process is measured on Linux only")
	}
	if c.Sockets < 1 || c.Bytes < 1 || c.Bytes > wire.ServerBytesMax || c.Rate < 1 || c.Seconds < 1 {
		return nil, errors.New("want at least one socket, byte, tick a second and second")
	}
	if c.Apart {
		if err := stayOn(1); err != nil {
			return nil, err
		}
	}
	var rows []WritesRow
	for _, way := range writeWays {
		row, err := measureWrites(ctx, way, c, start)
		if err != nil {
			return nil, fmt.Errorf("bench writes: %s: %w", way, err)
		}
		rows = append(rows, *row)
	}
	return rows, nil
}

// Apart keeps this process on one processor, and servers that start starts on another.
func Apart(start StartServer) (StartServer, error) {
	if err := stayOn(1); err != nil {
		return nil, err
	}
	return func(ctx context.Context, w Workload) (pipe io.ReadCloser, err error) {
		err = onCore(0, func() (err error) {
			pipe, err = start(ctx, w)
			return err
		})
		return pipe, err
	}, nil
}

func measureWrites(ctx context.Context, way string, c WritesConfig, start StartWrites) (row *WritesRow, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var pipe io.ReadCloser
	begin := func() (err error) {
		pipe, err = start(ctx, way, c)
		return err
	}
	if c.Apart {
		err = onCore(0, begin)
	} else {
		err = begin()
	}
	if err != nil {
		return nil, err
	}
	defer pipe.Close()
	lines := gob.NewDecoder(pipe)
	var l writesLine
	if err := lines.Decode(&l); err != nil {
		return nil, err
	}
	if l.Error != "" {
		return nil, errors.New(l.Error)
	}
	var reading sync.WaitGroup
	want := int64(c.Rate * c.Seconds * c.Bytes)
	got := make([]atomic.Int64, c.Sockets)
	var conns []*websocket.Conn
	defer func() {
		for _, conn := range conns {
			conn.Close()
		}
		reading.Wait()
	}()
	for i := range c.Sockets {
		conn, res, err := websocket.DefaultDialer.DialContext(ctx, "ws://"+l.Address, nil)
		if err != nil {
			return nil, err
		}
		res.Body.Close()
		conns = append(conns, conn)
		reading.Go(func() {
			for {
				_, b, err := conn.ReadMessage()
				if err != nil {
					return
				}
				got[i].Add(int64(len(b)))
			}
		})
	}
	l = writesLine{}
	if err := lines.Decode(&l); err != nil {
		return nil, err
	}
	if l.Error != "" {
		return nil, errors.New(l.Error)
	}
	for end := time.Now().Add(hangUpWait); way != wayNone; time.Sleep(time.Millisecond) {
		short := 0
		for short < len(got) && got[short].Load() >= want {
			short++
		}
		if short == len(got) {
			break
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("a client got %d bytes, want at least %d", got[short].Load(), want)
		}
	}
	return l.Row, nil
}

// ServeWrites is the process that sends.
func ServeWrites(ctx context.Context, way string, c WritesConfig, out io.Writer) error {
	lines := gob.NewEncoder(out)
	err := serveWrites(ctx, way, c, lines)
	if err != nil {
		err = errors.Join(err, lines.Encode(writesLine{Error: err.Error()}))
	}
	return err
}

// sender sends frames to one socket.
type sender struct {
	send func(frame []byte) error
	end  func()
}

func serveWrites(ctx context.Context, way string, c WritesConfig, lines *gob.Encoder) error {
	if !slices.Contains(writeWays, way) {
		return fmt.Errorf("way %q: there are %v", way, writeWays)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	up := websocket.Upgrader{ReadBufferSize: 1 << 10, WriteBufferSize: 1 << 10}
	opened := make(chan *websocket.Conn)
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		conn, err := up.Upgrade(rw, r, nil)
		if err != nil {
			return
		}
		select {
		case opened <- conn:
		case <-ctx.Done():
			conn.Close()
		}
	})}
	defer server.Close()
	go server.Serve(inlet.Listener(l, (*budget.Ledger)(nil), nil, false, false))
	if err := lines.Encode(writesLine{Address: l.Addr().String()}); err != nil {
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	var senders []sender
	for range c.Sockets {
		select {
		case conn := <-opened:
			defer conn.Close()
			x := newSender(way, conn, &running)
			defer x.end()
			senders = append(senders, x)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	row, err := runWrites(ctx, way, c, senders)
	if err != nil {
		return err
	}
	if err := lines.Encode(writesLine{Row: row}); err != nil {
		return err
	}
	select { // the clients hang up first
	case <-ctx.Done():
	case <-time.After(hangUpWait):
	}
	return nil
}

// plain is a transport to which nobody may write at once.
type plain struct{ link.Transport }

func newSender(way string, conn *websocket.Conn, running *sync.WaitGroup) sender {
	switch way {
	case wayNone:
		return sender{func([]byte) error { return nil }, func() {}}
	case wayBare:
		var made []byte
		return sender{func(frame []byte) error {
			if made == nil {
				made = serverFrame(frame)
			}
			_, err := conn.NetConn().Write(made)
			return err
		}, func() {}}
	}
	log := slog.New(slog.DiscardHandler)
	socket := link.NewSocket(conn, log, link.DefaultTimeouts)
	socket.Seated()
	var t link.Transport = socket
	if way == wayWriters {
		t = plain{t}
	}
	s := link.NewSession(t, wire.ClientFrame{Hello: &wire.Hello{}})
	running.Go(func() { s.Write(log) })
	running.Go(func() {
		_ = s.Read(log) // until the client hangs up
		t.Close()
	})
	return sender{func(frame []byte) error {
		if !s.Room() {
			return errors.New("a client does not keep up")
		}
		s.Send(append(s.Buffer(), frame...))
		return nil
	}, s.Drop}
}

// serverFrame returns a message as a server's websocket sends it.
func serverFrame(payload []byte) []byte {
	b := []byte{0x82}
	switch n := len(payload); {
	case n < 126:
		b = append(b, byte(n))
	case n < 1<<16:
		b = append(b, 126, byte(n>>8), byte(n))
	default:
		b = append(b, 127, 0, 0, 0, 0, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return append(b, payload...)
}

func runWrites(ctx context.Context, way string, c WritesConfig, senders []sender) (*WritesRow, error) {
	frame := make([]byte, c.Bytes)
	hand := make([]time.Duration, 0, c.Rate*c.Seconds)
	warm := c.Rate
	var before usage
	begin := time.Now()
	for n := 1; n <= warm+c.Rate*c.Seconds; n++ {
		timer := time.NewTimer(time.Until(begin.Add(time.Duration(n) * time.Second / time.Duration(c.Rate))))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		start := time.Now()
		for _, x := range senders {
			if err := x.send(frame); err != nil {
				return nil, err
			}
		}
		if n > warm {
			hand = append(hand, time.Since(start))
		}
		if n == warm {
			var err error
			if before, err = usageNow(); err != nil {
				return nil, err
			}
		}
	}
	after, err := usageNow()
	if err != nil {
		return nil, err
	}
	slices.Sort(hand)
	ticks, used := float64(len(hand)), after.minus(before)
	return &WritesRow{
		Way: way, UserUs: used.User * 1e6 / ticks, SystemUs: used.System * 1e6 / ticks,
		Switches: float64(used.Switches) / ticks, HandUs: float64(hand[len(hand)/2].Nanoseconds()) / 1000,
	}, nil
}
