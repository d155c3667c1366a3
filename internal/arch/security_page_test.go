package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page on security names tests as its proofs: each of them exists.
func TestSecurityPageNamesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "storetest"):
			return nil
		}
		text, err := os.ReadFile(path)
		sources.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all, named := sources.String(), 0
	for _, m := range regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(page), -1) {
		if named++; !strings.Contains(all, "func "+m[1]+"(t *testing.T)") {
			t.Errorf("docs/security.md names %s, and there is no such test", m[1])
		}
	}
	for row := range strings.Lines(string(page)) {
		cells := strings.Split(row, "|")
		if len(cells) != 5 { // threat, rule, tests
			continue
		}
		for _, m := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(cells[3], -1) {
			if named++; !strings.Contains(all, `{"`+m[1]+`", `) {
				t.Errorf("docs/security.md names the suite %q, and there is none", m[1])
			}
		}
	}
	if named < 40 {
		t.Errorf("only %d tests are named: the page or this test is broken", named)
	}
}
