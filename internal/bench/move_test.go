package bench

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// moveSum has the sums over the runs of one scene.
//
// A unit has arrived if at the end of the run it is on the ground that its group
// takes up around the goal, with nothing left to do. That ground is all tiles up to
// such a way from the goal that the group's bodies, each in a square of its own, fill
// two fifths of them, and two tiles more.
//
// The time ratio of a unit is (t - k/n * c) / a. t is the time from the tick in which
// the order acts to the unit's last entry into that ground; for who never arrives, to
// the end of the run. a is the time that it takes alone: the length of the path that
// match/sim/nav finds from where it stood, around structures, to that ground, at its
// own speed. c is the crowd's limit: the time in which the narrowest place of the way lets the whole group through,
// nose to tail. A body takes (2r + 1/8 tile) / speed of one lane, and there are as many lanes as the widest body
// has room for side by side. The limit is 0 where a square block of the group has room as a whole. The k-th of the n
// units to arrive has waited for k/n of the time. So the last one is in time if it comes within the bound times its
// own time, plus the limit.
type moveSum struct {
	arrived     float64 // of all units of all runs, a share
	stuck       int     // notices STUCK and UNREACHABLE
	ratio, late float64 // time ratios: the median and the greatest
	inReach     float64 // seconds until all were in reach, the longest of the runs
	income      float64 // of the spread-out income, the least of the runs
	fought      float64 // share of both sides' units that fired or were hit, the least of the runs
}

// moveScene is one scene: a run of a seed, and the bounds of all its runs.
type moveScene struct {
	name  string
	field *grid.Map
	run   func(s *moveScene, seed uint64) (moveRun, error)
	bound moveBound
}

// moveRun is what one run measured.
type moveRun struct {
	units, arrived, stuck int
	ratios                []float64
	narrowest             grid.Dist
	crowd                 float64 // seconds
	inReach               float64 // seconds
	income                float64
	fought                float64
}

// moveBound bounds the figures of a scene. A zero is no bound.
type moveBound struct {
	arrived float64 // at least
	late    float64 // the greatest time ratio, at most
	inReach float64 // seconds, at most
	income  float64 // at least
	fought  float64 // at least
}

// holds reports whether the runs of a scene keep the bound.
func (b moveBound) holds(s *moveSum) bool {
	return (b.arrived == 0 || s.arrived >= b.arrived && s.stuck == 0) &&
		(b.late == 0 || s.late <= b.late) && (b.inReach == 0 || s.inReach <= b.inReach) &&
		s.income >= b.income && s.fought >= b.fought
}

// play plays a scene with so many seeds.
func (s *moveScene) play(t *testing.T, seeds int) *moveSum {
	t.Helper()
	r := &moveSum{}
	units, arrived := 0, 0
	var ratios []float64
	for seed := range seeds {
		run, err := s.run(s, uint64(seed+1))
		if err != nil {
			t.Fatalf("%s, seed %d: %v", s.name, seed+1, err)
		}
		if seed == 0 {
			r.income, r.fought = run.income, run.fought
		}
		units, arrived, r.stuck = units+run.units, arrived+run.arrived, r.stuck+run.stuck
		ratios = append(ratios, run.ratios...)
		r.inReach, r.income, r.fought = max(r.inReach, run.inReach), min(r.income, run.income), min(r.fought, run.fought)
	}
	r.arrived = float64(arrived) / float64(units)
	if slices.Sort(ratios); len(ratios) > 0 {
		r.ratio, r.late = ratios[len(ratios)/2], ratios[len(ratios)-1]
	}
	return r
}

// TestUnitsObey plays every scene, and wants its bound kept: two seeds, or twenty in the
// long form.
func TestUnitsObey(t *testing.T) {
	seeds := 2
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		seeds = 20
	}
	for _, s := range moveScenes(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := s.play(t, seeds)
			t.Logf("%+v", *r)
			if !s.bound.holds(r) {
				t.Errorf("%+v, want %+v", *r, s.bound)
			}
			if s.bound.inReach > 0 && r.inReach <= 0 || r.income > 1.1 || s.name == "line-69" && r.ratio < 0.8 {
				t.Errorf("the scene is not measured: %+v", *r)
			}
		})
	}
}

func shippedScene(t *testing.T, name string) *moveScene {
	t.Helper()
	for _, s := range moveScenes(t) {
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

// The gap is measured as wide as it is, and its limit follows the doc comment of moveSum.
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

func TestMoveBoundsBite(t *testing.T) {
	for name, s := range map[string]*moveSum{
		"not all arrive": {arrived: 0.99, late: 1},
		"one is stuck":   {arrived: 1, late: 1, stuck: 1},
		"one is late":    {arrived: 1, late: 1.31},
	} {
		if obeyed.holds(s) {
			t.Errorf("%s: it holds", name)
		}
	}
	if !obeyed.holds(&moveSum{arrived: 1, late: 1.3}) {
		t.Error("a sum within the bound does not hold")
	}
	if surrounds.holds(&moveSum{arrived: 1, inReach: 7}) || mined.holds(&moveSum{income: 0.89}) || fights.holds(&moveSum{}) {
		t.Error("a bound of a single scene holds")
	}
}
