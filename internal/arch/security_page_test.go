package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The pages on security, fog and vision name tests as their proofs: each test exists.
func TestSecurityPageNamesTestsThatExist(t *testing.T) {
	all := testSources(t)
	for _, p := range []struct {
		file  string
		least int // tests that it names: fewer, and the page or this test is broken
	}{{"docs/contributing/threats.md", 40}, {"docs/contributing/fog.md", 20}, {"docs/contributing/vision.md", 4}} {
		page, err := os.ReadFile("../../" + p.file)
		if err != nil {
			t.Fatal(err)
		}
		named := 0
		for _, m := range regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(page), -1) {
			if named++; !strings.Contains(all, "func "+m[1]+"(t *testing.T)") {
				t.Errorf("%s names %s, and there is no such test", p.file, m[1])
			}
		}
		for row := range strings.Lines(string(page)) {
			cells := strings.Split(row, "|")
			if p.file != "docs/contributing/threats.md" || len(cells) != 5 { // threat, rule, tests
				continue
			}
			for _, m := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(cells[3], -1) {
				if named++; !strings.Contains(all, `{"`+m[1]+`", `) {
					t.Errorf("%s names the suite %q, and there is none", p.file, m[1])
				}
			}
		}
		if named < p.least {
			t.Errorf("%s names only %d tests: the page or this test is broken", p.file, named)
		}
	}
}

// testSources returns the text of all Go tests.
func testSources(t *testing.T) string {
	t.Helper()
	var sources strings.Builder
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		sources.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources.String()
}
