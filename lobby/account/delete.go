package account

import (
	"context"

	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// DeleteAccount ends an account for good: sessions, seat, name, email, hash, external
// identities, settings, known places, its cases, the words of its reports and its chat in lobbies go at once. Its traces in matches
// are overwritten right after, or by the janitor if this process dies meanwhile; in the end the
// account has no row. Guests need no password; another account without one needs a fresh
// session.
func (s *Service) DeleteAccount(ctx context.Context, c model.Client, id model.AccountID, password string) error {
	account, err := core.Get(ctx, s.Core, func(tx *db.Tx) (model.Account, error) { return tx.Accounts.Get(id) })
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
	account, err := tx.Accounts.Lock(id)
	if err != nil {
		return seat.Removed{}, err
	}
	out, err := s.Seats.RemoveEverywhere(tx, id, "the account was deleted")
	if err != nil {
		return seat.Removed{}, err
	}
	if err := tx.Accounts.DropResets(id); err != nil {
		return seat.Removed{}, err
	}
	if err := tx.Accounts.DropSettings(id); err != nil {
		return seat.Removed{}, err
	}
	if err := tx.Ratings.DropAll(id); err != nil {
		return seat.Removed{}, err
	}
	if err := tx.Relations.DropAll(id); err != nil {
		return seat.Removed{}, err
	}
	if err := tx.Cases.Forget(id); err != nil {
		return seat.Removed{}, err
	}
	if err := tx.Accounts.DropExternals(id); err != nil {
		return seat.Removed{}, err
	}
	for _, login := range []string{account.Name, account.Email} {
		if err := tx.Throttle.DropPlaces(s.AttemptOf(model.PlayerRealm, login, model.Client{}).key); err != nil {
			return seat.Removed{}, err
		}
	}
	if err := tx.Lobbies.DeleteChat(id); err != nil {
		return seat.Removed{}, err
	}
	account.Name, account.Email, account.PasswordHash = "deleted "+string(id), "", ""
	account.Guest, account.Deleted = true, s.Now()
	return out, tx.Accounts.Save(account)
}

// The part of a deleted account's history that one transaction overwrites, and the
// largest number of transactions while the caller waits.
const (
	forgetSeats = 50
	forgetTurns = 20
)

// AnonymizeDeleted overwrites the traces of deleted accounts in matches. The janitor's
// next sweep continues after a failure or the bound.
func (s *Service) AnonymizeDeleted(ctx context.Context) {
	for range forgetTurns {
		done := 0
		if err := s.Write(ctx, func(tx *db.Tx) (err error) {
			done, err = tx.Accounts.AnonymizeDeleted(forgetSeats)
			return err
		}); err != nil || done < forgetSeats {
			return // an error is in the log
		}
	}
}
