package match

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// The messages to players and spectators, early and late, to the byte, the rolling hash
// and the saved states are the same with one, two and eight processors, and so with as
// many helpers.
func TestSameForAllWithAnyProcessors(t *testing.T) {
	const late, ticks = time.Second, 150
	play := func(procs int) (told, watched, saved string) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		th := newSpectatorHarness(t, 5, Config{StateSeconds: 2}, late, nil)
		if n := th.m.host.helpers.Size(); n != procs-1 {
			t.Fatalf("%d helpers for %d processors", n, procs)
		}
		th.m.journal.busy.Store(false) // states are saved, one after another
		live, all := th.sit("live", 1, 0, false), th.sit("all", grid.NoTeam, late, true)
		team := th.sit("team", 0, late, false)
		sums := [3]interface {
			Write([]byte) (int, error)
			Sum([]byte) []byte
		}{sha256.New(), sha256.New(), sha256.New()}
		states := 0
		for range ticks {
			th.step()
			th.m.journal.saving.Wait()
			fmt.Fprintf(sums[0], "%016x %q", th.m.world.Rolling(), th.heard)
			for _, g := range th.spectators {
				fmt.Fprintf(sums[1], "%q", g.sent)
			}
			if int(th.now())%(2*th.m.rate) == 0 {
				sums[2].Write(th.m.journal.saved)
				states++
			}
		}
		if min(live.frames, all.frames, team.frames) < ticks/3 || len(th.m.journal.saved) == 0 || states < 3 {
			t.Fatalf("%d, %d and %d frames, %d states, the last of %d bytes: that proves little", live.frames, all.frames, team.frames, states, len(th.m.journal.saved))
		}
		return fmt.Sprintf("%x", sums[0].Sum(nil)), fmt.Sprintf("%x", sums[1].Sum(nil)), fmt.Sprintf("%x", sums[2].Sum(nil))
	}
	told, watched, saved := play(1)
	for _, procs := range []int{2, 8} {
		a, b, c := play(procs)
		if a != told {
			t.Errorf("%d processors: players were sent something else", procs)
		}
		if b != watched {
			t.Errorf("%d processors: spectators were sent something else", procs)
		}
		if c != saved {
			t.Errorf("%d processors: another state was saved", procs)
		}
	}
}
