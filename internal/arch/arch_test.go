package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/fogkeep/fogkeep/"

// core lists the packages that have to give the same bits on every machine.
// Packages below them that open files or serve pages are shells of their own.
var core = []string{
	"internal/archive", "match/grid", "match/poll", "match/script", "match/rules", "visibility", "orders", "match/sim", "match/sim/nav", "match/view", "match/scenario", "match/client", "match/replay/timeline", "match/inspect", "minimap", "match/cluster/placement",
}

// state lists the core packages that hold or compute state: no floats there.
// minimap only draws.
var state = []string{"internal/archive", "match/grid", "match/script", "match/rules", "visibility", "orders", "match/sim", "match/sim/nav", "match/view", "match/scenario", "match/client", "match/replay/timeline"}

// instead names the core's replacement for each forbidden import.
var instead = map[string]string{
	"time":          "grid.Tick: ticks are the time",
	"os":            "a reader or bytes handed in by a shell (match/grid/mapfile, match/journal)",
	"io/ioutil":     "bytes handed in by a shell",
	"io/fs":         "bytes handed in by a shell",
	"path/filepath": "names handed in by a shell",
	"net":           "plain data; match and proto/wire talk to sockets",
	"net/http":      "plain data; match and lobby serve HTTP",
	"sync":          "one owner: the match's goroutine",
	"sync/atomic":   "one owner: the match's goroutine",
	"context":       "a bounded amount of work a call",
	"math":          "integers, grid.Sqrt, tables",
	"math/big":      "int64",
	"math/cmplx":    "integers",
	"math/rand":     "keyed randomness: a pure function of seed, tick, slot, counter, purpose",
	"math/rand/v2":  "keyed randomness: a pure function of seed, tick, slot, counter, purpose",
	"crypto/rand":   "keyed randomness: a pure function of seed, tick, slot, counter, purpose",
	"runtime":       "nothing: the core does not know its machine",
	"log":           "data returned to the shell, which logs",
	"log/slog":      "data returned to the shell, which logs",
	"unsafe":        "plain Go",
	"reflect":       "plain Go",
}

// drawing lists what minimap may import on top: it draws, and holds no state.
var drawing = []string{"math"}

// arrows lists, for each of our packages, which of ours it may import. A package without a row may import freely,
// but packages outside cmd and internal may not import cmd or internal.
var arrows = map[string][]string{
	"match/grid":                  {"internal/archive"},
	"internal/archive":            {},
	"match/rules":                 {"internal/strictjson", "match/grid", "match/script"},
	"match/script":                {},
	"match/poll":                  {"match/grid"},
	"visibility":                  {"internal/archive", "match/grid"},
	"orders":                      {"match/grid"},
	"match/sim":                   {"internal/archive", "match/grid", "match/rules", "match/script", "visibility", "orders", "match/sim/internal/testonly", "match/sim/nav"},
	"internal/strictjson":         {},
	"match/sim/nav":               {"internal/archive", "match/grid"},
	"match/sim/internal/testonly": {},
	"match/scenario":              {"internal/strictjson", "match/grid", "match/rules", "match/sim", "orders"},
	"match/sim/simtest":           {"match/grid", "match/rules", "match/sim", "match/sim/internal/testonly", "visibility", "visibility/obvious"},
	"match/view":                  {"match/grid", "match/rules", "visibility", "orders", "match/sim"},
	"match/client":                {"match/grid", "visibility", "match/view", "proto/fogkeepv1", "proto/wire"},
	"match/bot":                   {"match/client", "match/client/socket", "match/grid", "match/view", "orders", "proto/fogkeepv1", "proto/wire"},
	"match/client/socket":         {"match/client", "match/grid", "match/view", "proto/fogkeepv1", "proto/wire"},
	"match/verify":                {"match/client", "match/grid", "match/journal", "match/sim", "match/view", "orders", "proto/wire"},
	"match/bot/headless":          {"match/bot", "match/client", "match/grid", "match/journal", "match/rules", "match/sim", "match/spec", "match/view", "proto/fogkeepv1", "proto/wire"},
	"minimap":                     {"match/grid", "match/rules", "visibility", "match/view"},
	"proto/fogkeepv1":             {},
	"migrations":                  {},
	"lobby/matchmaking":           {},
	"lobby/model":                 {"internal/quota", "internal/plain", "lobby/matchmaking", "match/grid", "match/poll", "match/shared"},
	"lobby/db":                    {"lobby/matchmaking", "lobby/model", "match/grid"},
	"lobby/db/sqlite":             {"lobby/db", "lobby/model", "migrations"},
	"lobby/db/postgres":           {"lobby/db", "lobby/model", "migrations"},
	"lobby/identity":              {"internal/quota", "internal/outbound", "internal/plain", "lobby/account", "lobby/core", "lobby/model"},
	"lobby/identity/identitytest": {},
	"match/grid/mapfile":          {"match/grid", "internal/strictjson"},
	"match/rules/rulesfile":       {"match/rules", "match/script"},
	"match/pack":                  {"internal/strictjson", "match/grid", "match/grid/mapfile", "match/rules", "match/rules/rulesfile", "match/scenario"},
	"match/link":                  {"match/grid", "proto/fogkeepv1", "proto/wire", "internal/panics"},
	"match/feed":                  {"match/grid", "match/rules", "match/sim", "match/view", "match/link", "proto/fogkeepv1", "proto/wire"},
	"match":                       {"match/feed", "match/grid", "match/journal", "match/link", "match/notes", "match/past", "match/playback", "match/poll", "match/replay", "match/rules", "match/shared", "match/sim", "match/spec", "match/view", "orders", "proto/fogkeepv1", "proto/wire", "internal/quota", "internal/helpers", "internal/listen", "internal/panics"},
	"match/notes":                 {"match/grid", "internal/panics"},
	"match/inspect":               {"match/grid", "match/rules", "match/sim", "match/view", "orders", "visibility"},
	"match/inspectserver":         {"match/feed", "match/grid", "match/inspect", "match/journal", "match/notes", "match/playback", "match/replay", "match/replay/timeline", "match/shared", "match/sim", "match/spec", "match/view", "minimap", "orders", "proto/fogkeepv1", "proto/wire", "internal/quota", "internal/panics"},
	"match/replay":                {"match/grid", "match/journal", "match/replay/timeline", "match/sim", "match/spec", "match/view"},
	"match/replay/export":         {"match/grid", "match/journal", "match/replay/timeline", "match/rules", "match/sim", "orders"},
	"match/replay/timeline":       {"match/grid", "match/rules", "match/sim", "orders"},
	"match/playback":              {"match/grid", "match/journal", "match/notes", "match/replay", "match/sim", "match/spec", "match/view", "internal/quota", "internal/panics"},
	"match/replayserver":          {"match/feed", "match/grid", "match/journal", "match/link", "match/notes", "match/playback", "match/replay", "match/replay/timeline", "match/rules", "match/shared", "match/sim", "match/spec", "match/view", "proto/fogkeepv1", "proto/wire", "internal/quota", "internal/listen", "internal/panics"},
	"match/shared":                {"match/grid"},
	"match/spec":                  {"match/grid", "match/rules", "match/sim", "match/view", "orders", "proto/fogkeepv1", "proto/wire", "internal/quota"},
	"match/past":                  {"match/grid", "match/journal", "match/sim", "match/spec", "internal/quota"},
	"match/cluster/placement":     {},
	"match/cluster":               {"match/cluster/placement", "match/shared", "internal/panics"},
	"match/journal":               {"internal/archive", "match/grid", "match/rules", "orders", "match/sim", "internal/panics"},
	"match/journal/jetstream":     {"match/cluster/placement", "match/journal", "internal/panics"},
	"match/journal/journaltest":   {"match/journal"},
	"internal/natsnode":           {},
	"internal/natsnode/natstest":  {"internal/natsnode"},
	"proto/wire":                  {"match/grid", "match/rules", "visibility", "orders", "match/sim", "match/view", "proto/fogkeepv1", "internal/plain"}, // internal/plain: what a line of chat may hold is one rule in lobbies and matches
}

// strangers may not import each other, in either direction, not even through
// sub-packages: cmd joins them.
var strangers = [][2]string{{"match", "lobby"}, {"minimap", "lobby"}, {"proto/wire", "lobby"}}

// blind lists what rooms downstream of a view may not import: they are handed
// pictures, and never a world.
var blind = map[string][]string{
	"minimap": {"match/sim"},
}

type file struct {
	pkg  string // below the module
	path string
	ast  *ast.File
	fset *token.FileSet
}

func (f file) imports() []string {
	var out []string
	for _, s := range f.ast.Imports {
		p, _ := strconv.Unquote(s.Path.Value)
		out = append(out, p)
	}
	return out
}

// sources parses every Go file of the module that is no test.
func sources(t *testing.T) []file {
	t.Helper()
	root := "../.."
	var out []file
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "data" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, src, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		out = append(out, file{filepath.ToSlash(rel), path, f, fset})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("only %d source files found: the walk is broken", len(out))
	}
	return out
}

// TestSleepsHaveReasons: a test sleeps only where no event and no clock of its own serves,
// and says why on that line or in a comment directly above. internal/eventually polls.
func TestSleepsHaveReasons(t *testing.T) {
	sleeps := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		above := ""
		for i, line := range strings.Split(string(src), "\n") {
			if _, after, found := strings.Cut(line, "time."+"Sleep("); found {
				sleeps++
				if !strings.Contains(after, "// ") && !strings.HasPrefix(strings.TrimSpace(above), "// ") {
					t.Errorf("%s:%d: a sleep without a reason: use an event, a manual clock, synctest or eventually.Holds, or say why none serves", path, i+1)
				}
			}
			above = line
		}
		return err
	})
	if err != nil || sleeps == 0 {
		t.Errorf("%d sleeps found: %v", sleeps, err)
	}
}

func TestCoreImportsNothingImpure(t *testing.T) {
	for _, f := range sources(t) {
		if !slices.Contains(core, f.pkg) {
			continue
		}
		for _, imp := range f.imports() {
			if f.pkg == "minimap" && slices.Contains(drawing, imp) {
				continue
			}
			if use, bad := instead[imp]; bad {
				t.Errorf("%s imports %q: the core uses %s", f.path, imp, use)
			}
			ours := strings.HasPrefix(imp, module)
			if strings.Contains(strings.Split(imp, "/")[0], ".") && !ours && !(f.pkg == "match/script" && strings.HasPrefix(imp, "go.starlark.net/")) {
				t.Errorf("%s imports %q: the core needs the standard library and itself alone", f.path, imp)
			}
		}
	}
}

// TestTicksHaveNoSpans: only the program and its server make spans, so that no tick waits for one.
func TestTicksHaveNoSpans(t *testing.T) {
	found := 0
	for _, f := range sources(t) {
		for _, imp := range f.imports() {
			if !strings.HasPrefix(imp, "go.opentelemetry.io/") {
				continue
			}
			if found++; f.pkg != "cmd/fogkeep" && f.pkg != "cmd/fogkeep/server" {
				t.Errorf("%s imports %q: the caller in cmd/fogkeep/server makes the span", f.path, imp)
			}
		}
	}
	if found == 0 {
		t.Error("spans are made nowhere: the test is broken")
	}
}

func TestCoreStartsNothing(t *testing.T) {
	for _, f := range sources(t) {
		if !slices.Contains(core, f.pkg) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			what := ""
			switch n.(type) {
			case *ast.GoStmt:
				what = "a goroutine"
			case *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
				what = "a channel"
			}
			if what != "" {
				t.Errorf("%s: %s in the core: return data, and let match act", f.fset.Position(n.Pos()), what)
			}
			return true
		})
	}
}

func TestStateHasNoFloats(t *testing.T) {
	for _, f := range sources(t) {
		if !slices.Contains(state, f.pkg) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			what := ""
			switch n := n.(type) {
			case *ast.Ident:
				if slices.Contains([]string{"float32", "float64", "complex64", "complex128"}, n.Name) {
					what = n.Name
				}
			case *ast.BasicLit:
				if n.Kind == token.FLOAT || n.Kind == token.IMAG {
					what = n.Value
				}
			}
			if what != "" {
				t.Errorf("%s: %s where state is concerned: use fixed point, 1024 to a tile", f.fset.Position(n.Pos()), what)
			}
			return true
		})
	}
}

func TestArrowsPointInward(t *testing.T) {
	for _, f := range sources(t) {
		allowed, named := arrows[f.pkg]
		for _, imp := range f.imports() {
			dep, ours := strings.CutPrefix(imp, module)
			if !ours {
				continue
			}
			if named && !slices.Contains(allowed, dep) {
				t.Errorf("%s imports %s: %s may import %v", f.path, dep, f.pkg, allowed)
			}
			if slices.Contains(blind[f.pkg], dep) {
				t.Errorf("%s imports %s: it is handed pictures, never the world", f.path, dep)
			}
			outer := within(f.pkg, "cmd") || within(f.pkg, "internal") || within(f.pkg, "examples") // the go command keeps examples off internal
			if !outer && (strings.HasPrefix(dep, "cmd") || strings.HasPrefix(dep, "internal/") && !support(dep)) {
				t.Errorf("%s imports %s: arrows point inward", f.path, dep)
			}
			for _, s := range strangers {
				for _, pair := range [][2]string{s, {s[1], s[0]}} {
					if within(f.pkg, pair[0]) && within(dep, pair[1]) {
						t.Errorf("%s imports %s: %s and %s do not know each other; cmd joins them", f.path, dep, pair[0], pair[1])
					}
				}
			}
		}
	}
}

// support reports whether any room may import the internal package.
func support(dep string) bool {
	return slices.Contains([]string{"internal/archive", "internal/pgtest", "internal/quota", "internal/helpers", "internal/plain", "internal/listen", "internal/outbound", "internal/panics", "internal/strictjson"}, dep)
}

func within(pkg, room string) bool {
	common := pkg == "match/shared" || pkg == "match/poll" || pkg == "match/grid" || strings.HasPrefix(pkg, "match/grid/") // match's and lobby's
	return pkg == room || strings.HasPrefix(pkg, room+"/") && !(room == "match" && common)
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	docs := map[string]string{}
	for _, f := range sources(t) {
		if _, seen := docs[f.pkg]; !seen {
			docs[f.pkg] = ""
		}
		if filepath.Base(f.path) == "doc.go" && f.ast.Doc != nil {
			docs[f.pkg] = f.ast.Doc.Text()
		}
	}
	for pkg, doc := range docs {
		if pkg == "proto/fogkeepv1" { // generated
			continue
		}
		if len(strings.Fields(doc)) < 20 {
			t.Errorf("%s has no doc.go that says what it is, what goes in and out, and what it never does", pkg)
		}
	}
}

// worldQuestions are the methods by which a world is asked for entities, masks, a team's knowledge, or a player's acts.
var worldQuestions = []string{"Knowledge", "Eyes", "Entities", "Entity", "Tally"}

// worldReaders lists the packages that may ask a world: the maker of views, the summary of a replayed match, and
// the benchmarks. match/sim/simtest is for tests.
var worldReaders = []string{"match/view", "match/replay/timeline", "match/inspect", "internal/bench", "match/sim/simtest"}

// worldFiles lists the files of match/view that know a world. All others are
// handed views.
var worldFiles = []string{"build.go", "cache.go", "fields.go", "picture.go", "union.go"}

// TestReadersOfTheWorld: only worldReaders ask a world.
func TestReadersOfTheWorld(t *testing.T) {
	asked := map[string]int{}
	for _, f := range sources(t) {
		if f.pkg == "match/view" && slices.Contains(f.imports(), module+"match/sim") && !slices.Contains(worldFiles, filepath.Base(f.path)) {
			t.Errorf("%s imports match/sim: behind the views nobody knows a world", f.path)
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(worldQuestions, sel.Sel.Name) {
				return true
			}
			asked[f.pkg]++
			if !slices.Contains(worldReaders, f.pkg) {
				t.Errorf("%s: a world is asked for %s: take it from a view", f.fset.Position(n.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
	if asked["match/view"] == 0 {
		t.Errorf("nobody asks a world: %v: the walk is broken", asked)
	}
}

// State is changed in one place, the simulation's step. Two hands of tests and
// benchmarks can change it past the rules: the world editor
// (match/sim/simtest) and the driver of units (sim.Driver). handUsers lists the
// functions outside of match/sim that handle a driver: a benchmark has one, and the
// match service starts its match. No match of a player has one.
var handUsers = []string{"internal/bench Record", "internal/bench gauge.spec", "internal/bench interleave", "match newLive", "match/spec Match.CheckService"}

// TestNoHandsInTheProduct: no product code reaches the editor, and only handUsers reach a driver.
func TestNoHandsInTheProduct(t *testing.T) {
	found := map[string]bool{}
	for _, f := range sources(t) {
		if f.pkg == "match/sim" || f.pkg == "match/sim/simtest" {
			continue
		}
		for _, use := range handsIn(f) {
			found[use.by] = true
			if !slices.Contains(handUsers, use.by) {
				t.Errorf("%s: %s uses %s: only tests and benchmarks change a world past its rules", use.at, use.by, use.name)
			}
		}
	}
	for _, name := range handUsers {
		if !found[name] {
			t.Errorf("%s has no driver any more: take it off the list", name)
		}
	}
}

// Hands that are planted in product code are found in every place.
func TestHandsAreFound(t *testing.T) {
	for _, planted := range []string{
		`import "` + module + `match/sim/simtest"; func f() { simtest.Edit(nil) }`,
		`import "` + module + `match/sim/internal/testonly"; var key testonly.Key`,
		`func f(w *sim.World) { w.SetDriver(nil) }`,
		`func f(w *sim.World) { do := w.SetDriver; do(nil) }`,
		`func f() Spec { return Spec{Drive: nil} }`,
		`func f(s *Spec) { s.Drive = nil }`,
		`var set = (*sim.World).SetDriver`,
		`func f(w *sim.World) { w.Editor(key) }`,
	} {
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, "x.go", "package match\n"+planted, 0)
		if err != nil {
			t.Fatal(err)
		}
		if uses := handsIn(file{"match", "x.go", parsed, fset}); len(uses) == 0 || slices.Contains(handUsers, uses[0].by) {
			t.Errorf("not found: %s (%v)", planted, uses)
		}
	}
}

// handUse is a place where code takes a hand that changes a world past its rules.
type handUse struct {
	by, name string // by: the package and the function, or the package alone
	at       token.Position
}

func handsIn(f file) (out []handUse) {
	for _, d := range f.ast.Decls {
		by := f.pkg
		if fn, ok := d.(*ast.FuncDecl); ok {
			by += " " + funcName(fn)
		}
		ast.Inspect(d, func(n ast.Node) bool {
			name := ""
			switch n := n.(type) {
			case *ast.SelectorExpr:
				name = n.Sel.Name
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok {
					name = id.Name
				}
			case *ast.ImportSpec:
				path, _ := strconv.Unquote(n.Path.Value)
				if name = strings.TrimPrefix(path, module); name != "match/sim/simtest" && name != "match/sim/internal/testonly" {
					return true
				}
				out = append(out, handUse{by, name, f.fset.Position(n.Pos())})
				return true
			}
			if slices.Contains([]string{"Drive", "SetDriver", "Editor"}, name) {
				out = append(out, handUse{by, name, f.fset.Position(n.Pos())})
			}
			return true
		})
	}
	return out
}

// funcName returns a function's name, a method's with its receiver's type.
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	of := fn.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if id, ok := of.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

// unshipped lists packages that the shipped binary must not contain: tools of tests and
// of development.
var unshipped = []string{"internal/bench", "internal/clustertest", "internal/leak", "internal/matchkit", "internal/pgtest", "internal/tools", "match/sim/simtest", "match/verify", "testing"}

// TestShippedBinary asks the go command for the packages linked into cmd/fogkeep, for
// each system that it is built for.
func TestShippedBinary(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		deps := linked(t, goos, "./cmd/fogkeep")
		if !slices.Contains(deps, "match/sim") {
			t.Errorf("%s: match/sim is not among the %d packages of the binary: the list is broken", goos, len(deps))
		}
		for _, dep := range deps {
			for _, bad := range unshipped {
				if within(dep, bad) {
					t.Errorf("%s: the binary contains %s: only tests and internal/tools may import it", goos, dep)
				}
			}
		}
	}
	if deps := linked(t, "linux", "./internal/tools/withpg"); !slices.Contains(deps, "internal/pgtest") {
		t.Errorf("internal/pgtest is not found where it is linked: %v", deps)
	}
}

// linked returns the packages that a command is made of, ours below the module.
func linked(t *testing.T, goos, command string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", command)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOOS="+goos)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -deps %s for %s: %v", command, goos, err)
	}
	deps := strings.Fields(string(out))
	for i := range deps {
		deps[i] = strings.TrimPrefix(deps[i], module)
	}
	return deps
}

// TestTheRulesBite feeds the checks code that they must refuse: a check that never fails has no value.
func TestTheRulesBite(t *testing.T) {
	for _, name := range core {
		if _, err := os.Stat(filepath.Join("../..", filepath.FromSlash(name))); err != nil {
			t.Errorf("core room %s is gone: %v", name, err)
		}
	}
	if instead["time"] == "" || !within("lobby/db/sqlite", "lobby") || within("lobbyist", "lobby") {
		t.Error("the tables do not say what they should")
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", "package x\nimport \"time\"\nvar f float64 = 1.5\nfunc g() { go g() }", 0)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(file{"match/sim", "x.go", f, fset}.imports())
	if got != "[time]" {
		t.Errorf("imports = %s", got)
	}
}
