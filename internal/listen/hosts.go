package listen

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// ErrHost is the refusal of a request to a host under whose name the listener does not answer.
var ErrHost = errors.New("listen: the listener does not answer under this host name")

// Hosts are the names under which a listener answers; nil: every name. It answers under
// addresses and under localhost in any case. A page whose name was made to resolve to the
// listener's address (DNS rebinding) still sends that name, and an address cannot be rebound.
type Hosts []string

// ParseHosts returns the hosts of names such as "admin.example.org".
func ParseHosts(names []string) (Hosts, error) {
	out := Hosts{}
	for _, name := range names {
		if u, err := url.Parse("http://" + name); err != nil || u.Host != name || u.Hostname() != name || name == "" {
			return nil, fmt.Errorf("host %q: want a name alone, such as admin.example.org", name)
		}
		out = append(out, plainName(name))
	}
	return out, nil
}

// plainName is a host's name as it is compared.
func plainName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// allows reports whether the listener answers the request. Browsers always send a host.
func (h Hosts) allows(r *http.Request) bool {
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil || h == nil || name == "" {
		return true
	}
	name = plainName(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || slices.Contains(h, name)
}
