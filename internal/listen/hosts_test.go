package listen

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/fogkeep/fogkeep/internal/quota"
)

// TestHosts: a listener with names answers under them, under addresses and under localhost,
// whatever the port. A page that made its own name resolve to the listener's address is
// refused before anything is looked at.
func TestHosts(t *testing.T) {
	names, err := ParseHosts([]string{"Admin.example.org.", "metrics"})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{
		"127.0.0.1:8081": true, "127.0.0.2": true, "[::1]:8081": true, "[::1]": true, "10.1.2.3:80": true, "localhost:8081": true, "LOCALHOST": true, "a.localhost": true, "localhost.": true,
		"admin.example.org": true, "ADMIN.example.org:443": true, "metrics:8082": true, "": true,
		"evil.example": false, "evil.example:8081": false, "admin.example.org.evil.example": false, "evillocalhost": false, "xadmin.example.org": false, "127.0.0.1.evil.example": false, "0x7f.1": false, "[evil]": false,
	} {
		served := false
		var refused error
		h := Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served = true }), Config{
			Hosts: names, Ledger: quota.New(quota.Defaults()), Logger: slog.New(slog.DiscardHandler), Refuse: func(_ http.ResponseWriter, err error) { refused = err },
		})
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = host
		h.ServeHTTP(httptest.NewRecorder(), r)
		if served != want || errors.Is(refused, ErrHost) == want {
			t.Errorf("%q: served %t, refused %v", host, served, refused)
		}
	}
	for _, bad := range []string{"", "http://a.example", "a.example:80", "a/b", "a@b", "a b"} {
		if _, err := ParseHosts([]string{bad}); err == nil {
			t.Errorf("%q is a host's name", bad)
		}
	}
}
