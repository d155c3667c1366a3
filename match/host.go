package match

import (
	"context"
	"log/slog"
	"time"

	"github.com/fogkeep/fogkeep/internal/helpers"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/spec"
)

// host is the part of a service that its matches use. A match does not know the service.
type host struct {
	ctx      context.Context // ends when the service closes
	log      *slog.Logger
	metrics  *metrics
	clock    Clock
	journals journal.Store
	notes    *notes.Dir
	budget   *spec.Ledger
	helpers  *helpers.Pool
	library  *playback.Library
	spawn    func(func()) // begins a goroutine, which the service waits for
	pace     *pace
	disk     *watermark
	signer

	build         string
	grace, linger time.Duration
	bytesPerS     int
	stateSeconds  int
	fullSpeed     bool

	seatChanged func(match, account string, here bool, since grid.Tick) // nil: no listener
	servers     func() []string                                         // nil: no other servers
	calls
}

// calls are the calls of a match to its service. Each may come from any goroutine.
type calls interface {
	enroll(match, account string, epoch int64) bool
	count(c *caller, seat Seat, old *session) error
	movedTo(match string) *link.Refusal
	isDraining() bool
	handOn(r Result, log journal.Log)
	lost(match string)
	finished(match string, moved bool) // moved: it may be another process's by now
}

func (h *host) now() time.Time { return h.clock.Now() }
