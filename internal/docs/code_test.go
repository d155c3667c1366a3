package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// code are the declarations of the repository's files, so that pages can be compared with them.
type code struct {
	files    []string                   // below the root
	exports  map[string]map[string]bool // by package name: its types, functions, constants and variables
	members  map[string]map[string]bool // by type name, in whatever package: its methods and fields
	funcs    map[string]map[string]bool // by file: its functions, and its methods without their types
	fields   map[string]bool            // of the protocol's messages
	messages map[string]bool
	tails    map[string]bool            // of the files and folders: "a/b/c", "b/c" and "c"
	imports  map[string]map[string]bool // by package, below the module: what of the module it imports, without its tests
	classes  map[string]bool            // of TypeScript, with interfaces
	words    map[string]bool            // of TypeScript: all names and words
	anywhere map[string]bool            // all names and words of sources in whatever language
}

// theCode is read once for all tests.
var theCode = sync.OnceValues(readCode)

func readCode() (*code, error) {
	c := &code{imports: map[string]map[string]bool{}, messages: map[string]bool{}, tails: map[string]bool{}, classes: map[string]bool{}, words: map[string]bool{}, anywhere: map[string]bool{}, exports: map[string]map[string]bool{}, members: map[string]map[string]bool{}, funcs: map[string]map[string]bool{}, fields: map[string]bool{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"node_modules", "dist", "data", "bin", "artefacts"}, d.Name())):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		c.files = append(c.files, rel)
		c.addTails(rel)
		if slices.Contains(spoken, filepath.Ext(rel)) && !strings.HasPrefix(rel, "internal/docs/") {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, w := range tsWord.FindAllString(string(raw), -1) {
				c.anywhere[w] = true
			}
		}
		if strings.HasSuffix(rel, ".ts") {
			raw, err := os.ReadFile(path)
			c.addTypeScript(string(raw))
			return err
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		c.add(rel, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.addFields(fogkeepv1.File_fogkeep_v1_server_proto.Messages())
	c.addFields(fogkeepv1.File_fogkeep_v1_client_proto.Messages())
	if len(c.files) < 300 || len(c.exports) < 20 || len(c.fields) < 50 {
		return nil, fmt.Errorf("%d files, %d packages, %d fields: the walk is broken", len(c.files), len(c.exports), len(c.fields))
	}
	return c, nil
}

// addTails notes a path, its folders, and the tail ends of each.
func (c *code) addTails(path string) {
	for folder := path; folder != "."; folder = filepath.Dir(folder) {
		for tail := folder; ; {
			c.tails[tail] = true
			_, rest, ok := strings.Cut(tail, "/")
			if !ok {
				break
			}
			tail = rest
		}
	}
}

var (
	tsClass = regexp.MustCompile(`(?:class|interface) ([A-Za-z0-9_]+)`)
	tsWord  = regexp.MustCompile(`[A-Za-z0-9_]+`)
)

func (c *code) addTypeScript(text string) {
	for _, m := range tsClass.FindAllStringSubmatch(text, -1) {
		c.classes[m[1]] = true
	}
	for _, w := range tsWord.FindAllString(text, -1) {
		c.words[w] = true
	}
}

func put(m map[string]map[string]bool, key, name string) {
	if m[key] == nil {
		m[key] = map[string]bool{}
	}
	m[key][name] = true
}

// add notes a file's declarations.
func (c *code) add(file string, f *ast.File) {
	pkg := filepath.Base(filepath.Dir(file))
	if !strings.HasSuffix(file, "_test.go") {
		for _, s := range f.Imports {
			if of, ok := strings.CutPrefix(strings.Trim(s.Path.Value, `"`), "github.com/fogkeep/fogkeep/"); ok {
				put(c.imports, filepath.Dir(file), of)
			}
		}
	}
	if f.Name.Name == "main" {
		pkg = "main"
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			put(c.funcs, file, d.Name.Name)
			if d.Recv == nil {
				put(c.exports, pkg, d.Name.Name)
				continue
			}
			of := d.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if id, ok := of.(*ast.Ident); ok {
				put(c.members, id.Name, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						put(c.exports, pkg, n.Name)
					}
				case *ast.TypeSpec:
					put(c.exports, pkg, s.Name.Name)
					put(c.members, s.Name.Name, "")
					c.addMembers(s)
				}
			}
		}
	}
}

// addMembers notes the fields and interface methods of a type.
func (c *code) addMembers(s *ast.TypeSpec) {
	var list *ast.FieldList
	switch x := s.Type.(type) {
	case *ast.StructType:
		list = x.Fields
	case *ast.InterfaceType:
		list = x.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			put(c.members, s.Name.Name, n.Name)
		}
	}
}

func (c *code) addFields(messages protoreflect.MessageDescriptors) {
	for i := range messages.Len() {
		c.messages[string(messages.Get(i).Name())] = true
		for j := range messages.Get(i).Fields().Len() {
			c.fields[string(messages.Get(i).Fields().Get(j).Name())] = true
		}
		c.addFields(messages.Get(i).Messages())
	}
}

// has reports whether a file or folder with this name exists: from the root, or the end of a longer path.
func (c *code) has(name string) bool { return c.tails[strings.TrimSuffix(name, "/")] }

// said reports whether a source file has a name. Names of metrics and cookies are put together: of
// fogkeep_match_disk_low a file has disk_low.
func (c *code) said(name string) bool {
	rest, composed := strings.CutPrefix(name, "fogkeep_")
	for ; composed && !c.anywhere[rest]; _, rest, composed = strings.Cut(rest, "_") {
	}
	return composed || c.anywhere[name]
}

// spoken lists how files end whose words a page may use as names.
var spoken = []string{".go", ".ts", ".tsx", ".cs", ".mjs", ".proto", ".sql", ".sh", ".html", ".tmj", ".yaml", ".mod"}

// elsewhere lists names that look like files of the repository and are not.
var elsewhere = map[string]string{
	"game.map": "a file of Warzone 2100", "node.json": "a file of a cluster's folder", "cluster.json": "a file of a cluster's folder",
	"struct.json": "a file of Warzone 2100", "droid.json": "a file of Warzone 2100",
	"feature.json": "a file of Warzone 2100", "game.js": "a file of Warzone 2100",
	"resume.key": "a file of the data folder", "web/dist/site": "made by make web", "web/dist/demo": "made by make demo", "artefacts/site/index.html": "made by make site", "all.png": "made by the tutorial", "red.png": "made by the tutorial",
}

var (
	fileLike   = regexp.MustCompile(`^[A-Za-z0-9_.-][A-Za-z0-9_./-]*\.(go|tsx?|cs|csproj|mjs|js|proto|json|md|sh|sql|html|css|map)$`)
	folderLike = regexp.MustCompile(`^(match|visibility|orders|minimap|lobby|proto|web|cmd|internal|migrations|scripts)/[A-Za-z0-9_./-]*$`)
	goName     = regexp.MustCompile(`^([a-z][a-z0-9]*)\.([A-Z][A-Za-z0-9]*)(\.([A-Za-z0-9]+))?$`)
	memberName = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]*)\.([a-z][A-Za-z0-9]*)$`)
	plainName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	schemaName = regexp.MustCompile(`^([a-z_]+)\.([a-z_.]+)$`)
	commitHash = regexp.MustCompile(`^[0-9a-f]{7,12}$`) // of a measurement
	testName   = regexp.MustCompile(`^(Test|Benchmark|Fuzz)[A-Z][A-Za-z0-9]*$`)
)

// unknown returns the fault of a name in a page; "" if it exists, or cannot be checked.
func (c *code) unknown(span string) string {
	switch {
	case strings.Contains(span, "NAME") || strings.Contains(span, "vN.") || elsewhere[span] != "":
		return ""
	case fileLike.MatchString(span), folderLike.MatchString(span):
		if !c.has(span) {
			return "there is no such file"
		}
	case testName.MatchString(span):
		if !strings.Contains(testSources, "func "+span+"(") {
			return "there is no such test"
		}
	case goName.MatchString(span):
		m := goName.FindStringSubmatch(span)
		if c.exports[m[1]] == nil {
			return ""
		}
		if !c.exports[m[1]][m[2]] {
			return "the package does not have it"
		}
		if m[4] != "" && !c.members[m[2]][m[4]] {
			return "the type does not have it"
		}
	case memberName.MatchString(span):
		m := memberName.FindStringSubmatch(span)
		switch {
		case c.fields[m[1]]:
			if !c.fields[m[2]] {
				return "no message of the protocol has such a field"
			}
		case c.messages[m[1]]:
			if !c.fields[m[2]] {
				return "the message does not have it"
			}
		case c.members[m[1]][m[2]]:
		case c.members[m[1]] != nil && !c.classes[m[1]]:
			return "the type does not have it"
		case c.classes[m[1]] && !c.words[m[2]]:
			return "the class does not have it"
		}
	case schemaName.MatchString(span):
		words := strings.Split(span, ".")
		if c.fields[words[0]] && slices.ContainsFunc(words, func(w string) bool { return !c.fields[w] }) {
			return "no message of the protocol has such a field"
		}
	case plainName.MatchString(span) && !commitHash.MatchString(span) && !c.said(span):
		return "no source file has such a name"
	}
	return ""
}

// TestNamesInPages: each file, folder, test, function, type and field of the protocol that a page names
// exists.
func TestNamesInPages(t *testing.T) {
	c, err := theCode()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, p := range pages(t) {
		for span, line := range p.spans() {
			checked++
			if why := c.unknown(strings.TrimSuffix(span, "()")); why != "" {
				t.Errorf("%s:%d: `%s`: %s", p.path, line, span, why)
			}
		}
	}
	if checked < 800 {
		t.Errorf("only %d names found: the test is broken", checked)
	}
}

// TestWalksNameTheirFunctions: in docs/contributing/architecture.md, a function that is named beside a file is in it.
func TestWalksNameTheirFunctions(t *testing.T) {
	c, err := theCode()
	if err != nil {
		t.Fatal(err)
	}
	file := regexp.MustCompile("`([a-z0-9_/]+\\.go)`")
	beside := regexp.MustCompile("`([a-z0-9_/]+\\.go)` \\(`([A-Za-z.]+)`\\)")
	checked := 0
	for _, p := range pages(t) {
		if p.path != "docs/contributing/architecture.md" {
			continue
		}
		for row := range strings.Lines(p.prose) {
			for _, m := range beside.FindAllStringSubmatch(row, -1) {
				checked++
				if !c.funcs[m[1]][m[2]] {
					t.Errorf("%s does not have the function %s", m[1], m[2])
				}
			}
			cells := strings.Split(row, "|")
			if len(cells) < 5 {
				continue
			}
			name := regexp.MustCompile("^ `([A-Za-z]+\\.)?([A-Za-z]+)` $").FindStringSubmatch(cells[1])
			files := file.FindAllStringSubmatch(cells[len(cells)-2], -1)
			if name == nil || len(files) == 0 {
				continue
			}
			checked++
			if !slices.ContainsFunc(files, func(f []string) bool { return c.funcs[f[1]][name[2]] }) {
				t.Errorf("docs/contributing/architecture.md: none of %v has the function %s", files, name[2])
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d functions found: the test is broken", checked)
	}
}
