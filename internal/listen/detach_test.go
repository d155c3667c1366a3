package listen

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/quota"
)

// detaching serves an answer that goes on without its request: run is what Detach is
// given. It returns the address, the ledger, and how to stop the server.
func detaching(t *testing.T, run func(context.Context, func([]byte) error), change ...func(*Server)) (addr string, l *quota.Ledger, stop func()) {
	t.Helper()
	l = ledger(t)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "first\n")
		_ = http.NewResponseController(w).Flush()
		if r.URL.Path == "/attached" {
			<-r.Context().Done()
			return
		}
		if !Detach(w, r, run) {
			io.WriteString(w, "attached\n")
		}
	})
	s := &Server{Name: "player", Addr: "127.0.0.1:0", Handler: h, Config: Config{Ledger: l, Refuse: refuse, Logger: slog.New(slog.DiscardHandler), WriteWait: 300 * time.Millisecond}}
	for _, f := range change {
		f(s)
	}
	if err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, time.Second) }()
	ended := false
	stop = func() {
		if cancel(); !ended {
			ended = true
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(stop)
	return strings.TrimPrefix(s.URL(), "http://"), l, stop
}

// TestDetachedAnswer: a reading client gets every piece and the end, as with any answer.
func TestDetachedAnswer(t *testing.T) {
	large := strings.Repeat("fog", writePiece)
	addr, l, _ := detaching(t, func(_ context.Context, write func([]byte) error) {
		for i := range 3 {
			if err := write(fmt.Appendf(nil, "piece %d\n", i)); err != nil {
				t.Error(err)
			}
		}
		if err := errors.Join(write(nil), write([]byte(large))); err != nil {
			t.Error(err)
		}
	})
	res, err := http.Get("http://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if want := "first\npiece 0\npiece 1\npiece 2\n" + large; err != nil || string(text) != want {
		t.Errorf("%d bytes came, %v, want %d: %.60q", len(text), err, len(want), text)
	}
	eventually.Holds(t, "the connection ends", func() bool { return l.Held(quota.Connections) == 0 })
	old := dial(t, addr)
	fmt.Fprint(old, "GET / HTTP/1.0\r\n\r\n")
	if text, _ := io.ReadAll(old); !strings.HasSuffix(string(text), "first\nattached\n") {
		t.Errorf("a client of HTTP/1.0 was told %q", text)
	}
}

// TestDetachedAnswerEnds: with the client that goes, that sends unexpected bytes, or that does not read; and with
// the server.
func TestDetachedAnswerEnds(t *testing.T) {
	began := make(chan bool, 1)
	var endless []byte // what is written until it fails; nothing: it waits for the end
	addr, l, stop := detaching(t, func(ctx context.Context, write func([]byte) error) {
		began <- true
		for len(endless) > 0 && write(endless) == nil {
		}
		if len(endless) == 0 {
			<-ctx.Done()
		}
	})
	open := func() io.ReadWriteCloser {
		t.Helper()
		c := dial(t, addr)
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		<-began
		if l.Held(quota.Connections) != 1 {
			t.Fatalf("%d connections are held", l.Held(quota.Connections))
		}
		return c
	}
	gone := func(what string) {
		t.Helper()
		eventually.Holds(t, what+": its connection ends", func() bool { return l.Held(quota.Connections) == 0 })
	}
	open().Close()
	gone("the client went")
	c := open()
	for range strayMax {
		fmt.Fprint(c, "much")
	}
	gone("the client sends on and on")
	endless = make([]byte, 1<<20)
	open()
	gone("the client reads nothing")
	endless = nil
	c = open()
	stop()
	gone("the server stopped")
	if text, err := io.ReadAll(c); err != nil || !strings.HasSuffix(string(text), "\r\n0\r\n\r\n") {
		t.Errorf("the last that it was told is %q, %v", text, err)
	}
}

// TestFewAnswersEndAtOnce: when many clients go at once, their answers end one after
// the other, and matches have their ticks meanwhile.
func TestFewAnswersEndAtOnce(t *testing.T) {
	const clients = 40
	var open, ending, most atomic.Int32
	addr, l, _ := detaching(t, func(ctx context.Context, _ func([]byte) error) {
		open.Add(1)
		<-ctx.Done()
		n := ending.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(2 * time.Millisecond) // an end takes a while: ends at once would overlap
		ending.Add(-1)
	})
	var all []net.Conn
	for range clients {
		c := dial(t, addr)
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		all = append(all, c)
	}
	eventually.Holds(t, "all answers have begun", func() bool { return open.Load() == clients })
	for _, c := range all {
		c.Close()
	}
	eventually.Holds(t, "all connections end", func() bool { return l.Held(quota.Connections) == 0 })
	if want := int32(max(2, runtime.GOMAXPROCS(0))); most.Load() > want {
		t.Errorf("%d answers ended at once, want at most %d", most.Load(), want)
	}
}

// TestGoneClientDelaysNoAnswer: clients that have gone without reading what waits for
// them do not keep others' answers from their end.
func TestGoneClientDelaysNoAnswer(t *testing.T) {
	began := make(chan bool, 1)
	addr, l, _ := detaching(t, func(ctx context.Context, write func([]byte) error) {
		began <- true
		for ctx.Err() == nil && write(make([]byte, 1<<20)) == nil {
		}
	}, func(s *Server) { s.WriteWait = time.Minute })
	for range 2 * max(2, runtime.GOMAXPROCS(0)) {
		c := dial(t, addr)
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		<-began
		if err := c.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
	}
	from := time.Now()
	eventually.Holds(t, "all connections end", func() bool { return l.Held(quota.Connections) == 0 })
	if took := time.Since(from); took > 20*time.Second {
		t.Errorf("their answers ended after %v", took)
	}
}

// TestDetachedAnswersAreSmall: they hold a fraction of a request's memory.
func TestDetachedAnswersAreSmall(t *testing.T) {
	const clients = 200
	// each returns how many bytes one answer takes, with the client's end.
	each := func(request string) int64 {
		t.Helper()
		began := make(chan bool, clients)
		addr, _, stop := detaching(t, func(ctx context.Context, _ func([]byte) error) {
			began <- true
			<-ctx.Done()
		})
		defer stop()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range clients {
			c := dial(t, addr)
			fmt.Fprint(c, request)
			if line, err := bufio.NewReaderSize(c, 16).ReadString('\n'); err != nil || !strings.Contains(line, "200 OK") {
				t.Fatal(line, err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		return (int64(after.HeapInuse+after.StackInuse) - int64(before.HeapInuse+before.StackInuse)) / clients
	}
	detached, attached := each("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), each("GET /attached HTTP/1.1\r\nHost: x\r\n\r\n")
	t.Logf("%d bytes each, %d in a request", detached, attached)
	if 3*detached > 2*attached {
		t.Errorf("%d bytes each, and %d in a request", detached, attached)
	}
}
