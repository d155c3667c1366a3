package server

import (
	"net/http/httptest"
	"reflect"
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
		"--addr":                 func(c *Config) { c.Addr = "8080" },
		"--admin-addr":           func(c *Config) { c.AdminAddr = "localhost" },
		"--metrics-addr":         func(c *Config) { c.MetricsAddr = "" },
		"--disk-reserve-mib":     func(c *Config) { c.DiskReserveMiB = -1 },
		"--data-dir":             func(c *Config) { c.DataDir = "" },
		"--database-url":         func(c *Config) { c.DatabaseURL = "mysql://x" },
		"--tls":                  func(c *Config) { c.TLS = []string{"cert.pem"} },
		"--tls no-such-cert.pem": func(c *Config) { c.TLS = []string{"no-such-cert.pem", "no-such-key.pem"} },
		"--content-dir":          func(c *Config) { c.ContentDir = "no-such-folder" },
		"--bytes-per-second":     func(c *Config) { c.BytesPerSecond = 511 },
		"--grace":                func(c *Config) { c.Grace = -1 },
		"--wait-for-build":       func(c *Config) { c.WaitForBuild = 721 * time.Hour },
		"--limit":                func(c *Config) { c.Limit = []string{"sockets=5"} },
		"--allowed-origins":      func(c *Config) { c.AllowedOrigins = []string{"play.example.org"} },
		"--allowed-hosts":        func(c *Config) { c.AllowedHosts = []string{"https://admin.example.org"} },
		"--service-addr":         func(c *Config) { c.ServiceAddr = "8083" },
		"--webhook-allow":        func(c *Config) { c.WebhookAllow = []string{"the office"} },
		"--frame-ancestors":      func(c *Config) { c.FrameAncestors = []string{"*"} },
		"--public-url":           func(c *Config) { c.PublicURL = "play.example.org" },
		"--identity-file":        func(c *Config) { c.IdentityFile = "no-such-file.json" },
		"--allow":                func(c *Config) { c.Allow = Allowed{Scenarios: true} },
		"--trusted-proxies":      func(c *Config) { c.TrustedProxies = []string{"10.0.0.0/8", "here"} },
	} {
		c := good()
		spoil(c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s: error = %v, want one that names the flag", flag, err)
		}
	}
}

// TestFlagsAreFew: operators read all of them. --config is one too.
func TestFlagsAreFew(t *testing.T) {
	if n := reflect.TypeFor[Config]().NumField() - 1 + 1; n > 30 { // without Hooks
		t.Errorf("%d flags, want at most 30: derive one from others, or merge two", n)
	}
}

// TestListsOfSettings: a flag with several settings in it takes the known ones alone.
func TestListsOfSettings(t *testing.T) {
	var allowed Allowed
	for text, want := range map[string]Allowed{"none": {}, "guests": {Guests: true}, "accounts, scenarios": {Accounts: true, Scenarios: true}} {
		if err := allowed.UnmarshalText([]byte(text)); err != nil || allowed != want {
			t.Errorf("--allow %s: %+v, %v", text, allowed, err)
		}
	}
	var keep KeepDays
	for text, want := range map[string]KeepDays{"audit=7,journals=0": {7, 90, 0}, "guests=1": {0, 1, 90}} {
		if err := keep.UnmarshalText([]byte(text)); err != nil || keep != want {
			t.Errorf("--keep-days %s: %+v, %v", text, keep, err)
		}
	}
	for text, wrong := range map[string]error{
		`"cheats"`: allowed.UnmarshalText([]byte("guests,cheats")), `""`: allowed.UnmarshalText(nil), `"journals=-1"`: keep.UnmarshalText([]byte("journals=-1")),
		`"audit"`: keep.UnmarshalText([]byte("guests=1,audit")), `"rows=3"`: keep.UnmarshalText([]byte("rows=3")),
	} {
		if wrong == nil || !strings.HasPrefix(wrong.Error(), text) {
			t.Errorf("%s: %v", text, wrong)
		}
	}
}

func TestProxies(t *testing.T) {
	c := good()
	c.TrustedProxies = []string{"10.0.0.0/8", "192.0.2.7"}
	p, err := c.parse()
	if err != nil || len(p.proxies) != 2 || p.proxies[1].String() != "192.0.2.7/32" {
		t.Fatalf("proxies = %v, %v", p.proxies, err)
	}
}

// The public URL may have a path; a browser sends its origin.
func TestOrigins(t *testing.T) {
	c := good()
	c.PublicURL, c.AllowedOrigins = "https://play.example.org/fog", []string{"https://game.example.org"}
	p, err := c.parse()
	if err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]bool{"https://play.example.org": true, "https://game.example.org": true, "https://example.org": false} {
		r := httptest.NewRequest("GET", "http://127.0.0.1/ws", nil)
		r.Header.Set("Origin", origin)
		if p.origins.Allows(r) != want {
			t.Errorf("%s: want %v", origin, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	c := good()
	if got := c.Warnings(); len(got) != 0 {
		t.Errorf("on loopback: %v", got)
	}
	c.AdminAddr, c.MetricsAddr, c.DiskReserveMiB = "0.0.0.0:8081", ":8082", 0
	c.DatabaseURL = "postgres://fogkeep@db.example.org/fogkeep?sslmode=disable"
	if got := c.Warnings(); len(got) != 4 {
		t.Errorf("two open listeners, no reserve and a database in the clear: %v", got)
	}
	c = good()
	c.Addr, c.TrustedProxies = "0.0.0.0:8080", []string{"10.0.0.0/8"}
	if got := c.Warnings(); len(got) != 0 {
		t.Errorf("behind a proxy: %v", got)
	}
	c.TrustedProxies = nil
	if got := c.Warnings(); len(got) != 1 {
		t.Errorf("open to other machines without TLS: %v", got)
	}
}
