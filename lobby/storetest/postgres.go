package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby/db/postgres"
)

// migratedPostgres is the name of an empty PostgreSQL database with the schema: copying it
// takes less time than migrating for each test.
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

// PostgresURL returns the conninfo of an empty, migrated database.
func PostgresURL(t testing.TB) string {
	t.Helper()
	template, err := migratedPostgres()
	if err != nil {
		t.Fatal(err)
	}
	return pgtest.New(t, template)
}
