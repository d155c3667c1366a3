package match

import "github.com/fogkeep/fogkeep/match/grid"

// resendQueue holds, in order, what one seat alone is told: each row as soon as the
// journal has what it rests on, and once more to a client that comes back and
// has not applied the frame that told it. So a lost socket loses no row and
// doubles none.
//
//	rows: | told, not known to be applied | waiting for the disk or for a frame |
//	      0                             told                             len(rows)
type resendQueue[T any] struct {
	rows []queuedRow[T]
	told int
}

// queuedRow is a row of a resend queue.
type queuedRow[T any] struct {
	records uint64    // it may be told once so many records are on disk
	at      grid.Tick // that it is of
	told    grid.Tick // of the frame that told it; 0: none has
	what    T
}

// add puts a row behind the others. Of more than most, the oldest go: a client
// asks again about orders it hears nothing of.
func (b *resendQueue[T]) add(row queuedRow[T], most int) {
	b.rows = append(b.rows, row)
	if over := len(b.rows) - most; over > 0 {
		b.drop(over)
	}
}

// next returns the next row that the frame of tick now tells, nil if there is
// none. It holds until the next add.
func (b *resendQueue[T]) next(synced uint64, now grid.Tick) *queuedRow[T] {
	if b.told == len(b.rows) || b.rows[b.told].records > synced {
		return nil
	}
	row := &b.rows[b.told]
	row.told = now
	b.told++
	return row
}

// applied forgets what a client that holds tick t was told.
func (b *resendQueue[T]) applied(t grid.Tick) {
	n := 0
	for n < b.told && b.rows[n].told <= t {
		n++
	}
	b.drop(n)
}

// again makes what was told after tick t wait to be told once more.
func (b *resendQueue[T]) again(t grid.Tick) {
	b.applied(t)
	b.told = 0
}

func (b *resendQueue[T]) clear() { b.drop(len(b.rows)) }

func (b *resendQueue[T]) drop(n int) {
	if n == 0 {
		return
	}
	kept := copy(b.rows, b.rows[n:])
	clear(b.rows[kept:])
	b.rows, b.told = b.rows[:kept], max(0, b.told-n)
}

// recall prepares the seat's resend queues for a client that takes the seat. One that
// comes back is told what it did not apply; to another page of the same player
// answers about orders that it never sent would mean nothing.
func (st *seat) recall(s *session) {
	if s.Hello.Resume == "" {
		st.answers.clear()
		st.cancelled.clear()
	}
	st.answers.again(s.Applied)
	st.cancelled.again(s.Applied)
	st.said.again(s.Applied)
}

// forgetApplied forgets what the seat's client says it has applied.
func (st *seat) forgetApplied(t grid.Tick) {
	st.answers.applied(t)
	st.cancelled.applied(t)
	st.said.applied(t)
}
