package config

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func good() Server {
	return Server{Addr: "127.0.0.1:8080", AdminAddr: "127.0.0.1:8081", MetricsAddr: "[::1]:8082", DataDir: "./data", PasswordMemoryKiB: 19456, PasswordPasses: 2, AbandonMinutesMax: 60}
}

func TestCheckNamesTheFlag(t *testing.T) {
	if err := good().Check(); err != nil {
		t.Fatalf("defaults are refused: %v", err)
	}
	for flag, spoil := range map[string]func(*Server){
		"--addr":                func(c *Server) { c.Addr = "8080" },
		"--admin-addr":          func(c *Server) { c.AdminAddr = "localhost" },
		"--metrics-addr":        func(c *Server) { c.MetricsAddr = "" },
		"--replay-buffer-mib":   func(c *Server) { c.ReplayBufferMiB = 1 << 20 },
		"--audit-days":          func(c *Server) { c.AuditDays = -1 },
		"--guest-days":          func(c *Server) { c.GuestDays = -1 },
		"--disk-reserve-mib":    func(c *Server) { c.DiskReserveMiB = -1 },
		"--abandon-minutes-max": func(c *Server) { c.AbandonMinutesMax = 4 },
		"--journal-days":        func(c *Server) { c.JournalDays = -1 },
		"--order-burst":         func(c *Server) { c.OrderBurst = -1 },
		"--orders-per-second":   func(c *Server) { c.OrdersPerSecond = 100000 },
		"--data-dir":            func(c *Server) { c.DataDir = "" },
		"--database-url":        func(c *Server) { c.DatabaseURL = "mysql://x" },
		"--tls-cert":            func(c *Server) { c.TLSCert = "cert.pem" },
		"--tls-key":             func(c *Server) { c.TLSCert, c.TLSKey = "no-such-cert.pem", "no-such-key.pem" },
		"--password-memory-kib": func(c *Server) { c.PasswordMemoryKiB = 64 },
		"--password-passes":     func(c *Server) { c.PasswordPasses = 100 },
		"--limit":               func(c *Server) { c.Limit = []string{"sockets=5"} },
		"--allowed-origins":     func(c *Server) { c.AllowedOrigins = []string{"play.example.org"} },
		"--frame-ancestors":     func(c *Server) { c.FrameAncestors = []string{"*"} },
		"--public-url":          func(c *Server) { c.PublicURL = "play.example.org" },
		"--trusted-proxies":     func(c *Server) { c.TrustedProxies = []string{"10.0.0.0/8", "here"} },
	} {
		c := good()
		spoil(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s: error = %v, want one that names the flag", flag, err)
		}
	}
}

func TestProxies(t *testing.T) {
	c := good()
	c.TrustedProxies = []string{"10.0.0.0/8", "192.0.2.7"}
	got, err := c.Proxies()
	if err != nil || len(got) != 2 || got[1].String() != "192.0.2.7/32" {
		t.Fatalf("proxies = %v, %v", got, err)
	}
}

// The public URL may have a path; its origin is what a browser sends.
func TestOrigins(t *testing.T) {
	c := good()
	c.PublicURL, c.AllowedOrigins = "https://play.example.org/fog", []string{"https://game.example.org"}
	o, err := c.Origins()
	if err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]bool{"https://play.example.org": true, "https://game.example.org": true, "https://example.org": false} {
		r := httptest.NewRequest("GET", "http://127.0.0.1/ws", nil)
		r.Header.Set("Origin", origin)
		if o.Allows(r) != want {
			t.Errorf("%s: want %v", origin, want)
		}
	}
}

func TestExposed(t *testing.T) {
	c := good()
	if got := c.Exposed(); len(got) != 0 {
		t.Errorf("on loopback: %v", got)
	}
	c.AdminAddr, c.MetricsAddr = "0.0.0.0:8081", ":8082"
	if got := c.Exposed(); len(got) != 2 {
		t.Errorf("on all interfaces: %v", got)
	}
}
