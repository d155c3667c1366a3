package socket

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// addressMax bounds an address that a server names, in bytes.
const addressMax = 512

// plain matches the addresses that clients accept.
var plain = regexp.MustCompile(`^(?i)(https?|wss?)://[A-Za-z0-9._:\[\]-]+(/[A-Za-z0-9._~/-]*)?$`)

// Address returns the websocket of a server that was named over the connection over, itself a websocket's address; ""
// if the client must not follow it. http:// and https:// are a server, whose sockets are at its /ws, or for replays at
// its /ws/replay (if over says so); ws:// and wss:// are the socket. Over TLS only an address with TLS is
// taken: the right to a seat never leaves TLS.
func Address(address, over string) string {
	if len(address) > addressMax || !plain.MatchString(address) || strings.Contains(address, "/.") {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	server := strings.HasPrefix(u.Scheme, "http")
	u.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
	if u.Scheme == "ws" && secure(over) {
		return ""
	}
	if u.Host = hostOf(u); u.Host == "" {
		return ""
	}
	switch {
	case server:
		u.Path = strings.TrimRight(u.Path, "/") + "/ws"
		if strings.HasSuffix(over, "/ws/replay") {
			u.Path += "/replay"
		}
	case u.Path == "" || u.Path == "/":
		u.Path = "/ws"
	}
	return u.String()
}

// hostOf returns host and port as browsers write them, "" for an invalid port.
func hostOf(u *url.URL) string {
	host, port := strings.ToLower(u.Host), u.Port()
	if port == "" {
		return strings.TrimSuffix(host, ":")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return ""
	}
	if u.Scheme == "ws" && port == "80" || u.Scheme == "wss" && port == "443" {
		return strings.TrimSuffix(host, ":"+port)
	}
	return host
}

// secure reports whether a socket's address is one with TLS.
func secure(address string) bool { return strings.HasPrefix(strings.ToLower(address), "wss:") }
