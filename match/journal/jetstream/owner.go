package jetstream

import (
	"bytes"
	"fmt"
	"time"

	"github.com/fogkeep/fogkeep/match/journal"
)

// Owner decides what the owner of one journal sends, what an answer proves, and until when the match may send frames. It
// has no clock, no socket and no goroutine: its caller reports each event and its time. A [Log] runs it with the journal
// servers; the simulation of match/cluster runs it with simulated ones.
type Owner struct {
	epoch   uint64
	process uint64 // a number that each process draws at its start
	seq     uint64 // of the last message written
	sum     uint32 // of the last record written
	durable uint64 // numbers below it are written
	next    uint64 // number of the next record
	pending [][]byte
	bytes   int // of pending
	sending outgoing
	offset  int           // into the first pending record, which is sent in parts
	lease   time.Duration // until when frames need no new answer
	doubted time.Duration // the lease counts from a later moment only
	urgent  bool          // a frame waits for a message
}

// Succeed makes the first message with which a process becomes the owner of a journal that ends with the message end, nil for
// a new journal. The returned owner owns it once the message is written on condition that end is still the last one.
func Succeed(end []byte, process uint64, name string) (o *Owner, first []byte, err error) {
	m := &message{head: head{kind: kindAlive}}
	if end != nil {
		if m, err = parse(end); err != nil {
			return nil, nil, err
		}
	}
	return m.succeed(process, name)
}

func (m *message) succeed(process uint64, name string) (*Owner, []byte, error) {
	next, sum, err := m.after()
	if err != nil {
		return nil, nil, err
	}
	o := &Owner{epoch: m.epoch + 1, process: process, durable: next, next: next, sum: sum}
	h := head{kind: kindEpoch, epoch: o.epoch, owner: process, next: next, sum: sum}
	return o, seal(append(h.appendTo(nil), name...)), nil
}

// Landed reports whether a message that was sent behind the one with sequence last is written, by the subject's end.
func Landed(sent []byte, last, seq uint64, end []byte) bool {
	return seq > last && bytes.Equal(end, sent) // seq: two that say no more than alive are alike
}

// Own notes that the owner's first message was written with a sequence, in an attempt that began at a time.
func (o *Owner) Own(seq uint64, began time.Duration) {
	o.seq = seq
	o.renew(began)
}

// renew notes that the match was this process's at a time.
func (o *Owner) renew(at time.Duration) {
	if o.urgent = at < o.doubted; !o.urgent {
		o.lease = at + journal.Lease
	}
}

// Last is the sequence behind which the next message is to be written.
func (o *Owner) Last() uint64 { return o.seq }

// Next and Synced are as in [journal.Log].
func (o *Owner) Next() uint64 { return o.next }

// Synced returns how many records are written.
func (o *Owner) Synced() uint64 { return o.durable }

// Append takes in the next record.
func (o *Owner) Append(n uint64, record []byte) error {
	switch {
	case n != o.next:
		return fmt.Errorf("%w: got %d, want %d", journal.ErrOrder, n, o.next)
	case o.bytes+len(record) > pendingBytesMax:
		return fmt.Errorf("%d bytes wait to be written, without room for more", o.bytes)
	}
	o.pending = append(o.pending, record)
	o.bytes += len(record)
	o.next++
	return nil
}

// Owns reports whether the match may send frames at a time. If not, the owner sends a message at once.
func (o *Owner) Owns(now time.Duration) bool {
	if now < o.lease {
		return true
	}
	o.urgent = true
	return false
}

// Doubt ends the lease: another node says that it has the match, or takes it. The next frame waits for an answer to a
// message that is sent from now on.
func (o *Owner) Doubt(now time.Duration) { o.lease, o.doubted, o.urgent = 0, now, true }

// Due returns how long the owner needs to send no message; 0: it sends one now.
func (o *Owner) Due(now time.Duration) time.Duration {
	if len(o.pending) > 0 || o.urgent {
		return 0
	}
	return max(0, o.lease-journal.Lease+alivePeriod-now)
}

// Message appends the next message to b: the waiting records, or a sign of life.
func (o *Owner) Message(b []byte) []byte {
	h := head{kind: kindAlive, epoch: o.epoch, owner: o.process, next: o.durable, sum: o.sum}
	o.sending, b = compose(b, h, o.pending, o.offset)
	return b
}

// Written notes that the last message made was written, in an attempt that began at a time. It returns the number of
// records that are whole with it.
func (o *Owner) Written(seq uint64, began time.Duration) int {
	m := o.sending
	for _, r := range o.pending[:m.records] {
		o.bytes -= len(r)
	}
	if o.pending = o.pending[m.records:]; len(o.pending) == 0 {
		o.pending = nil
	}
	o.durable += uint64(m.records)
	o.offset, o.sum, o.seq = m.offset, m.sum, seq
	o.renew(began)
	return m.records
}

// Settle concludes from the subject's end after an attempt with an unknown outcome: whether the message is written. It
// returns [journal.ErrFenced], with the reason, if another process has the match. Otherwise the owner sends the same
// message again.
func (o *Owner) Settle(sent []byte, seq uint64, end []byte) (written bool, err error) {
	if Landed(sent, o.seq, seq, end) {
		return true, nil
	}
	m, err := parse(end)
	switch {
	case err != nil:
		return false, err
	case m.epoch > o.epoch:
		return false, fmt.Errorf("owner %d follows owner %d: %w", m.epoch, o.epoch, journal.ErrFenced)
	case m.epoch == o.epoch && seq > o.seq:
		return false, fmt.Errorf("another writer continued its journal under this owner's number: %w", journal.ErrFenced)
	}
	return false, nil // the end is that from before, or an old one
}

// outgoing describes the content of a message.
type outgoing struct {
	records int    // that are whole with it
	offset  int    // into the next record: this much has been sent
	sum     uint32 // of the last whole record
}

// compose makes a message of the waiting records. offset bytes of the first record were sent before.
func compose(b []byte, h head, pending [][]byte, offset int) (outgoing, []byte) {
	m := outgoing{sum: h.sum}
	switch {
	case len(pending) == 0:
		b = h.appendTo(b)
	case len(pending[0]) > partBytes:
		h.kind = kindPart
		sum := journal.Chain(h.sum, pending[0])
		b = appendPart(h.appendTo(b), sum, pending[0], offset)
		if m.offset = offset + partBytes; m.offset >= len(pending[0]) {
			m = outgoing{1, 0, sum}
		}
	default:
		h.kind = kindRecords
		b = h.appendTo(b)
		for _, r := range pending {
			if len(r) > partBytes || m.records > 0 && len(b)+len(r) > batchBytes {
				break
			}
			m.sum = journal.Chain(m.sum, r)
			b = appendRecord(b, m.sum, r)
			m.records++
		}
	}
	return m, seal(b)
}

// ReadMessages calls each with all records of a journal's messages, from its first. Damage is a [journal.DamageError]
// whose offset is the index of the message.
func ReadMessages(name string, messages [][]byte, each func(n uint64, record []byte) error) error {
	c := chainReader{name: name}
	for i, m := range messages {
		if err := c.take(uint64(i), m, each); err != nil {
			return err
		}
	}
	return nil
}
