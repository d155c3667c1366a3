package bench

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The machine's size follows from the last step in time: per match, beside a server without matches. The scarcer of
// processor and memory bounds it. Without such a step, or without a measurable cost, there is no answer.
func TestFitComputes(t *testing.T) {
	good := FitStep{Matches: 100, ServerCore: 0.5, RSSMB: 250, BytesPerS: 2500, DiskPerS: 50_000, InTime: true}
	late := FitStep{Matches: 200, ServerCore: 2, RSSMB: 900, BytesPerS: 9000, TickLateP99Ms: 80}
	for _, c := range []struct {
		share, memory int
		steps         []FitStep
		matches       int
		bound, wrong  string
	}{
		{50, 100, []FitStep{{Matches: 50, ServerCore: 0.4, RSSMB: 200, InTime: true}, good}, 400, "processor", ""}, // 4 cores
		{50, 100, []FitStep{good, late}, 400, "processor", ""},
		{100, 50, []FitStep{good}, 475, "memory", ""}, // 1,000 MB less 50
		{100, 1, []FitStep{good}, 0, "memory", ""},
		{50, 50, []FitStep{late}, 0, "", "200 matches have ticks that are late (80 ms"},
		{50, 50, []FitStep{{Matches: 4, ServerCore: 0, RSSMB: 60, InTime: true}}, 0, "", "measure more"},
		{50, 50, []FitStep{{Matches: 4, ServerCore: 0.1, RSSMB: 50, InTime: true}}, 0, "", "measure more"},
	} {
		r := FitReport{PlayersAMatch: 2, MachineCores: 4, MachineMB: 2000, IdleMB: 50, Steps: c.steps}
		err := r.compute(c.share, c.memory)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%+v: %v", c.steps, err)
		}
		if r.Matches != c.matches || r.Players != 2*c.matches || err == nil && r.BoundBy != c.bound {
			t.Errorf("%+v: %+v", c, r)
		}
		if c.matches != 400 {
			continue
		}
		for key, v := range map[string][2]float64{
			"cores": {r.Cores, 2}, "rss_mb": {r.RSSMB, 850}, "mbit_per_s": {r.MbitPerS, 16}, "disk_mb_per_hour": {r.DiskMBPerHour, 720},
			"egress_gb_per_1000_player_hours": {r.EgressGB, 9},
		} {
			if math.Abs(v[0]-v[1]) > 1e-9 {
				t.Errorf("%s is %g, want %g", key, v[0], v[1])
			}
		}
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"players", "matches", "cores", "rss_mb", "mbit_per_s", "disk_mb_per_hour", "egress_gb_per_1000_player_hours"} {
			if !strings.Contains(string(b), `"`+key+`":`) {
				t.Errorf("%s is missing: %s", key, b)
			}
		}
	}
}

// A fit names a limit of the machine that it cannot read, before it starts a server.
func TestFitRefuses(t *testing.T) {
	good := FitConfig{Players: 2, Units: 50, Matches: 128, Seconds: 12, Share: 70, Memory: 80}
	for want, change := range map[string]func(*FitConfig){
		"at least 4 matches": func(c *FitConfig) { c.Matches = 3 },
		"2 players":          func(c *FitConfig) { c.Players = 1 },
		"1 unit":             func(c *FitConfig) { c.Units = 0 },
		"5 seconds":          func(c *FitConfig) { c.Seconds = 4 },
		"--share 101":        func(c *FitConfig) { c.Share = 101 },
		"--memory 0":         func(c *FitConfig) { c.Memory = 0 },
	} {
		c := good
		change(&c)
		if _, err := Fit(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestFolderBytes(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, n := range map[string]int{"x": 3, "a/b/y": 40} {
		if err := os.WriteFile(filepath.Join(dir, path), make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := folderBytes(dir); n != 43 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
