package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/helpers"
	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Service runs the matches of one process.
type Service struct {
	*host
	ownLibrary *playback.Library // nil: the config has one
	cancel     context.CancelFunc
	registry
	admission
}

// New returns a service without matches.
func New(cfg Config) *Service {
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	cfg.Clock = cmp.Or[Clock](cfg.Clock, Wall{})
	cfg.Grace = cmp.Or(cfg.Grace, time.Minute)
	cfg.Linger = cmp.Or(cfg.Linger, 5*time.Second)
	cfg.StateSeconds = cmp.Or(cfg.StateSeconds, StateSeconds)
	if cfg.Address == nil {
		cfg.Address = listen.Proxies(nil).Address
	}
	if cfg.Origin == nil {
		cfg.Origin = (*listen.Origins)(nil).Allows
	}
	if cfg.Refuse == nil {
		cfg.Refuse = listen.RefuseSocket
	}
	if cfg.Key == nil {
		cfg.Key = NewKey()
	}
	// One processor has the goroutine of the match that asks for help.
	h := &host{cfg: cfg, log: cfg.Logger, signer: cfg.Key, helpers: helpers.New(runtime.GOMAXPROCS(0) - 1)}
	s := &Service{host: h}
	if journals, ok := cfg.Journals.(journal.Follower); ok && cfg.Library == nil {
		s.ownLibrary = playback.New(playback.Config{Journals: journals, Busy: s.Busy, Logger: cfg.Logger})
		h.cfg.Library = s.ownLibrary
	}
	h.metrics = newMetrics(cfg.Registerer, func() float64 { return float64(h.pace.of()) })
	h.ctx, s.cancel = context.WithCancel(context.Background())
	h.disk = watermark{cfg: &h.cfg, metrics: h.metrics}
	h.calls = s
	s.registry = registry{
		host: h, matches: map[string]*live{}, starting: map[string]*starting{}, departures: departures{}, waiting: map[string]error{},
		roster: roster{at: map[string]map[string]bool{}, epochs: map[string]int64{}},
	}
	s.admission = admission{host: h, registry: &s.registry}
	return s
}

// Check returns why a wanted match is invalid, or nil.
func (s *Service) Check(spec Spec) error { return spec.Check() }

// Start makes a match and runs it. It returns once the match accepts sockets. An id
// that already runs is no error. If several calls have the same id, one makes the
// match and the others wait for it. Other matches and sockets do not wait.
func (s *Service) Start(spec Spec) error {
	if err := spec.Check(); err != nil {
		return fmt.Errorf("match %s: %w", spec.ID, err)
	}
	m, err := s.begin(spec.ID, func() (*live, error) { return s.make(spec) })
	if m != nil {
		s.log.Info("match started", "match", spec.ID, "map", spec.Map.Name, "players", len(spec.Seats))
	}
	return err
}

// make builds a match's world and opens its journal, which can be slow. It returns
// a panic as an error.
func (s *Service) make(spec Spec) (m *live, err error) {
	holds, err := s.reserve(&spec)
	if err != nil {
		return nil, fmt.Errorf("match %s: %w", spec.ID, err)
	}
	err = errors.New("internal error")
	defer func() {
		if err != nil {
			holds.release()
		}
	}()
	defer panics.Catch(s.log, "match start", nil)
	if m, err = newLive(s.host, spec); err != nil {
		return nil, fmt.Errorf("match %s: %w", spec.ID, err)
	}
	// From here on the match survives a kill of this process.
	ctx, cancel := context.WithTimeout(s.ctx, startWait)
	defer cancel()
	if err = m.journal.log.Wait(ctx, m.journal.log.Next()-1); err != nil {
		err = fmt.Errorf("match %s: its journal cannot be written: %w", spec.ID, err)
		m.noting.log.Close()
		return nil, errors.Join(err, m.journal.log.Close(), s.forget(spec.ID))
	}
	m.speed.holds = holds
	return m, nil
}

// startWait is how long a match that starts waits for its journal.
const startWait = 10 * time.Second

// reserve reserves a match's ticks and its bots in their quotas, before anything of the
// match exists. It reserves all or nothing. Its error is a [quota.Refusal] [ErrDiskLow]
// or [ErrBusy].
func (s *Service) reserve(spec *Spec) (h holds, err error) {
	if s.disk.isLow() {
		return h, ErrDiskLow
	}
	if s.pace.of() < paceRefuse {
		return h, ErrBusy
	}
	if h.ticks, err = s.cfg.Ledger.Take(quota.MatchTicks, spec.Payer, tickLoad(spec.Setup().TickRate, spec.SpeedPercent)); err != nil {
		return h, err
	}
	if h.bots, err = s.cfg.Ledger.Take(quota.BotSeats, spec.Payer, spec.Bots()); err != nil {
		h.release()
	}
	return h, err
}

// Room returns why a match could not start at the moment, or nil. It reserves nothing.
func (s *Service) Room(spec Spec) error {
	h, err := s.reserve(&spec)
	if err == nil {
		h.release()
	}
	return err
}

// Matches lists the live matches, newest first.
func (s *Service) Matches() []Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Info, 0, len(s.matches))
	for _, m := range s.matches {
		out = append(out, *m.info.Load())
	}
	slices.SortFunc(out, func(a, b Info) int { return strings.Compare(b.ID, a.ID) }) // UUIDv7 sorts by time
	return out
}

// Match returns the line of a match that runs here.
func (s *Service) Match(id string) (Info, bool) {
	m := s.find(id)
	if m == nil {
		return Info{}, false
	}
	return *m.info.Load(), true
}

// Abort ends a match without a winner. An id that does not run is no error.
func (s *Service) Abort(ctx context.Context, id, reason string) error {
	m, recorded := s.find(id), uint64(0)
	if m == nil {
		if _, ok := s.Waits(id); ok {
			return s.GiveUp(id, reason)
		}
		return nil
	}
	err := m.do(ctx, func(m *live) {
		m.abort(reason)
		recorded = m.journal.log.Next()
	})
	if errors.Is(err, ErrNoMatch) {
		return nil
	} else if err != nil {
		return err
	}
	return m.journal.log.Wait(ctx, recorded-1) // else a kill would bring back a match reported as over
}

// Keep sets whether a match goes on without people where its options would end it.
// The setting is part of the match and is in its journal.
func (s *Service) Keep(ctx context.Context, id string, on bool) error {
	return s.ask(ctx, id, func(m *live) {
		m.inputs.add(sim.Input{Kind: sim.InputKept, All: on})
	})
}

// in runs f on the goroutine of a match that runs here, and waits until it has run.
func (s *Service) in(ctx context.Context, id string, f func(*live)) error {
	m := s.find(id)
	if m == nil {
		return ErrNoMatch
	}
	return m.do(ctx, f)
}

// ask is in, without an error if the match does not run here.
func (s *Service) ask(ctx context.Context, id string, f func(*live)) error {
	if err := s.in(ctx, id, f); !errors.Is(err, ErrNoMatch) {
		return err
	}
	return nil
}

// Drain accepts no new matches. It returns once the running ones have ended, or
// with ctx's error.
func (s *Service) Drain(ctx context.Context) error {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("match: drain: %w", ctx.Err())
	}
}

// Stop stops all matches where they are, with their journals complete: they go on
// after exactly that tick in the next process, or in another. Once it returns, another
// process may take the journals. Sockets may still be saying goodbye.
func (s *Service) Stop() {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	s.cancel()
	s.running.Wait()
}

// Close stops all matches, see [Service.Stop]. It closes all sockets and waits for every
// goroutine of the service.
func (s *Service) Close() {
	s.Stop()
	s.sockets.Wait()
	if s.ownLibrary != nil {
		s.ownLibrary.Close()
	}
}

// ServeHTTP upgrades to a websocket and serves it.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.open(w, r, s.cfg.Address(r), false)
}

// Serve serves one connection inside the process, from its first message to its
// end. It returns once the transport is closed and all goroutines that it started
// have ended. No limit of accounts and addresses counts it: bots have a quota of their
// own.
func (s *Service) Serve(t link.Transport) { s.serve(t, &caller{}) }

// Busy reports whether the process has no time to spare beside its matches: some ticks
// were late in the last second, or all matches are slowed.
func (s *Service) Busy() bool { return s.pace.busy() }

// GiveUp ends a match that no server continues: its journal says so, and the result is
// reported.
func (s *Service) GiveUp(match, reason string) error {
	log, err := s.cfg.Journals.Open(match)
	if err != nil {
		return fmt.Errorf("match %s: %w", match, err)
	}
	if err := log.Append(log.Next(), journal.FailedRecord(reason)); err != nil {
		return errors.Join(fmt.Errorf("match %s: %w", match, err), log.Close())
	}
	s.mu.Lock()
	delete(s.waiting, match)
	s.mu.Unlock()
	s.handOn(Result{Match: match, Failed: reason}, log)
	return nil
}

// Carried serves the sockets that other processes carry here, of clients at these addresses.
// Only such processes may reach it.
func (s *Service) Carried(address func(*http.Request) netip.Addr) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.open(w, r, address(r), true) })
}

// Budget limits the bytes per second that the server sends to connections of a match. It
// does not change the match's world. The journal has it, so it holds after a restart.
type Budget struct {
	BytesPerS int // 0: as it is configured
	// Operator: it replaces the configured limit and the host's. Else it is the host's,
	// for the whole match, and can only lower the configured limit.
	Operator bool
	OneSlot  bool // Slot's player alone; only an operator may
	Slot     grid.Slot
}

// BytesPerSMax is the highest limit.
const BytesPerSMax = 1 << 30

// Check returns why the budget is invalid, or nil.
func (b *Budget) Check() error {
	switch {
	case b.BytesPerS != 0 && (b.BytesPerS < feed.BytesPerSMin || b.BytesPerS > BytesPerSMax):
		return fmt.Errorf("%d bytes per second: want 0 or %d to %d", b.BytesPerS, feed.BytesPerSMin, BytesPerSMax)
	case b.OneSlot && !b.Operator:
		return fmt.Errorf("a host sets the budget of the whole match")
	}
	return nil
}

// SetBudget changes a budget of a live match. Each client gets it with its next frame.
// The match must run here, and have the slot.
func (s *Service) SetBudget(ctx context.Context, id string, b Budget) error {
	if err := b.Check(); err != nil {
		return err
	}
	m := s.find(id)
	if m == nil {
		return ErrNoMatch
	}
	if b.OneSlot && int(b.Slot) >= len(m.spec.Seats) {
		return ErrNoSeat
	}
	return m.do(ctx, func(m *live) {
		in := b.input()
		m.inputs.add(in)
		m.output.takeBudget(&in)
	})
}

// input is the budget as the journal has it.
func (b *Budget) input() sim.Input {
	in := sim.Input{Kind: sim.InputBudget, Slot: grid.NoSlot, Seq: uint32(b.BytesPerS), All: b.Operator}
	if b.OneSlot {
		in.Slot = b.Slot
	}
	return in
}
