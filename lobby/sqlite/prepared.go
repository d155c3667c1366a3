package sqlite

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/lobby/sqlstore"
)

// preparedMax bounds the statements that are kept; lists in IN (...) make some
// of many lengths.
const preparedMax = 200

// database is a pool of connections with the statements that were prepared on
// them. Preparing takes about as long as running one, and needs a connection of
// its own: a statement that is met for the first time runs unprepared, and is
// prepared after the transaction.
type database struct {
	*sql.DB

	mu    sync.Mutex
	known map[string]*sql.Stmt // by SQL; nil: met, not prepared yet
}

func newDatabase(db *sql.DB) *database {
	return &database{DB: db, known: map[string]*sql.Stmt{}}
}

// statement returns the prepared statement of a text, or nil for none yet.
func (d *database) statement(text string) *sql.Stmt {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, met := d.known[text]
	if !met && len(d.known) < preparedMax {
		d.known[text] = nil
	}
	return s
}

// prepare makes what transactions have met since. A failure leaves it for the
// next time.
func (d *database) prepare(ctx context.Context) {
	d.mu.Lock()
	var fresh []string
	for text, s := range d.known {
		if s == nil {
			fresh = append(fresh, text)
		}
	}
	d.mu.Unlock()
	if len(fresh) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	for _, text := range fresh {
		s, err := d.PrepareContext(ctx, numbered(text))
		if err != nil {
			return
		}
		d.mu.Lock()
		if d.known[text] == nil {
			d.known[text], s = s, nil
		}
		d.mu.Unlock()
		if s != nil {
			s.Close() // another was faster
		}
	}
}

// conn makes a sqlstore.Conn of a transaction.
type conn struct {
	tx *sql.Tx
	db *database
}

func (c conn) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	var r sql.Result
	var err error
	if s := c.db.statement(text); s != nil {
		r, err = c.tx.StmtContext(ctx, s).ExecContext(ctx, args...)
	} else {
		r, err = c.tx.ExecContext(ctx, numbered(text), args...)
	}
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (c conn) Query(ctx context.Context, text string, args ...any) (sqlstore.Rows, error) {
	var r *sql.Rows
	var err error
	if s := c.db.statement(text); s != nil {
		r, err = c.tx.StmtContext(ctx, s).QueryContext(ctx, args...)
	} else {
		r, err = c.tx.QueryContext(ctx, numbered(text), args...)
	}
	if err != nil {
		return nil, err
	}
	return rows{r}, nil
}

type rows struct{ *sql.Rows }

func (r rows) Close() { r.Rows.Close() }

// numbered writes SQLite's numbered parameters (?1) for PostgreSQL's ($1). The
// statements hold no other dollar.
func numbered(text string) string { return strings.ReplaceAll(text, "$", "?") }
