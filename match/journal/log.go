package journal

import (
	"context"
	"errors"
	"fmt"
)

// RecordBytesMax bounds one record.
const RecordBytesMax = 16 << 20

// Log is the journal of one match: records numbered from 0.
type Log interface {
	// Next returns the number that the next record gets.
	Next() uint64
	// Append adds a record under number n, without waiting for the disk. It
	// fails with ErrOrder if n is not Next, and with the reason if an earlier
	// record could not be written: a log that failed once takes nothing more.
	// The log keeps record; the caller must not change it.
	Append(n uint64, record []byte) error
	// Synced returns how many records are on disk: all numbers below it are.
	Synced() uint64
	// Wait returns once Synced is above n, or with the reason why it never
	// will be.
	Wait(ctx context.Context, n uint64) error
	// Read calls each with the records from number from to the last that is
	// on disk as the call begins. It ends at the first error of each, and
	// returns it. The record is the callee's to keep.
	Read(from uint64, each func(n uint64, record []byte) error) error
	// Close syncs what is left and lets the log go.
	Close() error
}

// Errors of a log.
var (
	// ErrOrder: the record's number is not the next one. Somebody else wrote,
	// or the caller lost count.
	ErrOrder = errors.New("journal: record out of order")
	// ErrClosed: the log was closed.
	ErrClosed = errors.New("journal: closed")
	// ErrExists: a match of that id has a journal already.
	ErrExists = errors.New("journal: exists already")
)

// DamageError says that the bytes of a journal are not what was written.
type DamageError struct {
	File   string
	Offset int64 // where the damaged record begins
	Number uint64
	Why    string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("journal %s: record %d at offset %d: %s", e.File, e.Number, e.Offset, e.Why)
}
