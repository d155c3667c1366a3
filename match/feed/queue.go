package feed

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// Bounds of a backlog, in rows.
const (
	AnswersMax   = 512 // each with at most orders.LeftMax units that were left out
	cancelledMax = 2048
	saidMax      = 64
)

// Backlog is the queue of one seat's own messages, besides its eyes' sight. It outlives connections.
type Backlog struct {
	Answers   ResendQueue[sim.Answer]
	Cancelled ResendQueue[view.Cancelled]
	Said      ResendQueue[sim.Said]

	shortUntil grid.Tick // the last tick at which its client lacked something
}

// Answer queues an answer of a tick. It may be told once so many records are on
// disk.
func (q *Backlog) Answer(records uint64, at grid.Tick, a sim.Answer) {
	q.Answers.add(Row[sim.Answer]{records: records, At: at, What: a}, AnswersMax)
}

// Cancel queues that an order of a unit ended early. It waits for no record.
func (q *Backlog) Cancel(at grid.Tick, c view.Cancelled) {
	q.Cancelled.add(Row[view.Cancelled]{At: at, What: c}, cancelledMax)
}

// Say queues a line of chat or a ping, like [Backlog.Answer].
func (q *Backlog) Say(records uint64, at grid.Tick, s sim.Said) {
	q.Said.add(Row[sim.Said]{records: records, At: at, What: s}, saidMax)
}

// recall prepares the backlog for a client that takes the seat. A client that resumes gets again the rows that it did
// not apply. Another page of the same player gets no answers: it never sent those orders.
func (q *Backlog) recall(resumes bool, applied grid.Tick) {
	if !resumes {
		q.Answers.clear()
		q.Cancelled.clear()
	}
	q.Answers.again(applied)
	q.Cancelled.again(applied)
	q.Said.again(applied)
}

// applied drops the rows that the seat's client has applied.
func (q *Backlog) applied(t grid.Tick) {
	q.Answers.applied(t)
	q.Cancelled.applied(t)
	q.Said.applied(t)
}

// AssumeTold marks all rows as sent by the last frame that may have had them first. The frame of a tick has all rows on
// disk, and is not sent before all rows older than sim.OrderDelay ticks are on disk.
func (q *Backlog) AssumeTold() {
	q.Answers.assumeTold()
	q.Cancelled.assumeTold()
	q.Said.assumeTold()
}

// ResendQueue holds, in order, the rows for one seat alone. The feed sends each row as soon as the journal has its
// inputs, and once more to a client that comes back and has not applied the frame with the row. So a lost socket loses
// no row and doubles none.
//
//	rows: | told, not known to be applied | waiting for the disk or for a frame |
//	      0                             told                             len(rows)
type ResendQueue[T any] struct {
	rows []Row[T]
	told int
}

// Row is a row of a resend queue.
type Row[T any] struct {
	records uint64    // it may be told once so many records are on disk
	told    grid.Tick // of the frame that had it; 0: not sent

	At   grid.Tick // that it is of
	What T
}

// add puts a row behind the others. Beyond most rows, the oldest go: a client asks again about orders without an
// answer.
func (b *ResendQueue[T]) add(row Row[T], most int) {
	b.rows = append(b.rows, row)
	if over := len(b.rows) - most; over > 0 {
		b.drop(over)
	}
}

// next returns the next row for the frame of tick now, nil at the end. It holds until the next add.
func (b *ResendQueue[T]) next(synced uint64, now grid.Tick) *Row[T] {
	if b.told == len(b.rows) || b.rows[b.told].records > synced {
		return nil
	}
	row := &b.rows[b.told]
	row.told = now
	b.told++
	return row
}

// applied drops the rows up to tick t, which the client holds.
func (b *ResendQueue[T]) applied(t grid.Tick) {
	n := 0
	for n < b.told && b.rows[n].told <= t {
		n++
	}
	b.drop(n)
}

// again makes the rows sent after tick t wait to be sent once more.
func (b *ResendQueue[T]) again(t grid.Tick) {
	b.applied(t)
	b.told = 0
}

func (b *ResendQueue[T]) clear() { b.drop(len(b.rows)) }

func (b *ResendQueue[T]) drop(n int) {
	if n == 0 {
		return
	}
	kept := copy(b.rows, b.rows[n:])
	clear(b.rows[kept:])
	b.rows, b.told = b.rows[:kept], max(0, b.told-n)
}

// Rows returns all rows, told and not told.
func (b *ResendQueue[T]) Rows() []Row[T] { return b.rows }

func (b *ResendQueue[T]) assumeTold() {
	for i := range b.rows {
		b.rows[i].told = b.rows[i].At + sim.OrderDelay
	}
	b.told = len(b.rows)
}
