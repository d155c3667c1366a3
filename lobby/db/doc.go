// Package db is the lobby's database: it has all SQL, and lobby/db/sqlite and
// lobby/db/postgres begin its transactions. The domains of the lobby call it, inside a
// transaction of their core. A [Tx] has a field for each group of tables: [Accounts],
// [Lobbies], [Matches] and so on, whose methods are the statements on these tables.
//
//	core.Core     --Read/Write(fn)--> sqlite.Store   --begin--> NewTx(conn, dialect) --> fn
//	                                  postgres.Store --begin--> NewTx(conn, dialect) --> fn
//
// Nearly all of the schema's SQL means the same to both databases: numbered parameters,
// upserts, RETURNING. The differences are in [Dialect] and in the migrations. The two
// packages begin transactions, choose the ones to repeat, and recognize failures of the
// database itself.
//
// A Tx is for one goroutine, inside the call it was handed to. It never decides by the
// rules of lobbies or matches: package model and the domains do.
package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// Store keeps everything the lobby knows. Its two makers are lobby/db/sqlite and
// lobby/db/postgres; lobby/storetest holds both to the same behaviour. All
// methods may be called from any goroutine.
type Store interface {
	// Read runs fn in a read-only transaction that sees one moment.
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
	// ForClaim is ForUpdate that leaves out rows locked by others.
	ForClaim string
	// Duplicate tells the failure of a UNIQUE constraint.
	Duplicate func(error) bool
	// Hook is called for every statement, which fails with its error; for tests.
	Hook func(sql string) error
}

// Tx is one transaction: it lives as long as the call it was handed to, and has the
// call's context. A missing row is [model.ErrNotFound]; a duplicate of a unique row is
// [model.ErrTaken].
type Tx struct {
	*statements
	Accounts  Accounts
	Admins    Admins
	Audit     Audit
	Bans      Bans
	Cases     Cases
	Hooks     Hooks
	Keys      Keys
	Lobbies   Lobbies
	Matches   Matches
	Missions  Missions
	Nodes     Nodes
	Packs     Packs
	Parties   Parties
	Queues    Queues
	Ratings   Ratings
	Relations Relations
	Replays   Replays
	Sessions  Sessions
	Throttle  Throttle
}

// Each group of tables has a type. Methods that lock a row keep other transactions
// that lock the same row waiting until this transaction ends.
type (
	// Accounts has players with their settings, reset links and external identities.
	Accounts struct{ *statements }
	// Admins has the people who run the server.
	Admins struct{ *statements }
	// Audit has the chain of the admins' actions.
	Audit struct{ *statements }
	// Bans has the bans of accounts and addresses.
	Bans struct{ *statements }
	// Cases has the reports, notes and decisions about accounts.
	Cases struct{ *statements }
	// Hooks has webhook endpoints and their events.
	Hooks struct{ *statements }
	// Keys has service keys, their secrets and the matches that they made.
	Keys struct{ *statements }
	// Lobbies has lobbies with their seats, events and starts.
	Lobbies struct{ *statements }
	// Matches has matches with their seats and tickets.
	Matches struct{ *statements }
	// Missions has the best results of missions.
	Missions struct{ *statements }
	// Nodes has the processes on this database and the state that they share.
	Nodes struct{ *statements }
	// Packs has the published packs.
	Packs struct{ *statements }
	// Parties has parties with their members.
	Parties struct{ *statements }
	// Queues has the lock of matchmaking, and offers.
	Queues struct{ *statements }
	// Ratings has ratings and rated seats.
	Ratings struct{ *statements }
	// Relations has friends, blocks and avoided accounts, with messages and presence.
	Relations struct{ *statements }
	// Replays has watchers, replay tickets and redactions.
	Replays struct{ *statements }
	// Sessions has the sessions of players and admins.
	Sessions struct{ *statements }
	// Throttle has counters, and the places from which a login key was used.
	Throttle struct{ *statements }
)

// statements runs the SQL of one transaction.
type statements struct {
	ctx  context.Context
	conn Conn
	d    *Dialect
	// Seats in the database of lobbies that this transaction locked: Lobbies.Save
	// compares with them.
	locked map[model.LobbyID][]model.Seat
}

// NewTx makes a Tx of a database transaction.
func NewTx(ctx context.Context, conn Conn, d *Dialect) *Tx {
	s := &statements{ctx, conn, d, nil}
	return &Tx{
		s, Accounts{s}, Admins{s}, Audit{s}, Bans{s}, Cases{s}, Hooks{s}, Keys{s}, Lobbies{s}, Matches{s},
		Missions{s}, Nodes{s}, Packs{s}, Parties{s}, Queues{s}, Ratings{s}, Relations{s}, Replays{s}, Sessions{s}, Throttle{s},
	}
}

// reader reads rows: each type above is one.
type reader interface {
	each(sql string, args []any, row func(scan func(...any) error) error) error
}

func (t *statements) hook(sql string) error {
	if t.d.Hook == nil {
		return nil
	}
	return t.d.Hook(sql)
}

// exec runs a statement; a duplicate is model.ErrTaken.
func (t *statements) exec(sql string, args ...any) (int64, error) {
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
func (t *statements) must(sql string, args ...any) error {
	n, err := t.exec(sql, args...)
	if err == nil && n == 0 {
		err = model.ErrNotFound
	}
	return err
}

// one reads the first row into its columns; without a row it is model.ErrNotFound.
func (t *statements) one(sql string, args []any, into ...any) error {
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

// run is exec for a statement that may touch any number of rows.
func (t *statements) run(sql string, args ...any) error {
	_, err := t.exec(sql, args...)
	return err
}

// exists reports whether a query has a row.
func (t *statements) exists(sql string, args ...any) (has bool, err error) {
	err = t.one(`SELECT EXISTS (`+sql+`)`, args, &has)
	return has, err
}

// list reads all rows. columns says where the columns of a row go.
func list[T any](t reader, sql string, args []any, columns func(*T) []any) (out []T, err error) {
	err = t.each(sql, args, func(scan func(...any) error) error {
		var v T
		err := scan(columns(&v)...)
		out = append(out, v)
		return err
	})
	return out, err
}

// column reads one column of all rows.
func column[T any](t reader, sql string, args ...any) ([]T, error) {
	return list(t, sql, args, func(v *T) []any { return []any{v} })
}

// byKey reads rows of two columns.
func byKey[K comparable, V any](t reader, sql string, args ...any) (map[K]V, error) {
	out := map[K]V{}
	err := t.each(sql, args, func(scan func(...any) error) error {
		var k K
		var v V
		err := scan(&k, &v)
		out[k] = v
		return err
	})
	return out, err
}

// first returns the first of a list; without one it is model.ErrNotFound.
func first[T any](list []T, err error) (v T, _ error) {
	if err == nil && len(list) == 0 {
		err = model.ErrNotFound
	}
	if err != nil {
		return v, err
	}
	return list[0], nil
}

// each calls row for each row.
func (t *statements) each(sql string, args []any, row func(scan func(...any) error) error) error {
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

// moment scans a time that is stored as ms.
type moment struct{ t *time.Time }

// Scan implements [sql.Scanner].
func (m moment) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T", v)
	}
	*m.t = fromMs(n)
	return nil
}

// text scans a text that a function reads.
type text func(string) error

// Scan implements [sql.Scanner].
func (read text) Scan(v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("a text is stored as %T", v)
	}
	return read(s)
}

// asJSON scans a value that is stored by encode.
type asJSON struct{ into any }

// Scan implements [sql.Scanner].
func (j asJSON) Scan(v any) error {
	return text(func(s string) error {
		if s == "" {
			return nil
		}
		return json.Unmarshal([]byte(s), j.into)
	}).Scan(v)
}

// raw scans a text into bytes.
func raw[T ~[]byte](into *T) text {
	return func(s string) error { *into = T(s); return nil }
}

// result scans the result of a match.
func result(into **model.Outcomes) text {
	return func(s string) error { return decodeResult(s, into) }
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

// encode is a value as the database keeps it; a nil pointer is an empty text.
func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

func decodeResult(text string, into **model.Outcomes) error {
	if text == "" {
		return nil
	}
	*into = &model.Outcomes{Winners: []int{}, Seats: []model.SeatResult{}}
	return json.Unmarshal([]byte(text), *into)
}
