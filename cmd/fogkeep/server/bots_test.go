package server

import (
	"testing"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/bot"
)

// Lobbies and bots do not know each other: their levels have the same names.
func TestEveryLevelOfALobbyIsPlayed(t *testing.T) {
	levels := model.BotLevels()
	if len(levels) != len(bot.Levels()) {
		t.Fatalf("lobbies have %v, bots %v", levels, bot.Levels())
	}
	for i, l := range levels {
		if got, err := bot.ParseLevel(string(l)); err != nil || got != bot.Levels()[i] {
			t.Errorf("%q is played as %v: %v", l, got, err)
		}
	}
	if got, err := bot.ParseLevel("brutal"); err == nil || got != bot.Medium {
		t.Errorf("an unknown level is played as %v, %v", got, err)
	}
}
