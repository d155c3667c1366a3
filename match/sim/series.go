package sim

import (
	"fmt"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// seriesStepMs is the time between two points. Before there are more than
// [grid.SeriesMax], every other point is dropped and the step doubles.
const seriesStepMs = 10_000

// Series is the course of the players' economies and armies, for the graphs at a match's
// end. Point k is of tick k*Step, the last point of the end's tick. It is secret until the
// match has ended.
type Series struct {
	Step    grid.Ticks
	Players []PlayerSeries // by slot; all have as many points
}

// PlayerSeries are the points of one player.
type PlayerSeries struct {
	Gathered []int32 // of all resources, since the beginning
	Army     []int32 // the cost of the living armed units without workers
}

// newSeries returns series without points.
func newSeries(rate int32, players int) Series {
	return Series{Step: grid.Ticks(seriesStepMs / 1000 * rate), Players: make([]PlayerSeries, players)}
}

// sample adds a point if one is due in this tick.
func (w *World) sample() {
	s := &w.series
	if w.tick%grid.Tick(s.Step) != 0 {
		return
	}
	if s.len() < grid.SeriesMax-1 { // the last is for the end
		w.addPoint()
		return
	}
	s.thin()
	w.sample()
}

func (s *Series) len() int { return len(s.Players[0].Army) }

// addPoint adds the current values.
func (w *World) addPoint() {
	for i := range w.players {
		p, of := &w.players[i], &w.series.Players[i]
		gathered, army := int32(0), int32(0)
		for _, n := range p.gains {
			gathered += n
		}
		for typ, n := range p.counts {
			if t := &w.rules.Types[typ]; n > 0 && t.Class == rules.ClassUnit && len(t.Weapons) > 0 && t.Carry == 0 {
				for _, c := range t.Cost {
					army += n * c
				}
			}
		}
		of.Gathered, of.Army = append(of.Gathered, gathered), append(of.Army, army)
	}
}

// thin drops every other point and doubles the step.
func (s *Series) thin() {
	s.Step *= 2
	half := func(list []int32) []int32 {
		for k := 0; 2*k < len(list); k++ {
			list[k] = list[2*k]
		}
		return list[:(len(list)+1)/2]
	}
	for i := range s.Players {
		p := &s.Players[i]
		p.Gathered, p.Army = half(p.Gathered), half(p.Army)
	}
}

func (w *World) seriesState(a *archive.Archive) {
	s := &w.series
	archive.Word(a, &s.Step)
	for i := range s.Players {
		p := &s.Players[i]
		archive.List(a, &p.Gathered, 4, func(n *int32) { archive.Word(a, n) })
		archive.List(a, &p.Army, 4, func(n *int32) { archive.Word(a, n) })
	}
}

// check returns the fault in series that were read.
func (s *Series) check() error {
	if s.Step <= 0 {
		return fmt.Errorf("series: a step of %d ticks", s.Step)
	}
	for i := range s.Players {
		if p := &s.Players[i]; len(p.Army) > grid.SeriesMax || len(p.Army) != s.len() || len(p.Gathered) != s.len() {
			return fmt.Errorf("series of player %d: %d and %d points", i, len(p.Gathered), len(p.Army))
		}
	}
	return nil
}
