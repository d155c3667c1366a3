package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"

	"github.com/fogkeep/fogkeep/lobby/db"
)

// preparedMax bounds the statements that a connection keeps; lists in IN (...) make
// some of many lengths.
const preparedMax = 200

// database is a bounded number of connections.
//
// Transactions are begun by a statement and not by [sql.DB.BeginTx], and no statement
// is given a context that can end. Otherwise database/sql and the driver start up to
// two goroutines a statement, which only wait for that end. When a thousand people log
// in at once, the ticks of matches wait behind all these log-ins. The code checks the
// context before each statement and at each row. It does not interrupt a running
// statement: every long statement returns rows.
type database struct {
	db   *sql.DB
	free chan *connection // nil: a connection that is not open

	mu     sync.Mutex
	closed bool
}

func newDatabase(pool *sql.DB, connections int) *database {
	pool.SetMaxOpenConns(connections)
	d := &database{db: pool, free: make(chan *connection, connections)}
	for range connections {
		d.free <- nil
	}
	return d
}

// connection is one connection with the statements that were prepared on it.
type connection struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt // by SQL
}

// take waits for a connection. The caller has to call give.
func (d *database) take(ctx context.Context) (*connection, error) {
	select {
	case c := <-d.free:
		if c != nil {
			return c, nil
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	conn, err := d.db.Conn(ctx)
	if err != nil {
		d.free <- nil
		return nil, err
	}
	return &connection{conn, map[string]*sql.Stmt{}}, nil
}

// give takes a connection back. A broken one is not used again.
func (d *database) give(c *connection, sound bool) {
	d.mu.Lock()
	if d.closed || !sound {
		c.close()
		c = nil
	}
	d.free <- c
	d.mu.Unlock()
}

// Close closes all connections; busy ones, once they are given back.
func (d *database) Close() error {
	d.mu.Lock()
	d.closed = true
	for range len(d.free) {
		if c := <-d.free; c != nil {
			c.close()
		}
		d.free <- nil
	}
	d.mu.Unlock()
	return d.db.Close()
}

func (c *connection) close() {
	for _, s := range c.prepared {
		s.Close()
	}
	c.conn.Close()
}

// statement returns a text prepared, or nil if so many are already that it is not kept.
func (c *connection) statement(text string) (*sql.Stmt, error) {
	s := c.prepared[text]
	if s != nil || len(c.prepared) == preparedMax {
		return s, nil
	}
	s, err := c.conn.PrepareContext(context.Background(), numbered(text))
	if err == nil {
		c.prepared[text] = s
	}
	return s, err
}

func (c *connection) exec(text string, args ...any) (sql.Result, error) {
	s, err := c.statement(text)
	switch {
	case err != nil:
		return nil, err
	case s != nil:
		return s.ExecContext(context.Background(), args...)
	}
	return c.conn.ExecContext(context.Background(), numbered(text), args...)
}

func (c *connection) query(text string, args ...any) (*sql.Rows, error) {
	s, err := c.statement(text)
	switch {
	case err != nil:
		return nil, err
	case s != nil:
		return s.QueryContext(context.Background(), args...)
	}
	return c.conn.QueryContext(context.Background(), numbered(text), args...)
}

// ping asks whether the database answers.
func (d *database) ping(ctx context.Context) error {
	c, err := d.take(ctx)
	if err != nil {
		return err
	}
	_, err = c.exec("SELECT 1")
	d.give(c, err == nil)
	return err
}

// begin begins a transaction, by the statement that is given.
func (d *database) begin(ctx context.Context, by string) (*transaction, error) {
	c, err := d.take(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := c.exec(by); err != nil {
		d.give(c, busy(err))
		return nil, err
	}
	return &transaction{of: d, connection: c}, nil
}

// transaction is for one goroutine.
type transaction struct {
	*connection
	of   *database
	over bool
}

// commit ends the transaction. If it fails, no change is kept.
func (t *transaction) commit() error {
	if t.over {
		return sql.ErrTxDone
	}
	_, err := t.exec("COMMIT")
	if err != nil {
		t.rollback()
		return err
	}
	t.end(true)
	return nil
}

// rollback undoes the transaction. After the end it has no effect.
func (t *transaction) rollback() {
	if t.over {
		return
	}
	_, err := t.exec("ROLLBACK") // SQLite may have rolled back by itself, as for a full disk
	t.end(err == nil)
}

func (t *transaction) end(sound bool) {
	t.over = true
	t.of.give(t.connection, sound)
}

// conn makes a db.Conn of a transaction.
type conn struct{ tx *transaction }

func (c conn) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	r, err := c.tx.exec(text, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (c conn) Query(ctx context.Context, text string, args ...any) (db.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := c.tx.query(text, args...)
	if err != nil {
		return nil, err
	}
	return &rows{r, ctx}, nil
}

type rows struct {
	*sql.Rows
	ctx context.Context
}

func (r *rows) Next() bool { return r.ctx.Err() == nil && r.Rows.Next() }

func (r *rows) Err() error { return errors.Join(r.ctx.Err(), r.Rows.Err()) }

func (r *rows) Close() { r.Rows.Close() }

// numbered writes SQLite's numbered parameters (?1) for PostgreSQL's ($1). The
// statements hold no other dollar.
func numbered(text string) string { return strings.ReplaceAll(text, "$", "?") }
