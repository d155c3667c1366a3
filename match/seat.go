package match

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/past"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// The description of a match has a package of its own, for packages that run no match.
type (
	Spec     = spec.Match
	SeatSpec = spec.Seat
	Start    = spec.Start
	Ticked   = spec.Ticked

	Info          = spec.Info
	SeatInfo      = spec.SeatInfo
	SpectatorInfo = spec.SpectatorInfo
)

// The refusals of questions about a match, as package spec has them.
var (
	ErrNoMatch = spec.ErrNoMatch
	ErrNoSeat  = spec.ErrNoSeat
)

// Seat is the right that a ticket gives its bearer.
type Seat struct {
	Match   string
	Slot    grid.Slot // index into the spec's seats
	Account string    // for [Service.End]; may be empty
	Known   bool      // the account is registered: its sockets may take the reserve
	Epoch   int64     // of the account when its ticket was given out
	Serial  uint32    // of a resume token: higher ones are newer
	Name    string    // of a player who takes a seat over; empty in a resume token
	Turn    uint32    // counts the seats that were taken over; of two for one seat the later one has it

	// StandIn: a bot that plays on for an absent player.
	StandIn bool

	// A spectator has no slot: it looks with the eyes of a team, or with
	// [grid.NoTeam] of all, and sees everything so much later.
	Spectator bool
	Eyes      grid.Team
	Delay     time.Duration
}

// Admitter decides who may take a seat. The service asks it once per socket, on the
// socket's own goroutine. from is the socket's address, see [Config.Address]; it is the
// zero Addr for a connection inside the process.
type Admitter interface {
	// Redeem uses up a ticket. A [link.Refusal] says why not, in words for the
	// player; an [Elsewhere] says that the match is another process's, and the ticket
	// is as good as before; any other error is a failure on our side.
	Redeem(ctx context.Context, ticket string, from netip.Addr) (Seat, error)
	// The service calls Resume when a player comes back to its seat with a valid resume
	// token. A [link.Refusal] keeps it out and changes nothing else; any other error is a
	// failure on our side, and the token alone decides.
	Resume(ctx context.Context, seat Seat, from netip.Addr) error
	// The service calls Release when the match has no place for a player whom Redeem let
	// in, and never will.
	Release(ctx context.Context, seat Seat, why *link.Refusal)
}

// codeEnded is the code of the end of a match.
const codeEnded = "ended"

// Result is how a match ended.
type Result struct {
	Match  string
	Failed string      // why it broke off; "" if it was played to its end
	Ended  *sim.Result // nil if it broke off
	Ticks  grid.Tick

	Left    grid.SlotSet // players who were gone at the end
	Excused grid.SlotSet // leavers whose team-mate had left a short time before
}

// tell adds who left to a result that was played to its end.
func (r *Result) tell(p *past.State, rate int) {
	if r.Ended != nil {
		r.Left, r.Excused = p.Leavers(r.Ended, rate)
	}
}

// Reporter takes results. It is called from a goroutine of its own until it
// returns nil, with growing pauses; a result is in the journal before.
type Reporter interface {
	Ended(ctx context.Context, r Result) error
}

// Elsewhere is an [Admitter]'s word that a ticket is for a match that does not run in
// this process.
type Elsewhere struct{ Match string }

func (e *Elsewhere) Error() string { return "match: " + e.Match + " does not run here" }

// ErrDraining: the service takes no new matches, because it is stopping.
var ErrDraining = errors.New("match: the server is stopping")

// errLoggedOut refuses a right of an epoch that is over.
var errLoggedOut = &link.Refusal{Code: "logged_out", Text: "you were logged out: log in again"}
