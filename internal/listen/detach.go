package listen

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
)

// detached are the answers of a server that go on without its http.Server.
type detached struct {
	ctx     context.Context // ends with the server
	log     *slog.Logger
	wait    time.Duration // for a piece to leave
	running sync.WaitGroup
	ends    chan struct{} // has as many places as answers end at a time
}

// newDetached returns an empty set. When thousands of clients go at once, most of their answers wait for their end
// without any processor time, and ticks of matches do not wait behind them.
func newDetached(ctx context.Context, log *slog.Logger, wait time.Duration) *detached {
	return &detached{ctx: ctx, log: log, wait: wait, ends: make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))}
}

type detachedKey struct{}

// lastWait is how long the end of a detached answer may take when the server stops.
const lastWait = time.Second

// strayMax is how much a reader of such an answer may send meanwhile.
const strayMax = 1 << 10

// Detach continues an answer that has begun and has no end in sight, such as an event stream, without the cost of a
// request: its goroutine with the deep stack of all handlers, its buffers, its header. It calls run on a goroutine of
// its own, which writes pieces until write fails or ctx ends, as the client or the server goes. Then it closes the
// connection. The caller returns at once.
//
// It returns false, without any effect, where it cannot take the connection: with HTTP/2, HTTP/1.0 and servers of other
// packages.
func Detach(w http.ResponseWriter, r *http.Request, run func(ctx context.Context, write func(piece []byte) error)) bool {
	d, ok := r.Context().Value(detachedKey{}).(*detached)
	if !ok || r.ProtoMajor != 1 || r.ProtoMinor < 1 {
		return false
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return false
	}
	_ = conn.SetReadDeadline(time.Time{})
	d.running.Add(1)
	go func() {
		defer panics.Catch(d.log, "event stream", nil)
		defer d.running.Done()
		d.serve(conn, run)
	}()
	return true
}

func (d *detached) serve(conn net.Conn, run func(context.Context, func([]byte) error)) {
	ctx, cancel := context.WithCancel(d.ctx)
	served := make(chan struct{})
	defer close(served)
	defer conn.Close()
	defer cancel()
	defer context.AfterFunc(d.ctx, func() { _ = conn.SetDeadline(time.Now().Add(lastWait)) })()
	d.running.Go(func() {
		defer panics.Catch(d.log, "event stream", nil)
		awaitEnd(conn)
		d.ends <- struct{}{}
		defer func() { <-d.ends }()
		cancel()
		conn.Close() // no goroutine reads bytes under way
		<-served
	})
	var chunk []byte
	run(ctx, func(piece []byte) error {
		for len(piece) > 0 {
			n := min(len(piece), writePiece)
			chunk = append(strconv.AppendInt(chunk[:0], int64(n), 16), "\r\n"...)
			chunk = append(append(chunk, piece[:n]...), "\r\n"...)
			if err := d.write(conn, chunk); err != nil {
				return err
			}
			piece = piece[n:]
		}
		if cap(chunk) > 1<<10 {
			chunk = nil // it may be long until the next
		}
		return nil
	})
	_ = d.write(conn, []byte("0\r\n\r\n")) // the end, for clients that still read
}

func (d *detached) write(conn net.Conn, b []byte) error {
	wait := d.wait
	if d.ctx.Err() != nil {
		wait = lastWait
	}
	if err := conn.SetWriteDeadline(time.Now().Add(wait)); err != nil {
		return err
	}
	_, err := conn.Write(b)
	return err
}

// awaitEnd returns once the peer has gone, or sends unasked bytes.
func awaitEnd(conn net.Conn) {
	var b [16]byte
	for total := 0; total < strayMax; {
		n, err := conn.Read(b[:])
		if total += n; err != nil {
			return
		}
	}
}
