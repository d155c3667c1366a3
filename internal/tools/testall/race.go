package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// withoutRace are tests that have no goroutines and take long with the race
// detector, in packages whose other tests need it. Tests of files with the build
// constraint "!race" are treated alike, and are found by the constraint.
var withoutRace = []string{
	"TestABranchTellsNothingHidden",     // TestAReplayIsPlayedToItsEnd starts the same goroutines
	"TestAFloodCostsLittleDisk",         // TestFloodCostsOthersNothing starts the same goroutines
	"TestALateReplayTellsNothingHidden", // TestAReplayIsPlayedToItsEnd starts the same goroutines
	"TestAMatchWithoutPlayersEndsInAMinute",
	"TestAnAwayPlayersSeatIsTakenOver",
	"TestBranchedMatch", // TestRecoverAtEveryRecord starts the same goroutines
	"TestBroadcastThatDivergesIsClosed",
	"TestEveryFrameIsOfItsTick", // TestAReplayIsPlayedToItsEnd starts the same goroutines
	"TestForkOfNothing",
	"TestLagIsMadeUpFor",
	"TestLateBroadcastBeginsAtASavedState",
	"TestNarrowClientIsToldOfTheFightInView",
	"TestNoninterference",
	"TestNoninterferenceOfFeatures",
	"TestNothingOfTheDelayIsTold",
	"TestNothingOutOfSightIsSent",
	"TestPlantedLeaks",
	"TestReplicaIsTheViewOverAnyLink",
	"TestResumeAtEveryTickOfAFight",
	"TestResumeLosesNothingAndDoublesNothing",
	"TestSimulatedComeback",
	"TestSimulatedFaults",
	"TestSimulatedJournals",
	"TestSimulatedTakeoverIsQuick",
	"TestSimulatedZombie",
	"TestSixtyFourPlayers",
	"TestSpectatorComesInLate",
	"TestSpectatorOnANarrowLink",
	"TestSpectatorsCostPlayersNothing",
	"TestSpectatorsSeeTheMatchLate",
	"TestStarvedClientIsNobodysConcern",
	"TestSuspicions", // TestHandOverToAndFro starts the same goroutines
	"TestTrafficIsCountedAsClientsCountIt",
	"TestVectors",
	"TestVectorsRead",
	"TestWebsocketConformance", // TestAStuckSocketHoldsUpNobody starts the same goroutines
	"TestSilentClientGetsAFramePerSecond",
	"TestWhyEqualsTheObviousScan",
}

// noRaces are packages that run without the detector although something that they
// use can start goroutines.
var noRaces = map[string]string{
	"cmd/fogkeep":           "its tests are processes and their clients; the tests of cmd/fogkeep/server run the same server",
	"cmd/fogkeep/tools":     "its commands start no goroutine, and serve no player",
	"cmd/fogkeep-wasm/solo": "the goroutines of a page share one thread",
	"internal/clustertest":  "other tests use it, and run with the detector",
	"internal/eventually":   "it has one goroutine",
	"internal/bench":        "its clients serve no player; the others compute",
	"internal/docs":         "each goroutine waits for a command of a page",
	"lobby/storetest":       "its goroutines are sessions of a database; lobby/api and cmd/fogkeep/server run the same statements with the detector",
	"match/bot/headless":    "its matches have one goroutine",
	"match/pack":            "it reads files; match and cmd/fogkeep/server play its packs with the detector",
	"match/replay":          "a replay has one goroutine",
	"match/scenario":        "it starts no goroutine",
	"match/verify":          "it plays a match again in one goroutine",
	"migrations":            "its goroutines are sessions of a database, whose locks it tests",
	"match/sim":             "its bands run side by side in the tests of match too, whose every step is shared",
}

// notChecked are packages that are compiled without the detector's checks: SQLite,
// translated from C, and the C library that it calls. They lock by themselves and keep
// their data out of Go's memory, and with the checks the tests of the database take four
// times as long. The driver, and database/sql, are checked.
var notChecked = []string{"modernc.org/sqlite/lib", "modernc.org/libc", "modernc.org/memory"}

// raceFlags are the flags of go test for the suite with the detector. The packages of the
// module are compiled without the tables of a debugger, in four fifths of the time, and lobby/api, where each route
// is a copy of a generic function, without inlining: in half of the time.
func raceFlags() []string {
	flags := []string{"-race", "-gcflags=github.com/fogkeep/fogkeep/...=-dwarf=false", "-gcflags=github.com/fogkeep/fogkeep/lobby/api=-dwarf=false -l"}
	for _, path := range notChecked {
		flags = append(flags, "-gcflags="+path+"=-race=false")
	}
	return flags
}

// starters are imports that start goroutines for who uses them.
var starters = []string{"net", "net/http", "net/http/httptest", "database/sql", "golang.org/x/sync/errgroup"}

// starts are methods and functions that start one, or run tests side by side.
var starts = []string{"Go", "AfterFunc", "Parallel"}

// goTests is what runs with the race detector, and what without it. Each test is
// in one of the two.
type goTests struct {
	race  []string // packages, without the tests of alone
	alone []string // tests of these packages that run without the detector
	in    []string // the packages that have them
	// Packages that start no goroutine, and whose tests import no package that does: all their tests run without it. The
	// packages beneath them have tests of their own.
	plain []string
}

// names is the pattern of alone.
func (g *goTests) names() string { return "^(" + strings.Join(g.alone, "|") + ")$" }

// goPackage is what `go list` says of a package.
type goPackage struct {
	ImportPath, Dir                    string
	TestImports, XTestImports          []string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Module                             struct{ Path string }
}

func (p *goPackage) short() string { return strings.TrimPrefix(p.ImportPath, p.Module.Path+"/") }

// divide reads the module at root.
func divide(root string) (*goTests, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,TestImports,XTestImports,GoFiles,TestGoFiles,XTestGoFiles,Module", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []*goPackage
	code := map[string]bool{} // what starts goroutines, by import path
	for _, s := range starters {
		code[s] = true
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for dec.More() {
		p := &goPackage{}
		if err := dec.Decode(p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
		if code[p.ImportPath], _, err = read(p.Dir, p.GoFiles); err != nil {
			return nil, err
		}
	}
	concurrent := func(path string) bool { return code[path] }
	g := &goTests{}
	found := map[string]int{}
	for _, p := range all {
		files := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
		if len(files) == 0 {
			continue
		}
		testsStart, alone, err := read(p.Dir, files)
		if err != nil {
			return nil, err
		}
		tool := strings.HasPrefix(p.short(), "internal/tools/") // serves no player
		if tool || noRaces[p.short()] != "" || !testsStart && !slices.ContainsFunc(slices.Concat([]string{p.ImportPath}, p.TestImports, p.XTestImports), concurrent) {
			g.plain = append(g.plain, "./"+p.short())
			continue
		}
		g.race = append(g.race, "./"+p.short())
		for _, name := range alone {
			found[name]++
		}
		if len(alone) > 0 {
			g.in = append(g.in, "./"+p.short())
			g.alone = append(g.alone, alone...)
		}
	}
	for _, name := range withoutRace {
		if found[name] != 1 {
			return nil, fmt.Errorf("%s of withoutRace is a test of %d packages that are run with the race detector, want of one", name, found[name])
		}
	}
	return g, nil
}

// read returns whether files start goroutines, and which of their tests run
// without the race detector.
func read(dir string, files []string) (begin bool, alone []string, err error) {
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return false, nil, err
		}
		noRace := slices.ContainsFunc(f.Comments, func(c *ast.CommentGroup) bool {
			return c.Pos() < f.Package && strings.HasPrefix(c.List[0].Text, "//go:build !race")
		})
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && strings.HasPrefix(d.Name.Name, "Test") && d.Name.Name != "TestMain" &&
				(noRace || slices.Contains(withoutRace, d.Name.Name)) {
				alone = append(alone, d.Name.Name)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				begin = true
			case *ast.SelectorExpr:
				begin = begin || slices.Contains(starts, n.Sel.Name)
			case *ast.ImportSpec:
				path, _ := strconv.Unquote(n.Path.Value)
				begin = begin || slices.Contains(starters, path)
			}
			return true
		})
	}
	return begin, alone, nil
}
