package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
)

// Each bit of a journal's file and of a saved state's file is flipped in turn: the damage is noticed, and the error
// names the file and the place. Only the last record may be taken for one that was cut off. Another match's journal
// is read meanwhile.
func TestEveryFlippedBit(t *testing.T) {
	dir, err := journal.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const records = 12
	for _, match := range []string{"one", "other"} {
		l, err := dir.Create(match)
		if err != nil {
			t.Fatal(err)
		}
		journaltest.Fill(t, l, 0, records)
		if err := errors.Join(l.Close(), dir.SaveState(match, journal.State{Tick: 40, Hash: 7, Record: 3, Bytes: []byte("the state of a match"), Extra: []byte("more")})); err != nil {
			t.Fatal(err)
		}
	}
	count := func(path string) (n int, torn bool, err error) {
		torn, err = journal.ReadFile(path, func(uint64, []byte) error { n++; return nil })
		return n, torn, err
	}
	flipped := func(path string, judge func(at int)) {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := range whole {
			bad := append([]byte{}, whole...)
			bad[at] ^= 1 << (at % 8)
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			judge(at)
		}
	}
	path := dir.Path("one")
	flipped(path, func(at int) {
		n, torn, err := count(path)
		var damage *journal.DamageError
		switch {
		case err == nil && (!torn || n < records-1):
			t.Errorf("byte %d: the damage is not noticed: %d records are left", at, n)
		case err != nil && (!errors.As(err, &damage) || damage.File != path || damage.Offset > int64(at) || damage.Number != uint64(n)):
			t.Errorf("byte %d: after %d records %v", at, n, err)
		}
		if n, torn, err := count(dir.Path("other")); n != records || torn || err != nil {
			t.Fatalf("byte %d: the other match has %d records, %v", at, n, err)
		}
	})
	state := filepath.Join(filepath.Dir(path), "one.state")
	flipped(state, func(at int) {
		if s, err := dir.State("one"); err == nil && string(s.Bytes) != "the state of a match" { // the packer has bits without a meaning
			t.Errorf("byte %d of a saved state: the damage is not noticed: %+v", at, s)
		}
	})
	if s, err := dir.State("other"); err != nil || s == nil {
		t.Error(s, err)
	}
}
