package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Archive is the bytes that are written or read.
type Archive struct {
	b       []byte
	at      int // of the next byte that is read
	reading bool
	err     error
}

// ErrShort is in the error of bytes that end before their content.
var ErrShort = errors.New("the bytes end early")

// Writer returns an archive that appends to b.
func Writer(b []byte) *Archive { return &Archive{b: b} }

// Reset makes a writer begin anew, in the memory that it has.
func (a *Archive) Reset() { a.b = a.b[:0] }

// Reader returns an archive that reads b, which is not changed.
func Reader(b []byte) *Archive { return &Archive{b: b, reading: true} }

// Reading reports whether values are read.
func (a *Archive) Reading() bool { return a.reading }

// Bytes returns a writer's bytes.
func (a *Archive) Bytes() []byte { return a.b }

// Err returns the first error, which names the offset.
func (a *Archive) Err() error { return a.err }

// Fail notes an error at the present offset, if it is the first.
func (a *Archive) Fail(format string, args ...any) {
	a.FailAt(a.at, format, args...)
}

// FailAt is Fail with another offset.
func (a *Archive) FailAt(offset int, format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("offset %d: "+format, append([]any{offset}, args...)...)
	}
}

// Offset returns where the next byte is read.
func (a *Archive) Offset() int { return a.at }

// End returns the first error of all. Bytes that a reader has left over are one.
func (a *Archive) End() error {
	if a.reading && a.at != len(a.b) {
		a.Fail("%d bytes too many", len(a.b)-a.at)
	}
	return a.err
}

// Left returns how many bytes a reader has left.
func (a *Archive) Left() int { return len(a.b) - a.at }

// Take reads n bytes as they are. It returns nil after an error.
func (a *Archive) Take(n int) []byte {
	if a.err == nil && len(a.b)-a.at < n {
		a.Fail("%w", ErrShort)
	}
	if a.err != nil {
		return nil
	}
	a.at += n
	return a.b[a.at-n : a.at]
}

// Magic writes or reads the text that a form begins with. Any other is an error.
func (a *Archive) Magic(text string) {
	if !a.reading {
		a.b = append(a.b, text...)
	} else if a.Left() < len(text) || string(a.b[a.at:a.at+len(text)]) != text {
		a.Fail("header is not %q", text)
	} else {
		a.at += len(text)
	}
}

// Octets writes or reads as many bytes as v has.
func Octets[T ~uint8](a *Archive, v []T) {
	for i := range v {
		Octet(a, &v[i])
	}
}

// Append writes bytes as they are. It is of a writer.
func (a *Archive) Append(b []byte) { a.b = append(a.b, b...) }

// Nested writes or reads bytes in a form of their own, with their length first.
// It calls write with the bytes so far, for it to append to; or read with the
// bytes. Read's error is noted.
func (a *Archive) Nested(write func([]byte) []byte, read func([]byte) error) {
	if !a.reading {
		at := len(a.b)
		a.b = write(append(a.b, 0, 0, 0, 0))
		binary.LittleEndian.PutUint32(a.b[at:], uint32(len(a.b)-at-4))
		return
	}
	b := a.Take(a.Length(0, 1))
	if a.err != nil {
		return
	}
	if err := read(b); err != nil {
		a.err = fmt.Errorf("offset %d: %w", a.at-len(b), err)
	}
}

// The writing part is short enough to be inlined, for which the reading part is kept out of line: a battle's state
// is hashed once a second, and has a hundred thousand values.

// U8 writes or reads a byte.
func (a *Archive) U8(v *uint8) { Octet(a, v) }

// Half writes or reads any number that fits 16 bits, as two bytes.
func Half[T ~int16 | ~uint16](a *Archive, v *T) {
	if !a.reading {
		a.b = append(a.b, byte(*v), byte(uint16(*v)>>8))
	} else if b := a.Take(2); b != nil {
		*v = T(binary.LittleEndian.Uint16(b))
	}
}

// Word writes or reads any number that fits 32 bits, as four bytes.
func Word[T ~int8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~uint8](a *Archive, v *T) {
	if a.reading {
		*v = T(a.readWord(uint32(*v)))
		return
	}
	a.b = binary.LittleEndian.AppendUint32(a.b, uint32(*v))
}

//go:noinline
func (a *Archive) readWord(v uint32) uint32 {
	if b := a.Take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return v
}

// Octet writes or reads any number that fits 8 bits, as one byte.
func Octet[T ~int8 | ~uint8](a *Archive, v *T) {
	if a.reading {
		*v = T(a.readOctet(uint8(*v)))
		return
	}
	a.b = append(a.b, byte(*v))
}

//go:noinline
func (a *Archive) readOctet(v uint8) uint8 {
	if b := a.Take(1); b != nil {
		return b[0]
	}
	return v
}

// Flag writes or reads a truth value, as one byte.
func (a *Archive) Flag(v *bool) {
	if a.reading {
		a.readFlag(v)
		return
	}
	a.b = append(a.b, bit(*v))
}

//go:noinline
func (a *Archive) readFlag(v *bool) { *v = a.readOctet(0) != 0 }

func bit(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// Zeros writes n bytes that are 0, for a writer that knows that the following part is unused. n is at most 64.
func (a *Archive) Zeros(n int) { a.b = append(a.b, zeros[:n]...) }

var zeros [64]byte

// U64 writes or reads eight bytes.
func (a *Archive) U64(v *uint64) {
	if !a.reading {
		a.b = binary.LittleEndian.AppendUint64(a.b, *v)
	} else if b := a.Take(8); b != nil {
		*v = binary.LittleEndian.Uint64(b)
	}
}

// Num writes or reads a number as a varint, which is short for small ones.
func Num[T ~uint8 | ~uint16 | ~uint32 | ~uint64](a *Archive, v *T) {
	if !a.reading {
		a.b = binary.AppendUvarint(a.b, uint64(*v))
	} else if n := a.uvarint(); a.err == nil && uint64(T(n)) == n {
		*v = T(n)
	} else {
		a.Fail("%d is out of range", n)
	}
}

// Signed writes or reads a number that may be negative, as a varint.
func (a *Archive) Signed(v *int32) {
	u := uint32(*v<<1) ^ uint32(*v>>31)
	if Num(a, &u); a.reading {
		*v = int32(u>>1) ^ -int32(u&1)
	}
}

// uvarint reads a varint. One number has one form.
func (a *Archive) uvarint() uint64 {
	if a.err != nil {
		return 0
	}
	v, n := binary.Uvarint(a.b[a.at:])
	if n <= 0 || n > 1 && a.b[a.at+n-1] == 0 {
		a.Fail("no number: %w", ErrShort)
		return 0
	}
	a.at += n
	return v
}

// Text writes or reads a text, with its length first.
func (a *Archive) Text(v *string) { a.text(v, a.Length(len(*v), 1)) }

// ShortText writes or reads a text, with its length as a varint first.
func (a *Archive) ShortText(v *string) { a.text(v, a.Count(len(*v), 1)) }

func (a *Archive) text(v *string, n int) {
	if !a.reading {
		a.b = append(a.b, *v...)
	} else {
		*v = string(a.Take(n))
	}
}

// Length writes or reads the length of a list whose members take at least size
// bytes each, as four bytes.
func (a *Archive) Length(n, size int) int {
	if !a.reading {
		a.b = binary.LittleEndian.AppendUint32(a.b, uint32(n))
		return n
	}
	u := uint32(n)
	Word(a, &u)
	return a.fits(uint64(u), size)
}

// Count writes or reads the length of a list as Length does, as a varint.
func (a *Archive) Count(n, size int) int {
	u := uint32(n)
	Num(a, &u)
	return a.fits(uint64(u), size)
}

// fits returns the length of a list, if there are bytes enough for it.
func (a *Archive) fits(n uint64, size int) int {
	if a.reading && n*uint64(size) > uint64(len(a.b)-a.at) {
		a.Fail("a list of %d: %w", n, ErrShort)
	}
	if a.err != nil {
		return 0
	}
	return int(n)
}

// List writes or reads a list, member by member; size is the least number of
// bytes a member takes.
func List[T any](a *Archive, v *[]T, size int, one func(*T)) {
	members(a, v, a.Length(len(*v), size), one)
}

// ShortList is List with the length as a varint.
func ShortList[T any](a *Archive, v *[]T, size int, one func(*T)) {
	members(a, v, a.Count(len(*v), size), one)
}

func members[T any](a *Archive, v *[]T, n int, one func(*T)) {
	if a.reading {
		if cap(*v) < n {
			*v = make([]T, n)
		}
		*v = (*v)[:n]
	}
	for i := range *v {
		one(&(*v)[i])
	}
}

// blank reports whether the first 64 bytes are zero.
func blank(v []uint8) bool {
	le, v := binary.LittleEndian, v[:64:64]
	return le.Uint64(v)|le.Uint64(v[8:])|le.Uint64(v[16:])|le.Uint64(v[24:])|
		le.Uint64(v[32:])|le.Uint64(v[40:])|le.Uint64(v[48:])|le.Uint64(v[56:]) == 0
}

// Sparse writes or reads a list of bytes that are mostly zero, as the places of the other bytes. The list keeps its
// length.
func (a *Archive) Sparse(v []uint8) {
	if !a.reading {
		at, n := len(a.b), uint32(0)
		a.b = append(a.b, 0, 0, 0, 0)
		for i := 0; i < len(v); i++ {
			if i+64 <= len(v) && blank(v[i:]) {
				i += 63
				continue
			}
			if i+8 <= len(v) && binary.LittleEndian.Uint64(v[i:]) == 0 {
				i += 7
				continue
			}
			if v[i] != 0 {
				a.b = binary.LittleEndian.AppendUint32(a.b, uint32(i))
				a.b = append(a.b, v[i])
				n++
			}
		}
		binary.LittleEndian.PutUint32(a.b[at:], n)
		return
	}
	n := a.Length(0, 5)
	clear(v)
	for range n {
		b := a.Take(5)
		if b == nil {
			return
		}
		i := binary.LittleEndian.Uint32(b)
		if int64(i) >= int64(len(v)) {
			a.Fail("place %d of %d", i, len(v))
			return
		}
		v[i] = b[4]
	}
}
