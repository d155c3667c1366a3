package server

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

// local returns a configuration on free ports and an empty folder.
func local(t *testing.T) Config {
	c := Defaults()
	c.Addr, c.AdminAddr, c.MetricsAddr, c.DataDir, c.LogLevel = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", t.TempDir(), "error"
	return c
}

// A program runs a server on free ports, is told when it is open and where, and
// stops it by its context. The folder can be used again then.
func TestAProgramRunsAServer(t *testing.T) {
	cfg := local(t)
	for round := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		open := make(chan Addresses, 1)
		cfg.Hooks.Ready = func(s *Server) { open <- s.Addresses() }
		s, err := New(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if first := round == 0; (s.FirstPassword() != "") != first {
			t.Errorf("start %d: the first admin's password is %q", round, s.FirstPassword())
		}
		if _, err := New(ctx, cfg); err == nil || !strings.Contains(err.Error(), "in use by another server") {
			t.Errorf("a second server in the same folder: %v", err)
		}
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		select {
		case at := <-open:
			r, err := http.Get(at.Players + "/healthz")
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			if r.StatusCode != http.StatusOK {
				t.Errorf("healthz: %s", r.Status)
			}
		case err := <-done:
			t.Fatal(err)
		case <-time.After(time.Minute):
			t.Fatal("the server does not open")
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("stopped with %v", err)
		}
	}
}

// A server that is not run gives back its folder and its ports.
func TestAServerThatIsNotRunIsClosed(t *testing.T) {
	cfg := local(t)
	s, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Addr = strings.TrimPrefix(s.Addresses().Players, "http://")
	if _, err := New(t.Context(), cfg); err == nil {
		t.Fatal("two servers have one port")
	}
	s.Close()
	s.Close()
	if s, err = New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	s.Close()
}
