package docs

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGuestPackagesHaveExamples: each package that docs/build/embedding.md lists for other modules is there,
// and has an example that the go command runs, with an output that it compares.
func TestGuestPackagesHaveExamples(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(root, "docs/build/embedding.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(raw), "\n## Packages\n")
	if !ok {
		t.Fatal("docs/build/embedding.md has no list of packages")
	}
	list, _, _ = strings.Cut(list, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|").FindAllStringSubmatch(list, -1)
	if len(rows) < 15 {
		t.Errorf("only %d packages are listed: the test is broken", len(rows))
	}
	for _, row := range rows {
		dir := filepath.Join(root, row[1])
		if strings.Contains("/"+row[1]+"/", "/internal/") {
			t.Errorf("%s is listed, and no other module may import it", row[1])
		}
		tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		for _, name := range tests {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		runnable := 0
		for _, e := range doc.Examples(files...) {
			if e.Output != "" {
				runnable++
			}
		}
		if runnable == 0 {
			t.Errorf("%s has no runnable example: write one in its example_test.go", row[1])
		}
	}
}
