//go:build !leak

package match

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/leak"
)

// TestPlantedLeaks builds this package once, with all leaks in it, and lets each planted
// leak be found: the tests of the fog have teeth.
func TestPlantedLeaks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	overlay, err := leak.Overlay("..", dir)
	if err != nil {
		t.Fatal(err)
	}
	build := func(folder string) (bin string) {
		bin = filepath.Join(dir, filepath.Base(folder)+".test")
		if out, err := exec.Command("go", "test", "-c", "-vet=off", "-tags", "leak", "-overlay", overlay, "-o", bin, folder).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return bin
	}
	bin, world := build("../match"), build("../match/sim")
	runOf := func(bin, planted, tests string) (string, error) {
		cmd := exec.Command(bin, "-test.run", tests, "-test.v")
		cmd.Env = append(os.Environ(), "FOGKEEP_LEAK="+planted)
		if bin == world {
			cmd.Dir = "sim"
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	run := func(planted, tests string) (string, error) { return runOf(bin, planted, tests) }
	t.Run("in the simulation", func(t *testing.T) { // few forks have such a fight
		for planted, by := range map[string]struct{ test, found string }{
			"feats-in-values":  {"^TestFeatsNeedSightBeforeAndAfter$", "8 tiles apart, moved 4: [50 1 4 0]"},
			"cloak":            {"^TestMinesAreNotTold$", "tick 0: with hidden mines"},
			"mines-in-the-way": {"^TestMinesAreNotTold$", "with hidden mines"},
		} {
			if out, err := runOf(world, "", by.test); err != nil {
				t.Fatalf("without a leak: %v\n%s", err, out)
			}
			if out, err := runOf(world, planted, by.test); err == nil || !strings.Contains(out, by.found) {
				t.Fatalf("%s was planted and not noticed by what it tells: %v\n%s", planted, err, out)
			}
		}
	})
	t.Run("by forks", func(t *testing.T) {
		out, err := run("", "^TestEach(Spectator)?LeakIsCaught$")
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		caught := regexp.MustCompile(`(?m)^ +--- PASS: TestEach(?:Spectator)?LeakIsCaught/(\S+)`).FindAllStringSubmatch(out, -1)
		t.Logf("without a leak %s", regexp.MustCompile(`\d+ of \d+ forks counted`).FindString(out))
		if len(caught) < 45 {
			t.Fatalf("only %d leaks were planted:\n%s", len(caught), out)
		}
		var names []string
		for _, c := range caught {
			names = append(names, c[1])
		}
		t.Logf("%d leaks planted, each caught: %s", len(names), strings.Join(names, ", "))
	})
	t.Run("by the oracle", func(t *testing.T) { // of TestNothingOutOfSightIsSent
		out, err := run("hidden-unit", "^TestNothingOutOfSightIsSent$")
		if err == nil {
			t.Fatalf("a leak was planted and nothing was noticed:\n%s", out)
		}
		if !strings.Contains(out, "where none is in sight") {
			t.Fatalf("the planted leak made the test fail for another reason:\n%s", out)
		}
	})
	t.Run("by paths", func(t *testing.T) {
		if out, err := run("gates-in-the-dark", "^TestNoninterferenceOfFeatures$"); err == nil || !strings.Contains(out, "seed 3, tick ") {
			t.Fatalf("a leak was planted and not noticed by what it tells: %v\n%s", err, out)
		}
	})
	const frames, fields = "^TestReplaysShowWhatTheMatchSocketShows$", "^TestEveryFieldOfReplays$"
	for planted, by := range map[string]struct{ test, found string }{
		"replay-kills":   {fields, "timeline.series.killed: while the match runs it is told true"},
		"replay-books":   {fields, "timeline.series.held: while the match runs it is told true"},
		"replay-events":  {fields, "timeline.events is not what these eyes may know"},
		"replay-looks":   {fields, "replay.cameras: while the match runs it is told true"},
		"replay-between": {frames, "a frame that the match socket does not send"},
		"replay-early":   {fields, "replay.last is not what these eyes may know"},
	} {
		t.Run("in replays/"+planted, func(t *testing.T) {
			out, err := run(planted, by.test)
			if err == nil || !strings.Contains(out, by.found) {
				t.Fatalf("a leak was planted and not noticed by what it tells: %v\n%s", err, out)
			}
		})
	}
}
