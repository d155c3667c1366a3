package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/migrations"
)

// FileName is the database's name in the data directory.
const FileName = "fogkeep.db"

// How long a statement waits for another process's lock inside SQLite, where
// no context can wake it. A request asks again until its own time is over; a
// migration has no request to keep.
const (
	busyTimeout    = 200 * time.Millisecond
	migrateTimeout = 10 * time.Second
	writeTime      = 10 * time.Second // for transactions whose context has no end
)

// Store is a [db.Store].
type Store struct {
	writer, reader *database
	path           string
	group          group
	migrating      *sql.DB // nil until [Store.Migrator]
	dialect        db.Dialect
}

// Options are for tests, but for Migrated; the zero value is right for everyone else.
type Options struct {
	Hook      func(sql string) error // called for every statement, which fails with its error
	NoMigrate bool                   // leave the schema as it is
	Migrated  func(migrations.State) // called for each migration that was applied; may be nil
}

// Open opens the database in a directory, making both if they are not there,
// and applies migrations.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory %s: %w", dir, err)
	}
	path := filepath.Join(dir, FileName)
	if err := create(path); err != nil { // the hashes in it are for no other user of the machine
		return nil, fmt.Errorf("data directory %s: %w", dir, err)
	}
	s := &Store{path: path, dialect: db.Dialect{Duplicate: duplicate, Hook: o.Hook}}
	pool, err := open(path, "immediate", false, busyTimeout)
	if err != nil {
		return nil, err
	}
	s.writer = newDatabase(pool, 1)
	if !o.NoMigrate {
		m, err := s.Migrator(dir)
		if err == nil {
			err = m.UpAll(ctx, o.Migrated)
		}
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if pool, err = open(path, "deferred", true, busyTimeout); err != nil {
		s.Close()
		return nil, err
	}
	s.reader = newDatabase(pool, readers)
	return s, nil
}

// create makes a database file for its owner alone, unless the file is there: SQLite would let
// the group and others read it, and gives its other files the same mode.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func open(path, txlock string, queryOnly bool, busy time.Duration) (*sql.DB, error) {
	q := url.Values{"_txlock": {txlock}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()), "journal_mode(wal)", "synchronous(normal)", "foreign_keys(1)",
	}}
	if queryOnly {
		q["_pragma"] = append(q["_pragma"], "query_only(1)")
	}
	return sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
}

// Migrator applies the schema to this database. The store closes its connection.
func (s *Store) Migrator(dir string) (*migrations.Migrator, error) {
	if s.migrating == nil {
		pool, err := open(s.path, "immediate", false, migrateTimeout)
		if err != nil {
			return nil, err
		}
		pool.SetMaxOpenConns(1)
		s.migrating = pool
	}
	return migrations.New(migrations.SQLite, s.migrating, func(ctx context.Context) (func(), error) { return exclude(ctx, dir) })
}

// exclude keeps other processes from migrating: it holds the write lock of a
// second, empty database beside the first, which the system takes back if the
// process dies. The first one's own lock is no use, since each migration is a
// transaction there.
func exclude(ctx context.Context, dir string) (release func(), err error) {
	path := filepath.Join(dir, "migrate.lock")
	if err := create(path); err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil { // earlier versions left it to SQLite
		return nil, err
	}
	pool, err := open(path, "exclusive", false, busyTimeout)
	if err != nil {
		return nil, err
	}
	for {
		tx, err := pool.BeginTx(ctx, nil)
		if err == nil {
			return func() { tx.Rollback(); pool.Close() }, nil
		}
		if !busy(err) || ctx.Err() != nil {
			pool.Close()
			return nil, fmt.Errorf("waiting for another process that migrates: %w", err)
		}
	}
}

// readers is how many reads run at a time: SQLite computes in this process, so that more
// than there are processors only delay others, such as the ticks of matches.
var readers = max(2, runtime.GOMAXPROCS(0))

// Connections implements [db.Store]. Writes share a connection, and its
// transactions.
func (s *Store) Connections() (reads, writes int) { return readers, groupMax }

// Kind implements [db.Store].
func (s *Store) Kind() string { return "sqlite" }

// Ping implements [db.Store].
func (s *Store) Ping(ctx context.Context) error { return unavailable(s.reader.ping(ctx)) }

// Close implements [db.Store].
func (s *Store) Close() error {
	var err error
	if s.migrating != nil {
		err = s.migrating.Close()
	}
	if s.reader != nil {
		err = errors.Join(err, s.reader.Close())
	}
	return errors.Join(err, s.writer.Close())
}

// Read implements [db.Store].
func (s *Store) Read(ctx context.Context, fn func(*db.Tx) error) error {
	tx, err := s.reader.begin(ctx, "BEGIN")
	if err != nil {
		return unavailable(err)
	}
	defer tx.rollback()
	if err := fn(db.NewTx(ctx, conn{tx}, &s.dialect)); err != nil {
		return unavailable(err)
	}
	return unavailable(tx.commit())
}

func code(err error) (int, bool) {
	var e *driver.Error
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.Code(), true
}

func busy(err error) bool {
	c, ok := code(err)
	return ok && (c&0xff == lib.SQLITE_BUSY || c&0xff == lib.SQLITE_LOCKED)
}

func duplicate(err error) bool {
	c, ok := code(err)
	return ok && (c == lib.SQLITE_CONSTRAINT_UNIQUE || c == lib.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// unavailable marks failures that are the database's, not the statement's.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	c, ok := code(err)
	switch c & 0xff {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return &model.Error{Code: model.Unavailable, Detail: "the file of the database is damaged: restore a backup",
			RetryAfter: model.RetryAfter(model.Unavailable), Err: errors.Join(model.ErrUnavailable, err)}
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_IOERR, lib.SQLITE_FULL, lib.SQLITE_CANTOPEN, lib.SQLITE_READONLY, lib.SQLITE_INTERRUPT, lib.SQLITE_NOMEM:
		if ok {
			return errors.Join(model.ErrUnavailable, err)
		}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, sql.ErrTxDone) ||
		err.Error() == "sql: database is closed" {
		return errors.Join(model.ErrUnavailable, err)
	}
	return err
}
