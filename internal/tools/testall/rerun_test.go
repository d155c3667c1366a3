package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRerun has files of browser tests that pass on the rerun, fail again, and are
// too many to try again.
func TestRerun(t *testing.T) {
	fails, flaky := `throw new Error("always");`, `
try { mkdirSync(new URL(import.meta.url).pathname + ".ran"); } catch { return; }
throw new Error("the first time");`
	for name, c := range map[string]struct {
		bodies        []string // of the tests, a file each
		first, second count
		reruns        int
	}{
		"passes":         {[]string{flaky, ""}, count{passed: 1, failed: 1}, count{passed: 2}, 1},
		"fails again":    {[]string{flaky, fails}, count{failed: 2}, count{failed: 2}, 2},
		"too many":       {[]string{flaky, flaky, flaky}, count{failed: 3}, count{failed: 3}, 0},
		"passed at once": {[]string{""}, count{passed: 1}, count{passed: 1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var files []string
			for i, body := range c.bodies {
				files = append(files, string(rune('a'+i))+".test.mjs")
				write(t, filepath.Join(dir, files[i]), `import { mkdirSync } from "node:fs"; import test from "node:test"; test("opens", () => {`+body+`});`)
			}
			s := browserSuite("browser", 1, files)
			s.argv = slices.Replace(s.argv, 1, 2, "--test") // without a browser
			s.rerun = slices.Replace(s.rerun, 1, 2, "--test")
			s.dir = dir
			var w strings.Builder
			r := ran{s, runSuite(context.Background(), s, &w)}
			if r.count != c.first {
				t.Errorf("%v at first, want %v\n%s", r.count, c.first, &w)
			}
			w.Reset()
			mended := rerun(context.Background(), []ran{r}, &w)
			r.add(count{passed: mended, failed: -mended})
			if r.count != c.second || strings.Count(w.String(), "RERUN ") != c.reruns {
				t.Errorf("%v in the end, want %v; printed\n%s", r.count, c.second, &w)
			}
			if c.reruns > 0 && !strings.Contains(w.String(), "a.test.mjs: opens: passed on the rerun") {
				t.Errorf("the rerun is not named:\n%s", &w)
			}
		})
	}
}
