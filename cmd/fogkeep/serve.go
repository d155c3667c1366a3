package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/config"
	"github.com/fogkeep/fogkeep/internal/telemetry"
)

type serveCmd struct {
	config.Server
}

// Run wires the rooms and serves until the first interrupt.
func (c *serveCmd) Run(a *app) error {
	if err := c.Check(); err != nil {
		return err
	}
	log, err := telemetry.NewLogger(a.Stderr, c.LogLevel)
	if err != nil {
		return err
	}
	if err := prepareDataDir(c.DataDir); err != nil {
		return err
	}
	_ = log
	return nil
}

// prepareDataDir makes the data folder and proves that it can be written.
func prepareDataDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data folder %s: %w: make it writable, or name another with FOGKEEP_DATA_DIR", dir, cause(err))
	}
	probe := filepath.Join(dir, ".probe")
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		return fmt.Errorf("data folder %s is not writable (%w): make it writable, or name another with FOGKEEP_DATA_DIR", dir, cause(err))
	}
	return os.Remove(probe)
}

// cause strips the operation and the path off a file error: the caller names
// them in its own words.
func cause(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// door is one listener with what is behind it.
type door struct {
	name, env string
	addr      string
	handler   http.Handler
	cert, key string

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

// serve answers until ctx ends, then lets requests end for at most grace.
func (d *door) serve(ctx context.Context, grace time.Duration, log *slog.Logger) error {
	s := &http.Server{
		Handler:           d.handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		var err error
		if d.cert != "" {
			err = s.ServeTLS(d.listener, d.cert, d.key)
		} else {
			err = s.Serve(d.listener)
		}
		if !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("%s listener: %w", d.name, err)
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		if err := s.Shutdown(end); err != nil {
			s.Close()
		}
		return nil
	})
	return g.Wait()
}
