package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/fogkeep/fogkeep/lobby/db/postgres"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/migrations"
)

// Copy copies every row of the SQLite in a directory into an empty PostgreSQL, and calls each with a table's rows. All is one
// transaction: after an error the PostgreSQL is empty as before. Both have the newest schema then.
func Copy(ctx context.Context, dir, databaseURL string, each func(table string, rows int64)) error {
	if err := checkURL(databaseURL); err != nil {
		return err
	}
	path := filepath.Join(dir, sqlite.FileName)
	if _, err := os.Stat(path); err != nil { // to open it would make it
		return err
	}
	err := Migrate(ctx, "", dir, func(_ string, m *migrations.Migrator) error {
		if version, err := m.Version(ctx); err != nil || version != m.Latest() {
			return errors.Join(err, fmt.Errorf("%s is at version %d of the schema, and this program copies version %d: run fogkeep migrate up", path, version, m.Latest()))
		}
		return nil
	})
	if err != nil {
		return err
	}
	target, err := postgres.Open(ctx, databaseURL, postgres.Options{})
	if err != nil {
		return err
	}
	defer target.Close()
	from, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=query_only(1)&_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer from.Close()
	read, err := from.BeginTx(ctx, nil) // one state of the database, also if a server writes meanwhile
	if err != nil {
		return err
	}
	defer read.Rollback()
	tables, err := tablesOf(ctx, read)
	if err != nil {
		return err
	}
	return target.Fill(ctx, func(to pgx.Tx) error {
		for _, table := range tables {
			n, err := copyTable(ctx, read, to, table)
			if err != nil {
				return fmt.Errorf("table %s: %w", table, err)
			}
			each(table, n)
		}
		return nil
	})
}

// tablesOf lists the tables with rows of the lobby, each after the tables that its keys name.
func tablesOf(ctx context.Context, read *sql.Tx) (out []string, err error) {
	const tables = "SELECT m.name, COALESCE(f.\"table\", '') FROM sqlite_master m LEFT JOIN pragma_foreign_key_list(m.name) f " +
		"WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'goose_%' ORDER BY m.name"
	rows, err := read.QueryContext(ctx, tables)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	needs := map[string][]string{}
	var names []string
	for rows.Next() {
		var name, other string
		if err := rows.Scan(&name, &other); err != nil {
			return nil, err
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if other != "" && other != name {
			needs[name] = append(needs[name], other)
		}
	}
	for len(names) > 0 {
		i := slices.IndexFunc(names, func(n string) bool {
			return !slices.ContainsFunc(needs[n], func(other string) bool { return !slices.Contains(out, other) })
		})
		if i < 0 {
			return nil, fmt.Errorf("the tables %v refer to each other in a circle", names)
		}
		out, names = append(out, names[i]), slices.Delete(names, i, i+1)
	}
	return out, rows.Err()
}

// copyTable copies the rows of a table, and has its number go on behind them.
func copyTable(ctx context.Context, read *sql.Tx, to pgx.Tx, table string) (int64, error) {
	name := pgx.Identifier{table}.Sanitize()
	flags, counter, err := columnsOf(ctx, to, table)
	if err != nil {
		return 0, err
	}
	rows, err := read.QueryContext(ctx, "SELECT * FROM "+name)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return 0, err
	}
	if _, err := to.Exec(ctx, "DELETE FROM "+name); err != nil { // rows that the schema begins with
		return 0, err
	}
	n, err := to.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		if !rows.Next() {
			return nil, rows.Err()
		}
		values, at := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			at[i] = &values[i]
		}
		if err := rows.Scan(at...); err != nil {
			return nil, err
		}
		for i, c := range columns {
			if number, ok := values[i].(int64); ok && slices.Contains(flags, c) {
				values[i] = number != 0
			}
		}
		return values, nil
	}))
	if err != nil || counter == "" {
		return n, err
	}
	_, err = to.Exec(ctx, "SELECT setval(pg_get_serial_sequence($1, $2), COALESCE(MAX("+pgx.Identifier{counter}.Sanitize()+"), 0) + 1, false) FROM "+name, table, counter)
	return n, err
}

// columnsOf lists the columns that are true or false, which SQLite has as numbers, and names the column that counts rows.
func columnsOf(ctx context.Context, to pgx.Tx, table string) (flags []string, counter string, err error) {
	const query = "SELECT column_name, data_type = 'boolean', is_identity = 'YES' FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1"
	rows, err := to.Query(ctx, query, table)
	if err != nil {
		return nil, "", err
	}
	var name string
	var flag, counts bool
	_, err = pgx.ForEachRow(rows, []any{&name, &flag, &counts}, func() error {
		if flag {
			flags = append(flags, name)
		}
		if counts {
			counter = name
		}
		return nil
	})
	return flags, counter, err
}
