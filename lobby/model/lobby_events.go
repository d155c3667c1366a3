package model

import (
	"encoding/json"
)

// Since returns the number of the last event before the account took its seat.
func (l *Lobby) Since(a AccountID) int64 {
	if i := l.SeatOf(a); i >= 0 {
		return l.Seats[i].Since
	}
	return 0
}

// Say notes a line of chat.
func (l *Lobby) Say(a AccountID, text string) error {
	i := l.SeatOf(a)
	if i < 0 {
		return l.Stranger()
	}
	if l.State == Playing && l.Seats[i].Kind == SpectatorSeat {
		return Refuse(WrongState, "spectators cannot chat while the match runs")
	}
	text, err := CleanLine(BadText, "text", text, ChatLenMax)
	if err != nil {
		return err
	}
	l.Note(ChatEvent, a, ChatLine{Account: a, Name: l.Seats[i].Name, Text: text, Kept: l.Options.ChatHistory})
	return nil
}

// IsSentTo reports whether an account gets an event of its lobby: a seated account gets the
// events since it sat down, a removed one its removal. Earlier events, and reasons of others'
// removals, stay private. A block silences chat in both directions.
func (l *Lobby) IsSentTo(e Event, a AccountID) bool {
	if l.silences(e, a) {
		return false
	}
	if i := l.SeatOf(a); i >= 0 {
		return e.Seq > l.Seats[i].Since && e.Kind != KickedEvent
	}
	return e.Kind == KickedEvent && e.Account == a
}

func (l *Lobby) silences(e Event, a AccountID) bool {
	return e.Kind == ChatEvent && Apart(l.Silenced, e.Account, a)
}

// ChatFor picks the chat for an account that opens the lobby: lines since it sat down, and earlier lines that are
// kept for later players, if the host still wants that.
func (l *Lobby) ChatFor(a AccountID, lines []Event) (out []Event) {
	for _, e := range lines {
		var line ChatLine
		if l.IsSentTo(e, a) || l.Options.ChatHistory && !l.silences(e, a) && json.Unmarshal(e.Body, &line) == nil && line.Kept {
			out = append(out, e)
		}
	}
	return out
}
