package archive

import (
	"bytes"
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
