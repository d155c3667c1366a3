package spectate

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Buffer is the replay buffer: what a match keeps of itself to be played once
// more for those who watch it late. It holds checkpoints, and of every tick after
// the oldest checkpoint what went into it.
//
//	ticks  oldest checkpoint   checkpoint       checkpoint    now
//	         |------ steps -----|------ steps -----|--- steps --|
//	                       depth ticks ago ┘
//
// It reaches back as far as the longest delay that spectators have. Its bytes are
// bounded: if players send more than fits, it is emptied. Late spectators then
// wait until what is kept from then on is old enough.
//
// A checkpoint is frozen in its tick, and written in the ticks that follow, a part in
// each: so no tick waits for all of it. What is frozen takes about as much memory as
// a checkpoint, besides the bytes that are bounded.
type Buffer struct {
	Steps []Step // of the ticks that follow the oldest checkpoint, without a gap

	depth       grid.Ticks // how far back it is needed; 0: nothing is kept
	most        int        // bytes
	bytes       int
	checkpoints []checkpoint
	frozen      sim.Frozen // the state of the newest
	writing     bool       // not all of it is in the checkpoint
	spare       []byte
	from        grid.Tick // nothing is kept before it
}

// checkpoint is the state after a tick.
type checkpoint struct {
	tick  grid.Tick
	state []byte // [sim.World.Save]; of the newest, what is written of it
}

// Step is what went into a tick, and what of it is told that the world does not
// know.
type Step struct {
	Record []byte       // inputs and hash, as the journal has them; nil: it had neither
	Synced uint64       // so many records have to be on disk before what was said is told
	Away   grid.SlotSet // players who had no connection
}

// NewBuffer returns a buffer that holds at most so many bytes, or a checkpoint
// more, and reaches back for depth ticks.
func NewBuffer(most int, depth grid.Ticks) *Buffer { return &Buffer{most: most, depth: depth} }

// Reach makes the buffer reach back for depth ticks at least.
func (r *Buffer) Reach(depth grid.Ticks) { r.depth = max(r.depth, depth) }

// Bytes returns how much the buffer holds.
func (r *Buffer) Bytes() int { return r.bytes }

// Checkpoints returns how many checkpoints the buffer holds.
func (r *Buffer) Checkpoints() int { return len(r.checkpoints) }

// Bounds of a replay buffer. Checkpoints are so far apart
// that at most checkpointsMax of them are kept, but not nearer than
// checkpointSeconds: they cost time when made, and steps cost time when somebody
// comes in between.
const (
	checkpointsMax    = 8
	checkpointSeconds = 5
	// stepBytes is what a step takes besides its record.
	stepBytes = 48
)

// every is how many ticks lie between two checkpoints.
func (r *Buffer) every(rate int) grid.Ticks {
	return max(r.depth/checkpointsMax, grid.Ticks(checkpointSeconds*rate))
}

// Note takes in the tick that w has just made. It reports whether the buffer was
// emptied: it begins again after a while.
func (r *Buffer) Note(w *sim.World, inputs []sim.Input, out *sim.Outcome, s Step) (cut bool) {
	if r.depth == 0 || out.Tick < r.from {
		return false
	}
	if len(r.checkpoints) == 0 {
		r.save(w)
		return false
	}
	if t := (journal.Tick{Tick: out.Tick, Inputs: inputs, Hashed: out.Hashed, Hash: out.Hash}); !t.Empty() {
		s.Record = journal.AppendTick(nil, &t)
	}
	r.Steps = append(r.Steps, s)
	r.bytes += stepBytes + len(s.Record)
	r.write(1)
	if newest := r.checkpoints[len(r.checkpoints)-1].tick; grid.Ticks(out.Tick-newest) >= r.every(w.TickRate()) {
		r.save(w)
	}
	r.forget(out.Tick)
	if r.bytes > r.most {
		*r = Buffer{depth: r.depth, most: r.most, from: out.Tick + grid.Tick(r.every(w.TickRate()))}
		return true
	}
	return false
}

// save begins a checkpoint.
func (r *Buffer) save(w *sim.World) {
	r.write(sim.FrozenParts)
	w.Freeze(&r.frozen)
	r.checkpoints = append(r.checkpoints, checkpoint{w.Tick(), r.spare[:0]})
	r.spare, r.writing = nil, true
}

// write writes so many parts of the newest checkpoint.
func (r *Buffer) write(parts int) {
	for ; r.writing && parts > 0; parts-- {
		s, last := &r.checkpoints[len(r.checkpoints)-1], false
		r.bytes -= len(s.state)
		s.state, last = r.frozen.SavePart(s.state)
		r.bytes += len(s.state)
		r.writing = !last
	}
}

// forget drops what is older than is needed: what comes before the last checkpoint
// that is more than depth ticks old. (The step into the tick that is as old as
// that is still to be played.)
func (r *Buffer) forget(now grid.Tick) {
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
	for i := range r.Steps[:steps] {
		r.bytes -= stepBytes + len(r.Steps[i].Record)
	}
	r.checkpoints, r.Steps = slices.Delete(r.checkpoints, 0, n), slices.Delete(r.Steps, 0, steps)
}

// First returns the tick that is shown first to one who is late by the buffer's
// depth: the oldest checkpoint's, or that of the first to come.
func (r *Buffer) First(now grid.Tick) grid.Tick {
	if len(r.checkpoints) > 0 {
		return r.checkpoints[0].tick
	}
	return max(now, r.from)
}

// before returns the newest checkpoint of a tick or before it, nil if there is none.
func (r *Buffer) before(t grid.Tick) *checkpoint {
	for i := len(r.checkpoints) - 1; i >= 0; i-- {
		if r.checkpoints[i].tick <= t {
			if i == len(r.checkpoints)-1 {
				r.write(sim.FrozenParts)
			}
			return &r.checkpoints[i]
		}
	}
	return nil
}

// of returns the step of a tick, nil if it is not kept.
func (r *Buffer) of(t grid.Tick) *Step {
	if len(r.checkpoints) == 0 || t <= r.checkpoints[0].tick || int(t-r.checkpoints[0].tick) > len(r.Steps) {
		return nil
	}
	return &r.Steps[t-r.checkpoints[0].tick-1]
}
