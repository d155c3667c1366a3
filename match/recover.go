package match

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/past"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// Fate is the future of a match whose journal has no end.
type Fate int

// The fates.
const (
	GoOn   Fate = iota // it comes back
	GiveUp             // the store of results has closed it: it is closed here too
	Leave              // the match is unknown: its journal stays as it is
)

// Recover brings back the matches that were live when the previous process ended, however
// it ended. It also reports the results again that were not accepted. It is called once,
// before anything else may start a match. It asks fate about each match whose journal has
// no end; if fate is nil, all go on.
//
// A match that cannot be brought back is logged. The others are not affected. If
// its journal cannot be read, the journal is not changed. If this build replays it
// differently, the match is closed as failed. Recover fails if the journals cannot
// be listed, or with ctx's error.
func (s *Service) Recover(ctx context.Context, fate func(ctx context.Context, match string) (Fate, error)) error {
	ids, err := s.cfg.Journals.List()
	if err != nil {
		return err
	}
	if fate == nil {
		fate = func(context.Context, string) (Fate, error) { return GoOn, nil }
	}
	back := make([]*live, len(ids))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, id := range ids {
		g.Go(func() error {
			defer panics.Catch(s.log, "recovery", nil)
			m, err := s.recoverMatch(ctx, id, fate)
			if err != nil && ctx.Err() == nil {
				s.metrics.unplayable.Inc()
				if journal.OfOtherBuild(err) && s.letWait(ctx, id, err, fate) {
					return nil
				}
				s.log.Error("match not recovered, its journal is kept", "match", id, "error", err)
			}
			back[i] = m
			return nil
		})
	}
	_ = g.Wait() // its functions return nil
	// They go on together once the last is ready. Otherwise a match that is ready
	// early would play without its players while another is replayed.
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range back {
		switch {
		case m == nil:
		case ctx.Err() != nil || s.draining:
			m.close()
		default:
			m.revived()
			s.enter(m)
		}
	}
	return ctx.Err()
}

// letWait keeps a match in mind that this build cannot continue, if the store of results
// still wants it: then the store also reports it. See [Service.Waits].
func (r *registry) letWait(ctx context.Context, id string, why error, fate func(context.Context, string) (Fate, error)) bool {
	f, err := fate(ctx, id)
	if err != nil || f != GoOn {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[id] = why
	return true
}

// recoverMatch brings back one match. It returns nil if the journal has no match to go on
// with.
func (h *host) recoverMatch(ctx context.Context, id string, fate func(context.Context, string) (Fate, error)) (m *live, err error) {
	defer panics.Catch(h.log, "recovery", func() { m, err = nil, link.ErrInternal })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	began := time.Now()
	log, err := h.cfg.Journals.Open(id)
	if err != nil {
		return nil, err
	}
	p, err := past.Read(h.cfg.Journals, h.log, id, log)
	if err == nil && !p.Begun {
		// The process was killed while the match was made. No player was admitted
		// yet, and the match may start again.
		h.log.Info("a match that had not begun is forgotten", "match", id)
		return nil, errors.Join(log.Close(), h.forget(id))
	}
	if head := &p.Header; head.Match != "" && !p.Begun && errors.As(err, new(*journal.RecordError)) {
		if not := head.SameBuild(); not != nil {
			err = not
		} else if head.Build != h.cfg.Build { // which has the map or the ruleset in another form
			err = &journal.OtherBuildError{Match: id, Build: head.Build, Sim: head.Sim, Lacks: err}
		}
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	switch {
	case p.Delivered:
		return nil, errors.Join(log.Close(), h.retire(id))
	case p.Failed != "":
		h.handOn(Result{Match: id, Failed: failureOf(p.Failed), Ticks: p.Ticks}, log)
		return nil, nil
	case p.Ended != nil:
		r := Result{Match: id, Ended: p.Ended, Ticks: p.Ended.Tick}
		r.tell(&p.State, p.Setup.TickRate)
		h.handOn(r, log)
		return nil, nil
	}
	switch f, err := fate(ctx, id); {
	case err != nil:
		return nil, errors.Join(fmt.Errorf("the store of results gives no decision on it: %w", err), log.Close())
	case f == Leave:
		h.log.Warn("a journal's match is not known here, it is left as it is", "match", id)
		return nil, log.Close()
	case f == GiveUp:
		h.log.Warn("a journal's match was given up meanwhile", "match", id)
		err := errors.Join(log.Append(log.Next(), journal.FailedRecord(failedGivenUp)), log.Append(log.Next(), journal.DeliveredRecord()))
		return nil, errors.Join(err, log.Close(), h.retire(id))
	}
	m, err = h.replay(ctx, p, log)
	var diverged *journal.DivergedError
	var broke *panicError
	if errors.As(err, &diverged) || errors.As(err, &broke) {
		why := failedDiverged
		if broke != nil {
			why = failedRecovery
		}
		h.metrics.unplayable.Inc()
		h.log.Error("match failed: it cannot be played again", "match", id, "journal", log.Name(), "error", err)
		if err := log.Append(log.Next(), journal.FailedRecord(why)); err != nil {
			return nil, errors.Join(err, log.Close())
		}
		h.handOn(Result{Match: id, Failed: why, Ticks: p.Ticks}, log)
		return nil, nil
	}
	if err == nil {
		err = m.catchUp(p)
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if m.end.result != nil {
		m.close() // it ended in its last second
		return nil, nil
	}
	m.noting.open()
	h.log.Info("match recovered", "match", id, "tick", m.world.Tick(), "players", len(m.seats.all), "tookMs", time.Since(began).Milliseconds())
	return m, nil
}

// panicError is a panic of the simulation during a replay.
type panicError struct {
	value any
	stack string
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.value, e.stack) }

// replay plays the journal to its last record and returns the match at that point.
// It starts from the saved state if the journal continues from there.
func (h *host) replay(ctx context.Context, p *past.Match, log journal.Log) (*live, error) {
	state, err := p.Tail, error(nil)
	if state == nil {
		state, err = h.cfg.Journals.State(p.Spec.ID)
	}
	if err == nil && state != nil {
		var m *live
		if m, err = h.replayFrom(ctx, p, log, state); err == nil || ctx.Err() != nil {
			return m, err
		}
	}
	if err != nil {
		h.log.Warn("a saved state is of no use, the match is played from its start", "match", p.Spec.ID, "error", err)
	}
	if p.Tail != nil {
		whole, err := past.ReadWhole(p.Spec.ID, log)
		if err != nil {
			return nil, err
		}
		*p = *whole
	}
	return h.replayFrom(ctx, p, log, nil)
}

func (h *host) replayFrom(ctx context.Context, p *past.Match, log journal.Log, state *journal.State) (m *live, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, &panicError{r, string(debug.Stack())}
		}
	}()
	revive := func(w *sim.World) {
		m = newLiveOf(h, p.Spec, w)
		m.journal.log, m.started = log, time.UnixMilli(p.Header.MadeMs)
		m.journal.past = p.State.Clone()
		for i := range p.Budgets {
			m.output.takeBudget(&p.Budgets[i])
		}
		for i := range p.Speeds {
			m.speed.recall(&p.Speeds[i], h.now())
		}
		m.votes.drop()
		for _, in := range p.Lines {
			m.speed.of[in.Slot].queue = append(m.speed.of[in.Slot].queue, in)
		}
		for i, was := range p.Seats {
			if was.Taken != "" {
				m.output.rename(grid.Slot(i))
			}
			st := m.seats.all[i]
			st.visited, st.online, st.absent, st.kicked, st.turn, st.takeover = was.Seen, was.Here, was.Gone, was.Kicked, was.Turn, was.Since
			// Tokens that were issued but never used are in no record. New tokens
			// get higher numbers than those could have.
			st.floor, st.serial = was.Floor, was.Floor+tokensUnproved
		}
	}
	step := func(w *sim.World, out sim.Outcome) error {
		if out.Tick+grid.Tick(view.KeepSeconds*w.TickRate()) > p.Ticks {
			if m == nil {
				revive(w)
			}
			m.gate.route(&out) // a client may not have got it
		}
		return ctx.Err()
	}
	var w *sim.World
	if p.Tail != nil && state == p.Tail {
		w, err = journal.ReplayTail(&p.Summary, p.After(state.Record, log), state, step)
	} else {
		w, _, err = journal.ReplayFrom(func(each func(uint64, []byte) error) error { return log.Read(0, each) }, state, step)
	}
	if err != nil {
		return nil, err
	}
	if m == nil {
		revive(w)
	}
	for _, st := range m.seats.all {
		st.backlog.AssumeTold()
	}
	return m, nil
}

// catchUp steps the match without inputs, from the journal's last record to the
// last tick that a client can have seen. The next tick is new to every client.
//
// Every input that acted in a tick was on disk before the frame of that tick was sent. So
// these ticks have the same state as before the kill. The match goes on after them: no
// tick is sent twice, and a client that resumes with the last tick it applied gets a
// snapshot.
//
// A match that was stopped on purpose goes on where it was stopped: no client got a later
// tick.
func (m *live) catchUp(p *past.Match) error {
	if r := m.world.Result(); r != nil {
		m.journal.finish(*r)
	}
	m.seats.script.begin(m.world.Tick())
	if p.Stopped != nil {
		m.journal.afterStop = true
		return nil
	}
	last := journal.LastShown(m.world.Tick(), m.rate)
	for m.world.Tick() < last && m.end.result == nil {
		m.inputs.accepted, m.inputs.compact = nil, nil
		out := m.world.Step(nil)
		if err := m.gate.note(&out); err != nil {
			return err
		}
		m.gate.route(&out)
		if out.Ended != nil {
			m.journal.finish(*out.Ended)
		}
	}
	return nil
}

// revived makes a match ready that was brought back.
func (m *live) revived() {
	m.gathering.begin()
	m.adopt()
	m.host.metrics.recovered.Inc()
}
