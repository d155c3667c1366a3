package journaltest

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/journal"
)

// OpenDir returns a folder of journals that lasts as long as the test, for tests of other
// things than disks. Its files are written, but never synced: the disk of a test machine
// may stall for more than a second, and a live match pauses then.
func OpenDir(t testing.TB) *journal.Dir {
	t.Helper()
	d, err := journal.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d.Wrap = func(h journal.Handle) journal.Handle { return unsynced{h} }
	return d
}

type unsynced struct{ journal.Handle }

func (unsynced) Sync() error { return nil }
