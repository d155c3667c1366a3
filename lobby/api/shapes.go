package api

import (
	"net/http"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Person is an account in a seat.
type Person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Seat is one place of a lobby.
type Seat struct {
	Place    int           `json:"slot" doc:"the map's start point, from 0; spectators from 100"`
	Kind     string        `json:"kind" enum:"open,player,bot,spectator"`
	Account  *Person       `json:"account,omitempty" doc:"of players and spectators"`
	Name     string        `json:"name,omitempty" doc:"of the player in the seat"`
	Team     int           `json:"team" doc:"from 0; of a spectator the one whose eyes it looks with; -1 for an open seat, or a spectator with all eyes"`
	Color    int           `json:"color" doc:"0 to 15; -1 for an open seat or a spectator"`
	Ready    bool          `json:"ready"`
	Level    string        `json:"level,omitempty" doc:"of a bot: how well it plays; orders: the orders of the scenario play the seat, or would if it stays open"`
	Faction  string        `json:"faction,omitempty" doc:"that the player or bot chose in the lobby's ruleset; absent: random"`
	Handicap grid.Handicap `json:"handicap,omitzero" doc:"in percent; absent: no handicap"`
	Open     bool          `json:"open,omitempty" doc:"while the match runs: the next player who joins takes the seat over"`
	Was      string        `json:"was,omitempty" doc:"in a lobby that plays a match on: the current name of the seat's earlier player; also for open seats, which keep that seat's team and color"`
	Away     bool          `json:"away,omitempty" doc:"while the match runs: this player was away for longer than the server keeps seats. Lists leave it out, and its changes send no event, as with out and canOpen"`
	Out      bool          `json:"out,omitempty" doc:"while the match runs: this player or bot was defeated, gave up or left"`
	CanOpen  bool          `json:"canOpen,omitempty" doc:"while the match runs: the host may let a person take this seat over"`
}

// Lobby is a lobby with its seats.
type Lobby struct {
	ID              string          `json:"id"`
	Name            string          `json:"name"`
	Host            string          `json:"host" doc:"account id"`
	HostName        string          `json:"hostName"`
	Map             model.MapInfo   `json:"map"`
	Private         bool            `json:"private" doc:"asks for a password"`
	State           string          `json:"state" enum:"open,starting,playing,ended,closed"`
	Limit           int             `json:"limit" doc:"seats of players and bots"`
	Options         model.Options   `json:"options" doc:"seed is there if the host has fixed it: then everybody can foresee the match's luck"`
	MatchID         string          `json:"matchId,omitempty" doc:"the match that runs, or the last"`
	Result          *model.Outcomes `json:"result,omitempty" doc:"of the last match"`
	Waiting         *model.Waiting  `json:"waiting,omitempty" doc:"no server can continue the match at the moment: another build began it"`
	Seats           []Seat          `json:"seats" doc:"by slot; limit seats"`
	Spectators      []Seat          `json:"spectators"`
	From            *Origin         `json:"from,omitempty" doc:"a lobby that plays a match on, or a scenario: from where"`
	Poll            *LobbyPoll      `json:"poll,omitempty" doc:"the question that its players vote on, and for five seconds its result"`
	StartInMs       *int64          `json:"startInMs,omitempty" doc:"the rest of the countdown"`
	Version         int64           `json:"version" doc:"counts its events: of two answers, the higher is newer"`
	SettingsVersion int64           `json:"settingsVersion" doc:"counts changes of map, options, limit, bots and teams; each takes ready back, and ready names the one it agrees to"`
}

// Origin is from where the matches of a lobby go on.
type Origin struct {
	MatchID  string   `json:"matchId" doc:"the match that is played on; empty: a scenario"`
	Scenario string   `json:"scenario,omitempty" doc:"name of the scenario; absent: a match is played on"`
	Mission  string   `json:"mission,omitempty" doc:"id of the mission that the scenario is"`
	Tick     uint32   `json:"tick"`
	Seconds  int      `json:"seconds" doc:"of match time before that tick"`
	Out      []string `json:"out" doc:"seats without a player, since they were out by then"`
}

// LobbyPoll is a question to the players of a lobby.
type LobbyPoll struct {
	Num      int64               `json:"num" doc:"its number in the lobby, for votes"`
	Kind     string              `json:"kind" enum:"kick,start,settings"`
	By       model.AccountID     `json:"by" doc:"id of the account that asks"`
	Target   model.AccountID     `json:"target,omitempty" doc:"of kick: id of the account"`
	Settings model.SettingsAsked `json:"settings" doc:"of settings: the wishes"`
	Voters   []model.AccountID   `json:"voters"`
	Yes      []model.AccountID   `json:"yes"`
	No       []model.AccountID   `json:"no"`
	Needed   int                 `json:"needed" doc:"votes with which it passes"`
	Result   string              `json:"result" enum:"open,passed,failed"`
	EndsInMs int64               `json:"endsInMs" doc:"rest of the vote, or of the time in which the result is shown"`
}

func pollOf(l *model.Lobby, now time.Time) *LobbyPoll {
	p := l.Poll
	if !p.Shown(now) {
		return nil
	}
	return &LobbyPoll{
		Num: p.Num, Kind: string(p.Kind), By: p.Voters[p.By], Target: p.Target, Settings: p.Change, Voters: p.Voters, Yes: p.Named(p.Yes), No: p.Named(p.No), Needed: p.Needed(),
		Result: [...]string{"open", "passed", "failed"}[p.Over], EndsInMs: p.Ends - now.UnixMilli(),
	}
}

func lobbyOf(l *model.Lobby, now time.Time) Lobby {
	out := Lobby{
		ID: string(l.ID), Name: l.Name, Host: string(l.Host), Map: l.Map, Private: l.Private(), State: string(l.State),
		Limit: l.Limit, Options: l.Options, MatchID: string(l.Match), Result: l.Result, Waiting: l.Waiting, Version: l.Seq, SettingsVersion: l.SettingsVersion, Poll: pollOf(l, now),
		Seats: make([]Seat, l.Limit), Spectators: []Seat{},
	}
	if out.Options.Seed == "0" {
		out.Options.Seed = "" // the server draws a secret one
	}
	for i := range out.Seats {
		out.Seats[i] = Seat{Place: i, Kind: string(model.OpenSeat), Team: -1, Color: -1}
	}
	index := func(place int) int { return place } // of a seat in out.Seats
	if l.From != nil {
		out.Seats, out.From, index = playedOn(l.From)
	}
	for _, s := range l.Seats {
		seat := Seat{Place: s.Place, Kind: string(s.Kind), Name: s.Name, Team: int(s.Team), Color: int(s.Color), Ready: s.Ready, Open: s.Open, Level: string(s.Level), Faction: s.Faction, Handicap: s.Handicap}
		if s.Account != "" {
			seat.Account = &Person{string(s.Account), s.Name}
		}
		if s.Account == l.Host && l.Host != "" {
			out.HostName = s.Name
		}
		if s.Kind == model.SpectatorSeat {
			if seat.Color = -1; s.Team == grid.NoTeam {
				seat.Team = -1
			}
			out.Spectators = append(out.Spectators, seat)
		} else if i := index(s.Place); i >= 0 && i < len(out.Seats) {
			seat.Was = out.Seats[i].Was
			out.Seats[i] = seat
		}
	}
	if l.State == model.Starting && l.Match == "" {
		left := max(0, l.StartAt.Sub(now).Milliseconds())
		out.StartInMs = &left
	}
	return out
}

// playedOn returns the open seats of a lobby that plays a match on, or a scenario, and the
// place of a slot among them, -1 without one.
func playedOn(from *model.Origin) ([]Seat, *Origin, func(place int) int) {
	out := &Origin{MatchID: string(from.Match), Scenario: from.Scenario, Mission: from.Mission, Tick: from.Tick, Seconds: from.Seconds, Out: []string{}}
	seats := []Seat{}
	for _, o := range from.Seats {
		if o.Out {
			out.Out = append(out.Out, o.Name)
			continue
		}
		seat := Seat{Place: o.Start, Kind: string(model.OpenSeat), Team: int(o.Team), Color: int(o.Color), Was: o.Name}
		if seat.Level = string(o.Level); o.Orders {
			seat.Level = string(model.ScriptBot)
		}
		seats = append(seats, seat)
	}
	return seats, out, func(place int) int {
		return slices.IndexFunc(seats, func(s Seat) bool { return s.Place == place })
	}
}

// forAll leaves out facts that not every finder of the lobby may know: for a match that is
// played on, the past players of the seats and their defeats. Accounts that may watch the
// match may know them, and so may all members of the lobby.
func (l *Lobby) forAll() {
	if l.From == nil || l.From.MatchID == "" {
		return
	}
	l.From.Out = []string{}
	for i := range l.Seats {
		s := &l.Seats[i]
		if s.Was = ""; s.Kind == string(model.OpenSeat) {
			s.Level = "" // of the bot that played there
		}
	}
}

// LoggedIn is the answer of a log-in.
type LoggedIn struct {
	Account model.Account `json:"account"`
	Token   string        `json:"token,omitempty" doc:"only when bearer was asked for: send it as Authorization: Bearer"`
	Device  string        `json:"device,omitempty" doc:"only if the request asked for bearer: send it with the next login, so that other people's wrong passwords do not shut this device out"`
}

// The inputs and outputs that many operations share.
type (
	none struct{}

	// LobbyPath is exported since huma skips embedded types that are not.
	LobbyPath struct {
		ID string `path:"id" maxLength:"64" pattern:"^[0-9a-f-]+$" doc:"the lobby's id"`
	}
	lobbyWith[B any] struct {
		LobbyPath
		Body B
	}

	// body is a request or an answer that has a body alone.
	body[T any] struct{ Body T }

	sessionOut struct {
		SetCookie []http.Cookie `header:"Set-Cookie"`
		Body      LoggedIn
	}
	cookieOut struct {
		SetCookie http.Cookie `header:"Set-Cookie"`
	}
)

// each shapes all of a list.
func each[T, S any](list []T, shape func(T) S) []S {
	out := make([]S, 0, len(list))
	for _, v := range list {
		out = append(out, shape(v))
	}
	return out
}

// next returns the number from which the next page goes on, 0 after the last page.
func next[T any](list []T, page int, num func(T) int64) int64 {
	if len(list) < page {
		return 0
	}
	return num(list[len(list)-1])
}

// given is a body that may be left out: huma wants a pointer for it.
func given[T any](body *T) T {
	if body == nil {
		var zero T
		return zero
	}
	return *body
}

type AccountPath struct {
	ID string `path:"id" maxLength:"64" pattern:"^[0-9a-f-]+$" doc:"the account's id"`
}

func when(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// pageIn is the query of lists that go back in time.
type pageIn struct {
	Before int64 `query:"before" minimum:"0" doc:"next of the page before"`
}
