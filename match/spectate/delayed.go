package spectate

import (
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// catchUpTicks are played in one tick until the world is where it has to be.
const catchUpTicks = 16

// ErrDiverged says that a delayed world is not what the match was.
var ErrDiverged = errors.New("played once more, the match is another")

// Delayed is the delayed world: it plays a match a second time, later by a delay. It has no world of its own
// until something is needed of it and a checkpoint is old enough.
type Delayed struct {
	Delay grid.Ticks

	// What is shown at the tick that Follow has reached.
	World  *sim.World // nil: nothing yet
	Cache  *view.Cache
	Away   grid.SlotSet
	Said   []sim.Said // in that tick
	Synced uint64     // so many records have to be on disk before it is told
}

// Follow brings the world to where it has to be when the match is at tick now,
// and reports whether it is there. restarted reports that the buffer was emptied
// on the way: the world begins anew with a checkpoint that is still to grow old.
func (d *Delayed) Follow(past *Buffer, now grid.Tick, setup func() sim.Setup) (there, restarted bool, err error) {
	d.Said = nil
	target := shown(now, d.Delay)
	if d.World == nil {
		s := past.before(target)
		if s == nil || target == 0 {
			return false, false, nil
		}
		if d.World, err = sim.Restore(setup(), s.state); err != nil {
			return false, false, err
		}
		d.Cache = view.NewCache(d.World)
	}
	for range catchUpTicks {
		if d.World.Tick() == target {
			break
		}
		s := past.of(d.World.Tick() + 1)
		if s == nil {
			*d = Delayed{Delay: d.Delay}
			return false, true, nil
		}
		if err := d.step(s, target); err != nil {
			return false, false, err
		}
	}
	if d.World.Tick() != target {
		return false, false, nil
	}
	d.Cache.Prepare(d.World)
	return true, false, nil
}

// shown returns the tick that is shown at tick now with a delay; 0: none yet.
func shown(now grid.Tick, delay grid.Ticks) grid.Tick {
	if now <= grid.Tick(delay) {
		return 0
	}
	return now - grid.Tick(delay)
}

// step plays one tick of the match once more.
func (d *Delayed) step(s *Step, target grid.Tick) error {
	var t journal.Tick
	if s.Record != nil {
		r, err := journal.Decode(s.Record)
		if err != nil {
			return err
		}
		t = *r.Tick
	}
	out := d.World.Step(t.Inputs)
	if t.Hashed && (!out.Hashed || out.Hash != t.Hash) {
		return fmt.Errorf("tick %d: %w", out.Tick, ErrDiverged)
	}
	d.Away = s.Away
	if out.Tick == target {
		d.Said, d.Synced = out.Said, s.Synced
	}
	return nil
}
