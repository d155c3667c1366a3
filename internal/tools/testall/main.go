package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// count is what a suite came to.
type count struct{ passed, failed, skipped int }

func (c *count) add(d count) {
	c.passed += d.passed
	c.failed += d.failed
	c.skipped += d.skipped
}

func (c count) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.passed, c.failed, c.skipped)
}

// suite is one command and how its output is counted.
type suite struct {
	name string
	argv []string
	dir  string
	env  []string
	// read consumes the command's output, prints what a person wants to see,
	// and counts. It must read to the end.
	read func(r io.Reader, w io.Writer) result
	// again returns the command that runs the failed tests of one place once more. It
	// is nil for a suite that has the same result each time.
	again func(where string, failed []string) []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code := run(ctx, os.Stdout)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, w io.Writer) int {
	root, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(w, "testall:", err)
		return 1
	}
	maps := &mapCount{}
	begun := time.Now()
	plan, err := stages(root, maps)
	if err != nil {
		fmt.Fprintln(w, "testall:", err)
		return 1
	}
	var total count
	var ended []ran
	for _, s := range plan {
		ended = append(ended, runStage(ctx, s, w)...)
		if ctx.Err() != nil {
			fmt.Fprintln(w, "testall: interrupted")
			return 1
		}
	}
	for _, r := range ended {
		total.add(runAgain(ctx, r, w))
	}
	fmt.Fprintf(w, "\nscreenshots: %s\n", filepath.Join(root, "artefacts"))
	fmt.Fprintf(w, "time: %s\n", time.Since(begun).Round(time.Second))
	fmt.Fprintln(w, maps)
	fmt.Fprintf(w, "%s\n", total)
	if total.failed > 0 {
		return 1
	}
	return 0
}

// lane is suites that run one after another.
type lane []suite

// stage is lanes that run side by side.
type stage []lane

// Browser tests by what they need of the machine. Those that are in no list play
// matches, and draw few frames: two at a time.
var (
	// These draw no match, or a plain one: they wait more than they work.
	waits = []string{"e2e/admin.test.mjs", "e2e/inspect.test.mjs", "e2e/sdk.test.mjs"}
	// These wait for slow networks and for a provider of identities.
	idles = []string{"e2e/feel.test.mjs", "e2e/identity.test.mjs", "e2e/proxy.test.mjs"}
	// These draw or measure every frame, or have a hand on the page.
	draws = []string{"e2e/abilities.test.mjs", "e2e/drawn.test.mjs", "e2e/frame.test.mjs", "e2e/gestures.test.mjs", "e2e/shots.test.mjs"}
)

// stages returns what is run. The tests that watch the clock, which are some of
// those with the race detector and those of the browser, have the machine to
// themselves, or beside what steps back for them. The others are work alone, or
// wait: lanes keep the processors busy.
func stages(root string, maps *mapCount) ([]stage, error) {
	web := filepath.Join(root, "web")
	tests, err := divide(root)
	if err != nil {
		return nil, err
	}
	e2e, err := filepath.Glob(filepath.Join(web, "e2e", "*.test.mjs"))
	if err != nil {
		return nil, err
	}
	for i, f := range e2e {
		e2e[i] = filepath.Join("e2e", filepath.Base(f))
	}
	goTest := func(name string, args ...string) suite { return goSuite(maps, name, args...) }
	// The packages whose tests wait and work longest begin first; four at a time, since many wait.
	race := slices.Clone(tests.race)
	long := []string{"./match", "./cmd/fogkeep"}
	slices.SortStableFunc(race, func(a, b string) int {
		return cmp.Compare(slices.Index(long, b), slices.Index(long, a))
	})
	plays := slices.DeleteFunc(slices.Clone(e2e), func(f string) bool {
		return slices.Contains(slices.Concat(waits, idles, draws), f)
	})
	browser := func(name string, atATime int, files []string) suite {
		s := browserSuite(name, atATime, files)
		s.dir = web
		s.env = []string{"FOGKEEP_BIN=" + filepath.Join(root, "bin", "fogkeep"), "ARTIFACTS=" + filepath.Join(root, "artefacts")}
		return s
	}
	modules, err := modulesOf(root)
	if err != nil {
		return nil, err
	}
	var examples lane
	for _, dir := range modules {
		one := goTest("example "+filepath.Base(dir), "-vet=all", "./...") // go vet of this module does not come to it
		one.dir = dir
		examples = append(examples, one)
	}
	skipped := tests.names()
	// Without those that compare a world with another of the same machine.
	small := goTest("go test, 32 bits", "-skip", "^(TestBranchGoesTheSameWay|TestBusy)$", "./match/sim", "./orders")
	small.env = []string{"GOARCH=386", "CGO_ENABLED=0"} // the same hashes on another machine
	// Its processes wait most of the time, so it runs beside what computes.
	const faults = "TestClusterFaults"
	cluster := goTest("go test, a cluster that breaks", "-run", "^"+faults+"$", "./cmd/fogkeep")
	tests.alone = slices.DeleteFunc(tests.alone, func(name string) bool { return name == faults })
	alone := goTest("go test, one goroutine", append([]string{"-p", "2", "-run", tests.names()}, tests.in...)...)
	units := suite{name: "typescript unit tests", argv: []string{"node_modules/.bin/vitest", "run", "--reporter=json"}, dir: web, read: vitest}
	for _, s := range []*suite{&alone, &small, &units} {
		s.argv = append([]string{"nice", "-n", "10"}, s.argv...)
	}
	return []stage{
		{{goTest("go test -race", slices.Concat(raceFlags(), []string{"-p", "4", "-skip", skipped}, race)...)}},
		{
			{
				{name: "go vet", argv: []string{"go", "vet", "./..."}, read: oneCheck},
				{name: "typescript types", argv: []string{"npm", "run", "--silent", "typecheck"}, dir: web, read: oneCheck},
				{name: "typescript lint", argv: []string{"npm", "run", "--silent", "lint"}, dir: web, read: oneCheck},
				goTest("go test, no goroutine in the package", tests.plain...),
			},
			append(lane{
				{name: "C# client", argv: []string{"./scripts/csharp.sh"}, dir: root, read: tap, env: []string{"FOGKEEP_BIN=" + filepath.Join(root, "bin", "fogkeep")}},
				browser("browser test, pages without a match", 1, waits),
			}, examples...),
			{browser("browser test, slow networks and log-in", 1, idles)},
			{cluster},
		},
		// A browser that draws by software keeps one processor busy, and so do two whose
		// pages draw ten frames a second. What is left goes to tests of one goroutine,
		// which do not watch the clock and step back.
		{{browser("browser test, every frame", 1, draws), browser("browser test", 2, plays)}, {alone, small, units}},
	}, nil
}

// goSuite returns the suite of a `go test` with these flags and packages. Its vet is
// the suite "go vet".
func goSuite(maps *mapCount, name string, args ...string) suite {
	command := []string{"go", "test", "-json", "-timeout", "20m", "-vet=off"}
	return suite{name: name, argv: slices.Concat(command, args), read: maps.goTest,
		again: func(where string, failed []string) []string {
			once := slices.Clone(command)
			for _, a := range args {
				if a == "-race" || strings.HasPrefix(a, "-gcflags=") {
					once = append(once, a)
				}
			}
			return append(once, "-count=1", "-run", "^("+strings.Join(failed, "|")+")$", where)
		}}
}

// browserSuite returns the suite of these files.
func browserSuite(name string, atATime int, files []string) suite {
	command := []string{"node", "--test", "--test-reporter=tap", fmt.Sprintf("--test-concurrency=%d", atATime)}
	return suite{name: name, argv: slices.Concat(command, files), read: tap,
		again: func(file string, _ []string) []string { // the steps of a file follow from each other
			return append(slices.Clone(command), file)
		}}
}

// modulesOf returns the folders of the examples, each a module of its own.
func modulesOf(root string) (dirs []string, err error) {
	found, err := filepath.Glob(filepath.Join(root, "examples", "*", "go.mod"))
	for _, m := range found {
		dirs = append(dirs, filepath.Dir(m))
	}
	return dirs, err
}

// runStage runs the lanes of a stage and prints what they do. Of lanes that run
// side by side each suite is printed as it ends.
func runStage(ctx context.Context, s stage, w io.Writer) (ended []ran) {
	var mu sync.Mutex
	var lanes sync.WaitGroup
	for _, l := range s {
		lanes.Go(func() {
			for _, one := range l {
				if ctx.Err() != nil {
					return
				}
				var out io.Writer = w
				kept := &bytes.Buffer{}
				if len(s) > 1 {
					out = kept
				}
				start := time.Now()
				fmt.Fprintf(out, "== %s\n", one.name)
				c := runSuite(ctx, one, out)
				fmt.Fprintf(out, "   %s: %s (%s, %s of processors)\n", one.name, c.count, time.Since(start).Round(100*time.Millisecond), c.cpu.Round(100*time.Millisecond))
				mu.Lock()
				_, _ = kept.WriteTo(w)
				ended = append(ended, ran{one, c})
				mu.Unlock()
			}
		})
	}
	lanes.Wait()
	return ended
}

// runSuite runs one suite to its end. A command that fails without a failed
// test, and a suite without any test, count as one failure.
func runSuite(ctx context.Context, s suite, w io.Writer) result {
	cmd := exec.CommandContext(ctx, s.argv[0], s.argv[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	r, out := io.Pipe()
	cmd.Stdout = out
	errs := &tail{max: 64 << 10}
	cmd.Stderr = errs
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(w, "   %s: %v\n", s.name, err)
		return lost()
	}
	done := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		out.Close()
		done <- err
	}()
	c := s.read(r, w)
	_, _ = io.Copy(io.Discard, r)
	err := <-done
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if err != nil && c.failed == 0 {
		fmt.Fprintf(w, "   %s: %v\n%s", s.name, err, indent(errs.String()))
		c.add(lost().count)
		c.certain = true
	}
	if c.passed+c.failed == 0 {
		fmt.Fprintf(w, "   %s ran no test\n%s", s.name, indent(errs.String()))
		c.add(lost().count)
		c.certain = true
	}
	return c
}

// oneCheck counts a command that either passes or fails as one test.
func oneCheck(r io.Reader, w io.Writer) result {
	out, _ := io.ReadAll(io.LimitReader(r, 1<<20))
	if len(strings.TrimSpace(string(out))) > 0 {
		fmt.Fprint(w, indent(string(out)))
	}
	return result{count: count{passed: 1}}
}

// mapCount gathers what the Go tests say of the real maps they read.
type mapCount struct {
	mu   sync.Mutex
	most int
}

var realMaps = regexp.MustCompile(`real maps: (\d+)`)

func (m *mapCount) String() string {
	if m.most == 0 {
		return "real maps: none (set FOGKEEP_TEST_MAPS to a folder that has some)"
	}
	return fmt.Sprintf("real maps: %d", m.most)
}

// goTest reads test2json events. It counts tests and subtests without
// subtests of their own, and prints the output of what failed.
func (m *mapCount) goTest(r io.Reader, w io.Writer) result {
	type event struct {
		Action, Package, Test, Output, ImportPath string
		Elapsed                                   float64
	}
	var c result
	output := map[string]*tail{}
	parents := map[string]bool{}
	failedIn := map[string]bool{}
	var slow slowest
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<20), 16<<20)
	for sc.Scan() {
		var e event
		if json.Unmarshal(sc.Bytes(), &e) != nil {
			fmt.Fprintf(w, "   %s\n", sc.Text())
			continue
		}
		key := e.Package + "." + e.Test
		if e.Package == "" {
			key = "build " + e.ImportPath
		}
		if output[key] == nil {
			output[key] = &tail{max: 32 << 10}
		}
		switch e.Action {
		case "run":
			if i := strings.LastIndexByte(e.Test, '/'); i >= 0 {
				parents[e.Package+"."+e.Test[:i]] = true
			}
		case "output", "build-output":
			_, _ = output[key].Write([]byte(e.Output))
			if f := realMaps.FindStringSubmatch(e.Output); f != nil {
				n, _ := strconv.Atoi(f[1])
				m.mu.Lock()
				m.most = max(m.most, n)
				m.mu.Unlock()
			}
		case "pass", "skip", "fail":
			if e.Test == "" {
				if e.Action == "fail" && !failedIn[e.Package] { // it did not build, or died outside a test
					c.failed++
					c.certain = true
					fmt.Fprintf(w, "   FAILED %s\n%s", e.Package, indent(output[key].String()))
				}
				if e.Action != "skip" && e.Elapsed >= 1 {
					fmt.Fprintf(w, "   %-56s %6.1fs\n", e.Package, e.Elapsed)
				}
				continue
			}
			if !strings.Contains(e.Test, "/") {
				slow = append(slow, timed{e.Package + " " + e.Test, e.Elapsed})
			}
			if e.Action == "fail" {
				failedIn[e.Package] = true
				c.fail(e.Package, e.Test)
				c.certain = c.certain || sure.MatchString(output[key].String())
				fmt.Fprintf(w, "   FAILED %s %s\n%s", e.Package, e.Test, indent(output[key].String()))
			}
			if !parents[key] {
				switch e.Action {
				case "pass":
					c.passed++
				case "fail":
					c.failed++
				case "skip":
					c.skipped++
					fmt.Fprintf(w, "   skipped %s %s\n%s", e.Package, e.Test, indent(output[key].String()))
				}
			}
			delete(output, key)
		case "build-fail":
			fmt.Fprintf(w, "   does not build: %s\n%s", e.ImportPath, indent(output[key].String()))
		}
	}
	slow.print(w)
	return c
}

// slowest are tests and their seconds: what to look at when a run takes long.
type slowest []timed

type timed struct {
	name    string
	seconds float64
}

func (s slowest) print(w io.Writer) {
	slices.SortFunc(s, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range s[:min(len(s), 12)] {
		if t.seconds >= 5 {
			fmt.Fprintf(w, "   slow: %-72s %6.1fs\n", strings.TrimPrefix(t.name, "github.com/fogkeep/fogkeep/"), t.seconds)
		}
	}
}

// vitest reads the JSON report.
func vitest(r io.Reader, w io.Writer) result {
	var report struct {
		NumPassedTests, NumFailedTests, NumPendingTests, NumTodoTests, NumFailedTestSuites int
		TestResults                                                                        []struct {
			Name, Status, Message string
			AssertionResults      []struct {
				FullName, Status string
				FailureMessages  []string
			}
		}
	}
	out, _ := io.ReadAll(io.LimitReader(r, 64<<20))
	begin := strings.IndexByte(string(out), '{')
	if begin < 0 || json.Unmarshal(out[begin:], &report) != nil {
		fmt.Fprint(w, indent(string(out)))
		return lost()
	}
	for _, f := range report.TestResults {
		if f.Status == "failed" && f.Message != "" {
			fmt.Fprintf(w, "   FAILED %s\n%s", f.Name, indent(f.Message))
		}
		for _, a := range f.AssertionResults {
			if a.Status == "failed" {
				fmt.Fprintf(w, "   FAILED %s\n%s", a.FullName, indent(strings.Join(a.FailureMessages, "\n")))
			}
		}
	}
	c := count{report.NumPassedTests, report.NumFailedTests, report.NumPendingTests + report.NumTodoTests}
	if c.failed == 0 && report.NumFailedTestSuites > 0 {
		c.failed = report.NumFailedTestSuites
	}
	return result{count: c}
}

var (
	tapLine  = regexp.MustCompile(`^( *)(not )?ok \d+ - (.*)$`)
	tapPlace = regexp.MustCompile(`^ *location: '(.*):\d+:\d+'$`)
)

// tap reads node's TAP: its closing lines carry the count. Steps are shown as
// they end, since the browser test is long.
func tap(r io.Reader, w io.Writer) result {
	var c result
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<20), 16<<20)
	failing := false
	step := ""
	var slow slowest
	for sc.Scan() {
		line := sc.Text()
		if f := tapLine.FindStringSubmatch(line); f != nil {
			failing, step = f[2] != "", f[3]
			word := "ok    "
			if failing {
				word = "FAILED"
			}
			fmt.Fprintf(w, "   %s %s%s\n", word, f[1], f[3])
			continue
		}
		if f := tapPlace.FindStringSubmatch(line); f != nil && failing {
			c.fail(f[1], step)
		}
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "duration_ms: "); ok {
			ms, _ := strconv.ParseFloat(rest, 64)
			slow = append(slow, timed{step, ms / 1000})
		}
		for prefix, n := range map[string]*int{"# pass ": &c.passed, "# fail ": &c.failed, "# skipped ": &c.skipped, "# todo ": &c.skipped, "# cancelled ": &c.failed} {
			if rest, ok := strings.CutPrefix(line, prefix); ok {
				v, _ := strconv.Atoi(strings.TrimSpace(rest))
				*n += v
			}
		}
		if failing || strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "# Subtest") {
			fmt.Fprintf(w, "   %s\n", line)
		}
	}
	slow.print(w)
	return c
}

// tail keeps the last max bytes written to it.
type tail struct {
	b   []byte
	max int
	cut bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > 2*t.max {
		t.b = append(t.b[:0], t.b[len(t.b)-t.max:]...)
		t.cut = true
	}
	return len(p), nil
}

func (t *tail) String() string {
	b := t.b
	if len(b) > t.max {
		b = b[len(b)-t.max:]
	}
	if t.cut || len(b) < len(t.b) {
		return "[…]\n" + string(b)
	}
	return string(b)
}

func indent(s string) string {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return ""
	}
	return "     " + strings.ReplaceAll(s, "\n", "\n     ") + "\n"
}
