package server

import (
	"testing"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/bot"
)

// Lobbies and bots do not know each other: their levels and styles have the same names.
func TestEveryLevelOfALobbyIsPlayed(t *testing.T) {
	levels, styles := model.BotLevels(), model.BotStyles()
	if len(levels) != len(bot.Levels()) || len(styles) != len(bot.Styles()) {
		t.Fatalf("lobbies have %v and %v, bots %v and %v", levels, styles, bot.Levels(), bot.Styles())
	}
	for i, l := range levels {
		if got, err := bot.Parse(string(l)); err != nil || got != (bot.Skill{Level: bot.Levels()[i]}) {
			t.Errorf("%q is played as %v: %v", l, got, err)
		}
		for k, s := range styles {
			styled := l + model.BotLevel(":"+s)
			got, err := bot.Parse(string(styled))
			if err != nil || got != (bot.Skill{Level: bot.Levels()[i], Style: bot.Styles()[k]}) || styled.Check() != nil {
				t.Errorf("%q is played as %v: %v, %v", styled, got, err, styled.Check())
			}
		}
	}
	for _, wrong := range []model.BotLevel{"brutal", "hard:", "hard:brutal", ":rush", "Hard"} {
		if got, err := bot.Parse(string(wrong)); err == nil || got != (bot.Skill{Level: bot.Medium}) || wrong.Check() == nil {
			t.Errorf("the level %q is played as %v, %v, %v", wrong, got, err, wrong.Check())
		}
	}
}
