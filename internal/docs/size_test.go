package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A page that is too long is not read: its parts that explain code belong to docs/contributing. Words of blocks and of
// generated tables do not count. The ceilings are a little above today's values and only fall.
var sizes = []struct {
	folder string
	page   int // the most words of a page
	all    int // the most words of the folder
	except map[string]int
}{
	{"docs/start/", 900, 3_000, map[string]int{"controls.md": 1_250}},
	{"docs/learn/", 800, 2_700, nil},
	{"docs/build/", 1_100, 7_200, map[string]int{"embedding.md": 1_400, "scripts.md": 1_600}},
	{"docs/operate/", 1_200, 4_550, nil},
	{"docs/reference/", 1_750, 22_600, map[string]int{"protocol.md": 6_700, "rules.md": 6_000, "lobby.md": 4_550}},
	{"README.md", 950, 950, nil},
}

// userWords is the most words of all these pages together.
const userWords = 40_000

// generated is a part of a page between two comments, which a test writes.
var generated = regexp.MustCompile(`(?s)<!-- [a-z][^>]*-->.*?<!-- end[^>]*-->`)

// counted is a word: bars of tables and dashes of lists are none.
var counted = regexp.MustCompile(`\S*[\pL\pN]\S*`)

// TestPagesAreShort: no page for users, and no folder of them, has more words than its ceiling.
func TestPagesAreShort(t *testing.T) {
	all, found := 0, 0
	for _, s := range sizes {
		folder := 0
		for _, p := range pages(t) {
			if !strings.HasPrefix(p.path, s.folder) || strings.Contains(p.text, "A test writes this page") {
				continue
			}
			found++
			words := len(counted.FindAllString(generated.ReplaceAllString(p.prose, ""), -1))
			folder += words
			most := s.page
			if e, ok := s.except[strings.TrimPrefix(p.path, s.folder)]; ok {
				most = e
			}
			if words > most {
				t.Errorf("%s has %d words, at most %d: cut it, or move explanations of code to docs/contributing", p.path, words, most)
			}
		}
		t.Logf("%s: %d words", s.folder, folder)
		all += folder
		if folder > s.all {
			t.Errorf("the pages of %s have %d words, at most %d", s.folder, folder, s.all)
		}
	}
	t.Logf("all: %d words", all)
	if all > userWords {
		t.Errorf("the pages for users have %d words, at most %d", all, userWords)
	}
	if found < 40 {
		t.Errorf("only %d pages found: the test is broken", found)
	}
}

// picture is a drawn one, by its file, or one of characters.
var picture = regexp.MustCompile("!\\[[^\\]]+\\]\\(([^)]+)\\)|```text\n")

// TestExamplesShowThemselves: each example, and the game that npm create makes, has a short README with a picture; a drawn
// one is small.
func TestExamplesShowThemselves(t *testing.T) {
	found := 0
	for _, p := range pages(t) {
		if path.Base(p.path) != "README.md" || !strings.HasPrefix(p.path, "examples/") && p.path != "web/create/template/README.md" {
			continue
		}
		found++
		if n := strings.Count(p.text, "\n"); n > 30 {
			t.Errorf("%s has %d lines, at most 30", p.path, n)
		}
		m := picture.FindStringSubmatch(p.text)
		if m == nil {
			t.Errorf("%s has no picture", p.path)
		} else if m[1] != "" {
			if f, err := os.Stat(filepath.Join(root, path.Dir(p.path), m[1])); err != nil || f.Size() > 40<<10 {
				t.Errorf("%s: the picture %s is not there, or larger than 40 KiB (%v)", p.path, m[1], err)
			}
		}
	}
	folders, err := filepath.Glob(filepath.Join(root, "examples/*"))
	if err != nil || found != len(folders)+1 {
		t.Errorf("%d READMEs for %d examples and the new game (%v)", found, len(folders), err)
	}
}
