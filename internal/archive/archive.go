package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Archive is the bytes that are written or read.
type Archive struct {
	b       []byte
	at      int // of the next byte that is read
	reading bool
	err     error
}

// ErrShort is in the error of bytes that end before what they describe.
var ErrShort = errors.New("the bytes end early")

// Writer returns an archive that appends to b.
func Writer(b []byte) *Archive { return &Archive{b: b} }

// Reader returns an archive that reads b, which is not changed.
func Reader(b []byte) *Archive { return &Archive{b: b, reading: true} }

// Reading reports whether values are read.
func (a *Archive) Reading() bool { return a.reading }

// Bytes returns what a writer appended to.
func (a *Archive) Bytes() []byte { return a.b }

// Err returns the first error, which names the offset.
func (a *Archive) Err() error { return a.err }

// Fail notes an error at the present offset, if there was none before.
func (a *Archive) Fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("offset %d: "+format, append([]any{a.at}, args...)...)
	}
}

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

// Nested writes or reads bytes in a form of their own, with their length first.
// It calls write with what is written so far, for it to append to; or read with the
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

// The methods that write are short enough to be inlined: a battle's state is
// hashed once a second, and has a hundred thousand values.

// U8 writes or reads a byte.
func (a *Archive) U8(v *uint8) { Octet(a, v) }

// U16 writes or reads two bytes.
func (a *Archive) U16(v *uint16) {
	if !a.reading {
		a.b = append(a.b, byte(*v), byte(*v>>8))
	} else if b := a.Take(2); b != nil {
		*v = binary.LittleEndian.Uint16(b)
	}
}

// Word writes or reads any number that fits 32 bits, as four bytes.
func Word[T ~int8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~uint8](a *Archive, v *T) {
	if a.reading {
		*v = T(a.readWord(uint32(*v)))
		return
	}
	u := uint32(*v)
	a.b = append(a.b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
}

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

func (a *Archive) readOctet(v uint8) uint8 {
	if b := a.Take(1); b != nil {
		return b[0]
	}
	return v
}

// Flag writes or reads a truth value, as one byte.
func (a *Archive) Flag(v *bool) {
	u := uint8(0)
	if *v {
		u = 1
	}
	if a.reading {
		*v = a.readOctet(u) != 0
		return
	}
	a.b = append(a.b, u)
}

// Text writes or reads a text, with its length first.
func (a *Archive) Text(v *string) {
	n := a.Length(len(*v), 1)
	if !a.reading {
		a.b = append(a.b, *v...)
	} else {
		*v = string(a.Take(n))
	}
}

// Length writes or reads the length of a list whose members take at least size
// bytes each.
func (a *Archive) Length(n, size int) int {
	u := uint32(n)
	Word(a, &u)
	if a.reading && uint64(u)*uint64(size) > uint64(len(a.b)-a.at) {
		a.Fail("a list of %d: %w", u, ErrShort)
	}
	if a.err != nil {
		return 0
	}
	return int(u)
}

// List writes or reads a list, member by member; size is the least number of
// bytes a member takes.
func List[T any](a *Archive, v *[]T, size int, one func(*T)) {
	n := a.Length(len(*v), size)
	if a.reading {
		if cap(*v) < n {
			*v = make([]T, n)
		}
		*v = (*v)[:n]
	} else {
		a.b = slices.Grow(a.b, n*size)
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

// Sparse writes or reads a list of bytes that are mostly zero, as the places of
// those that are not. The list keeps its length.
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
