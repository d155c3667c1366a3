package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGoSuite runs Go tests that pass, fail, skip, do not build and tell of maps.
func TestGoSuite(t *testing.T) {
	goes, dir := gotestsumFor(t), t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.org/m\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "a_test.go"), `package m

import "testing"

func TestA(t *testing.T) {
	t.Attr("real-maps", "12")
	t.Run("one", func(t *testing.T) {})
	t.Run("two", func(t *testing.T) { t.Error("wrong mask") })
}

func TestB(t *testing.T) { t.Skip("not here") }
`)
	s := goes.suite("go", []string{"./..."})
	s.dir = dir
	var w strings.Builder
	got := runSuite(context.Background(), s, &w)
	if want := (count{passed: 1, failed: 1, skipped: 1}); got.count != want {
		t.Errorf("count = %v, want %v", got.count, want)
	}
	if len(got.failures) != 1 || !strings.Contains(got.failures[0], "wrong mask") {
		t.Errorf("failures = %q", got.failures)
	}
	for _, text := range []string{"wrong mask", "not here"} {
		if !strings.Contains(w.String(), text) {
			t.Errorf("%q is not in\n%s", text, &w)
		}
	}
	write(t, filepath.Join(dir, "a_test.go"), `package m

import ("os"; "testing")

func TestA(t *testing.T) {
	t.Run("flaky", func(t *testing.T) {
		if os.Mkdir("ran", 0o700) == nil {
			t.Error("the first time")
		}
	})
	t.Run("fine", func(t *testing.T) {})
}
`)
	if got := runSuite(context.Background(), s, &w); got.count != (count{passed: 1, failed: 1}) {
		t.Errorf("a test that fails the first time alone: %v, printed\n%s", got.count, &w)
	}
	if goes.String() != "real maps: 12" {
		t.Error(goes)
	}
	for text, want := range map[string]string{"package m\nsyntax": "syntax", `package m

import "os"

func init() { os.Exit(3) }
`: "exit status 3"} {
		write(t, filepath.Join(dir, "a_test.go"), text)
		w.Reset()
		if got := runSuite(context.Background(), s, &w).count; got != (count{failed: 1}) || !strings.Contains(w.String(), want) {
			t.Errorf("%s: %v, printed\n%s", text, got, &w)
		}
	}
}

// gotestsumFor builds gotestsum where the suites look for it.
func gotestsumFor(t *testing.T) *gotestsum {
	t.Helper()
	g := &gotestsum{root: t.TempDir(), reports: t.TempDir()}
	cmd := exec.Command("go", "build", "-modfile=internal/tools/lint/go.mod", "-o", filepath.Join(g.root, "bin")+"/", "gotest.tools/gotestsum")
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return g
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTap(t *testing.T) {
	var w strings.Builder
	got := tap(strings.NewReader(`TAP version 13
# Subtest: a
    ok 1 - step
      ---
      duration_ms: 6500.5
      ...
    not ok 2 - broken
      ---
      location: '/e2e/a.test.mjs:2:1'
      ...
not ok 1 - a
  ---
  location: '/e2e/a.test.mjs:1:1'
  boom
  ...
ok 2 - b # SKIP why
ok 3 - c # TODO
ok 4 - d # time=13.53ms
`), &w)
	if want := (count{2, 2, 2}); got.count != want || !slices.Equal(got.failedIn["/e2e/a.test.mjs"], []string{"a"}) {
		t.Errorf("%v in %q, want %v", got.count, got.failedIn, want)
	}
	if !strings.Contains(w.String(), "boom") || !regexp.MustCompile(`slow: step +6\.5s`).MatchString(w.String()) {
		t.Errorf("printed:\n%s", &w)
	}
	if got := tap(strings.NewReader("no report"), &w); got.passed+got.failed != 0 {
		t.Errorf("no report = %v", got)
	}
}

// TestASuiteCannotPassByAccident runs commands that fail, or test nothing.
func TestASuiteCannotPassByAccident(t *testing.T) {
	var w strings.Builder
	for name, s := range map[string]suite{
		"fails":         {argv: []string{"sh", "-c", "exit 3"}, read: oneCheck},
		"is missing":    {argv: []string{"/nowhere/to/be/found"}, read: oneCheck},
		"tests nothing": {argv: []string{"true"}, read: tap},
	} {
		if got := runSuite(context.Background(), s, &w); got.failed == 0 {
			t.Errorf("a suite that %s: %v", name, got)
		}
	}
	// A child that is waited for counts to the processor time too.
	s := suite{argv: []string{"sh", "-c", "echo fine; sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; true"}, read: oneCheck, env: os.Environ()}
	if got := runSuite(context.Background(), s, &w); got.count != (count{passed: 1}) || got.cpu <= 0 {
		t.Errorf("a suite that passes: %v", got)
	}
}
