package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// MoveConfig is what [Move] measures.
type MoveConfig struct {
	asJSON
	Scenes []string    `help:"Names of scenes; none is all."`
	Seeds  int         `default:"20" help:"Runs of each scene."`
	Folder string      `name:"maps" placeholder:"DIR" help:"Folder with further maps: each is crossed by 60 units."`
	Maps   []*grid.Map `kong:"-"` // read from the folder
}

// MoveReport is how units obeyed.
type MoveReport struct {
	Seeds  int         `json:"seeds"`
	OK     bool        `json:"ok"` // all scenes
	Scenes []MoveScene `json:"scenes"`
}

// MoveScene is what the runs of one scene had in common.
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
// own speed. c is the crowd's limit: how long the narrowest place of the way lets
// nothing else through than the group, nose to tail. A body takes (2r + 1/8
// tile) / speed of one lane, and there are as many lanes as the widest body has room
// for side by side. The limit is 0 where a square block of the group has room as a whole. The k-th of the n units
// to arrive has waited for k/n of it. So the last one is in time if it comes within
// the bound times its own time, plus the limit.
type MoveScene struct {
	Name         string  `json:"name"`
	About        string  `json:"about"`
	Map          string  `json:"map"`
	Units        int     `json:"units"` // that have to move, in each run
	Runs         int     `json:"runs"`
	ArrivedShare float64 `json:"arrived_share"` // of all units of all runs
	Stuck        int     `json:"stuck"`         // notices STUCK and UNREACHABLE, all runs
	TimeRatioP50 float64 `json:"time_ratio_p50"`
	TimeRatioMax float64 `json:"time_ratio_max"`
	Narrowest    float64 `json:"narrowest_tiles"` // width of the narrowest place of the way
	CrowdSeconds float64 `json:"crowd_seconds"`   // the crowd's limit, the longest of the runs
	// Of single scenes.
	InReach     *float64 `json:"in_reach_seconds,omitempty"` // surround: until all were in reach, the longest of the runs
	IncomeShare *float64 `json:"income_share,omitempty"`     // workers: of the spread-out income, the least of the runs
	Fought      *float64 `json:"fought_share,omitempty"`     // hostile: units of both sides that fired or were hit, the least of the runs
	Bound       string   `json:"bound"`                      // what it has to be, in words
	OK          bool     `json:"ok"`
}

// moveScene is one scene: a run of a seed, and what is asked of all its runs.
type moveScene struct {
	name, about string
	field       *grid.Map
	run         func(s *moveScene, seed uint64) (moveRun, error)
	bound       moveBound
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

// moveBound is what is asked of a scene. A zero is not asked for.
type moveBound struct {
	arrived float64 // at least
	late    float64 // the greatest time ratio, at most
	inReach float64 // seconds, at most
	income  float64 // at least
	fought  float64 // at least
}

func (b moveBound) String() string {
	var parts []string
	add := func(set bool, format string, args ...any) {
		if set {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(b.arrived > 0, "%.0f%% arrive, 0 stuck", 100*b.arrived)
	add(b.late > 0, "ratio at most %.1f", b.late)
	add(b.inReach > 0, "in reach within %.0f s", b.inReach)
	add(b.income > 0, "income at least %.0f%%", 100*b.income)
	add(b.fought > 0, "%.0f%% fight", 100*b.fought)
	return strings.Join(parts, ", ")
}

// holds reports whether a scene keeps the bound.
func (b moveBound) holds(s *MoveScene) bool {
	return (b.arrived == 0 || s.ArrivedShare >= b.arrived && s.Stuck == 0) &&
		(b.late == 0 || s.TimeRatioMax <= b.late) &&
		(b.inReach == 0 || *s.InReach <= b.inReach) &&
		(b.income == 0 || *s.IncomeShare >= b.income) &&
		(b.fought == 0 || *s.Fought >= b.fought)
}

// Move gives orders to groups of units and measures how they are obeyed. It
// plays the simulation alone, on all cores. It fails rather than measure less than
// it was asked for.
func Move(ctx context.Context, c MoveConfig) (MoveReport, error) {
	if c.Seeds < 1 {
		return MoveReport{}, fmt.Errorf("bench move: %d seeds, want at least 1", c.Seeds)
	}
	scenes, err := moveScenes(c.Maps)
	if err != nil {
		return MoveReport{}, fmt.Errorf("bench move: %w", err)
	}
	for _, name := range c.Scenes {
		if !slices.ContainsFunc(scenes, func(s *moveScene) bool { return s.name == name }) {
			var names []string
			for _, s := range scenes {
				names = append(names, s.name)
			}
			return MoveReport{}, fmt.Errorf("bench move: there is no scene %q, but %s", name, strings.Join(names, ", "))
		}
	}
	if len(c.Scenes) > 0 {
		scenes = slices.DeleteFunc(scenes, func(s *moveScene) bool { return !slices.Contains(c.Scenes, s.name) })
	}
	runs, err := playScenes(ctx, scenes, c.Seeds)
	if err != nil {
		return MoveReport{}, fmt.Errorf("bench move: %w", err)
	}
	report := MoveReport{Seeds: c.Seeds, OK: true}
	for i, s := range scenes {
		r := s.sum(runs[i])
		report.OK = report.OK && r.OK
		report.Scenes = append(report.Scenes, r)
	}
	return report, nil
}

// playScenes plays each scene with each seed.
func playScenes(ctx context.Context, scenes []*moveScene, seeds int) ([][]moveRun, error) {
	runs := make([][]moveRun, len(scenes))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range scenes {
		runs[i] = make([]moveRun, seeds)
		for seed := range seeds {
			g.Go(func() (err error) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if runs[i][seed], err = s.run(s, uint64(seed+1)); err != nil {
					err = fmt.Errorf("scene %s, seed %d: %w", s.name, seed+1, err)
				}
				return err
			})
		}
	}
	return runs, g.Wait()
}

// sum adds the runs of a scene up.
func (s *moveScene) sum(runs []moveRun) MoveScene {
	r := MoveScene{Name: s.name, About: s.about, Map: s.field.Name, Runs: len(runs), Units: runs[0].units, Bound: s.bound.String()}
	var ratios []float64
	units, arrived, narrowest := 0, 0, runs[0].narrowest
	inReach, income, fought := runs[0].inReach, runs[0].income, runs[0].fought
	for _, run := range runs {
		units, arrived, r.Stuck = units+run.units, arrived+run.arrived, r.Stuck+run.stuck
		ratios = append(ratios, run.ratios...)
		narrowest, r.CrowdSeconds = min(narrowest, run.narrowest), max(r.CrowdSeconds, run.crowd)
		inReach, income, fought = max(inReach, run.inReach), min(income, run.income), min(fought, run.fought)
	}
	r.ArrivedShare = float64(arrived) / float64(units)
	r.Narrowest = float64(narrowest) / grid.WUPerTile
	if slices.Sort(ratios); len(ratios) > 0 {
		r.TimeRatioP50, r.TimeRatioMax = ratios[len(ratios)/2], ratios[len(ratios)-1]
	}
	if s.bound.inReach > 0 {
		r.InReach = &inReach
	}
	if s.bound.income > 0 {
		r.IncomeShare = &income
	}
	if s.bound.fought > 0 {
		r.Fought = &fought
	}
	r.OK = s.bound.holds(&r)
	return r
}

// Run measures and prints.
func (c *MoveConfig) Run(in *cli.Invocation) error {
	if c.Folder != "" {
		found, skipped, err := mapfile.Find(c.Folder)
		if err != nil {
			return err
		}
		for _, s := range skipped {
			in.Progress("%v", s)
		}
		for _, path := range found {
			m, err := mapfile.OpenPlayable(path)
			if err != nil {
				return err
			}
			c.Maps = append(c.Maps, m)
		}
		if len(c.Maps) == 0 {
			return fmt.Errorf("bench move: no map in %s", c.Folder)
		}
	}
	r, err := Move(in.Ctx, *c)
	if err != nil {
		return err
	}
	return c.print(in.Stdout, &r)
}
