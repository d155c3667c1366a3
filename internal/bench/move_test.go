package bench

import (
	"math"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

func shippedScene(t *testing.T, name string) *moveScene {
	t.Helper()
	scenes, err := moveScenes(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenes {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("no scene %q", name)
	return nil
}

// One unit alone takes the time that its path takes alone. So the ratio is 1, give
// or take the turn at the start and the corners that it cuts.
func TestAloneIsRatioOne(t *testing.T) {
	for name, run := range map[string]func(*moveScene, uint64) (moveRun, error){
		"ramp-60": toCentre(1), "fords-60": acrossMap(1), "gap-60": throughGap(1),
	} {
		r, err := run(shippedScene(t, name), 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.units != 1 || r.arrived != 1 || r.stuck != 0 || r.crowd != 0 || r.ratios[0] < 0.9 || r.ratios[0] > 1.1 {
			t.Errorf("%s: one unit: %+v", name, r)
		}
	}
}

// The gap is measured as wide as it is, and its limit is what the doc comment of
// MoveScene says.
func TestCrowdLimitOfTheGap(t *testing.T) {
	s := shippedScene(t, "gap-60")
	const n = 20
	r, err := throughGap(n)(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.narrowest < grid.Tiles(2) || r.narrowest > grid.Tiles(2)+grid.WUPerTile/4 {
		t.Errorf("the gap of two tiles is %d WU wide", r.narrowest)
	}
	// Ten soldiers, three raiders, and two scouts, two of artillery, two casters and a
	// detector; the artillery has room in two lanes.
	want := (11*(0.7+0.125)/3 + 3*(0.7+0.125)/3.75 + 2*(0.6+0.125)/4.5 + 2*(0.9+0.125)/1.75 + 2*(0.7+0.125)/2.5) / 2
	if math.Abs(r.crowd-want) > 0.02 {
		t.Errorf("the limit of %d units is %.3f s, want %.3f", n, r.crowd, want)
	}
	if r.units != n || len(r.ratios) != n {
		t.Errorf("%d units, %d ratios", r.units, len(r.ratios))
	}
}

// A group arrives where it has room, at the goal and around it, and not on the far
// side of a wall.
func TestArrivalIsTheGroundAroundTheGoal(t *testing.T) {
	m := gapMap()
	rs, err := moveRules([]muster{{"command-centre", 1}})
	if err != nil {
		t.Fatal(err)
	}
	st, err := newStage(m, rs, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	goal := grid.Tile{X: 42, Y: 10}
	a := st.newArrival(grid.Ground, goal.Center(), 10*grid.WUPerTile*grid.WUPerTile)
	inside := 0
	for y := range m.H {
		for x := range m.W {
			if a.holds(grid.Tile{X: int16(x), Y: int16(y)}.Center()) {
				if inside++; x < 41 {
					t.Fatalf("%d,%d is behind the wall", x, y)
				}
			}
		}
	}
	// Bodies of ten squares on two fifths of the ground are 25 tiles, and two tiles
	// around it.
	if inside < 50 || inside > 90 || !a.holds(goal.Center()) {
		t.Errorf("%d tiles", inside)
	}
}

// Every kind of scene can be played, and gives what its bound asks about.
func TestEveryKindOfSceneIsMeasured(t *testing.T) {
	r, err := Move(t.Context(), MoveConfig{
		Scenes: []string{"fords-60", "cross-hostile", "ring-out", "surround", "workers", "line-69"}, Seeds: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Scenes) != 6 {
		t.Fatalf("%d scenes", len(r.Scenes))
	}
	for _, s := range r.Scenes {
		switch {
		case s.Runs != 1 || s.Units == 0 || s.Bound == "":
			t.Errorf("%+v", s)
		case s.Name == "surround" && (s.InReach == nil || *s.InReach <= 0):
			t.Errorf("surround: %+v", s)
		case s.Name == "workers" && (s.IncomeShare == nil || *s.IncomeShare <= 0 || *s.IncomeShare > 1.1):
			t.Errorf("workers: %+v", s)
		case s.Name == "cross-hostile" && (s.Fought == nil || *s.Fought < 0.5):
			t.Errorf("cross-hostile: %+v", s)
		case s.Name == "line-69" && (s.TimeRatioP50 < 0.8 || s.Units != 69):
			t.Errorf("line-69: %+v", s)
		}
	}
}

func TestMoveBoundsBite(t *testing.T) {
	seven, share := 7.0, 0.89
	for name, s := range map[string]*MoveScene{
		"not all arrive": {ArrivedShare: 0.99, TimeRatioMax: 1},
		"one is stuck":   {ArrivedShare: 1, TimeRatioMax: 1, Stuck: 1},
		"one is late":    {ArrivedShare: 1, TimeRatioMax: 1.31},
	} {
		if obeyed.holds(s) {
			t.Errorf("%s: it holds", name)
		}
	}
	if !obeyed.holds(&MoveScene{ArrivedShare: 1, TimeRatioMax: 1.3}) {
		t.Error("what keeps the bound does not hold")
	}
	if surrounds.holds(&MoveScene{ArrivedShare: 1, InReach: &seven}) || mined.holds(&MoveScene{IncomeShare: &share}) || fights.holds(&MoveScene{Fought: new(float64)}) {
		t.Error("a bound of a single scene holds")
	}
}

func TestMoveRefusesToMeasureLess(t *testing.T) {
	for name, c := range map[string]MoveConfig{
		"no such scene": {Scenes: []string{"nowhere"}, Seeds: 1},
		"no seeds":      {Scenes: []string{"gap-60"}},
	} {
		if _, err := Move(t.Context(), c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
