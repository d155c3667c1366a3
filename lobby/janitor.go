package lobby

import (
	"context"
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/play"
)

// How often the janitor does what, in rounds.
const (
	janitorRound = 250 * time.Millisecond
	pollRounds   = 4   // events of other processes, bans, epochs
	beatRounds   = 40  // that this node lives, and who else does
	sweepRounds  = 120 // expired rows
)

// Run is the janitor: it starts matches whose countdown is over, looks into starts that
// hang, closes idle lobbies, deletes expired rows and wakes watchers for other
// processes. It returns when the context ends. The caller first lets the match service
// recover its matches.
//
// A duty that panics is left out until the next round.
func (s *Service) Run(ctx context.Context) error {
	s.rounds.Lock()
	s.Play.FirstSweep = true
	s.rounds.Unlock()
	quick := time.NewTicker(janitorRound)
	defer quick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-quick.C:
		}
		if err := s.RunRound(ctx, n); err != nil && ctx.Err() == nil {
			// The store has logged it. Wait a little: a database that is down is not
			// helped by four questions per second.
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(2 * time.Second):
			}
		}
	}
}

// RunRound does the janitor's round n, as [Service.Run] does one after the
// other, and waits for a round that goes on. Round 0 has all duties.
func (s *Service) RunRound(ctx context.Context, n int) error {
	s.rounds.Lock()
	defer s.rounds.Unlock()
	var err error
	if n%beatRounds == 0 {
		err = s.duty(ctx, s.Play.Beat)
	}
	err = errors.Join(err, s.duty(ctx, s.Play.StartDue))
	if n%pollRounds == 0 {
		err = errors.Join(err, s.duty(ctx, s.Hub.Poll), s.duty(ctx, s.Admin.OfferPacks), s.duty(ctx, s.Seats.EnforceBans), s.duty(ctx, s.Seats.EnforceEpochs), s.duty(ctx, s.Replay.EnforceReplays), s.duty(ctx, s.Queue.Round))
	}
	if n%sweepRounds == 0 {
		err = errors.Join(err, s.duty(ctx, s.Play.TouchUsed), s.duty(ctx, s.sweep), s.duty(ctx, s.Replay.Redact))
	}
	return err
}

// duty does one of the janitor's duties. If it panics the others go on.
func (s *Service) duty(ctx context.Context, do func(context.Context) error) (err error) {
	defer panics.Catch(s.Logger, "janitor", func() { err = model.Internal })
	return do(ctx)
}

// sweep deletes expired rows, counts lobbies, closes idle ones, finishes the overwriting of the
// names of deleted accounts, and gives up matches that no node runs, once their result
// had time to come.
func (s *Service) sweep(ctx context.Context) error {
	now := s.Now()
	var idle []model.LobbyID
	var counts map[model.State]int64
	err := s.Write(ctx, func(tx *db.Tx) (err error) {
		if err := tx.Purge(now); err != nil {
			return err
		}
		if idle, err = tx.Lobbies.Idle(now.Add(-s.LobbyIdle), 100); err != nil {
			return err
		}
		if counts, err = tx.Lobbies.Counts(); err != nil {
			return err
		}
		return tx.Nodes.Drop(now.Add(-play.NodesKept))
	})
	if err != nil {
		return err
	}
	for _, state := range []model.State{model.Open, model.Starting, model.Playing, model.Ended} {
		s.lobbies.WithLabelValues(string(state)).Set(float64(counts[state]))
	}
	for _, id := range idle {
		if _, err := s.Play.Change(ctx, id, func(l *model.Lobby) error {
			if l.Touched.After(now.Add(-s.LobbyIdle)) || (l.State != model.Open && l.State != model.Ended) {
				return model.WrongState
			}
			l.Close()
			return nil
		}); errors.Is(err, model.Unavailable) {
			return err
		}
	}
	err = s.Admin.PurgeOld(ctx)
	s.Account.AnonymizeDeleted(ctx)
	return errors.Join(err, s.Admin.PruneAudit(ctx), s.Play.GiveUpLost(ctx), s.Queue.Decay(ctx))
}
