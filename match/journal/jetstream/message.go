package jetstream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/fogkeep/fogkeep/match/journal"
)

// A message of a journal, little-endian; numbers are varints where no size is given:
//
//	1  version, 1
//	1  kind: 'r' records, 'f' a part of one record, 'e' a new owner, 'a' alive, 'x' over
//	n  epoch: of the owner, from 1
//	8  the owner: a number that each process draws at its start
//	n  number of the first record in it, or of the next one
//	4  sum of the record before that one, see journal.Chain
//	…  the body
//	4  CRC-32C of all bytes before
//
// The bodies:
//
//	'r' each record: its length, its sum (4 bytes), its bytes
//	'f' the whole record's length, the offset of this part; the record's sum (4 bytes); the part
//	'e' the owner's name, text to the end
//	'a' empty
//	'x' 1 byte: 1: the journal is to be archived, 0: it is to be removed
//
// A record is complete with its last part. The parts before are void if an owner stops between them.
const version = 1

const (
	kindRecords = 'r'
	kindPart    = 'f'
	kindEpoch   = 'e'
	kindAlive   = 'a'
	kindOver    = 'x'
)

// Sizes of messages.
const (
	// partBytes is the size from which a record is split, and the size of its parts.
	partBytes = 512 << 10
	// batchBytes bounds the records gathered in a message: further records are left for the next message.
	batchBytes = 256 << 10
	// messageBytesMax bounds a message. A batch that is not full yet can take one more
	// record of partBytes.
	messageBytesMax = batchBytes + partBytes + 4<<10
	nameBytesMax    = 256
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// head is the beginning of each message.
type head struct {
	kind  byte
	epoch uint64
	owner uint64
	next  uint64 // number of the first record in it, or of the next
	sum   uint32 // of the record before
}

func (h *head) appendTo(b []byte) []byte {
	b = append(b, version, h.kind)
	b = binary.AppendUvarint(b, h.epoch)
	b = binary.LittleEndian.AppendUint64(b, h.owner)
	b = binary.AppendUvarint(b, h.next)
	return binary.LittleEndian.AppendUint32(b, h.sum)
}

// seal appends the sum of a whole message.
func seal(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// appendRecord appends a record of a message of kind 'r' whose sum is sum.
func appendRecord(b []byte, sum uint32, record []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(record)))
	b = binary.LittleEndian.AppendUint32(b, sum)
	return append(b, record...)
}

// appendPart appends the body of kind 'f'.
func appendPart(b []byte, sum uint32, record []byte, at int) []byte {
	b = binary.AppendUvarint(b, uint64(len(record)))
	b = binary.AppendUvarint(b, uint64(at))
	b = binary.LittleEndian.AppendUint32(b, sum)
	return append(b, record[at:min(at+partBytes, len(record))]...)
}

// message is a message that was read.
type message struct {
	head
	body []byte
}

// record is one record in a message, with the sum that is written beside it.
type record struct {
	sum   uint32
	bytes []byte
}

// part is a body of kind 'f'.
type part struct {
	of, at int
	sum    uint32
	bytes  []byte
}

func (p *part) last() bool { return p.at+len(p.bytes) == p.of }

var errShort = errors.New("it is cut off")

// parse reads a message. It trusts no length in it.
func parse(b []byte) (*message, error) {
	if len(b) < 2+4 || len(b) > messageBytesMax {
		return nil, fmt.Errorf("a message of %d bytes", len(b))
	}
	if b[0] != version {
		return nil, fmt.Errorf("a message of version %d, this build reads %d", b[0], version)
	}
	end := len(b) - 4
	if binary.LittleEndian.Uint32(b[end:]) != crc32.Checksum(b[:end], castagnoli) {
		return nil, errors.New("its sum does not fit: it was damaged or changed")
	}
	r := reader{b: b[2:end]}
	m := &message{head: head{kind: b[1], epoch: r.num(), owner: r.u64(), next: r.num(), sum: r.u32()}}
	m.body = r.b
	switch m.kind {
	case kindRecords, kindPart, kindEpoch, kindAlive, kindOver:
	default:
		r.bad = true
	}
	if r.bad || m.epoch == 0 {
		return nil, errShort
	}
	return m, nil
}

// records returns the records of a message of kind 'r'. They share its memory.
func (m *message) records() ([]record, error) {
	r := reader{b: m.body}
	var out []record
	for len(r.b) > 0 && !r.bad {
		n, sum := r.num(), r.u32()
		out = append(out, record{sum, r.take(n)})
	}
	if r.bad || len(out) == 0 {
		return nil, errShort
	}
	return out, nil
}

// part returns the body of a message of kind 'f'.
func (m *message) part() (part, error) {
	r := reader{b: m.body}
	of, at := r.num(), r.num()
	p := part{sum: r.u32(), bytes: r.b}
	if r.bad || of == 0 || of > journal.RecordBytesMax || at > of || uint64(len(p.bytes)) > of-at || len(p.bytes) == 0 {
		return p, errShort
	}
	p.of, p.at = int(of), int(at)
	return p, nil
}

// after returns the number of the next record behind a message, and the sum of the one
// before that.
func (m *message) after() (next uint64, sum uint32, err error) {
	switch m.kind {
	case kindRecords:
		list, err := m.records()
		if err != nil {
			return 0, 0, err
		}
		return m.next + uint64(len(list)), list[len(list)-1].sum, nil
	case kindPart:
		p, err := m.part()
		if err != nil {
			return 0, 0, err
		}
		if p.last() {
			return m.next + 1, p.sum, nil
		}
	}
	return m.next, m.sum, nil
}

// reader takes values from the front of bytes. Missing bytes make it bad.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) num() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.b)) || n == 0 {
		r.b, r.bad = nil, true
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// chainReader puts the records of a journal together from its messages, and checks that no record is missing, doubled
// or changed.
type chainReader struct {
	name  string
	epoch uint64
	next  uint64
	sum   uint32
	whole []byte // of a record in parts: those so far
	// loose: the reading begins within a journal, so the first message says where.
	loose bool
}

// take takes in the message with sequence seq and calls each with its records.
func (c *chainReader) take(seq uint64, b []byte, each func(n uint64, record []byte) error) error {
	damaged := func(why string) error {
		return &journal.DamageError{File: c.name, Offset: int64(seq), Number: c.next, Why: why}
	}
	m, err := parse(b)
	if err != nil {
		return damaged(err.Error())
	}
	if c.loose {
		c.epoch, c.next, c.sum, c.loose = m.epoch, m.next, m.sum, false
		if m.kind == kindEpoch {
			c.epoch--
		}
	}
	if m.next != c.next || m.sum != c.sum || m.epoch < c.epoch || (m.epoch > c.epoch) != (m.kind == kindEpoch) {
		return damaged(fmt.Sprintf("a message of owner %d with record %d and sum %08x follows owner %d, record %d and sum %08x: messages are missing or changed", m.epoch, m.next, m.sum, c.epoch, c.next, c.sum))
	}
	c.epoch = m.epoch
	if m.kind != kindPart {
		c.whole = nil
	}
	switch m.kind {
	case kindRecords:
		list, err := m.records()
		if err != nil {
			return damaged(err.Error())
		}
		for _, r := range list {
			if err := c.put(r, each, damaged); err != nil {
				return err
			}
		}
	case kindPart:
		p, err := m.part()
		if err != nil {
			return damaged(err.Error())
		}
		if p.at == 0 { // the parts before belong to a record that was begun and given up
			c.whole = nil
		}
		if p.at != len(c.whole) {
			return damaged("a part of a record is missing")
		}
		c.whole = append(c.whole, p.bytes...)
		if p.last() {
			whole := c.whole
			c.whole = nil
			return c.put(record{p.sum, whole}, each, damaged)
		}
	}
	return nil
}

func (c *chainReader) put(r record, each func(uint64, []byte) error, damaged func(string) error) error {
	if r.sum != journal.Chain(c.sum, r.bytes) {
		return damaged("a record's sum does not fit: it was damaged or changed")
	}
	n := c.next
	c.next, c.sum = n+1, r.sum
	return each(n, r.bytes)
}
