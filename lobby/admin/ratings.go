package admin

import (
	"context"
	"fmt"

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
