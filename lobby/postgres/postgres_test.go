package postgres_test

import (
	"context"
	"testing"

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

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (lobby.Store, func() lobby.Store) {
		url := pgtest.New(t, "")
		return open(t, url), func() lobby.Store { return open(t, url) }
	})
}
