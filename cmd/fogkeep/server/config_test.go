package server

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func good() *Config {
	c := Defaults()
	return &c
}

func TestCheckNamesTheFlag(t *testing.T) {
	if err := good().Check(); err != nil {
		t.Fatalf("defaults are refused: %v", err)
	}
	for flag, spoil := range map[string]func(*Config){
		"--addr":                func(c *Config) { c.Addr = "8080" },
		"--admin-addr":          func(c *Config) { c.AdminAddr = "localhost" },
		"--metrics-addr":        func(c *Config) { c.MetricsAddr = "" },
		"--audit-days":          func(c *Config) { c.AuditDays = -1 },
		"--guest-days":          func(c *Config) { c.GuestDays = -1 },
		"--disk-reserve-mib":    func(c *Config) { c.DiskReserveMiB = -1 },
		"--abandon-minutes-max": func(c *Config) { c.AbandonMinutesMax = 4 },
		"--journal-days":        func(c *Config) { c.JournalDays = -1 },
		"--order-burst":         func(c *Config) { c.OrderBurst = -1 },
		"--orders-per-second":   func(c *Config) { c.OrdersPerSecond = 100000 },
		"--data-dir":            func(c *Config) { c.DataDir = "" },
		"--database-url":        func(c *Config) { c.DatabaseURL = "mysql://x" },
		"--tls-cert":            func(c *Config) { c.TLSCert = "cert.pem" },
		"--tls-key":             func(c *Config) { c.TLSCert, c.TLSKey = "no-such-cert.pem", "no-such-key.pem" },
		"--password-memory-kib": func(c *Config) { c.PasswordMemoryKiB = 64 },
		"--password-passes":     func(c *Config) { c.PasswordPasses = 100 },
		"--replay-mib":          func(c *Config) { c.ReplayMiB = 63 },
		"--bytes-per-second":    func(c *Config) { c.BytesPerSecond = 511 },
		"--log-store-mib":       func(c *Config) { c.LogStoreMiB = 1023 },
		"--move-grace":          func(c *Config) { c.MoveGrace = -1 },
		"--wait-for-build":      func(c *Config) { c.WaitForBuild = 721 * time.Hour },
		"--limit":               func(c *Config) { c.Limit = []string{"sockets=5"} },
		"--allowed-origins":     func(c *Config) { c.AllowedOrigins = []string{"play.example.org"} },
		"--allowed-hosts":       func(c *Config) { c.AllowedHosts = []string{"https://admin.example.org"} },
		"--service-addr":        func(c *Config) { c.ServiceAddr = "8083" },
		"--webhook-allow":       func(c *Config) { c.WebhookAllow = []string{"the office"} },
		"--frame-ancestors":     func(c *Config) { c.FrameAncestors = []string{"*"} },
		"--public-url":          func(c *Config) { c.PublicURL = "play.example.org" },
		"--identity-file":       func(c *Config) { c.IdentityFile = "no-such-file.json" },
		"--own-login":           func(c *Config) { c.OwnLogin, c.Guests = false, false },
		"--trusted-proxies":     func(c *Config) { c.TrustedProxies = []string{"10.0.0.0/8", "here"} },
	} {
		c := good()
		spoil(c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s: error = %v, want one that names the flag", flag, err)
		}
	}
}

func TestProxies(t *testing.T) {
	c := good()
	c.TrustedProxies = []string{"10.0.0.0/8", "192.0.2.7"}
	got, err := c.proxies()
	if err != nil || len(got) != 2 || got[1].String() != "192.0.2.7/32" {
		t.Fatalf("proxies = %v, %v", got, err)
	}
}

// The public URL may have a path; its origin is what a browser sends.
func TestOrigins(t *testing.T) {
	c := good()
	c.PublicURL, c.AllowedOrigins = "https://play.example.org/fog", []string{"https://game.example.org"}
	o, err := c.origins()
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
