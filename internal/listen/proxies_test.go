package listen

import (
	"net/http/httptest"
	"net/netip"
	"testing"
)

// X-Forwarded-For is believed from trusted proxies alone, and from the
// right.
func TestForgedAddress(t *testing.T) {
	c := Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	for _, x := range []struct{ remote, forwarded, want string }{
		{"198.51.100.1:99", "", "198.51.100.1"},
		{"198.51.100.1:99", "192.0.2.1", "198.51.100.1"},
		{"10.0.0.1:99", "192.0.2.1", "192.0.2.1"},
		{"10.0.0.1:99", "1.1.1.1, 192.0.2.1", "192.0.2.1"},
		{"10.0.0.1:99", "192.0.2.1, 10.0.0.7", "192.0.2.1"},
		{"10.0.0.1:99", "nonsense", "10.0.0.1"},
		{"10.0.0.1:99", "", "10.0.0.1"},
		{"[::ffff:10.0.0.1]:99", "2001:db8::1", "2001:db8::1"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = x.remote
		if x.forwarded != "" {
			r.Header.Set("X-Forwarded-For", x.forwarded)
		}
		if got := c.Address(r).String(); got != x.want {
			t.Errorf("%s for %q: %s, want %s", x.remote, x.forwarded, got, x.want)
		}
		r.Header.Set("X-Forwarded-Proto", "https")
		if got := c.Secure(r); got != c.trust(netip.MustParseAddrPort(x.remote).Addr().Unmap()) {
			t.Errorf("%s: secure %t", x.remote, got)
		}
	}
}
