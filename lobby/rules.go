package lobby

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Private reports whether it asks for a password.
func (l *Lobby) Private() bool { return l.PasswordHash != "" }

// SeatOf returns the account's place in Seats, or -1.
func (l *Lobby) SeatOf(a AccountID) int {
	return slices.IndexFunc(l.Seats, func(s Seat) bool { return s.Account == a && a != "" })
}

func (l *Lobby) seatAt(slot int) int {
	return slices.IndexFunc(l.Seats, func(s Seat) bool { return s.Slot == slot })
}

// Players counts the seats that people play in.
func (l *Lobby) Players() int { return l.count(PlayerSeat) }

// Taken counts the seats of players and bots.
func (l *Lobby) Taken() int { return l.count(PlayerSeat) + l.count(BotSeat) }

func (l *Lobby) count(k SeatKind) int {
	n := 0
	for _, s := range l.Seats {
		if s.Kind == k {
			n++
		}
	}
	return n
}

// Sit gives the account a seat, as a spectator if asked. It is the last check
// of PreLogin: state and room.
func (l *Lobby) Sit(a Account, spectate bool) error {
	switch {
	case l.State == Closed:
		return LobbyClosed
	case l.SeatOf(a.ID) >= 0:
		return AlreadySeated
	case l.State != Open && !spectate:
		return refuse(NotOpen, "the match has begun; come in as a spectator, or wait until it is over")
	}
	slot, seats := 0, l.Limit
	if spectate {
		slot, seats = spectatorSlots, spectatorSlots+l.Options.Spectators
	}
	for slot < seats && l.seatAt(slot) >= 0 {
		slot++
	}
	if slot == seats {
		return LobbyFull
	}
	seat := Seat{Slot: slot, Kind: PlayerSeat, Account: a.ID, Name: a.Name}
	if spectate {
		seat.Kind, seat.Team = SpectatorSeat, grid.NoTeam
	} else {
		seat.Team, seat.Color = l.freeTeam(), l.freeColor()
	}
	if l.Players() == 0 && !spectate {
		l.Host = a.ID
	}
	l.insertSeat(seat)
	l.changed()
	return nil
}

// AddBot puts a bot into a free seat.
func (l *Lobby) AddBot(by AccountID, team *int) error {
	if err := l.requireHost(by, Open); err != nil {
		return err
	}
	slot := 0
	for slot < l.Limit && l.seatAt(slot) >= 0 {
		slot++
	}
	if slot == l.Limit {
		return LobbyFull
	}
	seat := Seat{Slot: slot, Kind: BotSeat, Name: "Bot " + string(rune('A'+slot)), Team: l.freeTeam(), Color: l.freeColor(), Ready: true}
	if team != nil {
		if *team < 0 || *team >= grid.TeamsMax {
			return BadTeam
		}
		seat.Team = grid.Team(*team)
	}
	l.insertSeat(seat)
	l.settingsChanged()
	l.changed()
	return nil
}

// spectatedMatch returns the match that the account watches from its seat here, "" for
// none.
func (l *Lobby) spectatedMatch(a AccountID) MatchID {
	if i := l.SeatOf(a); i >= 0 && l.Seats[i].Kind == SpectatorSeat && (l.State == Playing || l.State == Ended) {
		return l.Match
	}
	return ""
}

// Leave gives the account's seat back. The host's role passes to the player
// who sits lowest; with no player left the lobby closes.
func (l *Lobby) Leave(a AccountID) error {
	i := l.SeatOf(a)
	if i < 0 {
		return NotSeated
	}
	l.unseat(i)
	return nil
}

// Kick removes the player or bot from a seat, at the host's word.
func (l *Lobby) Kick(by AccountID, slot int) error {
	if err := l.requireHost(by, Open, Ended); err != nil {
		return err
	}
	i := l.seatAt(slot)
	if i < 0 {
		return NoSuchSeat
	}
	if l.Seats[i].Account == by {
		return refuse(WrongState, "to go yourself, leave")
	}
	if a := l.Seats[i].Account; a != "" {
		l.note(KickedEvent, a, Kicked{a, "the host has removed you"})
	}
	bot := l.Seats[i].Kind == BotSeat
	l.unseat(i)
	if bot {
		l.settingsChanged()
	}
	return nil
}

// Remove takes an account out of its seat for a ban, a deletion or an
// admin's kick.
func (l *Lobby) Remove(a AccountID, reason string) {
	if i := l.SeatOf(a); i >= 0 {
		l.note(KickedEvent, a, Kicked{a, reason})
		l.unseat(i)
	}
}

func (l *Lobby) unseat(i int) {
	gone := l.Seats[i]
	l.Seats = slices.Delete(l.Seats, i, i+1)
	if gone.Account != "" && gone.Account == l.Host {
		l.Host = ""
		for _, s := range l.Seats {
			if s.Kind == PlayerSeat {
				l.Host = s.Account
				break
			}
		}
	}
	if l.Players() == 0 {
		l.State, l.Seats = Closed, nil
	} else if l.State == Starting && l.Match == "" {
		l.State = Open // somebody left in the countdown
	}
	l.changed()
}

// Rename tells the room an account's new name.
func (l *Lobby) Rename(a AccountID, name string) {
	if i := l.SeatOf(a); i >= 0 {
		l.Seats[i].Name = name
		l.changed()
	}
}

// SeatChange is what a player may change of its own seat; nil leaves it. A
// spectator's team is the one whose eyes it looks with.
type SeatChange struct {
	Team  *int
	Color *int
	Ready *bool
	// SettingsVersion is the lobby's that Ready agrees to, as the player was
	// shown it. Another than the lobby's is refused.
	SettingsVersion *int64
}

// Change applies a player's wishes for its own seat. A changed team or colour
// takes the ready back, unless it is given in the same breath; another team
// takes back everybody else's as well.
func (l *Lobby) Change(a AccountID, c SeatChange) error {
	i := l.SeatOf(a)
	if i >= 0 && l.Seats[i].Kind == SpectatorSeat {
		return l.changeEyes(i, c)
	}
	if i < 0 || l.Seats[i].Kind != PlayerSeat {
		return NotSeated
	}
	if l.State != Open {
		return WrongState
	}
	seat := l.Seats[i]
	if c.Team != nil {
		if *c.Team < 0 || *c.Team >= grid.TeamsMax {
			return BadTeam
		}
		seat.Team, seat.Ready = grid.Team(*c.Team), false
	}
	if c.Ready != nil && *c.Ready {
		if c.SettingsVersion == nil {
			return refuseField(BadRequest, "settingsVersion", "ready names the version of the settings that it agrees to")
		}
		if *c.SettingsVersion != l.SettingsVersion {
			return SettingsChanged
		}
	}
	if c.Color != nil {
		if *c.Color < 0 || *c.Color >= ColorsMax {
			return BadColor
		}
		for j, s := range l.Seats {
			if j != i && s.Kind != SpectatorSeat && int(s.Color) == *c.Color {
				return ColorTaken
			}
		}
		seat.Color, seat.Ready = uint8(*c.Color), false
	}
	if c.Ready != nil {
		seat.Ready = *c.Ready
	}
	if seat.Team != l.Seats[i].Team {
		l.settingsChanged()
	}
	l.Seats[i] = seat
	l.changed()
	return nil
}

// settingsChanged counts a change of what the players agreed to, and takes every ready
// back.
func (l *Lobby) settingsChanged() {
	l.SettingsVersion++
	for i := range l.Seats {
		l.Seats[i].Ready = l.Seats[i].Kind == BotSeat
	}
}

// changeEyes lets a spectator choose the team whose eyes it looks with; -1: all.
// It may do so while the match runs: its next ticket says so. No team's eyes see
// more than all do.
func (l *Lobby) changeEyes(i int, c SeatChange) error {
	if c.Color != nil || c.Ready != nil || c.Team == nil {
		return refuse(NotSeated, "a spectator's seat has a team to look with, and nothing else to change")
	}
	switch t := *c.Team; {
	case t == -1:
		l.Seats[i].Team = grid.NoTeam
	case t >= 0 && t < grid.TeamsMax:
		l.Seats[i].Team = grid.Team(t)
	default:
		return BadTeam
	}
	l.changed()
	return nil
}

// Begin takes the lobby into the countdown, or straight on if there is none.
// Every player but the host must be ready, and two teams must face each other.
func (l *Lobby) Begin(by AccountID, now time.Time) error {
	if err := l.requireHost(by, Open); err != nil {
		return err
	}
	if err := l.canPlay(); err != nil {
		return err
	}
	l.State, l.Match, l.Result = Starting, "", nil
	l.StartAt = now.Add(time.Duration(l.Options.CountdownSeconds) * time.Second)
	l.changed()
	return nil
}

func (l *Lobby) canPlay() error {
	var teams grid.TeamSet
	for _, s := range l.Seats {
		if s.Kind == SpectatorSeat {
			continue
		}
		if s.Kind == PlayerSeat && !s.Ready && s.Account != l.Host {
			return refuse(NotReady, "%s is not ready", s.Name)
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
	for _, s := range l.Seats {
		if s.Kind != SpectatorSeat {
			spec.Participants = append(spec.Participants, Participant{
				Slot: grid.Slot(s.Slot), Bot: s.Kind == BotSeat, Account: s.Account, Name: s.Name, Team: s.Team, Color: s.Color,
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
	l.changed()
	return nil
}

// Fail takes a lobby whose match did not begin back to open.
func (l *Lobby) Fail(match MatchID, why string) error {
	if l.State != Starting || l.Match != match {
		return WrongState
	}
	l.State, l.Match = Open, ""
	l.note(AnnounceEvent, "", ChatLine{Name: "server", Text: why})
	l.changed()
	return nil
}

// End takes the lobby out of its match.
func (l *Lobby) End(match MatchID, o Outcomes) {
	if l.Match != match || (l.State != Playing && l.State != Starting) {
		return // closed, or long in another match
	}
	l.State, l.Result = Ended, &o
	for i := range l.Seats {
		l.Seats[i].Ready = l.Seats[i].Kind == BotSeat
	}
	l.changed()
}

// Rematch opens the room again, everybody in their seats and nobody ready.
func (l *Lobby) Rematch(by AccountID) error {
	if err := l.requireHost(by, Ended); err != nil {
		return err
	}
	l.State = Open
	l.changed()
	return nil
}

// Cancel stops the countdown.
func (l *Lobby) Cancel(by AccountID) error {
	if err := l.requireHost(by, Starting); err != nil {
		return err
	}
	if l.Match != "" {
		return refuse(WrongState, "the match is being made already")
	}
	l.State = Open
	l.changed()
	return nil
}

// Close closes the lobby without its host: an admin did, or it was idle.
func (l *Lobby) Close() {
	l.State, l.Seats, l.Host = Closed, nil, ""
	l.changed()
}

// Settings is what the host may change while the lobby is open; nil leaves it.
type Settings struct {
	Name         *string
	Map          *MapInfo
	Limit        *int
	Options      *Options
	PasswordHash *string
}

// Set applies the host's settings. Everybody's ready is taken back: they said
// it to something else. Nobody loses a seat by them: a limit or a whitelist that
// leaves out who sits already is refused.
func (l *Lobby) Set(by AccountID, s Settings) error {
	if err := l.requireHost(by, Open); err != nil {
		return err
	}
	next := *l // a refusal leaves l as it is
	next.Seats = slices.Clone(l.Seats)
	if s.Name != nil {
		next.Name = *s.Name
	}
	if s.Map != nil {
		next.Map = *s.Map
		next.Limit = min(next.Limit, s.Map.Starts)
	}
	if s.Limit != nil {
		next.Limit = *s.Limit
	}
	if s.Options != nil {
		next.Options = *s.Options
	}
	if s.PasswordHash != nil {
		next.PasswordHash = *s.PasswordHash
	}
	if next.Limit < 2 || next.Limit > next.Map.Starts {
		return refuse(BadLimit, "%s holds 2 to %d players", next.Map.Name, next.Map.Starts)
	}
	for i := range next.Seats {
		seat := &next.Seats[i]
		if seat.Account != "" && !next.Options.Admits(seat.Name) {
			return refuseField(BadOption, "whitelist", "%s sits in the lobby and must be on the list", seat.Name)
		}
		if seat.Slot >= next.Limit && seat.Slot < spectatorSlots {
			return refuse(BadLimit, "seat %d is taken; it must be free first", seat.Slot)
		}
	}
	*l = next
	l.settingsChanged()
	l.changed()
	return nil
}

// Say notes a line of chat.
func (l *Lobby) Say(a AccountID, text string) error {
	i := l.SeatOf(a)
	if i < 0 {
		return NotSeated
	}
	if l.State == Playing && l.Seats[i].Kind == SpectatorSeat {
		return refuse(WrongState, "who watches a match must not tell its players what it sees")
	}
	text, err := cleanLine(BadText, "text", text, ChatLenMax)
	if err != nil {
		return err
	}
	l.note(ChatEvent, a, ChatLine{Account: a, Name: l.Seats[i].Name, Text: text})
	return nil
}

// requireHost checks that by is the host and the lobby in one of the states.
func (l *Lobby) requireHost(by AccountID, states ...State) error {
	switch {
	case l.SeatOf(by) < 0:
		return NotSeated
	case l.Host != by:
		return NotHost
	case !slices.Contains(states, l.State):
		return refuse(WrongState, "the lobby is %s", l.State)
	}
	return nil
}

func (l *Lobby) insertSeat(s Seat) {
	i, _ := slices.BinarySearchFunc(l.Seats, s.Slot, func(s Seat, slot int) int { return s.Slot - slot })
	l.Seats = slices.Insert(l.Seats, i, s)
}

// freeTeam returns the lowest team nobody is in: everyone against everyone,
// until they choose otherwise.
func (l *Lobby) freeTeam() grid.Team {
	var used grid.TeamSet
	for _, s := range l.Seats {
		if s.Kind != SpectatorSeat {
			used = used.With(s.Team)
		}
	}
	for t := grid.Team(0); t < grid.TeamsMax; t++ {
		if !used.Has(t) {
			return t
		}
	}
	return 0
}

func (l *Lobby) freeColor() uint8 {
	for c := uint8(0); c < ColorsMax; c++ {
		if !slices.ContainsFunc(l.Seats, func(s Seat) bool { return s.Kind != SpectatorSeat && s.Color == c }) {
			return c
		}
	}
	return 0
}

// changed notes at most one lobby event a transaction: watchers get the lobby
// whole.
func (l *Lobby) changed() {
	if !slices.ContainsFunc(l.Events, func(e Event) bool { return e.Kind == LobbyEvent }) {
		l.Events = append(l.Events, Event{Kind: LobbyEvent})
	}
}

// isSentTo reports whether an account is told an event of its lobby: one who sits
// there what happened since it sat down, one who was removed that it was. What
// it meant to others before it came, and why they were removed, is theirs.
func (l *Lobby) isSentTo(e Event, a AccountID) bool {
	if i := l.SeatOf(a); i >= 0 {
		return e.Seq > l.Seats[i].Since && e.Kind != KickedEvent
	}
	return e.Kind == KickedEvent && e.Account == a
}

func (l *Lobby) note(k EventKind, by AccountID, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // the bodies are plain structs of strings
	}
	l.Events = append(l.Events, Event{Kind: k, Account: by, Body: raw})
}
