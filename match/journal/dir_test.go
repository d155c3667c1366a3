package journal_test

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
)

func TestDirIsAStore(t *testing.T) {
	path := t.TempDir()
	journaltest.Run(t, func(t *testing.T) journal.Store {
		d, err := journal.OpenDir(path)
		if err != nil {
			t.Fatal(err)
		}
		return d
	})
}
