package replayserver

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/match/spec"
)

// Config configures a service.
type Config struct {
	Library   *playback.Library // opens the matches
	Admitter  Admitter
	BytesPerS int // most payload a connection is sent a second; 0: no limit

	Ledger  *spec.Ledger                     // what accounts and addresses may take; nil: no limit
	Address func(*http.Request) netip.Addr   // the address to count a request for
	Origin  func(*http.Request) bool         // whether the page that opens a socket may do so; nil: only a page of this server
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
	Redeem(ctx context.Context, ticket string, from netip.Addr) (shared.Right, error)
	// Resume says whether a client that comes back to a viewing, or opens its second socket, still has its right,
	// which may have changed.
	Resume(ctx context.Context, right shared.Right, from netip.Addr) (shared.Right, error)
}

// DeletedName is the name of a player whose account is deleted, as lobbies and journals
// say it too. No account can have it.
const DeletedName = "deleted"
