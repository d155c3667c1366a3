package match

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
)

// replayBuffer is what a match keeps of itself to be played once more for those who
// watch it late: a save now and then, and of every tick after the oldest save
// what went into it.
//
//	ticks  oldest save        save              save         now
//	         |------ steps -----|------ steps -----|--- steps --|
//	                       depth ticks ago ┘
//
// It reaches back as far as the longest delay that spectators have, and holds
// at most so many bytes: when players send more than fits, it is cut, and who
// watches late waits until what is kept from then on is old enough.
type replayBuffer struct {
	depth       grid.Ticks // how far back it is needed; 0: nothing is kept
	most        int        // bytes
	bytes       int
	checkpoints []checkpoint
	steps       []step // of the ticks that follow the oldest save, without a gap
	spare       []byte
	from        grid.Tick // nothing is kept before it
}

// checkpoint is the state after a tick.
type checkpoint struct {
	tick  grid.Tick
	state []byte // [sim.World.Save]
}

// step is what went into a tick, and what of it is told that the world does not
// know.
type step struct {
	record  []byte       // inputs and hash, as the journal has them; nil: it had neither
	records uint64       // so many have to be on disk before what was said is told
	away    grid.SlotSet // players who had no connection
}

// Bounds of a replay buffer. Saves are so far apart that at most checkpointsMax of them are
// kept, but not nearer than checkpointSeconds: they cost time when made, and steps
// cost time when somebody comes in between.
const (
	checkpointsMax    = 8
	checkpointSeconds = 5
	// stepBytes is what a step takes besides its record.
	stepBytes = 48
)

// every is how many ticks lie between two saves.
func (r *replayBuffer) every(rate int) grid.Ticks {
	return max(r.depth/checkpointsMax, grid.Ticks(checkpointSeconds*rate))
}

// note takes in the tick that w has just made. It reports whether the replay buffer was
// cut: it holds nothing, and begins again after a while.
func (r *replayBuffer) note(w *sim.World, inputs []sim.Input, out *sim.Outcome, s step) (cut bool) {
	if r.depth == 0 || out.Tick < r.from {
		return false
	}
	if len(r.checkpoints) == 0 {
		r.save(w)
		return false
	}
	if t := (journal.Tick{Tick: out.Tick, Inputs: inputs, Hashed: out.Hashed, Hash: out.Hash}); !t.Empty() {
		s.record = journal.AppendTick(nil, &t)
	}
	r.steps = append(r.steps, s)
	r.bytes += stepBytes + len(s.record)
	if newest := r.checkpoints[len(r.checkpoints)-1].tick; grid.Ticks(out.Tick-newest) >= r.every(w.TickRate()) {
		r.save(w)
	}
	r.forget(out.Tick)
	if r.bytes > r.most {
		*r = replayBuffer{depth: r.depth, most: r.most, from: out.Tick + grid.Tick(r.every(w.TickRate()))}
		return true
	}
	return false
}

func (r *replayBuffer) save(w *sim.World) {
	s := checkpoint{w.Tick(), w.Save(r.spare[:0])}
	r.spare = nil
	r.checkpoints = append(r.checkpoints, s)
	r.bytes += len(s.state)
}

// forget drops what is older than is needed: what comes before the last save
// that is more than depth ticks old. (The step into the tick that is as old as
// that is still to be played.)
func (r *replayBuffer) forget(now grid.Tick) {
	n := 0
	for n+1 < len(r.checkpoints) && r.checkpoints[n+1].tick+grid.Tick(r.depth) < now {
		n++
	}
	if n == 0 {
		return
	}
	steps := int(r.checkpoints[n].tick - r.checkpoints[0].tick)
	for _, s := range r.checkpoints[:n] {
		r.bytes -= len(s.state)
		r.spare = s.state
	}
	for i := range r.steps[:steps] {
		r.bytes -= stepBytes + len(r.steps[i].record)
	}
	r.checkpoints, r.steps = slices.Delete(r.checkpoints, 0, n), slices.Delete(r.steps, 0, steps)
}

// first returns the tick that is shown first to one who is late by the replay buffer's
// depth: the oldest save's, or that of the first to come.
func (r *replayBuffer) first(now grid.Tick) grid.Tick {
	if len(r.checkpoints) > 0 {
		return r.checkpoints[0].tick
	}
	return max(now, r.from)
}

// before returns the newest save of a tick or before it, nil if there is none.
func (r *replayBuffer) before(t grid.Tick) *checkpoint {
	for i := len(r.checkpoints) - 1; i >= 0; i-- {
		if r.checkpoints[i].tick <= t {
			return &r.checkpoints[i]
		}
	}
	return nil
}

// of returns the step of a tick, nil if it is not kept.
func (r *replayBuffer) of(t grid.Tick) *step {
	if len(r.checkpoints) == 0 || t <= r.checkpoints[0].tick || int(t-r.checkpoints[0].tick) > len(r.steps) {
		return nil
	}
	return &r.steps[t-r.checkpoints[0].tick-1]
}
