package match

import (
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/match/spec"
)

// Config has a service's settings and the parts that it calls.
type Config struct {
	Journals journal.Store
	Library  *playback.Library // opens the journals for late spectators; nil: one of the service's own
	Admitter Admitter
	Reporter Reporter
	// The match's goroutine calls SeatChanged when an account's client comes to its seat
	// in a match, or goes. It must not wait. nil: no call. since is the tick in which the
	// account took the seat over; 0: the account had it from the start.
	SeatChanged func(match, account string, online bool, since grid.Tick)
	Ledger      *spec.Ledger // the limits of accounts and addresses; nil: no limit
	// Address returns the address to count a request for; nil: the connection's
	// peer.
	Address func(*http.Request) netip.Addr
	// Origin reports whether the page that opens a socket may do so; nil: only
	// pages of the same host.
	Origin func(*http.Request) bool
	// Servers returns the addresses of the service's other servers, which know where a
	// match is when this one is gone: a welcome names some. nil: there are no others.
	// Called for each welcome; it must not wait.
	Servers func() []string
	// Refuse answers a request that is not upgraded: the error is [listen.ErrOrigin] or a
	// [spec.LimitError]. nil: plain text.
	Refuse       func(http.ResponseWriter, error)
	Sockets      link.Timeouts         // zero: [link.DefaultTimeouts]
	Logger       *slog.Logger          // nil: no log
	Clock        Clock                 // nil: the wall's
	Registerer   prometheus.Registerer // for metrics; nil: no metrics
	Build        string                // of the server, for the journal
	Key          []byte                // signs resume tokens, see [Key]; nil: a key that ends with the process
	Grace        time.Duration         // a lost connection keeps its seat so long; 0: a minute
	Linger       time.Duration         // sockets stay open so long after the end; 0: five seconds
	Disk         Disk                  // where the journals lie; nil: not checked
	DiskReserve  int64                 // with less bytes free no match is started, and live ones are warned; 0: never
	BytesPerS    int                   // most payload per connection and second; 0: no limit
	StateSeconds int                   // a match's state is saved so often, in match time; 0: [StateSeconds]
	Notes        *notes.Dir            // where cameras, links and tick times of matches are noted; nil: nowhere
	FullSpeed    bool                  // matches are not slowed when the process cannot keep up: for benches

	// Where returns the place of a match that does not run here. Without a node the client is
	// to ask again, unless the match is gone. nil: there are no other processes.
	Where func(match string) shared.Whereabouts
	// Carry passes a request for a socket on to another process, whose handler is
	// [Service.Carried], and returns once the socket has ended. nil: the service
	// redirects clients to the process of their match. Either all processes of a service
	// have it, or no process has.
	Carry func(w http.ResponseWriter, r *http.Request, node string)
	// The match's goroutine calls StandIn when a bot of the level is to play on for an absent
	// player. The ticket opens the seat to the bot. It must not wait. nil: the seat stands idle.
	StandIn func(match, ticket, level string)
	// The match's goroutine calls Fenced when another process has taken over a match that
	// ran here. It must not wait. nil: no call.
	Fenced func(match string)
}

// StateSeconds is the default time between two saved states of a match, in seconds of
// match time. A recovery replays no more.
const StateSeconds = 30

// Disk says how much room there is where journals lie.
type Disk interface {
	Free() (bytes int64, err error)
}

// Clock is where a match takes its time from.
type Clock interface {
	Now() time.Time
	// Wait returns true once it is at or later, and false as soon as stop is
	// closed.
	Wait(at time.Time, stop <-chan struct{}) bool
}

// Wall is the real clock.
type Wall struct{}

// Now returns the time.
func (Wall) Now() time.Time { return time.Now() }

// Wait waits for the real time.
func (Wall) Wait(at time.Time, stop <-chan struct{}) bool {
	d := time.Until(at)
	if d <= 0 {
		select {
		case <-stop:
			return false
		default:
			return true
		}
	}
	t, _ := timers.Get().(*time.Timer)
	if t == nil {
		t = time.NewTimer(d)
	} else {
		t.Reset(d)
	}
	defer timers.Put(t)
	select {
	case <-t.C:
		return true
	case <-stop:
		t.Stop()
		return false
	}
}

// timers has idle timers: a match waits at every tick.
var timers sync.Pool
