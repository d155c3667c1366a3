package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// RangeError says that a match has no such tick.
type RangeError struct {
	Tick, First, Last grid.Tick
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("replay: tick %d: the match has ticks %d to %d", e.Tick, e.First, e.Last)
}

// Replay is a cursor: one match that is played again. It has one owner; other cursors
// on the same recording may have others.
type Replay struct {
	*Recording

	world  *sim.World
	out    sim.Outcome // of the tick that the world has reached
	outAt  grid.Tick
	buffer []byte
}

// Open reads a journal for a single viewer. The replay is at the match's first tick.
func Open(read journal.Reader, o Options) (*Replay, error) {
	r, err := Read(read, o)
	if err != nil {
		return nil, err
	}
	return r.Cursor()
}

// StartError says that a match cannot be played from the state that it begins with. No
// simulation made that state: it came from outside.
type StartError struct {
	Tick grid.Tick // that was not reached
	Why  any
}

func (e *StartError) Error() string {
	return fmt.Sprintf("replay: the state that the match begins with is of no match: at tick %d: %v", e.Tick, e.Why)
}

// guard makes an error of a panic in a match that begins from a state. [sim.Restore] checks the shape of a state, not
// that its parts fit together.
func (r *Replay) guard(at grid.Tick, err *error) {
	if r.Setup.Start == nil {
		return // such a match holds only this program's own state
	}
	if why := recover(); why != nil {
		*err = &StartError{at, why}
	}
}

// restart makes the world of the match's first tick.
func (r *Replay) restart() (err error) {
	defer r.guard(r.First(), &err)
	w, err := sim.New(r.Setup)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	r.world, r.out, r.outAt = w, sim.Outcome{}, w.Tick()
	return nil
}

// Tick returns where the replay stands.
func (r *Replay) Tick() grid.Tick { return r.world.Tick() }

// World returns the world at the replay's tick, to be read until the next call of
// Seek, Approach, Step or Index. As long as the replay only steps, it is the same
// object.
func (r *Replay) World() *sim.World { return r.world }

// Outcome returns the outcome of the step into the replay's tick; empty at the first tick.
func (r *Replay) Outcome() sim.Outcome { return r.out }

// Step plays the next tick. After the last it is a [RangeError]. After any other
// error the replay stands at a tick of its own choice; Seek goes on from there.
func (r *Replay) Step() (err error) {
	next := r.world.Tick() + 1
	defer r.guard(next, &err)
	if last := r.Last(); next > last {
		return &RangeError{next, r.First(), last}
	}
	rec, err := r.Record(next)
	if err != nil {
		return err
	}
	if next == r.First()+1 {
		r.begin(r.world)
	}
	if r.out, err = journal.Again(r.world, rec); err != nil {
		return errors.Join(err, r.restart())
	}
	r.outAt = next
	var in []sim.Input
	if rec != nil {
		in = rec.Inputs
	}
	if err := r.note(r.world, in, &r.out); err != nil { // before the checkpoint, from which others go on
		return err
	}
	if r.reached(next) {
		r.buffer = r.world.Save(r.buffer[:0])
		r.keep(next, r.buffer)
	}
	return nil
}

// Approach makes the first move of a seek: it goes to the newest checkpoint before the
// tick, unless the replay stands between the two already. Then the tick is reached by
// [Replay.Step], which the caller may spread over time.
func (r *Replay) Approach(t grid.Tick) error {
	if first, last := r.First(), r.Last(); t < first || t > last {
		return &RangeError{t, first, last}
	}
	if t == r.world.Tick() && r.outAt == t {
		return nil
	}
	// The step into the tick is always played: its outcome has the tick's events.
	from := checkpoint{tick: r.First()}
	if t > from.tick {
		from = r.nearest(t - 1)
	}
	if now := r.world.Tick(); now < t && now >= from.tick {
		return nil
	}
	return r.restore(from)
}

// Seek goes to a tick. It plays at most the ticks between two checkpoints, where the match was played before. It ends
// early with ctx's error.
func (r *Replay) Seek(ctx context.Context, t grid.Tick) error {
	if err := r.Approach(t); err != nil {
		return err
	}
	for r.world.Tick() < t {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.Step(); err != nil {
			return err
		}
	}
	return nil
}

// restore makes the world of a checkpoint, or of the first tick if it has no bytes.
func (r *Replay) restore(c checkpoint) error {
	if c.bytes == nil {
		return r.restart()
	}
	state, err := r.unpack.DecodeAll(c.bytes, r.buffer[:0])
	if err != nil {
		return fmt.Errorf("replay: checkpoint of tick %d: %w", c.tick, err)
	}
	r.buffer = state
	w, err := sim.Restore(r.Setup, state)
	if err != nil {
		return fmt.Errorf("replay: checkpoint of tick %d: %w", c.tick, err)
	}
	r.world, r.out, r.outAt = w, sim.Outcome{}, 0
	return nil
}

// Index plays the ticks not played yet, up to the last one, and makes their checkpoints and the timeline. It calls
// each, if not nil, after every tick; an error of each or ctx ends the pass.
func (r *Replay) Index(ctx context.Context, each func() error) error {
	if from := r.Indexed(); from >= r.Last() {
		return nil
	} else if err := r.Seek(ctx, from); err != nil {
		return err
	}
	for r.world.Tick() < r.Last() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.Step(); err != nil {
			return err
		}
		if each != nil {
			if err := each(); err != nil {
				return err
			}
		}
	}
	if r.Over() {
		r.EndTimeline()
	}
	return nil
}

// EndTimeline says that no tick follows, though the journal has no end: its match broke
// off. It is for a replay that stands at the last tick.
func (r *Replay) EndTimeline() {
	r.telling.Lock()
	defer r.telling.Unlock()
	if r.line != nil {
		r.line.Finish(r.world)
	}
}

// Teams returns how many teams the match has.
func (r *Replay) Teams() int { return r.world.Teams() }

// Picture returns the replay's tick through the eyes of a team, as its clients got it, or the whole tick with
// [grid.NoTeam].
func (r *Replay) Picture(eyes grid.Team) (*view.Picture, error) {
	switch {
	case eyes == grid.NoTeam:
		return view.WholePicture(r.world), nil
	case int(eyes) < r.world.Teams():
		return view.TeamPicture(r.world, eyes), nil
	}
	return nil, fmt.Errorf("replay: no team %d, the match has %d", eyes, r.world.Teams())
}
