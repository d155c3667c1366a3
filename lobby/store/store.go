package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/postgres"
	"github.com/fogkeep/fogkeep/lobby/sqlite"
	"github.com/fogkeep/fogkeep/migrations"
)

// Open opens PostgreSQL at a URL (postgres:// or postgresql://), or without
// one SQLite in a directory, and applies migrations. Its error is one line
// that names what was wrong.
func Open(ctx context.Context, databaseURL, dir string) (lobby.Store, error) {
	if databaseURL == "" {
		return sqlite.Open(ctx, dir, sqlite.Options{})
	}
	if err := checkURL(databaseURL); err != nil {
		return nil, err
	}
	return postgres.Open(ctx, databaseURL, postgres.Options{})
}

// Migrate opens the database without applying anything and runs fn.
func Migrate(ctx context.Context, databaseURL, dir string, fn func(kind string, m *migrations.Migrator) error) error {
	if databaseURL == "" {
		s, err := sqlite.Open(ctx, dir, sqlite.Options{NoMigrate: true})
		if err != nil {
			return err
		}
		defer s.Close()
		m, err := s.Migrator(dir)
		if err != nil {
			return err
		}
		return fn(s.Kind(), m)
	}
	if err := checkURL(databaseURL); err != nil {
		return err
	}
	s, err := postgres.Open(ctx, databaseURL, postgres.Options{NoMigrate: true})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Migrate(ctx, func(m *migrations.Migrator) error { return fn(s.Kind(), m) })
}

func checkURL(u string) error {
	if strings.HasPrefix(u, "postgres://") || strings.HasPrefix(u, "postgresql://") || strings.Contains(u, "host=") {
		return nil
	}
	scheme, _, _ := strings.Cut(u, ":")
	return fmt.Errorf("database URL begins with %q: it should be postgres://user:password@host/name; leave it empty for SQLite", scheme)
}
