package model

import (
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Private reports whether it asks for a password.
func (l *Lobby) Private() bool { return l.PasswordHash != "" }

// Begin takes the lobby into the countdown, or straight on without one.
// Every player but the host must be ready, and two teams must face each other.
func (l *Lobby) Begin(by AccountID, now time.Time) error {
	if err := l.RequireHost(by, Open); err != nil {
		return err
	}
	l.fillPlaces()
	if err := l.canPlay(); err != nil {
		return err
	}
	l.State, l.Match, l.Result, l.Poll = Starting, "", nil, nil
	l.StartAt = now.Add(time.Duration(l.Options.CountdownSeconds) * time.Second)
	l.Changed()
	return nil
}

func (l *Lobby) canPlay() error {
	var teams grid.TeamSet
	for _, s := range l.Seats {
		if s.Kind == SpectatorSeat {
			continue
		}
		if s.Kind == PlayerSeat && !s.Ready && s.Account != l.Host {
			return Refuse(NotReady, "%s is not ready", s.Name)
		}
		teams = teams.With(s.Team)
	}
	if teams == 0 || teams&(teams-1) == 0 {
		return OneSided
	}
	return nil
}

// Launch binds the match that is about to be made, once the countdown is over.
// If it is not reported as running in time, the janitor looks into it.
func (l *Lobby) Launch(match MatchID, seed uint64, now time.Time, patience time.Duration) (Spec, error) {
	if l.State != Starting || l.Match != "" || now.Before(l.StartAt) {
		return Spec{}, WrongState
	}
	if err := l.canPlay(); err != nil {
		return Spec{}, err
	}
	l.Match, l.StartAt = match, now.Add(patience)
	spec := Spec{Match: match, Lobby: l.ID, Map: l.Map, Options: l.Options, Seed: seed}
	if l.From != nil {
		spec.From = &Origin{Match: l.From.Match, Tick: l.From.Tick, Seconds: l.From.Seconds, Scenario: l.From.Scenario, Mission: l.From.Mission}
	}
	for _, s := range l.Seats {
		if s.Kind != SpectatorSeat {
			spec.Participants = append(spec.Participants, Participant{
				Start: s.Place, Bot: s.Kind == BotSeat, Level: s.Level, Account: s.Account, Name: s.Name, Team: s.Team, Color: s.Color, Faction: s.Faction, Handicap: s.Handicap,
			})
		}
	}
	return spec, nil
}

// Run notes that the match takes sockets.
func (l *Lobby) Run(match MatchID) error {
	if l.State != Starting || l.Match != match {
		return WrongState
	}
	l.State = Playing
	l.Changed()
	return nil
}

// Fail takes a lobby whose match did not begin back to open. One without a host,
// which was made for this match, is closed.
func (l *Lobby) Fail(match MatchID, why string) error {
	if l.State != Starting || l.Match != match {
		return WrongState
	}
	l.State, l.Match = Open, ""
	l.Announce(why)
	if l.Host == "" {
		l.Close()
		return nil
	}
	l.Changed()
	return nil
}

// End takes the lobby out of its match.
func (l *Lobby) End(match MatchID, o Outcomes) {
	if l.Match != match || (l.State != Playing && l.State != Starting) {
		return // closed, or long in another match
	}
	l.State, l.Result, l.Waiting = Ended, &o, nil
	for i := range l.Seats {
		l.Seats[i].Ready, l.Seats[i].Open = l.Seats[i].Kind == BotSeat, false
	}
	l.Changed()
}

// Rematch opens the lobby again. Everybody keeps the seat, and has to be ready again.
func (l *Lobby) Rematch(by AccountID) error {
	if err := l.RequireHost(by, Ended); err != nil {
		return err
	}
	l.State = Open
	l.Changed()
	return nil
}

// Cancel stops the countdown.
func (l *Lobby) Cancel(by AccountID) error {
	if err := l.RequireHost(by, Starting); err != nil {
		return err
	}
	if l.Match != "" {
		return Refuse(WrongState, "the match is already being started")
	}
	l.State = Open
	l.Changed()
	return nil
}

// Close closes the lobby without its host: an admin did, or it was idle.
func (l *Lobby) Close() {
	l.State, l.Seats, l.Host, l.Poll = Closed, nil, "", nil
	l.Changed()
}

// Settings are the host's choices while the lobby is open; nil leaves it.
type Settings struct {
	Name         *string
	Map          *MapInfo
	Limit        *int
	Options      *Options
	PasswordHash *string
}

// Set applies the host's settings. All players have to be ready again, since the settings have changed. All keep
// their seats: a limit or a whitelist that excludes a seated player is refused.
func (l *Lobby) Set(by AccountID, s Settings) error {
	if err := l.RequireHost(by, Open); err != nil {
		return err
	}
	if l.From != nil && (s.Map != nil && s.Map.ID != l.Map.ID || s.Limit != nil && *s.Limit != l.Limit || s.Options != nil && !settled(s.Options, &l.Options)) {
		return errPlaysOn
	}
	next := *l // a refusal leaves l as it is
	next.Seats = slices.Clone(l.Seats)
	if s.Name != nil {
		next.Name = *s.Name
	}
	if s.Map != nil && l.From == nil {
		next.Map = *s.Map
		next.Limit = min(next.Limit, s.Map.Starts)
	}
	if s.Limit != nil && l.From == nil {
		next.Limit = *s.Limit
	}
	if s.Options != nil {
		next.Options = *s.Options
	}
	if s.PasswordHash != nil {
		next.PasswordHash = *s.PasswordHash
	}
	if l.From == nil && (next.Limit < 2 || next.Limit > next.Map.Starts) {
		return Refuse(BadLimit, "%s holds 2 to %d players", next.Map.Name, next.Map.Starts)
	}
	for i := range next.Seats {
		seat := &next.Seats[i]
		if seat.Account != "" && !next.Options.Admits(seat.Name) {
			return RefuseField(BadOption, "whitelist", "%s has a seat in the lobby and must be on the list", seat.Name)
		}
		if l.From == nil && seat.Place >= next.Limit && seat.Place < spectatorPlaces {
			return Refuse(BadLimit, "seat %d is taken and must be free first", seat.Place)
		}
	}
	for i := range next.Seats {
		if next.Options.Ruleset != l.Options.Ruleset {
			next.Seats[i].Faction = ""
		}
	}
	if next.Options.Teams != l.Options.Teams {
		next.dealTeams()
	}
	*l = next
	l.settingsChanged()
	l.Changed()
	return nil
}

// NotWaiting refuses a ticket for a match that no server can continue.
func (l *Lobby) NotWaiting() error {
	if l.Waiting == nil {
		return nil
	}
	return Refuse(MatchWaits, "the match waits until %s for a server that can continue it: %s", l.Waiting.Until.UTC().Format("15:04 UTC"), l.Waiting.Why)
}
