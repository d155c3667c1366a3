package model

import (
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Payer is the account or the address, or both, on which a limit counts a use.
type Payer = quota.Payer

// MapInfo are a lobby's facts about a map.
type MapInfo struct {
	ID     string `json:"id" doc:"the value of map in a request that creates a lobby"`
	Name   string `json:"name"`
	Hash   string `json:"hash" doc:"of the map's bytes, at GET /maps/{hash}"`
	Width  int    `json:"width" doc:"tiles"`
	Height int    `json:"height" doc:"tiles"`
	Starts int    `json:"starts" doc:"number of start points: the most players it holds"`
}

// EventsDelay is the time by which the events of the match come late while it runs.
func (s *Spec) EventsDelay() time.Duration {
	return time.Duration(s.Options.SpectatorDelay) * time.Second
}

// Participant is one seat of a match about to start.
type Participant struct {
	Start    int           `json:"slot"` // its start point; there may be gaps
	Bot      bool          `json:"bot"`
	Level    BotLevel      `json:"level,omitempty"`   // of a bot; empty in a match that was stored before bots had levels: medium
	Account  AccountID     `json:"account,omitempty"` // empty for a bot
	Name     string        `json:"name"`
	Team     grid.Team     `json:"team"`
	Color    uint8         `json:"color"`
	Faction  string        `json:"faction,omitempty"` // of the ruleset; empty in one without factions, and in a match that plays on
	Handicap grid.Handicap `json:"handicap,omitzero"` // short
	Deaf     uint64        `json:"deaf,omitempty"`    // a bit for the start of each player whose chat and pings this one does not get: one of the two blocks the other
	Turn     uint32        `json:"turn,omitempty"`    // counts the seats of the match that were taken over; 0: from its start
	// From is the match's tick with which this player began, 0: the first, or not known
	// yet. Earlier are the seat's former players, the first one first.
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

// Spec is the match service's whole input for a match. It is in the store before the
// match exists.
type Spec struct {
	Match        MatchID       `json:"match"`
	Lobby        LobbyID       `json:"lobby"`
	Map          MapInfo       `json:"map"`
	Options      Options       `json:"options"`
	Seed         uint64        `json:"seed,string"`
	Participants []Participant `json:"participants"` // by start point, ascending
	// From is the match's start; room.Service.StartSetup of the lobby returns it. nil: its
	// mode's.
	From *Origin `json:"from,omitempty"`
	// The account that started it; its quotas are charged. Not kept: the address is private later.
	Payer Payer `json:"-"`
}

// SeatState is whether a person may take over a seat of a running match. Only the match
// decides it: a lost connection does not.
type SeatState int

// The states of seats in a running match.
const (
	SeatHeld SeatState = iota // the player is there, may still come back, or has not come yet
	SeatAway                  // the player had come, and did not come back in the time that seats are kept
	SeatOut                   // defeated, given up, or left for good
)

// Match is a match as the store knows it.
type Match struct {
	ID      MatchID
	Num     int64 // the store's order
	Lobby   LobbyID
	Node    string // that runs it, or ran it last; before that, the node that starts it
	Spec    Spec
	State   MatchState
	Result  *Outcomes // nil until it ended
	Started time.Time
	Ended   time.Time

	Host        AccountID // the lobby's host; "": no host, or a match from before replays
	Replays     string    // the right to watch it, if changed since it began; else ""
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
	Void    Outcome = "void" // the match failed: it does not count
)

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
	Start   int
	Team    grid.Team
	Outcome Outcome
	Score   int32
	Reason  string
	Ticks   uint32
	Length  time.Duration // of the match, at its speed
	Players []Participant // who played, by start point
	Started time.Time
	Ended   time.Time
}

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

// Admission is the account that a ticket lets in, and its seat.
type Admission struct {
	Match     MatchID
	Account   AccountID // empty for a bot
	Known     bool      // the account is no guest; only play.Service.Redeem sets it
	Epoch     int64     // of the account when the ticket was issued
	Name      string
	Start     int       // of a player or a bot
	Team      grid.Team // of a spectator: whose eyes it has; grid.NoTeam: all
	Bot       bool
	Turn      uint32 // the participant's: of two for one seat the later one has it; only play.Service.Redeem sets it
	Spectator bool
	Delay     time.Duration // a spectator's
}

// BotLevel is how well a bot plays: a level, or a level, a colon and a style.
type BotLevel string

// The levels of bots, from the weakest.
const (
	BeginnerBot BotLevel = "beginner"
	EasyBot     BotLevel = "easy"
	MediumBot   BotLevel = "medium" // of a bot without a chosen level
	HardBot     BotLevel = "hard"
	ExpertBot   BotLevel = "expert"
	MasterBot   BotLevel = "master"

	// ScriptBot is no bot: the orders of a scenario are given to the seat's units, at
	// their ticks, and no player plays it. Only a free seat of a scenario with orders
	// for it gets this level, when the match starts.
	ScriptBot BotLevel = "orders"
)

// BotLevels lists the levels that can be chosen, from the weakest.
func BotLevels() []BotLevel {
	return []BotLevel{BeginnerBot, EasyBot, MediumBot, HardBot, ExpertBot, MasterBot}
}

// BotStyles lists the styles that can be chosen.
func BotStyles() []string { return []string{"balanced", "rush", "turtle", "raid", "tech", "expand"} }

// Check returns the fault in a chosen level, or nil.
func (l BotLevel) Check() error {
	level, style, styled := strings.Cut(string(l), ":")
	switch {
	case !slices.Contains(BotLevels(), BotLevel(level)):
		return RefuseField(BadRequest, "level", "%q is no level of a bot: the levels are %v", CutText(level, 20), BotLevels())
	case styled && !slices.Contains(BotStyles(), style):
		return RefuseField(BadRequest, "level", "%q is no style of a bot: the styles are %v", CutText(style, 20), BotStyles())
	}
	return nil
}

// Outcomes is a result as the lobby shows it.
type Outcomes struct {
	Match   MatchID      `json:"matchId"`
	Reason  string       `json:"reason" doc:"last-team, surrender, time-limit, score-limit, nobody-left, abandoned (no person was connected for long), remake (the players voted for it: it does not count), failed, lost, other-version (no server came that could continue it), or aborted: and an admin's words"`
	Winners []int        `json:"winners" doc:"winning teams; empty for a draw"`
	Ticks   uint32       `json:"ticks"`
	Version uint64       `json:"version,omitempty" doc:"of the simulation that played it; absent: unknown"`
	Seats   []SeatResult `json:"seats"`
}

// Of returns the result of the seat with a start point, or an empty one.
func (o *Outcomes) Of(start int) (none SeatResult) {
	for _, r := range o.Seats {
		if r.Start == start {
			return r
		}
	}
	return none
}

// SeatResult is how the match ended for one seat.
type SeatResult struct {
	Start    int              `json:"slot"`
	Name     string           `json:"name"`
	Team     int              `json:"team"`
	Outcome  Outcome          `json:"outcome" enum:"won,lost,drawn,void"`
	Score    int32            `json:"score" doc:"points of the ruleset and of the mode"`
	Faction  string           `json:"faction,omitempty" doc:"of the ruleset; absent: it has no factions"`
	Handicap grid.Handicap    `json:"handicap,omitzero" doc:"in percent; absent: no handicap"`
	Values   map[string]int32 `json:"values,omitempty" doc:"the mode's values of the seat's team, by name; absent: the mode shows no values"`
	From     uint32           `json:"from,omitempty" doc:"the tick in which this player took the seat over; absent: it had it from the start"`
	Earlier  []Holder         `json:"earlier,omitempty" doc:"earlier players of the seat, the first one first"`
}

// Origin is the start of a lobby's matches, in place of their mode's beginning:
// a tick of a match that is over, or a scenario. It does not change.
type Origin struct {
	Match    MatchID `json:"match,omitempty"` // "": a scenario
	Tick     uint32  `json:"tick,omitempty"`
	Seconds  int     `json:"seconds,omitempty"`  // of match time up to the tick
	Scenario string  `json:"scenario,omitempty"` // its name; "": a match
	Mission  string  `json:"mission,omitempty"`  // id of the mission that the scenario is
	// Seats are all seats of the match or scenario, by start point. Empty in a [Spec].
	Seats []OriginSeat `json:"seats,omitempty"`
}

// OriginSeat is a seat of the match that is played on, or of the scenario.
type OriginSeat struct {
	Start    int           `json:"slot"` // start point, as [Seat.Place]
	Team     grid.Team     `json:"team"`
	Color    uint8         `json:"color"`
	Account  AccountID     `json:"account,omitempty"` // who played it
	Name     string        `json:"name"`              // its player's name, or the scenario's name for it
	Out      bool          `json:"out,omitempty"`     // it was defeated, or had left, by then: it stays empty
	Orders   bool          `json:"orders,omitempty"`  // the scenario has orders for it, which run while it has no player
	Handicap grid.Handicap `json:"handicap,omitzero"`
	Level    BotLevel      `json:"level,omitempty"` // of the bot that played it; "": a person played it, or the scenario names no level
}
