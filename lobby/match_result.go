package lobby

import (
	"context"
	"errors"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// MatchEnded records a result and takes the lobby out of its match. The match
// service repeats it until it returns nil; a result that is there already is
// left as it is. [model.NotFound] means that no such match was ever made here:
// repeating it is of no use.
func (s *Service) MatchEnded(ctx context.Context, r Result) error {
	var lobby model.LobbyID
	err := s.write(ctx, func(tx *db.Tx) error {
		m, err := tx.Match(r.Match)
		if err != nil {
			return err
		}
		lobby = m.Lobby
		l, err := tx.LockLobby(m.Lobby) // before the match: see finishLaunch
		if err != nil {
			return err
		}
		if m, err = tx.LockMatch(r.Match); err != nil {
			return err
		}
		given := m.Result != nil && m.Result.Reason == "lost" // see sweep
		if (m.State == model.MatchDone || m.State == model.MatchFailed) && !given {
			return nil
		}
		m.State, m.Ended, m.Result = model.MatchDone, s.Now(), outcomes(m.Spec, r)
		if r.Failed {
			m.State = model.MatchFailed
		}
		if err := tx.SaveMatch(m); err != nil {
			return err
		}
		if err := s.rate(tx, r); err != nil {
			return err
		}
		if err := s.tell(tx, notice{kind: HookMatchEnded, match: &m, reason: m.Result.Reason}); err != nil {
			return err
		}
		l.End(m.ID, *m.Result)
		return s.save(tx, l)
	})
	s.hub.wake(lobby)
	return err
}

// outcomes works out how a result is for each seat.
func outcomes(spec model.Spec, r Result) *model.Outcomes {
	o := &model.Outcomes{Match: spec.Match, Reason: model.CutText(r.Reason, 40), Ticks: r.Ticks, Winners: []int{}}
	if !r.Failed {
		for _, t := range r.Winners {
			o.Winners = append(o.Winners, int(t))
		}
	}
	for _, p := range spec.Participants {
		x := model.SeatResult{Start: p.Start, Name: p.Name, Team: int(p.Team), Outcome: r.outcome(p.Team), From: p.From, Earlier: p.Earlier}
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

// Recoverable says what the store knows of a match whose journal was found
// without an end: whether it still waits for its result, and whether it is one that
// this process may run. One that waits no more was given up, and its players are
// free. shared: the journal is kept where all nodes find it, and whoever takes the
// match over runs it; else only the node does that ran it last.
func (s *Service) Recoverable(ctx context.Context, id model.MatchID, shared bool) (waits, ours bool, err error) {
	err = s.read(ctx, func(tx *db.Tx) error {
		m, err := tx.Match(id)
		if errors.Is(err, model.ErrNotFound) {
			return nil
		}
		ours = err == nil && (shared || m.Node == s.Node)
		waits = ours && (m.State == model.MatchLive || m.State == model.MatchStarting)
		return err
	})
	return waits, ours, err
}
