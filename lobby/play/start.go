package play

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net/netip"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
)

const (
	startTimeout = 20 * time.Second // for the match service to make a match
	lostTimeout  = 2 * time.Minute  // for the result of a match that no longer runs
)

// Begin runs the rule that begins a countdown. If the countdown is already over, the
// match is bound in the same transaction, so that no janitor comes in between.
func (s *Service) Begin(ctx context.Context, id model.LobbyID, rule func(*model.Lobby) error) (*model.Lobby, error) {
	ctx = context.WithoutCancel(ctx) // a client that hangs up must not stop it half way
	match, seed := model.MatchID(model.NewID()), RandomSeed()
	var spec model.Spec
	l, err := s.ChangeIn(ctx, id, func(tx *db.Tx, l *model.Lobby) (err error) {
		if err := s.MayStart(tx); err != nil {
			return err
		}
		if err := rule(l); err != nil || s.Now().Before(l.StartAt) {
			return err // it counts down
		}
		spec, err = s.bind(tx, l, match, seed)
		return err
	})
	if err != nil || l.Match != match {
		return l, err
	}
	return s.FinishLaunch(ctx, spec)
}

// launch makes the match of a lobby whose countdown is over: first the spec is stored,
// then the match service starts it, then the lobby gets the result. A crash in between
// is found by the janitor, see [Service.StartDue].
func (s *Service) launch(ctx context.Context, id model.LobbyID) (*model.Lobby, error) {
	return s.Begin(ctx, id, func(l *model.Lobby) error {
		if l.State != model.Starting || l.Match != "" {
			return model.WrongState // another process was faster
		}
		return nil
	})
}

// matchOwner returns the account whose quotas pay for a match: its host's, with the
// address from which the host logged in last.
func matchOwner(tx *db.Tx, host model.AccountID) (model.Payer, error) {
	payer := model.Payer{Account: string(host)}
	a, err := tx.Accounts.Get(host)
	if errors.Is(err, model.ErrNotFound) {
		return payer, nil
	}
	if err != nil {
		return payer, err
	}
	payer.Trusted = !a.Guest
	sessions, err := tx.Sessions.List(model.PlayerRealm, string(host))
	var last time.Time
	for _, x := range sessions {
		if addr, bad := netip.ParseAddr(x.Address); bad == nil && x.Created.After(last) {
			payer.Address, last = addr, x.Created
		}
	}
	return payer, err
}

// bind stores the spec of the match that is about to be made, at the expense of
// its host.
func (s *Service) bind(tx *db.Tx, l *model.Lobby, match model.MatchID, seed uint64) (model.Spec, error) {
	payer, err := matchOwner(tx, l.Host)
	if err != nil {
		return model.Spec{}, err
	}
	m, err := s.BindFor(tx, l, match, seed, payer)
	return m.Spec, err
}

func (s *Service) BindFor(tx *db.Tx, l *model.Lobby, match model.MatchID, seed uint64, payer model.Payer) (model.Match, error) {
	if n, err := strconv.ParseUint(l.Options.Seed, 10, 64); err == nil && n != 0 {
		seed = n
	}
	spec, err := l.Launch(match, seed, s.Now(), startTimeout)
	if err != nil {
		return model.Match{}, err
	}
	for _, p := range spec.Participants {
		if err := admission.NotInMatch(tx, p.Account); err != nil {
			return model.Match{}, err
		}
	}
	blocks, err := tx.Relations.Among(model.Block, l.Accounts())
	if err != nil {
		return model.Match{}, err
	}
	spec.Silence(blocks)
	spec.Payer = payer
	if s.Matches != nil {
		spec.DrawFactions(s.Matches.Factions(spec.Options.Ruleset))
		if err := s.Matches.CanStart(spec); err != nil {
			return model.Match{}, err // before a row is written
		}
	}
	if err := s.Ledger.Spend(quota.MatchStarts, spec.Payer, 1); err != nil {
		return model.Match{}, err
	}
	m := model.Match{ID: match, Lobby: l.ID, Node: s.Node, Spec: spec, State: model.MatchStarting, Started: s.Now(), Host: l.Host}
	return m, tx.Matches.Add(m)
}

// FinishLaunch asks for the match and tells the lobby. It may be run again.
func (s *Service) FinishLaunch(ctx context.Context, spec model.Spec) (*model.Lobby, error) {
	startErr, node := errors.New("there is no match service"), s.Node
	if s.Matches != nil {
		ctx, cancel := context.WithTimeout(ctx, startTimeout/2)
		node, startErr = s.Matches.Start(ctx, spec)
		if n := spec.Options.BytesPerS; startErr == nil && n != 0 {
			// The match goes on as the server is configured if this fails.
			if err := s.Matches.SetBudget(ctx, spec.Match, model.Budget{BytesPerS: n}); err != nil {
				s.Logger.Error("lobby: the host's data limit is not set", "match", spec.Match, "err", err)
			}
		}
		cancel()
	}
	// The players' part of the error: the cause goes to the log, except a detail that
	// the match service meant for players.
	refusal, text := &model.Error{Code: model.StartFailed, Err: startErr}, "the match could not be started"
	if e := (*model.Error)(nil); errors.As(startErr, &e) && e.Detail != "" {
		refusal.Detail, text = e.Detail, text+": "+e.Detail
		if e.Code == model.StartRefused {
			refusal.Code, refusal.Field = e.Code, e.Field
		}
	}
	if full := (*quota.Refusal)(nil); errors.As(startErr, &full) {
		refusal, text = model.AsError(full), text+": "+full.Error()
	}
	l, err := s.ChangeIn(ctx, spec.Lobby, func(tx *db.Tx, l *model.Lobby) error {
		m, err := tx.Matches.Lock(spec.Match)
		if err != nil {
			return err
		}
		if m.State != model.MatchStarting {
			return nil // someone else has told it
		}
		if startErr != nil {
			m.State, m.Ended = model.MatchFailed, s.Now()
			m.Result = outcomes(m.Spec, model.Result{Match: m.ID, Failed: true, Reason: "failed"})
			if err := tx.Matches.Save(m); err != nil {
				return err
			}
			return l.Fail(m.ID, text)
		}
		m.State, m.Node = model.MatchLive, node
		if err := tx.Matches.Save(m); err != nil {
			return err
		}
		if err := s.Hooks.Tell(tx, hook.Notice{Kind: hook.HookMatchStarted, Match: &m}); err != nil {
			return err
		}
		if err := s.Hooks.Follow(tx, &m); err != nil {
			return err
		}
		return l.Run(m.ID)
	})
	if startErr != nil {
		s.Logger.Error("lobby: match did not start", "match", spec.Match, "err", startErr)
		return nil, refusal
	}
	if err != nil {
		return nil, err
	}
	if node == s.Node { // else that node sends them, see TookOver
		s.startBots(ctx, spec)
	}
	return l, nil
}

// NotMade reports whether a match was stored, and could not be made.
func NotMade(err error) bool {
	return errors.Is(err, model.StartFailed) || errors.Is(err, model.StartRefused)
}

// startBots gives every bot's seat of a match a ticket and a player.
func (s *Service) startBots(ctx context.Context, spec model.Spec) {
	if s.Bots == nil {
		return
	}
	for _, p := range spec.Participants {
		if !p.Bot || p.Level == model.ScriptBot {
			continue
		}
		token := model.NewSecret()
		if err := s.Write(ctx, func(tx *db.Tx) error {
			return tx.Matches.AddTicket(s.Ticket(token, admission.SeatOf(spec.Match, p), s.Node))
		}); err != nil {
			continue // logged; the seat stays empty
		}
		s.Bots.Play(context.WithoutCancel(ctx), token, spec.Match, cmp.Or(p.Level, model.MediumBot))
	}
}

func RandomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}
