package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/postgres"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func open(t *testing.T, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// migrated is the name of a database with the schema, to be copied: that takes
// less time than to migrate each.
var migrated = sync.OnceValues(func() (string, error) {
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

func newDatabase(t *testing.T) string {
	t.Helper()
	template, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	return pgtest.New(t, template)
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (lobby.Store, func() lobby.Store) {
		url := newDatabase(t)
		return open(t, url), func() lobby.Store { return open(t, url) }
	})
}

func BenchmarkStore(b *testing.B) {
	s, err := postgres.Open(context.Background(), pgtest.New(b, ""), postgres.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	storetest.Bench(b, s)
}
