package storetest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/matchmaking"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// cheap is a password cost for tests: the least that argon2 takes.
var cheap = account.Hashing{MemoryKiB: 64, Passes: 1}

// Harness is a service with its stand-ins and a clock of its own.
type Harness struct {
	*lobby.Service
	Fakes *Matches
	Robot *Bots
	Past  *Replays
	Begun *Starts
	nowMs atomic.Int64
}

// Step moves the clock.
func (h *Harness) Step(d time.Duration) { h.nowMs.Add(d.Milliseconds()) }

// NewHarness makes a service over a store, for tests. change may alter the
// configuration.
func NewHarness(store db.Store, change ...func(*lobby.Config)) *Harness {
	h := &Harness{Fakes: NewMatches(), Robot: &Bots{}, Begun: &Starts{}, Past: &Replays{Refused: map[model.MatchID]error{}, Runs: map[model.MatchID]bool{}}}
	h.nowMs.Store(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	c := lobby.Config{
		Store: store, Maps: Maps{}, Queues: Queues, Matches: h.Fakes, Bots: h.Robot, Replays: h.Past, Starts: h.Begun, Hashing: cheap, StoreTimeout: 20 * time.Second,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now:    func() time.Time { return time.UnixMilli(h.nowMs.Load()).UTC() },
		Ledger: Ledger("new-guests.address=100000"),
	}
	for _, f := range change {
		f(&c)
	}
	h.Service = lobby.New(c)
	return h
}

// Budget is a ledger that refuses only by stored counts, with these changes of
// its limits.
func Ledger(changes ...string) *quota.Ledger {
	table := quota.Defaults()
	for i := range table {
		if table[i].Kind != quota.Stored {
			table[i].Most = [len(table[i].Most)]int64{}
		}
	}
	table, err := table.Set(changes)
	if err != nil {
		panic(err)
	}
	return quota.New(table)
}

// Unlimited is a ledger without limits.
func Unlimited() *quota.Ledger {
	table := quota.Defaults()
	for i := range table {
		table[i].Most = [len(table[i].Most)]int64{}
	}
	return quota.New(table)
}

// Tick lets the janitor do its work once.
func (h *Harness) Tick(t testing.TB) {
	t.Helper()
	must(t, h.RunRound(context.Background(), 0))
}

// From is a client at an address.
func From(address string) model.Client {
	return model.Client{Address: netip.MustParseAddr(address), UserAgent: "test"}
}

// Home is where most tests come from.
var Home = From("192.0.2.1")

// Guest makes a guest.
func (h *Harness) NewGuest(t testing.TB, name string) model.Account {
	t.Helper()
	a, _, err := h.Account.Guest(context.Background(), Home, name)
	if err != nil {
		t.Fatalf("guest %s: %v", name, err)
	}
	return a
}

// NewLobby makes a lobby on the map with eight starts.
func (h *Harness) NewLobby(t testing.TB, host model.Account, n room.NewLobby) *model.Lobby {
	t.Helper()
	if n.Name == "" {
		n.Name = "lobby of " + host.Name
	}
	if n.Map == "" {
		n.Map = "ring"
	}
	l, err := h.Room.Create(context.Background(), Home, host, n)
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return l
}

// AddMatch makes a match known to the store that runs nowhere.
func (h *Harness) AddMatch(t testing.TB, id model.MatchID) {
	t.Helper()
	must(t, h.Store.Write(context.Background(), func(tx *db.Tx) error {
		return tx.Matches.Add(model.Match{ID: id, Node: "elsewhere", State: model.MatchLive, Started: h.Now()})
	}))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ctx is the context of calls whose end does not matter.
var ctx = context.Background()

// Queues are the queues of a harness: for two players, for four, and a third that bots
// fill after half a minute; one with vetoes and seasons; and one with factions.
var Queues = []model.Queue{
	{ID: "1v1", Name: "1 v 1", TeamSize: 1},
	{ID: "2v2", Name: "2 v 2", TeamSize: 2, Options: options(`{"teams":"sides"}`)},
	{ID: "bots", Name: "With bots", TeamSize: 2, BotAfterSeconds: 30, BotLevel: model.HardBot, Options: options(`{"teams":"sides"}`)},
	{ID: "pool", Name: "Pool", TeamSize: 1, Maps: []string{"ford", "delta", "ring"}, Vetoes: 1, Width: &matchmaking.Width{Start: 3000}, Ladder: &model.Ladder{
		Placements: 2, KeepPercent: 50, Decay: &model.Decay{Above: 1500, AfterDays: 7, PerDay: 10}, Divisions: []model.Division{{Name: "Iron", From: 0}, {Name: "Gold", From: 1500}},
	}},
	{ID: "sides", Name: "Factions", TeamSize: 2, Options: options(`{"teams":"sides","ruleset":"sides"}`)},
}

// options reads options as a client sends them.
func options(text string) (o map[string]any) {
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	return o
}
