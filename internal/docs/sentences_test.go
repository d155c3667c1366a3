package docs

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// turn is a turn of phrase that makes a reader search for the noun. Usual prose has it now and then; pages and comments
// that have it in every third sentence must be translated. The ceilings are a little above today's values and only fall.
type turn struct {
	name                     string
	pattern                  *regexp.Regexp
	instead                  string
	comments, pages, strings float64 // the most per 1,000 words
	goal                     float64
}

var turns = []turn{
	{"what-clauses", regexp.MustCompile(`\bwhat (?:is|was|it|its|the|has|had|a|an|they|he|she|of|must|may|can|comes|came|stands|goes|does)\b`),
		"name the thing: \"the seats of a plan\"", 0.85, 0.35, 0.3, 1},
	{"indefinite pronouns", regexp.MustCompile(`\b(?:nobody|somebody|anybody|nothing|none)\b`),
		"name the person or the thing", 1.05, 0.5, 1.25, 1},
	{"pronouns with a clause", regexp.MustCompile(`\b(?:ones? (?:who|that|which)|those (?:who|that|which|of|whose)|that of|who has|who is|who may|he who)\b`),
		"repeat the noun, or use a genitive", 0.45, 0.45, 0.2, 0.5},
	{"pronouns after of", regexp.MustCompile(`\bof (?:it|them|that|those|these|which|whom)\b`),
		"use a possessive: \"its radius\"", 0.4, 0.45, 0.25, 0.5},
	{"-ever words", regexp.MustCompile(`\b(?:whoever|whatever|wherever|whichever)\b`),
		"name the cases: \"every client\", \"at any height\"", 0.15, 0.05, 0.1, 0.3},
}

var (
	// relativeSubject begins a sentence whose subject is a clause.
	relativeSubject = regexp.MustCompile(`(?m)(?:^|[.:] )(?:Who|What|Whoever) [a-z]`)

	// secondRate is a rate that reads like an ordinal: "joins a second".
	secondRate = regexp.MustCompile(`\b(?:[Oo]nce|[Tt]wice|times|frames|records|joins|orders|rows|bytes|requests|messages|points?) a second\b`)

	coded  = regexp.MustCompile("`[^`]*`")
	margin = regexp.MustCompile(`(?m)^[ \t]*(?:/\*\*?|\*/?|//)[ \t]?`)
	spaces = regexp.MustCompile(`\s+`)
	aWord  = regexp.MustCompile(`[A-Za-z']+`)
)

// hits counts a pattern's occurrences by file.
type hits map[string]int

func (h hits) sum() (n int) {
	for _, k := range h {
		n += k
	}
	return n
}

// worst names the files with the most hits.
func (h hits) worst() string {
	var all []string
	for path, n := range h {
		if n > 0 {
			all = append(all, fmt.Sprintf("%5d %s", n, path))
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	return strings.Join(all[:min(len(all), 10)], "\n")
}

// count returns the hits of each turn of phrase, then of sentences that begin with a clause, and the number of words.
func count(texts []text) (by []hits, words int) {
	by = make([]hits, len(turns)+1)
	for i := range by {
		by[i] = hits{}
	}
	for _, x := range texts {
		words += len(aWord.FindAllString(x.text, -1))
		flat := strings.ToLower(spaces.ReplaceAllString(x.text, " "))
		for i, m := range turns {
			by[i][x.path] += len(m.pattern.FindAllString(flat, -1))
		}
		by[len(turns)][x.path] += len(relativeSubject.FindAllString(x.text, -1))
	}
	return by, words
}

// literals returns the string literals with spaces of the Go code without tests, and the English texts of the web client.
func literals(t *testing.T) (texts []text) {
	t.Helper()
	c, err := theCode()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range c.files {
		switch {
		case strings.HasPrefix(path, "web/src/text/") && strings.HasSuffix(path, "en.json"):
			raw, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text{path, 1, string(raw)})
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".pb.go") && !strings.Contains(path, "/testdata/"):
			f, fset := parseGo(t, path)
			ast.Inspect(f, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && strings.Contains(l.Value, " ") {
					texts = append(texts, text{path, fset.Position(l.Pos()).Line, l.Value})
				}
				return true
			})
		}
	}
	return texts
}

// TestSentencesHaveNouns: turns of phrase that hide the noun become no more frequent, in comments, on pages and in strings.
func TestSentencesHaveNouns(t *testing.T) {
	var comments, prose []text
	all, _ := readable(t)
	for _, x := range all {
		if filepath.Ext(x.path) != ".md" && x.path != "internal/docs/sentences_test.go" {
			comments = append(comments, text{x.path, x.line, margin.ReplaceAllString(x.text, "")})
		}
	}
	for _, p := range pages(t) {
		for _, rate := range secondRate.FindAllString(spaces.ReplaceAllString(p.prose, " "), -1) {
			t.Errorf("%s: %q: write \"per second\"", p.path, rate)
		}
		prose = append(prose, text{p.path, 1, coded.ReplaceAllString(p.prose, "x")})
	}
	for _, part := range []struct {
		name  string
		texts []text
		most  func(turn) float64
	}{
		{"comments", comments, func(m turn) float64 { return m.comments }},
		{"pages", prose, func(m turn) float64 { return m.pages }},
		{"strings", literals(t), func(m turn) float64 { return m.strings }},
	} {
		by, words := count(part.texts)
		if words < 30_000 {
			t.Fatalf("%s: %d words: the walk is broken", part.name, words)
		}
		for i, m := range turns {
			is := 1000 * float64(by[i].sum()) / float64(words)
			t.Logf("%s, %s: %.2f per 1,000 words (at most %.2f, goal %.1f)", part.name, m.name, is, part.most(m), m.goal)
			if is > part.most(m) {
				t.Errorf("%s, %s: %.2f per 1,000 words, at most %.2f: %s. Most are in\n%s", part.name, m.name, is, part.most(m), m.instead, by[i].worst())
			}
		}
		if last := by[len(turns)]; last.sum() > 0 {
			t.Errorf("%s: %d sentences begin with Who, What or Whoever, in\n%s", part.name, last.sum(), last.worst())
		}
	}
}

// TestTurnsAreNoticed: the test of sentences finds each turn of phrase, and lets plain sentences be.
func TestTurnsAreNoticed(t *testing.T) {
	for in, want := range map[string][]int{
		"what a plan's seats are\nand what\nit is":            {2, 0, 0, 0, 0, 0},
		"What follows waits. Who asks is told: nobody else.":  {0, 1, 0, 0, 0, 2},
		"the rows of those\nthat left":                        {0, 0, 1, 1, 0, 0},
		"Whoever has it, sees all of it.\nWhatever is left":   {0, 0, 0, 1, 2, 1},
		"The server sends each team its view, and says what.": {0, 0, 0, 0, 0, 0},
	} {
		by, _ := count([]text{{"a.go", 1, in}})
		for i, h := range by {
			if h.sum() != want[i] {
				t.Errorf("%q: pattern %d: %d hits, want %d", in, i, h.sum(), want[i])
			}
		}
	}
}
