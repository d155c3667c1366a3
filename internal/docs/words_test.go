package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// retired is a private word that once stood for something that has a usual name. It must not come back.
type retired struct {
	word string // lower case
	use  string // the usual words
	// names is false for words that are also ordinary parts of names.
	names bool
	// prose is false for words with an ordinary meaning: then only code in backticks and names in
	// brackets are looked at in text.
	prose bool
	// at limits the word to paths that begin so; "" is everywhere.
	at string
}

var retiredWords = []retired{
	{"gallery", "spectator broadcast", true, true, ""},
	{"galleries", "spectator broadcasts", true, true, ""},
	{"gazer", "spectator client", true, true, ""},
	{"gazers", "spectator clients", true, true, ""},
	{"theatre", "harness", true, true, ""},
	{"reel", "replay buffer", true, true, ""},
	{"reels", "replay buffers", true, true, ""},
	{"still", "checkpoint", true, false, "match"},
	{"stills", "checkpoints", true, true, ""},
	{"gates", "durability gate", true, false, "match"},
	{"box", "resend queue", true, false, "match"},
	{"boxes", "resend queues", true, false, "match"},
	{"boxed", "row", true, false, "match"},
	{"pacing", "rate control", true, true, "match"},
	{"flights", "frames in flight", true, true, "match"},
	{"shortage", "per-client delta state", true, true, ""},
	{"scene", "snapshot cache", true, false, "match"},
	{"actor", "public row", true, true, "match"},
	{"actors", "public rows", true, true, "match"},
	{"affairs", "owner state", true, true, ""},
	{"weigh", "measure", true, true, ""},
	{"weighs", "measures", true, true, ""},
	{"weighed", "measured", true, true, ""},
	{"quarry", "chase target", true, true, ""},
	{"quarries", "chase targets", true, true, ""},
	{"balk", "chase after", true, true, ""},
	{"balks", "chase after", true, true, ""},
	{"fester", "tick damage over time", true, true, ""},
	{"festers", "damage over time", true, true, ""},
	{"bury", "remove dead", true, true, ""},
	{"buries", "removes dead", true, true, ""},
	{"sheds", "viewsheds", true, true, ""},
	{"seers", "visible to", true, true, ""},
	{"house", "app, server state", true, true, ""},
	{"desk", "admin session", true, true, ""},
	{"frontdesk", "admission adapter", true, true, ""},
	{"arena", "match adapter", true, true, ""},
	{"lens", "inspect adapter", true, true, ""},
	{"shelf", "map catalogue", true, true, ""},
	{"door", "listener", true, false, ""},
	{"doors", "listeners", true, false, ""},
	{"opening", "startup gate", true, false, "cmd"},
	{"tidy", "retention", true, false, "cmd"},
	{"keeper", "janitor", true, true, ""},
	{"fool", "adversary", true, true, ""},
	{"fools", "adversaries", true, true, ""},
	{"tape", "recording", true, true, ""},
	{"tapes", "recordings", true, true, ""},
	{"rig", "harness", true, true, ""},
	{"rigs", "harnesses", true, true, ""},
	{"pilot", "end-to-end client", true, true, ""},
	{"pilots", "end-to-end clients", true, true, ""},
}

// retiredNames are exported names and names of files that are retired as a whole, where their words are
// ordinary ones.
var retiredNames = []struct{ at, name, use string }{
	{"match/sim", "Hand", "simtest.Editor"},
	{"match/sim", "disturb", "simtest"},
	{"match/view", "Own", "view.OwnerState"},
	{"match/view", "Scene", "view.Cache"},
	{"match/view", "Secret", "owner row"},
	{"proto/wire", "Scale", "wire.Meter"},
	{"lobby", "House", "lobby.ServerState"},
	{"lobby", "Desk", "lobby.AdminSession"},
	{"lobby", "rooms", "what the file holds"},
	{"lobby", "rules", "what the file holds"},
}

func (r retired) in(path string) bool { return strings.HasPrefix(path, r.at) }

// wordsOf splits a name into its words: aBigName and a_big_name are a, big and name, HTTPServer is http and
// server.
func wordsOf(name string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		b.WriteRune(r)
	}
	flush()
	return out
}

// text is the readable text of a file: a page, or the comments of a source file.
type text struct {
	path string
	line int
	text string
}

var (
	inBackticks = regexp.MustCompile("`([^`]+)`|\\[([A-Za-z.]+)\\]")
	released    = regexp.MustCompile(`/admin/api/house[a-z./{}]*|\bhouse\.(drain|announce)`) // the API keeps its addresses
	proseWord   = regexp.MustCompile(`[A-Za-z]+`)
)

// retiredIn lists the retired words of a text.
func retiredIn(x text) (out []retired) {
	x.text = released.ReplaceAllString(x.text, "")
	coded := map[string]bool{}
	for _, m := range inBackticks.FindAllStringSubmatch(x.text, -1) {
		for _, w := range wordsOf(m[1] + m[2]) {
			coded[w] = true
		}
	}
	plain := map[string]bool{}
	for _, w := range proseWord.FindAllString(x.text, -1) {
		plain[strings.ToLower(w)] = true
	}
	for _, r := range retiredWords {
		if r.in(x.path) && (coded[r.word] && r.names || r.prose && plain[r.word]) {
			out = append(out, r)
		}
	}
	return out
}

// name is a visible name that a file declares.
type name struct {
	path string
	line int
	name string
}

// readable collects the texts and the visible names of the repository.
func readable(t *testing.T) (texts []text, names []name) {
	t.Helper()
	for _, p := range pages(t) {
		texts = append(texts, text{p.path, 1, p.text})
	}
	c, err := theCode()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range c.files {
		base := filepath.Base(path)
		if strings.HasPrefix(path, "proto/fogkeepv1/") || strings.HasPrefix(path, "web/src/gen/") || strings.HasPrefix(path, "web/sdk/src/gen/") || strings.Contains(path, "/testdata/") || path == "internal/docs/words_test.go" {
			continue // generated, data, or this list
		}
		switch filepath.Ext(path) {
		case ".go":
			names = append(names, name{path, 1, strings.TrimSuffix(base, ".go")})
			f, fset := parseGo(t, path)
			for _, g := range f.Comments {
				texts = append(texts, text{path, fset.Position(g.Pos()).Line, g.Text()})
			}
			names = append(names, exported(path, f, fset)...)
		case ".ts", ".tsx", ".mjs":
			names = append(names, name{path, 1, strings.TrimSuffix(base, filepath.Ext(base))})
			raw, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range tsExport.FindAllStringSubmatchIndex(string(raw), -1) {
				names = append(names, name{path, 1 + strings.Count(string(raw[:at[0]]), "\n"), string(raw[at[2]:at[3]])})
			}
			for _, at := range tsComment.FindAllStringIndex(string(raw), -1) {
				texts = append(texts, text{path, 1 + strings.Count(string(raw[:at[0]]), "\n"), string(raw[at[0]:at[1]])})
			}
		case ".proto", ".sh", ".sql":
			names = append(names, name{path, 1, strings.TrimSuffix(base, filepath.Ext(base))})
		}
	}
	if len(texts) < 2000 || len(names) < 2000 {
		t.Fatalf("%d texts and %d names: the walk is broken", len(texts), len(names))
	}
	return texts, names
}

var (
	tsExport  = regexp.MustCompile(`(?m)^export (?:default )?(?:abstract )?(?:async )?(?:function|class|interface|type|const|let|enum) ([A-Za-z0-9_]+)`)
	tsComment = regexp.MustCompile(`(?s)/\*.*?\*/|(?m:^\s*//[^\n]*$)`)
)

func parseGo(t *testing.T, path string) (*ast.File, *token.FileSet) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filepath.Join(root, path), nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f, fset
}

// exported lists a file's exported names: of types with their fields and methods, functions,
// constants and variables.
func exported(path string, f *ast.File, fset *token.FileSet) (out []name) {
	add := func(id *ast.Ident) {
		if id.IsExported() {
			out = append(out, name{path, fset.Position(id.Pos()).Line, id.Name})
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !strings.HasSuffix(path, "_test.go") { // tests are named by sentences
				add(d.Name)
			}
		case *ast.GenDecl:
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					add(n.Name)
				case *ast.ValueSpec:
					for _, id := range n.Names {
						add(id)
					}
				case *ast.Field:
					for _, id := range n.Names {
						add(id)
					}
				case *ast.FuncLit:
					return false
				}
				return true
			})
		}
	}
	return out
}

// TestNoRetiredWords: the replaced private words do not come back in an exported name, a
// file's name, a page or a comment.
func TestNoRetiredWords(t *testing.T) {
	texts, names := readable(t)
	for _, x := range names {
		for _, r := range retiredWords {
			if !r.names || !r.in(x.path) || !slices.Contains(wordsOf(x.name), r.word) {
				continue
			}
			t.Errorf("%s:%d: the name %s has the word %q: use %s", x.path, x.line, x.name, r.word, r.use)
		}
	}
	for _, x := range names {
		for _, r := range retiredNames {
			if strings.HasPrefix(x.path, r.at+"/") && x.name == r.name {
				t.Errorf("%s:%d: the name %s is retired: use %s", x.path, x.line, x.name, r.use)
			}
		}
	}
	for _, x := range texts {
		for _, r := range retiredIn(x) {
			t.Errorf("%s:%d: the word %q: write %s", x.path, x.line, r.word, r.use)
		}
	}
}

// TestRetiredWordsAreNoticed: the test of words finds planted ones, and lets ordinary words be.
func TestRetiredWordsAreNoticed(t *testing.T) {
	for _, tt := range []struct {
		path, text string
		wrong      bool
	}{
		{"docs/a.md", "The gallery plays the match again.", true},
		{"docs/a.md", "see `match/gallery.go`", true},
		{"match/sim/doc.go", "units are handed over by hand", false},
		{"match/doc.go", "the match stands still", false},
		{"match/doc.go", "a `still` is kept", true},
		{"docs/a.md", "`GET /admin/api/house` and its audit row `house.drain`", false},
		{"docs/a.md", "a selection box, and the door of a building", false},
	} {
		if got := len(retiredIn(text{tt.path, 1, tt.text})) > 0; got != tt.wrong {
			t.Errorf("%s: %q: %t", tt.path, tt.text, got)
		}
	}
	for in, want := range map[string]string{"frontDesk": "front desk", "HTTPServer": "http server", "Handle": "handle", "rooms_test": "rooms test", "ID": "id"} {
		if got := strings.Join(wordsOf(in), " "); got != want {
			t.Errorf("%s is split into %q", in, got)
		}
	}
}
