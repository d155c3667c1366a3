package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
)

// migrated is an empty SQLite database with the schema: copying it takes less
// time than migrating for each test.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fogkeep")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := sqlite.Open(context.Background(), dir, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil { // writes the log back into the file
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, sqlite.FileName))
})

// SQLiteDir returns a folder with an empty, migrated database.
func SQLiteDir(t testing.TB) string {
	t.Helper()
	raw, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, sqlite.FileName), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
