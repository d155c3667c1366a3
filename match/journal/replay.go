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

// Summary is what a journal says of its match.
type Summary struct {
	Header    Header
	Setup     sim.Setup // complete once the ruleset was read
	Ticks     grid.Tick // the last tick that it has a record of
	Hashed    grid.Tick // the tick of the last state hash, 0: none
	Inputs    int
	Orders    int
	Refused   int
	Hashes    int
	Ended     *sim.Result
	Failed    string
	Delivered bool
}

// add takes in the next record.
func (s *Summary) add(r Record) {
	switch {
	case r.Header != nil:
		h := r.Header
		s.Header, s.Setup = *h, sim.Setup{Seed: h.Seed, TickRate: h.TickRate, Players: h.Players, Options: h.Options}
	case r.Map != nil:
		s.Setup.Map = r.Map
	case r.Rules != nil:
		s.Setup.Rules = r.Rules
	case r.Tick != nil:
		s.Ticks = r.Tick.Tick
		s.Inputs += len(r.Tick.Inputs)
		s.Orders += len(r.Tick.Answers)
		for i := range r.Tick.Answers {
			if r.Tick.Answers[i].Code != 0 {
				s.Refused++
			}
		}
		if r.Tick.Hashed {
			s.Hashed = r.Tick.Tick
			s.Hashes++
		}
	case r.Ended != nil:
		s.Ended = r.Ended
	case r.Delivered:
		s.Delivered = true
	default:
		s.Failed = r.Failed
	}
}

// Reader yields the records of a journal in order, as [Log.Read] and
// [ReadFile] do.
type Reader func(each func(n uint64, record []byte) error) error

// Walk reads a journal once. It decodes each record, adds it to the summary and
// calls each, if it is not nil, with the record, its number and the summary so far.
// It ends at the first error and returns the summary up to there. Whether the
// records fit each other is not its business, but for the first: [Replay] checks it.
func Walk(read Reader, each func(n uint64, r Record, s *Summary) error) (Summary, error) {
	var s Summary
	err := read(func(n uint64, rec []byte) error {
		r, err := Decode(rec)
		if err == nil && (n == 0) != (r.Header != nil) {
			err = errors.New("a journal begins with its setup, and has it once")
		}
		if err == nil {
			s.add(r)
			if each != nil {
				err = each(n, r, &s)
			}
		}
		var diverged *DivergedError
		var state *StateError
		if err != nil && !errors.As(err, &diverged) && !errors.As(err, &state) {
			return fmt.Errorf("record %d: %w", n, err)
		}
		return err
	})
	return s, err
}

// Replay plays a journal again from its setup, and compares every answer,
// every state hash and the result with what was written. It calls step, if it
// is not nil, after each tick. It returns the world as of the journal's last
// tick, which is where a match that was cut off goes on.
func Replay(read Reader, step func(*sim.World, sim.Outcome) error) (*sim.World, Summary, error) {
	return ReplayFrom(read, nil, step)
}

// ReplayFrom is Replay from a saved state on, or from the setup if it is nil.
// What lies before the state is read, but neither played nor counted. A state whose
// hash the journal does not have is a [StateError]. If this program lacks the mode that
// the match was played by, or has another version of it, the error is a [sim.ModeError].
func ReplayFrom(read Reader, from *State, step func(*sim.World, sim.Outcome) error) (*sim.World, Summary, error) {
	p := player{step: step, from: from}
	sum, err := Walk(read, p.apply)
	switch {
	case err != nil || p.world != nil:
		return p.world, sum, err
	case from != nil && sum.Setup.Rules != nil:
		return nil, sum, p.stateError("the journal ends before")
	}
	return nil, sum, errors.New("journal: it ends before the match begins")
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
	world *sim.World
}

func (p *player) apply(n uint64, r Record, s *Summary) error {
	if (n == 1) != (r.Map != nil) || (n == 2) != (r.Rules != nil) {
		return errors.New("a journal begins with setup, map and rules, and has them once")
	}
	switch {
	case r.Header != nil:
		return sim.CheckMode(r.Header.Options.Mode, r.Header.ModeVersion)
	case r.Map != nil:
		if got := r.Map.Hash().String(); got != s.Header.MapHash {
			return fmt.Errorf("the map's hash is %s, the setup names %s", got, s.Header.MapHash)
		}
		return nil
	case r.Rules != nil:
		if got := r.Rules.Hash.String(); got != s.Header.RuleHash {
			return fmt.Errorf("the ruleset's hash is %s, the setup names %s", got, s.Header.RuleHash)
		}
		if p.from != nil {
			return nil // the world is made at its tick
		}
		w, err := sim.New(s.Setup)
		p.world = w
		return err
	case r.Tick != nil && p.world == nil:
		return p.restore(r.Tick, s)
	case r.Tick != nil:
		return p.tick(r.Tick)
	case p.world == nil:
		return p.stateError("the journal ends before")
	case r.Ended != nil:
		if got := p.world.Result(); !reflect.DeepEqual(got, r.Ended) {
			return &DivergedError{p.world.Tick(), "result", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", r.Ended)}
		}
	}
	return nil
}

// restore makes the world of the saved state at its tick's record, and passes
// over those before it.
func (p *player) restore(t *Tick, s *Summary) error {
	switch {
	case t.Tick < p.from.Tick:
		return nil
	case t.Tick > p.from.Tick || !t.Hashed:
		return p.stateError("the journal has no hash of that tick")
	case t.Hash != p.from.Hash:
		return p.stateError(fmt.Sprintf("its hash is %016x, the journal has %016x", p.from.Hash, t.Hash))
	}
	w, err := sim.Restore(s.Setup, p.from.Bytes)
	if err != nil {
		return p.stateError(err.Error())
	}
	if w.Tick() != t.Tick || w.Hash() != t.Hash {
		return p.stateError(fmt.Sprintf("restored, it is tick %d with hash %016x, the journal has %016x", w.Tick(), w.Hash(), t.Hash))
	}
	p.world = w
	*s = Summary{Header: s.Header, Setup: s.Setup, Ticks: t.Tick, Hashed: t.Tick, Hashes: 1}
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
	}
	if t.Hashed {
		if got := p.world.Hash(); got != t.Hash {
			return &DivergedError{t.Tick, "state hash", fmt.Sprintf("%016x", got), fmt.Sprintf("%016x", t.Hash)}
		}
	}
	return nil
}

func answerText(a sim.Answer) string {
	return fmt.Sprintf("slot %d order %d: %v at %d, again %v, left out %v", a.Slot, a.Seq, a.Code, a.Acts, a.Again, a.Left)
}
