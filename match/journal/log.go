package journal

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Lease is how long a process may send frames after the last moment at which it was
// sure to own the journal, see [Log.Confirm]. It is shorter than the time after which
// another process can take the match over.
const Lease = 1200 * time.Millisecond

// RecordBytesMax bounds one record.
const RecordBytesMax = 16 << 20

// Store keeps the journals of matches. [Dir] is the folder of one machine.
type Store interface {
	// Create makes the journal of a new match. It fails with [ErrExists] if there is
	// one.
	Create(match string) (Log, error)
	// Open opens a journal to append to it. On a store that several processes share it takes the match over: the former
	// owner can append no more ([ErrFenced]).
	Open(match string) (Log, error)
	// List returns the ids of all matches with a journal that still needs something,
	// sorted.
	List() ([]string, error)
	// Retire archives the journal of a match without open work, and deletes its saved state.
	Retire(match string) error
	// Remove deletes a match's journal and its saved state.
	Remove(match string) error
	// SaveState keeps a state of a match in place of the one before.
	SaveState(match string, s State) error
	// State returns the saved state of a match, nil if the match has no saved state.
	State(match string) (*State, error)
}

// Peeker is a [Store] that can read the beginning of a journal without taking it from
// its owner.
type Peeker interface {
	// Peek returns a journal's first record, nil if the journal is empty.
	Peek(match string) (*Header, error)
}

// Follower is a [Store] whose journals can be read while their owner appends to them,
// here or in another process.
type Follower interface {
	// Follow opens a journal, of a live match or a past one, to read it as it grows. Its owner keeps it. The error is
	// fs.ErrNotExist if the match has no journal.
	Follow(match string) (Tail, error)
}

// Tail reads a journal from its beginning, and later the new records. It has one owner.
type Tail interface {
	// Read calls each with the durable records that it has not yielded yet, and ends at the first error of each. After
	// an error the Tail cannot be read any more.
	Read(each func(n uint64, record []byte) error) error
	Close() error
}

// Log is the journal of one match: records numbered from 0.
type Log interface {
	// Name says where the journal is, for people.
	Name() string
	// Next returns the number that the next record gets.
	Next() uint64
	// Append adds a record under number n, without waiting for the disk. It fails with ErrOrder if n is not Next, and
	// with the reason if an earlier record could not be written: a log that failed once refuses all further records.
	// The log keeps record; the caller must not change it.
	Append(n uint64, record []byte) error
	// Synced returns how many records are on disk: all numbers below it are.
	Synced() uint64
	// Wait returns once Synced is above n, or with the reason why it never
	// will be.
	Wait(ctx context.Context, n uint64) error
	// Stalled returns why the log cannot write at the moment, such as a full disk; the log waits, and no record is lost
	// meanwhile. nil: it can write.
	Stalled() error
	// Confirm returns once it is sure that this process could still append to the journal at a moment no longer ago
	// than [Lease]. It fails with [ErrFenced] if another process has taken the match over. The match sends frames only
	// after it. Confirm usually costs no more than a look at a clock; for a local file it always returns nil.
	Confirm(ctx context.Context) error
	// Read calls each with the records from number from to the last that is
	// on disk as the call begins. It ends at the first error of each, and
	// returns it. The record is the callee's to keep.
	Read(from uint64, each func(n uint64, record []byte) error) error
	// Close syncs the remaining records and releases the log.
	Close() error
}

// Errors of a log.
var (
	// ErrOrder: the record's number is not the next one. Another process wrote, or the caller lost count.
	ErrOrder = errors.New("journal: record out of order")
	// ErrClosed: the log was closed.
	ErrClosed = errors.New("journal: closed")
	// ErrFenced: another process has taken the match over. From then on this process must not send any news of the
	// match.
	ErrFenced = errors.New("journal: another process has taken the match over")
	// ErrCutOff: this process has lost its connection to where the journals are, while
	// others may still have theirs. [Log.Stalled] says so.
	ErrCutOff = errors.New("journal: no connection to the log")
	// ErrExists: a match with that id has a journal already.
	ErrExists = errors.New("journal: exists already")
)

// DamageError says that a journal's bytes differ from those written.
type DamageError struct {
	File   string
	Offset int64 // where the damaged record begins
	Number uint64
	Why    string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("journal %s: record %d at offset %d: %s", e.File, e.Number, e.Offset, e.Why)
}
