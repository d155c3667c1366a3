package queue

import (
	"context"
	"time"

	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// ladder returns a queue's rules and its season. A queue that is gone has no rules.
func (s *Service) ladder(tx *db.Tx, queue string) (*model.Queue, model.Season, error) {
	q, err := s.Find(queue)
	if err != nil {
		q = &model.Queue{ID: queue}
	}
	season, err := tx.Ratings.Season(queue)
	return q, season, err
}

// ratings returns the ratings of accounts as they are in the queue's season.
func (s *Service) ratings(tx *db.Tx, queue string, accounts []model.AccountID) (map[model.AccountID]model.QueueRating, error) {
	q, season, err := s.ladder(tx, queue)
	if err != nil {
		return nil, err
	}
	out, err := tx.Ratings.Of(queue, accounts)
	for a, r := range out {
		out[a] = q.InSeason(r, season.Number)
	}
	return out, err
}

// Seasons returns the seasons of the queues with a ladder, by id.
func (s *Service) Seasons(ctx context.Context) (map[string]model.Season, error) {
	return core.Get(ctx, s.Core, s.SeasonsIn)
}

// SeasonsIn is [Service.Seasons] in a transaction.
func (s *Service) SeasonsIn(tx *db.Tx) (map[string]model.Season, error) {
	out := map[string]model.Season{}
	for _, q := range s.Queues() {
		if q.Ladder == nil {
			continue
		}
		season, err := tx.Ratings.Season(q.ID)
		if err != nil {
			return nil, err
		}
		out[q.ID] = season
	}
	return out, nil
}

// StartSeason begins the next season of a queue, until a time (zero: until an admin ends it). It ends the running one.
func (s *Service) StartSeason(tx *db.Tx, queue string, ends time.Time) (model.Season, error) {
	if !ends.IsZero() && !ends.After(s.Now()) {
		return model.Season{}, &model.Error{Code: model.BadRequest, Field: "endsAt", Detail: "the end of a season is in the future"}
	}
	last, err := s.endSeason(tx, queue)
	if err != nil {
		return last, err
	}
	next := model.Season{Number: last.Number + 1, Began: s.Now(), Ends: ends}
	return next, tx.Ratings.AddSeason(queue, next)
}

// EndSeason ends the running season of a queue. No match counts until the next one begins.
func (s *Service) EndSeason(tx *db.Tx, queue string) (model.Season, error) {
	last, err := s.endSeason(tx, queue)
	if err == nil && last.Number == 0 {
		err = model.Refuse(model.WrongState, "queue %s has no season; start one", queue)
	}
	return last, err
}

func (s *Service) endSeason(tx *db.Tx, queue string) (model.Season, error) {
	if _, err := tx.Queues.Lock(); err != nil {
		return model.Season{}, err
	}
	q, last, err := s.ladder(tx, queue)
	if err == nil && q.Ladder == nil {
		err = model.Refuse(model.WrongState, "queue %s has no ladder; its configuration gives it one", queue)
	}
	if err != nil || last.Number == 0 || last.Over(s.Now()) {
		return last, err
	}
	last.Ends = s.Now()
	return last, tx.Ratings.EndSeason(queue, last)
}

// decayBatch bounds the ratings of each queue that one round of the janitor lowers.
const decayBatch = 100

// Decay lowers the ratings of idle accounts. The janitor calls it.
func (s *Service) Decay(ctx context.Context) error {
	for _, q := range s.Queues() {
		if q.Ladder == nil || q.Ladder.Decay == nil {
			continue
		}
		if err := s.Write(ctx, func(tx *db.Tx) error {
			season, err := tx.Ratings.Season(q.ID)
			if err != nil || season.Over(s.Now()) {
				return err
			}
			due, err := tx.Ratings.Decaying(q.ID, season.Number, s.Now(), decayBatch)
			for _, r := range due {
				q.Ladder.Decay.Decayed(&r, s.Now())
				if err := tx.Ratings.Save(r); err != nil {
					return err
				}
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// RatedMatch is a match that counted, as one of its players sees it.
type RatedMatch struct {
	model.RatedSeat
	Hidden    bool // the change, since placement matches are left
	Opponents []string
}

// History lists the newest matches that counted for an account in a queue.
func (s *Service) History(ctx context.Context, queue string, a model.AccountID) (out []RatedMatch, err error) {
	if _, err := s.Find(queue); err != nil {
		return nil, err
	}
	err = s.Read(ctx, func(tx *db.Tx) error {
		out = nil
		q, season, err := s.ladder(tx, queue)
		if err != nil {
			return err
		}
		own, err := s.ratings(tx, queue, []model.AccountID{a})
		if err != nil {
			return err
		}
		seats, opponents, err := tx.Ratings.History(queue, a)
		for i, x := range seats {
			out = append(out, RatedMatch{x, q.PlacementsLeft(own[a]) > 0 && !x.Rated.Before(season.Began), opponents[i]})
		}
		return err
	})
	return out, err
}
