package lobby

import (
	"context"
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// DeleteAccount ends an account for good: sessions, seat, name, email, hash,
// external identities, settings, known places and what it said in lobbies go at once. What its matches wrote
// down of it is overwritten right after, or by the janitor if this process dies
// meanwhile; in the end no row of it is left. Guests need no password, and who has
// none a fresh session.
func (s *Service) DeleteAccount(ctx context.Context, c model.Client, id model.AccountID, password string) error {
	account, err := get(ctx, s, func(tx *db.Tx) (model.Account, error) { return tx.Account(id) })
	if err == nil && !account.Guest {
		_, _, err = s.prove(ctx, c, id, password, func(model.Account) error { return nil })
	}
	if err != nil {
		return err
	}
	var out removed
	err = s.write(ctx, func(tx *db.Tx) (err error) {
		out, err = s.deleteAccount(tx, id)
		return err
	})
	if err != nil {
		return err
	}
	s.closeRemoved(ctx, out)
	s.anonymizeDeleted(ctx)
	return nil
}

func (s *Service) deleteAccount(tx *db.Tx, id model.AccountID) (removed, error) {
	account, err := tx.LockAccount(id)
	if err != nil {
		return removed{}, err
	}
	out, err := s.removeEverywhere(tx, id, "the account was deleted")
	if err != nil {
		return removed{}, err
	}
	if err := tx.DropResets(id); err != nil {
		return removed{}, err
	}
	if err := tx.DropAccountSettings(id); err != nil {
		return removed{}, err
	}
	if err := tx.DropRatings(id); err != nil {
		return removed{}, err
	}
	if err := tx.DropExternals(id); err != nil {
		return removed{}, err
	}
	for _, login := range []string{account.Name, account.Email} {
		if err := tx.DropPlaces(s.attemptOf(model.PlayerRealm, login, model.Client{}).key); err != nil {
			return removed{}, err
		}
	}
	if err := tx.DeleteChat(id); err != nil {
		return removed{}, err
	}
	account.Name, account.Email, account.PasswordHash = "deleted "+string(id), "", ""
	account.Guest, account.Deleted = true, s.Now()
	return out, tx.SaveAccount(account)
}

// removed is an account that lost its sessions, and perhaps its seats, for what
// is to do outside of the database once that is kept.
type removed struct {
	account model.AccountID
	epoch   int64
	lobby   model.LobbyID // in which it sits or sat
	forGood bool          // it lost its seats
	why     *model.Error
}

// removeEverywhere ends an account's sessions and epoch, frees its seat in its lobby and
// ends those in matches.
func (s *Service) removeEverywhere(tx *db.Tx, a model.AccountID, reason string) (removed, error) {
	out := removed{account: a, forGood: true, why: model.Refuse(model.KickedOut, "%s", reason)}
	if _, err := tx.LockAccount(a); err != nil {
		return out, err
	}
	var err error
	if out.epoch, err = tx.EndEpoch(a); err != nil {
		return out, err
	}
	if _, err := tx.EndSessions(model.PlayerRealm, string(a), ""); err != nil {
		return out, err
	}
	if err := tx.LeaveMatches(a, "", s.Now()); err != nil {
		return out, err
	}
	if out.lobby, err = s.removeFromLobby(tx, a, reason); err != nil {
		return out, err
	}
	return out, s.outOfParty(tx, a)
}

// kickEverywhere is removeEverywhere, of which webhooks are told.
func (s *Service) kickEverywhere(tx *db.Tx, a model.AccountID, reason string) (removed, error) {
	var played *model.Match
	m, err := tx.LiveSeat(a)
	if err == nil {
		played = &m
	} else if !errors.Is(err, model.ErrNotFound) {
		return removed{}, err
	}
	out, err := s.removeEverywhere(tx, a, reason)
	if err != nil {
		return out, err
	}
	return out, s.tellKicked(tx, a, played, reason)
}

// closeRemoved wakes the account's streams, which end, and ends its sockets in matches.
// What fails here the janitor finds.
func (s *Service) closeRemoved(ctx context.Context, out removed) {
	s.hub.wake(out.lobby)
	s.hub.recheck(out.account)
	s.endSeats(ctx, out.account, Ending{Epoch: out.epoch, ForGood: out.forGood, Why: out.why})
}

// endSeats ends an account's seats in matches, also for one who has hung up.
func (s *Service) endSeats(ctx context.Context, a model.AccountID, e Ending) {
	if s.Matches == nil || a == "" { // a range of addresses is nobody in particular
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
	defer cancel()
	if err := s.Matches.End(ctx, a, e); err != nil {
		s.Logger.Error("lobby: an account's seats in matches have not ended yet", "account", a, "err", err)
	}
}

// endPatience is for matches to end an account's seats: a tick each.
const endPatience = 5 * time.Second

// How much of a deleted account's history is overwritten in one transaction,
// and in how many of them at most while the one who asked waits.
const (
	forgetSeats = 50
	forgetTurns = 20
)

// anonymizeDeleted overwrites what matches wrote down of deleted accounts. What is
// left, or fails, is for the janitor's next sweep.
func (s *Service) anonymizeDeleted(ctx context.Context) {
	for range forgetTurns {
		done := 0
		if err := s.write(ctx, func(tx *db.Tx) (err error) {
			done, err = tx.AnonymizeDeleted(forgetSeats)
			return err
		}); err != nil || done < forgetSeats {
			return // an error is in the log
		}
	}
}
