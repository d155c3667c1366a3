package main

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestGoTestCountsLeavesAndFindsMaps(t *testing.T) {
	in := strings.Join([]string{
		`{"Action":"run","Package":"p","Test":"TestA"}`,
		`{"Action":"run","Package":"p","Test":"TestA/one"}`,
		`{"Action":"output","Package":"p","Test":"TestA/one","Output":"real maps: 12\n"}`,
		`{"Action":"pass","Package":"p","Test":"TestA/one"}`,
		`{"Action":"run","Package":"p","Test":"TestA/two"}`,
		`{"Action":"output","Package":"p","Test":"TestA/two","Output":"wrong mask\n"}`,
		`{"Action":"fail","Package":"p","Test":"TestA/two"}`,
		`{"Action":"fail","Package":"p","Test":"TestA"}`,
		`{"Action":"run","Package":"p","Test":"TestB"}`,
		`{"Action":"skip","Package":"p","Test":"TestB"}`,
		`{"Action":"fail","Package":"p"}`,
		`{"Action":"build-output","ImportPath":"q","Output":"q.go:1: syntax\n"}`,
		`{"Action":"build-fail","ImportPath":"q"}`,
		`{"Action":"fail","Package":"q"}`,
	}, "\n")
	var m mapCount
	var w strings.Builder
	got := m.goTest(strings.NewReader(in), &w)
	if want := (count{passed: 1, failed: 2, skipped: 1}); got.count != want {
		t.Errorf("count = %v, want %v", got, want)
	}
	if m.most != 12 || !strings.Contains(w.String(), "wrong mask") || !strings.Contains(w.String(), "q.go:1: syntax") {
		t.Errorf("maps %d, printed:\n%s", m.most, &w)
	}
}

func TestTapAndVitest(t *testing.T) {
	var w strings.Builder
	got := tap(strings.NewReader("TAP version 13\n# Subtest: a\nok 1 - a\n  ---\n  duration_ms: 6500.5\n  ...\nnot ok 2 - b\n  boom\n# pass 1\n# fail 1\n# cancelled 1\n# skipped 2\n"), &w)
	if want := (count{1, 2, 2}); got.count != want || !strings.Contains(w.String(), "boom") || !regexp.MustCompile(`slow: a +6\.5s`).MatchString(w.String()) {
		t.Errorf("tap = %v, want %v; printed:\n%s", got, want, &w)
	}
	got = vitest(strings.NewReader(`noise {"numPassedTests":3,"numFailedTests":1,"numPendingTests":1,"testResults":[{"assertionResults":[{"fullName":"f","status":"failed","failureMessages":["bad"]}]}]}`), &w)
	if want := (count{3, 1, 1}); got.count != want || !strings.Contains(w.String(), "bad") {
		t.Errorf("vitest = %v, want %v", got, want)
	}
	if got := vitest(strings.NewReader("no report"), &w); got.failed != 1 {
		t.Errorf("no report = %v", got)
	}
}

// TestASuiteCannotPassByAccident runs commands that fail, or test nothing.
func TestASuiteCannotPassByAccident(t *testing.T) {
	var w strings.Builder
	var m mapCount
	for name, s := range map[string]suite{
		"fails":         {argv: []string{"sh", "-c", "exit 3"}, read: oneCheck},
		"is missing":    {argv: []string{"/nowhere/to/be/found"}, read: oneCheck},
		"tests nothing": {argv: []string{"true"}, read: m.goTest},
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
