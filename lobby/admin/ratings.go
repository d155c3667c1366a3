package admin

import (
	"context"
	"fmt"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// RemoveRating deletes an account's rating in a queue: it begins anew.
func (as *Session) RemoveRating(ctx context.Context, queue string, a model.AccountID) error {
	return as.act(ctx, model.Moderator, "rating.remove", func(tx *db.Tx) (subject, detail string, err error) {
		return string(a), "queue " + model.CutText(queue, 40), tx.Ratings.Drop(queue, a)
	})
}

// ResetRatings deletes all ratings of a queue: everybody begins anew.
func (as *Session) ResetRatings(ctx context.Context, queue string) error {
	if _, err := as.s.Queue.Find(queue); err != nil {
		return err
	}
	return as.act(ctx, model.FullAdmin, "rating.reset", func(tx *db.Tx) (subject, detail string, err error) {
		n, err := tx.Ratings.Reset(queue)
		return queue, fmt.Sprintf("%d ratings", n), err
	})
}

// Seasons returns the seasons of the queues with a ladder, by id.
func (as *Session) Seasons(ctx context.Context) (map[string]model.Season, error) {
	return ask(ctx, as, as.s.Queue.SeasonsIn)
}

// StartSeason begins the next season of a queue, until a time (zero: until an admin ends it).
func (as *Session) StartSeason(ctx context.Context, queue string, ends time.Time) error {
	return as.season(ctx, queue, "season.start", func(tx *db.Tx) (model.Season, error) { return as.s.Queue.StartSeason(tx, queue, ends) })
}

// EndSeason ends the running season of a queue.
func (as *Session) EndSeason(ctx context.Context, queue string) error {
	return as.season(ctx, queue, "season.end", func(tx *db.Tx) (model.Season, error) { return as.s.Queue.EndSeason(tx, queue) })
}

func (as *Session) season(ctx context.Context, queue, action string, do func(*db.Tx) (model.Season, error)) error {
	if _, err := as.s.Queue.Find(queue); err != nil {
		return err
	}
	return as.act(ctx, model.FullAdmin, action, func(tx *db.Tx) (subject, detail string, err error) {
		season, err := do(tx)
		return queue, fmt.Sprintf("season %d", season.Number), err
	})
}
