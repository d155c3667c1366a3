package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/tools"
)

// The studio's program has the tools of fogkeep: it checks the studio's ruleset, plays a scenario and bots by it, and plays
// their journals again.
func TestToolsOfTheStudio(t *testing.T) {
	dir := t.TempDir()
	run := func(report any, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := tools.Run(t.Context(), "server", "", &commands{}, args, &out, &errs); code != 0 {
			t.Fatalf("%s: exit code %d: %s", strings.Join(args, " "), code, errs.String())
		}
		if err := json.Unmarshal(out.Bytes(), report); err != nil {
			t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out.String())
		}
	}
	const ruleset = "../rules/duel.json"
	var verdict struct {
		Valid    bool
		Warnings []string
	}
	if run(&verdict, "rules", "check", "--json", ruleset); !verdict.Valid || len(verdict.Warnings) != 0 {
		t.Errorf("the ruleset: %+v", verdict)
	}

	played := filepath.Join(dir, "lab.journal")
	var lab struct{ Orders []struct{ Answer string } }
	run(&lab, "lab", "../lab/mark.json", "--rules", ruleset, "--journal", played, "--json")
	if len(lab.Orders) != 1 || lab.Orders[0].Answer != "OK" {
		t.Errorf("the scenario: %+v", lab)
	}
	var table struct{ Rows []struct{ Drawn int } }
	run(&table, "bots", "--rules", ruleset, "--maps", "twin-fords", "--pairs", "easy-idle", "--seeds", "1", "--limit-seconds", "20", "--journal", dir, "--json")
	if len(table.Rows) != 1 || table.Rows[0].Drawn != 1 {
		t.Errorf("the bots: %+v", table)
	}

	for _, file := range []string{played, filepath.Join(dir, "easy-idle-twin-fords-0.journal")} {
		var replay struct {
			Rules    string
			Ticks    int
			Diverged string
		}
		if run(&replay, "replay", "verify", "--json", file); replay.Rules != "duel" || replay.Ticks < 100 || replay.Diverged != "" {
			t.Errorf("%s: %+v", file, replay)
		}
		if run(new(json.RawMessage), "replay", "info", "--play", "--json", file); t.Failed() {
			return
		}
	}
}
