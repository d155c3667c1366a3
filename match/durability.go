package match

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// durabilityGate knows which records must be on disk before a frame may be sent.
type durabilityGate struct {
	rows []gateRow
	next uint64 // how many records must be on disk for the frame of this tick
}

// gateRow says from which tick on the content of record n is visible.
type gateRow struct {
	n    uint64
	acts grid.Tick
}

// record appends the tick to the journal. If something that acts now is not on disk
// yet, it waits. Orders act sim.OrderDelay ticks after they arrive, so the disk has
// that long before the match waits for it. A player who comes or goes acts at once,
// so the match waits for that record.
//
// A hash has the same time as an order. After a kill, the last hash on disk shows
// how far any client can have seen ([live.catchUp]).
//
// The end of the match is the last record of the match itself. What comes after it
// changes nothing, so it is not recorded.
func (m *live) record(out *sim.Outcome) error {
	if m.ended != nil || m.failed != "" {
		return nil
	}
	t := journal.Tick{Tick: out.Tick, Inputs: m.short, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
	if !t.Empty() {
		n := m.log.Next()
		m.written = journal.AppendTick(m.written[:0], &t)
		if err := m.log.Append(n, slices.Clone(m.written)); err != nil { // which keeps it
			return err
		}
		m.charge(out.Answers)
		m.gate.rows = append(m.gate.rows, gateRow{n, actsAt(m.inputs, out.Tick)})
	}
	due := 0
	for i, g := range m.gate.rows { // a later record may act sooner; the disk takes them in order
		if g.acts <= out.Tick {
			m.gate.next, due = g.n+1, i+1
		}
	}
	m.gate.rows = slices.Delete(m.gate.rows, 0, due)
	if m.log.Synced() >= m.gate.next {
		return nil
	}
	m.service.metrics.diskWaits.Inc()
	return m.await(m.gate.next - 1)
}

// actsAt returns the tick in which the first of a tick's inputs acts.
func actsAt(inputs []sim.Input, now grid.Tick) grid.Tick {
	for i := range inputs {
		switch inputs[i].Kind {
		case sim.InputJoined, sim.InputGone, sim.InputLeft, sim.InputTaken:
			return now
		}
	}
	return now + sim.OrderDelay
}

// await waits for a record to be on disk. If that takes longer than a second, or
// the disk is full, the match is paused. It tells its players so each second, and
// goes on as soon as the record is written. Requests, such as one to end the match,
// are still served.
func (m *live) await(n uint64) error {
	ctx, cancel := context.WithTimeout(m.service.ctx, lateMax)
	err := m.log.Wait(ctx, n)
	cancel()
	if err == nil || ctx.Err() == nil {
		return err
	}
	m.paused = true
	m.publish()
	m.service.metrics.pauses.Inc()
	why := "is slow"
	if f, ok := m.log.(interface{ Full() error }); ok && f.Full() != nil {
		why = "is full"
	}
	m.service.log.Warn("match paused: the journal's disk "+why, "match", m.spec.ID, "tick", m.world.Tick())
	began := time.Now()
	for err != nil {
		m.tellPaused()
		m.serve()
		if m.failed != "" {
			return errGivenUp
		}
		ctx, cancel := context.WithTimeout(m.service.ctx, lateMax)
		err = m.log.Wait(ctx, n)
		over := ctx.Err() == nil || m.service.ctx.Err() != nil
		cancel()
		if err != nil && over {
			return fmt.Errorf("journal: %w", err)
		}
	}
	m.paused = false
	m.publish()
	m.service.log.Info("match goes on", "match", m.spec.ID, "pause", time.Since(began))
	return nil
}

// errGivenUp: the match was ended while it waited for its disk.
var errGivenUp = errors.New("match: broken off while it stood still")

// tellPaused tells the players that the match is paused, for at least a second.
func (m *live) tellPaused() {
	for _, st := range m.seats {
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
	n := m.log.Next() // all records before it
	for _, a := range out.Answers {
		if st := m.seats[a.Slot]; st.kept() {
			a.Left = slices.Clone(a.Left)
			st.backlog.Answer(n, out.Tick, a)
		}
	}
	for _, o := range out.Notices {
		c, ok := view.CancelledOf(m.world, &o)
		if st := m.seats[o.Slot]; ok && st.kept() {
			st.backlog.Cancel(out.Tick, c)
		}
	}
	for _, s := range out.Said {
		if m.wasHeard(&s) {
			continue
		}
		for _, st := range m.seats {
			if st.kept() && (s.To.Has(st.team) || leakHears(m, st, &s)) {
				st.backlog.Say(n, out.Tick, s)
			}
		}
	}
}

// kept reports whether the seat's player is connected or may come back.
func (st *seat) kept() bool { return st.session != nil || st.seen && !st.gone }
