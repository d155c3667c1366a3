package server

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiagnose: a check of each part of a server's surroundings passes beside a running
// server, and fails with a remedy for each fault.
func TestDiagnose(t *testing.T) {
	t.Parallel()
	s, cfg := running(t, nil)
	at := s.Addresses()
	addr := func(url string) string { return strings.TrimPrefix(url, "http://") }
	cfg.Addr, cfg.AdminAddr, cfg.MetricsAddr, cfg.PublicURL = addr(at.Players), addr(at.Admins), addr(at.Metrics), at.Players
	cfg.Hooks = Hooks{}
	report := func(c Config) (text string, worst State) {
		var b strings.Builder
		for _, f := range c.Diagnose(t.Context()) {
			fmt.Fprintln(&b, f.State, f.Check, f.Text)
			worst = max(worst, f.State)
		}
		return b.String(), worst
	}
	text, worst := report(cfg)
	for _, want := range []string{"ok settings", "belongs to the server on", "ok disk a write", "MiB are free", "sqlite answers, with all", "ok reach " + at.Players + " answers", "ok clock"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if worst != Fine {
		t.Errorf("beside a server that runs well:\n%s", text)
	}

	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Config){
		"FAILED ports player address " + busy.Addr().String() + " is in use": func(c *Config) { c.Addr = busy.Addr().String() },
		"FAILED settings --bytes-per-second 3":                               func(c *Config) { c.BytesPerSecond = 3 },
		"FAILED disk data folder " + file + " cannot be written":             func(c *Config) { c.DataDir = file },
		"FAILED disk ":               func(c *Config) { c.DiskReserveMiB = 1 << 20 },
		"FAILED database PostgreSQL": func(c *Config) { c.DatabaseURL = "postgres://fogkeep@127.0.0.1:1/fogkeep?connect_timeout=2" },
		"FAILED cluster":             func(c *Config) { c.Cluster = file },
		"FAILED reach players do not reach http://127.0.0.1:1: dial tcp": func(c *Config) { c.PublicURL = "http://127.0.0.1:1" },
		"/readyz answers 404":                     func(c *Config) { c.PublicURL = at.Metrics },
		"warning reach only this machine reaches": func(c *Config) { c.PublicURL = "" },
	} {
		c := cfg
		change(&c)
		if text, worst := report(c); !strings.Contains(text, want) || worst == Fine {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
