package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
)

// A match belongs to the process that its journal names: on a store that several
// processes share, [journal.Store.Open] takes it from its last owner.
//
//	runs ── HandOver ──► stopped: the journal's last record says after which tick
//	  │                     │
//	  │ killed, cut off     │ TakeOver, here or elsewhere
//	  ▼                     ▼
//	fenced ◄── TakeOver ── runs elsewhere
//
// A fenced match falls silent at once: it sends no frame and no answer, reports no result
// and saves no state. It tells its clients only that it has moved.

// TakeOver brings a match here and runs it, wherever it ran before. It returns nil once
// the match runs here, and also if the match is over, or had not begun. It asks fate as
// [Service.Recover] does, but if fate fails the match goes on: the journal decides. An
// [OtherBuildError] says that this build must not continue the match. After any error the
// match is as it was, or without an owner.
func (s *Service) TakeOver(ctx context.Context, match string, fate func(ctx context.Context, match string) (Fate, error)) error {
	ask := func(ctx context.Context, match string) (Fate, error) {
		if fate == nil {
			return GoOn, nil
		}
		f, err := fate(ctx, match)
		if err != nil {
			s.log.Warn("the store of results gives no decision on a match: it goes on", "match", match, "error", err)
			return GoOn, nil
		}
		return f, nil
	}
	if m := s.find(match); m != nil {
		// Another process may have taken it since, and this one has not let go of it yet.
		var unsure error
		err := m.do(ctx, func(m *live) {
			if !m.end.closed() {
				unsure = m.journal.log.Confirm(link.Over)
			}
		})
		switch err = cmp.Or(err, unsure); {
		case err == nil:
			return nil
		case !errors.Is(err, ErrNoMatch):
			return fmt.Errorf("match %s: it runs here, but may be another server's by now: %w", match, err)
		}
	}
	if p, ok := s.cfg.Journals.(journal.Peeker); ok {
		h, err := p.Peek(match)
		if err != nil {
			return fmt.Errorf("match %s: %w", match, err)
		}
		if h != nil {
			if err := h.SameBuild(); err != nil {
				return err
			}
		}
	}
	_, err := s.begin(match, func() (m *live, err error) {
		defer panics.Catch(s.log, "take over", func() { m, err = nil, link.ErrInternal })
		if m, err = s.recoverMatch(ctx, match, ask); err != nil || m == nil {
			return nil, err
		}
		m.revived()
		return m, nil
	})
	if err != nil {
		return fmt.Errorf("match %s: not taken over: %w", match, err)
	}
	return nil
}

// HandOver stops a match that runs here, so that another process can take it over: its
// journal names the last tick, its state is saved, and its clients learn that it has
// moved, and where, if [Config.Where] knows. Then the match has no owner. If HandOver
// fails the match runs on; if ctx has ended, it may have stopped or not. ErrNoMatch: it
// does not run here, or it is over.
func (s *Service) HandOver(ctx context.Context, match string) error {
	m := s.find(match)
	if m == nil {
		return ErrNoMatch
	}
	if !m.going.CompareAndSwap(false, true) {
		return fmt.Errorf("match %s: %w", match, errGoing)
	}
	s.settleAdmissions(ctx)
	result := make(chan error, 1)
	if err := m.do(ctx, func(m *live) { m.leaving = result }); err != nil {
		m.going.Store(false)
		return err
	}
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errGoing: a second hand-over of a match while the first is under way.
var errGoing = errors.New("it is being handed over already")

// Runs reports whether a match runs here and lets clients in.
func (s *Service) Runs(match string) bool {
	m := s.find(match)
	return m != nil && !m.going.Load()
}

// Running returns the ids of the matches that run here, in no order.
func (s *Service) Running() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]string, 0, len(s.matches))
	for id := range s.matches {
		out = append(out, id)
	}
	return out
}
