package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/match/sim"
)

// TestInitGameNamesTheOption: what only the match service knows to be wrong is
// refused under the option's own name too, and what is right reaches the match.
func TestInitGameNamesTheOption(t *testing.T) {
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

// TestOptionsReachTheMatch: the limits are the simulation's, in its units.
func TestOptionsReachTheMatch(t *testing.T) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal([]byte(`{"mode":"deathmatch","timeLimitMinutes":240,"scoreLimit":7,"revealOnFire":false}`), &given); err != nil {
		t.Fatal(err)
	}
	o, err := lobby.ParseOptions(lobby.DefaultOptions(), given)
	if err != nil {
		t.Fatal(err)
	}
	got := simOptions(o)
	if got.Mode != "deathmatch" || got.TimeLimitMs != 240*60*1000 || got.ScoreLimit != 7 || !got.NoReveal {
		t.Errorf("%+v", got)
	}
}

// TestOptionRowsFitTheMatch: what a row of the lobby's options names is there,
// and the modes that the form offers are those of the simulation.
func TestOptionRowsFitTheMatch(t *testing.T) {
	o, kinds := lobby.DefaultOptions(), map[reflect.Kind][]reflect.Kind{
		reflect.Int: {reflect.Int32}, reflect.Bool: {reflect.Bool}, reflect.String: {reflect.String},
	}
	for _, d := range lobby.OptionTable {
		if d.Field != "" {
			field, ok := reflect.TypeFor[sim.Options]().FieldByName(d.Field)
			if from := reflect.TypeOf(d.Value(&o)).Elem().Kind(); !ok || !slices.Contains(kinds[from], field.Type.Kind()) {
				t.Errorf("option %s sets %s, which is %v", d.Name, d.Field, field.Type)
			}
		}
		for _, mode := range d.Modes {
			if !slices.Contains(sim.Modes(), mode) {
				t.Errorf("option %s is of the mode %s, which there is not", d.Name, mode)
			}
		}
		if d.Name == "mode" {
			var offered []string
			for _, v := range d.Values {
				offered = append(offered, v.Value)
			}
			if slices.Sort(offered); !slices.Equal(offered, sim.Modes()) {
				t.Errorf("the form offers %v, there are %v", offered, sim.Modes())
			}
		}
	}
	if optionName("score limit") != "scoreLimit" || optionName("nonsense") != "" {
		t.Error("a refused option is not told by its name in the lobby")
	}
}
