package listen

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/panics"
)

// Server is one network address of the process with its handler.
type Server struct {
	Name    string // the clients, for errors and logs
	Setting string // the setting of the address, for errors
	Addr    string // host:port; port 0 takes a free one
	Handler http.Handler
	// Certificate and Key are the files of TLS; empty: plain HTTP.
	Certificate, Key string
	TLS              *tls.Config // in place of them
	Config                       // of the answers; a nil Ledger limits nothing

	listener net.Listener
	released chan struct{}                   // closed once the address is free again
	loaded   atomic.Pointer[tls.Certificate] // of TLS; nil: plain HTTP
}

// LoadCertificate reads the files of TLS. Later connections use their present content. After an error it is as before.
func (s *Server) LoadCertificate() error {
	if s.Certificate == "" {
		return nil
	}
	c, err := tls.LoadX509KeyPair(s.Certificate, s.Key)
	if err != nil {
		return fmt.Errorf("certificate %s, key %s: %w", s.Certificate, s.Key, err)
	}
	s.loaded.Store(&c)
	return nil
}

// ErrInUse: another program listens at the address.
var ErrInUse = errors.New("is in use")

// Open binds the address, so that a port in use is told before
// anything has started.
func (s *Server) Open(ctx context.Context) error {
	if err := s.LoadCertificate(); err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s address %s %w: stop the program that listens there, or set %s to another address", s.Name, s.Addr, ErrInUse, s.Setting)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%s address %s needs rights this user does not have: set %s to a port above 1023", s.Name, s.Addr, s.Setting)
	case err != nil:
		return fmt.Errorf("%s address %s: %w: set %s to an address of this machine", s.Name, s.Addr, err, s.Setting)
	}
	s.listener, s.released = l, make(chan struct{})
	return nil
}

// Close stops listening. It is for a server that was opened and is not served.
func (s *Server) Close() error { return s.listener.Close() }

// Bound returns the address that Open has bound.
func (s *Server) Bound() string { return s.listener.Addr().String() }

// Released is closed once Run has given the address back, while it lets requests end.
func (s *Server) Released() <-chan struct{} { return s.released }

// URL is where a browser on this machine finds the server.
func (s *Server) URL() string {
	scheme := "http"
	if s.Certificate != "" || s.TLS != nil {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(s.listener.Addr().String())
	if err != nil {
		return scheme + "://" + s.Addr
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// NetworkURLs are where browsers on other machines find a server that listens on all of this machine's
// addresses, at most three; none with TLS, whose certificates are for names.
func (s *Server) NetworkURLs() []string {
	bound, err := netip.ParseAddrPort(s.Bound())
	if err != nil || !bound.Addr().IsUnspecified() || strings.HasPrefix(s.URL(), "https:") {
		return nil
	}
	addresses, _ := net.InterfaceAddrs()
	var out []string
	for _, a := range addresses {
		p, err := netip.ParsePrefix(a.String())
		if ip := p.Addr(); err == nil && ip.Is4() && ip.IsGlobalUnicast() && len(out) < 3 {
			out = append(out, "http://"+netip.AddrPortFrom(ip, bound.Port()).String())
		}
	}
	return out
}

// Run answers until ctx ends, then lets requests end for at most grace.
// Event streams and sockets do not end by themselves: they are cut after that.
func (s *Server) Run(ctx context.Context, grace time.Duration) error {
	log := s.Logger
	h := NewHTTPServer(Handler(s.Handler, s.Config))
	l := Listener(s.listener, s.Ledger, s.Proxies, s.Admin, s.Certificate == "" && s.TLS == nil)
	h.RegisterOnShutdown(func() { close(s.released) }) // its listener is closed by then
	h.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	g, ctx := errgroup.WithContext(ctx)
	d := newDetached(ctx, log, cmp.Or(s.WriteWait, writeWait))
	defer d.running.Wait()
	ctx = context.WithValue(ctx, detachedKey{}, d)
	h.BaseContext = func(net.Listener) context.Context { return ctx } // streams see the end coming
	g.Go(panics.AsError(log, s.Name+" listener", func() error {
		var err error
		h.TLSConfig = s.TLS
		if s.Certificate != "" {
			h.TLSConfig = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.loaded.Load(), nil }}
		}
		if h.TLSConfig != nil {
			err = h.ServeTLS(l, "", "")
		} else {
			err = h.Serve(l)
		}
		if !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("%s listener: %w", s.Name, err)
		}
		return nil
	}))
	g.Go(panics.AsError(log, s.Name+" listener", func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		if err := h.Shutdown(end); err != nil {
			return h.Close()
		}
		return nil
	}))
	return g.Wait()
}
