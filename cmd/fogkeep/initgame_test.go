package main

import (
	"testing"

	"github.com/fogkeep/fogkeep/lobby/api"
)

// TestInitGameNamesTheOption: what only the match service knows to be wrong is
// refused under the option's own name too, and what is right reaches the match.
func TestInitGameNamesTheOption(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error")
	play := s.url(t, "play")
	player := guest(t, play, "")
	game := player.playBot("")
	if _, err := player.Leave(t.Context(), game.ID); err != nil { // one match at a time
		t.Fatal(err)
	}
	create := func(options map[string]any) (l api.Lobby, code int, no api.Problem) {
		t.Helper()
		code, no = player.try("POST", "/api/lobbies", api.NewLobby{Name: "r", Map: game.Map.ID, Options: options}, &l)
		return l, code, no
	}
	for _, c := range []struct {
		options map[string]any
		field   string
	}{
		{map[string]any{"mode": "chess"}, "mode"},
		{map[string]any{"ruleset": "monopoly"}, "ruleset"},
		{map[string]any{"scoreLimit": 10}, "scoreLimit"}, // skirmish has none
		{map[string]any{"timeLimitMinutes": 1000}, "timeLimitMinutes"},
		{map[string]any{"ticksPerSecond": 1000}, "ticksPerSecond"},
		{map[string]any{"speedPercent": 400}, "speedPercent"},
		{map[string]any{"speedPercent": 120}, "speedPercent"}, // the match has no such speed
		{map[string]any{"fog": "none"}, "fog"},
	} {
		if _, code, no := create(c.options); code != 422 || no.Code != "bad_option" || no.Field != c.field {
			t.Errorf("%v: %d %v, want the field %s", c.options, code, no, c.field)
		}
	}
	l, code, no := create(map[string]any{"mode": "deathmatch", "scoreLimit": 10, "timeLimitMinutes": 30})
	if code != 200 || l.Options.ScoreLimit != 10 {
		t.Errorf("a deathmatch with limits: %d %v %v", code, l, no)
	}
}
