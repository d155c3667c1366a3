package outbound

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// URLLenMax bounds a URL, in bytes.
const URLLenMax = 1000

// Policy says which addresses may be reached. The zero value permits public ones.
type Policy struct {
	// Allow lists ranges that may be reached although they are not public.
	Allow []netip.Prefix
	// Resolver resolves names; nil: the system's.
	Resolver *net.Resolver
}

// ParseAllow reads ranges such as 10.0.0.0/8 or 127.0.0.1.
func ParseAllow(list []string) (out []netip.Prefix, err error) {
	for _, text := range list {
		p, err := netip.ParsePrefix(text)
		if a, bad := netip.ParseAddr(text); bad == nil && a.Zone() == "" {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil || p.Addr().Is4In6() {
			return nil, fmt.Errorf("%q: want an address or a range such as 10.0.0.0/8", text)
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

// public6 contains all public IPv6 addresses. Addresses with an IPv4 address inside, of one's own network, of one link
// and of groups are outside.
var public6 = netip.MustParsePrefix("2000::/3")

// special are ranges that look public and are not, or that lead through a
// translation to an address that hides in them. From the IANA registries of
// special-purpose addresses (RFC 6890).
var special = func() (out []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}()

// Permits reports whether the server may connect to an address. An IPv4 address in IPv6 form counts as IPv4.
func (p Policy) Permits(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	in := func(list []netip.Prefix) bool {
		return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	if in(p.Allow) {
		return true
	}
	return a.IsGlobalUnicast() && !a.IsPrivate() && (a.Is4() || public6.Contains(a)) && !in(special)
}

// CheckURL refuses a URL that no request may go to: another scheme than http and
// https, a name or password in it, a port of a service that is no web server, an
// address that is not permitted. A name is not resolved: that is looked at when it
// is dialled.
func (p Policy) CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > URLLenMax:
		return fmt.Errorf("want a URL of at most %d characters", URLLenMax)
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "":
		return errors.New("want https://host/path")
	case u.User != nil:
		return errors.New("a URL with a name or a password in it is not taken")
	case u.Fragment != "":
		return errors.New("a URL with a fragment is not taken")
	}
	if port := u.Port(); port != "" {
		// Below 1024 are mail, name and file servers, which read HTTP as commands.
		if n, err := strconv.Atoi(port); err != nil || n > 65535 || n < 1024 && n != 80 && n != 443 {
			return errors.New("the port must be 80, 443, or above 1023")
		}
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil && !p.Permits(a) {
		return fmt.Errorf("%s is not a public address", a)
	}
	return nil
}

// ErrForbidden is the cause of a connection that was not made.
var ErrForbidden = errors.New("not a public address")

// Control refuses a connection to an address that is not permitted, with [ErrForbidden].
// It is for [net.Dialer], which asks it about the address that is about to be dialled.
func (p Policy) Control(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s: %w", address, ErrForbidden)
	}
	if !p.Permits(a.Addr()) {
		return fmt.Errorf("%s: %w", a.Addr(), ErrForbidden)
	}
	return nil
}

// Client returns a client whose requests take at most timeout, with their answers.
func (p Policy) Client(timeout time.Duration) *http.Client {
	d := &net.Dialer{Timeout: timeout / 2, KeepAlive: -1, Control: p.Control, Resolver: p.Resolver}
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            d.DialContext,
			DisableKeepAlives:      true,
			TLSHandshakeTimeout:    timeout / 2,
			ResponseHeaderTimeout:  timeout,
			MaxResponseHeaderBytes: 16 << 10,
			DisableCompression:     true,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
