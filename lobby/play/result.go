package play

import (
	"context"
	"errors"
	"slices"

	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/shared"
)

// InReach refuses a request for a match on another node that this one cannot ask: the
// request then has no effect and no audit row.
func (s *Service) InReach(ctx context.Context, id model.MatchID) error {
	if s.Matches == nil {
		return nil
	}
	m, err := core.Get(ctx, s.Core, func(tx *db.Tx) (model.Match, error) { return tx.Matches.Get(id) })
	if err != nil {
		return err
	}
	if m.State != model.MatchLive && m.State != model.MatchStarting {
		return nil // the caller says so
	}
	return s.elsewhere(ctx, id, m.Node)
}

// BreakOff ends a match without a winner, on any node.
func (s *Service) BreakOff(ctx context.Context, id model.MatchID, reason string) error {
	if s.Matches != nil && s.Matches.Where(ctx, id).State == shared.WhereRuns {
		return s.Matches.Abort(ctx, id, reason)
	}
	return s.MatchEnded(ctx, model.Result{Match: id, Failed: true, Reason: "aborted"})
}

// MatchEnded records a result and takes the lobby out of its match. The match
// service repeats it until it returns nil; a result that is there already is
// left as it is. [model.NotFound] means that no such match was ever made here:
// repeating it is of no use.
func (s *Service) MatchEnded(ctx context.Context, r model.Result) error {
	var lobby model.LobbyID
	err := s.Write(ctx, func(tx *db.Tx) error {
		m, err := tx.Matches.Get(r.Match)
		if err != nil {
			return err
		}
		lobby = m.Lobby
		l, err := tx.Lobbies.Lock(m.Lobby) // before the match: see finishLaunch
		if err != nil {
			return err
		}
		if m, err = tx.Matches.Lock(r.Match); err != nil {
			return err
		}
		lost := m.Result != nil && m.Result.Reason == "lost" // see sweep
		if (m.State == model.MatchDone || m.State == model.MatchFailed) && !lost {
			return nil
		}
		m.State, m.Ended, m.Result = model.MatchDone, s.Now(), outcomes(m.Spec, r)
		if r.Failed {
			m.State = model.MatchFailed
		}
		if err := tx.Matches.Save(m); err != nil {
			return err
		}
		if a, best, ok := m.Spec.MissionResult(r); ok {
			if err := tx.Missions.Save(a, best); err != nil {
				return err
			}
		}
		if err := s.Rate(tx, &m.Spec, r); err != nil {
			return err
		}
		if err := s.List(tx, &m); err != nil {
			return err
		}
		if err := s.Hooks.Tell(tx, hook.Notice{Kind: hook.HookMatchEnded, Match: &m, Reason: m.Result.Reason}); err != nil {
			return err
		}
		l.End(m.ID, *m.Result)
		return s.Save(tx, l)
	})
	s.Hub.Wake(lobby)
	return err
}

// outcomes works out how a result is for each seat.
func outcomes(spec model.Spec, r model.Result) *model.Outcomes {
	o := &model.Outcomes{Match: spec.Match, Reason: model.CutText(r.Reason, 40), Ticks: r.Ticks, Version: r.Version, Winners: []int{}}
	if !r.Failed {
		for _, t := range r.Winners {
			o.Winners = append(o.Winners, int(t))
		}
	}
	for _, p := range spec.Participants {
		x := model.SeatResult{Start: p.Start, Name: p.Name, Team: int(p.Team), Outcome: r.Outcome(p.Team), From: p.From, Earlier: p.Earlier, Faction: p.Faction, Handicap: p.Handicap}
		if p.Start < len(r.Scores) {
			x.Score = r.Scores[p.Start]
		}
		if p.Start < len(r.Values) {
			x.Values = r.Values[p.Start]
		}
		o.Seats = append(o.Seats, x)
	}
	return o
}

// Recoverable looks up a match whose journal has no end: whether it still waits for its
// result, and whether this process may run it. A match that no longer waits was given
// up, and its players are free. shared: all nodes can read the journal, and the node
// that takes the match over runs it; else only the node that ran it last may run it.
func (s *Service) Recoverable(ctx context.Context, id model.MatchID, shared bool) (waits, local bool, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		m, err := tx.Matches.Get(id)
		if errors.Is(err, model.ErrNotFound) {
			return nil
		}
		local = err == nil && (shared || m.Node == s.Node)
		waits = local && (m.State == model.MatchLive || m.State == model.MatchStarting)
		return err
	})
	return waits, local, err
}

// SeatChanged notes that a player's client has come to its seat in a match, or is gone,
// and tells webhooks. since is the tick in which the player has taken the seat over; 0: it
// has had it from the start.
func (s *Service) SeatChanged(ctx context.Context, match model.MatchID, a model.AccountID, present bool, since uint32) error {
	wanted := since > 0 && present
	if err := s.Read(ctx, func(tx *db.Tx) error {
		all, err := tx.Hooks.Endpoints()
		wanted = wanted || len(all) > 0
		return err
	}); err != nil || !wanted {
		return err
	}
	return s.Write(ctx, func(tx *db.Tx) error {
		m, err := tx.Matches.Lock(match)
		if errors.Is(err, model.ErrNotFound) {
			return nil
		}
		if err != nil || m.State != model.MatchLive && m.State != model.MatchStarting {
			return err
		}
		if i := slices.IndexFunc(m.Spec.Participants, func(p model.Participant) bool { return p.Account == a && len(p.Earlier) > 0 && p.From == 0 }); i >= 0 && present && since > 0 {
			p := &m.Spec.Participants[i]
			p.From, p.Earlier[len(p.Earlier)-1].To = since, since
			if err := tx.Matches.SaveSpec(m); err != nil {
				return err
			}
		}
		n := hook.Notice{Kind: hook.HookPlayerLeft, Match: &m, Player: a}
		if present {
			n.Kind = hook.HookPlayerJoined
		}
		if n.Name, err = hook.NameOf(tx, a); err != nil {
			return err
		}
		return s.Hooks.Tell(tx, n)
	})
}
