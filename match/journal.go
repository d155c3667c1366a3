package match

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/past"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/sim"
)

// matchJournal has a match's log on disk, and knows which records must be there before a
// frame may be sent.
type matchJournal struct {
	*core
	log  journal.Log
	past past.State // of the inputs that are in the journal

	shows   journal.Gate
	gate    uint64 // how many records must be on disk for the frame of this tick
	arrival bool   // the next record has an arrival that shows at once
	written []byte // scratch: the record of the tick

	afterStop bool // the match goes on after a stop: the next tick has a record
	stopped   bool // the journal says that the match stopped here
	fenced    bool // another process has taken the match over

	saving sync.WaitGroup // of a state, one at a time
	busy   atomic.Bool    // a state is being saved
	saved  []byte         // whose bytes these are, while busy the saver's
	frozen sim.Frozen     // and this

	earlier earlier // saved states for late spectators
}

// create begins the journal of a new match.
func (j *matchJournal) create(h journal.Header, setup sim.Setup) error {
	head, err := journal.SetupRecords(h, setup)
	if err != nil {
		return err
	}
	if j.log, err = j.host.cfg.Journals.Create(j.spec.ID); err != nil {
		return err
	}
	for _, rec := range head {
		if err := j.append(rec); err != nil {
			j.log.Close()
			return err
		}
	}
	return nil
}

func (j *matchJournal) append(rec []byte) error { return j.log.Append(j.log.Next(), rec) }

// note appends a tick, and notes which inputs must be on disk when. inputs are the tick's
// as they came, t has them as the record does.
func (j *matchJournal) note(t *journal.Tick, inputs []sim.Input) error {
	if !t.Empty() || j.afterStop {
		n := j.log.Next()
		j.written = journal.AppendTick(j.written[:0], t)
		if err := j.log.Append(n, slices.Clone(j.written)); err != nil { // which keeps it
			return err
		}
		j.past.Add(t.Tick, t.Inputs)
		acts := actsAt(inputs, t.Tick)
		if j.arrival || j.afterStop { // before a client learns of it the stop must not be the last record any more
			acts, j.arrival, j.afterStop = t.Tick, false, false
		}
		j.shows.Note(n, acts)
	}
	j.gate = j.shows.Need(t.Tick)
	return nil
}

// actsAt returns the tick in which the first of a tick's inputs acts.
func actsAt(inputs []sim.Input, now grid.Tick) grid.Tick {
	for i := range inputs {
		switch inputs[i].Kind {
		case sim.InputGone, sim.InputLeft, sim.InputStandIn, sim.InputTaken, sim.InputSpeed, sim.InputKept, sim.InputWatched, sim.InputVoted:
			return now
		}
	}
	return now + sim.OrderDelay
}

// fencedBy notes the journal's word that another process has the match.
func (j *matchJournal) fencedBy(err error) bool {
	if errors.Is(err, journal.ErrFenced) {
		j.fenced = true
	}
	return j.fenced
}

// keepState saves the state, once its hash is on disk. The match waits only until the
// state is frozen.
func (j *matchJournal) keepState(w *sim.World, out *sim.Outcome) {
	if !j.busy.CompareAndSwap(false, true) {
		return
	}
	n := j.log.Next() - 1
	w.Freeze(&j.frozen)
	state := journal.State{Tick: out.Tick, Hash: out.Hash, Record: n, Extra: j.past.Encode()}
	j.saving.Go(func() {
		defer j.busy.Store(false)
		defer panics.Catch(j.host.log, "state", nil)
		j.saved = j.frozen.Save(j.saved[:0])
		state.Bytes = j.saved
		if j.log.Wait(j.host.ctx, n) != nil || j.log.Confirm(j.host.ctx) != nil {
			return // the match stops, fails, or is another's: all say so
		}
		j.saveState(state)
		if err := j.earlier.add(&state); err != nil {
			j.host.log.Warn("a state is not kept for late spectators: they would wait longer", "match", j.spec.ID, "error", err)
		}
	})
}

func (j *matchJournal) saveState(state journal.State) {
	if err := j.host.cfg.Journals.SaveState(j.spec.ID, state); err != nil {
		j.host.log.Warn("a state is not saved: a recovery would take longer", "match", j.spec.ID, "error", err)
	}
}

// stopWait is how long a match waits for its last record when it stops.
const stopWait = 3 * time.Second

// stop writes down that the match stops after its present tick, and saves its state.
func (j *matchJournal) stop(w *sim.World) error {
	n := j.log.Next()
	state := journal.State{Tick: w.Tick(), Hash: w.Rolling(), Record: n, Extra: j.past.Encode()}
	if err := j.log.Append(n, journal.StopRecord(journal.Stop{Tick: state.Tick, Hash: state.Hash})); err != nil {
		return err
	}
	j.afterStop = true // if it goes on after all
	ctx, cancel := context.WithTimeout(context.Background(), stopWait)
	defer cancel()
	if err := j.log.Wait(ctx, n); err != nil {
		return err
	}
	j.saving.Wait()
	j.saved = w.Save(j.saved[:0])
	state.Bytes = j.saved
	j.saveState(state)
	j.stopped = true
	return nil
}

// earlier holds two of a match's saved states, packed, from which a new broadcast begins.
// They lie more than a delay apart, so one is older than the delay. The state on disk is
// too new for most spectators.
type earlier struct {
	delay grid.Tick // the spectators'; 0: they watch live, or may not watch

	mu     sync.Mutex
	states [2][]byte // the older one first
	newest grid.Tick
}

// add takes in a state, if it is due.
func (e *earlier) add(s *journal.State) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.delay == 0 || e.states[1] != nil && s.Tick <= e.newest+e.delay {
		return nil
	}
	b, err := journal.AppendState(nil, s)
	if err == nil {
		e.states, e.newest = [2][]byte{e.states[1], b}, s.Tick
	}
	return err
}

// seed adds the states to the checkpoints of the match's recording.
func (e *earlier) seed(rec *playback.Recording) error {
	e.mu.Lock()
	states := e.states
	e.mu.Unlock()
	for _, b := range states {
		if b == nil {
			continue
		}
		s, err := journal.ParseState(b)
		if err == nil {
			err = rec.Seed(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Why matches break off, in words for players, the lobby's result and the journal. Only
// the log has the exact cause.
const (
	failedInternal  = "internal error"
	failedJournal   = "the journal could not be written"
	failedDiverged  = "not recovered: this build plays it differently"
	failedRecovery  = "not recovered: internal error"
	failedGivenUp   = "given up"
	failedByAdmin   = "aborted: " // and the admin's own words
	failedTextBytes = 200         // a journal's text is cut here
)

// failureOf returns a failure in public words: a journal of an older build may hold the
// text of a panic.
func failureOf(text string) string {
	switch {
	case text == failedJournal, text == failedDiverged, text == failedRecovery, text == failedGivenUp:
		return text
	case strings.HasPrefix(text, failedByAdmin) && len(text) <= len(failedByAdmin)+failedTextBytes:
		return text
	}
	return failedInternal
}

// fail closes the match without a result.
func (j *matchJournal) fail(why string) {
	j.end.failed = why
	j.end.at = j.host.now().Add(-j.host.cfg.Linger)
	if err := j.append(journal.FailedRecord(why)); j.fencedBy(err) {
		j.end.failed = "" // it is not ours to end
	} else if err != nil {
		j.host.log.Error("journal", "match", j.spec.ID, "error", err)
	}
	j.tell.publish()
}

// finish writes the result down; it is reported once it is on disk.
func (j *matchJournal) finish(r sim.Result) {
	j.end.result = &r
	j.end.at = j.host.now()
	if err := j.append(journal.EndedRecord(r)); j.fencedBy(err) {
		return
	} else if err != nil {
		j.host.log.Error("journal", "match", j.spec.ID, "error", err)
	}
	j.host.log.Info("match ended", "match", j.spec.ID, "tick", r.Tick, "reason", r.Reason, "winner", int(r.Winner))
}
