package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/grid"
)

// swamp is a ruleset whose names nobody else has.
const swamp = `{
  "name": "The Swamp",
  "resources": ["peat"],
  "places": ["peat-bog"],
  "start": [{"type": "lodge", "count": 1}, {"type": "heron", "count": 2}, {"type": "digger", "count": 2}],
  "settings": {"start_stock": {"peat": 100}, "pop_max": 20},
  "weapons": [{"name": "beak", "range": 2, "cooldown": 0.5, "damage": 90}],
  "types": [
    {"name": "heron", "class": "unit", "health": 80, "sight": 8, "cost": {"peat": 50}, "build": 2, "pop": 1,
     "movement": "ground", "radius": 0.3, "speed": 20, "turn": 2048, "weapons": ["beak"]},
    {"name": "digger", "class": "unit", "health": 50, "sight": 5, "cost": {"peat": 20}, "build": 2, "pop": 1,
     "movement": "ground", "radius": 0.3, "speed": 5, "turn": 2048, "harvest": {"carry": 5, "time": 1}},
    {"name": "lodge", "class": "structure", "health": 300, "sight": 7, "width": 3, "height": 3,
     "centre": true, "pop_gives": 20, "trains": ["heron", "digger"], "drop_off": true},
    {"name": "peat-bog", "class": "resource", "resource": "peat", "stock": 1500}
  ]
}
`

// A ruleset that an operator puts into the folder is listed, chosen by its file's
// name, and played, by a server's bot and by one that comes as a client does. A bad
// one is left out with the place of its error, and the server runs.
func TestARulesetOfTheOperatorIsPlayed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "house", "rules")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"swamp.json": swamp, "broken.json": strings.Replace(swamp, `"sight": 5`, `"sight": 500`, 1), "no-home.json": strings.Replace(swamp, `"centre": true, `, "", 1),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, dir, "--log-level=warn", "--content-dir", filepath.Dir(folder))
	if log := s.errs.String(); !strings.Contains(log, "a ruleset is left out") || !strings.Contains(log, `broken.json:11: /types/1/sight: `) ||
		!strings.Contains(log, `"a ruleset is odd","ruleset":"no-home"`) || strings.Contains(log, "swamp.json") {
		t.Errorf("the log says:\n%s", log)
	}
	sum := sha256.Sum256([]byte(swamp))
	hash := hex.EncodeToString(sum[:])
	ctx, host := t.Context(), guest(t, s.url(t, "play"), "Ada")
	list, err := host.Rulesets(ctx)
	if err != nil || len(list) != 4 || list[0].ID != "arsenal" || list[1].ID != "skirmish" || !slices.ContainsFunc(list, func(i model.RulesetInfo) bool {
		return i.ID == "swamp" && i.Name == "The Swamp" && i.Hash == hash && i.Modes == nil
	}) ||
		!slices.Contains(list[0].Modes, "king-of-the-hill") {
		t.Fatalf("the server lists %+v, %v", list, err)
	}
	maps, err := host.Maps(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wish := api.NewLobby{Name: "swamp", Map: maps[0].ID, Limit: 2, Options: map[string]any{"ruleset": "broken"}}
	if code, no := host.try("POST", "/api/lobbies", wish, nil); code != 422 || no.Field != "ruleset" || !strings.Contains(no.Detail, "the rulesets are arsenal, skirmish, no-home, swamp") {
		t.Errorf("a ruleset that was left out: %d %+v", code, no)
	}
	wish.Options = map[string]any{"ruleset": "swamp", "countdownSeconds": 0, "speedPercent": 300}
	l, err := host.CreateLobby(ctx, wish)
	if err == nil {
		l, err = host.AddBot(ctx, l.ID, api.BotRequest{Level: model.HardBot})
	}
	if err == nil {
		l, err = host.Start(ctx, l.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	w, closing := host.open(host.ticket(l.ID)).welcome()
	if w == nil || w.RulesHash != hash || w.Types[0].Name != "heron" || w.Resources[0] != "peat" {
		t.Fatalf("welcomed with %v, %v", w, closing)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	applied := grid.Tick(0)
	r, err := bot.Play(ctx, bot.Config{Socket: host.Socket(), Ticket: host.ticket(l.ID).Ticket, Map: host.Map, New: bot.Hard.New, Applied: func(tick grid.Tick) {
		if applied = tick; tick >= 240 {
			cancel()
		}
	}})
	if applied < 240 && r.Ended == nil || r.Orders == 0 { // a bot may have won before
		t.Errorf("a bot plays it up to tick %d: %+v, %v\n%s", applied, r, err, s.errs)
	}
	if log := s.errs.String(); strings.Contains(log, "a bot left its match") {
		t.Errorf("the server's bot does not play it:\n%s", log)
	}
}

func TestRulesCheck(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "swamp.json"), filepath.Join(dir, "bad.json")
	for p, text := range map[string]string{good: swamp, bad: "{\n\"name\": 7,\n\"types\": [9]}"} {
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, errs := fogkeep(t, "rules", "check", good); code != 0 || !strings.Contains(errs, `its "name" is "The Swamp"`) || !strings.Contains(out, "valid, 4 types, 1 warnings, hash ") {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
	code, out, errs := fogkeep(t, "rules", "check", "--json", bad)
	if code != 1 || !strings.Contains(errs, bad+":2: ") || !strings.Contains(errs, bad+":3: /types/0: want an object, got 9") ||
		!strings.Contains(out, `"errors":[{"line":2,"pointer":"/name","why":"want a text, got 7"},{"line":3,`) || !strings.Contains(out, `"valid":false`) || !strings.Contains(out, `:2: `) {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
}

func TestRulesNewDiffSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my-game.json")
	if code, out, errs := fogkeep(t, "rules", "new", path); code != 0 || !strings.Contains(out, "a copy of skirmish") {
		t.Fatalf("new: %d, %q, %q", code, out, errs)
	}
	if code, _, errs := fogkeep(t, "rules", "new", path); code != 1 || !strings.Contains(errs, "exists") {
		t.Errorf("new, over a file that exists: %d, %q", code, errs)
	}
	if code, _, errs := fogkeep(t, "rules", "new", "My Game.json"); code != 1 || !strings.Contains(errs, "want NAME.json") {
		t.Errorf("new, with a wrong name: %d, %q", code, errs)
	}
	if code, _, errs := fogkeep(t, "rules", "new", "--from", "chess", filepath.Join(filepath.Dir(path), "x.json")); code != 1 || !strings.Contains(errs, `no ruleset "chess"`) {
		t.Errorf("new, from an unknown ruleset: %d, %q", code, errs)
	}
	if code, out, errs := fogkeep(t, "rules", "check", path); code != 0 || errs != "" {
		t.Errorf("check: %d, %q, %q", code, out, errs)
	}
	if code, out, errs := fogkeep(t, "rules", "diff", "skirmish", path); code != 0 || out != "/name: \"my-game\", was \"skirmish\"\ndifferences: 1\n" {
		t.Errorf("diff: %d, %q, %q", code, out, errs)
	}
	if code, out, errs := fogkeep(t, "rules", "diff", "--json", path, "skirmish"); code != 0 || out != `[{"place":"/name","old":"\"my-game\"","new":"\"skirmish\""}]`+"\n" {
		t.Errorf("diff --json: %d, %q, %q", code, out, errs)
	}
	if code, _, errs := fogkeep(t, "rules", "diff", "skirmish", "chess"); code != 1 || !strings.Contains(errs, "chess") {
		t.Errorf("diff with a missing file: %d, %q", code, errs)
	}
	if code, out, errs := fogkeep(t, "rules", "schema"); code != 0 || !json.Valid([]byte(out)) {
		t.Errorf("schema: %d, %q", code, errs)
	}
}
