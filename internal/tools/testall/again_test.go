package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunAgain runs commands that fail the first time, and never, and always.
func TestRunAgain(t *testing.T) {
	failed := func(places int) result {
		r := result{count: count{passed: 5, failed: 2}}
		for i := range places {
			r.fail(fmt.Sprintf("p%d", i), "TestA/one")
			r.fail(fmt.Sprintf("p%d", i), "TestA/two")
		}
		return r
	}
	again := func(failing string) func(string, []string) []string {
		return func(where string, tests []string) []string {
			if len(tests) != 1 || tests[0] != "TestA" {
				t.Errorf("of %s the tests %v run again, want TestA", where, tests)
			}
			return []string{"sh", "-c", fmt.Sprintf("test %s != %s", where, failing)}
		}
	}
	certain := failed(1)
	certain.certain = true
	first, mended := count{passed: 5, failed: 2}, count{passed: 7}
	for name, c := range map[string]struct {
		r    ran
		want count
	}{
		"passes now":             {ran{suite{read: oneCheck, again: again("none")}, failed(2)}, mended},
		"one of two fails again": {ran{suite{read: oneCheck, again: again("p1")}, failed(2)}, first},
		"nowhere known":          {ran{suite{read: oneCheck, again: again("none")}, failed(0)}, first},
		"too many":               {ran{suite{read: oneCheck, again: again("none")}, failed(placesAgain + 1)}, first},
		"certain":                {ran{suite{read: oneCheck, again: again("none")}, certain}, first},
		"has one result":         {ran{suite{}, failed(1)}, first},
		"passed":                 {ran{suite{read: oneCheck, again: again("none")}, result{count: mended}}, mended},
	} {
		var w strings.Builder
		if got := runAgain(context.Background(), c.r, &w); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if unstable := strings.Contains(w.String(), "UNSTABLE p0: TestA"); unstable != (name == "passes now") {
			t.Errorf("%s: printed\n%s", name, &w)
		}
	}
}

// TestRunsAgainWhatFailed has a Go test and a browser test that fail once each.
func TestRunsAgainWhatFailed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.org/m\n\ngo 1.26\n")
	write("a_test.go", `package m

import ("os"; "testing")

func TestFails(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			if os.Mkdir(name, 0o700) == nil {
				t.Fatal("the first time")
			}
		})
	}
}

func TestPasses(*testing.T) {}
`)
	write("b.test.mjs", `import { mkdirSync } from "node:fs";
import test from "node:test";
test("fails the first time", () => {
  try { mkdirSync("three"); } catch { return; }
  throw new Error("the first time");
});
`)
	goes := goSuite(&mapCount{}, "go", "./...")
	goes.dir = dir
	page := browserSuite("browser", 1, []string{"b.test.mjs"})
	page.dir = dir
	for _, s := range []struct {
		suite
		first, second count
	}{
		{goes, count{passed: 1, failed: 2}, count{passed: 3}},
		{page, count{failed: 1}, count{passed: 1}},
	} {
		var w strings.Builder
		r := ran{s.suite, runSuite(context.Background(), s.suite, &w)}
		if r.count != s.first {
			t.Errorf("%s: %v at first, want %v\n%s", s.name, r.count, s.first, &w)
		}
		if got := runAgain(context.Background(), r, &w); got != s.second {
			t.Errorf("%s: %v in the end, want %v\n%s", s.name, got, s.second, &w)
		}
	}
}
