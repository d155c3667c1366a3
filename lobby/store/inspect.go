package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/fogkeep/fogkeep/lobby/db/postgres"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
)

// Inspect reads every page and row of the database, and returns its tables with their rows. Its error names the place of the
// first damage that the database finds.
func Inspect(ctx context.Context, databaseURL, dir string) (map[string]int64, error) {
	if databaseURL != "" {
		if err := checkURL(databaseURL); err != nil {
			return nil, err
		}
		s, err := postgres.Open(ctx, databaseURL, postgres.Options{NoMigrate: true})
		if err != nil {
			return nil, err
		}
		defer s.Close()
		return s.Count(ctx)
	}
	path := filepath.Join(dir, sqlite.FileName)
	if _, err := os.Stat(path); err != nil { // to open it would make it
		return nil, err
	}
	pool, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=query_only(1)&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	var fault string
	if err := pool.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&fault); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	} else if fault != "ok" {
		return nil, fmt.Errorf("%s is damaged: %s", path, fault)
	}
	var table, parent string
	var row int64
	switch err := pool.QueryRowContext(ctx, `SELECT "table", COALESCE(rowid, 0), parent FROM pragma_foreign_key_check LIMIT 1`).Scan(&table, &row, &parent); err {
	case sql.ErrNoRows:
	case nil:
		return nil, fmt.Errorf("%s is damaged: row %d of table %s refers to a row that table %s lacks", path, row, table, parent)
	default:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	read, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer read.Rollback()
	tables, err := tablesOf(ctx, read)
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, table := range tables {
		var n int64
		if err := read.QueryRowContext(ctx, `SELECT COUNT(*) FROM "`+table+`"`).Scan(&n); err != nil {
			return nil, fmt.Errorf("%s: table %s: %w", path, table, err)
		}
		out[table] = n
	}
	return out, nil
}
