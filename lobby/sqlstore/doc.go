// Package sqlstore is the SQL that lobby/sqlite and lobby/postgres share: it
// makes a [lobby.Tx] of a database transaction.
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
package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
)

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

type tx struct {
	ctx  context.Context
	conn Conn
	d    *Dialect
	// Seats as they are in the database, of lobbies that were locked here: what
	// SaveLobby compares with.
	locked map[model.LobbyID][]model.Seat
}

// NewTx makes a Tx of a database transaction.
func NewTx(ctx context.Context, conn Conn, d *Dialect) lobby.Tx { return &tx{ctx, conn, d, nil} }

func (t *tx) hook(sql string) error {
	if t.d.Hook == nil {
		return nil
	}
	return t.d.Hook(sql)
}

// exec runs a statement; a duplicate is lobby.ErrTaken.
func (t *tx) exec(sql string, args ...any) (int64, error) {
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
func (t *tx) must(sql string, args ...any) error {
	n, err := t.exec(sql, args...)
	if err == nil && n == 0 {
		err = model.ErrNotFound
	}
	return err
}

// one reads the first row into its columns; none is lobby.ErrNotFound.
func (t *tx) one(sql string, args []any, into ...any) error {
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
func (t *tx) each(sql string, args []any, row func(scan func(...any) error) error) error {
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
