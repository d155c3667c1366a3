package archive

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// TestSparse holds lists that are mostly zero to themselves, with what is not
// anywhere.
func TestSparse(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 63, 64, 65, 200} {
		for at := range n {
			v, back := make([]uint8, n), make([]uint8, n)
			v[at], v[at/2] = 7, 9
			a := Writer(nil)
			a.Sparse(v)
			if a.reading = true; len(a.b) > 4+2*5 {
				t.Fatalf("%d bytes, two of them set, are saved in %d", n, len(a.b))
			}
			if a.Sparse(back); a.err != nil || !bytes.Equal(v, back) {
				t.Fatalf("%d bytes, %d and %d set, came back as %v: %v", n, at, at/2, back, a.err)
			}
		}
	}
}

// TestVarints holds numbers and signed numbers to the varints of encoding/binary,
// there and back.
func TestVarints(t *testing.T) {
	for _, n := range []int32{0, 1, -1, 63, 64, -64, -65, 127, 128, 1 << 20, -1 << 20, 1<<31 - 1, -1 << 31} {
		u := uint32(n)
		a := Writer(nil)
		Num(a, &u)
		a.Signed(&n)
		want := binary.AppendVarint(binary.AppendUvarint(nil, uint64(u)), int64(n))
		if !bytes.Equal(a.Bytes(), want) {
			t.Errorf("%d is written as %x, not %x", n, a.Bytes(), want)
		}
		var backU uint32
		var back int32
		r := Reader(want)
		Num(r, &backU)
		if r.Signed(&back); r.End() != nil || backU != u || back != n {
			t.Errorf("%d comes back as %d and %d: %v", n, backU, back, r.End())
		}
	}
	for _, b := range [][]byte{{}, {0x80}, {0x80, 0}, {0xFF, 0xFF, 0xFF, 0xFF, 0x1F}} {
		n := uint32(7)
		r := Reader(b)
		if Num(r, &n); r.Err() == nil || n != 7 {
			t.Errorf("%x is read as %d: %v", b, n, r.Err())
		}
	}
}
