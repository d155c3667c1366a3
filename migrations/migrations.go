package migrations

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed sql/*.sql
var files embed.FS

// oldest is the version of the first file, which makes the whole schema of its version.
const oldest = 21

// Dialect is a kind of database.
type Dialect string

// The dialects.
const (
	Postgres Dialect = "postgres"
	SQLite   Dialect = "sqlite"
)

// words are the parts of the SQL that differ between the dialects.
type words struct {
	Counter, Bytes string // types of a column: the number of a row, and bytes
	Postgres       bool
}

var wordsOf = map[Dialect]words{
	Postgres: {Counter: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", Bytes: "BYTEA", Postgres: true},
	SQLite:   {Counter: "INTEGER PRIMARY KEY AUTOINCREMENT", Bytes: "BLOB"},
}

// inDialect is a folder of migrations whose files have the words of a dialect.
type inDialect struct {
	fs.FS
	words
}

func (d inDialect) Open(name string) (fs.File, error) {
	f, err := d.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return f, err
	}
	t, err := template.ParseFS(d.FS, name)
	if err != nil {
		return nil, err
	}
	text := &bytes.Buffer{}
	return file{f, text}, t.Execute(text, d.words)
}

// file is a file with another text.
type file struct {
	fs.File
	text *bytes.Buffer
}

func (f file) Read(p []byte) (int, error) { return f.text.Read(p) }

// Migrator applies the schema to one database. It does not close it.
type Migrator struct {
	provider *goose.Provider
	exclude  func(context.Context) (release func(), err error)
}

// State is one migration's.
type State struct {
	Version   int64
	Name      string
	Applied   bool
	AppliedAt time.Time // zero if not applied
	Took      time.Duration
}

// New returns a migrator. exclude keeps other processes out while it works; nil
// leaves that to the database's own session lock (PostgreSQL).
func New(d Dialect, db *sql.DB, exclude func(context.Context) (release func(), err error)) (*Migrator, error) {
	dir, err := fs.Sub(files, "sql")
	if err != nil {
		return nil, err
	}
	dialect, options := goose.DialectSQLite3, []goose.ProviderOption{}
	if d == Postgres {
		dialect = goose.DialectPostgres
		// Asks for the lock each second: the default of five makes racing
		// starters wait that long for nothing.
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(dialect, db, inDialect{dir, wordsOf[d]}, options...)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	if exclude == nil {
		exclude = func(context.Context) (func(), error) { return func() {}, nil }
	}
	return &Migrator{provider, exclude}, nil
}

// Latest is the number of the newest migration.
func (m *Migrator) Latest() int64 {
	sources := m.provider.ListSources()
	return sources[len(sources)-1].Version
}

// Version is the number of the newest migration that is applied, 0 for none.
func (m *Migrator) Version(ctx context.Context) (int64, error) {
	return m.provider.GetDBVersion(ctx)
}

// Up applies the missing migrations, all or up to a version (0: all), and returns the applied ones, also with an error.
func (m *Migrator) Up(ctx context.Context, to int64) (applied []State, err error) {
	release, err := m.exclude(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if to == 0 {
		to = m.Latest()
	}
	version, err := m.Version(ctx)
	if err != nil {
		return nil, explain(err)
	}
	if version > m.Latest() {
		return nil, fmt.Errorf("migrations: the database is at version %d, this program knows %d: run the program that it belongs to", version, m.Latest())
	}
	if version > 0 && version < oldest {
		return nil, fmt.Errorf("migrations: the database is at version %d, and this program upgrades from version %d on: upgrade it by an earlier program first", version, oldest)
	}
	if to < oldest {
		return nil, fmt.Errorf("migrations: version %d does not exist: the first is %d", to, oldest)
	}
	results, err := m.provider.UpTo(ctx, to)
	if partial := (*goose.PartialError)(nil); errors.As(err, &partial) {
		results = partial.Applied
	}
	return states(results), explain(err)
}

// UpAll applies what is missing, and calls each, if it is not nil, for what it applied.
func (m *Migrator) UpAll(ctx context.Context, each func(State)) error {
	applied, err := m.Up(ctx, 0)
	for _, s := range applied {
		if each != nil {
			each(s)
		}
	}
	return err
}

// Down takes the newest migration back, with the data it holds.
func (m *Migrator) Down(ctx context.Context) (State, error) {
	release, err := m.exclude(ctx)
	if err != nil {
		return State{}, err
	}
	defer release()
	result, err := m.provider.Down(ctx)
	if errors.Is(err, goose.ErrNoNextVersion) {
		return State{}, errors.New("migrations: no migration is applied")
	}
	if err != nil {
		return State{}, explain(err)
	}
	return State{Version: result.Source.Version, Name: name(result.Source.Path)}, nil
}

// Status lists every migration, oldest first.
func (m *Migrator) Status(ctx context.Context) ([]State, error) {
	list, err := m.provider.Status(ctx)
	if err != nil {
		return nil, explain(err)
	}
	out := make([]State, 0, len(list))
	for _, s := range list {
		out = append(out, State{Version: s.Source.Version, Name: name(s.Source.Path), Applied: s.State == goose.StateApplied, AppliedAt: s.AppliedAt})
	}
	return out, nil
}

func states(results []*goose.MigrationResult) []State {
	out := make([]State, 0, len(results))
	for _, r := range results {
		out = append(out, State{Version: r.Source.Version, Name: name(r.Source.Path), Applied: true, AppliedAt: time.Now(), Took: r.Duration})
	}
	return out
}

func name(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}

func explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("migrations: %w", err)
}
