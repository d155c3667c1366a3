package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each test that is not built with the race detector is run without it: none is
// left out of both.
func TestWhatIsNotBuiltWithRaceIsRunWithoutIt(t *testing.T) {
	run := regexp.MustCompile(oneGoroutine)
	files, err := filepath.Glob("../../../match/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "//go:build !race\n") {
			continue
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			if found++; !run.MatchString(m[1]) {
				t.Errorf("%s: %s is run by no suite", f, m[1])
			}
		}
	}
	if found < 7 {
		t.Errorf("only %d tests found: this test is broken", found)
	}
}

// What is not run with the detector is run without it: each name is that of one
// test, in a package that the suite without it runs.
func TestWhatTakesLongWithRaceIsRunWithoutIt(t *testing.T) {
	files, err := filepath.Glob("../../../*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../../../*/*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	in := map[string][]string{}
	for _, f := range append(files, more...) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			in[m[1]] = append(in[m[1]], filepath.Base(filepath.Dir(f)))
		}
	}
	for _, name := range strings.Split(strings.Trim(longWithRace, "^()$"), "|") {
		if dirs := in[name]; len(dirs) != 1 || dirs[0] != "match" && dirs[0] != "visibility" {
			t.Errorf("%s is a test of %v, want one of match or visibility", name, dirs)
		}
	}
}
