package match

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/playback"
)

// The first late spectator of a long match does not wait until the match was played from
// its start: the broadcast begins at a state that the match has saved. The state has the
// explored ground and the last sights, so all get the same bytes.
func TestLateBroadcastBeginsAtASavedState(t *testing.T) {
	t.Parallel()
	const late, stateSeconds, before, watched = 3 * time.Second, 2, 505, 120
	watch := func(saves bool) (sent []string, played int, indexed grid.Tick) {
		th := newSpectatorHarness(t, 3, Config{StateSeconds: stateSeconds}, late, nil)
		reg := prometheus.NewRegistry()
		library := playback.New(playback.Config{Journals: th.log, Registerer: reg})
		t.Cleanup(library.Close)
		th.m.host.cfg.Library = library
		th.m.journal.busy.Store(!saves)
		step := func() {
			th.step()
			th.m.journal.saving.Wait()
		}
		for range before {
			step()
		}
		for _, eyes := range []grid.Team{0, 1, 2, grid.NoTeam} {
			th.sit(fmt.Sprintf("rows %d", eyes), eyes, late, false)
			th.sit(fmt.Sprintf("derives %d", eyes), eyes, late, true)
		}
		for range watched {
			step()
			for _, g := range th.spectators {
				sent = append(sent, fmt.Sprintf("%s at %d: %q", g.seat.Account, th.now(), g.sent))
			}
		}
		for _, g := range th.spectators {
			if g.frames < watched*4/10 || g.snapshots != 1 || g.wrong > 0 || g.waits > 0 {
				t.Errorf("%s: %d frames, %d snapshots, %d wrong masks, %d waits", g.seat.Account, g.frames, g.snapshots, g.wrong, g.waits)
			}
		}
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if f.GetName() == "fogkeep_replay_ticks_total" {
				played = int(f.Metric[0].Counter.GetValue())
			}
		}
		return sent, played, th.m.spectators.broadcasts[0].late.rec.Indexed()
	}
	whole, all, indexed := watch(false)
	if due := grid.Tick(before+watched) - ticksOf(late); all != int(due) || indexed != due {
		t.Fatalf("without states %d ticks are played, %d from the start on: want %d", all, indexed, due)
	}
	short, few, indexed := watch(true)
	if most := watched + int(ticksOf(late)) + stateSeconds*20; few < watched || few > most || indexed != 0 {
		t.Errorf("%d ticks are played, %d from the start on: want at most %d, none", few, indexed, most)
	}
	for i := range whole {
		if short[i] != whole[i] {
			t.Fatalf("from a saved state: %.300s\nfrom the start: %.300s", short[i], whole[i])
		}
	}
}
