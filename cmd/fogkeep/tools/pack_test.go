package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPack: a folder is built into one file, added to a server's folder, and listed. A faulty pack is not added.
func TestPack(t *testing.T) {
	t.Parallel()
	const frost = "../../../match/pack/testdata/frost"
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		code, out, errs := fogkeep(t, append([]string{"pack"}, args...)...)
		if code != 0 {
			t.Fatalf("%v: %s", args, errs)
		}
		return out
	}
	var checked packReport
	if err := json.Unmarshal([]byte(run("check", "--json", frost)), &checked); err != nil || checked.Name != "frost" || len(checked.Warnings) > 0 {
		t.Fatalf("%+v, %v", checked, err)
	}
	built := filepath.Join(dir, "frost.fogpack")
	if out := run("build", frost, "-o", built); !strings.Contains(out, checked.Hash) {
		t.Errorf("built: %s", out)
	}
	for range 2 { // a second time it is there
		if out := run("add", built, "--data-dir", dir); !strings.Contains(out, filepath.Join(dir, "packs", "frost-"+checked.Hash[:12]+".fogpack")) {
			t.Errorf("added: %s", out)
		}
	}
	if out := run("list", "--data-dir", dir); !strings.Contains(out, "frost  1.0.0    CC0-1.0  "+checked.Hash[:12]) {
		t.Errorf("list:\n%s", out)
	}
	broken := filepath.Join(dir, "broken")
	if err := os.CopyFS(broken, os.DirFS(frost)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "texts", "de.json"), []byte("{\n  \"type\": {\"golem\": 5}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", broken}, {"check", "--json", broken}, {"build", broken}, {"add", broken, "--data-dir", dir}} {
		code, _, errs := fogkeep(t, append([]string{"pack"}, args...)...)
		if code == 0 || !strings.Contains(errs, "broken/texts/de.json:2: /type/golem: want a text") {
			t.Errorf("%v: code %d, %s", args, code, errs)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "packs", "bad.fogpack"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := fogkeep(t, "pack", "list", "--json", "--data-dir", dir)
	if code == 0 || !strings.Contains(errs, "bad.fogpack: no zip") || !strings.Contains(out, checked.Hash) {
		t.Errorf("a list with a faulty file: %s %s", out, errs)
	}
}
