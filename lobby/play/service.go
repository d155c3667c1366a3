package play

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Options are the settings of matches; lobby.Config has their defaults.
type Options struct {
	Matches   model.Matches // nil: no match can start
	Bots      model.Bots    // nil: bots' seats stay empty
	NodeURL   string        // where players reach this process; "": where they reach any
	BuildWait time.Duration // so long a match is kept that only another build can continue
}

// Service starts matches and takes their results. Any goroutine may call it, but the
// janitor's duties one at a time.
type Service struct {
	*admission.Gate
	Options
	Hub   *event.Hub
	Hooks *hook.Service
	// Rate counts a result in the ratings, in the transaction that stores it.
	Rate func(*db.Tx, *model.Spec, model.Result) error
	// List puts an ended match into the catalogue of replays if its options say so, in the same transaction.
	List func(*db.Tx, *model.Match) error

	leases     leases
	missing    map[model.MatchID]time.Time // since when a match that should run here does not
	FirstSweep bool                        // the janitor's first look after the start
}

// New returns the service of matches.
func New(g *admission.Gate, o Options, hub *event.Hub, hooks *hook.Service) *Service {
	return &Service{Gate: g, Options: o, Hub: hub, Hooks: hooks, missing: map[model.MatchID]time.Time{}}
}
