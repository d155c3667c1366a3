package arch

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms in which every goroutine's root catches its panics.
var caughtIn = []string{"match", "lobby", "cmd/fogkeep", "match/bot", "internal/listen", "minimap"}

// uncaught lists roots that need not, as package, function and started function.
var uncaught = map[string]string{
	"lobby/core turns.inTurn work": "hands a panic on to who waits for it",
	"match Service.Drain func":     "waits for matches to end, and does nothing else",
	"match/link Process.Run func":  "calls serve, which catches",
}

// roots lists the functions that a file's go statements, WaitGroup.Go and
// errgroup.Go start, by the function that starts them.
func roots(f file) map[*ast.FuncDecl][]ast.Expr {
	out := map[*ast.FuncDecl][]ast.Expr{}
	for _, d := range f.ast.Decls {
		decl, ok := d.(*ast.FuncDecl)
		if !ok || decl.Body == nil {
			continue
		}
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				out[decl] = append(out[decl], n.Call.Fun)
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Go" && len(n.Args) == 1 {
					out[decl] = append(out[decl], n.Args[0])
				}
			}
			return true
		})
	}
	return out
}

// catches reports whether a function's body defers panics.Catch first, or only calls functions that do.
func catches(body *ast.BlockStmt, named func(string) []*ast.FuncDecl, deep int) bool {
	for _, s := range body.List {
		d, ok := s.(*ast.DeferStmt)
		if !ok {
			break
		}
		if sel, ok := d.Call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Catch" {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "panics" {
				return true
			}
		}
	}
	if deep == 0 || len(body.List) == 0 {
		return false
	}
	for _, s := range body.List {
		var e ast.Expr
		switch s := s.(type) {
		case *ast.ExprStmt:
			e = s.X
		case *ast.ReturnStmt:
			if len(s.Results) == 1 {
				e = s.Results[0]
			}
		}
		if !caught(e, named, deep-1) {
			return false
		}
	}
	return true
}

// caught reports whether a started or called function catches its panics.
func caught(e ast.Expr, named func(string) []*ast.FuncDecl, deep int) bool {
	name, method := "", false
	switch e := e.(type) {
	case *ast.FuncLit:
		return catches(e.Body, named, deep)
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name, method = e.Sel.Name, true
	case *ast.CallExpr:
		// A started call, or a call that makes the started function.
		if id, ok := e.Fun.(*ast.Ident); ok && slices.ContainsFunc(named(id.Name), returnsCatcher) {
			return true
		}
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "AsError" {
			pkg, ok := sel.X.(*ast.Ident)
			return ok && pkg.Name == "panics"
		}
		return caught(e.Fun, named, deep)
	default:
		return false
	}
	list := slices.DeleteFunc(slices.Clone(named(name)), func(d *ast.FuncDecl) bool { return (d.Recv != nil) != method })
	return len(list) > 0 && !slices.ContainsFunc(list, func(d *ast.FuncDecl) bool {
		return d.Body == nil || !catches(d.Body, named, deep)
	})
}

// returnsCatcher reports whether a function only makes a function that catches.
func returnsCatcher(d *ast.FuncDecl) bool {
	if d.Body == nil || len(d.Body.List) != 1 {
		return false
	}
	r, ok := d.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return false
	}
	lit, ok := r.Results[0].(*ast.FuncLit)
	return ok && catches(lit.Body, func(string) []*ast.FuncDecl { return nil }, 0)
}

// uncaughtIn lists the roots of files that do not catch, as keys of uncaught,
// and where they are.
func uncaughtIn(files []file) map[string]token.Position {
	funcs := map[string][]*ast.FuncDecl{} // by package and last name
	for _, f := range files {
		for _, d := range f.ast.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok {
				key := f.pkg + " " + decl.Name.Name
				funcs[key] = append(funcs[key], decl)
			}
		}
	}
	out := map[string]token.Position{}
	for _, f := range files {
		named := func(name string) []*ast.FuncDecl { return funcs[f.pkg+" "+name] }
		for decl, list := range roots(f) {
			for _, root := range list {
				if caught(root, named, 2) {
					continue
				}
				what := "func"
				switch r := root.(type) {
				case *ast.Ident:
					what = r.Name
				case *ast.SelectorExpr:
					what = r.Sel.Name
				}
				out[f.pkg+" "+funcName(decl)+" "+what] = f.fset.Position(root.Pos())
			}
		}
	}
	return out
}

// Every goroutine that works for a client catches its panics at its root: one
// bug ends one match, socket or request, and not the process.
func TestGoroutinesCatchTheirPanics(t *testing.T) {
	var files []file
	started := 0
	for _, f := range sources(t) {
		inside := slices.ContainsFunc(caughtIn, func(room string) bool { return within(f.pkg, room) }) && !slices.ContainsFunc(workshops, func(w string) bool { return within(f.pkg, w) })
		if inside && !strings.HasPrefix(filepath.Base(f.path), "bench") {
			files = append(files, f)
			for _, list := range roots(f) {
				started += len(list)
			}
		}
	}
	found := uncaughtIn(files)
	for key, at := range found {
		if uncaught[key] == "" {
			t.Errorf("%s: %s: a goroutine that does not begin with defer panics.Catch", at, key)
		}
	}
	for key := range uncaught {
		if _, ok := found[key]; !ok {
			t.Errorf("%q is an exception that nobody needs", key)
		}
	}
	if started < 20 {
		t.Errorf("%d goroutines are started: the walk is broken", started)
	}
}

// The test of goroutines finds planted faults.
func TestTheGoroutinesTestBites(t *testing.T) {
	for text, wrong := range map[string]bool{
		"func f() { go func() { defer panics.Catch(l, `x`, nil); g() }() }":                                                 false,
		"func f() { go func() { defer close(c); defer panics.Catch(l, `x`, nil); g() }() }":                                 false,
		"func f() { go func() { g(); defer panics.Catch(l, `x`, nil) }() }":                                                 true,
		"func f() { go func() { defer func() { recover() }(); g() }() }":                                                    true,
		"func f() { w.Go(s.run) }\nfunc (s *S) run() { defer panics.Catch(l, `x`, nil) }":                                   false,
		"func f() { w.Go(s.run) }\nfunc (s *S) run() {}":                                                                    true,
		"func f() { w.Go(func() { s.run() }) }\nfunc (s *S) run() { defer panics.Catch(l, `x`, nil) }":                      false,
		"func f() { w.Go(func() { s.run(); h() }) }\nfunc (s *S) run() { defer panics.Catch(l, `x`, nil) }":                 true,
		"func f() { go elsewhere.Run() }":                                                                                   true,
		"func f() { g.Go(safe(h)) }\nfunc safe(h func()) func() { return func() { defer panics.Catch(l, `x`, nil); h() } }": false,
		"func f() { g.Go(safe(h)) }\nfunc safe(h func()) func() { return func() { h() } }":                                  true,
		"func f() { g.Go(panics.AsError(l, `x`, h)) }":                                                                      false,
		"func f() { g.Go(other.AsError(l, `x`, h)) }":                                                                       true,
	} {
		if got := len(uncaughtIn(parsed(t, "match", text))) > 0; got != wrong {
			t.Errorf("%s: found %v", text, got)
		}
	}
}
