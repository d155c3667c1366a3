// Package db is the lobby's database: [Tx] has all SQL, and lobby/db/sqlite and
// lobby/db/postgres begin its transactions.
//
//	lobby.Service --Read/Write(fn)--> sqlite.Store   --begin--> NewTx(conn, dialect) --> fn
//	                                  postgres.Store --begin--> NewTx(conn, dialect) --> fn
//
// Nearly all of the schema's SQL means the same to both databases: numbered
// parameters, upserts, RETURNING. What differs is in [Dialect] and in the
// migrations. How to begin, what to try again, and which failure is the
// database's own stays with the two packages.
//
// A Tx is for one goroutine, inside the call it was handed to. It decides
// nothing about the game: rules are in lobby.
package db

import (
	"context"
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// Store keeps everything the lobby knows. Its two makers are lobby/db/sqlite and
// lobby/db/postgres; lobby/storetest holds both to the same behaviour. All
// methods may be called from any goroutine.
type Store interface {
	// Read runs fn in a transaction that changes nothing and sees one moment.
	Read(ctx context.Context, fn func(*Tx) error) error
	// Write runs fn in a transaction that is kept if fn returns nil. When the
	// database refuses it for the sake of another one, fn runs again from the
	// start: it must have no effect but through its Tx.
	Write(ctx context.Context, fn func(*Tx) error) error
	// Connections returns how many reads and how many writes the store takes at a time. No reads:
	// the connections of writes are for both.
	Connections() (reads, writes int)
	// Kind names the database in start lines and logs: "sqlite", "postgres".
	Kind() string
	// Ping asks whether the database answers.
	Ping(ctx context.Context) error
	// Close waits for running transactions and frees everything.
	Close() error
}

// Conn is a database transaction. SQL has parameters $1, $2, and so on.
type Conn interface {
	// Exec returns the number of rows it touched.
	Exec(ctx context.Context, sql string, args ...any) (int64, error)
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
}

// Rows is what both drivers' rows can do. After the last row the caller asks
// Err and then closes.
type Rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
	Close()
}

// Dialect is how two databases differ.
type Dialect struct {
	// ForUpdate and ForShare end a SELECT whose rows others must not change,
	// or not even lock, until the transaction ends. They are empty where only
	// one writes at a time.
	ForUpdate, ForShare string
	// ForClaim is ForUpdate for one who leaves out the rows that others have locked.
	ForClaim string
	// Duplicate tells the failure of a UNIQUE constraint.
	Duplicate func(error) bool
	// Hook is called for every statement, which fails with its error; for tests.
	Hook func(sql string) error
}

// Tx is one transaction: it lives as long as the call it was handed to, and its context
// is that call's. A thing that is not there is [model.ErrNotFound]; a second one of a
// thing that exists once is [model.ErrTaken].
type Tx struct {
	ctx  context.Context
	conn Conn
	d    *Dialect
	// Seats as they are in the database, of lobbies that were locked here: what
	// SaveLobby compares with.
	locked map[model.LobbyID][]model.Seat
}

// NewTx makes a Tx of a database transaction.
func NewTx(ctx context.Context, conn Conn, d *Dialect) *Tx { return &Tx{ctx, conn, d, nil} }

func (t *Tx) hook(sql string) error {
	if t.d.Hook == nil {
		return nil
	}
	return t.d.Hook(sql)
}

// exec runs a statement; a duplicate is lobby.ErrTaken.
func (t *Tx) exec(sql string, args ...any) (int64, error) {
	if err := t.hook(sql); err != nil {
		return 0, err
	}
	n, err := t.conn.Exec(t.ctx, sql, args...)
	if err != nil && t.d.Duplicate(err) {
		return 0, errors.Join(model.ErrTaken, err)
	}
	return n, err
}

// must is exec for a row that has to be there.
func (t *Tx) must(sql string, args ...any) error {
	n, err := t.exec(sql, args...)
	if err == nil && n == 0 {
		err = model.ErrNotFound
	}
	return err
}

// one reads the first row into its columns; none is lobby.ErrNotFound.
func (t *Tx) one(sql string, args []any, into ...any) error {
	found := false
	err := t.each(sql, args, func(scan func(...any) error) error {
		if found {
			return nil
		}
		found = true
		return scan(into...)
	})
	if err == nil && !found {
		err = model.ErrNotFound
	}
	return err
}

// each calls row for each row.
func (t *Tx) each(sql string, args []any, row func(scan func(...any) error) error) error {
	if err := t.hook(sql); err != nil {
		return err
	}
	rows, err := t.conn.Query(t.ctx, sql, args...)
	if err == nil {
		defer rows.Close()
		for rows.Next() {
			if err := row(rows.Scan); err != nil {
				return err
			}
		}
		err = rows.Err()
	}
	if err != nil && t.d.Duplicate(err) {
		return errors.Join(model.ErrTaken, err)
	}
	return err
}

// ms is a time as it is stored: milliseconds since 1970, 0 for the zero Time.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMs(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}

// null is an empty string as it is stored where empty ones may repeat.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}
