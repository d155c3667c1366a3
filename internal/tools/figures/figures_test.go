package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../../.."

func kept(t *testing.T) record {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, recordFile))
	if err != nil {
		t.Fatal(err)
	}
	var k record
	if err := json.Unmarshal(raw, &k); err != nil {
		t.Fatal(err)
	}
	return k
}

// TestPagesHaveTheFigures: every table of figures is what docs/figures.json gives, and every kind of
// table is on some page.
func TestPagesHaveTheFigures(t *testing.T) {
	k := kept(t)
	used := map[string]bool{}
	for _, p := range pages {
		raw, err := os.ReadFile(filepath.Join(root, p))
		if err != nil {
			t.Fatal(err)
		}
		text, err := fill(string(raw), k)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if text != string(raw) {
			t.Errorf("%s has other figures than %s: run go run ./internal/tools/figures -render", p, recordFile)
		}
		for _, m := range place.FindAllStringSubmatch(string(raw), -1) {
			used[m[2]] = true
		}
	}
	sections, err := k.sections()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections.Templates() {
		if name := s.Name(); !used[name] && name != "" && name == strings.ToLower(name) {
			t.Errorf("no page has the figures %q", name)
		}
	}
}

// TestOneMachine: the record says what machine it is of, and each run its commit and command.
func TestOneMachine(t *testing.T) {
	k := kept(t)
	if m := k.Machine; m.CPU == "" || m.Cores == 0 || m.MemoryMiB == 0 || m.Kernel == "" || m.Go == "" {
		t.Errorf("the machine is %+v", m)
	}
	for _, b := range benches {
		r, _ := k.run(b.name)
		if !regexp.MustCompile(`^[0-9a-f]{7,}(-dirty)?$`).MatchString(r.Commit) || r.Date == "" || r.Command == "" {
			t.Errorf("the run %s has commit %q, date %q, command %q", b.name, r.Commit, r.Date, r.Command)
		}
	}
}

// TestFillNoticesAChange: a figure that is changed in a page or in the record is noticed.
func TestFillNoticesAChange(t *testing.T) {
	k := kept(t)
	good, err := fill("a <!-- figures: battle in a sentence --><!-- end of figures --> b", k)
	if err != nil || !strings.Contains(good, "In a battle of ") {
		t.Fatalf("%q, %v", good, err)
	}
	bad := regexp.MustCompile(`[0-9]`).ReplaceAllString(good, "x")
	if again, err := fill(bad, k); err != nil || again != good {
		t.Errorf("%q is left as %q, %v", bad, again, err)
	}
	for _, text := range []string{"<!-- figures: nothing -->\n<!-- end of figures -->", "<!-- figures: machine -->\n"} {
		if _, err := fill(text, k); err == nil {
			t.Errorf("%q is let through", text)
		}
	}
}

func TestNum(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 3: "3", 1234567: "1,234,567", 12.34: "12.3", 0.0283: "0.028", 0.5: "0.50", 999.6: "1,000", -3: "-3", 4.25: "4.25"} {
		if got := num(v); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
}

func TestParseBenchmarks(t *testing.T) {
	got, err := parseBenchmarks("goos: linux\nBenchmarkTick/w1/200-2 \t 50\t 291227 ns/op\t 16.02 us/team-tick\nBenchmarkSpectators/all_eyes,_late-2  20 1489414 ns/op\nPASS\n")
	if err != nil || got["Tick/w1/200"]["us/team-tick"] != 16.02 || got["Spectators/all_eyes,_late"]["ns/op"] != 1489414 || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := parseBenchmarks("no tests to run\nPASS\n"); err == nil {
		t.Errorf("nothing is read as %v", got)
	}
}

// TestRunsOfAnotherMachine: a record goes to another machine and back.
func TestRunsOfAnotherMachine(t *testing.T) {
	a, b := machine{CPU: "A", Cores: 2}, machine{CPU: "B", Cores: 8}
	k := record{Machine: a, Runs: []run{{Name: "one"}, {Name: "two"}}}
	k.moveTo(a)
	if k.Runs[0].Machine != nil {
		t.Fatalf("the same machine: %+v", k)
	}
	k.moveTo(b)
	k.Runs[1] = run{Name: "two"} // measured anew
	if k.Machine != b || k.Runs[0].Machine == nil || *k.Runs[0].Machine != a {
		t.Fatalf("moved: %+v", k)
	}
	if text := caption(k.Runs...); strings.Count(text, "on an earlier machine (A, 2 cores)") != 1 {
		t.Errorf("the caption is\n%s", text)
	}
	k.moveTo(a)
	if k.Runs[0].Machine != nil || k.Runs[1].Machine == nil || *k.Runs[1].Machine != b {
		t.Errorf("back again: %+v", k)
	}
}
