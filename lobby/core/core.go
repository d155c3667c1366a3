package core

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Options configures a [Core]; lobby.Config has the defaults.
type Options struct {
	Store  db.Store
	Ledger *Ledger
	Logger *slog.Logger
	Now    func() time.Time

	Node                      string // name of this process
	StoreTimeout, TurnTimeout time.Duration
}

// Core is shared by all domains.
type Core struct {
	Options
	full fullCounts

	readTurns, writeTurns *turns // one and the same, if the store's connections are for both
	reads, writes         outage
}

// New returns a core. It touches no store yet.
func New(o Options) *Core {
	reads, writes := o.Store.Connections()
	s := &Core{Options: o, writeTurns: newTurns(writes)}
	if s.readTurns = s.writeTurns; reads > 0 {
		s.readTurns = newTurns(reads)
	}
	return s
}

// Save stores a lobby and the time of its change.
func (s *Core) Save(tx *db.Tx, l *model.Lobby) error {
	l.Touched = s.Now()
	return tx.Lobbies.Save(l)
}

// Read and write run one transaction in its turn, inside the store's time limit, and
// name what cannot be helped as unavailable.
func (s *Core) Read(ctx context.Context, fn func(*db.Tx) error) error {
	return s.Explain(s.note(ctx, "reads", &s.reads, s.readTurns.inTurn(ctx, &s.Options, func(ctx context.Context) error { return s.Store.Read(ctx, fn) })))
}

// Get reads one value in a transaction of its own.
func Get[T any](ctx context.Context, s *Core, read func(*db.Tx) (T, error)) (out T, err error) {
	err = s.Read(ctx, func(tx *db.Tx) (err error) {
		out, err = read(tx)
		return err
	})
	return out, err
}

func (s *Core) Write(ctx context.Context, fn func(*db.Tx) error) error {
	return s.Explain(s.note(ctx, "writes", &s.writes, s.writeTurns.inTurn(ctx, &s.Options, func(ctx context.Context) error { return s.Store.Write(ctx, fn) })))
}

// note logs when the store begins to fail requests, and when it recovers. A request whose caller has left says neither.
func (s *Core) note(ctx context.Context, subject string, o *outage, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	now := s.Now()
	if !errors.Is(err, model.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
		if length, failures, over := o.worked(now); over {
			s.Logger.Info("lobby: the store works again", "what", subject, "outageMs", length.Milliseconds(), "failures", failures)
		}
	} else if o.failed(now) {
		s.Logger.Error("lobby: the store does not work; the next line about it comes when it does", "what", subject, "err", err)
	}
	return err
}

func (s *Core) Explain(err error) error {
	if err == nil {
		return nil
	}
	e := model.AsError(err)
	if e.Code == model.Internal && errors.Is(err, context.DeadlineExceeded) {
		e = &model.Error{Code: model.Unavailable, RetryAfter: model.RetryAfter(model.Unavailable), Err: err}
	}
	if e.Code == model.Internal && !errors.Is(err, context.Canceled) { // of an outage there is a line already, see note
		s.Logger.Error("lobby: store", "code", e.Code, "err", err)
	}
	return e
}
