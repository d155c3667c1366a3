package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// page is one Markdown file.
type page struct {
	path   string // below the repository's root, with slashes
	text   string
	prose  string // the text with its blocks of code blanked out, line by line
	blocks []block
}

// block is one fenced block of code.
type block struct {
	page *page
	line int    // of its first line of code
	kind string // the first word after the fence
	args []string
	code string
}

func (b block) has(arg string) bool {
	for _, a := range b.args {
		if a == arg {
			return true
		}
	}
	return false
}

// pages reads every Markdown file of the repository.
func pages(t *testing.T) []*page {
	t.Helper()
	var out []*page
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "dist" || d.Name() == "data" || d.Name() == "artefacts"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".md"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		out = append(out, parsePage(t, filepath.ToSlash(rel), string(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("only %d pages found: the walk is broken", len(out))
	}
	return out
}

// fence is the first or last line of a block; a block in a list is indented.
var fence = regexp.MustCompile("^( *)```(.*)$")

// parsePage splits a page into prose and blocks.
func parsePage(t *testing.T, path, text string) *page {
	t.Helper()
	p := &page{path: path, text: text}
	var prose, code strings.Builder
	var open *block
	indent := ""
	line := 0
	for l := range strings.Lines(text) {
		line++
		m := fence.FindStringSubmatch(strings.TrimRight(l, "\n"))
		switch {
		case m != nil && open == nil:
			words := strings.Fields(m[2])
			if len(words) == 0 {
				words = []string{""}
			}
			indent = m[1]
			open = &block{page: p, line: line + 1, kind: words[0], args: words[1:]}
			code.Reset()
		case m != nil:
			open.code = code.String()
			p.blocks = append(p.blocks, *open)
			open = nil
		case open != nil:
			code.WriteString(strings.TrimPrefix(l, indent))
		default:
			prose.WriteString(l)
			continue
		}
		prose.WriteString("\n")
	}
	if open != nil {
		t.Fatalf("%s:%d: a block of code does not end", path, open.line)
	}
	p.prose = prose.String()
	return p
}

// spans returns the inline code of a page, each with its line.
func (p *page) spans() map[string]int {
	out := map[string]int{}
	// A span may go on in the next line of its paragraph.
	for _, at := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatchIndex(p.prose, -1) {
		text := strings.Join(strings.Fields(p.prose[at[2]:at[3]]), " ")
		if _, seen := out[text]; !seen {
			out[text] = 1 + strings.Count(p.prose[:at[0]], "\n")
		}
	}
	return out
}
