package sim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// archive writes state to bytes or reads it back, by one description of the
// state for both ways: what is written and what is read cannot differ. Numbers
// are little-endian and fixed in width; lists have their length first, which
// is checked against the bytes that are left before anything is made of it.
type archive struct {
	b       []byte
	at      int
	reading bool
	err     error
}

var errSaveShort = errors.New("the save ends early")

func (a *archive) need(n int) []byte {
	if a.err != nil {
		return nil
	}
	if len(a.b)-a.at < n {
		a.err = fmt.Errorf("offset %d: %w", a.at, errSaveShort)
		return nil
	}
	a.at += n
	return a.b[a.at-n : a.at]
}

// room makes room to write n bytes behind what is written.
func (a *archive) room(n int) {
	if cap(a.b)-len(a.b) < n {
		a.b = slices.Grow(a.b, n)
	}
	a.b = a.b[:len(a.b)+n]
}

func (a *archive) u8(v *uint8) {
	if !a.reading {
		a.b = append(a.b, *v)
	} else if b := a.need(1); b != nil {
		*v = b[0]
	}
}

func (a *archive) u16(v *uint16) {
	if !a.reading {
		a.b = binary.LittleEndian.AppendUint16(a.b, *v)
	} else if b := a.need(2); b != nil {
		*v = binary.LittleEndian.Uint16(b)
	}
}

func (a *archive) u32(v *uint32) {
	if !a.reading {
		a.b = binary.LittleEndian.AppendUint32(a.b, *v)
	} else if b := a.need(4); b != nil {
		*v = binary.LittleEndian.Uint32(b)
	}
}

// word writes any number that fits 32 bits.
func word[T ~int8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~uint8](a *archive, v *T) {
	u := uint32(*v)
	a.u32(&u)
	if a.reading {
		*v = T(u)
	}
}

// octet writes any number that fits 8 bits.
func octet[T ~int8 | ~uint8](a *archive, v *T) {
	u := uint8(*v)
	a.u8(&u)
	if a.reading {
		*v = T(u)
	}
}

func (a *archive) flag(v *bool) {
	u := uint8(0)
	if *v {
		u = 1
	}
	a.u8(&u)
	if a.reading {
		*v = u != 0
	}
}

func (a *archive) text(v *string) {
	n := a.length(len(*v), 1)
	if !a.reading {
		a.b = append(a.b, *v...)
	} else {
		*v = string(a.need(n))
	}
}

func (a *archive) pos(v *grid.Pos) { word(a, &v.X); word(a, &v.Y) }

func (a *archive) vec(v *grid.Vec) { word(a, &v.X); word(a, &v.Y) }

func (a *archive) tile(v *grid.Tile) { word(a, &v.X); word(a, &v.Y) }

// length writes or reads the length of a list whose members take at least
// size bytes each.
func (a *archive) length(n, size int) int {
	u := uint32(n)
	a.u32(&u)
	if a.reading && a.err == nil && uint64(u)*uint64(size) > uint64(len(a.b)-a.at) {
		a.err = fmt.Errorf("offset %d: a list of %d: %w", a.at, u, errSaveShort)
	}
	if a.err != nil {
		return 0
	}
	return int(u)
}

// list writes or reads a list, member by member; size is the least number of
// bytes a member takes.
func list[T any](a *archive, v *[]T, size int, one func(*T)) {
	n := a.length(len(*v), size)
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

// sparse writes or reads a list of bytes that are mostly zero, as the places
// that are not. The list keeps its length.
func (a *archive) sparse(v []uint8) {
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
	n := a.length(0, 5)
	clear(v)
	for range n {
		b := a.need(5)
		if b == nil {
			return
		}
		i := binary.LittleEndian.Uint32(b)
		if int64(i) >= int64(len(v)) {
			a.err = fmt.Errorf("offset %d: place %d of %d", a.at-5, i, len(v))
			return
		}
		v[i] = b[4]
	}
}
