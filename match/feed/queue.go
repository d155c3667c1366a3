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

// Backlog is what one seat is still to be told besides what its eyes see. It
// outlives connections.
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

// recall prepares the backlog for a client that takes the seat. One that resumes
// is told what it did not apply; to another page of the same player answers about
// orders that it never sent would mean nothing.
func (q *Backlog) recall(resumes bool, applied grid.Tick) {
	if !resumes {
		q.Answers.clear()
		q.Cancelled.clear()
	}
	q.Answers.again(applied)
	q.Cancelled.again(applied)
	q.Said.again(applied)
}

// applied forgets what the seat's client says it has applied.
func (q *Backlog) applied(t grid.Tick) {
	q.Answers.applied(t)
	q.Cancelled.applied(t)
	q.Said.applied(t)
}

// AssumeTold marks all rows as told by the last frame that may have been the
// first to tell them. The frame of a tick tells all that is on disk, and is not
// sent before what is sim.OrderDelay ticks old is.
func (q *Backlog) AssumeTold() {
	q.Answers.assumeTold()
	q.Cancelled.assumeTold()
	q.Said.assumeTold()
}

// ResendQueue holds, in order, what one seat alone is told: each row as soon as the
// journal has what it rests on, and once more to a client that comes back and
// has not applied the frame that told it. So a lost socket loses no row and
// doubles none.
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
	told    grid.Tick // of the frame that told it; 0: none has

	At   grid.Tick // that it is of
	What T
}

// add puts a row behind the others. Of more than most, the oldest go: a client
// asks again about orders it hears nothing of.
func (b *ResendQueue[T]) add(row Row[T], most int) {
	b.rows = append(b.rows, row)
	if over := len(b.rows) - most; over > 0 {
		b.drop(over)
	}
}

// next returns the next row that the frame of tick now tells, nil if there is
// none. It holds until the next add.
func (b *ResendQueue[T]) next(synced uint64, now grid.Tick) *Row[T] {
	if b.told == len(b.rows) || b.rows[b.told].records > synced {
		return nil
	}
	row := &b.rows[b.told]
	row.told = now
	b.told++
	return row
}

// applied forgets what a client that holds tick t was told.
func (b *ResendQueue[T]) applied(t grid.Tick) {
	n := 0
	for n < b.told && b.rows[n].told <= t {
		n++
	}
	b.drop(n)
}

// again makes what was told after tick t wait to be told once more.
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
