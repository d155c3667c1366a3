package docs

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testSources is the text of all Go tests.
var testSources = sourcesLike("_test.go")

func sourcesLike(suffix string) string {
	var out strings.Builder
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "dist"):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, suffix):
			text, err := os.ReadFile(path)
			out.Write(text)
			return err
		}
		return nil
	})
	return out.String()
}

// TestCommandsInProse: commands of fogkeep, make, go and npm in running text exist, with their flags.
func TestCommandsInProse(t *testing.T) {
	cli := newCommandLine(t)
	checked := 0
	for _, p := range pages(t) {
		for span, line := range p.spans() {
			if !regexp.MustCompile(`^(FOGKEEP_\S+ )?(fogkeep|(\./)?bin/fogkeep|make|go (test|run)|npm run) `).MatchString(span) {
				continue
			}
			for _, words := range split(span) {
				checked++
				if err := cli.checkCommand(words); err != nil {
					t.Errorf("%s:%d: %s: %v", p.path, line, span, err)
				}
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d commands found: the test is broken", checked)
	}
}

// beside lists the paths of the server that no OpenAPI document has.
var beside = []string{
	"GET /ws", "GET /maps/{hash}", "GET /packs/{hash}", "GET /readyz", "GET /metrics", "GET /api/docs", "GET /api/openapi.json",
	"GET /admin/api/docs", "GET /admin/api/openapi.json", "GET /service/api/docs", "GET /service/api/openapi.json",
}

// TestEndpointsInPages: every endpoint that a page names is in an OpenAPI document.
func TestEndpointsInPages(t *testing.T) {
	known := map[string]bool{}
	param := regexp.MustCompile(`\{[^}]*\}`)
	for _, e := range beside {
		known[param.ReplaceAllString(e, "{}")] = true
	}
	for _, file := range []string{"lobby/api/openapi.player.json", "lobby/api/openapi.admin.json", "lobby/api/openapi.service.json"} {
		raw, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Paths map[string]map[string]json.RawMessage
		}
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for path, ops := range doc.Paths {
			for method := range ops {
				known[strings.ToUpper(method)+" "+param.ReplaceAllString(path, "{}")] = true
			}
		}
	}
	endpoint := regexp.MustCompile("\\b(GET|POST|PATCH|PUT|DELETE) +(/[^\\s`?,]+)")
	named := 0
	for _, p := range pages(t) {
		for _, m := range endpoint.FindAllStringSubmatch(p.text, -1) {
			named++
			if !known[m[1]+" "+param.ReplaceAllString(m[2], "{}")] {
				t.Errorf("%s names %s %s: there is no such endpoint", p.path, m[1], m[2])
			}
		}
	}
	if named < 15 {
		t.Errorf("only %d endpoints found: the test is broken", named)
	}
}

// TestLabelsInTheTutorial: what the tutorial tells a person to press is a text of the pages.
func TestLabelsInTheTutorial(t *testing.T) {
	texts := sourcesLike("en.json")
	admins := sourcesLike(".tsx") // the admins' pages have theirs in the code
	checked := 0
	for _, p := range pages(t) {
		if p.path != "docs/start/tutorial.md" {
			continue
		}
		for _, m := range regexp.MustCompile(`\*\*([^*]+)\*\*`).FindAllStringSubmatch(p.prose, -1) {
			checked++
			shown := regexp.MustCompile(`(?m)^\s+` + regexp.QuoteMeta(m[1]) + `$`) // between tags
			if label := `"` + m[1] + `"`; !strings.Contains(texts+admins, label) && !shown.MatchString(admins) {
				t.Errorf("%s: no page has the text %q", p.path, m[1])
			}
		}
	}
	if checked < 3 {
		t.Errorf("only %d labels found: the test is broken", checked)
	}
}
