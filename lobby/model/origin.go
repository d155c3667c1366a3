package model

import (
	"cmp"
)

// botLevel returns the level of a bot that takes the place.
func (o *OriginSeat) botLevel() BotLevel {
	if o.Orders {
		return ScriptBot
	}
	return cmp.Or(o.Level, MediumBot)
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

// GiveOrders lets the scenario's orders play the bots' seats that have some.
func (l *Lobby) GiveOrders() {
	for i := range l.Seats {
		if o, ok := l.Place(l.Seats[i].Place); ok && o.Orders && l.Seats[i].Kind == BotSeat {
			l.Seats[i].Level, l.Seats[i].Name = ScriptBot, o.Name
		}
	}
}

// SeatBot gives a bot a place.
func (l *Lobby) SeatBot(o OriginSeat, level BotLevel) {
	name := botName(o.Start)
	if level == ScriptBot {
		name = o.Name
	}
	l.insertSeat(Seat{Place: o.Start, Kind: BotSeat, Name: name, Team: o.Team, Color: o.Color, Level: level, Handicap: o.Handicap, Ready: true})
}

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
