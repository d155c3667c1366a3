package account

import (
	"context"

	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// DeleteAccount ends an account for good: sessions, seat, name, email, hash,
// external identities, settings, known places and what it said in lobbies go at once. What its matches wrote
// down of it is overwritten right after, or by the janitor if this process dies
// meanwhile; in the end no row of it is left. Guests need no password, and who has
// none a fresh session.
func (s *Service) DeleteAccount(ctx context.Context, c model.Client, id model.AccountID, password string) error {
	account, err := core.Get(ctx, s.Core, func(tx *db.Tx) (model.Account, error) { return tx.Account(id) })
	if err == nil && !account.Guest {
		_, _, err = s.prove(ctx, c, id, password, func(model.Account) error { return nil })
	}
	if err != nil {
		return err
	}
	var out seat.Removed
	err = s.Write(ctx, func(tx *db.Tx) (err error) {
		out, err = s.Delete(tx, id)
		return err
	})
	if err != nil {
		return err
	}
	s.Seats.CloseRemoved(ctx, out)
	s.AnonymizeDeleted(ctx)
	return nil
}

// Delete is [Service.DeleteAccount] in a transaction; then follow seat.Service.CloseRemoved
// and [Service.AnonymizeDeleted].
func (s *Service) Delete(tx *db.Tx, id model.AccountID) (seat.Removed, error) {
	account, err := tx.LockAccount(id)
	if err != nil {
		return seat.Removed{}, err
	}
	out, err := s.Seats.RemoveEverywhere(tx, id, "the account was deleted")
	if err != nil {
		return seat.Removed{}, err
	}
	if err := tx.DropResets(id); err != nil {
		return seat.Removed{}, err
	}
	if err := tx.DropAccountSettings(id); err != nil {
		return seat.Removed{}, err
	}
	if err := tx.DropRatings(id); err != nil {
		return seat.Removed{}, err
	}
	if err := tx.DropExternals(id); err != nil {
		return seat.Removed{}, err
	}
	for _, login := range []string{account.Name, account.Email} {
		if err := tx.DropPlaces(s.AttemptOf(model.PlayerRealm, login, model.Client{}).key); err != nil {
			return seat.Removed{}, err
		}
	}
	if err := tx.DeleteChat(id); err != nil {
		return seat.Removed{}, err
	}
	account.Name, account.Email, account.PasswordHash = "deleted "+string(id), "", ""
	account.Guest, account.Deleted = true, s.Now()
	return out, tx.SaveAccount(account)
}

// How much of a deleted account's history is overwritten in one transaction,
// and in how many of them at most while the one who asked waits.
const (
	forgetSeats = 50
	forgetTurns = 20
)

// AnonymizeDeleted overwrites what matches wrote down of deleted accounts. What is
// left, or fails, is for the janitor's next sweep.
func (s *Service) AnonymizeDeleted(ctx context.Context) {
	for range forgetTurns {
		done := 0
		if err := s.Write(ctx, func(tx *db.Tx) (err error) {
			done, err = tx.AnonymizeDeleted(forgetSeats)
			return err
		}); err != nil || done < forgetSeats {
			return // an error is in the log
		}
	}
}
