package listen

import (
	"bufio"
	"cmp"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
)

// Config is the settings of a [Handler].
type Config struct {
	Ledger  *quota.Ledger
	Proxies Proxies
	Admin   bool // its requests may take the reserve
	Hosts   Hosts
	// Refuse answers a request that is over a limit, or that failed: the error is
	// a [quota.Refusal], [ErrHost] or [ErrInternal].
	Refuse func(http.ResponseWriter, error)
	Logger *slog.Logger
	// WriteWait is how long a piece of an answer may take to leave; 0: 30 s.
	WriteWait time.Duration
	// RefusalWait is how long an answer waits that refuses a client which is over its
	// refusals; 0: 1 s.
	RefusalWait time.Duration
}

// Limits of a connection's HTTP.
const (
	headerWait  = 5 * time.Second
	bodyWait    = 30 * time.Second
	idleWait    = 2 * time.Minute
	headerBytes = 16 << 10

	// A piece of an answer, at most writePiece bytes, has writeWait to be taken
	// over by the kernel. So a client that reads nothing is let go after that,
	// and a 28.8 kbit/s modem, which takes 100 kB in that time, is fast enough.
	writeWait  = 30 * time.Second
	writePiece = 32 << 10

	// Answers smaller than this are not counted as response bytes: the number of
	// requests bounds them.
	bodyBytesMin = 4 << 10

	refusalWait = time.Second
)

// NewHTTPServer returns an http.Server with the limits that keep slow and greedy
// clients from holding on to it: the header within 5 s and 16 KiB, the body
// within 30 s, idle connections for 2 minutes. [Handler] bounds the writing.
func NewHTTPServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerWait, ReadTimeout: bodyWait, IdleTimeout: idleWait, MaxHeaderBytes: headerBytes,
	}
}

type internalError struct{}

func (internalError) Error() string { return "something went wrong in the server" }

// ErrInternal is the client's answer after a panic.
var ErrInternal error = internalError{}

// Handler wraps everything that a listener answers.
func Handler(next http.Handler, c Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = withVisit(w, r, c.Proxies)
		payer := quota.Payer{Address: c.Proxies.Address(r), Trusted: c.Admin}
		out := &writer{ResponseWriter: w, control: http.NewResponseController(w), config: &c, payer: payer, head: r.Method == http.MethodHead}
		defer out.rescue(r)
		defer out.slow(r)
		out.extend()
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if c.Proxies.Secure(r) {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if err := c.Ledger.Spend(quota.Requests, payer, 1); err != nil {
			h.Set("Connection", "close") // the next request would cost a header to read
			c.Refuse(out, err)
			return
		}
		if !c.Hosts.allows(r) {
			c.Refuse(out, ErrHost)
			return
		}
		next.ServeHTTP(out, r)
	})
}

// writer is the answer of one request.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
	config  *Config
	payer   quota.Payer
	head    bool

	begun   bool // the header is out
	limited bool // the answer says that the client is over a limit
	refused bool // the body is over the budget: a refusal went out in its place
	taken   bool // by a websocket
}

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack is for websockets, whose library asks for this method.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.taken = true
	return w.control.Hijack()
}

// Flush is for event streams.
func (w *writer) Flush() { _ = w.control.Flush() }

func (w *writer) extend() {
	_ = w.control.SetWriteDeadline(time.Now().Add(cmp.Or(w.config.WriteWait, writeWait)))
}

func (w *writer) WriteHeader(status int) {
	if w.begun {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.begun, w.limited = status >= 200, status == http.StatusTooManyRequests
	size, err := strconv.ParseInt(w.Header().Get("Content-Length"), 10, 64)
	if err == nil && size >= bodyBytesMin && !w.head && status < 300 {
		if err := w.config.Ledger.Spend(quota.ResponseBytes, w.payer, size); err != nil {
			w.refuse(err)
			return
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// refuse answers in place of the body that was about to come.
func (w *writer) refuse(err error) {
	h := w.Header()
	for _, name := range []string{"Content-Length", "Content-Encoding", "Content-Range", "Accept-Ranges", "Etag", "Last-Modified", "Cache-Control"} {
		h.Del(name)
	}
	w.config.Refuse(&refusing{w}, err)
	w.refused = true
}

// refusing writes past the checks of the writer.
type refusing struct{ w *writer }

func (r *refusing) Header() http.Header { return r.w.Header() }
func (r *refusing) WriteHeader(status int) {
	r.w.limited = true
	r.w.ResponseWriter.WriteHeader(status)
}
func (r *refusing) Write(b []byte) (int, error) { return r.w.ResponseWriter.Write(b) }

func (w *writer) Write(b []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	if w.refused {
		return len(b), nil // bytes read from a file are dropped
	}
	total := 0
	for first := true; first || len(b) > 0; first = false {
		piece := b[:min(len(b), writePiece)]
		w.extend()
		n, err := w.ResponseWriter.Write(piece)
		if total += n; err != nil {
			return total, err
		}
		b = b[len(piece):]
	}
	return total, nil
}

// slow holds back the answer to a client that is refused again and again: else each
// refusal would cost the client no more time than it costs the server. With too many
// answers held back already the connection ends without one.
func (w *writer) slow(r *http.Request) {
	if !w.limited || w.config.Ledger.Spend(quota.Refusals, w.payer, 1) == nil {
		return
	}
	hold, err := w.config.Ledger.Take(quota.SlowRefusals, w.payer, 1)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer hold.Release()
	wait := time.NewTimer(cmp.Or(w.config.RefusalWait, refusalWait))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-r.Context().Done():
	}
}

// rescue turns a panic of a handler into an answer, or, if the answer has begun, into the end of the connection.
func (w *writer) rescue(r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p) // the server's own way to end a connection
	}
	panics.Caught.WithLabelValues("request").Inc()
	w.config.Logger.Error("panic", "where", "request", "id", VisitOf(r.Context()).ID, "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
	if w.begun || w.taken {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Connection", "close")
	w.config.Refuse(w, ErrInternal)
}

func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
