package journaltest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/journal"
)

// Record returns a record that tells its number. Records differ in length.
func Record(n uint64) []byte {
	return []byte(fmt.Sprintf("%d:%s", n, strings.Repeat("x", int(n*7%50))))
}

// Fill appends the records from number from to before to, and waits until they are
// written.
func Fill(t testing.TB, l journal.Log, from, to uint64) {
	t.Helper()
	for n := from; n < to; n++ {
		if err := l.Append(n, Record(n)); err != nil {
			t.Fatal(err)
		}
	}
	if to > from {
		if err := l.Wait(t.Context(), to-1); err != nil {
			t.Fatal(err)
		}
	}
}

// Check reads the records from number from on and compares them with Fill's records before to.
func Check(t testing.TB, l journal.Log, from, to uint64) {
	t.Helper()
	want := from
	err := l.Read(from, func(n uint64, rec []byte) error {
		if n != want || !bytes.Equal(rec, Record(want)) {
			t.Errorf("record %d = %.40q, want record %d", n, rec, want)
		}
		want++
		return nil
	})
	if err != nil || want != to {
		t.Errorf("read up to %d, want %d: %v", want, to, err)
	}
}
