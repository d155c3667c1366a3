package pgtest

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/jackc/pgx/v5"
)

// WireState is the treatment of connections by a [Wire].
type WireState int

// The states.
const (
	Up    WireState = iota // carries
	Down                   // hangs up on whoever calls
	Stuck                  // takes the call and says nothing
)

// Wire is a socket between a store and its database that a test can cut.
type Wire struct {
	URL string // of the database through the wire

	to    string // the server's own socket
	mu    sync.Mutex
	state WireState
	conns []net.Conn
}

// NewWire puts a wire before a database, given by its conninfo.
func NewWire(t TB, dsn string) *Wire {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "pgw") // short: a socket's path holds 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	socket := fmt.Sprintf(".s.PGSQL.%d", config.Port)
	w := &Wire{
		to:  filepath.Join(config.Host, socket),
		URL: fmt.Sprintf("postgres://%s@/%s?host=%s&port=%d", config.User, config.Database, dir, config.Port),
	}
	l, err := net.Listen("unix", filepath.Join(dir, socket))
	if err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	calls.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			calls.Go(func() { w.carry(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		w.Set(Down)
		calls.Wait()
		os.RemoveAll(dir)
	})
	return w
}

func (w *Wire) carry(c net.Conn) {
	defer c.Close()
	switch w.keep(c) {
	case Down:
		return
	case Stuck:
		_, _ = io.Copy(io.Discard, c) // until it is cut
		return
	}
	server, err := net.Dial("unix", w.to)
	if err != nil {
		return
	}
	defer server.Close()
	if w.keep(server) != Up {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(server, c)
		server.Close()
	}()
	_, _ = io.Copy(c, server)
	c.Close()
	<-done
}

// keep notes a connection to cut, and returns its treatment.
func (w *Wire) keep(c net.Conn) WireState {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns = append(w.conns, c)
	return w.state
}

// Set changes the state and cuts every connection there is.
func (w *Wire) Set(s WireState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state = s
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
}
