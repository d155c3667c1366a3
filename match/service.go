package match

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Journals stores journals. journal.Dir implements it and documents the methods.
type Journals interface {
	Create(match string) (*journal.File, error)
	Open(match string) (*journal.File, error)
	List() ([]string, error)
	Retire(match string) error
	Remove(match string) error
	SaveState(match string, s journal.State) error
	State(match string) (*journal.State, error)
}

// Config is what a service works with.
type Config struct {
	Journals Journals
	Admitter Admitter
	Reporter Reporter
	// SeatChanged is told that an account's client has come to its seat in a match,
	// or is gone. It is called by the match's goroutine, and must not wait. nil:
	// nobody wants to know.
	SeatChanged func(match, account string, here bool)
	Budget      *Ledger // what accounts and addresses may take; nil: no limit
	// Address returns the address to count a request for; nil: the connection's
	// peer.
	Address func(*http.Request) netip.Addr
	// Origin reports whether the page that opens a socket may do so; nil: only
	// pages of the same host.
	Origin func(*http.Request) bool
	// Refuse answers a request that is not upgraded: the error is [ErrOrigin] or a
	// [LimitError]. nil: plain text.
	Refuse            func(http.ResponseWriter, error)
	Logger            *slog.Logger          // nil: none
	Clock             Clock                 // nil: the wall's
	Registerer        prometheus.Registerer // for metrics; nil: none
	Build             string                // of the server, for the journal
	Key               []byte                // signs resume tokens, see [Key]; nil: one that ends with the process
	Grace             time.Duration         // a lost connection keeps its seat so long; 0: a minute
	Linger            time.Duration         // sockets stay open so long after the end; 0: five seconds
	Disk              Disk                  // where the journals lie; nil: nobody looks
	DiskReserve       int64                 // with less bytes free no match is started, and live ones are warned; 0: never
	ReplayBufferBytes int                   // most that a match keeps of its past for spectators who are late; 0: 64 MiB
	BytesPerS         int                   // most payload a connection is sent a second; 0: no limit
	LogTraffic        bool                  // log each match's traffic once a second
}

// Service runs the matches of one process.
type Service struct {
	cfg      Config
	log      *slog.Logger
	metrics  *metrics
	upgrader websocket.Upgrader
	timeouts link.Timeouts

	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup // matches and reports
	sockets sync.WaitGroup

	mu       sync.Mutex // held for moments: no disk and no world is waited for
	matches  map[string]*live
	starting map[string]*starting // matches being made
	roster   roster

	watermark watermark
	draining  bool
}

// New returns a service that runs nothing yet.
func New(cfg Config) *Service {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Clock == nil {
		cfg.Clock = Wall{}
	}
	if cfg.Address == nil {
		cfg.Address = peerAddress
	}
	if cfg.Origin == nil {
		cfg.Origin = (*listen.Origins)(nil).Allows
	}
	if cfg.Refuse == nil {
		cfg.Refuse = func(w http.ResponseWriter, err error) {
			status := http.StatusTooManyRequests
			if errors.Is(err, ErrOrigin) {
				status = http.StatusForbidden
			}
			http.Error(w, err.Error(), status)
		}
	}
	if cfg.Key == nil {
		cfg.Key = NewKey()
	}
	if cfg.Grace == 0 {
		cfg.Grace = time.Minute
	}
	if cfg.ReplayBufferBytes == 0 {
		cfg.ReplayBufferBytes = 64 << 20
	}
	if cfg.Linger == 0 {
		cfg.Linger = 5 * time.Second
	}
	s := &Service{
		cfg: cfg, log: cfg.Logger, metrics: newMetrics(cfg.Registerer),
		matches: map[string]*live{}, starting: map[string]*starting{}, timeouts: link.DefaultTimeouts,
		roster: roster{at: map[string]map[*live]bool{}, epochs: map[string]int64{}},
	}
	s.upgrader = websocket.Upgrader{
		CheckOrigin:      func(*http.Request) bool { return true }, // ServeHTTP has
		HandshakeTimeout: link.HelloWait, ReadBufferSize: 1 << 10, WriteBufferSize: 1 << 10,
		// No write pool: it would allocate at each write, and a player's socket
		// writes twenty times a second. No compression: frames are compact already,
		// the read limit would count compressed bytes, and message sizes would
		// reveal their content.
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Check returns why a match that somebody wants is invalid, or nil.
func (s *Service) Check(spec Spec) error { return spec.Check() }

// starting is a match that is being made.
type starting struct {
	made chan struct{} // closed once it is, or is not
	err  error         // why not; read it after made
}

// Start makes a match and runs it. It returns once the match accepts sockets. An id
// that already runs is no error. If several calls have the same id, one makes the
// match and the others wait for it. Other matches and sockets do not wait.
func (s *Service) Start(spec Spec) error {
	if err := spec.Check(); err != nil {
		return fmt.Errorf("match %s: %w", spec.ID, err)
	}
	s.mu.Lock()
	if s.draining {
		s.mu.Unlock()
		return ErrDraining
	}
	if s.matches[spec.ID] != nil {
		s.mu.Unlock()
		return nil
	}
	if other := s.starting[spec.ID]; other != nil {
		s.mu.Unlock()
		<-other.made
		return other.err
	}
	mine := &starting{made: make(chan struct{})}
	s.starting[spec.ID] = mine
	s.running.Add(1)
	s.mu.Unlock()
	defer s.running.Done()
	m, err := s.make(spec)
	if err == nil && s.ctx.Err() != nil {
		err = ErrDraining
		m.close()
		m.holds.release()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(mine.made)
	delete(s.starting, spec.ID)
	if mine.err = err; err != nil {
		return err
	}
	s.matches[spec.ID] = m
	s.roster.begin(m)
	s.metrics.matches.Inc()
	s.running.Go(m.run)
	s.log.Info("match started", "match", spec.ID, "map", spec.Map.Name, "players", len(spec.Seats))
	return nil
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
	if m, err = newLive(s, spec); err != nil {
		return nil, fmt.Errorf("match %s: %w", spec.ID, err)
	}
	m.holds = holds
	return m, nil
}

// holds is what a match has reserved of budgets.
type holds [2]*budget.Hold

func (h holds) release() {
	for _, x := range h {
		x.Release()
	}
}

// bots counts the seats that bots play.
func (s *Spec) bots() (n int64) {
	for _, p := range s.Seats {
		if p.Bot {
			n++
		}
	}
	return n
}

// reserve reserves a match and its bots in their budgets, before anything of the
// match exists. It reserves all of it or nothing. Its error is a [budget.Refusal]
// or [ErrDiskLow].
func (s *Service) reserve(spec *Spec) (h holds, err error) {
	if s.diskLow() {
		return h, ErrDiskLow
	}
	if h[0], err = s.cfg.Budget.Take(budget.LiveMatches, spec.Who, 1); err != nil {
		return h, err
	}
	if h[1], err = s.cfg.Budget.Take(budget.BotSeats, spec.Who, spec.bots()); err != nil {
		h.release()
	}
	return h, err
}

// adopt reserves a recovered match, even beyond its budgets. It counts for the
// account that the journal names. The address is not kept.
func (s *Service) adopt(spec *Spec) holds {
	return holds{s.cfg.Budget.Adopt(budget.LiveMatches, spec.Who, 1), s.cfg.Budget.Adopt(budget.BotSeats, spec.Who, spec.bots())}
}

// Room returns why a match could not be started at the moment, or nil. It reserves
// nothing.
func (s *Service) Room(spec Spec) error {
	h, err := s.reserve(&spec)
	if err == nil {
		h.release()
	}
	return err
}

// finished is called by a match's goroutine as its last act.
func (s *Service) finished(m *live) {
	m.holds.release()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.matches, m.spec.ID)
	s.roster.end(m)
	s.metrics.matches.Dec()
}

func (s *Service) find(id string) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.matches[id]
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

// Abort ends a match without a winner. An id that does not run is no error.
func (s *Service) Abort(ctx context.Context, id, reason string) error {
	return s.ask(ctx, id, func(m *live) { m.abort(reason) })
}

// Keep sets whether a match goes on without people where its options would end it.
// The setting is part of the match and is in its journal.
func (s *Service) Keep(ctx context.Context, id string, on bool) error {
	return s.ask(ctx, id, func(m *live) {
		m.arrived = append(m.arrived, sim.Input{Kind: sim.InputKept, All: on})
	})
}

// ask runs f on the match's goroutine and waits until it has run. A match that does
// not run here is no error: there is nothing to change.
func (s *Service) ask(ctx context.Context, id string, f func(*live)) error {
	m := s.find(id)
	if m == nil {
		return nil
	}
	if err := m.do(ctx, f); err != nil && !errors.Is(err, ErrNoMatch) {
		return err
	}
	return nil
}

// isDraining reports whether the service is about to stop.
func (s *Service) isDraining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
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

// Close stops all matches where they are, with their journals complete. It closes
// all sockets and waits for every goroutine of the service.
func (s *Service) Close() {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	s.cancel()
	s.running.Wait()
	s.sockets.Wait()
}

// ErrOrigin is the refusal of a socket that a page of another site opens.
var ErrOrigin = errors.New("match: the page comes from another site")

// ServeHTTP upgrades to a websocket and serves it.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.cfg.Origin(r) {
		s.cfg.Refuse(w, ErrOrigin)
		return
	}
	who := budget.Who{Address: s.cfg.Address(r)}
	if err := s.cfg.Budget.Spend(budget.Handshakes, who, 1); err != nil {
		s.cfg.Refuse(w, err)
		return
	}
	early, err := s.cfg.Budget.Take(budget.EarlySockets, who, 1)
	if err != nil {
		s.cfg.Refuse(w, err)
		return
	}
	s.upgrade(w, r, &caller{from: who.Address, counted: true, hold: early})
}

// Internal serves the sockets of the server's own bots. They count in the budget of
// bots, not in that of sockets.
func (s *Service) Internal() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.upgrade(w, r, &caller{from: s.cfg.Address(r)})
	})
}

// upgrade turns a request into a socket. What the caller holds is released once the
// socket is closed.
func (s *Service) upgrade(w http.ResponseWriter, r *http.Request, by *caller) {
	c, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		by.end()
		return // Upgrade has answered
	}
	s.mu.Lock()
	stopping := s.ctx.Err() != nil
	if !stopping {
		s.sockets.Add(1)
	}
	s.mu.Unlock()
	if stopping {
		by.end()
		c.Close()
		return
	}
	// The handler's goroutine and its buffers are freed.
	go func() {
		defer s.sockets.Done()
		defer panics.Catch(s.log, "upgrade", func() { by.end(); c.Close() })
		s.serve(link.NewSocket(c, s.log, s.timeouts), by)
	}()
}

// peerAddress is the other end of the request's own connection.
func peerAddress(r *http.Request) netip.Addr {
	ap, _ := netip.ParseAddrPort(r.RemoteAddr)
	return ap.Addr().Unmap().WithZone("")
}

// Serve serves one connection inside the process, from its first message to its
// end. It returns once the transport is closed and all goroutines that it started
// have ended.
func (s *Service) Serve(t link.Transport) { s.serve(t, &caller{}) }

// serve serves one connection. What the caller holds is released at the end. A
// panic ends this connection only.
func (s *Service) serve(t link.Transport, by *caller) {
	defer by.end()
	defer panics.Catch(s.log, "socket", func() { t.Close() })
	stop := context.AfterFunc(s.ctx, func() { t.Close() })
	defer stop()
	ses, m, err := s.admit(t, by)
	if errors.Is(err, ErrNoMatch) {
		err = errElsewhere
	}
	if err != nil {
		s.log.Debug("connection without a seat", "error", err)
		if no := link.FaultOf(err); no != nil {
			link.Dismiss(s.log, t, no)
		}
		t.Close()
		return
	}
	if c, ok := t.(*link.Socket); ok {
		c.Seated()
	}
	stop() // from here on the match ends the session, with a reason
	ended := make(chan struct{})
	defer close(ended)
	defer context.AfterFunc(s.ctx, func() { link.CloseAfter(t, link.StopWait, ended) })()
	var writer sync.WaitGroup
	writer.Go(func() {
		defer panics.Catch(s.log, "writer", func() { t.Close() })
		ses.Write(s.log)
	})
	err = ses.Read(s.log)
	s.log.Debug("connection ended", "match", m.spec.ID, "slot", ses.seat.slot, "error", err)
	if no := link.FaultOf(err); no != nil {
		m.do(context.Background(), func(m *live) { m.refuse(ses, no) })
	}
	ses.HangUp()
	if err != link.ErrInternal {
		link.ReadOut(t)
	}
	writer.Wait()
}

// errElsewhere refuses a client whose match does not run here.
var errElsewhere = &link.Refusal{Code: "no_match", Text: "this match is over or runs elsewhere"}

// admit reads the first message and takes the seat that it entitles to.
func (s *Service) admit(t link.Transport, by *caller) (*session, *live, error) {
	b, err := t.Read()
	if link.TimedOut(err) {
		return nil, nil, &link.Refusal{Code: "no_hello", Text: fmt.Sprintf("no hello within %d seconds", wire.HelloSeconds)}
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := wire.DecodeClient(b)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case f.Hello == nil:
		return nil, nil, &link.Refusal{Code: "no_hello", Text: "the first message has to be a hello"}
	case f.Hello.Protocol != wire.Protocol:
		return nil, nil, &link.Refusal{Code: "version", Text: fmt.Sprintf("this server speaks protocol %d, not %d: load the page again", wire.Protocol, f.Hello.Protocol)}
	}
	seat, err := s.seatFor(f.Hello, by.from)
	if err != nil {
		return nil, nil, err
	}
	m := s.find(seat.Match)
	if m == nil {
		return nil, nil, ErrNoMatch
	}
	ses := newSession(t, f, by)
	ses.CountReceived(b)
	var refused error
	if err := m.do(s.ctx, func(m *live) { refused = m.join(ses, seat) }); err != nil && s.ctx.Err() != nil {
		return nil, nil, &link.Refusal{Code: "stopping", Text: "the server is stopping"}
	} else if err != nil {
		return nil, nil, err
	}
	if no := (*link.Refusal)(nil); errors.As(refused, &no) && forGood(no) && f.Hello.Resume == "" {
		ctx, cancel := context.WithTimeout(s.ctx, link.HelloWait)
		defer cancel()
		s.cfg.Admitter.Release(ctx, seat, no)
	}
	return ses, m, refused
}

// resumeWait is how long a player who resumes waits for the answer of the
// [Admitter]. After that its token is enough.
const resumeWait = time.Second

func (s *Service) seatFor(h *wire.Hello, from netip.Addr) (Seat, error) {
	if h.Resume != "" {
		seat, ok := s.seatOf(h.Resume)
		if !ok {
			return Seat{}, &link.Refusal{Code: "bad_token", Text: "invalid resume token"}
		}
		ctx, cancel := context.WithTimeout(s.ctx, resumeWait)
		defer cancel()
		if err := s.cfg.Admitter.Resume(ctx, seat, from); errors.As(err, new(*link.Refusal)) {
			return Seat{}, err
		}
		return seat, nil
	}
	if h.Ticket == "" {
		return Seat{}, &link.Refusal{Code: "no_ticket", Text: "the hello has neither a ticket nor a resume token"}
	}
	ctx, cancel := context.WithTimeout(s.ctx, link.HelloWait)
	defer cancel()
	seat, err := s.cfg.Admitter.Redeem(ctx, h.Ticket, from)
	if err != nil && !errors.As(err, new(*link.Refusal)) && !errors.Is(err, ErrNoMatch) {
		s.log.Error("a ticket could not be looked at", "error", err)
		err = &link.Refusal{Code: "internal", Text: "the server could not check the ticket; try again"}
	}
	return seat, err
}

// report waits until a result is on disk, and offers it until it is accepted. Then
// it notes that in the journal and retires the journal. After a panic the result is
// offered at the next start of the process.
func (s *Service) report(r Result, log journal.Log) {
	defer panics.Catch(s.log, "result", nil)
	defer log.Close()
	if err := log.Wait(s.ctx, log.Next()-1); s.ctx.Err() != nil {
		return
	} else if err != nil {
		s.log.Error("a result is not in its journal", "match", r.Match, "error", err)
	}
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 30*time.Second) {
		err := s.cfg.Reporter.Ended(s.ctx, r)
		if err == nil {
			break
		}
		s.log.Warn("result not taken, will be offered again", "match", r.Match, "error", err)
		select {
		case <-time.After(pause):
		case <-s.ctx.Done():
			return
		}
	}
	err := log.Append(log.Next(), journal.DeliveredRecord())
	if err = errors.Join(err, log.Close()); err == nil {
		err = s.cfg.Journals.Retire(r.Match)
	}
	if err != nil {
		s.log.Error("journal", "match", r.Match, "error", err)
	}
}
