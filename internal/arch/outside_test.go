package arch

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// guestPackage reports whether another module may import a package: everything but
// internal packages, commands and programs.
func guestPackage(pkg string) bool {
	return !strings.Contains("/"+pkg+"/", "/internal/") && (!within(pkg, "cmd") || pkg == "cmd/fogkeep/server" || within(pkg, "cmd/fogkeep/tools")) &&
		!within(pkg, "examples") && !within(pkg, "scripts")
}

// hiddenUse is a place where an exported name needs a type that has no name outside.
type hiddenUse struct{ by, text string }

// hidden lists exported functions, fields and types of a file that need a type of
// an internal package, which another module cannot name. An alias of such a type is how it gets a name, and does
// not count.
func hidden(f file) (out []hiddenUse) {
	internal := map[string]bool{}
	for _, s := range f.ast.Imports {
		p, _ := strconv.Unquote(s.Path.Value)
		if ours, ok := strings.CutPrefix(p, module); ok && strings.Contains("/"+ours+"/", "/internal/") {
			name := path.Base(p)
			if s.Name != nil {
				name = s.Name.Name
			}
			internal[name] = true
		}
	}
	look := func(where string, n ast.Node, isType bool) {
		if n == nil {
			return
		}
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field: // of a struct or interface: exported ones only
				if len(n.Names) > 0 && !slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return id.IsExported() }) && isType {
					return false
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && internal[x.Name] {
					out = append(out, hiddenUse{where, fmt.Sprintf("%s: %s needs %s.%s", f.fset.Position(n.Pos()), where, x.Name, n.Sel.Name)})
				}
			}
			return true
		})
	}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() {
				continue
			}
			if d.Recv != nil {
				name := funcName(d)
				if !ast.IsExported(name) {
					continue
				}
			}
			look(funcName(d), d.Type, false)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && !s.Assign.IsValid() {
						look(s.Name.Name, s.Type, true)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && s.Type != nil {
						look(s.Names[0].Name, s.Type, false)
					}
				}
			}
		}
	}
	return out
}

// unguested lists exported names for our own packages, by package and name.
var unguested = map[string]string{
	"match/sim World.Editor":             "the key is of the simulation's own tests",
	"match/sim/nav Finder.State":         "part of the world's state, which the world saves",
	"match/sim/nav Ground.State":         "part of the world's state, which the world saves",
	"cmd/fogkeep/tools/bots Balance.Run": "kong calls it",
	"cmd/fogkeep/tools/bots Command.Run": "kong calls it",
	"lobby/storetest Matches":            "the shared tests of our stores",
	"lobby/storetest Ledger":             "the shared tests of our stores",
	"lobby/storetest Unlimited":          "the shared tests of our stores",
}

// Another module can name everything that it can use.
func TestImportersCanNameTypes(t *testing.T) {
	needless := maps.Clone(unguested)
	for _, f := range sources(t) {
		if !guestPackage(f.pkg) || f.pkg == "proto/fogkeepv1" {
			continue
		}
		for _, h := range hidden(f) {
			key := f.pkg + " " + h.by
			if delete(needless, key); unguested[key] != "" {
				continue
			}
			t.Errorf("%s, which another module cannot name: give it an alias in a package that it may import, or take it out", h.text)
		}
	}
	for key := range needless {
		t.Errorf("%q is an exception that nobody needs", key)
	}
}

// The examples are foreign modules: the go command keeps them out of our
// internal packages, and they build against this checkout.
func TestExamplesAreOutside(t *testing.T) {
	mods, err := filepath.Glob("../../examples/*/go.mod")
	if err != nil || len(mods) < 3 {
		t.Fatalf("%d examples, %v", len(mods), err)
	}
	for _, m := range mods {
		b, err := os.ReadFile(m)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(string(b), "module "), "\n")
		ours := strings.TrimSuffix(module, "/")
		if !strings.HasPrefix(name, "example.org/") || strings.Contains(string(b), ours) && !strings.Contains(string(b), "replace "+ours+" => ../..") {
			t.Errorf("%s is the module %s: it has to be of another place, and to replace ours by ../.. if it needs ours", m, name)
		}
	}
}
