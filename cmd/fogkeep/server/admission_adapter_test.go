package server

import (
	"testing"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/link"
)

// Each of the lobby's refusals at a socket has a code of the protocol; refusals about
// tickets, seats and bans keep their own.
func TestRefusalsAtTheSocketHaveCodes(t *testing.T) {
	own := map[model.Code]bool{
		model.BadTicket: true, model.TicketUsed: true, model.TicketLate: true, model.MatchOver: true, model.NotSeated: true,
		model.NotWhitelisted: true, model.BannedAccount: true, model.BannedAddress: true, model.KickedOut: true, model.Unavailable: true,
	}
	for _, row := range model.Codes {
		no := refusal(&model.Error{Code: row.Code})
		if _, known := link.ClosingOf(no.Code); !known || no.Text == "" || own[row.Code] && no.Code != string(row.Code) {
			t.Errorf("%s comes to a socket as %q, %q", row.Code, no.Code, no.Text)
		}
	}
}
