//go:build leak

package match

import (
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/leak"
)

// plantedLeaks are all the leaks that the code can be built with, one or more
// of each kind that is to be kept out.
var plantedLeaks = []string{
	// In the simulation: answers, names, and units' actions.
	"shared-randomness", "code-of-hidden-target", "code-of-hidden-structure", "code-of-true-ground",
	"handles-that-count", "spawn-order", "path-end", "aim-in-the-dark", "cloak", "scripts-in-the-dark",
	// In the view.
	"hidden-unit", "lingering", "counters-from-before", "change-counter", "shield-counter", "where-they-go", "foes-queue", "foes-energy",
	"foes-production", "foes-own-values", "hidden-values", "ids-that-count", "ghost-dies", "ghost-health", "explored-by-others", "sights-of-others",
	"whole-state-hash", "shots-in-the-dark", "impacts-in-the-dark", "deaths-in-the-dark", "work-in-the-dark",
	"attackers-place", "attackers-id", "sound-place", "sound-unheard", "radar-far", "radar-cell", "begun-in-the-dark", "books-of-others", "scores", "strength-of-players",
	// In the diff and on the wire.
	"snapshot", "rows-told-to-all", "compression-across-secrets", "answers-that-count",
	// In the match: sizes, timing, hearers of chat.
	"message-size", "timing", "late-answers", "chat",
}

// In how many forks a leak has to be found: in the forks with large changes.
const (
	seedsToCatch = 80
	forksToCatch = 4
)

// firstSeeds has the seed that finds a leak which most seeds do not: it is tried
// first. A change of the game makes another seed find it. Then all are tried, which
// takes longer; -v prints the seed that found it.
var firstSeeds = map[string]uint64{
	"shared-randomness": 7, "code-of-hidden-target": 2, "code-of-hidden-structure": 7, "spawn-order": 6, "path-end": 3,
	"cloak": 8, "scripts-in-the-dark": 6, "counters-from-before": 4, "change-counter": 2, "shield-counter": 2,
	"foes-energy": 5, "foes-production": 2, "foes-own-values": 11, "ghost-dies": 11, "ghost-health": 3,
	"sights-of-others": 5, "deaths-in-the-dark": 5, "work-in-the-dark": 2, "attackers-id": 6, "sound-place": 12,
	"sound-unheard": 9, "radar-far": 2, "radar-cell": 2, "begun-in-the-dark": 6, "snapshot": 11,
}

// Each leak is found, and a build that could leak but does not passes.
func TestEachLeakIsCaught(t *testing.T) {
	rules := shipped(t)
	leak.Planted = ""
	s := interfere(t, rules, 1, 2, forksToCatch, 1) // TestNoninterference plays more
	if s.leak != "" {
		t.Fatalf("no leak is planted: %s", s.leak)
	}
	t.Logf("%d of %d forks counted", s.counted, s.runs)
	skirmish, landmarks := rules, landmarkRules(t)
	for _, name := range plantedLeaks {
		t.Run(name, func(t *testing.T) {
			rules := skirmish
			if strings.HasPrefix(name, "sound-") || strings.HasPrefix(name, "radar-") || strings.HasPrefix(name, "scripts-") || strings.HasSuffix(name, "-values") {
				rules = landmarks // skirmish has no sounds, radar, values and scripts
			}
			leak.Planted = name
			defer func() { leak.Planted = "" }()
			var s suite
			if seed := firstSeeds[name]; seed != 0 {
				s = interfere(t, rules, seed, 1, forksToCatch, uint64(len(tempers)))
			}
			if s.leak == "" {
				s = interfere(t, rules, 1, seedsToCatch, forksToCatch, uint64(len(tempers)))
			}
			if s.leak == "" {
				t.Errorf("not noticed in %d forks, %d of which count", s.runs, s.counted)
				return
			}
			t.Logf("caught in run %d: %.160s", s.runs, s.leak)
		})
	}
}

// spectatorLeaks are the leaks to spectators alone.
var spectatorLeaks = []string{"spectators-early", "spectators-end", "spectators-away", "spectators-hear"}

// Each leak to spectators is found, and a build that could leak but does not
// passes.
func TestEachSpectatorLeakIsCaught(t *testing.T) {
	found := func() string {
		plain, _ := audience(t, nil)
		for i := range splits {
			if early, _ := foretold(t, &splits[i], plain); early != "" {
				return early
			}
		}
		return ""
	}
	leak.Planted = ""
	if early := found(); early != "" {
		t.Fatalf("no leak is planted: %s", early)
	}
	for _, name := range spectatorLeaks {
		t.Run(name, func(t *testing.T) {
			leak.Planted = name
			defer func() { leak.Planted = "" }()
			early := found()
			if early == "" {
				t.Error("not noticed")
			}
			t.Log(early)
		})
	}
}
