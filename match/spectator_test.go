package match

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// ticksOf is a delay in ticks at 20 per second.
func ticksOf(d time.Duration) grid.Tick { return grid.Tick(d * 20 / time.Second) }

// union judges the permitted knowledge of all teams together.
type union struct {
	all   *oracle
	teams []*oracle
}

func newUnion(setup sim.Setup, teams int) *union {
	u := &union{all: newOracle(setup, grid.NoTeam)}
	for t := range teams {
		u.teams = append(u.teams, newOracle(setup, grid.Team(t)))
	}
	return u
}

// judge returns the permitted knowledge of a world for all eyes together, and for each
// team. It is called for every tick in turn.
func (u *union) judge(w *sim.World) (all *truth, teams []*truth) {
	all = &truth{world: w, visible: make([]bool, len(u.all.explored)), shown: map[place]bool{}}
	for _, o := range u.teams {
		tr := o.judge(w)
		teams = append(teams, tr)
		for i, lit := range tr.visible {
			all.visible[i] = all.visible[i] || lit
			u.all.explored[i] = u.all.explored[i] || o.explored[i]
		}
		for p := range tr.shown {
			all.shown[p] = true
		}
		for p := range o.seen {
			u.all.seen[p] = true
		}
	}
	return all, teams
}

// Spectators of several kinds watch a match, some late, some over bad links. Each frame
// of theirs is held against the world as it was so long ago, tile by tile: no frame has a
// thing that their eyes did not see, and no thing is missing.
func TestSpectatorsSeeTheMatchLate(t *testing.T) {
	t.Parallel()
	const late = 3 * time.Second
	steps := 350
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		steps = 4000
	}
	th := newSpectatorHarness(t, 3, Config{}, late, nil)
	setup := th.m.spec.Setup()
	u := newUnion(setup, 3)
	truths := map[grid.Tick][]*truth{} // all, then by team
	told := map[grid.Tick][][]bool{}   // explored as of then, alike
	checked, fought := 0, 0
	watch := func(name string, eyes grid.Team, delay time.Duration, derives bool) *spectatorClient {
		g := th.sit(name, eyes, delay, derives)
		g.onFrame = func(now grid.Tick, f *wire.ServerFrame) {
			if f.Diff.Partial {
				return // the sights come later
			}
			at := g.Tick()
			if at+ticksOf(delay) > now || g.stalls == nil && at+ticksOf(delay) != now {
				t.Fatalf("%s: at tick %d a frame of tick %d, with a delay of %v", name, now, at, delay)
			}
			o, whose := *u.all, 0
			if eyes != grid.NoTeam {
				o, whose = *u.teams[eyes], 1+int(eyes)
			}
			tr := truths[at][whose]
			o.explored = told[at][whose]
			if !derives {
				checked++
				fought += len(f.Diff.Destroyed) + len(f.Diff.Fire)
				for _, wrong := range o.compare(tr, g.Replica, f) {
					t.Errorf("%s: %s", name, wrong)
				}
			}
			if derives {
				for i, lit := range tr.visible {
					if tile := setup.Map.TileAt(i); g.Fog.Visible(tile) != lit {
						t.Errorf("%s: tick %d: %v is seen %v, and derived %v", name, at, tile, lit, !lit)
					}
				}
			}
			if t.Failed() {
				t.FailNow()
			}
		}
		return g
	}
	watch("rows", grid.NoTeam, late, false)
	watch("derives", grid.NoTeam, late, true)
	watch("one team", 1, late, false)
	watch("derives for one team", 2, late, true)
	watch("live", 0, 0, false)
	slow := watch("slow", grid.NoTeam, late, true)
	slow.stalls = func(now grid.Tick) bool { return now/30%3 == 1 }
	for range steps {
		th.stepAnd(func() { // judged before any client takes in its messages
			now := th.m.world.Tick()
			w, err := sim.Restore(setup, th.m.world.Save(nil))
			if err != nil {
				t.Fatal(err)
			}
			all, teams := u.judge(w)
			truths[now] = append([]*truth{all}, teams...)
			told[now] = [][]bool{slices.Clone(u.all.explored)}
			for _, o := range u.teams {
				told[now] = append(told[now], slices.Clone(o.explored))
			}
			delete(truths, now-200)
			delete(told, now-200)
		})
	}
	for _, g := range th.spectators {
		t.Logf("%s: %d frames, %d snapshots, %d waits, %d times at odds about the fog", g.seat.Account, g.frames, g.snapshots, g.waits, g.wrong)
		if g.wrong > 0 || g.frames < steps/5 {
			t.Errorf("%s: %d frames, the fog was wrong %d times", g.seat.Account, g.frames, g.wrong)
		}
	}
	t.Logf("%d frames compared tile by tile, %d rows of fights in them", checked, fought)
	if checked < steps/2 || fought == 0 {
		t.Errorf("%d frames were compared, with %d rows of fights: that proves little", checked, fought)
	}
}
