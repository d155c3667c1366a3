package lobby

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Config is what a [Service] needs. Only Store and Maps are required to begin
// with; the zero value of the rest is the default named beside it.
type Config struct {
	Store db.Store
	Maps  Maps
	// Rulesets lists the rulesets that Matches plays by, in the order to show them;
	// nil: none. It is called from any goroutine.
	Rulesets func() []RulesetInfo
	// Modes lists the names of the modes that Matches plays; nil: none. It is called
	// from any goroutine.
	Modes   func() []string
	Matches Matches // without one nothing can start (the CLI)
	Budget  *Ledger // what accounts and addresses may take; nil: no limit
	Bots    Bots    // without one bots' seats stay empty sockets

	Starts Starts // nil: no match can be played on, and no scenario
	// PlayerScenarios: players too may make lobbies of scenarios, not only admins.
	PlayerScenarios bool
	Replays         Replays       // nil: no match can be watched once it is over
	ReplayLife      time.Duration // how long journals of matches that are over are kept; 0: for ever
	// ReplayKey is what keys of links to replays are made of, at least 32 random bytes:
	// the same after a restart, and on all nodes. nil: one is drawn, and links end with
	// the process.
	ReplayKey []byte

	Cluster Cluster // nil: this process is no node of one

	Queues     []model.Queue         // for which players wait; none: there is no matchmaking
	Registerer prometheus.Registerer // for metrics; nil: none

	Outbound Outbound // where webhook endpoints may be; the zero value: at public addresses

	Logger *slog.Logger     // slog.Default()
	Now    func() time.Time // time.Now; decides only about expiry

	Node         string        // name of this process among those on one database, the same after a restart; "local"
	NodeURL      string        // where players reach this process, http(s)://host; "": where they reach any of them
	Protocol     uint32        // the wire's version that clients must speak; 0: any
	StoreTimeout time.Duration // 3 s of a transaction's own; after that the store is unavailable
	TurnTimeout  time.Duration // 15 s; after that one who waits for a turn is told that the server is busy
	BuildWait    time.Duration // 1 h; so long a match is kept that only another build can continue
	SessionLife  time.Duration // 30 days
	AdminLife    time.Duration // 12 hours
	LobbyIdle    time.Duration // 1 h; an open lobby that nobody touches is closed
	GuestLife    time.Duration // 0: matches of guests, and guests who played, are kept for ever
	AuditLife    time.Duration // 0: rows of the audit are kept for ever
	Hashing      Hashing

	NoOwnLogin bool     // nobody registers or logs in by name and password
	NoGuests   bool     // nobody plays without an account
	Issuers    []string // whose identities log in; links with others are kept, and are no way in
}

// Service is the lobby: every rule about who may do what, over a [db.Store].
type Service struct {
	Config
	hasher   *hasher
	inFlight attemptsInFlight
	full     fullCounts
	hub      *hub

	readTurns, writeTurns *turns // one and the same, if the store's connections are for both

	queues atomic.Pointer[[]model.Queue]
	// Those that the last change has taken away. Queues of other nodes are not known here.
	removedQueues atomic.Pointer[[]string]
	queueHub      *queueHub
	queueMetrics  *queueMetrics

	leases        leases
	reads, writes outage

	// The janitor's own.
	rounds      sync.Mutex                  // held during a round
	missing     map[model.MatchID]time.Time // since when a match that should run here does not
	bansSeen    int64                       // of ServerState, when bans were last enforced
	recheckBans bool                        // there was a new ban at the last look
	firstSweep  bool                        // the first look after the start

	matchesPurged int64           // the last that was looked at
	guestsPurged  model.AccountID // likewise
	redacted      model.Redaction // likewise
}

// New returns a service. It touches nothing yet: see [Service.FirstAdmin] and
// [Service.Run].
func New(c Config) *Service {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Node = cmp.Or(c.Node, "local")
	c.StoreTimeout = cmp.Or(c.StoreTimeout, 3*time.Second)
	c.TurnTimeout = cmp.Or(c.TurnTimeout, 15*time.Second)
	c.BuildWait = cmp.Or(c.BuildWait, time.Hour)
	c.SessionLife = cmp.Or(c.SessionLife, 30*24*time.Hour)
	c.AdminLife = cmp.Or(c.AdminLife, 12*time.Hour)
	c.LobbyIdle = cmp.Or(c.LobbyIdle, time.Hour)
	c.Hashing = c.Hashing.withDefaults()
	if c.ReplayKey == nil {
		c.ReplayKey = make([]byte, 32)
		rand.Read(c.ReplayKey) // never fails: see crypto/rand
	}
	s := &Service{Config: c, hasher: newHasher(c.Hashing, c.Budget), inFlight: attemptsInFlight{n: map[string]int64{}}, missing: map[model.MatchID]time.Time{}}
	s.queues.Store(&s.Config.Queues)
	s.removedQueues.Store(&[]string{})
	s.hub = newHub(s)
	reads, writes := c.Store.Connections()
	s.writeTurns = newTurns(writes)
	if s.readTurns = s.writeTurns; reads > 0 {
		s.readTurns = newTurns(reads)
	}
	s.queueHub, s.queueMetrics = newQueueHub(), newQueueMetrics(c.Registerer)
	return s
}

// Ready returns nil if the service can do its work: else [model.Unavailable], because
// the database does not answer, or [model.Draining].
func (s *Service) Ready(ctx context.Context) error {
	return s.read(ctx, func(tx *db.Tx) error {
		state, err := tx.ServerState()
		if err == nil && state.Draining {
			err = &model.Error{Code: model.Draining, RetryAfter: model.RetryAfter(model.Draining)}
		}
		return err
	})
}

// Writable returns nil if the store takes writes: it notes that this process lives. What
// it writes is tiny; the caller bounds how often.
func (s *Service) Writable(ctx context.Context) error {
	return s.write(ctx, func(tx *db.Tx) error { return tx.Beat(s.Node, s.NodeURL, s.Now()) })
}

// read and write run one transaction in its turn, inside the store's time limit, and
// name what cannot be helped as unavailable.
func (s *Service) read(ctx context.Context, fn func(*db.Tx) error) error {
	return s.explain(s.note("reads", &s.reads, s.readTurns.inTurn(ctx, &s.Config, func(ctx context.Context) error { return s.Store.Read(ctx, fn) })))
}

// get reads one value in a transaction of its own.
func get[T any](ctx context.Context, s *Service, read func(*db.Tx) (T, error)) (out T, err error) {
	err = s.read(ctx, func(tx *db.Tx) (err error) {
		out, err = read(tx)
		return err
	})
	return out, err
}

func (s *Service) write(ctx context.Context, fn func(*db.Tx) error) error {
	return s.explain(s.note("writes", &s.writes, s.writeTurns.inTurn(ctx, &s.Config, func(ctx context.Context) error { return s.Store.Write(ctx, fn) })))
}

// note logs when the store begins to fail what it is asked, and when it does no more.
func (s *Service) note(what string, o *outage, err error) error {
	now := s.Now()
	if !errors.Is(err, model.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
		if length, failures, over := o.worked(now); over {
			s.Logger.Info("lobby: the store works again", "what", what, "outageMs", length.Milliseconds(), "failures", failures)
		}
	} else if o.failed(now) {
		s.Logger.Error("lobby: the store does not work; the next line about it comes when it does", "what", what, "err", err)
	}
	return err
}

func (s *Service) explain(err error) error {
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
