package model

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

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

// spectatorPlaces is where spectator seats are numbered from.
const spectatorPlaces = 100

// Seat is one place of a lobby. Places below the lobby's limit are players'
// and bots', in the order of the map's start points; those from 100 are
// spectators'.
type Seat struct {
	Place    int
	Kind     SeatKind
	Account  AccountID // of a player or spectator
	Name     string
	Team     grid.Team
	Color    uint8
	Ready    bool
	Open     bool          // the host lets a person take it over while the match runs
	Level    BotLevel      // of a bot
	Faction  string        // of the ruleset; "": the server draws one
	Handicap grid.Handicap // short
	Since    int64         // the lobby's last event before the seat was taken; the store sets it
}

// Lobby is where players meet before and after a match. Its methods are the
// rules of the lobby: they change the value, note what happened in Events, and
// have no other effect; db.Lobbies.Save makes it so.
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
	Poll         *Poll     // the question to its players, or the last one; nil: none since it opened
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

	Silenced []Pair // accounts with a seat of which one blocks the other: they get no chat of each other; lobby/event reads it
}

// Waiting says that no server can continue the match of a lobby, because another build
// began it.
type Waiting struct {
	Why   string    `json:"why" doc:"the build that began the match, and the parts that this build lacks"`
	Until time.Time `json:"until" doc:"the match ends then, unless a server that can continue it was started"`
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

// SeatOf returns the account's place in Seats, or -1.
func (l *Lobby) SeatOf(a AccountID) int {
	return slices.IndexFunc(l.Seats, func(s Seat) bool { return s.Account == a && a != "" })
}

// Accounts lists the accounts with a seat.
func (l *Lobby) Accounts() (out []AccountID) {
	for _, s := range l.Seats {
		if s.Account != "" {
			out = append(out, s.Account)
		}
	}
	return out
}

// Joinable reports whether any player could sit down now, without a password.
func (l *Lobby) Joinable() bool {
	if l.Host == "" || l.Private() || len(l.Options.Whitelist) > 0 {
		return false
	}
	return l.State == Open && l.Taken() < l.Limit || l.State == Playing && l.openSeat() >= 0
}

// SeatAt returns the index of a seat by its slot, -1 if it is open.
func (l *Lobby) SeatAt(place int) int {
	return slices.IndexFunc(l.Seats, func(s Seat) bool { return s.Place == place })
}

// Planned reports whether the lobby was made for one match: a queue or a studio's server
// asked for it. It has no host, and is known to its members alone. A lobby of a scenario that an admin opened has
// no host either until a player joins.
func (l *Lobby) Planned() bool { return l.Host == "" && l.From == nil && l.State != Closed }

// Stranger is the answer to an account without a seat: a planned lobby does not exist for it.
func (l *Lobby) Stranger() error {
	if l.Planned() {
		return ErrNotFound
	}
	return NotSeated
}

// settingsChanged counts a change of agreed settings, and takes every ready
// back.
func (l *Lobby) settingsChanged() {
	l.SettingsVersion++
	for i := range l.Seats {
		l.Seats[i].Ready = l.Seats[i].Kind == BotSeat
	}
}

// RequireHost checks that by is the host and the lobby in one of the states.
func (l *Lobby) RequireHost(by AccountID, states ...State) error {
	switch {
	case l.SeatOf(by) < 0:
		return l.Stranger()
	case l.Host != by:
		return NotHost
	case !slices.Contains(states, l.State):
		return Refuse(WrongState, "the lobby is %s", l.State)
	}
	return nil
}

// Changed notes at most one lobby event a transaction: watchers get the whole lobby.
func (l *Lobby) Changed() {
	if !slices.ContainsFunc(l.Events, func(e Event) bool { return e.Kind == LobbyEvent }) {
		l.Events = append(l.Events, Event{Kind: LobbyEvent})
	}
}

// Note adds an event.
func (l *Lobby) Note(k EventKind, by AccountID, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // the bodies are plain structs of strings
	}
	l.Events = append(l.Events, Event{Kind: k, Account: by, Body: raw})
}

// Announce notes a line of the server.
func (l *Lobby) Announce(text string) {
	l.Note(AnnounceEvent, "", ChatLine{Name: "server", Text: text})
}
