package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/postgres"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/migrations"
)

// Open opens PostgreSQL at a URL (postgres:// or postgresql://), or without one SQLite
// in a directory, and applies migrations, each with a line in log, if that is not nil.
// Its error is one line that names the fault.
func Open(ctx context.Context, databaseURL, dir string, log *slog.Logger) (db.Store, error) {
	migrated := func(m migrations.State) {
		if log != nil {
			log.Info("a migration was applied", "migration", m.Name, "tookMs", m.Took.Milliseconds())
		}
	}
	if databaseURL == "" {
		return sqlite.Open(ctx, dir, sqlite.Options{Migrated: migrated})
	}
	if err := checkURL(databaseURL); err != nil {
		return nil, err
	}
	return postgres.Open(ctx, databaseURL, postgres.Options{Migrated: migrated})
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

// Node returns the name of the process that works in a data directory, made at its
// first start. The journals of its matches lie there, so only a process with this
// directory continues them.
func Node(dir string) (string, error) {
	path := filepath.Join(dir, "node")
	raw, err := os.ReadFile(path)
	if name := strings.TrimSpace(string(raw)); err == nil && name != "" {
		return name, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	name := "node-" + uuid.NewString()[:8]
	return name, os.WriteFile(path, []byte(name+"\n"), 0o600)
}

func checkURL(u string) error {
	if strings.HasPrefix(u, "postgres://") || strings.HasPrefix(u, "postgresql://") || strings.Contains(u, "host=") {
		return nil
	}
	scheme, _, _ := strings.Cut(u, ":")
	return fmt.Errorf("database URL begins with %q: it should be postgres://user:password@host/name; leave it empty for SQLite", scheme)
}
