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

// Summary sums up a journal's match.
type Summary struct {
	Header    Header
	Setup     sim.Setup // complete once the ruleset was read
	Begun     bool      // the journal has its whole setup; Setup lacks the ruleset if the program lacks its kinds
	Ticks     grid.Tick // the last tick that it has a record of; before there is one, [Header.First]
	Hashed    grid.Tick // the tick of the last state hash; 0: before the first
	Stopped   *Stop     // the match was stopped on purpose and did not go on; nil: it was not
	Inputs    int
	Orders    int
	Refused   int
	Hashes    int
	Ended     *sim.Result
	Failed    string
	Delivered bool

	parts  int    // of the start, so far
	packed []byte // those parts
}

// add takes in the next record.
func (s *Summary) add(r Record) error {
	switch {
	case r.Header != nil:
		h := r.Header
		s.Header, s.Setup = *h, sim.Setup{Seed: h.Seed, TickRate: h.TickRate, Players: h.Players, Options: h.Options}
		s.Ticks = h.First()
	case r.Map != nil:
		s.Setup.Map = r.Map
	case r.Rules != nil:
		s.Setup.Rules, s.Begun = r.Rules, s.Header.Start == nil
	case r.Start != nil:
		return s.addStart(r.Start)
	case r.Stop != nil:
		s.Ticks, s.Stopped = r.Stop.Tick, r.Stop
	case r.Tick != nil:
		s.Ticks, s.Stopped = r.Tick.Tick, nil
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
	case r.Line != nil:
	case r.Ended != nil:
		s.Ended = r.Ended
	case r.Delivered:
		s.Delivered = true
	default:
		s.Failed = r.Failed
	}
	return nil
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
	err := WalkOn(&s, read, each)
	return s, err
}

// WalkOn is Walk for a journal whose first records s sums up: read yields those behind
// them.
func WalkOn(s *Summary, read Reader, each func(n uint64, r Record, s *Summary) error) error {
	return read(func(n uint64, rec []byte) error {
		r, err := Decode(rec)
		if err == nil && (n == 0) != (r.Header != nil) {
			err = errors.New("a journal begins with its setup, and has it once")
		}
		if err == nil {
			err = s.add(r)
		}
		if err == nil && each != nil {
			err = each(n, r, s)
		}
		return inRecord(n, err)
	})
}

// RecordError says which record of a journal is wrong, or does not fit those before it.
type RecordError struct {
	Record uint64 // its number, from 0
	Offset int64  // where it begins in the file; 0: it is in no file
	Err    error
}

func (e *RecordError) Unwrap() error { return e.Err }

func (e *RecordError) Error() string {
	if e.Offset == 0 {
		return fmt.Sprintf("record %d: %v", e.Record, e.Err)
	}
	return fmt.Sprintf("record %d at offset %d: %v", e.Record, e.Offset, e.Err)
}

// inRecord names the record of an error, unless that names a tick.
func inRecord(n uint64, err error) error {
	var diverged *DivergedError
	var state *StateError
	if err == nil || errors.As(err, &diverged) || errors.As(err, &state) {
		return err
	}
	return &RecordError{Record: n, Err: err}
}

// Replay plays a journal again from its setup, and compares every answer, every state hash and the result with the
// journal. It calls step, if it is not nil, after each tick. It returns the world as of the journal's last tick, from
// which a cut-off match goes on.
func Replay(read Reader, step func(*sim.World, sim.Outcome) error) (*sim.World, Summary, error) {
	return ReplayFrom(read, nil, step)
}

// ReplayFrom is Replay from a saved state on, or from the setup if it is nil. It reads the records before the state,
// but neither plays nor counts them. A state whose hash the journal does not have, or from which the match goes on
// differently, is a [StateError].
func ReplayFrom(read Reader, from *State, step func(*sim.World, sim.Outcome) error) (*sim.World, Summary, error) {
	p := player{step: step, from: from}
	sum, err := Walk(read, p.apply)
	err = p.blame(err)
	switch {
	case err != nil || p.world != nil:
		return p.world, sum, err
	case from != nil && sum.Setup.Rules != nil:
		return nil, sum, p.stateError("the journal ends before")
	}
	return nil, sum, errors.New("journal: it ends before the match begins")
}

// ReplayTail is [ReplayFrom] for a caller that has read the setup: sum is [Walk]'s summary of the setup, and read
// yields the records from the saved state's on ([State.Record]).
func ReplayTail(sum *Summary, read Reader, from *State, step func(*sim.World, sim.Outcome) error) (*sim.World, error) {
	p := player{step: step, from: from}
	s := Summary{Header: sum.Header, Setup: sum.Setup, Begun: true}
	err := p.blame(WalkOn(&s, read, p.apply))
	if err == nil && p.world == nil {
		err = p.stateError("the journal ends before")
	}
	if err != nil {
		return nil, err
	}
	return p.world, nil
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
	if err := s.InSetup(n, &r); err != nil {
		return err
	}
	switch {
	case r.Header != nil, r.Map != nil, r.Line != nil:
		return nil
	case r.Rules != nil, r.Start != nil:
		if p.from != nil || !s.Begun {
			return nil // the world is made at its tick, or once the start is whole
		}
		w, err := sim.New(s.Setup)
		p.world = w
		return err
	case r.Tick != nil && p.world == nil:
		return p.restore(r.Tick.Tick, r.Tick.Hashed, r.Tick.Hash, s)
	case r.Stop != nil && p.world == nil:
		return p.restore(r.Stop.Tick, true, r.Stop.Hash, s)
	case r.Stop != nil:
		return p.stop(r.Stop)
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

// restore makes the world of the saved state at the first record that has a hash of
// its tick, and passes over those before it.
func (p *player) restore(tick grid.Tick, hashed bool, hash uint64, s *Summary) error {
	switch {
	case tick < p.from.Tick, tick == p.from.Tick && !hashed:
		return nil
	case tick > p.from.Tick:
		return p.stateError("the journal has no hash for that tick")
	case hash != p.from.Hash:
		return p.stateError(fmt.Sprintf("its hash is %016x, the journal has %016x", p.from.Hash, hash))
	}
	w, err := sim.Restore(s.Setup, p.from.Bytes)
	if err != nil {
		return p.stateError(err.Error())
	}
	if w.Tick() != tick || w.Rolling() != hash {
		return p.stateError(fmt.Sprintf("restored, it is tick %d with hash %016x, the journal has %016x", w.Tick(), w.Rolling(), hash))
	}
	p.world = w
	*s = Summary{Header: s.Header, Setup: s.Setup, Ticks: tick, Hashed: s.Hashed, Hashes: 1, Stopped: s.Stopped}
	return nil
}

// blame returns the error of a play from a saved state. If it diverges, the state is
// not to be relied on: the hash that the state has in common with the journal does
// not say that all its bytes are as they were saved.
func (p *player) blame(err error) error {
	if diverged := (*DivergedError)(nil); p.from != nil && errors.As(err, &diverged) {
		p.world = nil
		return p.stateError("played on from it, " + diverged.Error())
	}
	return err
}

func (p *player) stateError(why string) error { return &StateError{p.from.Tick, why} }

// TicksMax bounds the empty ticks between two records: hashes come each
// second, so a longer gap is no match of ours.
const TicksMax = 60 * grid.TickRateMax

func (p *player) tick(t *Tick) error {
	now := p.world.Tick()
	if t.Tick <= now || t.Tick-now > TicksMax {
		return fmt.Errorf("tick %d follows tick %d", t.Tick, now)
	}
	for p.world.Tick()+1 < t.Tick {
		if err := p.run(nil); err != nil {
			return err
		}
	}
	return p.run(t)
}

// stop plays to where the match was stopped on purpose.
func (p *player) stop(t *Stop) error {
	now := p.world.Tick()
	if t.Tick < now || t.Tick-now > TicksMax {
		return fmt.Errorf("a stop after tick %d follows tick %d", t.Tick, now)
	}
	for p.world.Tick() < t.Tick {
		if err := p.run(nil); err != nil {
			return err
		}
	}
	return sameHash(p.world, t.Tick, t.Hash)
}

// run steps once and compares with the record, if the tick has one.
func (p *player) run(t *Tick) error {
	out, err := Again(p.world, t)
	if err == nil && p.step != nil {
		err = p.step(p.world, out)
	}
	return err
}

// Again plays the next tick of a world that is played again. t is the tick's record, or nil. If the world gives another
// answer or hash, the error is a [DivergedError].
func Again(w *sim.World, t *Tick) (sim.Outcome, error) {
	if t == nil {
		return w.Step(nil), nil
	}
	out := w.Step(t.Inputs)
	for i := range max(len(out.Answers), len(t.Answers)) {
		got, want := "missing", "none"
		if i < len(out.Answers) {
			got = answerText(out.Answers[i])
		}
		if i < len(t.Answers) {
			want = answerText(t.Answers[i])
		}
		if got != want {
			return out, &DivergedError{t.Tick, fmt.Sprintf("answer %d", i), got, want}
		}
	}
	if t.Hashed {
		return out, sameHash(w, t.Tick, t.Hash)
	}
	return out, nil
}

func sameHash(w *sim.World, tick grid.Tick, want uint64) error {
	if got := w.Rolling(); got != want {
		return &DivergedError{tick, "state hash", fmt.Sprintf("%016x", got), fmt.Sprintf("%016x", want)}
	}
	return nil
}

func answerText(a sim.Answer) string {
	return fmt.Sprintf("slot %d order %d: %v at %d, again %v, left out %v", a.Slot, a.Seq, a.Code, a.Acts, a.Again, a.Left)
}
