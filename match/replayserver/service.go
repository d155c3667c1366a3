package replayserver

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Service shows replays to the clients of one process.
type Service struct {
	cfg     Config
	log     *slog.Logger
	metrics *metrics

	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup // sockets and viewings

	mu       sync.Mutex // held for moments
	closed   bool
	viewings map[*viewing]bool
	tokens   map[tokenHash]place
}

// tokenHash is the stored hash of a resume token.
type tokenHash [sha256.Size]byte

// place is a socket's place in a viewing.
type place struct {
	viewing *viewing
	index   int
}

// New returns a service without viewings.
func New(cfg Config) *Service {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Address == nil {
		cfg.Address = func(*http.Request) netip.Addr { return netip.Addr{} }
	}
	if cfg.Origin == nil {
		cfg.Origin = (*listen.Origins)(nil).Allows
	}
	if cfg.Refuse == nil {
		cfg.Refuse = listen.RefuseSocket
	}
	if cfg.Grace == 0 {
		cfg.Grace = time.Minute
	}
	s := &Service{
		cfg: cfg, log: cfg.Logger, viewings: map[*viewing]bool{}, tokens: map[tokenHash]place{},
	}
	s.metrics = newMetrics(s)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close ends all viewings and waits for every goroutine of the service.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.running.Wait()
}

// begin runs f on a goroutine of the service, unless it is closed.
func (s *Service) begin(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.running.Add(1)
	go func() {
		defer panics.Catch(s.log, "replay", nil)
		defer s.running.Done()
		f()
	}()
	return true
}

// Viewings lists who watches, in no order.
func (s *Service) Viewings() []shared.Viewing {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]shared.Viewing, 0, len(s.viewings))
	for v := range s.viewings {
		out = append(out, *v.info.Load())
	}
	return out
}

// End ends the viewings of an account, "" for everybody's, of a match, "" for all.
func (s *Service) End(account shared.AccountID, match shared.MatchID, why *link.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for v := range s.viewings {
		if in := v.info.Load(); (account == "" || in.Account == account) && (match == "" || in.Match == match) {
			v.end(why)
		}
	}
}

// Renew gives an account's viewings of a match the names that players have now: in a running match, a person may
// have taken a seat over since. It returns at once.
func (s *Service) Renew(r shared.Right) {
	for _, v := range s.viewingsOf(r.Account, r.Match) {
		s.begin(func() { v.do(func() { v.renew(r.Names) }) })
	}
}

func (s *Service) viewingsOf(account shared.AccountID, match shared.MatchID) (out []*viewing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for v := range s.viewings {
		if in := v.info.Load(); in.Account == account && in.Match == match {
			out = append(out, v)
		}
	}
	return out
}

// ServeHTTP upgrades to a websocket and serves it.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.cfg.Origin(r) {
		s.cfg.Refuse(w, listen.ErrOrigin)
		return
	}
	payer := quota.Payer{Address: s.cfg.Address(r)}
	if err := s.cfg.Ledger.Spend(quota.Handshakes, payer, 1); err != nil {
		s.cfg.Refuse(w, err)
		return
	}
	early, err := s.cfg.Ledger.Take(quota.EarlySockets, payer, 1)
	if err != nil {
		s.cfg.Refuse(w, err)
		return
	}
	t, err := link.Upgrade(w, r, s.log, link.DefaultTimeouts)
	if err != nil {
		early.Release()
		return // Upgrade has answered
	}
	// The handler's goroutine and its buffers are freed.
	if !s.begin(func() { s.serve(t, payer.Address, early) }) {
		early.Release()
		t.Close()
	}
}

// Serve serves one connection inside the process, from its first message to its end.
func (s *Service) Serve(t link.Transport) { s.serve(t, netip.Addr{}, nil) }

// serve serves one connection until it ends.
func (s *Service) serve(t link.Transport, from netip.Addr, early *quota.Hold) {
	defer early.Release()
	defer panics.Catch(s.log, "socket", func() { t.Close() })
	stop := context.AfterFunc(s.ctx, func() { t.Close() })
	defer stop()
	v, c, err := s.admit(t, from)
	if err != nil {
		s.log.Debug("connection to no replay", "error", err)
		if no := link.FaultOf(err); no != nil {
			s.metrics.refused.WithLabelValues(no.Code).Inc()
			link.Dismiss(s.log, t, no)
		}
		t.Close()
		return
	}
	early.Release()
	stop() // from here on the viewing ends the connection, with a reason
	c.Serve(s.ctx, s.log, func(err error) {
		if link.TookLeave(err) {
			v.do(func() { c.parted = true })
		}
		if no := link.FaultOf(err); no != nil {
			v.do(func() { v.dismiss(c, no) })
		}
	})
}

// Reasons to refuse a connection.
var (
	errToken  = &link.Refusal{Code: "bad_token", Text: "this replay is not being watched any more: open it again"}
	errFull   = &link.Refusal{Code: "replay_busy", Text: "too many replays are being watched on this server: try again later"}
	errRuns   = &link.Refusal{Code: "match_runs", Text: "this match is not over"}
	errGone   = &link.Refusal{Code: "replay_expired", Text: "this match's journal is not kept any more"}
	errBroken = &link.Refusal{Code: "replay_unreadable", Text: "this match's journal cannot be read"}
	errStops  = &link.Refusal{Code: "stopping", Text: "the server stops: open the replay again in a moment"}
)

// admitWait bounds asking for a right.
const admitWait = 10 * time.Second

// admit reads the first message and gives the connection its place in a viewing.
func (s *Service) admit(t link.Transport, from netip.Addr) (*viewing, *viewer, error) {
	f, _, err := link.ReadHello(t)
	if err != nil {
		return nil, nil, err
	}
	h := f.Hello
	if h.Resume != "" {
		return s.resume(t, f, from)
	}
	if s.cfg.Library.Full() {
		return nil, nil, errFull // the ticket is still good
	}
	ctx, cancel := context.WithTimeout(s.ctx, admitWait)
	defer cancel()
	right, err := s.cfg.Admitter.Redeem(ctx, h.Ticket, from)
	if err != nil {
		return nil, nil, s.refusal(err, "ticket")
	}
	hold, err := s.cfg.Ledger.Take(quota.ReplayViewings, quota.Payer{Account: string(right.Account), Address: from, Trusted: right.Known}, 1)
	if err != nil {
		return nil, nil, &link.Refusal{Code: errFull.Code, Text: err.Error()}
	}
	v, err := s.openViewing(right, hold)
	if err != nil {
		hold.Release()
		return nil, nil, err
	}
	c, err := v.join(link.NewConn(t, f), 0, tokenHash{}, right, from)
	if err != nil {
		return nil, nil, err
	}
	return v, c, nil
}

// resume gives a connection the place of an earlier one, or the place beside it.
func (s *Service) resume(t link.Transport, f wire.ClientFrame, from netip.Addr) (*viewing, *viewer, error) {
	used := tokenHash(sha256.Sum256([]byte(f.Hello.Resume)))
	s.mu.Lock()
	at, ok := s.tokens[used]
	s.mu.Unlock()
	if !ok {
		return nil, nil, errToken
	}
	ctx, cancel := context.WithTimeout(s.ctx, admitWait)
	defer cancel()
	right, err := s.cfg.Admitter.Resume(ctx, at.viewing.info.Load().Right, from)
	if err != nil {
		return nil, nil, s.refusal(err, "resume")
	}
	if f.Hello.Beside {
		at.index = 1 - at.index
	}
	c, err := at.viewing.join(link.NewConn(t, f), at.index, used, right, from)
	return at.viewing, c, err
}

// refusal is a client's answer for an error of the admitter.
func (s *Service) refusal(err error, subject string) error {
	if no := (*link.Refusal)(nil); errors.As(err, &no) {
		return no
	}
	s.log.Warn("a right to watch a replay was not asked for", "what", subject, "error", err)
	return &link.Refusal{Code: "unavailable", Text: "the server cannot look that up at the moment: try again"}
}

// openViewing makes a viewing for a right and begins it. The viewing releases the hold.
func (s *Service) openViewing(right shared.Right, hold *quota.Hold) (*viewing, error) {
	rec, err := s.cfg.Library.Open(s.ctx, string(right.Match), false)
	if err != nil {
		return nil, s.openError(string(right.Match), err)
	}
	if !right.Live && !rec.Over() {
		if err = rec.Refresh(); err == nil && !rec.Over() {
			err = errRuns
		}
	}
	var v *viewing
	if err == nil {
		v, err = newViewing(s, rec, right, hold)
	}
	if err != nil {
		rec.Close()
		return nil, s.openError(string(right.Match), err)
	}
	rec.Index()
	s.mu.Lock()
	if !s.closed {
		s.viewings[v] = true
	}
	s.mu.Unlock()
	if !s.begin(v.run) {
		v.release()
		return nil, errStops
	}
	return v, nil
}

// openError is a client's answer for a journal that cannot be shown.
func (s *Service) openError(match string, err error) error {
	var no *link.Refusal
	var diverged *journal.DivergedError
	switch {
	case errors.As(err, &no):
		return no
	case errors.Is(err, fs.ErrNotExist):
		return errGone
	case errors.Is(err, playback.ErrFull):
		return errFull
	case errors.Is(err, playback.ErrClosed), s.ctx.Err() != nil:
		return errStops
	case errors.As(err, &diverged):
		return &link.Refusal{Code: "replay_version", Text: fmt.Sprintf("this server plays the match differently from tick %d on", diverged.Tick)}
	case errors.As(err, new(*journal.OtherBuildError)):
		return &link.Refusal{Code: "replay_version", Text: "this server plays such matches no more: " + err.Error()}
	}
	s.log.Error("a replay cannot be shown", "match", match, "error", err)
	return errBroken
}

// remove forgets a viewing.
func (s *Service) remove(v *viewing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.viewings, v)
	maps.DeleteFunc(s.tokens, func(_ tokenHash, at place) bool { return at.viewing == v })
}

// issue makes a resume token of a place in a viewing. Of the tokens before, kept stays
// good.
func (s *Service) issue(v *viewing, index int, token string, former tokenHash) tokenHash {
	s.keepTokens(v, index, former)
	hash := tokenHash(sha256.Sum256([]byte(token)))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[hash] = place{v, index}
	return hash
}

// keepTokens ends the tokens of a place in a viewing, but for one.
func (s *Service) keepTokens(v *viewing, index int, token tokenHash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.tokens, func(hash tokenHash, at place) bool { return at == place{v, index} && hash != token })
}
