package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/spec"
)

// TestBudgetsOfALiveMatch: the host by its API, and an admin by the command line,
// change what the sockets of a match are sent; the sockets are told.
func TestBudgetsOfALiveMatch(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir, "--log-level=error", "--bytes-per-second=60000")
	ctx, host, other := t.Context(), guest(t, s.url(t, "play"), "Ada"), guest(t, s.url(t, "play"), "Bob")
	l := host.playBot("")
	socket := host.open(host.ticket(l.ID))
	w, closing := socket.welcome()
	if w.GetBytesPerS() != 60_000 {
		t.Fatalf("welcomed with %d bytes a second, %v", w.GetBytesPerS(), closing)
	}
	told := func(what string, want uint32) {
		t.Helper()
		for range 400 {
			if b := socket.read().Budget; b != nil {
				if b.BytesPerS != want {
					t.Errorf("%s: told of %d bytes a second, want %d", what, b.BytesPerS, want)
				}
				return
			}
		}
		t.Fatalf("%s: nothing is told", what)
	}
	if l, err := host.SetBudget(ctx, l.ID, 9000); err != nil || l.Options.BytesPerS != 9000 {
		t.Fatalf("the lobby keeps %d bytes a second: %v", l.Options.BytesPerS, err)
	}
	told("the host", 9000)
	if _, err := other.SetBudget(ctx, l.ID, 8000); !client.Refused(err, model.NotSeated) {
		t.Errorf("one who does not sit there: %v", err)
	}
	if _, err := host.SetBudget(ctx, l.ID, 511); !client.Refused(err, model.BadRequest) {
		t.Errorf("too few: %v", err)
	}
	t.Setenv("FOGKEEP_ADMIN_NAME", "Mo")
	t.Setenv("FOGKEEP_ADMIN_PASSWORD", asJSON(t, "admin", "add", "Mo", "--role=moderator", "--data-dir="+dir)["password"].(string))
	admin := "--admin-url=" + s.url(t, "admin")
	if r := asJSON(t, "admin", "budget", l.MatchID, "100000", admin); r["bytesPerS"] != 1e5 {
		t.Errorf("answered %v", r)
	}
	told("an admin", 100_000)
	asJSON(t, "admin", "budget", l.MatchID, "700", "--slot=0", admin)
	told("an admin, for one player", 700)
	if code, out, errs := fogkeep(t, "admin", "budget", l.MatchID, "700", "--slot=9", admin); code != 1 || out != "" || !strings.Contains(errs, "no_such_seat") {
		t.Errorf("a seat that is not: %d, %q, %q", code, out, errs)
	}
	if code, _, errs := fogkeep(t, "admin", "budget", l.MatchID, "3", admin); code != 1 || !strings.Contains(errs, "bad_request") {
		t.Errorf("too few: %d, %q", code, errs)
	}
	rows := asJSON(t, "admin", "audit", "--data-dir="+dir)["rows"].([]any)
	var found []any
	for _, row := range rows {
		if r := row.(map[string]any); r["action"] == "match.budget" && r["subject"] == l.MatchID && r["admin"] == "Mo" {
			found = append(found, r["detail"])
		}
	}
	if len(found) != 2 || found[0] != "700 bytes per second to slot 0" || found[1] != "100000 bytes per second" {
		t.Errorf("audit rows %v", found)
	}
	asJSON(t, "admin", "rights", "Mo", "--role=viewer", "--data-dir="+dir)
	if code, _, errs := fogkeep(t, "admin", "budget", l.MatchID, "900", admin); code != 1 || !strings.Contains(errs, "forbidden") {
		t.Errorf("a viewer: %d, %q", code, errs)
	}
}

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
	// A busy machine sends fewer than the ten frames of a second.
	const fewest = 2
	code, out, errs := command("1") // the bot's
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || errs != "" || len(lines) < fewest {
		t.Fatalf("%d, %q, %q", code, out, errs)
	}
	form := regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{3}  tick \d+  (server|client) \d+ bytes(  snapshot)?(  [a-z_.]+ \d+(/\d+)?)+$|^    ((order|answer) \d+ [A-Z_]+|[a-z-]+ \d+: [a-z_]+ \d+|and \d+ more)`)
	for _, line := range lines {
		if !form.MatchString(line) {
			t.Errorf("line %q", line)
		}
	}
	code, out, errs = command("1", "--json")
	lines = strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || errs != "" || len(lines) < fewest {
		t.Fatalf("%d, %q, %q", code, out, errs)
	}
	for _, line := range lines {
		var r spec.TraceLine
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Bytes == 0 || r.Time.IsZero() || len(r.Parts) == 0 {
			t.Errorf("line %q: %v", line, err)
		}
	}
	if code, out, errs = command("1", "--from=client", "--part=applied"); code != 0 || errs != "" || !strings.Contains(out, " client ") || strings.Contains(out, " server ") {
		t.Errorf("the bot's messages: %d, %q, %q", code, out, errs)
	}
	for _, args := range [][]string{{"9"}, {"1", "--part=nothing"}, {"everybody"}, {"1", "--for=1h"}, {"1", "--for=1ms"}} {
		if code, out, errs := command(args...); code != 1 || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %d, %q, %q", args, code, out, errs)
		}
	}
}
