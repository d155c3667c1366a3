package match

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/notes"
)

// reports bring the results of matches to the reporter, and put their journals away.
type reports struct {
	ctx      context.Context
	log      *slog.Logger
	journals journal.Store
	notes    *notes.Dir
	reporter Reporter
	tasks    *sync.WaitGroup
}

// handOn reports the result of a match that is over.
func (r *reports) handOn(of Result, log journal.Log) {
	r.tasks.Go(func() { r.report(of, log) })
}

// report waits until a result is on disk, and offers it until it is accepted. Then
// it notes that in the journal and retires the journal. After a panic the result is
// offered at the next start of the process.
func (r *reports) report(of Result, log journal.Log) {
	defer panics.Catch(r.log, "result", nil)
	defer log.Close()
	if err := log.Wait(r.ctx, log.Next()-1); r.ctx.Err() != nil || errors.Is(err, journal.ErrFenced) {
		return // the next owner of the match offers the result
	} else if err != nil {
		r.log.Error("a result is not in its journal: the match counts as failed", "match", of.Match, "error", err)
		if of.Ended != nil {
			of.Ended, of.Failed = nil, failedJournal
		}
	}
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 30*time.Second) {
		err := r.reporter.Ended(r.ctx, of)
		if err == nil {
			break
		}
		r.log.Warn("result not taken, will be offered again", "match", of.Match, "error", err)
		select {
		case <-time.After(pause):
		case <-r.ctx.Done():
			return
		}
	}
	err := log.Append(log.Next(), journal.DeliveredRecord())
	if errors.Is(err, journal.ErrFenced) {
		return // the match's owner offers it again, which counts once
	}
	if err = errors.Join(err, log.Close()); err == nil {
		err = r.retire(of.Match)
	}
	if err != nil {
		r.log.Error("journal", "match", of.Match, "error", err)
	}
}

// retire archives the files of a match that is over and reported.
func (r *reports) retire(id string) error {
	r.notes.Retire(id)
	return r.journals.Retire(id)
}

// forget deletes the files of a match that did not begin.
func (r *reports) forget(id string) error {
	r.notes.Remove(id)
	return r.journals.Remove(id)
}
