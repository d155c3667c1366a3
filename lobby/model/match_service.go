package model

import (
	"context"
	"net/netip"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/shared"
)

// Maps is the library of maps; cmd makes it from mapfile's. Both methods are
// called from any goroutine.
type Maps interface {
	Maps() []MapInfo               // in the order to show them
	Map(id string) (MapInfo, bool) // by its id
}

// RulesetInfo describes a ruleset in a lobby.
type RulesetInfo struct {
	ID   string `json:"id" doc:"the value of a lobby's option \"ruleset\""`
	Name string `json:"name" doc:"as the ruleset's file has it"`
	Hash string `json:"hash" doc:"SHA-256 of the ruleset's file, as in the welcome of its matches"`

	Modes    []string      `json:"modes,omitempty" doc:"values of the option \"mode\" that only lobbies of this ruleset have"`
	Factions []FactionInfo `json:"factions,omitempty" doc:"sides that players choose in lobbies of this ruleset"`

	Pack     string `json:"pack,omitempty" doc:"the title of the pack that it belongs to"`
	PackHash string `json:"packHash,omitempty" doc:"of the pack's content"`
}

// Result is how a match ended. The match service reports it once it is in the
// journal, and again until it is taken.
type Result struct {
	Match   MatchID
	Failed  bool   // the match broke off: it does not count
	Reason  string // a short word: last-team, surrender, time-limit, score-limit, nobody-left, abandoned, remake, aborted, failed, other-version
	Ticks   uint32
	Winners []grid.Team        // empty: a draw
	Scores  []int32            // by start point; empty if the match broke off
	Values  []map[string]int32 // by start point: the mode's figures of the team
	Version uint64             // of the simulation; 0: unknown
	Left    grid.SlotSet       // participants who were gone at the end: they have lost
	Excused grid.SlotSet       // participants who left a short time after a team-mate: they have the outcome of their team
}

// ReasonRemake is the [Result.Reason] of a match that its players voted to play anew. It does not count.
const ReasonRemake = "remake"

// Occupancy counts a lobby's seats before an account comes in.
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
	Sockets    []LiveSocket // of accounts, players and spectators, without bots
}

// LiveSocket is the socket of a player or spectator.
type LiveSocket struct {
	Account AccountID
	Epoch   int64 // of the account, when it was let in
	Address netip.Addr
}

// LiveSeat is a seat of a live match, as the match says.
type LiveSeat struct {
	Start   int       // the start point
	Account AccountID // whose it is in the match; empty for a bot
	State   SeatState
}

// Ending says how an account's seats in matches end.
type Ending struct {
	Match MatchID // only in this one; "": in all
	// Epoch is the account's new epoch: tickets and resume tokens of earlier epochs
	// stop working. 0: unchanged.
	Epoch   int64
	ForGood bool   // the seats are given up; else only sockets are closed
	Here    bool   // only in matches of this process: every other one does the same
	Why     *Error // told to the sockets
}

// Matches is the match service as the lobby needs it; cmd adapts match.Service.
// All methods are called from any goroutine and never inside a transaction.
type Matches interface {
	// Check is the mode's part of InitGame: a pure look at a match that may
	// be made. Its error's text is for the host, an [model.Error] names the option at
	// fault; match/sim's predicates are the source.
	Check(Spec) error
	// Factions lists the factions of a ruleset, by its id. It is cheap, and may be called in a transaction.
	Factions(ruleset string) []FactionInfo
	// PreLogin is the mode's part of PreLogin: may this account take one more seat of a
	// match with these options? Its error's text is for the player.
	PreLogin(Options, Account, Occupancy) error
	// CanStart returns an error if a quota leaves no room for a match at the moment; it
	// reserves no room, and may be called in a transaction.
	CanStart(Spec) error
	// Start makes the match and lets it run, on this node or, in a cluster, on the node
	// with most room. It returns the node once the match takes sockets. Starting an id
	// that runs already is no error.
	Start(context.Context, Spec) (node string, err error)
	// Runs reports whether a match runs in this process.
	Runs(MatchID) bool
	// Where returns the known place of a match. It is cheap.
	Where(context.Context, MatchID) shared.Whereabouts
	// Abort ends the match without a winner; the result comes through
	// play.Service.MatchEnded like any other. An id that does not run is no error. This
	// and the next methods reach a match on any node that Where names.
	Abort(ctx context.Context, match MatchID, reason string) error
	// Keep says whether a match goes on without people.
	Keep(ctx context.Context, match MatchID, on bool) error
	// SetBudget changes the limit of bytes per second to the match's connections. A match
	// that does not run is [model.MatchOver], a start that it does not have
	// [model.NoSuchSeat].
	SetBudget(ctx context.Context, match MatchID, b Budget) error
	// End ends an account's seats in matches on all nodes, with or without a socket. It
	// returns once they have ended.
	End(ctx context.Context, account AccountID, e Ending) error
	// Announce tells everyone in a match something. An empty id: all matches.
	Announce(ctx context.Context, match MatchID, text string) error
	// Mute sets the accounts from which matches of this process take neither chat nor pings, with the ends of these mutes;
	// zero: for good.
	Mute(map[AccountID]time.Time)
	// Live lists the matches of this process.
	Live() []LiveMatch
	// LiveAll lists the matches of all nodes, as far as they answer.
	LiveAll(context.Context) []LiveMatch
	// Seats lists the seats of a match, on any node; false: unknown.
	Seats(context.Context, MatchID) ([]LiveSeat, bool)
}

// Bots plays the bots' seats; cmd adapts match/bot.
type Bots interface {
	// Play starts one bot of a level that presents this ticket at the match's
	// socket and plays until the match ends; it returns at once. The context is
	// the service's, not the request's.
	Play(ctx context.Context, ticket Secret, match MatchID, level BotLevel)
}

// Outcome of a team under a result.
func (r Result) Outcome(t grid.Team) Outcome {
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
