package arch

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesOfMatchPointOneWay: if a file of package match uses names of another file, the other uses none of its names,
// not even through a third: each file can be read without the files above it.
func TestFilesOfMatchPointOneWay(t *testing.T) {
	const dir = "../../match"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	// Types of other packages are not needed to see which name of this one is meant.
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: noImporter{}, Error: func(error) {}}
	pkg, _ := conf.Check("match", fset, files, &info)
	uses := map[string]map[string]string{} // the names, by the files
	for id, what := range info.Uses {
		from, to := fset.Position(id.Pos()).Filename, fset.Position(what.Pos()).Filename
		if what.Pkg() == pkg && from != to {
			if uses[from] == nil {
				uses[from] = map[string]string{}
			}
			uses[from][to] = what.Name()
		}
	}
	if len(uses) < 20 {
		t.Fatalf("only %d files use others", len(uses))
	}
	for left := -1; left != len(uses); { // takes away files that use none which is left
		left = len(uses)
		for from, to := range uses {
			for f := range to {
				if uses[f] == nil {
					delete(to, f)
				}
			}
			if len(to) == 0 {
				delete(uses, from)
			}
		}
	}
	for from, to := range uses {
		for f, name := range to {
			t.Errorf("part of a circle: %s uses %s of %s", from, name, f)
		}
	}
}

type noImporter struct{}

func (noImporter) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }
