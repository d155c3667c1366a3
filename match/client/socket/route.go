package socket

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// The limits and pauses of a route.
const (
	hopsMax    = 4 // moves within hopsTime that the client follows at once
	hopsTime   = 10 * time.Second
	backTime   = time.Second // pause of a client that a server sends back so soon: the match is moving, and some servers do not know its new place yet
	askedMax   = 5           // attempts at an address whose server expects the match back, before the next address
	othersMax  = 4           // remembered other servers
	openTime   = 1500 * time.Millisecond
	openQuick  = 6 // attempts with the short openTime
	quickPause = 600 * time.Millisecond
	quickMax   = 14 // attempts before the pauses grow: about six seconds
	pauseMax   = 5 * time.Second
)

// Route chooses the address at which a client asks for its match next. A match can be on another server than its
// ticket's, and can move while it is played.
//
//	        Moved(url) ──► there at once, a few times
//	Lost ──► where the match was ─► the service ─► its other servers ─► …
//
// The right to the seat is shown only to addresses that the caller gave, or that a
// server named over a connection that was as secure: see [Address]. Once a connection
// had TLS, only addresses with TLS are tried. A Route belongs to one goroutine.
type Route struct {
	home, at   string
	servers    []string
	address    string // for the next attempt
	turn       int    // place of address in all
	attempts   int    // since the connection was lost
	unanswered int
	tls        bool
	hops       []time.Time
	cameFrom   string // who sent the client to address
}

// NewRoute returns a route to the service at home, a socket's address. at is where the
// match is, as the lobby's ticket says; "" if it does not.
func NewRoute(home, at string) *Route {
	r := &Route{home: home, at: Address(at, home)}
	r.address = r.Place()
	return r
}

// Address returns the socket for the next attempt.
func (r *Route) Address() string { return r.address }

// Place returns the socket of the match, by the last connection or the last answer of a server.
func (r *Route) Place() string {
	if r.at != "" {
		return r.at
	}
	return r.home
}

// Dial connects to the address for the next attempt. With another address left, the attempt is short: a machine that is
// gone does not even refuse.
func (r *Route) Dial(ctx context.Context, header http.Header) (*Conn, error) {
	patience := dialTimeout
	if len(r.all()) > 1 && r.attempts < openQuick {
		patience = openTime
	}
	return dial(ctx, r.address, header, patience)
}

// Welcomed notes that the server at the address has the seat, and the other servers that it named.
func (r *Route) Welcomed(servers []string) {
	r.tls = r.tls || secure(r.address)
	r.at, r.servers = r.address, nil
	for _, s := range servers[:min(len(servers), othersMax)] {
		if other := Address(s, r.address); other != "" {
			r.servers = append(r.servers, other)
		}
	}
	r.turn, r.attempts, r.unanswered = 0, 0, 0
}

// Moved notes the place of the match that the server at the address gave; "": it does not know the place yet. It
// returns the pause before the next attempt.
func (r *Route) Moved(url string, now time.Time) time.Duration {
	r.hops = slices.DeleteFunc(r.hops, func(at time.Time) bool { return now.Sub(at) >= hopsTime })
	to := Address(url, r.address)
	back := to == r.cameFrom && len(r.hops) > 0 && now.Sub(r.hops[len(r.hops)-1]) < backTime
	if to != "" && !back {
		r.cameFrom, r.at, r.address, r.turn = r.address, to, to, 0
		if len(r.hops) < hopsMax {
			r.hops = append(r.hops, now)
			return 0
		}
		return r.pause()
	}
	if r.unanswered++; r.unanswered%askedMax == 0 {
		r.advance()
	}
	return r.pause()
}

// Lost notes that the attempt at the address, or the connection, failed. It returns
// the pause before the next attempt.
func (r *Route) Lost() time.Duration {
	if r.attempts > 0 { // else go where the match was: perhaps only the connection is gone
		r.advance()
	}
	return r.pause()
}

func (r *Route) advance() {
	all := r.all()
	r.turn = (r.turn + 1) % len(all)
	r.address = all[r.turn]
}

// all returns the addresses in the order of attempts.
func (r *Route) all() (out []string) {
	for _, a := range append([]string{r.Place(), r.home}, r.servers...) {
		if !slices.Contains(out, a) && (!r.tls || secure(a)) {
			out = append(out, a)
		}
	}
	return out
}

func (r *Route) pause() time.Duration {
	r.attempts++
	return time.Duration(float64(pauseBefore(r.attempts)) * (0.5 + rand.Float64()/2))
}

// pauseBefore returns the longest pause before an attempt, counted from 1. After a server's death another server has
// the match in about two seconds, so a player waits at most quickPause for the next attempt.
func pauseBefore(attempt int) time.Duration {
	switch {
	case attempt < 3:
		return time.Duration(attempt) * 200 * time.Millisecond
	case attempt <= quickMax:
		return quickPause
	}
	return min(pauseMax, quickPause<<min(attempt-quickMax, 10))
}
