package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each package with tests is in one of the two stages, and each test that the
// stage with the detector leaves out is run by the one without it.
func TestEachTestIsRunOnce(t *testing.T) {
	g, err := divide("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range slices.Concat(g.race, g.plain) {
		if slices.Contains(g.race, p) == slices.Contains(g.plain, p) {
			t.Errorf("%s is in both stages", p)
		}
	}
	examples, err := modulesOf("../../..")
	if err != nil || len(examples) == 0 {
		t.Fatal(examples, err)
	}
	names := regexp.MustCompile(g.names())
	found, left := 0, 0
	err = filepath.WalkDir("../../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git") {
				return filepath.SkipDir
			}
			return err
		}
		dir, err := filepath.Rel("../../..", filepath.Dir(path))
		if err != nil {
			return err
		}
		if slices.ContainsFunc(examples, func(dir string) bool { return strings.HasPrefix(path, dir+"/") }) { // a suite of its own
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(text), "//go:build leak") { // TestPlantedLeaks runs them
			return nil
		}
		noRace := strings.HasPrefix(string(text), "//go:build !race")
		pkg := "./" + filepath.ToSlash(dir)
		for _, m := range regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)\(t `).FindAllStringSubmatch(string(text), -1) {
			found++
			race, plain := slices.Contains(g.race, pkg), slices.Contains(g.plain, pkg)
			alone := names.MatchString(m[1])
			if alone && race {
				left++
			}
			switch {
			case !race && !plain:
				t.Errorf("%s of %s is run by no stage", m[1], pkg)
			case race && noRace && !alone, race && alone && !slices.Contains(g.in, pkg):
				t.Errorf("%s of %s is left out of both stages", m[1], pkg)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 500 || left < len(withoutRace) {
		t.Errorf("only %d tests found, %d of them without the detector: this test is broken", found, left)
	}
}

// The packages that are compiled without the detector's checks still exist, and are not ours.
func TestUncheckedPackagesExist(t *testing.T) {
	cmd := exec.Command("go", append([]string{"list"}, notChecked...)...)
	out, err := cmd.CombinedOutput()
	if got := strings.Fields(string(out)); err != nil || !slices.Equal(got, notChecked) {
		t.Errorf("go list names %q, want %q (%v)", got, notChecked, err)
	}
	for _, path := range notChecked {
		if strings.HasPrefix(path, "github.com/fogkeep/") {
			t.Errorf("%s is ours", path)
		}
	}
}

// Packages with goroutines run with the detector, and the simulation, which internal/arch keeps free of goroutines,
// without.
func TestConcurrentPackagesRunWithTheDetector(t *testing.T) {
	g, err := divide("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"./match", "./match/link", "./match/journal", "./lobby", "./lobby/api", "./lobby/db/sqlite", "./cmd/fogkeep/server", "./internal/listen", "./match/inspectserver"} {
		if !slices.Contains(g.race, p) {
			t.Errorf("%s is run without the race detector", p)
		}
	}
	for _, p := range []string{"./match/sim", "./match/view", "./visibility", "./orders"} {
		if !slices.Contains(g.plain, p) {
			t.Errorf("%s is run with the race detector: something of it starts a goroutine", p)
		}
	}
	dir := t.TempDir()
	for text, want := range map[string]bool{
		"package x\nfunc f() { go f() }":                        true,
		"package x\nfunc f(g group) { g.Go(f) }":                true,
		"package x\nimport \"net/http\"\nvar _ = http.Serve":    true,
		"package x\nfunc TestX(t *testing.T) { t.Parallel() }":  true,
		"package x\nfunc TestX(t *testing.T) { f(); t.Log(1) }": false,
	} {
		if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _, err := read(dir, []string{"x.go"}); got != want || err != nil {
			t.Errorf("%q starts a goroutine: %v, %v, want %v", text, got, err, want)
		}
	}
}
