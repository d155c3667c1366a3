package match

import (
	"errors"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Why matches break off, in words that everybody may read: players, the lobby's
// result, the journal. What exactly went wrong is in the log alone.
const (
	failedInternal  = "internal error"
	failedJournal   = "the journal could not be written"
	failedDiverged  = "not recovered: this build plays it differently"
	failedRecovery  = "not recovered: internal error"
	failedGivenUp   = "given up"
	failedByAdmin   = "aborted: " // and the admin's own words
	failedTextBytes = 200         // more of a journal's text is nobody's
)

// failureOf returns a failure as it may be told: a journal of an older build may
// hold the text of a panic.
func failureOf(text string) string {
	switch {
	case text == failedJournal, text == failedDiverged, text == failedRecovery, text == failedGivenUp:
		return text
	case strings.HasPrefix(text, failedByAdmin) && len(text) <= len(failedByAdmin)+failedTextBytes:
		return text
	}
	return failedInternal
}

func (m *live) abort(reason string) {
	if !m.end.closed() {
		m.fail(failedByAdmin + reason)
	}
}

// fail closes the match without a result.
func (m *live) fail(why string) {
	m.end.failed = why
	m.end.at = m.host.now().Add(-m.host.linger)
	if err := m.journal.append(journal.FailedRecord(why)); m.journal.fencedBy(err) {
		m.end.failed = "" // it is not ours to end
	} else if err != nil {
		m.host.log.Error("journal", "match", m.spec.ID, "error", err)
	}
	m.publish()
}

// finish writes the result down; it is reported once it is on disk.
func (m *live) finish(r sim.Result) {
	m.end.result = &r
	m.end.at = m.host.now()
	if err := m.journal.append(journal.EndedRecord(r)); m.journal.fencedBy(err) {
		return
	} else if err != nil {
		m.host.log.Error("journal", "match", m.spec.ID, "error", err)
	}
	m.host.log.Info("match ended", "match", m.spec.ID, "tick", r.Tick, "reason", r.Reason, "winner", int(r.Winner))
}

// over reports whether a finished match has lingered long enough: for people, if
// there are any, to see the end.
func (m *live) over() bool {
	if m.journal.fenced {
		return true
	}
	if !m.end.closed() {
		return false
	}
	return !m.peopled() || m.host.now().Sub(m.end.at) >= m.host.linger
}

// peopled reports whether a person has a connection, to play or to watch.
func (m *live) peopled() bool {
	return slices.ContainsFunc(m.everySeat(), func(st *seat) bool {
		return st.session != nil && (st.broadcast != nil || !m.spec.Seats[st.slot].Bot)
	})
}

// letGo ends all sessions of a match whose goroutine has panicked; its journal
// is as it was.
func (m *live) letGo() {
	for _, st := range m.everySeat() {
		m.endSession(st, link.ErrInternal)
	}
	m.noting.log.Close()
	_ = m.journal.log.Close() // the log has why the match ends
}

// everySeat lists the seats of those who play and of those who watch.
func (m *live) everySeat() []*seat {
	out := slices.Clone(m.seats.all)
	for _, g := range m.broadcasts {
		out = append(out, g.seats...)
	}
	return out
}

// close ends all sessions and hands the result on.
func (m *live) close() {
	m.journal.saving.Wait()
	m.noting.log.Close()
	why := m.farewell()
	for _, st := range m.seats.all {
		m.endSession(st, why)
	}
	if m.journal.fenced {
		_ = m.journal.log.Close() // it says that it is another's, which is known
		m.host.lost(m.spec.ID)
		return
	}
	if !m.end.closed() {
		if !m.journal.stopped {
			if err := m.stop(); err != nil && !errors.Is(err, journal.ErrFenced) {
				m.host.log.Warn("a match is not stopped in order: it loses a second of its time", "match", m.spec.ID, "error", err)
			}
		}
		if err := m.journal.log.Close(); err != nil && !errors.Is(err, journal.ErrFenced) {
			m.host.log.Error("journal", "match", m.spec.ID, "error", err)
		}
		if m.end.result == nil {
			return
		}
	}
	r := Result{Match: m.spec.ID, Failed: m.end.failed, Ended: m.end.result, Ticks: m.world.Tick()}
	if r.Ended != nil {
		r.Ticks = r.Ended.Tick
	}
	m.host.handOn(r, m.journal.log)
}

// finished is the last act of the match's goroutine.
func (m *live) finished() {
	m.holds.release()
	m.host.finished(m.spec.ID, m.journal.fenced || m.journal.stopped)
	if m.leaving != nil {
		m.leaving <- m.leftWith()
	}
}

// farewell says why the match lets its clients go.
func (m *live) farewell() *link.Refusal {
	switch {
	case m.journal.fenced, m.journal.stopped:
		return m.host.movedTo(m.spec.ID)
	case m.end.failed != "":
		return &link.Refusal{Code: "failed", Text: "the match failed: " + m.end.failed}
	case m.end.result != nil:
		return &link.Refusal{Code: codeEnded, Text: "the match is over"}
	}
	return &link.Refusal{Code: "stopping", Text: "the server is stopping; the match continues after the restart"}
}

// publish renews what others may read of the match.
func (m *live) publish() {
	in := Info{ID: m.spec.ID, State: "running", Kept: m.world.Kept(), Tick: m.world.Tick(), TickRate: m.rate, Map: m.spec.Map, Started: m.started, Traffic: m.traffic.total}
	switch {
	case m.end.failed != "":
		in.State = "failed"
	case m.end.result != nil:
		in.State = "ended"
	case m.paused || m.speed.paused:
		in.State = "paused"
	}
	for i, st := range m.seats.all {
		seat := SeatInfo{
			Seat: m.spec.Seats[i], Slot: st.slot, Account: st.account, Alive: m.world.Player(st.slot).Alive,
			Away: st.away() && m.until.IsZero(), Out: m.seats.out(st),
		}
		if st.session != nil {
			seat.Connected, seat.Address, seat.Epoch = true, st.session.by.from, st.right.Epoch
		}
		in.Seats = append(in.Seats, seat)
	}
	in.Spectators = m.spectators()
	m.info.Store(&in)
}
