package server

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/link"
)

// drivers are the ways to the server's matches, by name. The websocket's has no value: it
// is the handler of /ws.
type drivers map[string]link.Driver

// drivers returns the shipped drivers with the program's changes.
func (h *Hooks) drivers() (drivers, error) {
	all := drivers{link.DriverSocket: nil, link.DriverProcess: link.NewProcess()}
	for _, name := range slices.Sorted(maps.Keys(h.Drivers)) {
		d := h.Drivers[name]
		_, dials := d.(link.Dialer)
		switch {
		case name == link.DriverSocket && d == nil:
			delete(all, name)
			continue
		case name == link.DriverSocket:
			return nil, fmt.Errorf("driver %s: it can be turned off, by nil, and not replaced", name)
		case d == nil:
			return nil, fmt.Errorf("driver %q is nil: only %s can be turned off", name, link.DriverSocket)
		case name == link.DriverProcess && !dials:
			return nil, fmt.Errorf("driver %s: the server's bots come by it, so it has to be a link.Dialer", name)
		}
		all[name] = d
	}
	return all, nil
}

// run runs all drivers until ctx ends.
func (d drivers) run(ctx context.Context, a *app) error {
	g, ctx := errgroup.WithContext(ctx)
	for name, driver := range d {
		serve := a.matches.Take
		switch name {
		case link.DriverSocket:
			continue
		case link.DriverProcess:
			serve = func(t link.Transport, _ netip.Addr) { a.matches.Serve(t) }
		}
		g.Go(panics.AsError(a.log, name, func() error {
			if err := driver.Run(ctx, serve); err != nil && ctx.Err() == nil {
				return fmt.Errorf("driver %s: %w", name, err)
			}
			return nil
		}))
	}
	return g.Wait()
}
