package tools

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestRulesWatch: a saved ruleset plays the match anew and up to the tick that it has reached. A faulty one is printed with its
// places, and the match goes on by the old rules.
func TestRulesWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, scene := filepath.Join(dir, "my.json"), filepath.Join(dir, "scene.json")
	if code, _, errs := fogkeep(t, "rules", "new", file); code != 0 {
		t.Fatal(errs)
	}
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../../match/scenario/testdata/attack.json")
	if err != nil {
		t.Fatal(err)
	}
	save := func(path, text string) { // as editors do
		if err := os.WriteFile(path+"~", []byte(text), 0o600); err != nil {
			t.Error(err)
		}
		if err := os.Rename(path+"~", path); err != nil {
			t.Error(err)
		}
	}
	long := strings.NewReplacer(`"ticks": 60`, `"ticks": 700000`, "[11.5, 4.5]", "[20.5, 20.5]", `"attack"`, `"move"`, `"target": "b"`, `"at": [5.5, 5.5]`).Replace(string(example))
	save(scene, long)
	soldier := regexp.MustCompile(`("name": "soldier"(?s:.)*?"cost": {"ore": )(\d+)`)
	dearer := soldier.ReplaceAllString(string(good), "${1}777")
	if dearer == string(good) {
		t.Fatal("the ruleset has no soldier")
	}

	ctx, stop := context.WithTimeout(t.Context(), time.Minute) // where it is broken
	defer stop()
	in, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- Run(ctx, "fogkeep", "", &Commands{}, []string{"rules", "watch", file, "--scenario", scene, "--speed", "10000"}, out, out)
		out.Close()
	}()
	lines := bufio.NewScanner(in)
	// until returns the lines up to the one that has a text.
	until := func(text string) (seen []string) {
		t.Helper()
		for len(seen) < 10_000 && lines.Scan() {
			if seen = append(seen, lines.Text()); strings.Contains(lines.Text(), text) {
				return seen
			}
		}
		t.Fatalf("no %q in %q", text, seen)
		return nil
	}
	tick := func(line string) int {
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.Fields(line + " - -")[1], ";"))
		return n
	}
	first := until("tick 500;")
	if all := strings.Join(first, "\n"); !strings.Contains(all, "\ntick 1; Red: army ") || !strings.Contains(all, "tick 1: Red: move: OK") {
		t.Errorf("it begins with %q", first)
	}
	save(file, strings.Replace(dearer, `"radius"`, `"raduis"`, 1))
	seen := until("the match goes on with the old rules")
	if all := strings.Join(seen, "\n"); !regexp.MustCompile(regexp.QuoteMeta(file) + `:\d+: /abilities/2/raduis: .*; did you mean "radius"\?`).MatchString(all) {
		t.Errorf("a faulty ruleset: %q", seen)
	}
	after := until("tick ")
	reached := tick(after[0])
	if reached < 500 {
		t.Errorf("it goes on with %q", after)
	}
	save(file, dearer)
	until("/types/soldier/cost/ore: 777, was ")
	for _, line := range until("tick ") {
		if n := tick(line); strings.HasPrefix(line, "tick ") && (n < reached || !strings.Contains(line, "army 777,")) {
			t.Errorf("with the new rules: %q, and tick %d was reached", line, reached)
		}
	}
	save(scene, strings.Replace(long, `"type": "soldier"`, `"type": "solder"`, 1))
	if seen := until("the match goes on with the old rules"); !strings.Contains(seen[len(seen)-2], scene+`: scenario: /units/0/type: the ruleset has no "solder"`) {
		t.Errorf("a faulty scenario: %q", seen)
	}
	// A match that is over is played again at the next save.
	save(scene, strings.Replace(long, "700000", "60", 1))
	until("the match is over: the last tick")
	save(file, string(good))
	until("/types/soldier/cost/ore: ")
	until("the match is over: the last tick")
	stop()
	for lines.Scan() {
	}
	if got := <-code; got != 0 {
		t.Errorf("exit code %d after an interrupt", got)
	}

	for args, want := range map[string]string{
		file + " --speed 5":                "--speed 5: want 25 to 10000",
		filepath.Join(dir, "no.json"):      "no such file",
		file + " --scenario " + dir + "/x": dir + "/x: no such file",
	} {
		if code, _, errs := fogkeep(t, append([]string{"rules", "watch"}, strings.Fields(args)...)...); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d, %q", args, code, errs)
		}
	}
}

// TestRulesWatchBots: without a scenario bots play, each with a faction of its own.
func TestRulesWatchBots(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "my.json")
	if code, _, errs := fogkeep(t, "rules", "new", "--from", "arsenal", file); code != 0 {
		t.Fatal(errs)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute) // where it is broken
	defer stop()
	var all strings.Builder
	out := writer(func(b []byte) (int, error) {
		if all.Write(b); strings.Contains(string(b), "tick 100;") {
			stop()
		}
		return len(b), nil
	})
	if code := Run(ctx, "fogkeep", "", &Commands{}, []string{"rules", "watch", file, "--speed", "2000"}, out, out); code != 0 ||
		!regexp.MustCompile(`tick 100; bot 1 \(ironclad\): army \d+.*; bot 2 \(veil\): army \d+`).MatchString(all.String()) {
		t.Errorf("%d, %s", code, &all)
	}
}

// TestRulesWatchOfAPack: the file may be of a pack, whose ruleset extends another. A saved script of the pack plays the match anew.
func TestRulesWatchOfAPack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../../match/pack/testdata/frost")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute) // where it is broken
	defer stop()
	loaded, script := 0, filepath.Join(dir, "rules", "frost", "thaw.star")
	var all strings.Builder
	out := writer(func(b []byte) (int, error) {
		all.Write(b)
		switch text := string(b); {
		case strings.Contains(text, "frost.json: frost, "):
			loaded++
		case loaded == 2:
			stop()
		case strings.Contains(text, "tick 1;"):
			old, err := os.ReadFile(script)
			if err == nil {
				err = os.WriteFile(script, append(old, "\n# saved\n"...), 0o600)
			}
			if err != nil {
				t.Error(err)
			}
		}
		return len(b), nil
	})
	args := []string{"rules", "watch", filepath.Join(dir, "rules", "frost.json"), "--scenario", filepath.Join(dir, "scenarios", "breath.json")}
	if code := Run(ctx, "fogkeep", "", &Commands{}, args, out, out); code != 0 || loaded != 2 || !strings.Contains(all.String(), "Ada: attack-move: OK") {
		t.Errorf("%d, loaded %d times: %s", code, loaded, &all)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
