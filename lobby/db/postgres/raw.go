package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Raw runs one statement without the store's checks, for tests of the schema's constraints.
func (s *Store) Raw(ctx context.Context, sql string) error {
	_, err := s.pool.Exec(ctx, sql)
	return err
}

// Fill fills the tables of a database in which no server has worked yet, in one transaction.
func (s *Store) Fill(ctx context.Context, fill func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var used bool
		const query = "SELECT EXISTS (SELECT 1 FROM accounts) OR EXISTS (SELECT 1 FROM admins) OR EXISTS (SELECT 1 FROM audit)"
		if err := tx.QueryRow(ctx, query).Scan(&used); err != nil {
			return err
		}
		if used {
			return errors.New("the database has accounts already: name an empty one")
		}
		return fill(tx)
	})
}

// Count reads every row of every table, and returns their numbers. PostgreSQL names the page and the file if a checksum does
// not fit.
func (s *Store) Count(ctx context.Context) (map[string]int64, error) {
	const query = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'goose%'"
	rows, err := s.pool.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, table := range tables {
		var n int64
		// The text of each row makes PostgreSQL read the values that lie outside of the row too.
		if err := s.pool.QueryRow(ctx, "SELECT COUNT(LENGTH(t::text)) FROM "+pgx.Identifier{table}.Sanitize()+" t").Scan(&n); err != nil {
			return nil, fmt.Errorf("table %s: %w", table, err)
		}
		out[table] = n
	}
	return out, nil
}
