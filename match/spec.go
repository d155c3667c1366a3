package match

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Spec is what a match is made of.
type Spec struct {
	ID       string // names the match for ever; a UUIDv7
	Map      *grid.Map
	Rules    *rules.Ruleset
	Seed     uint64
	TickRate int // ticks a second; 0 is the default
	Options  sim.Options
	// SpeedPercent is how fast the match runs at first, of [Speeds]; 0: normal. It
	// changes no tick of the simulation.
	SpeedPercent int
	Seats        []SeatSpec // index = slot
	Start        *Start     // what the match begins with; nil: what its mode places
	Who          Who        // whose budgets the match and its bots are taken from

	// Spectators is how many may watch at once; 0: none. Their delay is their
	// ticket's; the match keeps as much of its past as SpectatorDelay says, so
	// that one who comes in late need not wait for that long.
	Spectators     int
	SpectatorDelay time.Duration

	// EveryTick sends a frame each tick even if there is nothing to tell:
	// for measuring. Without it an empty frame goes out once a second.
	EveryTick bool
	// Drive, if not nil, is called in place of each tick's orders, movement and
	// fighting. Benchmarks use it to measure what comes after on motion that
	// is known to the bit; such a match is not journalled truthfully and cannot
	// be replayed.
	Drive *sim.Driver
	// OnTick, if not nil, is told of each tick after it, on the match's goroutine. It
	// must not change the world.
	OnTick func(Ticked)
}

// Ticked is what [Spec.OnTick] is told of a tick.
type Ticked struct {
	World   *sim.World
	Took    time.Duration
	Late    time.Duration // that it began after it was due
	Lacking grid.SlotSet  // connected players who were not sent all that their team sees: their connection, or their client, is too slow
}

// Start is a state that a match begins with: of another match, which is played on, or of
// a scenario. The match's journal keeps it whole.
type Start struct {
	State    []byte // as [sim.Branch] or [sim.Stage] made it; the running match lets it go
	Match    string // the match that is played on; "": none
	Scenario string // the scenario's name; "": none
	// Script has the orders that the scenario gives the bots' seats in it, by their
	// ticks. No client plays those seats, see [script].
	Script []sim.Scripted
}

// SeatSpec is one player of a match.
type SeatSpec struct {
	Name    string
	Team    grid.Team
	Start   int // index into the map's starts
	Color   uint8
	Bot     bool
	Account string // whose seat it is, for [Service.End]; may be empty until somebody takes it
}

func (s *Spec) setup() sim.Setup {
	rate := s.TickRate
	if rate == 0 {
		rate = grid.TickRateDefault
	}
	out := sim.Setup{Map: s.Map, Rules: s.Rules, Seed: s.Seed, TickRate: rate, Options: s.Options}
	for _, p := range s.Seats {
		out.Players = append(out.Players, sim.Player{Team: p.Team, Start: p.Start, Bot: p.Bot})
	}
	if s.Start != nil {
		out.Start = s.Start.State
	}
	return out
}

// Check says what is wrong with the spec, naming the field, or returns nil. It
// is the match's part of InitGame: pure, and asked before the match exists.
func (s *Spec) Check() error {
	setup := s.setup()
	if err := setup.Check(); err != nil {
		return err
	}
	for i, p := range s.Seats {
		if len(p.Name) > nameBytesMax {
			return fmt.Errorf("player %d: name of %d bytes, at most %d", i, len(p.Name), nameBytesMax)
		}
	}
	if s.Start != nil && len(s.Start.State) == 0 {
		return errors.New("start: it has no state")
	}
	return s.CheckService()
}

// CheckService is the part of [Spec.Check] that is not about the simulation: the speed
// and the spectators.
func (s *Spec) CheckService() error {
	if s.SpeedPercent != 0 && !slices.Contains(Speeds, s.SpeedPercent) {
		return &sim.OptionError{Option: "speed", Why: fmt.Sprintf("%d percent is none of %v", s.SpeedPercent, Speeds)}
	}
	return s.checkSpectators()
}

const nameBytesMax = 64

// take notes that a person has taken a seat over.
func (s *Spec) take(slot grid.Slot, in *sim.Input) {
	seat := &s.Seats[slot]
	seat.Account, seat.Name = in.Taken()
	seat.Bot = false
}

// Seat is what a ticket lets its bearer have.
type Seat struct {
	Match   string
	Slot    grid.Slot // index into the spec's seats
	Account string    // for [Service.End]; may be empty
	Known   bool      // the account is registered: its sockets may take the reserve
	Epoch   int64     // of the account when its ticket was given out
	Serial  uint32    // of a resume token: higher ones are newer
	Name    string    // of one who takes a seat over; a resume token has none
	Turn    uint32    // counts the seats that were taken over; of two for one seat the later one has it

	// A spectator has no slot: it looks with the eyes of a team, or with
	// [grid.NoTeam] of all, and sees everything so much later.
	Spectator bool
	Eyes      grid.Team
	Delay     time.Duration
}

// Admitter decides who may take a seat. It is asked once a socket, from the
// socket's own goroutine. from is where the socket comes from, see
// [Config.Address]; it is the zero Addr for a connection inside the process.
type Admitter interface {
	// Redeem uses up a ticket. A [link.Refusal] says why not, in words for the
	// player; an [Elsewhere] says that the match is another process's, and the ticket
	// is as good as before; any other error is a failure on our side.
	Redeem(ctx context.Context, ticket string, from netip.Addr) (Seat, error)
	// Resume is asked about one who comes back to its seat with a valid resume
	// token. A [link.Refusal] keeps it out and changes nothing else; any other error
	// is a failure on our side, and the token alone decides.
	Resume(ctx context.Context, seat Seat, from netip.Addr) error
	// Release is told that the match has no place for one whom Redeem let in,
	// and never will.
	Release(ctx context.Context, seat Seat, why *link.Refusal)
}

// codeEnded is the code of the end of a match.
const codeEnded = "ended"

// forGood reports whether a match that refuses so never has a place for this
// one. Who meets a match that is over keeps its seat in the lobby, for the next,
// and who was logged out has it when it is back.
func forGood(r *link.Refusal) bool {
	row, _ := link.ClosingOf(r.Code)
	return !row.Retry && r.Code != codeEnded && r.Code != errLoggedOut.Code
}

// Result is how a match ended.
type Result struct {
	Match  string
	Failed string      // why it broke off; "" if it was played to its end
	Ended  *sim.Result // nil if it broke off
	Ticks  grid.Tick
}

// Reporter takes results. It is called from a goroutine of its own until it
// returns nil, with growing pauses; a result is in the journal before.
type Reporter interface {
	Ended(ctx context.Context, r Result) error
}

// ErrNoMatch: no match of that id runs here.
var ErrNoMatch = errors.New("match: no such match here")

// Elsewhere is an [Admitter]'s word that a ticket is for a match that does not run in
// this process.
type Elsewhere struct{ Match string }

func (e *Elsewhere) Error() string { return "match: " + e.Match + " does not run here" }

// ErrNoSeat: the match has no such seat.
var ErrNoSeat = errors.New("match: no such seat in this match")

// ErrDraining: the service takes no new matches, because it is stopping.
var ErrDraining = errors.New("match: the server is stopping")

// Info is one line of the list of matches.
type Info struct {
	ID         string
	State      string // running, paused, ended, failed
	Kept       bool   // it goes on without people, as an admin asked for
	Tick       grid.Tick
	TickRate   int
	Map        *grid.Map
	Started    time.Time
	Seats      []SeatInfo
	Spectators []SpectatorInfo
	Traffic    Traffic // so far, as of the last full second
}

// SeatInfo is a seat as the list shows it.
type SeatInfo struct {
	SeatSpec
	Slot      grid.Slot
	Account   string
	Epoch     int64      // of the account, as the right that its socket came with says
	Address   netip.Addr // of the socket; zero for none and inside the process
	Connected bool
	Alive     bool
	Away      bool // its player had come, and is gone for longer than the grace period
	Out       bool // defeated, given up, or left for good: nobody plays it any more
}
