package play

import (
	"context"
	"errors"

	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/shared"
)

// StartDue launches lobbies whose countdown is over, and takes up launches
// that hang: their process died, or the database was away when they finished.
func (s *Service) StartDue(ctx context.Context) error {
	if s.Matches == nil {
		return nil
	}
	due, err := core.Get(ctx, s.Core, func(tx *db.Tx) ([]model.LobbyID, error) { return tx.Lobbies.Due(s.Now()) })
	if err != nil {
		return err
	}
	for _, id := range due {
		l, err := s.Lobby(ctx, id)
		if err != nil {
			continue
		}
		if l.Match == "" {
			_, err = s.launch(ctx, id)
			if e := model.AsError(err); err != nil && e.Code != model.WrongState && e.Code != model.Unavailable {
				// It cannot start as it stands: back to open, with the reason. If the match could not be made, it is open already.
				_, err = s.Change(ctx, id, func(l *model.Lobby) error { return l.Fail("", e.Text()) })
			}
		} else {
			err = s.retryLaunch(ctx, id, l.Match)
		}
		if errors.Is(err, model.Unavailable) {
			return err
		}
	}
	return nil
}

// retryLaunch takes the lease on a launch that hangs and finishes it here.
func (s *Service) retryLaunch(ctx context.Context, id model.LobbyID, match model.MatchID) error {
	var m model.Match
	at := s.Matches.Where(ctx, match)
	if at.State == shared.WhereWaits {
		return model.WrongState // a node takes it over first
	}
	_, err := s.ChangeIn(ctx, id, func(tx *db.Tx, l *model.Lobby) (err error) {
		if m, err = tx.Matches.Get(match); err != nil {
			return err
		}
		late := s.Now().Sub(l.StartAt)
		if l.State != model.Starting || l.Match != match || late < 0 || (m.Node != s.Node && at.State == shared.WhereUnknown && late < lostTimeout) {
			return model.WrongState
		}
		l.StartAt = s.Now().Add(startTimeout)
		return nil
	})
	if err != nil {
		return err
	}
	if m.Node != s.Node && at.State == shared.WhereUnknown {
		return s.MatchEnded(ctx, model.Result{Match: match, Failed: true, Reason: "lost"})
	}
	_, err = s.FinishLaunch(ctx, m.Spec)
	return err
}

// TouchUsed notes the lobbies in use: with watchers of events in this process, or with
// players in a match that runs here. The list leaves out the others, and the janitor
// closes them when they have been idle for long.
func (s *Service) TouchUsed(ctx context.Context) error {
	lobbies := s.Hub.Watched()
	var matches []model.MatchID
	if s.Matches != nil {
		for _, live := range s.Matches.Live() {
			if len(live.Sockets) > live.Spectators {
				matches = append(matches, live.Match)
			}
		}
	}
	if len(lobbies)+len(matches) == 0 {
		return nil
	}
	return s.Write(ctx, func(tx *db.Tx) error { return tx.Lobbies.Touch(lobbies, matches, s.Now()) })
}

// GiveUpLost ends live rows of lost matches: of matches that this node should run and
// does not, and of nodes that are gone; in a cluster only if no journal of the match is
// kept. A match that its lobby began and left before a node made it is lost too.
func (s *Service) GiveUpLost(ctx context.Context) error {
	if s.Matches == nil {
		return nil
	}
	const page = 1000
	var live []model.Match
	for before := int64(0); ; before = live[len(live)-1].Num {
		next, err := core.Get(ctx, s.Core, func(tx *db.Tx) ([]model.Match, error) {
			return tx.Matches.List(model.MatchFilter{States: []model.MatchState{model.MatchLive, model.MatchStarting}, Before: before, Limit: page})
		})
		if err != nil {
			return err
		}
		if live = append(live, next...); len(next) < page {
			break
		}
	}
	defer func() { s.FirstSweep = false }()
	for _, m := range live {
		at := s.Matches.Where(ctx, m.ID)
		switch {
		case at.State == shared.WhereWaits && at.Why != "":
			if err := s.wait(ctx, m, at.Why); err != nil {
				return err
			}
			continue
		case at.State == shared.WhereRuns, at.State == shared.WhereWaits, at.State == shared.WhereUnknown && m.Node != s.Node && s.alive(m.Node):
			delete(s.missing, m.ID)
			continue
		}
		if m.State == model.MatchStarting {
			l, err := s.Lobby(ctx, m.Lobby)
			if err != nil && !errors.Is(err, model.NotFound) {
				return err
			}
			if err == nil && l.State == model.Starting && l.Match == m.ID {
				continue // its lobby tries on, see StartDue
			}
		}
		if s.missing[m.ID].IsZero() {
			s.missing[m.ID] = s.Now()
			if s.FirstSweep && m.Node == s.Node { // not recovered at the start: it will not come back, only its result may
				s.missing[m.ID] = s.Now().Add(startTimeout - lostTimeout)
			}
		}
		if s.Now().Sub(s.missing[m.ID]) < lostTimeout {
			continue
		}
		s.Logger.Warn("lobby: match is neither running nor has a result", "match", m.ID, "node", m.Node)
		if err := s.MatchEnded(ctx, model.Result{Match: m.ID, Failed: true, Reason: "lost"}); err != nil {
			return err
		}
		delete(s.missing, m.ID)
	}
	return nil
}

// reasonOtherVersion is the result of a match that no server continued in time.
const reasonOtherVersion = "other-version"

// wait keeps a match that only another build can continue, says so in its lobby, and ends
// it once its time is up. The time goes on while servers are restarted.
func (s *Service) wait(ctx context.Context, m model.Match, why string) error {
	l, err := s.Lobby(ctx, m.Lobby)
	if err == nil && (l.Waiting == nil || l.Match != m.ID) {
		err = s.Write(ctx, func(tx *db.Tx) (err error) {
			if l, err = tx.Lobbies.Lock(m.Lobby); err != nil || l.Waiting != nil && l.Match == m.ID {
				return err
			}
			l.Waiting = &model.Waiting{Why: why, Until: s.Now().Add(s.BuildWait).UTC()}
			l.Changed()
			return s.Save(tx, l)
		})
		s.Hub.Wake(m.Lobby)
	}
	if err != nil {
		return err
	}
	until := l.Waiting.Until
	if s.missing[m.ID].IsZero() {
		s.missing[m.ID] = s.Now()
		s.Logger.Warn("lobby: a match waits for a server that can continue it: start one of the build that began it", "match", m.ID, "why", why, "keptUntil", until)
	}
	if s.Now().Before(until) {
		return nil
	}
	s.Logger.Warn("lobby: no server came that could continue a match: it is over", "match", m.ID, "why", why)
	if err := s.Matches.Abort(ctx, m.ID, reasonOtherVersion); err != nil {
		s.Logger.Error("lobby: the journal of a match that is over does not say so", "match", m.ID, "err", err)
	}
	delete(s.missing, m.ID)
	return s.MatchEnded(ctx, model.Result{Match: m.ID, Failed: true, Reason: reasonOtherVersion})
}
