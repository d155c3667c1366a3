package match

import (
	"strings"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
)

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
	j.end.at = j.host.now().Add(-j.host.linger)
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
