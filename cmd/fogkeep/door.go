package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby/api"
)

// door is one listener with what is behind it.
type door struct {
	name, env string // for errors: who comes in, and what sets the address
	addr      string
	handler   http.Handler
	cert, key string         // TLS, if set
	limits    *budget.Ledger // nil: the server's own bots
	proxies   listen.Proxies
	admin     bool // who comes in may take the reserve

	listener net.Listener
}

// open binds the door's address, so that a port in use is told before
// anything has started.
func (d *door) open(ctx context.Context) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", d.addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s address %s is in use: stop what listens there, or set %s to another", d.name, d.addr, d.env)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%s address %s needs rights this user does not have: set %s to a port above 1023", d.name, d.addr, d.env)
	case err != nil:
		return fmt.Errorf("%s address %s: %w: set %s to an address of this machine", d.name, d.addr, err, d.env)
	}
	d.listener = l
	return nil
}

// url is where a browser on this machine finds the door.
func (d *door) url() string {
	scheme := "http"
	if d.cert != "" {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(d.listener.Addr().String())
	if err != nil {
		return scheme + "://" + d.addr
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// serve answers until ctx ends, then lets requests end for at most grace.
// Event streams and sockets do not end by themselves: they are cut after that.
func (d *door) serve(ctx context.Context, grace time.Duration, log *slog.Logger) error {
	s := listen.NewServer(listen.Handler(d.handler, listen.Config{
		Budget: d.limits, Proxies: d.proxies, Admin: d.admin, Refuse: api.WriteProblem, Logger: log,
	}))
	l := listen.Listener(d.listener, d.limits, d.proxies, d.admin, d.cert == "")
	s.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	g, ctx := errgroup.WithContext(ctx)
	s.BaseContext = func(net.Listener) context.Context { return ctx } // streams see the end coming
	g.Go(caught(log, d.name+" listener", func() error {
		var err error
		if d.cert != "" {
			err = s.ServeTLS(l, d.cert, d.key)
		} else {
			err = s.Serve(l)
		}
		if !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("%s listener: %w", d.name, err)
		}
		return nil
	}))
	g.Go(caught(log, d.name+" listener", func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		if err := s.Shutdown(end); err != nil {
			return s.Close()
		}
		return nil
	}))
	return g.Wait()
}

// caught returns f, whose panic is an error: the process then stops in order,
// its matches' journals complete.
func caught(log *slog.Logger, where string, f func() error) func() error {
	return func() (err error) {
		defer panics.Catch(log, where, func() { err = fmt.Errorf("%s: internal error", where) })
		return f()
	}
}
