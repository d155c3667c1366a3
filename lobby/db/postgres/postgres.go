package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/migrations"
)

// writeTries bounds how often a refused transaction runs again.
const writeTries = 10

// Store is a [db.Store].
type Store struct {
	pool    *pgxpool.Pool
	dialect db.Dialect
}

// Options are for tests, but for Migrated; the zero value is right for everyone else.
type Options struct {
	Hook      func(sql string) error // called for every statement, which fails with its error
	NoMigrate bool                   // leave the schema as it is
	Migrated  func(migrations.State) // called for each migration that was applied; may be nil
}

// Open connects to a database by URL or conninfo and applies migrations. Pool
// settings may be part of the URL, such as pool_max_conns=20.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err) // pgx hides the password
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	// A client that died in a transaction must not keep its locks for long.
	setDefault(config.ConnConfig.RuntimeParams, "idle_in_transaction_session_timeout", "30s")
	setDefault(config.ConnConfig.RuntimeParams, "lock_timeout", "10s")
	setDefault(config.ConnConfig.RuntimeParams, "application_name", "fogkeep")
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = max(config.MaxConns, 16)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	s := &Store{pool: pool, dialect: db.Dialect{
		ForUpdate: " FOR UPDATE", ForShare: " FOR SHARE", ForClaim: " FOR UPDATE SKIP LOCKED", Duplicate: duplicate, Hook: o.Hook,
	}}
	if err := s.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("PostgreSQL at %s:%d, database %s: %s: see that it runs and that FOGKEEP_DATABASE_URL names it",
			config.ConnConfig.Host, config.ConnConfig.Port, config.ConnConfig.Database, oneLine(err))
	}
	if !o.NoMigrate {
		if err := s.Migrate(ctx, func(m *migrations.Migrator) error {
			return m.UpAll(ctx, o.Migrated)
		}); err != nil {
			pool.Close()
			return nil, err
		}
	}
	return s, nil
}

// oneLine is why a connection failed, without the driver's list of every
// address it tried.
func oneLine(err error) string {
	var refused *pgconn.PgError
	var network *net.OpError
	switch {
	case errors.As(err, &refused):
		return refused.Message
	case errors.As(err, &network):
		return network.Err.Error()
	}
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' })
	return strings.TrimSpace(lines[len(lines)-1])
}

func setDefault(params map[string]string, key, value string) {
	if _, ok := params[key]; !ok {
		params[key] = value
	}
}

// Migrate runs fn with a migrator of this database.
func (s *Store) Migrate(ctx context.Context, fn func(*migrations.Migrator) error) error {
	db := stdlib.OpenDBFromPool(s.pool)
	defer db.Close()
	m, err := migrations.New(migrations.Postgres, db, nil)
	if err != nil {
		return err
	}
	return fn(m)
}

// Connections implements [db.Store].
func (s *Store) Connections() (reads, writes int) { return 0, int(s.pool.Config().MaxConns) }

// Kind implements [db.Store].
func (s *Store) Kind() string { return "postgres" }

// Ping implements [db.Store].
func (s *Store) Ping(ctx context.Context) error { return unavailable(s.pool.Ping(ctx)) }

// Close implements [db.Store].
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// Read implements [db.Store]. A read whose connection broke runs once more, on another:
// a read has no changes to repeat.
func (s *Store) Read(ctx context.Context, fn func(*db.Tx) error) error {
	err := s.in(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead}, fn)
	if errors.Is(err, model.ErrUnavailable) && ctx.Err() == nil {
		err = s.in(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead}, fn)
	}
	return err
}

// Write implements [db.Store].
func (s *Store) Write(ctx context.Context, fn func(*db.Tx) error) error {
	var err error
	for try := range writeTries {
		if err = s.in(ctx, pgx.TxOptions{}, fn); !refused(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return unavailable(ctx.Err())
		case <-time.After(rand.N(time.Duration(try+1) * 5 * time.Millisecond)):
		}
	}
	return errors.Join(model.ErrUnavailable, err)
}

func (s *Store) in(ctx context.Context, o pgx.TxOptions, fn func(*db.Tx) error) error {
	tx, err := s.pool.BeginTx(ctx, o)
	if err != nil {
		return unavailable(err)
	}
	// Rolled back under its own limit: the caller's context may be over, and
	// the connection should still go back clean.
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		tx.Rollback(ctx)
	}()
	if err := fn(db.NewTx(ctx, conn{tx}, &s.dialect)); err != nil {
		return unavailable(err)
	}
	return unavailable(tx.Commit(ctx))
}

// conn makes a db.Conn of a transaction.
type conn struct{ tx pgx.Tx }

func (c conn) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	tag, err := c.tx.Exec(ctx, sql, args...)
	return tag.RowsAffected(), err
}

func (c conn) Query(ctx context.Context, sql string, args ...any) (db.Rows, error) {
	return c.tx.Query(ctx, sql, args...)
}

func state(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// refused reports a transaction that may pass if it runs again: serialization
// failure, deadlock.
func refused(err error) bool {
	c := state(err)
	return c == "40001" || c == "40P01"
}

func duplicate(err error) bool { return state(err) == "23505" }

// unavailable marks failures that are the database's or the network's, not the
// statement's: connection lost, shutting down, out of resources, too slow.
func unavailable(err error) error {
	if err == nil || errors.Is(err, model.ErrUnavailable) {
		return err
	}
	c := state(err)
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case strings.HasPrefix(c, "08"), strings.HasPrefix(c, "53"), strings.HasPrefix(c, "57P"), strings.HasPrefix(c, "58"),
		c == "55P03", c == "57014", c == "25P03", c == "25006",
		errors.As(err, &connect), errors.As(err, &network), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		pgconn.Timeout(err), pgconn.SafeToRetry(err), errors.Is(err, pgx.ErrTxClosed),
		strings.Contains(err.Error(), "conn closed"), strings.Contains(err.Error(), "closed pool"):
		return errors.Join(model.ErrUnavailable, err)
	}
	return err
}
