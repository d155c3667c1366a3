package replayserver

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/spec"
)

// Config configures a service.
type Config struct {
	Library   *playback.Library // opens the matches
	Admitter  Admitter
	BytesPerS int // most payload a connection is sent a second; 0: no limit

	Budget  *spec.Ledger                     // what accounts and addresses may take; nil: no limit
	Address func(*http.Request) netip.Addr   // the address to count a request for
	Origin  func(*http.Request) bool         // whether the page that opens a socket may do so; nil: any
	Refuse  func(http.ResponseWriter, error) // answers a request that is not upgraded; nil: plain text
	Logger  *slog.Logger                     // nil: none
	Grace   time.Duration                    // a viewing whose connection was lost is kept so long; 0: a minute
	// Registerer takes the metrics; or nil.
	Registerer prometheus.Registerer
}

// Admitter decides on permissions to watch.
type Admitter interface {
	// Redeem turns a ticket into a right, once. Errors that are a link.Refusal are told
	// to the client.
	Redeem(ctx context.Context, ticket string, from netip.Addr) (Right, error)
	// Resume says whether a client that comes back to a viewing, or opens its second socket, still has its right,
	// which may have changed.
	Resume(ctx context.Context, right Right, from netip.Addr) (Right, error)
}

// Right is the right to watch one match.
type Right struct {
	Match   string
	Account string
	Known   bool  // the account is no guest
	Epoch   int64 // of the account when the right was given
	Link    int64 // the number of the link that it was opened with; 0: none was needed
	// Live: the match may run still, and is shown late by Delay, with Eyes alone. Else it
	// is over, and any eyes may be chosen.
	Live  bool
	Delay time.Duration
	Eyes  grid.Team // [grid.NoTeam]: all teams'
	// Names of the accounts that had a seat, as they are today. A missing account of the journal is deleted: it has no
	// name any more, and its chat is not told. nil: names are as in the journal.
	Names     map[string]string
	MayBranch bool
}

// DeletedName is the name of a player whose account is deleted, as lobbies and journals
// say it too. No account can have it.
const DeletedName = "deleted"

// Viewing is a viewer who watches a match now.
type Viewing struct {
	Right
	Address netip.Addr // of the newest connection
}
