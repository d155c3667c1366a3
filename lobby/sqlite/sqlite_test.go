package sqlite_test

import (
	"context"
	"testing"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/sqlite"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

func open(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (lobby.Store, func() lobby.Store) {
		dir := storetest.SQLiteDir(t)
		return open(t, dir), func() lobby.Store { return open(t, dir) }
	})
}

func BenchmarkStore(b *testing.B) {
	s, err := sqlite.Open(context.Background(), b.TempDir(), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	storetest.Bench(b, s)
}
