package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// commandLine knows the subcommands and flags of the built programs, from their own --help.
type commandLine struct {
	dir    string            // of the programs
	leaves []string          // "fogkeep map info", "fogkeep-bench w1"
	helps  map[string]string // by leaf
}

// programs are the commands of this module that pages name.
var programs = []string{"fogkeep", "fogkeep-bench"}

// built is the folder with the programs, built once for all tests.
var built struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// fogkeep returns the path of the binary, beside the other programs: FOGKEEP_BIN, or built here.
func fogkeep(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("FOGKEEP_BIN"); bin != "" {
		return bin
	}
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "fogkeep-docs-"); built.err != nil {
			return
		}
		build := exec.Command("go", "build", "-o", built.dir+"/")
		for _, p := range programs {
			build.Args = append(build.Args, "./cmd/"+p)
		}
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "fogkeep")
}

var leaf = regexp.MustCompile(`(?m)^  ([a-z][a-z0-9 -]*?)(  +[A-Z].*)?$`)

func newCommandLine(t *testing.T) *commandLine {
	t.Helper()
	c := &commandLine{dir: filepath.Dir(fogkeep(t)), helps: map[string]string{}}
	for _, p := range programs {
		out, err := c.help(p)
		if err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(out, "Commands:")
		for _, m := range leaf.FindAllStringSubmatch(list, -1) {
			c.leaves = append(c.leaves, p+" "+m[1])
		}
	}
	if len(c.leaves) < 20 {
		t.Fatalf("only the commands %q: the reading of --help is broken", c.leaves)
	}
	return c
}

// help returns the help of a program or of one of its commands.
func (c *commandLine) help(leaf string) (string, error) {
	words := strings.Fields(leaf)
	out, err := exec.Command(filepath.Join(c.dir, words[0]), append(words[1:], "--help")...).Output()
	return string(out), err
}

// check returns an error for a subcommand or flag that the program does not have. The
// program is the first word.
func (c *commandLine) check(words []string) error {
	best := ""
	for _, l := range c.leaves {
		n := len(strings.Fields(l))
		if len(words) >= n && strings.Join(words[:n], " ") == l && len(l) > len(best) {
			best = l
		}
	}
	if best == "" {
		group := strings.TrimSpace(strings.TrimSuffix(strings.Join(words, " "), "--help"))
		for _, l := range c.leaves { // a group of commands: "fogkeep admin"
			if strings.HasPrefix(l, group+" ") {
				return nil
			}
		}
		return fmt.Errorf("there is no command %q", strings.Join(words, " "))
	}
	if c.helps[best] == "" {
		out, err := c.help(best)
		if err != nil {
			return err
		}
		c.helps[best] = out
	}
	for _, w := range words {
		if !strings.HasPrefix(w, "-") {
			continue
		}
		name, _, _ := strings.Cut(w, "=")
		if !regexp.MustCompile(`(^|\s)` + regexp.QuoteMeta(name) + `([\s,=]|$)`).MatchString(c.helps[best]) {
			return fmt.Errorf("%s has no flag %s", best, name)
		}
	}
	return nil
}

// others lists the programs that blocks with check=syntax may call besides.
var others = []string{"cd", "createdb", "docker", "export", "git", "helm", "npx", "pg_dump", "pg_restore", "sha256sum", "sqlite3", "ssh", "sudo", "tar"}

// checkCommand checks one simple command: that its program, subcommand, flags, target, script or
// folder exist.
func (c *commandLine) checkCommand(words []string) error {
	for len(words) > 0 && regexp.MustCompile(`^[A-Z_]+=`).MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	rest := words[1:]
	if program := filepath.Base(words[0]); slices.Contains(programs, program) {
		return c.check(append([]string{program}, rest...))
	}
	switch words[0] {
	case "make":
		raw, err := os.ReadFile(filepath.Join(root, "Makefile"))
		for _, target := range rest {
			if !strings.Contains(target, "=") && !strings.Contains(string(raw), "\n"+target+":") {
				return fmt.Errorf("there is no target %s", target)
			}
		}
		return err
	case "npm":
		switch rest[0] {
		case "install", "exec", "start": // of a package that web/e2e/sdk.test.mjs packs, or of the game that it makes
			return nil
		case "pack":
			for _, folder := range rest[1:] {
				if _, err := os.Stat(filepath.Join(root, "web", folder, "package.json")); err != nil {
					return err
				}
			}
			return nil
		}
		if len(rest) > 1 && rest[0] == "run" {
			rest = rest[1:]
		}
		var p struct{ Scripts map[string]string }
		raw, err := os.ReadFile(filepath.Join(root, "web/package.json"))
		if err == nil {
			err = json.Unmarshal(raw, &p)
		}
		if err == nil && p.Scripts[rest[0]] == "" {
			err = fmt.Errorf("web/package.json has no script %s", rest[0])
		}
		return err
	case "go":
		for i, w := range rest {
			if program := filepath.Base(w); slices.Contains(programs, program) && filepath.Base(filepath.Dir(w)) == "bin" {
				return c.check(append([]string{program}, rest[i+1:]...))
			}
			dir := strings.TrimSuffix(strings.TrimSuffix(w, "..."), "/…")
			if strings.HasPrefix(w, "./") {
				if _, err := os.Stat(filepath.Join(root, dir)); err != nil {
					return fmt.Errorf("there is no folder %s", w)
				}
			}
		}
		return testsExist(rest)
	}
	if !slices.Contains(others, words[0]) {
		return fmt.Errorf("the program %s is not checked: run the block, or name the program in others", words[0])
	}
	return nil
}

// testsExist checks that what -run and -bench name begins a test or a benchmark.
func testsExist(words []string) error {
	for i, w := range words[:max(0, len(words)-1)] {
		if w != "-run" && w != "-bench" {
			continue
		}
		name, _, _ := strings.Cut(strings.Trim(words[i+1], `"'^$`), "/")
		if name == "" || name == "." || name == "NAME" {
			continue
		}
		kind := map[string]string{"-run": "", "-bench": "Benchmark"}[w]
		if !regexp.MustCompile(`func \w*` + regexp.QuoteMeta(strings.TrimPrefix(name, kind))).MatchString(testSources) {
			return fmt.Errorf("no test is called %s", name)
		}
	}
	return nil
}

var word = regexp.MustCompile(`([^\s'"]|'[^']*'|"[^"]*")+`)

// proofs are flags for short runs of the commands that prove the claims of README.md.
var proofs = map[string]string{
	"fogkeep-bench fog":                       "--seeds 1 --forks 2 --seconds 60",
	"fogkeep-bench battle --map eight-crowns": "--seconds 1 --players 2 --units 5",
	"fogkeep-bench recovery":                  "--seconds 31 --players 2 --units 10",
}

// TestProofsNeedNoCheckout runs the commands of README.md in an empty folder, with the programs of a release on PATH.
func TestProofsNeedNoCheckout(t *testing.T) {
	dir, ran := filepath.Dir(fogkeep(t)), 0
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if p.path != "README.md" || b.kind != "sh" || strings.HasPrefix(b.code, "make ") || !b.has("check=syntax") {
				continue
			}
			line := strings.TrimSpace(b.code)
			short, ok := proofs[line]
			if !ok {
				t.Errorf("README.md:%d: %q is not run by this test: it needs flags for a short run", b.line, line)
				continue
			}
			cmd := exec.CommandContext(t.Context(), "bash", "-ec", line+" --json "+short)
			cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + dir, "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), `{"`) {
				t.Errorf("README.md:%d: %s: %v\n%s", b.line, line, err, out)
			}
			ran++
		}
	}
	if ran != len(proofs) {
		t.Errorf("%d commands ran, want %d", ran, len(proofs))
	}
}

// split cuts a line of shell into simple commands and these into words, without comments and quotes.
func split(line string) (out [][]string) {
	line, _, _ = strings.Cut(line, " #")
	for _, part := range regexp.MustCompile(`\|\||&&|[|;]`).Split(line, -1) {
		words := word.FindAllString(part, -1)
		for i := range words {
			words[i] = strings.NewReplacer(`"`, "", `'`, "").Replace(words[i])
		}
		if len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// checkSyntax checks a block that is not run.
func (w *workspace) checkSyntax(b block) {
	w.t.Helper()
	cmd := exec.Command("bash", "-n")
	cmd.Stdin = strings.NewReader(b.code)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Errorf("%s:%d: %v\n%s", b.page.path, b.line, err, out)
	}
	for line := range strings.Lines(strings.ReplaceAll(b.code, "\\\n", " ")) {
		for _, words := range split(line) {
			if err := w.cli.checkCommand(words); err != nil {
				w.t.Errorf("%s:%d: %v", b.page.path, b.line, err)
			}
		}
	}
}
