package tools

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLab: the command plays a scenario to the tick that it says, or that it is told, and
// its journal is one that the commands of replay read. A file that is wrong is refused
// with the place.
func TestLab(t *testing.T) {
	t.Parallel()
	const example = "../../../match/scenario/testdata/attack.json"
	dir := t.TempDir()
	written := filepath.Join(dir, "lab.journal")
	play := func(args ...string) labReport {
		t.Helper()
		code, out, errs := fogkeep(t, append([]string{"lab", "--json"}, args...)...)
		if code != 0 {
			t.Fatalf("%v: %s", args, errs)
		}
		var r labReport
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := play(example, "--journal", written)
	if r.Name != "Two soldiers" || r.Tick != 60 || r.Things != 2 || len(r.Seats) != 2 || r.Outcome != "unfinished" ||
		len(r.Orders) != 1 || r.Orders[0] != (labOrder{0, 1, 0, "attack", "OK"}) {
		t.Errorf("played: %+v", r)
	}
	if again := play(example); again.Hash != r.Hash {
		t.Errorf("hash %s, then %s", r.Hash, again.Hash)
	}
	if r := play(example, "--to", "0"); r.Tick != 0 || len(r.Orders) != 0 {
		t.Errorf("checked only: %+v", r)
	}
	if r := play(example, "--to", "5000"); r.Outcome != "nobody-left" || r.Result == nil {
		t.Errorf("to the end: %+v", r)
	}
	for _, args := range [][]string{{"replay", "verify", written}, {"replay", "render", written, "--tick", "60", "--out", filepath.Join(dir, "lab.png")}} {
		if code, _, errs := fogkeep(t, args...); code != 0 {
			t.Errorf("%v: %s", args, errs)
		}
	}
	// A scenario of a pack has the pack's ruleset and map, in a folder or in a file.
	const frost = "../../../match/pack/testdata/frost"
	built := filepath.Join(dir, "frost.fogpack")
	if code, _, errs := fogkeep(t, "pack", "build", frost, "-o", built); code != 0 {
		t.Fatal(errs)
	}
	if r = play(frost + "/scenarios/breath.json"); r.Rules != "frost" || r.Map != "Frozen Lake" || r.Outcome != "last-team" {
		t.Errorf("a scenario of a pack: %+v", r)
	}
	if again := play("breath", "--pack", built); again.Hash != r.Hash {
		t.Errorf("of the built pack: hash %s, of its folder %s", again.Hash, r.Hash)
	}
	b, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, bytes.Replace(b, []byte(`[11.5, 4.5]`), []byte(`[99, 4.5]`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{bad: "/units/1: it is off the map", filepath.Join(dir, "none"): "no such file", "breath --pack " + example: "attack.json: ", example + " --journal " + written: "exists"} {
		if code, _, errs := fogkeep(t, append([]string{"lab"}, strings.Fields(args)...)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: code %d, %q, want %q", args, code, errs, want)
		}
	}
}
