package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
)

// anchors lists the places of a page that a link may name, as GitHub makes them from its headings.
func (p *page) anchors() map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(p.prose, -1) {
		var b strings.Builder
		for _, r := range strings.ToLower(strings.TrimSpace(m[1])) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				b.WriteRune(r)
			}
		}
		out[b.String()] = true
	}
	return out
}

// TestLinks: every relative link of every page leads to a file, and its anchor to a heading.
func TestLinks(t *testing.T) {
	all := map[string]*page{}
	for _, p := range pages(t) {
		all[p.path] = p
	}
	checked := 0
	for _, p := range all {
		for _, m := range link.FindAllStringSubmatch(p.prose, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			checked++
			file, anchor, _ := strings.Cut(m[1], "#")
			target := p.path
			if file != "" {
				target = path.Join(path.Dir(p.path), file)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s: there is no such file", p.path, m[1])
				continue
			}
			if anchor != "" && (all[target] == nil || !all[target].anchors()[anchor]) {
				t.Errorf("%s links to %s: there is no such heading", p.path, m[1])
			}
		}
	}
	if checked < 80 {
		t.Errorf("only %d links found: the test is broken", checked)
	}
}

// TestStartPageNamesEveryPage: docs/README.md leads to every page of docs.
func TestStartPageNamesEveryPage(t *testing.T) {
	named := map[string]bool{}
	for _, p := range pages(t) {
		if p.path == "docs/README.md" {
			for _, m := range link.FindAllStringSubmatch(p.prose, -1) {
				named[path.Join("docs", m[1])] = true
			}
		}
	}
	for _, p := range pages(t) {
		if strings.HasPrefix(p.path, "docs/") && p.path != "docs/README.md" && !named[p.path] {
			t.Errorf("docs/README.md does not name %s", p.path)
		}
	}
}
