package account

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// Options are the settings of accounts; lobby.Config has the defaults.
type Options struct {
	SessionLife time.Duration
	Hashing     Hashing
	NoOwnLogin  bool     // no registration or log-in by name and password
	NoGuests    bool     // every player needs an account
	Issuers     []string // whose identities log in
}

// Service keeps accounts. Any goroutine may call it.
type Service struct {
	*admission.Gate
	Options
	Seats    *seat.Service
	Hub      *event.Hub
	Hasher   *hasher
	inFlight attemptsInFlight
}

// New returns the service of accounts.
func New(g *admission.Gate, o Options, seats *seat.Service, hub *event.Hub) *Service {
	return &Service{Gate: g, Options: o, Seats: seats, Hub: hub, Hasher: newHasher(o.Hashing.withDefaults(), g.Ledger), inFlight: attemptsInFlight{n: map[string]int64{}}}
}
