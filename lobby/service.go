package lobby

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/play"
	"github.com/fogkeep/fogkeep/lobby/queue"
	"github.com/fogkeep/fogkeep/lobby/relation"
	"github.com/fogkeep/fogkeep/lobby/replay"
	"github.com/fogkeep/fogkeep/lobby/report"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/lobby/seat"
	"github.com/fogkeep/fogkeep/lobby/studio"
)

// Config configures a [Service]. Only Store and Maps are required; the zero value of
// each other field means the default named beside it.
type Config struct {
	Store db.Store
	Maps  model.Maps
	// Rulesets lists the rulesets that Matches plays by, in the order to show them;
	// nil: no rulesets. It is called from any goroutine.
	Rulesets func() []model.RulesetInfo
	// Modes lists the names of the modes that Matches plays; nil: no modes. It is
	// called from any goroutine.
	Modes   func() []string
	Matches model.Matches // nil: no match can start (the CLI)
	Ledger  *core.Ledger  // what accounts and addresses may take; nil: no limit
	Bots    model.Bots    // without one bots' seats stay empty sockets

	Starts room.Starts // nil: no match can be played on, and no scenario
	// PlayerScenarios: players too may make lobbies of scenarios, not only admins.
	PlayerScenarios bool
	Replays         replay.Replays // nil: no match can be watched once it is over
	ReplayLife      time.Duration  // how long journals of matches that are over are kept; 0: for ever
	// ReplayKey is what keys of links to replays are made of, at least 32 random bytes:
	// the same after a restart, and on all nodes. nil: one is drawn, and links end with
	// the process.
	ReplayKey []byte

	Cluster admin.Cluster // nil: this process is no node of one
	Packs   model.Packs   // nil: there are no packs

	Queues     []model.Queue         // for which players wait; empty: no matchmaking
	Registerer prometheus.Registerer // for metrics; nil: no metrics

	Outbound core.Outbound // where webhook endpoints may be; the zero value: at public addresses

	Logger *slog.Logger     // slog.Default()
	Now    func() time.Time // time.Now; decides only about expiry

	Node         string        // name of this process among those on one database, the same after a restart; "local"
	NodeURL      string        // the players' address of this process, http(s)://host; "": the common address
	Protocol     uint32        // the wire's version that clients must speak; 0: any
	StoreTimeout time.Duration // 3 s of a transaction's own; after that the store is unavailable
	TurnTimeout  time.Duration // 15 s; after that the server tells a waiting caller that it is busy
	BuildWait    time.Duration // 1 h; so long a match is kept that only another build can continue
	SessionLife  time.Duration // 30 days
	AdminLife    time.Duration // 12 hours
	LobbyIdle    time.Duration // 1 h; the janitor closes an open lobby without activity
	GuestLife    time.Duration // 0: matches of guests, and guests who played, are kept for ever
	AuditLife    time.Duration // 0: rows of the audit are kept for ever
	Hashing      account.Hashing

	NoOwnLogin bool     // no registration or log-in by name and password
	NoGuests   bool     // every player needs an account
	Issuers    []string // whose identities log in; links with others are kept, and are no way in
}

// Service is the lobby: its domains over one [db.Store].
type Service struct {
	*admission.Gate
	Rulesets  func() []model.RulesetInfo
	Modes     func() []string
	NodeURL   string
	LobbyIdle time.Duration

	Hub     *event.Hub
	Hooks   *hook.Service
	Seats   *seat.Service
	Account *account.Service
	Replay  *replay.Service
	Play    *play.Service
	Room    *room.Service
	Queue   *queue.Service
	Studio  *studio.Service
	Admin   *admin.Service

	Relation *relation.Service
	Report   *report.Service

	rounds  sync.Mutex // held during a round of the janitor
	lobbies *prometheus.GaugeVec
}

// New returns a service. It does not touch the store yet: see [admin.Service.FirstAdmin] and
// [Service.Run].
func New(c Config) *Service {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rulesets == nil {
		c.Rulesets = func() []model.RulesetInfo { return nil }
	}
	if c.Modes == nil {
		c.Modes = func() []string { return nil }
	}
	c.Node = cmp.Or(c.Node, "local")
	c.StoreTimeout = cmp.Or(c.StoreTimeout, 3*time.Second)
	c.TurnTimeout = cmp.Or(c.TurnTimeout, 15*time.Second)
	c.BuildWait = cmp.Or(c.BuildWait, time.Hour)
	c.SessionLife = cmp.Or(c.SessionLife, 30*24*time.Hour)
	c.AdminLife = cmp.Or(c.AdminLife, 12*time.Hour)
	c.LobbyIdle = cmp.Or(c.LobbyIdle, time.Hour)
	if c.ReplayKey == nil {
		c.ReplayKey = make([]byte, 32)
		rand.Read(c.ReplayKey) // never fails: see crypto/rand
	}
	gate := &admission.Gate{Protocol: c.Protocol, Core: core.New(core.Options{
		Store: c.Store, Ledger: c.Ledger, Logger: c.Logger, Now: c.Now, Node: c.Node, StoreTimeout: c.StoreTimeout, TurnTimeout: c.TurnTimeout,
	})}
	s := &Service{Gate: gate, Rulesets: c.Rulesets, Modes: c.Modes, NodeURL: c.NodeURL, LobbyIdle: c.LobbyIdle, Hub: event.NewHub(gate.Core), Hooks: &hook.Service{Core: gate.Core, Outbound: c.Outbound}}
	s.lobbies = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "fogkeep_lobbies", Help: "Lobbies, of all processes on the database, by state: open, starting, playing, ended. Counted twice per minute."}, []string{"state"})
	if c.Registerer != nil {
		c.Registerer.MustRegister(s.lobbies)
	}
	s.Seats = &seat.Service{Gate: gate, Hub: s.Hub, Hooks: s.Hooks, Matches: c.Matches}
	s.Account = account.New(gate, account.Options{SessionLife: c.SessionLife, Hashing: c.Hashing, NoOwnLogin: c.NoOwnLogin, NoGuests: c.NoGuests, Issuers: c.Issuers}, s.Seats, s.Hub)
	s.Replay = &replay.Service{Gate: gate, Replays: c.Replays, ReplayLife: c.ReplayLife, ReplayKey: c.ReplayKey, AllNodes: c.Cluster != nil}
	s.Play = play.New(gate, play.Options{Matches: c.Matches, Bots: c.Bots, NodeURL: c.NodeURL, BuildWait: c.BuildWait}, s.Hub, s.Hooks)
	s.Room = &room.Service{
		Gate: gate, Hub: s.Hub, Hooks: s.Hooks, Seats: s.Seats, Replay: s.Replay, Account: s.Account, Play: s.Play,
		Maps: c.Maps, Matches: c.Matches, Starts: c.Starts, Offered: c.Packs, PlayerScenarios: c.PlayerScenarios,
	}
	s.Seats.Decide = s.Room.Decide
	s.Relation = &relation.Service{Gate: gate}
	s.Report = &report.Service{Gate: gate, Record: c.Replays}
	s.Queue = queue.New(c.Queues, s.Room, c.Registerer)
	s.Play.Rate, s.Play.List = s.Queue.Rate, replay.List
	s.Studio = &studio.Service{Gate: gate, Hooks: s.Hooks, Replay: s.Replay, Account: s.Account, Play: s.Play, Room: s.Room}
	s.Admin = &admin.Service{
		Gate: gate, Hub: s.Hub, Hooks: s.Hooks, Seats: s.Seats, Account: s.Account, Play: s.Play, Room: s.Room, Queue: s.Queue, Studio: s.Studio,
		Options: admin.Options{Matches: c.Matches, Cluster: c.Cluster, Offered: c.Packs, AdminLife: c.AdminLife, GuestLife: c.GuestLife, AuditLife: c.AuditLife},
	}
	return s
}

// Ready returns nil if the service can do its work: else [model.Unavailable], because
// the database does not answer, or [model.Draining].
func (s *Service) Ready(ctx context.Context) error {
	return s.Read(ctx, func(tx *db.Tx) error {
		state, err := tx.Nodes.State()
		if err == nil && state.Draining {
			err = &model.Error{Code: model.Draining, RetryAfter: model.RetryAfter(model.Draining)}
		}
		return err
	})
}

// Writable returns nil if the store takes writes: it notes that this process lives. The
// write is tiny; the caller bounds how often.
func (s *Service) Writable(ctx context.Context) error {
	return s.Write(ctx, func(tx *db.Tx) error { return tx.Nodes.Heartbeat(s.Node, s.NodeURL, s.Now()) })
}
