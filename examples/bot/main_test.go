package main

import (
	"context"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
	"github.com/fogkeep/fogkeep/match/rules"
)

// duel is a ruleset in which little happens until somebody has won.
const duel = `{
  "name": "duel",
  "start": [{"type": "camp", "count": 1}, {"type": "rider", "count": 4}],
  "settings": {"pop_max": 12},
  "weapons": [{"name": "lance", "range": 2, "cooldown": 0.5, "damage": 90}],
  "types": [
    {"name": "rider", "class": "unit", "health": 200, "sight": 9, "build": 5, "pop": 1,
     "movement": "ground", "radius": 0.3, "speed": 20, "turn": 4096, "weapons": ["lance"]},
    {"name": "camp", "class": "structure", "health": 400, "sight": 7, "width": 3, "height": 3,
     "centre": true, "pop_gives": 12, "trains": ["rider"]}
  ]
}`

// The commander plays a match against the server's bot to its end, by a ruleset that
// only this program has.
func TestTheCommanderPlays(t *testing.T) {
	ruleset, err := rules.Parse("duel.json", []byte(duel))
	if err != nil {
		t.Fatal(err)
	}
	c := server.Defaults()
	c.Addr, c.AdminAddr, c.MetricsAddr, c.DataDir, c.LogLevel = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", t.TempDir(), "error"
	open := make(chan string, 1)
	c.Hooks.Rulesets = map[string]*rules.Ruleset{"duel": ruleset}
	c.Hooks.Ready = func(s *server.Server) { open <- s.Addresses().Players }
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s, err := server.New(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	r, err := play(ctx, <-open, "", "commander", map[string]any{"ruleset": "duel", "speedPercent": 300, "countdownSeconds": 0})
	if err != nil || r.Ended.Reason != "last-team" || r.Orders == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	t.Logf("won %v, %d ticks", r.Won, r.Tick)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
