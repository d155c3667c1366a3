package model

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Origin is the start of a lobby's matches, in place of their mode's beginning:
// a tick of a match that is over, or a scenario. It does not change.
type Origin struct {
	Match    MatchID `json:"match,omitempty"` // "": a scenario
	Tick     uint32  `json:"tick,omitempty"`
	Seconds  int     `json:"seconds,omitempty"`  // of match time up to the tick
	Scenario string  `json:"scenario,omitempty"` // its name; "": a match
	// Seats are all seats of the match or scenario, by start point. Empty in a [Spec].
	Seats []OriginSeat `json:"seats,omitempty"`
}

// OriginSeat is a seat of the match that is played on, or of the scenario.
type OriginSeat struct {
	Start   int       `json:"slot"` // start point, as [Seat.Place]
	Team    grid.Team `json:"team"`
	Color   uint8     `json:"color"`
	Account AccountID `json:"account,omitempty"` // who played it
	Name    string    `json:"name"`              // its player's name, or the scenario's name for it
	Out     bool      `json:"out,omitempty"`     // it was defeated, or had left, by then: it stays empty
	Orders  bool      `json:"orders,omitempty"`  // the scenario has orders for it, which run while it has no player
	Level   BotLevel  `json:"level,omitempty"`   // of the bot that played it; "": a person played it, or the scenario names no level
}

// LevelOfBots is the level of a bot that takes the place.
func (o *OriginSeat) botLevel() BotLevel {
	if o.Orders {
		return ScriptBot
	}
	return cmp.Or(o.Level, MediumBot)
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

// claim moves a player to another free place of the match that is played on.
func (l *Lobby) claim(seat *Seat, place int) error {
	if l.From == nil {
		return Refuse(WrongState, "seats are chosen only in a lobby that plays a match on, or a scenario")
	}
	o, ok := l.Place(place)
	if !ok {
		return NoSuchSeat
	}
	if i := l.SeatAt(place); i >= 0 && l.Seats[i].Account != seat.Account {
		return Refuse(LobbyFull, "this seat is taken")
	}
	seat.Place, seat.Team, seat.Color, seat.Ready = o.Start, o.Team, o.Color, false
	return nil
}

// fillPlaces gives a bot each free place: all that were not out play on.
// The bot is as strong as the earlier one there. A place for which the scenario has orders is played by its orders.
func (l *Lobby) fillPlaces() {
	if l.From == nil {
		return
	}
	for _, o := range l.Places() {
		if l.SeatAt(o.Start) < 0 {
			l.SeatBot(o, o.botLevel())
		}
	}
}

// SeatBot gives a bot a place.
func (l *Lobby) SeatBot(o OriginSeat, level BotLevel) {
	name := botName(o.Start)
	if level == ScriptBot {
		name = o.Name
	}
	l.insertSeat(Seat{Place: o.Start, Kind: BotSeat, Name: name, Team: o.Team, Color: o.Color, Level: level, Ready: true})
}

// errPlaysOn refuses a change of settings that the match that is played on, or the scenario, has fixed.
var errPlaysOn = Refuse(WrongState, "this lobby plays a match on, or a scenario, which settles its map, rules, teams and colours")

// settled reports whether two lobbies' options differ in fixed settings: the options that the simulation goes by.
func settled(a, b *Options) bool {
	for i := range OptionTable {
		d := &OptionTable[i]
		if d.Settled && !sameOption(d.Value(a), d.Value(b)) {
			return false
		}
	}
	return true
}

func sameOption(a, b any) bool {
	switch a := a.(type) {
	case *int:
		return *a == *b.(*int)
	case *bool:
		return *a == *b.(*bool)
	case *string:
		return *a == *b.(*string)
	}
	return true
}
