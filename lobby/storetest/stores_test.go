package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/postgres"
	"github.com/fogkeep/fogkeep/lobby/sqlite"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestOnSQLite(t *testing.T) {
	run(t, func(t *testing.T) (lobby.Store, func() lobby.Store) {
		dir := SQLiteDir(t)
		return openSQLite(t, dir), func() lobby.Store { return openSQLite(t, dir) }
	})
}

func TestOnPostgres(t *testing.T) {
	run(t, func(t *testing.T) (lobby.Store, func() lobby.Store) {
		url := newDatabase(t)
		return openPostgres(t, url), func() lobby.Store { return openPostgres(t, url) }
	})
}

func openSQLite(t testing.TB, dir string) lobby.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), dir, sqlite.Options{})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func openPostgres(t testing.TB, url string) lobby.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), url, postgres.Options{})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// migratedPostgres is the name of a database with the schema: copying it takes less time
// than migrating for each test.
var migratedPostgres = sync.OnceValues(func() (string, error) {
	url, _, err := pgtest.Create("")
	if err != nil {
		return "", err
	}
	s, err := postgres.Open(context.Background(), url, postgres.Options{})
	if err != nil {
		return "", err
	}
	config, err := pgx.ParseConfig(url)
	return config.Database, errors.Join(err, s.Close())
})

func newDatabase(t testing.TB) string {
	t.Helper()
	template, err := migratedPostgres()
	must(t, err)
	return pgtest.New(t, template)
}
