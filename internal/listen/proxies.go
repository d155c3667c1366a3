package listen

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the address ranges whose X-Forwarded-For and X-Forwarded-Proto
// are believed.
type Proxies []netip.Prefix

// Address is the client's: the connection's, or, if that is a trusted proxy's, the last untrusted one in
// X-Forwarded-For. The client wrote the addresses further left, which prove no origin.
func (p Proxies) Address(r *http.Request) netip.Addr {
	addr := peer(r)
	if !p.trust(addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return addr
		}
		if addr = hop.Unmap().WithZone(""); !p.trust(addr) {
			return addr
		}
	}
	return addr
}

// Secure reports whether the browser sees https: the connection is TLS, or a
// trusted proxy says that its own was.
func (p Proxies) Secure(r *http.Request) bool {
	return r.TLS != nil || p.trust(peer(r)) && r.Header.Get("X-Forwarded-Proto") == "https"
}

func (p Proxies) trust(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(a) })
}

// peer is the other end of the request's own connection.
func peer(r *http.Request) netip.Addr {
	ap, _ := netip.ParseAddrPort(r.RemoteAddr)
	return ap.Addr().Unmap().WithZone("")
}
