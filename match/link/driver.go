package link

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// Driver brings clients' connections to a match service, each as a [Transport].
//
//	name         driver          clients
//	websocket    match.Service   browsers, and programs elsewhere
//	in-process   [Process]       bots beside the service
//	others       a program's     by a transport of its own
type Driver interface {
	// Run takes connections until ctx ends. It calls serve for each, on a goroutine of its
	// own; serve returns once the connection is over, also after a panic. from is the
	// client's address, which limits count. Run returns once all its goroutines have ended.
	Run(ctx context.Context, serve func(t Transport, from netip.Addr)) error
}

// Names of the drivers of a server.
const (
	DriverSocket  = "websocket"
	DriverProcess = "in-process"
)

// Dialer is a driver whose clients are in the process of its server.
type Dialer interface {
	Driver
	// Dial returns the client's end of a new connection. It waits until Run takes it.
	Dial(ctx context.Context) (Transport, error)
}

// Process is the driver of clients in the process of their server. A message costs a copy, and
// no system call. It counts for no address.
type Process struct{ dialed chan processEnd }

// NewProcess returns a driver without connections.
func NewProcess() *Process { return &Process{make(chan processEnd)} }

// Dial implements Dialer.
func (p *Process) Dial(ctx context.Context) (Transport, error) {
	near, far := Pipe()
	select {
	case p.dialed <- processEnd{far}:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Run implements Driver.
func (p *Process) Run(ctx context.Context, serve func(t Transport, from netip.Addr)) error {
	var all sync.WaitGroup
	defer all.Wait()
	for {
		select {
		case end := <-p.dialed:
			all.Go(func() { serve(end, netip.Addr{}) })
		case <-ctx.Done():
			return nil
		}
	}
}

// processEnd is the server's end of a pipe.
type processEnd struct{ *PipeEnd }

// RoundTrip implements TripTimer: a pipe takes no time.
func (processEnd) RoundTrip() (time.Duration, bool) { return 0, true }
