package match

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// pending is something to tell a client once record n of the journal is on
// disk.
type pending[T any] struct {
	n    uint64
	what T
}

// said is a chat line or ping on its way to those who may have it.
type said struct {
	n    uint64
	what sim.Said
}

// gates remembers which records have to be on disk before a frame may leave.
type gates struct {
	rows []gate
	next uint64 // how many records must be on disk for the frame of this tick
}

// gate says that the inputs of record n act from a tick on.
type gate struct {
	n    uint64
	acts grid.Tick
}

// Bounds of what waits for a seat. Beyond them the oldest go: the client asks
// again about orders it hears nothing of.
const (
	answersMax   = 512
	cancelledMax = 2048
	saidMax      = 64
)

// record writes the tick down and waits, if it must, for what acts now to be
// on disk. Orders act sim.OrderDelay ticks after they arrive, so the disk has
// that long before anybody waits for it; what acts at once (a player coming or
// going) is waited for.
func (m *live) record(out *sim.Outcome) error {
	t := journal.Tick{Tick: out.Tick, Inputs: m.inputs, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
	if !t.Empty() {
		n := m.log.Next()
		if err := m.log.Append(n, journal.AppendTick(nil, &t)); err != nil {
			return err
		}
		if acts, any := actsAt(m.inputs, out.Tick); any {
			m.gates.rows = append(m.gates.rows, gate{n, acts})
		}
	}
	due := 0
	for due < len(m.gates.rows) && m.gates.rows[due].acts <= out.Tick {
		m.gates.next = m.gates.rows[due].n + 1
		due++
	}
	m.gates.rows = slices.Delete(m.gates.rows, 0, due)
	if m.log.Synced() >= m.gates.next {
		return nil
	}
	m.service.metrics.diskWaits.Inc()
	return m.await(m.gates.next - 1)
}

// actsAt returns when the first of the inputs acts.
func actsAt(inputs []sim.Input, now grid.Tick) (grid.Tick, bool) {
	acts, any := now+sim.OrderDelay, false
	for i := range inputs {
		any = true
		switch inputs[i].Kind {
		case sim.InputJoined, sim.InputGone, sim.InputLeft:
			acts = now
		}
	}
	return acts, any
}

// await waits for a record to be on disk. A disk that takes longer than a
// second pauses the match, and the match says so.
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
	m.service.log.Warn("match paused: the journal's disk is slow", "match", m.spec.ID, "tick", m.world.Tick())
	began := time.Now()
	if err := m.log.Wait(m.service.ctx, n); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	m.paused = false
	m.publish()
	m.service.log.Info("match goes on", "match", m.spec.ID, "pause", time.Since(began))
	return nil
}

// sort puts what the step said into the boxes of those it is for. It may leave
// once the tick's record is on disk.
func (m *live) sort(out *sim.Outcome) {
	n := m.log.Next() // all records before it
	for _, a := range out.Answers {
		st := m.seats[a.Slot]
		a.Left = slices.Clone(a.Left)
		if st.session != nil {
			st.answers = bounded(append(st.answers, pending[sim.Answer]{n, a}), answersMax)
		}
	}
	for _, o := range out.Notices {
		st := m.seats[o.Slot]
		if e := m.world.Entity(o.Unit); e != nil && st.session != nil {
			if h, ok := m.world.Knowledge(st.team).HandleOf(e); ok {
				st.cancelled = bounded(append(st.cancelled, pending[view.Cancelled]{n, view.Cancelled{Unit: h, Code: uint8(o.Code)}}), cancelledMax)
			}
		}
	}
	for _, s := range out.Said {
		for _, st := range m.seats {
			if st.session != nil && (s.To.Has(st.team) || leakHears(m, st, &s)) {
				st.said = bounded(append(st.said, said{n, s}), saidMax)
			}
		}
	}
}

// bounded drops the oldest of what is too much.
func bounded[T any](s []T, most int) []T {
	if len(s) > most {
		return slices.Delete(s, 0, len(s)-most)
	}
	return s
}
