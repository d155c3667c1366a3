package room

import (
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/replay"
)

// A lobby that plays an easy bot's match on has an easy bot.
func TestBranchesKeepTheLevelsOfBots(t *testing.T) {
	r := &replay.Replay{Players: []replay.Player{
		{Participant: model.Participant{Start: 0, Account: "a", Name: "Ada"}},
		{Participant: model.Participant{Start: 1, Bot: true, Level: model.EasyBot, Name: "Bot B", Team: 1}},
		{Participant: model.Participant{Start: 2, Bot: true, Level: model.HardBot, Name: "Bot C", Team: 1}},
	}}
	l := branchOf(r, 40, nil)
	if err := l.Sit(model.Account{ID: "a", Name: "Ada"}, false); err != nil {
		t.Fatal(err)
	}
	if err := l.AddBot(l.Host, "", nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Begin(l.Host, time.Now()); err != nil {
		t.Fatal(err)
	}
	if len(l.Seats) != 3 || l.Seats[1].Level != model.EasyBot || l.Seats[2].Level != model.HardBot {
		t.Errorf("seats %+v", l.Seats)
	}
}
