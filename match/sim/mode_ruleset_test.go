package sim

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// modeSetup is a match of three players in two teams, in the mode that the JSON text declares.
func modeSetup(t *testing.T, mode string) Setup {
	t.Helper()
	text, err := rules.ShippedText("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("mode.json", bytes.Replace(text, []byte(`"weapons": [`), []byte(`"modes": [`+mode+`], "weapons": [`), 1))
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("field", 48, 48)
	m.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 37, Y: 37}, {X: 10, Y: 37}}
	return Setup{Map: m, Rules: rs, Seed: 9, TickRate: 20, Options: Options{Mode: rs.Modes[0].Name},
		Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 1, Start: 2, Bot: true}}}
}

// stepped plays n ticks. Each second, the saved state is restored, and steps on to the same hash.
func stepped(t *testing.T, s Setup, w *World, n int) {
	t.Helper()
	for range n {
		if w.tick%20 == 0 {
			again, err := Restore(s, w.Save(nil))
			if err != nil {
				t.Fatal(err)
			}
			w.Step(nil)
			again.Step(nil)
			if w.Hash() != again.Hash() || !bytes.Equal(w.Save(nil), again.Save(nil)) {
				t.Fatalf("tick %d: the restored state steps on to another", w.tick)
			}
			continue
		}
		w.Step(nil)
	}
}

// TestConditions: each kind of condition, for a team or a player for which it holds and for one for which it does not.
func TestConditions(t *testing.T) {
	const areas = `"areas": [{"name": "hill", "radius": 3}, {"name": "corner", "x": 0, "y": 0, "radius": 2}, {"name": "home", "at_start": true, "radius": 8}]`
	for _, tt := range []struct{ name, of, cond string }{
		{"holds", "team", `{"kind": "holds", "area": "hill"}`},
		{"holds not", "team", `{"kind": "holds", "area": "corner", "not": true}, {"kind": "holds", "area": "hill"}`},
		{"is present", "team", `{"kind": "present", "area": "hill", "min": 1}`},
		{"is present in number", "team", `{"kind": "present", "area": "hill", "min": 1, "max": 1}`},
		{"is at home", "player", `{"kind": "present", "area": "home", "min": 4}, {"kind": "owns", "type": "flyer", "min": 1}`},
		{"owns", "team", `{"kind": "owns", "type": "flyer", "min": 1}`},
		{"lacks", "team", `{"kind": "owns", "type": "detector", "max": 0}`},
		{"sees", "team", `{"kind": "sees", "area": "hill"}`},
		{"has", "team", `{"kind": "stock", "resource": "ore", "min": 500, "max": 500}`},
		{"scored", "team", `{"kind": "score", "min": 7}`},
		{"has no bots alone", "player", `{"kind": "bots", "not": true}, {"kind": "score", "min": 7}`},
		{"later", "team", `{"kind": "time", "min": 1}, {"kind": "owns", "type": "flyer", "min": 1}`},
		{"value", "team", `{"kind": "value", "value": "mark", "min": 3}`},
	} {
		s := modeSetup(t, `{"name": "m", "values": [{"name": "yes"}, {"name": "mark"}], `+areas+`,
			"triggers": [{"for": "`+tt.of+`", "if": [`+tt.cond+`], "do": [{"kind": "set", "value": "yes", "amount": 1}]}]}`)
		w, err := New(s)
		if err != nil {
			t.Fatal(tt.name, err)
		}
		typ, _ := s.Rules.TypeByName("flyer")
		w.spawn(0, typ, grid.Tile{X: 24, Y: 24}.Center(), false)
		typ, _ = s.Rules.TypeByName("detector")
		w.spawn(1, typ, grid.Tile{X: 40, Y: 37}.Center(), false)
		w.settle()
		w.players[0].score, w.players[0].stock[0], w.guest.values[1][0] = 7, 500, 3
		stepped(t, s, w, 21)
		if w.guest.values[0][0] != 1 || w.guest.values[0][1] != 0 {
			t.Errorf("%s: team 0 has %d, team 1 %d", tt.name, w.guest.values[0][0], w.guest.values[0][1])
		}
	}
}

// TestActions: each kind of action, once, at the first tick.
func TestActions(t *testing.T) {
	for _, tt := range []struct {
		name, of, do string
		want         func(w *World) bool
	}{
		{"add", "team", `{"kind": "add", "value": "v", "amount": 5}`, func(w *World) bool { return w.guest.values[0] == [grid.TeamsMax]int32{5, 5} }},
		{"add below 0", "team", `{"kind": "add", "value": "v", "amount": -5}`, func(w *World) bool { return w.guest.values[0] == [grid.TeamsMax]int32{} }},
		{"set for each player", "player", `{"kind": "add", "value": "v", "amount": 5}`, func(w *World) bool { return w.guest.values[0] == [grid.TeamsMax]int32{5, 10} }},
		{"give", "team", `{"kind": "give", "resource": "gas", "amount": 11}`, func(w *World) bool { return w.players[0].stock[1] == 111 && w.players[2].stock[1] == 111 }},
		{"take all", "team", `{"kind": "give", "resource": "gas", "amount": -500}`, func(w *World) bool { return w.players[0].stock[1] == 0 }},
		{"score of a team", "team", `{"kind": "score", "amount": 3}`, func(w *World) bool {
			return w.players[0].score == 3 && w.players[1].score == 3 && w.players[2].score == 0
		}},
		{"reveal", "player", `{"kind": "reveal", "area": "hill", "sight": 2, "duration": 5}`, func(w *World) bool {
			return w.eyes.Visible(0, grid.Tile{X: 24, Y: 24}) && w.eyes.Visible(1, grid.Tile{X: 24, Y: 24})
		}},
		{"spawn at home", "team", `{"kind": "spawn", "type": "raider", "area": "home", "count": 2}`, func(w *World) bool {
			typ, _ := w.rules.TypeByName("raider")
			near := 0
			for _, e := range w.all {
				if e.typ == typ && e.Tile().Dist2(w.m.Starts[w.players[e.slot].start]) <= 8*8*2 {
					near++
				}
			}
			return near == 6 && w.players[2].counts[typ] == 2
		}},
		{"spawn in one place", "player", `{"kind": "spawn", "type": "raider", "area": "hill", "count": 2}`, func(w *World) bool {
			typ, _ := w.rules.TypeByName("raider")
			return w.players[0].counts[typ] == 2 && w.players[1].counts[typ] == 2 && w.players[2].counts[typ] == 2
		}},
		{"defeat", "player", `{"kind": "defeat"}`, func(w *World) bool { return w.result != nil && w.result.Winner == grid.NoTeam }},
		{"both win", "team", `{"kind": "win", "reason": "at-once"}`, func(w *World) bool {
			return w.result != nil && w.result.Winner == grid.NoTeam && w.result.Reason == "at-once"
		}},
	} {
		s := modeSetup(t, `{"name": "m", "values": [{"name": "v", "open": true}], "areas": [{"name": "hill"}, {"name": "home", "at_start": true, "radius": 8}],
			"triggers": [{"for": "`+tt.of+`", "every": 0.05, "once": true, "do": [`+tt.do+`]}]}`)
		w, err := New(s)
		if err != nil {
			t.Fatal(tt.name, err)
		}
		stepped(t, s, w, 3)
		if !tt.want(w) {
			t.Errorf("%s: stock %v and %v, values %v, result %+v", tt.name, w.players[0].stock, w.players[2].stock, w.guest.values[0][:3], w.result)
		}
	}
}

// TestKingOfTheHill plays a whole mode: the team that holds the hill counts up, the scores and values are open, and at
// 20 seconds it wins. A hill with units of both teams counts for no team.
func TestKingOfTheHill(t *testing.T) {
	s := modeSetup(t, `{"name": "king", "defeat": "never", "open_scores": true, "values": [{"name": "held", "open": true}], "areas": [{"name": "hill"}],
		"triggers": [
		 {"if": [{"kind": "holds", "area": "hill"}], "do": [{"kind": "add", "value": "held", "amount": 1}, {"kind": "score", "amount": 10}]},
		 {"if": [{"kind": "value", "value": "held", "min": 5}], "do": [{"kind": "win", "reason": "hill-held"}]}]}`)
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	if !w.OpenScores() || len(w.ModeValues()) != 1 || !w.ModeValues()[0].Open {
		t.Errorf("open scores %v, values %v", w.OpenScores(), w.ModeValues())
	}
	typ, _ := s.Rules.TypeByName("detector")
	own := w.spawn(1, typ, grid.Tile{X: 24, Y: 24}.Center(), false)
	foe := w.spawn(0, typ, grid.Tile{X: 26, Y: 24}.Center(), false)
	w.settle()
	stepped(t, s, w, 40)
	if w.ModeValue(0, 0)+w.ModeValue(0, 1) != 0 {
		t.Errorf("both are on the hill, and it counts %d and %d", w.ModeValue(0, 0), w.ModeValue(0, 1))
	}
	w.kill(foe)
	w.settle()
	w.Step(nil) // the death is no part of a saved state
	stepped(t, s, w, 39)
	if w.ModeValue(0, 1) != 2 || w.players[1].shown != 20 || w.ModeValue(0, 0) != 0 {
		t.Errorf("after two seconds it counts %d, score %d", w.ModeValue(0, 1), w.players[1].shown)
	}
	stepped(t, s, w, 60)
	if r := w.Result(); r == nil || r.Winner != 1 || r.Reason != "hill-held" || r.Players[1].Values["held"] != 5 || own.dying {
		t.Errorf("the result is %+v", r)
	}
}

// TestDefeatInAMode: by the mode's rule players without a centre, or without units, are out.
func TestDefeatInAMode(t *testing.T) {
	for rule, out := range map[string]bool{"centre": true, "units": false, "never": false} {
		s := modeSetup(t, `{"name": "m", "defeat": "`+rule+`", "triggers": []}`)
		w, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range w.all {
			if e.slot == 0 && s.Rules.Types[e.typ].Centre {
				w.kill(e)
			}
		}
		w.settle()
		w.Step(nil) // the deaths are no part of a saved state
		stepped(t, s, w, 2)
		if (w.result != nil) != out {
			t.Errorf("%s: without a centre the result is %+v", rule, w.result)
		}
		for _, e := range w.all {
			if e.slot == 0 && w.result == nil {
				w.kill(e)
			}
		}
		w.settle()
		w.Step(nil) // the deaths are no part of a saved state
		stepped(t, s, w, 2)
		if (w.result != nil) != (rule != "never") {
			t.Errorf("%s: without anything the result is %+v", rule, w.result)
		}
	}
}

// TestModesOfARuleset: a match can have the modes of its ruleset alone, and no score limit in them.
func TestModesOfARuleset(t *testing.T) {
	s := modeSetup(t, `{"name": "m", "triggers": []}`)
	for name, want := range map[string]string{"m": "", "king": `no "king"; there are `, "": "", "deathmatch": ""} {
		s.Options = Options{Mode: name}
		if err := s.Check(); (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), " m]")) {
			t.Errorf("%q: %v", name, err)
		}
	}
	s.Options = Options{Mode: "m", ScoreLimit: 3}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "their triggers end the match") {
		t.Errorf("a score limit: %v", err)
	}
}

// TestRespawn: a restored match brings the same units back, and refuses waits that its mode cannot have.
func TestRespawn(t *testing.T) {
	s := modeSetup(t, `{"name": "m", "values": [{"name": "left"}], "areas": [{"name": "home", "at_start": true, "radius": 8}],
		"respawns": [{"type": "raider", "delay": 2, "limit": 1, "area": "home", "value": "left"}]}`)
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	typ, _ := s.Rules.TypeByName("raider")
	for range 2 {
		w.kill(w.spawn(2, typ, grid.Tile{X: 24, Y: 24}.Center(), false))
		w.settle()
		w.Step(nil) // the death is no part of a saved state
	}
	stepped(t, s, w, 20)
	if w.ModeValue(0, 1) != 1 || w.ModeValue(0, 0) != 0 || w.players[2].counts[typ] != 0 {
		t.Errorf("a second before the return it counts %d and %d, and there are %d", w.ModeValue(0, 1), w.ModeValue(0, 0), w.players[2].counts[typ])
	}
	stepped(t, s, w, 25)
	if w.ModeValue(0, 1) != 0 || w.players[2].counts[typ] != 1 {
		t.Errorf("after two seconds it counts %d, and there are %d", w.ModeValue(0, 1), w.players[2].counts[typ])
	}
	for want, waits := range map[string][]wait{
		"a unit of player 3 waits": {{slot: 3}}, "by rule 1": {{rule: 1}}, "257 units wait": make([]wait, 257),
	} {
		w.guest.waits = waits
		if _, err := Restore(s, w.Save(nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	w.guest.waits = []wait{{slot: 2}}
	if w.defeat(&w.players[2]); w.awaits(&w.players[2]) {
		w.Step(nil)
	}
	if w.awaits(&w.players[2]) {
		t.Error("a player who is out waits for a unit")
	}
}
