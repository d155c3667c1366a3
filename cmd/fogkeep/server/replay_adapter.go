package server

import (
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/replay"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/past"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/replayserver"
	"github.com/fogkeep/fogkeep/match/shared"
)

// pastJournals are the journals as replays need them; every store that a server has is
// one.
type pastJournals interface {
	journal.Follower
	journal.Rewriter
}

// replayAdapter shows the replay service to the lobby, and the lobby to the replay
// service.
type replayAdapter struct {
	*replayserver.Service
	*matchEvents
	lobby    *lobby.Service
	library  *playback.Library
	journals pastJournals

	mu      sync.Mutex
	checked map[model.MatchID]checkedJournal
	glanced map[model.MatchID]checkedJournal
}

var _ replay.Replays = (*replayAdapter)(nil)

// checkedJournal is the result of checking a journal, and how long it is valid.
type checkedJournal struct {
	why   error // nil: it can be played
	until time.Time
}

// How long a look at a journal is believed, and how many are remembered: one costs
// reading it.
const (
	checkedFor = time.Minute
	runsFor    = time.Second
	checkedMax = 1 << 10
)

func (a *replayAdapter) Check(_ context.Context, id model.MatchID) error {
	return a.remembered(a.checked, id, true)
}

func (a *replayAdapter) Glance(_ context.Context, id model.MatchID) error {
	return a.remembered(a.glanced, id, false)
}

// remembered looks at a journal, whole or at its setup alone, unless it did so lately.
func (a *replayAdapter) remembered(known map[model.MatchID]checkedJournal, id model.MatchID, whole bool) error {
	now := time.Now()
	a.mu.Lock()
	last, ok := known[id]
	a.mu.Unlock()
	if ok && now.Before(last.until) {
		return last.why
	}
	why := a.look(id, whole)
	if e := model.AsError(why); e != nil && e.Code == model.Internal {
		return why // it may be another the next time
	}
	until := now.Add(checkedFor)
	if errors.Is(why, model.MatchRuns) {
		until = now.Add(runsFor)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(known) >= checkedMax {
		clear(known)
	}
	known[id] = checkedJournal{why, until}
	return why
}

// look translates the library's check of a journal into the lobby's terms.
func (a *replayAdapter) look(id model.MatchID, whole bool) error {
	playable, err := a.library.Check(string(id), whole)
	switch {
	case !playable:
		return &model.Error{Code: model.ReplayVersion, Err: err}
	case errors.Is(err, fs.ErrNotExist):
		return model.ReplayExpired
	case errors.Is(err, playback.ErrRuns):
		return model.MatchRuns
	}
	return err
}

func (a *replayAdapter) End(account model.AccountID, id model.MatchID, why *model.Error) {
	a.Service.End(account, id, refusal(why))
}

func (a *replayAdapter) Redact(_ context.Context, id model.MatchID, account model.AccountID) error {
	err := a.journals.Rewrite(string(id), past.Redactor(string(account), model.GoneName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, journal.ErrNotPast):
		return model.MatchRuns
	}
	return err
}

// replayAdmission is the lobby as the replay service asks for it.
type replayAdmission struct{ *replayAdapter }

var _ replayserver.Admitter = replayAdmission{}

func (a replayAdmission) Redeem(ctx context.Context, ticket string, from netip.Addr) (shared.Right, error) {
	r, err := a.lobby.Replay.RedeemReplay(ctx, model.Secret(ticket), from)
	return r, refusalOf(err)
}

func (a replayAdmission) Resume(ctx context.Context, was shared.Right, from netip.Addr) (shared.Right, error) {
	r, err := a.lobby.Replay.ResumeReplay(ctx, was, from)
	return r, refusalOf(err)
}

// refusalOf turns the lobby's refusals into refusals for viewers.
func refusalOf(err error) error {
	if e := model.AsError(err); e != nil && e.Code != model.Internal && e.Code != model.Unavailable {
		return refusal(e)
	}
	return err
}
