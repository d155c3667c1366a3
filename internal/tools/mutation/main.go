package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

//go:embed survivors.txt
var survivorsText string

type flags struct {
	Only   []string          `help:"Packages to mutate (default: all of targets.go)." placeholder:"PKG"`
	File   []string          `help:"Files to mutate, by name (default: all of the target)."`
	Sample int               `help:"Mutants a package, drawn at random; 0: all." default:"0"`
	Seed   uint64            `help:"Which sample." default:"1"`
	Keys   string            `help:"Try only the mutants that this file names: lines that end in a mutant's key, as printed for survivors." type:"existingfile"`
	Jobs   int               `help:"Mutants at a time." default:"2"`
	Each   time.Duration     `help:"A test that takes longer alone is left out." default:"30s"`
	Skip   []string          `help:"Packages whose tests are not asked." placeholder:"PKG"`
	Run    map[string]string `help:"Tests of a package that are asked, as a pattern of their names (default: all). Repeat it for more." placeholder:"PKG=PATTERN"`
	List   bool              `help:"Print the mutants and try none."`
	Goal   int               `help:"Fail below this percentage of noticed mutants." default:"0"`
	JSON   bool              `help:"Print the result as JSON." name:"json"`
	Web    bool              `help:"Mutants of the browser client in place of those of Go: --only takes folders or files of web, --sample is of all of them together."`
	Named  bool              `help:"Try the mutants of named.txt, each against the test that it names; --only takes parts of their files' paths."`
}

// score is the result for one package.
type score struct {
	Package    string   `json:"package"`
	Mutants    int      `json:"mutants"`     // how many there are
	Tried      int      `json:"tried"`       // of the mutants
	Killed     int      `json:"killed"`      // noticed by a test
	NotReached int      `json:"not_reached"` // no test comes to them
	Listed     int      `json:"listed"`      // survived, with a reason in survivors.txt
	Percent    float64  `json:"percent"`     // killed, of those tried that are not listed
	Survivors  []string `json:"survivors,omitempty"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Description("Mutation testing: changes the product in small ways and counts what the tests notice."))
	if err := f.run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

func (f *flags) run() error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return fmt.Errorf("run it in the folder of go.mod: %w", err)
	}
	if f.Web || f.Named {
		return f.client(root)
	}
	known, err := survivors(survivorsText)
	if err != nil {
		return err
	}
	var all []score
	for _, t := range targets {
		if len(f.Only) > 0 && !slices.Contains(f.Only, t.pkg) {
			continue
		}
		t.tests = slices.DeleteFunc(slices.Clone(t.tests), func(p string) bool { return slices.Contains(f.Skip, p) })
		if len(f.File) > 0 {
			t.files = f.File
		}
		s, err := f.mutate(root, t, known)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return fmt.Errorf("no such package among the targets: %s", strings.Join(f.Only, ", "))
	}
	if f.List {
		return nil
	}
	total := score{Package: "all"}
	for _, s := range all {
		total.Mutants += s.Mutants
		total.Tried += s.Tried
		total.Killed += s.Killed
		total.NotReached += s.NotReached
		total.Listed += s.Listed
	}
	total.Percent = percent(&total)
	all = append(all, total)
	if f.JSON {
		enc := json.NewEncoder(os.Stdout)
		if err := enc.Encode(all); err != nil {
			return err
		}
	} else {
		fmt.Println("package\tmutants\ttried\tnoticed\tnot reached\tlisted\tpercent")
		for _, s := range all {
			fmt.Printf("%s\t%d\t%d\t%d\t%d\t%d\t%.1f\n", s.Package, s.Mutants, s.Tried, s.Killed, s.NotReached, s.Listed, s.Percent)
		}
	}
	if total.Tried == 0 {
		return fmt.Errorf("no mutant was tried")
	}
	if total.Percent < float64(f.Goal) {
		return fmt.Errorf("%.1f percent noticed, the goal is %d", total.Percent, f.Goal)
	}
	return nil
}

// client runs the mutation tests of the browser client, which are web's own.
func (f *flags) client(root string) error {
	args := []string{"--no-warnings", filepath.Join("mutation", "main.mjs"), fmt.Sprintf("--sample=%d", f.Sample), fmt.Sprintf("--seed=%d", f.Seed), fmt.Sprintf("--goal=%d", f.Goal)}
	for _, only := range append(slices.Clone(f.Only), f.File...) {
		args = append(args, "--only="+only)
	}
	if f.Keys != "" {
		keys, err := filepath.Abs(f.Keys)
		if err != nil {
			return err
		}
		args = append(args, "--keys="+keys)
	}
	if f.List {
		args = append(args, "--list")
	}
	if f.Named {
		args = append(args, "--named")
	}
	node := exec.Command("node", args...)
	node.Dir, node.Stdout, node.Stderr = filepath.Join(root, "web"), os.Stdout, os.Stderr
	return node.Run()
}

func percent(s *score) float64 {
	if s.Tried == s.Listed {
		return 100
	}
	return 100 * float64(s.Killed) / float64(s.Tried-s.Listed)
}

// mutate tries the mutants of one package.
func (f *flags) mutate(root string, t target, known map[string]string) (score, error) {
	s := score{Package: t.pkg}
	dir, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	b, err := build(root, dir, t)
	if err != nil {
		return s, err
	}
	s.Mutants = len(b.mutants)
	list := b.mutants
	if f.Keys != "" {
		text, err := os.ReadFile(f.Keys)
		if err != nil {
			return s, err
		}
		list = named(list, string(text))
	}
	list = sample(list, f.Sample, f.Seed)
	if f.List {
		for i := range list {
			fmt.Printf("%s:%d %s\n", list[i].file, list[i].line, list[i].key())
		}
		return s, nil
	}
	began := time.Now()
	r, err := measure(root, dir, b, f.Each, f.Run)
	if err != nil {
		return s, err
	}
	fmt.Fprintf(os.Stderr, "%s: %d mutants, %d to try; tests measured in %.0f s\n", t.pkg, s.Mutants, len(list), time.Since(began).Seconds())
	for _, name := range r.slow {
		fmt.Fprintf(os.Stderr, "%s: left out, longer than %s: %s\n", t.pkg, f.Each, name)
	}
	tryAll(root, b, r, list, f.Jobs, func(m *mutant, v verdict) {
		s.Tried++
		switch {
		case v == killed:
			s.Killed++
			if _, ok := known[m.key()]; ok {
				fmt.Fprintf(os.Stderr, "noticed, but listed in survivors.txt: %s\n", m.key())
			}
			return
		case known[m.key()] != "":
			s.Listed++
			return
		case v == notReached:
			s.NotReached++
		}
		s.Survivors = append(s.Survivors, m.key())
		word := map[verdict]string{survived: "survived", notReached: "not reached"}[v]
		fmt.Fprintf(os.Stderr, "%s\t%s/%s:%d\t%s\n", word, m.pkg, m.file, m.line, m.key())
	})
	s.Percent = percent(&s)
	fmt.Fprintf(os.Stderr, "%s: %.1f percent of %d noticed, %.0f s\n", t.pkg, s.Percent, s.Tried, time.Since(began).Seconds())
	return s, nil
}

// sample draws n mutants, in the order of the list; 0 means all.
func sample(all []mutant, n int, seed uint64) []mutant {
	if n == 0 || n >= len(all) {
		return all
	}
	pick := rand.New(rand.NewPCG(seed, 0)).Perm(len(all))[:n]
	slices.Sort(pick)
	out := make([]mutant, n)
	for i, k := range pick {
		out[i] = all[k]
	}
	return out
}

// named keeps the mutants whose keys the lines of a text end in.
func named(all []mutant, text string) []mutant {
	keys := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		keys[line[strings.LastIndex(line, "\t")+1:]] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(m mutant) bool { return !keys[m.key()] })
}

// survivors reads survivors.txt: a mutant's key, then " # " and the reason.
func survivors(text string) (map[string]string, error) {
	known := map[string]string{}
	n := 0
	for sc := bufio.NewScanner(strings.NewReader(text)); sc.Scan(); {
		n++
		line := strings.TrimSpace(sc.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		i := strings.LastIndex(line, " # ")
		if i < 0 || strings.TrimSpace(line[i+3:]) == "" {
			return nil, fmt.Errorf("survivors.txt:%d: a mutant without a reason: %s", n, line)
		}
		known[line[:i]] = line[i+3:]
	}
	return known, nil
}
