package match

import (
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/journal"
)

// handOn reports the result of a match that is over.
func (h *host) handOn(of Result, log journal.Log) {
	h.running.Go(func() { h.report(of, log) })
}

// report waits until a result is on disk, and offers it until it is accepted. Then
// it notes that in the journal and retires the journal. After a panic the result is
// offered at the next start of the process.
func (h *host) report(of Result, log journal.Log) {
	defer panics.Catch(h.log, "result", nil)
	defer log.Close()
	if err := log.Wait(h.ctx, log.Next()-1); h.ctx.Err() != nil || errors.Is(err, journal.ErrFenced) {
		return // the next owner of the match offers the result
	} else if err != nil {
		h.log.Error("a result is not in its journal: the match counts as failed", "match", of.Match, "error", err)
		if of.Ended != nil {
			of.Ended, of.Failed = nil, failedJournal
		}
	}
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 30*time.Second) {
		err := h.cfg.Reporter.Ended(h.ctx, of)
		if err == nil {
			break
		}
		h.log.Warn("result not taken, will be offered again", "match", of.Match, "error", err)
		select {
		case <-time.After(pause):
		case <-h.ctx.Done():
			return
		}
	}
	err := log.Append(log.Next(), journal.DeliveredRecord())
	if errors.Is(err, journal.ErrFenced) {
		return // the match's owner offers it again, which counts once
	}
	if err = errors.Join(err, log.Close()); err == nil {
		err = h.retire(of.Match)
	}
	if err != nil {
		h.log.Error("journal", "match", of.Match, "error", err)
	}
}

// retire archives the files of a match that is over and reported.
func (h *host) retire(id string) error {
	h.cfg.Notes.Retire(id)
	return h.cfg.Journals.Retire(id)
}

// forget deletes the files of a match that did not begin.
func (h *host) forget(id string) error {
	h.cfg.Notes.Remove(id)
	return h.cfg.Journals.Remove(id)
}
