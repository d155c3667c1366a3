package model

import (
	"encoding/json"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// LobbyID names a lobby for ever: a UUIDv7 in text.
type LobbyID string

// State is where a lobby is.
type State string

// The states of a lobby.
//
//	open --start--> starting --match runs--> playing --result--> ended --rematch--> open
//	  ^                |                                           |
//	  +---- failed ----+          no player left: closed <---------+
const (
	Open     State = "open"
	Starting State = "starting" // the countdown runs, or the match is being made
	Playing  State = "playing"
	Ended    State = "ended"
	Closed   State = "closed" // never shown again
)

// SeatKind is the kind of a seat's holder.
type SeatKind string

// The kinds of seats. An open seat has no row of its own in the store.
const (
	OpenSeat      SeatKind = "open"
	PlayerSeat    SeatKind = "player"
	BotSeat       SeatKind = "bot"
	SpectatorSeat SeatKind = "spectator"
)

// BotLevel is how well a bot plays.
type BotLevel string

// The levels of bots, from the weakest.
const (
	EasyBot   BotLevel = "easy"
	MediumBot BotLevel = "medium" // of a bot without a chosen level
	HardBot   BotLevel = "hard"

	// ScriptBot is no bot: the orders of a scenario are given to the seat's units, at
	// their ticks, and no player plays it. Only a free seat of a scenario with orders
	// for it gets this level, when the match starts.
	ScriptBot BotLevel = "orders"
)

// BotLevels lists the levels that can be chosen, from the weakest.
func BotLevels() []BotLevel { return []BotLevel{EasyBot, MediumBot, HardBot} }

// spectatorPlaces is where spectator seats are numbered from.
const spectatorPlaces = 100

// Seat is one place of a lobby. Places below the lobby's limit are players'
// and bots', in the order of the map's start points; those from 100 are
// spectators'.
type Seat struct {
	Place   int
	Kind    SeatKind
	Account AccountID // of a player or spectator
	Name    string
	Team    grid.Team
	Color   uint8
	Ready   bool
	Open    bool     // the host lets a person take it over while the match runs
	Level   BotLevel // of a bot
	Since   int64    // the lobby's last event before the seat was taken; the store sets it
}

// Lobby is where players meet before and after a match. Its methods are the
// rules of the lobby: they change the value, note what happened in Events, and
// have no other effect; db.Tx.SaveLobby makes it so.
type Lobby struct {
	ID           LobbyID
	Num          int64 // the store's order of lobbies
	Name         string
	Host         AccountID // "" if it is closed, or was made for one match, see room.Service.StartMatchFor
	Map          MapInfo
	PasswordHash string // argon2id; empty: public
	State        State
	Limit        int // seats of players and bots
	Options      Options
	Match        MatchID   // of the running match, or the last
	Result       *Outcomes // of the last match
	Waiting      *Waiting  // the match waits for a server that can continue it; nil: it does not
	From         *Origin   // the start of its matches; nil: the start of their mode
	Seats        []Seat    // taken ones only, by place
	// SettingsVersion counts the changes of the settings that players accept by saying
	// ready: map, options, limit, bots, teams. It begins with 1.
	SettingsVersion int64
	StartAt         time.Time // end of the countdown, or when a start that hangs is given up
	Seq             int64     // number of its last event
	Created         time.Time
	Touched         time.Time // last change, or last use

	Events []Event // noted by the methods, not yet stored
}

// Waiting says that no server can continue the match of a lobby, because another build
// began it.
type Waiting struct {
	Why   string    `json:"why" doc:"the build that began the match, and the parts that this build lacks"`
	Until time.Time `json:"until" doc:"the match ends then, unless a server that can continue it was started"`
}

// Outcomes is a result as the lobby shows it.
type Outcomes struct {
	Match   MatchID      `json:"matchId"`
	Reason  string       `json:"reason" doc:"last-team, surrender, time-limit, score-limit, nobody-left, abandoned (no person was connected for long), failed, lost, other-version (no server came that could continue it), or aborted: and an admin's words"`
	Winners []int        `json:"winners" doc:"winning teams; empty for a draw"`
	Ticks   uint32       `json:"ticks"`
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
	Start   int              `json:"slot"`
	Name    string           `json:"name"`
	Team    int              `json:"team"`
	Outcome Outcome          `json:"outcome" enum:"won,lost,drawn,void"`
	Score   int32            `json:"score" doc:"points of the ruleset and of the mode"`
	Values  map[string]int32 `json:"values,omitempty" doc:"the mode's values of the seat's team, by name; absent: the mode shows no values"`
	From    uint32           `json:"from,omitempty" doc:"the tick in which this player took the seat over; absent: it had it from the start"`
	Earlier []Holder         `json:"earlier,omitempty" doc:"earlier players of the seat, the first one first"`
}

// EventKind is the kind of a lobby's message to its watchers.
type EventKind string

// The kinds of events.
const (
	LobbyEvent    EventKind = "lobby"    // it changed; watchers are sent it whole
	ChatEvent     EventKind = "chat"     // ChatLine
	AnnounceEvent EventKind = "announce" // ChatLine without an account
	KickedEvent   EventKind = "kicked"   // Kicked; only the removed player gets it
)

// Event is one thing that happened in a lobby. Seq counts up from 1 without
// gaps; it is taken under the lobby's lock, so its order is the same for every
// process.
type Event struct {
	Lobby   LobbyID
	Seq     int64
	Kind    EventKind
	Account AccountID // who said it, or who was removed
	Body    json.RawMessage
	At      time.Time
}

// ChatLine is the body of chat and announce events.
type ChatLine struct {
	Account AccountID `json:"account,omitempty"`
	Name    string    `json:"name"`
	Text    string    `json:"text"`
	// Kept is set if later players get it too: the option chatHistory was on when it
	// was said.
	Kept bool `json:"kept,omitempty" doc:"players who join later get it"`
}

// Kicked is the body of kicked events.
type Kicked struct {
	Account AccountID `json:"account"`
	Reason  string    `json:"reason"`
}

// ChatLenMax bounds a line of chat and an announcement, in characters.
const ChatLenMax = 500
