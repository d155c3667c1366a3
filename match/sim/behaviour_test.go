package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const behaviourFile = "testdata/behaviour.golden"

// behaviourScenes plays every transcript, which together have each mechanism of the
// world, and three wild matches. It returns the hash at each one's end.
func behaviourScenes(t *testing.T) (names []string, hashes map[string]string) {
	t.Helper()
	hashes = map[string]string{}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		_, w := playStage(t, b)
		names = append(names, name)
		hashes[name] = fmt.Sprintf("%016x", w.Hash())
	}
	for seed := uint64(11); seed < 14; seed++ {
		w := wildMatch(t, seed, 600, nil)
		name := fmt.Sprint("wild-", seed)
		names = append(names, name)
		hashes[name] = fmt.Sprintf("%016x", w.Hash())
	}
	return names, hashes
}

// TestBehaviour: while [Behaviour] is the same, no scene that was written down ends
// in another state. A new scene needs no new number.
func TestBehaviour(t *testing.T) {
	names, hashes := behaviourScenes(t)
	b, err := os.ReadFile(behaviourFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	same := lines[0] == fmt.Sprint("behaviour ", Behaviour)
	written := map[string]string{}
	var changed []string
	for _, line := range lines[1:] {
		name, hash, _ := strings.Cut(line, " ")
		if written[name] = hash; hashes[name] != "" && hashes[name] != hash {
			changed = append(changed, name)
		}
	}
	switch {
	case len(changed) > 0 && same:
		t.Fatalf("this build plays %v differently, and sim.Behaviour is still %d: a server of the build before would take such a match for its own.\n"+
			"If that is meant, raise Behaviour in match/sim/behaviour.go, then run go test ./match/sim -run TestBehaviour -update", changed, Behaviour)
	case *update:
		var out strings.Builder
		fmt.Fprintln(&out, "behaviour", Behaviour)
		for _, name := range names {
			fmt.Fprintln(&out, name, hashes[name])
		}
		if err := os.WriteFile(behaviourFile, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	case !same:
		t.Errorf("%s is of %s, sim.Behaviour is %d: run go test ./match/sim -run TestBehaviour -update", behaviourFile, lines[0], Behaviour)
	default:
		for _, name := range names {
			if written[name] == "" {
				t.Errorf("%s lacks the scene %s: run go test ./match/sim -run TestBehaviour -update", behaviourFile, name)
			}
		}
	}
}
