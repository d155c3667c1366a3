package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Match describes a match before it runs.
type Match struct {
	ID       string // names the match for ever; a UUIDv7
	Map      *grid.Map
	Rules    *rules.Ruleset
	Seed     uint64
	TickRate int // ticks a second; 0 is the default
	Options  sim.Options
	// SpeedPercent is how fast the match runs at first, of [Speeds]; 0: normal. It
	// changes no tick of the simulation.
	SpeedPercent int
	Votes        string        // [VotesAll] or [VotesSpeed]
	VoteQuorum   int           // a question needs more than so many percent of the votes, 50 to 100; 0: [VoteQuorum]
	VoteRest     time.Duration // between the end of a player's question and its next; 0: [VoteRest]
	Seats        []Seat        // index = slot
	Start        *Start        // what the match begins with; nil: what its mode places
	Pack         string        // the hash of the pack that the rules come from; "": no pack
	StandIn      string        // the level of the bots that play on for players who are gone, see [sim.LeaversBot]
	Payer        Payer         // whose quotas the match and its bots are taken from

	// Spectators is the limit of spectators at once; 0 without spectators. Their delay is their
	// ticket's; the match keeps as much of its past as SpectatorDelay says, so that a late spectator need not wait for
	// so long.
	Spectators     int
	SpectatorDelay time.Duration

	// EveryTick sends a frame each tick even if it is empty:
	// for measuring. Without it an empty frame goes out once a second.
	EveryTick bool
	// Drive, if not nil, is called in place of each tick's orders, movement and
	// fighting. Benchmarks use it to measure the later phases on motion that is known to the bit; such a match is not
	// journalled truthfully and cannot be replayed.
	Drive *sim.Driver
	// OnTick, if not nil, is told of each tick after it, on the match's goroutine. It
	// must not change the world.
	OnTick func(Ticked)
}

// Ticked is what [Match.OnTick] is told of a tick.
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
	// ticks. No client plays those seats.
	Script []sim.Scripted
}

// Seat is one player of a match.
type Seat struct {
	Name     string
	Team     grid.Team
	Start    int // index into the map's starts
	Color    uint8
	Bot      bool
	Account  string        // of the player; may be empty until a player takes the seat
	Faction  uint8         `json:",omitempty"` // see [sim.Player]
	Income   int32         `json:",omitempty"` // see [sim.Player]
	Handicap grid.Handicap `json:",omitzero"`
	Deaf     uint64        `json:",omitempty"` // a bit for each start whose player's chat and pings this player does not get: one blocks the other
}

// Player returns the simulation's part of a seat.
func (s *Seat) Player() sim.Player {
	return sim.Player{Team: s.Team, Start: s.Start, Bot: s.Bot, Faction: s.Faction, Income: s.Income, Handicap: s.Handicap}
}

// Hears reports whether a seat gets the chat and pings of another.
func (s *Match) Hears(to, from grid.Slot) bool {
	return from == grid.NoSlot || s.Seats[to].Deaf>>s.Seats[from].Start&1 == 0
}

// Setup returns the simulation's part of the match.
func (s *Match) Setup() sim.Setup {
	rate := s.TickRate
	if rate == 0 {
		rate = grid.TickRateDefault
	}
	out := sim.Setup{Map: s.Map, Rules: s.Rules, Seed: s.Seed, TickRate: rate, Options: s.Options}
	for _, p := range s.Seats {
		out.Players = append(out.Players, p.Player())
	}
	if s.Start != nil {
		out.Start = s.Start.State
	}
	return out
}

// Check returns an error that names a wrong field of the spec, or nil. It
// is the match's part of InitGame: pure, and asked before the match exists.
func (s *Match) Check() error {
	setup := s.Setup()
	if err := setup.Check(); err != nil {
		return err
	}
	for i, p := range s.Seats {
		if len(p.Name) > NameBytesMax {
			return fmt.Errorf("player %d: name of %d bytes, at most %d", i, len(p.Name), NameBytesMax)
		}
	}
	if s.Start != nil && len(s.Start.State) == 0 {
		return errors.New("start: it has no state")
	}
	return s.CheckService()
}

// CheckService is the part of [Match.Check] that is not about the simulation: the speed
// and the spectators.
func (s *Match) CheckService() error {
	if s.SpeedPercent != 0 && !slices.Contains(Speeds, s.SpeedPercent) {
		return &sim.OptionError{Option: "speed", Why: fmt.Sprintf("%d percent is not one of %v", s.SpeedPercent, Speeds)}
	}
	if s.Votes != VotesAll && s.Votes != VotesSpeed {
		return &sim.OptionError{Option: "votes", Why: fmt.Sprintf("%q is not one of \"\" and %q", s.Votes, VotesSpeed)}
	}
	switch {
	case s.VoteQuorum != 0 && (s.VoteQuorum < 50 || s.VoteQuorum > 100):
		return fmt.Errorf("votes: %d percent are outside 50 to 100", s.VoteQuorum)
	case s.VoteRest < 0 || s.VoteRest > voteRestMax:
		return fmt.Errorf("votes: %v between two questions are outside 0 to %v", s.VoteRest, voteRestMax)
	case s.Spectators < 0 || s.Spectators > SpectatorsMax:
		return fmt.Errorf("spectators: %d seats are outside 0 to %d", s.Spectators, SpectatorsMax)
	case s.SpectatorDelay < 0 || s.SpectatorDelay > SpectatorDelayMax:
		return fmt.Errorf("spectators' delay: %v is outside 0 to %v", s.SpectatorDelay, SpectatorDelayMax)
	case s.Spectators > 0 && s.Drive != nil:
		return fmt.Errorf("spectators: a match that is driven from outside cannot be played once more for them")
	}
	return nil
}

// Bounds of a match.
const (
	NameBytesMax      = 64
	SpectatorsMax     = 64
	SpectatorDelayMax = 10 * time.Minute
)

// The values of [Match.Votes].
const (
	VotesAll   = ""      // players vote on a remake, on their team's surrender, and on the removal of a team-mate
	VotesSpeed = "speed" // players vote on speed and pauses alone
)

// The defaults of votes.
const (
	VoteQuorum  = 66
	VoteRest    = time.Minute
	voteRestMax = 10 * time.Minute
)

// Speeds lists the speeds of a match, in percent of the normal one.
var Speeds = []int{50, 100, 150, 200, 300}

// Take notes that a person has taken a seat over.
func (s *Match) Take(slot grid.Slot, in *sim.Input) {
	seat := &s.Seats[slot]
	seat.Account, seat.Name = in.Taken()
	seat.Bot, seat.Deaf = false, 0
	for i := range s.Seats { // the blocks were the former player's
		s.Seats[i].Deaf &^= 1 << seat.Start
	}
}

// Bots counts the seats that bots play.
func (s *Match) Bots() (n int64) {
	for _, p := range s.Seats {
		if p.Bot {
			n++
		}
	}
	return n
}

// Setting is the part of a match that its journal keeps beside [sim.Setup], in
// [journal.Header.Extra].
type Setting struct {
	Seats            []Seat         `json:"seats"`
	EveryTick        bool           `json:"everyTick,omitempty"`
	Starter          string         `json:"starter,omitempty"` // the account whose quotas the match is taken from
	SpeedPercent     int            `json:"speedPercent,omitempty"`
	Spectators       int            `json:"spectators,omitempty"`
	SpectatorDelayMs int64          `json:"spectatorDelayMs,omitempty"`
	Script           []sim.Scripted `json:"script,omitempty"`
	Pack             string         `json:"pack,omitempty"`
	StandIn          string         `json:"standIn,omitempty"`
	Votes            string         `json:"votes,omitempty"`
	VoteQuorum       int            `json:"voteQuorum,omitempty"`
	VoteRestMs       int64          `json:"voteRestMs,omitempty"`
}

// Extra returns the match's setting for its journal.
func (s *Match) Extra() json.RawMessage {
	var script []sim.Scripted
	if s.Start != nil {
		script = s.Start.Script
	}
	b, err := json.Marshal(Setting{s.Seats, s.EveryTick, s.Payer.Account, s.SpeedPercent, s.Spectators, s.SpectatorDelay.Milliseconds(), script, s.Pack, s.StandIn, s.Votes, s.VoteQuorum, s.VoteRest.Milliseconds()})
	if err != nil {
		panic("match: a seat is plain data: " + err.Error())
	}
	return b
}

// Ledger counts what accounts, addresses and the whole process take of the limits
// of docs/reference/limits.md, and is a collector of Prometheus metrics. nil has no limits.
type Ledger = quota.Ledger

// Payer is the account or the address, or both, on which a limit counts a use. The zero value
// is counted for the process alone.
type Payer = quota.Payer

// LimitError says which limit is in the way, and after what time another try may
// succeed.
type LimitError = quota.Refusal

// NewLedger returns a ledger with the default limits and these changes, each
// as in the flag --limit: "match-ticks.process=1280".
func NewLedger(changes ...string) (*Ledger, error) {
	limits, err := quota.Defaults().Set(changes)
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	return quota.New(limits), nil
}
