package lobby

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// MatchID names a match for ever: a UUIDv7 in text.
type MatchID string

// MapInfo is what a lobby shows of a map.
type MapInfo struct {
	ID     string `json:"id" doc:"what to send when creating a lobby"`
	Name   string `json:"name"`
	Hash   string `json:"hash" doc:"of the map's bytes, at GET /maps/{hash}"`
	Width  int    `json:"width" doc:"tiles"`
	Height int    `json:"height" doc:"tiles"`
	Starts int    `json:"starts" doc:"number of start points: the most players it holds"`
}

// Maps is the library of maps; cmd makes it from mapfile's. Both methods are
// called from any goroutine.
type Maps interface {
	Maps() []MapInfo               // in the order to show them
	Map(id string) (MapInfo, bool) // by its id
}

// RulesetInfo is what a lobby shows of a ruleset.
type RulesetInfo struct {
	ID   string `json:"id" doc:"what the option \"ruleset\" of a lobby says"`
	Name string `json:"name" doc:"as the ruleset's file has it"`
	Hash string `json:"hash" doc:"SHA-256 of the ruleset's file, as in the welcome of its matches"`
}

// Participant is one seat of a match about to start.
type Participant struct {
	Slot    grid.Slot `json:"slot"` // its start point; slots may have gaps
	Bot     bool      `json:"bot"`
	Level   BotLevel  `json:"level,omitempty"`   // of a bot; none in a match that was stored before bots had levels: medium
	Account AccountID `json:"account,omitempty"` // empty for a bot
	Name    string    `json:"name"`
	Team    grid.Team `json:"team"`
	Color   uint8     `json:"color"`
	Turn    uint32    `json:"turn,omitempty"` // counts the seats of the match that were taken over; 0: from its start
	// From is the match's tick with which this player began, 0: the first, or not known
	// yet. Earlier are those who had the seat before, the first one first.
	From    uint32   `json:"from,omitempty"`
	Earlier []Holder `json:"earlier,omitempty"`
}

// Holders lists the players and bots who had the seat, the first one first.
func (p *Participant) Holders() []Holder {
	return append(slices.Clone(p.Earlier), Holder{p.Account, p.Name, p.Bot, p.Level, p.From, 0})
}

// Holder is a player or bot who had a seat of a match until another took it over.
type Holder struct {
	Account AccountID `json:"account,omitempty" doc:"absent for a bot"`
	Name    string    `json:"name"`
	Bot     bool      `json:"bot,omitempty"`
	Level   BotLevel  `json:"level,omitempty"`
	From    uint32    `json:"from,omitempty" doc:"the match's tick with which it began; absent: the first"`
	To      uint32    `json:"to,omitempty" doc:"the tick with which the next player began"`
}

// Spec is everything the match service is told. It is in the store before the
// match exists.
type Spec struct {
	Match        MatchID       `json:"match"`
	Lobby        LobbyID       `json:"lobby"`
	Map          MapInfo       `json:"map"`
	Options      Options       `json:"options"`
	Seed         uint64        `json:"seed,string"`
	Participants []Participant `json:"participants"` // by slot, ascending
	// From is what the match begins from; [Service.StartSetup] of the lobby has it. nil:
	// what its mode places.
	From *Origin `json:"from,omitempty"`
	// Who started it; its budgets are charged. Not kept: an address is nobody's
	// business later.
	Who Who `json:"-"`
}

// Result is how a match ended. The match service reports it once it is in the
// journal, and again until it is taken.
type Result struct {
	Match   MatchID
	Failed  bool   // the match broke off: it counts for nobody
	Reason  string // a short word: last-team, surrender, time-limit, score-limit, nobody-left, abandoned, aborted, failed, other-version
	Ticks   uint32
	Winners []grid.Team        // none: a draw
	Scores  []int32            // by slot; none of a match that broke off
	Values  []map[string]int32 // by slot: what the mode shows of the team
}

// Occupancy is how full a lobby is when somebody wants to come in.
type Occupancy struct {
	Seats, Taken int  // of players and bots
	Spectates    bool // a spectator's seat is wanted, which counts in neither
}

// LiveMatch is a match that runs.
type LiveMatch struct {
	Match      MatchID
	Node       string // that runs it
	Tick       grid.Tick
	Kept       bool         // it goes on without people, at an admin's word
	Players    int          // connected now
	Spectators int          // connected now
	Sockets    []LiveSocket // of accounts, players and spectators; bots have none
}

// LiveSocket is where somebody plays or watches from.
type LiveSocket struct {
	Account AccountID
	Epoch   int64 // of the account, when it was let in
	Address netip.Addr
}

// LiveSeat is a seat of a live match, as the match says.
type LiveSeat struct {
	Slot    int       // the start point
	Account AccountID // whose it is in the match; empty for a bot
	State   SeatState
}

// SeatState is whether a person may take over a seat of a running match. Only the match
// decides it: a connection that is lost says nothing.
type SeatState int

// The states of seats in a running match.
const (
	SeatHeld SeatState = iota // the player is there, may still come back, or has not come yet
	SeatAway                  // the player had come, and did not come back in the time that seats are kept
	SeatOut                   // defeated, given up, or left for good
)

// Ending says how an account's seats in matches end.
type Ending struct {
	Match MatchID // only in this one; "": in all
	// Epoch is the account's from now on: tickets and resume tokens of earlier
	// ones open nothing any more. 0: it is as it was.
	Epoch   int64
	ForGood bool   // the seats are given up; else only sockets are closed
	Here    bool   // only in matches of this process: every other one does the same
	Why     *Error // told to the sockets
}

// Budget is how many bytes a second connections of a match are sent at most.
type Budget struct {
	BytesPerS int
	Operator  bool // an admin says so; else the host, who can only ask for less than is configured
	Slot      *int // one player's; nil: all
}

// The bounds of a budget; 0 is as it is configured.
const (
	BytesPerSMin = 512
	BytesPerSMax = 1 << 30
)

func (b *Budget) validate() error {
	if b.BytesPerS != 0 && (b.BytesPerS < BytesPerSMin || b.BytesPerS > BytesPerSMax) {
		return refuseField(BadRequest, "bytesPerS", "must be 0 or %d to %d", BytesPerSMin, BytesPerSMax)
	}
	return nil
}

// Matches is the match service as the lobby needs it; cmd adapts match.Service.
// All methods are called from any goroutine and never inside a transaction.
type Matches interface {
	// Check is the mode's part of InitGame: a pure look at a match that may
	// be made. Its error's text is for the host, an [Error] names the option at
	// fault; match/sim's predicates are the source.
	Check(Spec) error
	// PreLogin is the mode's part of PreLogin: may this account take one more
	// seat of a match with these options? Its error's text is for the one who
	// asks.
	PreLogin(Options, Account, Occupancy) error
	// Room says why a match could not be started at the moment for want of room
	// in somebody's budgets; it takes nothing, and may be asked in a transaction.
	CanStart(Spec) error
	// Start makes the match and lets it run, on this node or, in a cluster, on the
	// one that has most room. It returns the node once the match takes sockets.
	// Starting an id that runs already is no error.
	Start(context.Context, Spec) (node string, err error)
	// Runs reports whether a match runs in this process.
	Runs(MatchID) bool
	// Where says what is known of where a match runs. It is cheap.
	Where(context.Context, MatchID) Whereabouts
	// Abort ends the match without a winner; the result comes through
	// [Service.MatchEnded] like any other. An id that does not run is no error.
	// This and the next ones reach a match of whichever node Where names.
	Abort(ctx context.Context, match MatchID, reason string) error
	// Keep says whether a match goes on without people.
	Keep(ctx context.Context, match MatchID, on bool) error
	// SetBudget changes how many bytes a second the match's connections are sent at
	// most. A match that does not run is [MatchOver], a slot that it does not have
	// [NoSuchSeat].
	SetBudget(ctx context.Context, match MatchID, b Budget) error
	// End ends an account's seats in matches, wherever it sits and whether it has a
	// socket there or not. It returns once that is so.
	End(ctx context.Context, account AccountID, e Ending) error
	// Announce tells everyone in a match something. An empty id: all matches.
	Announce(ctx context.Context, match MatchID, text string) error
	// Live lists the matches of this process.
	Live() []LiveMatch
	// LiveAll lists the matches of all nodes, as far as they answer.
	LiveAll(context.Context) []LiveMatch
	// Seats lists the seats of a match, on whichever node it runs; false: that is not
	// known.
	Seats(context.Context, MatchID) ([]LiveSeat, bool)
}

// Whereabouts is what is known of where a match runs.
type Whereabouts struct {
	State WhereState
	Node  string // of a match that runs
	URL   string // where players reach that node; "": see the store's row of it
	Why   string // of a match that waits: why no node can continue it; "": one will take it over
}

// WhereState is what is known of where a match runs.
type WhereState int

// What may be known.
const (
	// WhereUnknown: not in this process, and it asks no others. The store's row
	// names the node.
	WhereUnknown WhereState = iota
	WhereRuns               // on a node
	WhereWaits              // nowhere at the moment; its journal is kept, and a node will take it over
	WhereGone               // on no node of the cluster, and no journal of it is kept
)

// Bots plays the bots' seats; cmd adapts match/bot.
type Bots interface {
	// Play starts one bot of a level that presents this ticket at the match's
	// socket and plays until the match ends; it returns at once. The context is
	// the service's, not the request's.
	Play(ctx context.Context, ticket Secret, match MatchID, level BotLevel)
}

// Match is a match as the store knows it.
type Match struct {
	ID      MatchID
	Num     int64 // the store's order
	Lobby   LobbyID
	Node    string // that runs it, or ran it last; of one that is being started: that does it
	Spec    Spec
	State   MatchState
	Result  *Outcomes // nil until it ended
	Started time.Time
	Ended   time.Time

	Host        AccountID // whose lobby it was; "": nobody's, or of a match before there were replays
	Replays     string    // who may watch it, if that was changed since it began; else ""
	ReplayLinks int64     // how many links to its replay have ended; the present one is the next
}

// MatchState is where a match is.
type MatchState string

// The states of a match.
const (
	MatchStarting MatchState = "starting" // spec stored, service asked
	MatchLive     MatchState = "live"
	MatchDone     MatchState = "ended"
	MatchFailed   MatchState = "failed" // broke off, or never began
)

// Outcome is how a match ended for one seat.
type Outcome string

// The outcomes.
const (
	Pending Outcome = ""
	Won     Outcome = "won"
	Lost    Outcome = "lost"
	Drawn   Outcome = "drawn"
	Void    Outcome = "void" // the match failed: counts for nobody
)

// outcome of a team under a result.
func (r Result) outcome(t grid.Team) Outcome {
	switch {
	case r.Failed:
		return Void
	case len(r.Winners) == 0:
		return Drawn
	}
	for _, w := range r.Winners {
		if w == t {
			return Won
		}
	}
	return Lost
}

// Played is one row of an account's history.
type Played struct {
	Num     int64
	Match   MatchID
	Lobby   LobbyID // where it was played; it may be gone
	Map     string  // its name
	MapID   string
	Options Options
	State   MatchState
	Replays string // as in [Match]
	Slot    grid.Slot
	Team    grid.Team
	Outcome Outcome
	Score   int32
	Reason  string
	Ticks   uint32
	Length  time.Duration // of the match, at its speed
	Players []Participant // who played, by slot
	Started time.Time
	Ended   time.Time
}

// TicketLife is how long a ticket may wait to be used.
const TicketLife = 30 * time.Second

// Ticket lets its bearer into one seat of one match, once. The seat's fields
// are fixed when it is issued.
type Ticket struct {
	Hash    SecretHash
	Match   MatchID
	Node    string // that ran the match when it was issued
	Seat    Admission
	Expires time.Time
	Used    time.Time // zero until it is redeemed
}

// Admission is who a ticket lets in, and where.
type Admission struct {
	Match     MatchID
	Account   AccountID // empty for a bot
	Known     bool      // the account is no guest; only [Service.Redeem] says so
	Epoch     int64     // of the account when the ticket was issued
	Name      string
	Slot      grid.Slot // grid.NoSlot for a spectator
	Team      grid.Team // of a spectator: whose eyes it has; grid.NoTeam: all
	Bot       bool
	Turn      uint32 // the participant's: of two for one seat the later one has it; only [Service.Redeem] says so
	Spectator bool
	Delay     time.Duration // a spectator's
}
