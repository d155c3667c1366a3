package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/minimap/page"
)

// TestTraceCommand: the packet log of a player of a live match, from the socket to
// the terminal, for people and as JSON; by an admin who may look through the fog.
func TestTraceCommand(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir, "--log-level=error")
	l := guest(t, s.url(t, "play"), "Ada").playBot("")
	command := func(args ...string) (int, string, string) {
		return fogkeep(t, append([]string{"admin", "trace", l.MatchID, "--for=1s", "--admin-url=" + s.url(t, "admin")}, args...)...)
	}
	if code, _, errs := command("1"); code != 2 || !strings.Contains(errs, "password") {
		t.Errorf("without a password: %d, %q", code, errs)
	}
	t.Setenv("FOGKEEP_ADMIN_NAME", "Val")
	t.Setenv("FOGKEEP_ADMIN_PASSWORD", asJSON(t, "admin", "add", "Val", "--role=admin", "--data-dir="+dir)["password"].(string))
	if code, out, errs := command("1"); code != 1 || out != "" || !strings.Contains(errs, "forbidden") {
		t.Errorf("without the right: %d, %q, %q", code, out, errs)
	}
	asJSON(t, "admin", "rights", "Val", "--role=admin", "--fog", "--data-dir="+dir)
	code, out, errs := command("1") // the bot's
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || errs != "" || len(lines) < 10 {
		t.Fatalf("%d, %q, %q", code, out, errs)
	}
	for _, line := range lines {
		if ok, _ := regexp.MatchString(`^tick \d+  \d+ bytes(  snapshot)?(  [a-z_.]+ \d+(/\d+)?)+$`, line); !ok {
			t.Errorf("line %q", line)
		}
	}
	code, out, errs = command("1", "--json")
	lines = strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || errs != "" || len(lines) < 10 {
		t.Fatalf("%d, %q, %q", code, out, errs)
	}
	for _, line := range lines {
		var r page.TraceLine
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Bytes == 0 || len(r.Parts) == 0 {
			t.Errorf("line %q: %v", line, err)
		}
	}
	for _, args := range [][]string{{"9"}, {"everybody"}, {"1", "--for=1h"}, {"1", "--for=1ms"}} {
		if code, out, errs := command(args...); code != 1 || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %d, %q, %q", args, code, out, errs)
		}
	}
}
