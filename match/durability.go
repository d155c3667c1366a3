package match

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// record appends the tick to the journal. If something that acts now is not on disk
// yet, it waits. Orders act sim.OrderDelay ticks after they arrive, so the disk has
// that long before the match waits for it. A change of speed acts at once, and so does
// a player who goes for good or takes a seat over: the match waits for that record. So
// it does for one who comes back, if the world treated it as gone
// ([live.arrivalShows]). Else its coming changes nothing that anybody is shown: when
// all players of all matches come back at once, no
// tick waits for the disk.
//
// A hash has the same time as an order. After a kill, the last hash on disk shows
// how far any client can have seen ([live.catchUp]).
//
// The end of the match is the last record of the match itself. What comes after it
// changes nothing, so it is not recorded.
func (m *live) record(out *sim.Outcome) error {
	if m.end.closed() {
		return m.confirm()
	}
	if err := m.note(out); err != nil {
		return err
	}
	if m.journal.log.Synced() < m.journal.gate {
		m.host.metrics.diskWaits.Inc()
		n := m.journal.gate - 1
		if err := m.await(func(ctx context.Context) error { return m.journal.log.Wait(ctx, n) }); err != nil {
			return err
		}
	}
	return m.confirm()
}

// confirm waits until it is sure that the match is still this process's to tell of:
// no frame leaves before.
func (m *live) confirm() error {
	err := m.journal.log.Confirm(overCtx)
	if err == nil || errors.Is(err, journal.ErrFenced) {
		return err
	}
	return m.await(m.journal.log.Confirm)
}

// overCtx is a context that is over. [journal.Log.Confirm] answers with it what is
// known, and does not wait.
var overCtx = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// note appends the tick to the journal, and charges its players for the bytes.
func (m *live) note(out *sim.Outcome) error {
	t := journal.Tick{Tick: out.Tick, Inputs: m.inputs.short, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
	if err := m.journal.note(&t, m.inputs.accepted); err != nil {
		return err
	}
	m.seats.charge(out.Answers)
	return nil
}

// arrivalShows reports whether the frames of the tick in which a player's client comes
// tell of it. They do if the world treated the player as gone, if the client numbers its
// orders anew, and if the match was about to end because nobody is connected.
func (m *live) arrivalShows(st *seat, anew bool) bool {
	return st.gone || anew || m.world.AbandonedWithin(sim.OrderDelay)
}

// await waits for the journal: for a record to be on disk, or for its word that the
// match is still ours. If that takes longer than a second, or
// the disk is full, the match is paused. It tells its players so each second, and
// goes on as soon as the journal answers. Requests, such as one to end the match,
// are still served.
func (m *live) await(wait func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(m.host.ctx, lateMax)
	err := wait(ctx)
	cancel()
	if err == nil || ctx.Err() == nil {
		return err
	}
	m.paused = true
	m.publish()
	m.host.metrics.pauses.Inc()
	m.host.log.Warn("match paused: the journal is slow", "match", m.spec.ID, "tick", m.world.Tick(), "stalled", m.journal.log.Stalled())
	began, stopped := time.Now(), m.host.now()
	for err != nil {
		m.tellPaused()
		m.sendAway(time.Since(began))
		m.serve()
		if m.end.failed != "" {
			return errGivenUp
		}
		ctx, cancel := context.WithTimeout(m.host.ctx, lateMax)
		err = wait(ctx)
		over := ctx.Err() == nil || m.host.ctx.Err() != nil
		cancel()
		if err != nil && over {
			return fmt.Errorf("journal: %w", err)
		}
	}
	m.paused, m.cut = false, false
	m.seats.stoodStill(m.host.now().Sub(stopped))
	m.publish()
	m.host.log.Info("match goes on", "match", m.spec.ID, "pause", time.Since(began))
	return nil
}

// errGivenUp: the match was ended while it waited for its disk.
var errGivenUp = errors.New("match: broken off while it stood still")

// cutOffWait is how long a match that cannot reach its journal keeps its players.
const cutOffWait = 3 * time.Second

// sendAway ends all sessions, after a while, of a match that is cut off from its
// journal: another process may have it by now, and this one is not told.
func (m *live) sendAway(pause time.Duration) {
	if m.cut || pause < cutOffWait || !errors.Is(m.journal.log.Stalled(), journal.ErrCutOff) {
		return
	}
	m.cut = true
	m.host.log.Warn("a match sends its players away: its journal cannot be reached", "match", m.spec.ID)
	why := m.host.movedTo(m.spec.ID)
	for _, st := range m.everySeat() {
		m.endSession(st, why)
	}
}

// tellPaused tells the players that the match is paused, for at least a second.
func (m *live) tellPaused() {
	for _, st := range m.seats.all {
		if s := st.session; s != nil && s.Room() && !m.spec.Seats[st.slot].Bot {
			s.SendWaiting(uint32(m.rate))
		}
	}
}

// routeOutcome puts the answers, cancellations and chat of a step into the
// resend queues of the players who get them. An answer is sent only once the
// record of its tick is on disk. So is chat; nothing else in the frame depends
// on it.
//
// A cancellation (an order that ended early) is sent at once, like all other
// effects of inputs that act in this tick. It must not wait for the tick's
// record: a tick has a record only if somebody sent something (or a hash is
// due), so waiting would reveal that an enemy sent something.
func (m *live) routeOutcome(out *sim.Outcome) {
	n := m.journal.log.Next() // all records before it
	for _, a := range out.Answers {
		if st := m.seats.all[a.Slot]; st.kept() {
			a.Left = slices.Clone(a.Left)
			st.backlog.Answer(n, out.Tick, a)
		}
	}
	for _, o := range out.Notices {
		c, ok := view.CancelledOf(m.world, &o)
		if st := m.seats.all[o.Slot]; ok && st.kept() {
			st.backlog.Cancel(out.Tick, c)
		}
	}
	for _, s := range out.Said {
		if m.speed.wasHeard(&s) {
			continue
		}
		for _, st := range m.seats.all {
			if st.kept() && s.To.Has(st.team) {
				st.backlog.Say(n, out.Tick, s)
			}
		}
	}
}
