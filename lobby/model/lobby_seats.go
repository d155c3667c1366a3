package model

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/poll"
)

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
	case l.State == Playing && !spectate:
		return l.takeOver(a)
	case l.State != Open && !spectate:
		return ErrBegun
	}
	if l.From != nil && !spectate {
		return l.sitInPlace(a)
	}
	place, seats := 0, l.Limit
	if spectate {
		place, seats = spectatorPlaces, spectatorPlaces+l.Options.Spectators
	}
	for place < seats && l.SeatAt(place) >= 0 {
		place++
	}
	if place == seats {
		return LobbyFull
	}
	seat := Seat{Place: place, Kind: PlayerSeat, Account: a.ID, Name: a.Name}
	if spectate {
		seat.Kind, seat.Team = SpectatorSeat, grid.NoTeam
	} else {
		seat.Team, seat.Color = l.teamFor(PlayerSeat), l.freeColor()
	}
	if l.Players() == 0 && !spectate {
		l.Host = a.ID
	}
	l.insertSeat(seat)
	l.Changed()
	return nil
}

// sitInPlace gives the account a place of the match that is played on.
func (l *Lobby) sitInPlace(a Account) error {
	o, ok := l.freePlace(a.ID)
	if !ok {
		return LobbyFull
	}
	if l.Players() == 0 {
		l.Host = a.ID
	}
	l.insertSeat(Seat{Place: o.Start, Kind: PlayerSeat, Account: a.ID, Name: a.Name, Team: o.Team, Color: o.Color, Handicap: o.Handicap})
	l.Changed()
	return nil
}

var ErrBegun = Refuse(NotOpen, "the match has begun: join as a spectator, or wait until it is over")

// SetTeam gives a player or a bot its team, at the host's word. As any change of a
// team it takes every ready back.
func (l *Lobby) SetTeam(by AccountID, place, team int) error {
	if err := l.RequireHost(by, Open); err != nil {
		return err
	}
	i := l.SeatAt(place)
	switch {
	case i < 0:
		return NoSuchSeat
	case l.Seats[i].Kind == SpectatorSeat:
		return Refuse(WrongState, "a spectator chooses whose view it sees")
	case team < 0 || team >= grid.TeamsMax:
		return BadTeam
	case l.From != nil:
		return errPlaysOn
	}
	if l.Seats[i].Team != grid.Team(team) {
		l.Seats[i].Team = grid.Team(team)
		l.settingsChanged()
		l.Changed()
	}
	return nil
}

// SetLevel gives a bot another level, at the host's word. As any change of a bot it
// takes every ready back.
func (l *Lobby) SetLevel(by AccountID, place int, level BotLevel) error {
	if err := l.RequireHost(by, Open); err != nil {
		return err
	}
	if err := level.Check(); err != nil {
		return err
	}
	i := l.SeatAt(place)
	if i < 0 {
		return NoSuchSeat
	}
	s := &l.Seats[i]
	if s.Kind != BotSeat {
		return Refuse(WrongState, "only bots have a level")
	}
	if s.Level != level {
		s.Level = level
		l.settingsChanged()
		l.Changed()
	}
	return nil
}

// SetHandicap gives a player or a bot its handicap, at the host's word. It takes every ready back.
func (l *Lobby) SetHandicap(by AccountID, place int, h grid.Handicap) error {
	if err := l.RequireHost(by, Open); err != nil {
		return err
	}
	i := l.SeatAt(place)
	switch {
	case i < 0:
		return NoSuchSeat
	case l.Seats[i].Kind == SpectatorSeat:
		return Refuse(WrongState, "a spectator has no handicap")
	case l.From != nil:
		return errPlaysOn
	}
	seat := l.Seats[i]
	if err := l.handicap(&seat, by, h); err != nil {
		return err
	}
	if seat.Handicap != l.Seats[i].Handicap {
		l.Seats[i] = seat
		l.settingsChanged()
		l.Changed()
	}
	return nil
}

// handicap gives a seat its handicap. Only the host raises a percentage.
func (l *Lobby) handicap(seat *Seat, by AccountID, h grid.Handicap) error {
	if err := CheckHandicap(h); err != nil {
		return err
	}
	if by != l.Host && h.Exceeds(seat.Handicap) {
		return RefuseField(NotHost, "handicap", "you may lower your percentages; the host raises them")
	}
	if h = h.Compact(); h != seat.Handicap {
		seat.Handicap, seat.Ready = h, seat.Kind == BotSeat
	}
	return nil
}

// CheckHandicap refuses a handicap that is out of bounds.
func CheckHandicap(h grid.Handicap) error {
	if err := h.Check(); err != nil {
		return RefuseField(BadRequest, "handicap", "%v", err)
	}
	return nil
}

// OpenSeat says, at the host's word, whether a person may take over a seat while
// the match runs. Saying it again has no effect.
func (l *Lobby) OpenSeat(by AccountID, place int, open bool, state func(Seat) SeatState) error {
	if err := l.RequireHost(by, Playing); err != nil {
		return err
	}
	i := l.SeatAt(place)
	if i < 0 {
		return NoSuchSeat
	}
	if err := l.MayOpen(&l.Seats[i], state(l.Seats[i])); open && err != nil {
		return err
	}
	if l.Seats[i].Open != open {
		l.Seats[i].Open = open
		l.Changed()
	}
	return nil
}

// MayOpen says why the host may not let a person take over a seat while the match runs;
// state is the match's answer about the seat. A person who takes over a seat is sent all
// that the seat's team sees.
func (l *Lobby) MayOpen(s *Seat, state SeatState) error {
	host := l.SeatOf(l.Host)
	switch {
	case s.Kind == SpectatorSeat || s.Account != "" && s.Account == l.Host:
		return Refuse(WrongState, "while the match runs, only the seats of bots and of other, absent players can be opened")
	case host >= 0 && s.Team != l.Seats[host].Team && !l.Options.OpenOtherTeams:
		return Refuse(WrongState, "%s is in another team: you can open only seats of your own team, since openOtherTeams was not set before the match", s.Name)
	case state == SeatOut:
		return Refuse(WrongState, "%s is out of the match: the seat cannot be taken over", s.Name)
	case s.Kind == PlayerSeat && state != SeatAway:
		return Refuse(WrongState, "%s is not away: a player's seat can be opened only once the match no longer keeps it", s.Name)
	}
	return nil
}

// openSeat returns the lowest seat that a person may take over, or -1.
func (l *Lobby) openSeat() int {
	return slices.IndexFunc(l.Seats, func(s Seat) bool { return s.Open })
}

// CloseSeats closes the open seats that may no longer be open, and reports whether
// there were any.
func (l *Lobby) CloseSeats(state func(Seat) SeatState) bool {
	closed := false
	for i := range l.Seats {
		if s := &l.Seats[i]; s.Open && l.MayOpen(s, state(*s)) != nil {
			s.Open, closed = false, true
		}
	}
	if closed {
		l.Changed()
	}
	return closed
}

// takeOver gives the account the lowest open seat, with its team and colour. A
// player who had it has no seat in the lobby any more.
func (l *Lobby) takeOver(a Account) error {
	i := l.openSeat()
	if i < 0 {
		return ErrBegun
	}
	s := l.Seats[i]
	if s.Account != "" {
		l.Note(KickedEvent, s.Account, Kicked{s.Account, "you were away, and another player took over your seat"})
	}
	l.Seats[i] = Seat{Place: s.Place, Kind: PlayerSeat, Account: a.ID, Name: a.Name, Team: s.Team, Color: s.Color, Handicap: s.Handicap}
	l.Changed()
	return nil
}

// AddBot puts a bot into a free seat. No level is medium, or in a lobby that plays a match on the level of the
// earlier bot there; no team follows the lobby's option.
func (l *Lobby) AddBot(by AccountID, level BotLevel, team *int) error {
	if err := l.RequireHost(by, Open); err != nil {
		return err
	}
	if err := cmp.Or(level, MediumBot).Check(); err != nil {
		return err
	}
	place := 0
	for place < l.Limit && l.SeatAt(place) >= 0 {
		place++
	}
	if place == l.Limit && l.From == nil {
		return LobbyFull
	}
	seat := Seat{Place: place, Kind: BotSeat, Name: botName(place), Team: l.teamFor(BotSeat), Color: l.freeColor(), Level: cmp.Or(level, MediumBot)}
	if l.From != nil {
		o, ok := l.freePlace("")
		if !ok {
			return LobbyFull
		}
		if team != nil && grid.Team(*team) != o.Team {
			return errPlaysOn
		}
		seat.Place, seat.Name, seat.Team, seat.Color, seat.Handicap = o.Start, botName(o.Start), o.Team, o.Color, o.Handicap
		seat.Level = cmp.Or(level, o.Level, MediumBot)
	}
	if team != nil {
		if *team < 0 || *team >= grid.TeamsMax {
			return BadTeam
		}
		seat.Team = grid.Team(*team)
	}
	l.insertSeat(seat)
	l.settingsChanged() // makes bots ready
	l.Changed()
	return nil
}

// botName is a bot's name in lobbies and matches: Bot A to Bot Z, Bot A2
// and so on.
func botName(place int) string {
	name := botBase + " " + string(rune('A'+place%26))
	if round := place / 26; round > 0 {
		name += strconv.Itoa(round + 1)
	}
	return name
}

// SpectatedMatch returns the match that the account watches from its seat here, or "".
func (l *Lobby) SpectatedMatch(a AccountID) MatchID {
	if i := l.SeatOf(a); i >= 0 && l.Seats[i].Kind == SpectatorSeat && (l.State == Playing || l.State == Ended) {
		return l.Match
	}
	return ""
}

// Leave gives the account's seat back. The host's role passes to the player in the
// lowest seat; with no player left the lobby closes.
func (l *Lobby) Leave(a AccountID) error {
	i := l.SeatOf(a)
	if i < 0 {
		return l.Stranger()
	}
	l.unseat(i)
	return nil
}

// Kick removes the player or bot from a seat, at the host's word.
func (l *Lobby) Kick(by AccountID, place int) error {
	if err := l.RequireHost(by, Open, Ended); err != nil {
		return err
	}
	i := l.SeatAt(place)
	if i < 0 {
		return NoSuchSeat
	}
	if l.Seats[i].Account == by {
		return Refuse(WrongState, "you cannot remove yourself: leave the lobby instead")
	}
	if a := l.Seats[i].Account; a != "" {
		l.Note(KickedEvent, a, Kicked{a, "the host has removed you"})
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
		l.Note(KickedEvent, a, Kicked{a, reason})
		l.unseat(i)
	}
}

// GiveBack gives a seat that was taken over back to its earlier player or bot.
func (l *Lobby) GiveBack(i int, to Seat, reason string) {
	seat := l.Seats[i]
	l.Seats[i] = to
	l.Note(KickedEvent, seat.Account, Kicked{seat.Account, reason})
	l.parted(seat)
}

func (l *Lobby) unseat(i int) {
	seat := l.Seats[i]
	l.Seats = slices.Delete(l.Seats, i, i+1)
	l.parted(seat)
}

// parted draws the consequences for the lobby of a seat that became free.
func (l *Lobby) parted(seat Seat) {
	if seat.Account == l.Host {
		l.Host = ""
		for _, s := range l.Seats {
			if s.Kind == PlayerSeat {
				l.Host = s.Account
				break
			}
		}
	}
	if l.Players() == 0 && seat.Kind == PlayerSeat { // else the first player is still to come
		l.State, l.Seats, l.Poll = Closed, nil, nil
	} else if l.State == Starting && l.Match == "" {
		l.State = Open // a player left in the countdown
	}
	if p := l.Poll; p != nil && p.Over == poll.Open && seat.Account != "" {
		i := slices.Index(p.Voters, seat.Account)
		if seat.Account == p.Target || i == int(p.By) {
			l.Poll = nil
		} else if i >= 0 {
			p.May &^= grid.SlotSet(0).With(grid.Slot(i))
		}
	}
	l.Changed()
}

// Rename gives an account's seat its new name.
func (l *Lobby) Rename(a AccountID, name string) {
	if i := l.SeatOf(a); i >= 0 {
		l.Seats[i].Name = name
		l.Changed()
	}
}

// SeatChange are a player's changes of its own seat; nil leaves it. A spectator sees
// with the eyes of its team.
type SeatChange struct {
	Team            *int           `json:"team,omitempty" doc:"a spectator's: whose eyes it looks with, -1 for all; its next ticket says so"`
	Color           *int           `json:"color,omitempty"`
	Ready           *bool          `json:"ready,omitempty"`
	Start           *int           `json:"slot,omitempty" doc:"another free seat: its slot is the start point on the map. In a lobby that plays a match on: of that match"`
	Faction         *string        `json:"faction,omitempty" doc:"a faction of the lobby's ruleset, or random"`
	Handicap        *grid.Handicap `json:"handicap,omitempty" doc:"a player may lower its percentages; the host sets any"`
	SettingsVersion *int64         `json:"settingsVersion,omitempty" doc:"required with ready: the lobby's, as it was shown to the player; if it has changed since, settings_changed"`
}

// Change applies a player's wishes for its own seat. A changed team or colour
// makes the player unready, unless the same request says ready. Another team
// makes everybody else unready too.
func (l *Lobby) Change(a AccountID, c SeatChange) error {
	i := l.SeatOf(a)
	if i >= 0 && l.Seats[i].Kind == SpectatorSeat {
		return l.changeEyes(i, c)
	}
	if i < 0 {
		return l.Stranger()
	}
	if l.State != Open {
		return WrongState
	}
	seat := l.Seats[i]
	if l.From != nil && (c.Faction != nil || c.Handicap != nil || c.Team != nil && grid.Team(*c.Team) != seat.Team || c.Color != nil && *c.Color != int(seat.Color)) {
		return errPlaysOn
	}
	if c.Start != nil {
		if err := l.claim(&seat, *c.Start); err != nil {
			return err
		}
	}
	if c.Faction != nil && *c.Faction != seat.Faction {
		seat.Faction, seat.Ready = *c.Faction, false
	}
	if c.Handicap != nil {
		if err := l.handicap(&seat, a, *c.Handicap); err != nil {
			return err
		}
	}
	if c.Team != nil {
		if *c.Team < 0 || *c.Team >= grid.TeamsMax {
			return BadTeam
		}
		seat.Team, seat.Ready = grid.Team(*c.Team), false
	}
	if c.Ready != nil && *c.Ready {
		if c.SettingsVersion == nil {
			return RefuseField(BadRequest, "settingsVersion", "settingsVersion is required with ready")
		}
		if *c.SettingsVersion != l.SettingsVersion {
			return SettingsChanged
		}
	}
	if c.Color != nil {
		if *c.Color < 0 || *c.Color >= ColorsMax {
			return BadColor
		}
		if color := uint8(*c.Color); color != seat.Color {
			if l.wearing(color) >= l.colorShare() {
				return ColorTaken
			}
			seat.Color = color
		}
		seat.Ready = false
	}
	if c.Ready != nil {
		seat.Ready = *c.Ready
	}
	if seat.Team != l.Seats[i].Team || seat.Handicap != l.Seats[i].Handicap {
		l.settingsChanged()
	}
	l.Seats = slices.Delete(l.Seats, i, i+1)
	l.insertSeat(seat)
	l.Changed()
	return nil
}

// changeEyes lets a spectator choose the team with whose eyes it sees; -1: all. It may
// do so while the match runs: its next ticket says so. No team's eyes see more than all
// do.
func (l *Lobby) changeEyes(i int, c SeatChange) error {
	if c.Color != nil || c.Ready != nil || c.Start != nil || c.Faction != nil || c.Handicap != nil || c.Team == nil {
		return Refuse(NotSeated, "a spectator can change only the team whose view it sees")
	}
	switch t := *c.Team; {
	case t == -1:
		l.Seats[i].Team = grid.NoTeam
	case t >= 0 && t < grid.TeamsMax:
		l.Seats[i].Team = grid.Team(t)
	default:
		return BadTeam
	}
	l.Changed()
	return nil
}

func (l *Lobby) insertSeat(s Seat) {
	i, _ := slices.BinarySearchFunc(l.Seats, s.Place, func(s Seat, place int) int { return s.Place - place })
	l.Seats = slices.Insert(l.Seats, i, s)
}

// teamFor returns the team of the next player or bot, by the lobby's option. They may
// choose another.
func (l *Lobby) teamFor(k SeatKind) grid.Team {
	switch l.Options.Teams {
	case TeamsCoop:
		if k == BotSeat {
			return 1
		}
		return 0
	case TeamsSides:
		return l.smallestTeam(2)
	}
	return l.smallestTeam(grid.TeamsMax)
}

// dealTeams gives all players and bots the team that they would have got, had
// they sat down in the order of their places.
func (l *Lobby) dealTeams() {
	all := l.Seats
	l.Seats = make([]Seat, 0, len(all))
	for _, s := range all {
		if s.Kind != SpectatorSeat {
			s.Team = l.teamFor(s.Kind)
		}
		l.Seats = append(l.Seats, s)
	}
}

// smallestTeam returns, of the first teams, the lowest team with the fewest players and bots. A lobby may have more
// seats than there are teams.
func (l *Lobby) smallestTeam(teams int) grid.Team {
	var in [grid.TeamsMax]int
	for _, s := range l.Seats {
		if s.Kind != SpectatorSeat {
			in[s.Team]++
		}
	}
	return grid.Team(slices.Index(in[:], slices.Min(in[:teams])))
}

// wearing returns how many players have a colour.
func (l *Lobby) wearing(color uint8) (n int) {
	for _, s := range l.Seats {
		if s.Kind != SpectatorSeat && s.Color == color {
			n++
		}
	}
	return n
}

// colorShare is how many players may have the same colour: one, unless the lobby has
// room for more players than there are colours.
func (l *Lobby) colorShare() int { return max(1, (l.Limit+ColorsMax-1)/ColorsMax) }

// freeColor returns the first of the colours that fewest players have.
func (l *Lobby) freeColor() (best uint8) {
	for c := uint8(1); c < ColorsMax; c++ {
		if l.wearing(c) < l.wearing(best) {
			best = c
		}
	}
	return best
}

// PlannedSeat is a seat of a [MatchPlan]: of a player, or without an account of a bot.
type PlannedSeat struct {
	Account  AccountID
	Level    BotLevel // of a bot; "": medium
	Team     *int     // nil, in all seats: as the lobby option "teams" says
	Start    *int     // start point of the map; nil, in all seats: the lowest free one
	Color    *int     // nil, in all seats: the lowest free one
	Faction  string   // "": the server draws one
	Handicap grid.Handicap
}

// SeatPlanned adds one seat of a plan, ready.
func (l *Lobby) SeatPlanned(p PlannedSeat, name string) error {
	seat := Seat{Kind: PlayerSeat, Account: p.Account, Name: name, Ready: true, Faction: p.Faction, Handicap: p.Handicap.Compact()}
	if p.Account == "" {
		seat.Kind, seat.Level = BotSeat, cmp.Or(p.Level, MediumBot)
		if err := seat.Level.Check(); err != nil {
			return err
		}
	}
	if p.Start != nil {
		if seat.Place = *p.Start; seat.Place < 0 || seat.Place >= l.Map.Starts || l.SeatAt(seat.Place) >= 0 {
			return RefuseField(NoSuchSeat, "start", "start point %d is taken, or the map does not have it", seat.Place)
		}
	} else {
		for l.SeatAt(seat.Place) >= 0 {
			seat.Place++
		}
		if seat.Place >= l.Map.Starts {
			return LobbyFull
		}
	}
	if p.Account == "" {
		seat.Name = botName(seat.Place)
	}
	seat.Team = l.teamFor(seat.Kind)
	if p.Team != nil {
		if *p.Team < 0 || *p.Team >= grid.TeamsMax {
			return BadTeam
		}
		seat.Team = grid.Team(*p.Team)
	}
	seat.Color = l.freeColor()
	if p.Color != nil {
		if *p.Color < 0 || *p.Color >= ColorsMax {
			return BadColor
		}
		if l.wearing(uint8(*p.Color)) >= l.colorShare() {
			return ColorTaken
		}
		seat.Color = uint8(*p.Color)
	}
	l.insertSeat(seat)
	return nil
}

// errPlaysOn refuses a change of settings that the match that is played on, or the scenario, has fixed.
var errPlaysOn = Refuse(WrongState, "this lobby plays a match on, or a scenario, which settles its map, rules, teams and colours")

// claim moves a player to another free place of the match that is played on.
func (l *Lobby) claim(seat *Seat, place int) error {
	o, ok := OriginSeat{Start: place, Team: seat.Team, Color: seat.Color, Handicap: seat.Handicap}, place >= 0 && place < l.Limit
	if l.From != nil {
		o, ok = l.Place(place)
	}
	if !ok {
		return NoSuchSeat
	}
	if i := l.SeatAt(place); i >= 0 && l.Seats[i].Account != seat.Account {
		return Refuse(LobbyFull, "this seat is taken")
	}
	seat.Place, seat.Team, seat.Color, seat.Handicap, seat.Ready = o.Start, o.Team, o.Color, o.Handicap, false
	return nil
}

// freePlace returns the free place for an account: its own old one, or the first.
// A place for which the scenario has orders comes after all others.
func (l *Lobby) freePlace(a AccountID) (OriginSeat, bool) {
	var first OriginSeat
	found := false
	for _, o := range l.Places() {
		if l.SeatAt(o.Start) >= 0 {
			continue
		}
		if a != "" && o.Account == a {
			return o, true
		}
		if !found || first.Orders && !o.Orders {
			first, found = o, true
		}
	}
	return first, found
}

// Places returns the playable seats of the match that is played on.
func (l *Lobby) Places() []OriginSeat {
	return slices.DeleteFunc(slices.Clone(l.From.Seats), func(o OriginSeat) bool { return o.Out })
}

// Place returns the playable place of a start point.
func (l *Lobby) Place(place int) (OriginSeat, bool) {
	for _, o := range l.From.Seats {
		if o.Start == place && !o.Out {
			return o, true
		}
	}
	return OriginSeat{}, false
}
