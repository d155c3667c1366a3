package sqlitetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/db"
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

// Dir returns a folder with an empty, migrated database.
func Dir(t testing.TB) string {
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

// Store is an empty database that counts its statements, and can fail one statement.
type Store struct {
	db.Store
	Calls    int // statements
	FailCall int // the statement that fails with [ErrBroken]; 0: no statement
}

// ErrBroken is the failure of a statement.
var ErrBroken = errors.New("the database is broken")

// Open returns a store, which is closed with the test.
func Open(t testing.TB) *Store {
	t.Helper()
	s := &Store{}
	store, err := sqlite.Open(t.Context(), Dir(t), sqlite.Options{NoMigrate: true, Hook: func(string) error {
		if s.Calls++; s.Calls == s.FailCall {
			return ErrBroken
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.Store = store
	t.Cleanup(func() { s.Close() })
	return s
}

// Do runs fn in a transaction. The test fails with it.
func (s *Store) Do(t testing.TB, fn func(*db.Tx) error) {
	t.Helper()
	if err := s.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}
