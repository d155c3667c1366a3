package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
)

// checkout is the folder of this module.
var checkout, _ = filepath.Abs("../..")

// TestNewGame: the folder has a valid ruleset with a mode and settings that a server accepts; a bad name and a folder
// that exists are refused. The long test builds its server against this module.
func TestNewGame(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "marsh")
	if code, out, errs := fogkeep(t, "new", dir); code != 0 || !strings.Contains(out, dir) {
		t.Fatalf("exit code %d, %s%s", code, out, errs)
	}
	rs, err := rulesfile.Open(filepath.Join(dir, "rules/marsh.json"))
	if err != nil {
		t.Fatal(err)
	}
	if rs.Name != "marsh" || len(rs.Modes) != 1 || rs.Modes[0].Name != "hold-the-middle" {
		t.Errorf("the ruleset %q has the modes %v", rs.Name, rs.Modes)
	}
	for _, w := range rulesfile.Warnings(rs) {
		t.Error(w)
	}
	t.Chdir(dir)
	code, out, errs := fogkeep(t, "config", "print", "--effective", "--config", "fogkeep.conf")
	if code != 0 || !strings.Contains(out, "fogkeep.conf:2") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	for path, want := range map[string]string{dir: "file exists", "Marsh": "Marsh", "skirmish": "a shipped ruleset"} {
		if code, out, errs := fogkeep(t, "new", path); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("fogkeep new %s: exit code %d, %s%s", path, code, out, errs)
		}
	}
	if os.Getenv("FOGKEEP_TEST_LONG") == "" {
		return
	}
	sum, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err == nil {
		err = os.WriteFile("go.sum", sum, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"mod", "edit", "-require=github.com/fogkeep/fogkeep@v0.0.0", "-replace=github.com/fogkeep/fogkeep=" + checkout},
		{"mod", "tidy"},
		{"run", ".", "rules", "check", "rules/marsh.json"},
		{"run", ".", "serve", "--help"},
	} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
}
