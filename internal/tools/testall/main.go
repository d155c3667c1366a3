package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
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

// count is the result of a suite.
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
	// read passes on the command's output and counts. It must read to the end.
	read func(r io.Reader, w io.Writer) result
	// rerun is the command that runs one file of the suite again; nil if reruns are
	// not allowed.
	rerun []string
}

// result is the count of a suite, and its failed tests by file if reruns are allowed.
type result struct {
	count
	failures []string // name each failure; printed again at the end of the run
	failedIn map[string][]string
	// cpu is the processor time of the command and of the processes that it waited for.
	cpu time.Duration
}

// fail counts a failure.
func (r *result) fail(what string) {
	r.failed++
	r.failures = append(r.failures, what)
}

// ran is a suite with its result.
type ran struct {
	suite
	result
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
	scratch, err := os.MkdirTemp(memory(), "fk") // short: a socket's path holds 107 bytes
	if err != nil {
		fmt.Fprintln(w, "testall:", err)
		return 1
	}
	defer os.RemoveAll(scratch)
	os.Setenv("TMPDIR", scratch)
	goes := &gotestsum{root: root, reports: scratch}
	begun := time.Now()
	plan, beside, err := stages(root, goes)
	if err != nil {
		fmt.Fprintln(w, "testall:", err)
		return 1
	}
	var total count
	var ended, stoodBack []ran
	var steppingBack sync.WaitGroup
	steppingBack.Go(func() { stoodBack = runStage(ctx, stage{beside}, w, false) })
	for _, s := range plan {
		ended = append(ended, runStage(ctx, s, w, len(s) == 1)...)
		if ctx.Err() != nil {
			break
		}
	}
	steppingBack.Wait()
	if ctx.Err() != nil {
		fmt.Fprintln(w, "testall: interrupted")
		return 1
	}
	ended = append(ended, stoodBack...)
	for _, r := range ended {
		total.add(r.count)
	}
	mended := rerun(ctx, ended, w)
	total.add(count{passed: mended, failed: -mended})
	fmt.Fprintf(w, "\nscreenshots: %s\n", filepath.Join(root, "artefacts"))
	fmt.Fprintf(w, "time: %s\n", time.Since(begun).Round(time.Second))
	fmt.Fprintln(w, goes)
	for _, r := range ended {
		for _, what := range r.failures {
			fmt.Fprintf(w, "FAILED %s: %s\n", r.name, strings.TrimSpace(what))
		}
	}
	fmt.Fprintf(w, "%s\n", total)
	if total.failed > 0 {
		return 1
	}
	return 0
}

// memory returns the folder of a file system in memory that has room for the databases
// and journals of all suites, or "". The disk of a test machine may stall for seconds:
// live matches pause then, and tests that watch the clock fail.
func memory() string {
	const folder, room, noExec = "/dev/shm", 8 << 30, 8 // ST_NOEXEC: tests run programs that they build
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room || fs.Flags&noExec != 0 {
		return ""
	}
	return folder
}

// lane is suites that run one after another.
type lane []suite

// stage is lanes that run side by side.
type stage []lane

// Browser tests by their needs of the machine. Unlisted ones play matches, and draw few frames: three at a time.
var (
	// These draw no match, or a plain one: they wait more than they work.
	waits = []string{"e2e/admin.test.mjs", "e2e/inspect.test.mjs", "e2e/sdk.test.mjs"}
	// These wait for slow networks and for a provider of identities.
	idles = []string{"e2e/feel.test.mjs", "e2e/identity.test.mjs", "e2e/proxy.test.mjs"}
	// These draw or measure every frame, or have a hand on the page.
	draws = []string{"e2e/abilities.test.mjs", "e2e/drawn.test.mjs", "e2e/frame.test.mjs", "e2e/gestures.test.mjs", "e2e/shots.test.mjs"}
)

// stages returns the stages of a run, and the lane that runs beside all of them and
// steps back. Some tests watch the clock: the browser tests, and some tests with the race detector. They have the
// machine to themselves, or share it with that lane, whose tests do not watch the clock. The other tests only work, or
// only wait: their lanes keep the processors busy.
func stages(root string, goes *gotestsum) (plan []stage, beside lane, err error) {
	web := filepath.Join(root, "web")
	tests, err := divide(root)
	if err != nil {
		return nil, nil, err
	}
	e2e, err := filepath.Glob(filepath.Join(web, "e2e", "*.test.mjs"))
	if err != nil {
		return nil, nil, err
	}
	for i, f := range e2e {
		e2e[i] = filepath.Join("e2e", filepath.Base(f))
	}
	// The packages whose tests wait and work longest begin first; four at a time, and four
	// tests of each, since many wait.
	race := slices.Clone(tests.race)
	long := []string{"./match", "./cmd/fogkeep/server"}
	slices.SortStableFunc(race, func(a, b string) int {
		return cmp.Compare(slices.Index(long, b), slices.Index(long, a))
	})
	plays := slices.DeleteFunc(slices.Clone(e2e), func(f string) bool {
		return slices.Contains(slices.Concat(waits, idles, draws), f)
	})
	bin := "FOGKEEP_BIN=" + filepath.Join(root, "bin", "fogkeep")
	browser := func(name string, atATime int, files []string) suite {
		s := browserSuite(name, atATime, files)
		if slices.Equal(files, draws) { // a browser draws all its pages in one process: each file needs its own
			s = nodeSuite(name, atATime, files)
		}
		s.dir = web
		s.env = []string{bin, "ARTIFACTS=" + filepath.Join(root, "artefacts")}
		return s
	}
	modules, err := modulesOf(root)
	if err != nil {
		return nil, nil, err
	}
	var examples lane
	for _, dir := range modules {
		one := goes.suite("example "+filepath.Base(dir), []string{"./..."}, "-vet=all") // go vet of this module does not come to it
		one.dir = dir
		examples = append(examples, one)
	}
	skipped := tests.names()
	// Its processes wait most of the time, and keep to the clock: they run beside what computes.
	const processes = "./cmd/fogkeep"
	cluster := goes.suite("go test, processes", []string{processes}, "-parallel", "4")
	without := slices.DeleteFunc(tests.plain, func(path string) bool { return path == processes })
	plain := goes.suite("go test, without the race detector", without)
	plain.env = []string{bin}
	// Without the tests that compare a world with another of the same machine.
	small := goes.suite("go test, 32 bits", []string{"./match/sim", "./orders"}, "-skip", "^(TestBranchGoesTheSameWay|TestBusy)$")
	if !runs32(root) {
		small = suite{name: "go vet, 32 bits (this machine runs no such program)", argv: []string{"go", "vet", "./match/sim", "./orders"}, read: oneCheck}
	}
	small.env = []string{"GOARCH=386", "CGO_ENABLED=0"} // the same hashes on another machine
	alone := goes.suite("go test, one goroutine", tests.in, "-p", "3", "-run", tests.names())
	units := suite{name: "typescript unit tests", argv: []string{"node_modules/.bin/vitest", "run", "--reporter=tap-flat"}, dir: web, read: quietTap}
	for _, s := range []*suite{&alone, &small, &units} {
		s.argv = append([]string{"nice", "-n", "10"}, s.argv...)
	}
	raced := goes.suite("go test -race", race, slices.Concat(raceFlags(), []string{"-p", "4", "-parallel", "4", "-skip", skipped})...)
	raced.env = []string{"GORACE=atexit_sleep_ms=0"} // else each process with the detector sleeps a second before it ends
	return []stage{
		{{raced}},
		{
			{
				{name: "go vet", argv: []string{"go", "vet", "./..."}, read: oneCheck},
				{name: "typescript types", argv: []string{"npm", "run", "--silent", "typecheck"}, dir: web, read: oneCheck},
				{name: "typescript lint", argv: []string{"npm", "run", "--silent", "lint"}, dir: web, read: oneCheck},
				plain,
			},
			{
				{name: "C# client", argv: []string{"./scripts/csharp.sh"}, dir: root, read: tap, env: []string{bin}},
				browser("browser test, pages without a match", 1, waits),
			},
			append(lane{browser("browser test, slow networks and log-in", 1, idles)}, examples...),
			{cluster},
		},
		// A browser that draws by software keeps one processor busy, and so do four whose
		// pages draw two frames a second.
		{{browser("browser test, every frame", 2, draws), browser("browser test", 3, plays)}},
	}, lane{alone, small, units}, nil
}

// runs32 says whether the machine runs programs of 32 bits: some virtual ones do not.
func runs32(root string) bool {
	cmd := exec.Command("go", "test", "-vet=off", "-run", "^$", "./internal/plain")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	return err == nil || !bytes.Contains(out, []byte("exec format error"))
}

// browserSuite returns a suite with these files, which have one browser; in nodeSuite
// each file starts its own.
func browserSuite(name string, atATime int, files []string) suite {
	return ofNode("e2e/run.mjs", name, atATime, files)
}

func nodeSuite(name string, atATime int, files []string) suite {
	return ofNode("--test", name, atATime, files)
}

func ofNode(first, name string, atATime int, files []string) suite {
	command := []string{"node", first, "--test-reporter=tap", fmt.Sprintf("--test-concurrency=%d", atATime)}
	return suite{name: name, argv: slices.Concat(command, files), read: tap, rerun: command}
}

// modulesOf returns the folders of the examples, each a module of its own.
func modulesOf(root string) (dirs []string, err error) {
	found, err := filepath.Glob(filepath.Join(root, "examples", "*", "go.mod"))
	for _, m := range found {
		dirs = append(dirs, filepath.Dir(m))
	}
	return dirs, err
}

// runStage runs the lanes of a stage and prints their output: at once, or each suite's
// output as the suite ends.
func runStage(ctx context.Context, s stage, w io.Writer, atOnce bool) (ended []ran) {
	var mu sync.Mutex
	var lanes sync.WaitGroup
	for _, l := range s {
		lanes.Go(func() {
			for _, one := range l {
				if ctx.Err() != nil {
					return
				}
				kept := &bytes.Buffer{}
				var out io.Writer = kept
				if atOnce {
					out = w
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
		var none result
		none.fail(err.Error())
		return none
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
		c.fail(err.Error())
	}
	if c.passed+c.failed == 0 {
		fmt.Fprintf(w, "   %s ran no test\n%s", s.name, indent(errs.String()))
		c.fail("it ran no test")
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

var (
	tapLine  = regexp.MustCompile(`^( *)(not )?ok \d+ - (.*?)( # (?:SKIP|TODO|time=).*)?$`)
	tapPlace = regexp.MustCompile(`^ *location: '(.*):\d+:\d+'$`)
)

// tap counts the lines of a TAP report and shows each test as it ends, since the
// browser tests are long.
func tap(r io.Reader, w io.Writer) result { return readTap(r, w, true) }

// quietTap shows only what did not pass.
func quietTap(r io.Reader, w io.Writer) result { return readTap(r, w, false) }

func readTap(r io.Reader, w io.Writer, all bool) result {
	c := result{failedIn: map[string][]string{}}
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<20), 16<<20)
	var failing, top bool
	var test string
	var slow slowest
	for sc.Scan() {
		line := sc.Text()
		if f := tapLine.FindStringSubmatch(line); f != nil {
			top, failing, test = f[1] == "", f[2] != "", f[3]
			word := "ok    "
			switch {
			case failing:
				word = "FAILED"
				c.fail(test)
			case strings.HasPrefix(f[4], " # SKIP"), strings.HasPrefix(f[4], " # TODO"):
				word = "skip  "
				c.skipped++
			default:
				c.passed++
			}
			if all || word != "ok    " {
				fmt.Fprintf(w, "   %s %s%s\n", word, f[1], test)
			}
			continue
		}
		if f := tapPlace.FindStringSubmatch(line); f != nil && failing && top {
			c.failedIn[f[1]] = append(c.failedIn[f[1]], test)
		}
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "duration_ms: "); ok {
			ms, _ := strconv.ParseFloat(rest, 64)
			slow = append(slow, timed{test, ms / 1000})
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
