//go:build !leak

package match

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestPlantedLeaks builds this package with the tag leak and lets each planted
// leak be found: the tests of the fog have teeth.
func TestPlantedLeaks(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("go", "test", "-tags", "leak", "-run", "^TestEach(Spectator)?LeakIsCaught$", "-count", "1", "-v", ".")
	cmd.Env = append(os.Environ(), "FOGKEEP_LEAK=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	caught := regexp.MustCompile(`(?m)^ +--- PASS: TestEach(?:Spectator)?LeakIsCaught/(\S+)`).FindAllStringSubmatch(string(out), -1)
	t.Logf("without a leak %s", regexp.MustCompile(`\d+ of \d+ forks counted`).Find(out))
	if len(caught) < 45 {
		t.Fatalf("only %d leaks were planted:\n%s", len(caught), out)
	}
	var names []string
	for _, c := range caught {
		names = append(names, c[1])
	}
	t.Logf("%d leaks planted, each caught: %s", len(names), strings.Join(names, ", "))
}
