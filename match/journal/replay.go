package journal

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// DivergedError says where a match played again went another way than its
// journal.
type DivergedError struct {
	Tick      grid.Tick
	What      string // "answer 3", "state hash", "result"
	Got, Want string
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("tick %d: %s is %s, the journal has %s", e.Tick, e.What, e.Got, e.Want)
}

// Summary is what a replay went through.
type Summary struct {
	Header    Header
	Ticks     grid.Tick // the last tick that was stepped
	Inputs    int
	Orders    int
	Refused   int
	Hashes    int // state hashes compared
	Ended     *sim.Result
	Failed    string
	Delivered bool
}

// Reader yields the records of a journal in order, as [Log.Read] and
// [ReadFile] do.
type Reader func(each func(n uint64, record []byte) error) error

// Replay plays a journal again from its setup, and compares every answer,
// every state hash and the result with what was written. It calls step, if it
// is not nil, after each tick. It returns the world as of the journal's last
// tick, which is where a match that was cut off goes on.
func Replay(read Reader, step func(*sim.World, sim.Outcome) error) (*sim.World, Summary, error) {
	return ReplayFrom(read, nil, step)
}

// ReplayFrom is Replay from a saved state on, or from the setup if it is nil.
// What lies before the state is read but not played. A state that the journal
// does not vouch for is a [StateError].
func ReplayFrom(read Reader, from *State, step func(*sim.World, sim.Outcome) error) (*sim.World, Summary, error) {
	p := player{step: step, from: from}
	if err := read(p.record); err != nil {
		return p.world, p.sum, err
	}
	switch {
	case p.world != nil:
		return p.world, p.sum, nil
	case from != nil && p.setup.Rules != nil:
		return nil, p.sum, p.stateError("the journal ends before")
	}
	return nil, p.sum, errors.New("journal: it ends before the match begins")
}

// StateError says that a saved state is not of the match whose journal it lies
// beside, as this build plays it.
type StateError struct {
	Tick grid.Tick
	Why  string
}

func (e *StateError) Error() string {
	return fmt.Sprintf("saved state of tick %d: %s", e.Tick, e.Why)
}

// player is a replay in progress.
type player struct {
	step  func(*sim.World, sim.Outcome) error
	from  *State // nil: from the setup
	setup sim.Setup
	world *sim.World
	sum   Summary
}

func (p *player) record(n uint64, rec []byte) error {
	r, err := Decode(rec)
	if err == nil {
		err = p.apply(n, r)
	}
	var diverged *DivergedError
	var state *StateError
	if err != nil && !errors.As(err, &diverged) && !errors.As(err, &state) {
		return fmt.Errorf("record %d: %w", n, err)
	}
	return err
}

func (p *player) apply(n uint64, r Record) error {
	if (n == 0) != (r.Header != nil) || (n == 1) != (r.Map != nil) || (n == 2) != (r.Rules != nil) {
		return errors.New("a journal begins with setup, map and rules, and has them once")
	}
	switch {
	case r.Header != nil:
		p.sum.Header = *r.Header
		p.setup = sim.Setup{Seed: r.Header.Seed, TickRate: r.Header.TickRate, Players: r.Header.Players, Options: r.Header.Options}
		return nil
	case r.Map != nil:
		if got := r.Map.Hash().String(); got != p.sum.Header.MapHash {
			return fmt.Errorf("the map's hash is %s, the setup names %s", got, p.sum.Header.MapHash)
		}
		p.setup.Map = r.Map
		return nil
	case r.Rules != nil:
		if got := r.Rules.Hash.String(); got != p.sum.Header.RuleHash {
			return fmt.Errorf("the ruleset's hash is %s, the setup names %s", got, p.sum.Header.RuleHash)
		}
		p.setup.Rules = r.Rules
		if p.from != nil {
			return nil // the world is made at its tick
		}
		w, err := sim.New(p.setup)
		p.world = w
		return err
	case r.Tick != nil && p.world == nil:
		return p.restore(r.Tick)
	case r.Tick != nil:
		return p.tick(r.Tick)
	case p.world == nil:
		return p.stateError("the journal ends before")
	case r.Ended != nil:
		p.sum.Ended = r.Ended
		if got := p.world.Result(); !reflect.DeepEqual(got, r.Ended) {
			return &DivergedError{p.world.Tick(), "result", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", r.Ended)}
		}
		return nil
	case r.Delivered:
		p.sum.Delivered = true
		return nil
	}
	p.sum.Failed = r.Failed
	return nil
}

// restore makes the world of the saved state at its tick's record, and passes
// over those before it.
func (p *player) restore(t *Tick) error {
	switch {
	case t.Tick < p.from.Tick:
		return nil
	case t.Tick > p.from.Tick || !t.Hashed:
		return p.stateError("the journal has no hash of that tick")
	case t.Hash != p.from.Hash:
		return p.stateError(fmt.Sprintf("its hash is %016x, the journal has %016x", p.from.Hash, t.Hash))
	}
	w, err := sim.Restore(p.setup, p.from.Bytes)
	if err != nil {
		return p.stateError(err.Error())
	}
	if w.Tick() != t.Tick || w.Hash() != t.Hash {
		return p.stateError(fmt.Sprintf("restored, it is tick %d with hash %016x, the journal has %016x", w.Tick(), w.Hash(), t.Hash))
	}
	p.world, p.sum.Ticks = w, t.Tick
	p.sum.Hashes++
	return nil
}

func (p *player) stateError(why string) error { return &StateError{p.from.Tick, why} }

// ticksMax bounds the empty ticks between two records: hashes come each
// second, so a longer gap is no match of ours.
const ticksMax = 60 * grid.TickRateMax

func (p *player) tick(t *Tick) error {
	now := p.world.Tick()
	if t.Tick <= now || t.Tick-now > ticksMax {
		return fmt.Errorf("tick %d follows tick %d", t.Tick, now)
	}
	for p.world.Tick()+1 < t.Tick {
		if err := p.run(nil, nil); err != nil {
			return err
		}
	}
	return p.run(t.Inputs, t)
}

// run steps once and compares with the record, if the tick has one.
func (p *player) run(inputs []sim.Input, t *Tick) error {
	out := p.world.Step(inputs)
	p.sum.Ticks = out.Tick
	if t != nil {
		if err := p.compare(out, t); err != nil {
			return err
		}
	}
	if p.step != nil {
		return p.step(p.world, out)
	}
	return nil
}

func (p *player) compare(out sim.Outcome, t *Tick) error {
	p.sum.Inputs += len(t.Inputs)
	for i := range max(len(out.Answers), len(t.Answers)) {
		got, want := "missing", "none"
		if i < len(out.Answers) {
			got = answerText(out.Answers[i])
		}
		if i < len(t.Answers) {
			want = answerText(t.Answers[i])
		}
		if got != want {
			return &DivergedError{t.Tick, fmt.Sprintf("answer %d", i), got, want}
		}
		p.sum.Orders++
		if out.Answers[i].Code != 0 {
			p.sum.Refused++
		}
	}
	if t.Hashed {
		p.sum.Hashes++
		if got := p.world.Hash(); got != t.Hash {
			return &DivergedError{t.Tick, "state hash", fmt.Sprintf("%016x", got), fmt.Sprintf("%016x", t.Hash)}
		}
	}
	return nil
}

func answerText(a sim.Answer) string {
	return fmt.Sprintf("slot %d order %d: %v at %d, again %v, left out %v", a.Slot, a.Seq, a.Code, a.Acts, a.Again, a.Left)
}

// Summarize reads a journal without playing it: what it says of itself.
func Summarize(read Reader) (Summary, error) {
	var s Summary
	err := read(func(n uint64, rec []byte) error {
		r, err := Decode(rec)
		if err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
		if (n == 0) != (r.Header != nil) {
			return fmt.Errorf("record %d: a journal begins with its setup, and has it once", n)
		}
		switch {
		case r.Header != nil:
			s.Header = *r.Header
		case r.Tick != nil:
			s.Ticks = r.Tick.Tick
			s.Inputs += len(r.Tick.Inputs)
			for _, a := range r.Tick.Answers {
				s.Orders++
				if a.Code != 0 {
					s.Refused++
				}
			}
			if r.Tick.Hashed {
				s.Hashes++
			}
		case r.Ended != nil:
			s.Ended, s.Ticks = r.Ended, max(s.Ticks, r.Ended.Tick)
		case r.Delivered:
			s.Delivered = true
		case r.Failed != "":
			s.Failed = r.Failed
		}
		return nil
	})
	return s, err
}
