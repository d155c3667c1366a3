package server

import (
	"testing"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/match/link"
)

// Whatever the lobby refuses at a socket with has a code of the protocol; what it
// says of tickets, seats and bans keeps its own.
func TestRefusalsAtTheSocketHaveCodes(t *testing.T) {
	own := map[lobby.Code]bool{
		lobby.BadTicket: true, lobby.TicketUsed: true, lobby.TicketLate: true, lobby.MatchOver: true, lobby.NotSeated: true,
		lobby.NotWhitelisted: true, lobby.BannedAccount: true, lobby.BannedAddress: true, lobby.KickedOut: true, lobby.Unavailable: true,
	}
	for _, row := range lobby.Codes {
		no := refusal(&lobby.Error{Code: row.Code})
		if _, known := link.ClosingOf(no.Code); !known || no.Text == "" || own[row.Code] && no.Code != string(row.Code) {
			t.Errorf("%s comes to a socket as %q, %q", row.Code, no.Code, no.Text)
		}
	}
}
