package account

import (
	"context"
	"errors"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// Upgrade makes a guest an account: the id, the seat and the history stay. All
// its sessions end but the new one.
func (s *Service) Upgrade(ctx context.Context, c model.Client, id model.AccountID, name, email, password string) (model.Account, model.Secret, error) {
	if s.NoOwnLogin {
		return model.Account{}, "", model.LoginOff
	}
	fresh, err := newAccount(name, email, password, s.Now())
	if err != nil {
		return model.Account{}, "", err
	}
	if err := s.Read(ctx, func(tx *db.Tx) error {
		now, err := tx.Accounts.Get(id)
		if err == nil && !now.Guest {
			err = model.NotGuest
		}
		return err
	}); err != nil {
		return model.Account{}, "", err
	}
	if err := s.MayHash(OtherRequest(c, id)); err != nil {
		return model.Account{}, "", err
	}
	fresh.ID = id
	if err := s.Read(ctx, func(tx *db.Tx) error { return isFree(tx, fresh) }); err != nil {
		return model.Account{}, "", err
	}
	hash, err := s.Hasher.HashPassword(ctx, OtherRequest(c, id), password)
	if err != nil {
		return model.Account{}, "", s.Explain(err)
	}
	token := model.NewSecret()
	var account model.Account
	var in model.LobbyID
	err = s.Write(ctx, func(tx *db.Tx) error {
		if account, err = tx.Accounts.Lock(id); err != nil {
			return err
		}
		if !account.Guest {
			return model.NotGuest
		}
		if in, err = s.Seats.Rename(tx, id, fresh.Name); err != nil {
			return err
		}
		account.Name, account.Email, account.PasswordHash, account.Guest = fresh.Name, fresh.Email, hash, false
		if err := tx.Accounts.Save(account); err != nil {
			return taken(err)
		}
		a := s.AttemptOf(model.PlayerRealm, account.Name, c)
		if err := s.remember(tx, &a); err != nil {
			return err
		}
		if _, err := tx.Sessions.EndAll(model.PlayerRealm, string(id), ""); err != nil {
			return err
		}
		return s.open(tx, c, account, token)
	})
	if err != nil {
		return model.Account{}, "", err
	}
	s.Hub.Wake(in)
	s.Hub.Recheck(id)
	return account, token, nil
}

// ChangePassword checks the old password, sets a new one, ends every session and opens
// a new one. An account without a password, which has external identities alone, gets
// its first one from a fresh session.
func (s *Service) ChangePassword(ctx context.Context, c model.Client, id model.AccountID, old, password string) (model.Secret, error) {
	account, requester, err := s.prove(ctx, c, id, old, func(a model.Account) error {
		if a.PasswordHash == "" && s.NoOwnLogin {
			return model.LoginOff
		}
		return CheckPassword(password, a.Name, a.Email)
	})
	if err == nil && account.PasswordHash == "" {
		err = s.MayHash(requester)
	}
	if err != nil {
		return "", err
	}
	hash, err := s.Hasher.HashPassword(ctx, requester, password)
	if err != nil {
		return "", s.Explain(err)
	}
	token := model.NewSecret()
	var out seat.Removed
	err = s.Write(ctx, func(tx *db.Tx) error {
		now, err := tx.Accounts.Lock(id)
		if err != nil {
			return err
		}
		if now.PasswordHash != account.PasswordHash {
			return model.WrongCredentials
		}
		now.PasswordHash = hash
		if err := tx.Accounts.Save(now); err != nil {
			return err
		}
		if err := tx.Accounts.DropResets(id); err != nil {
			return err
		}
		if _, out, err = seat.LogOut(tx, id); err != nil {
			return err
		}
		return s.open(tx, c, now, token)
	})
	if err != nil {
		return "", err
	}
	s.Seats.CloseRemoved(ctx, out)
	return token, nil
}

// prove checks that the caller owns the account: by the password, or, without a
// password, by a fresh session. The other checks come first. It returns the requester
// for later hashes.
func (s *Service) prove(ctx context.Context, c model.Client, id model.AccountID, password string, first func(model.Account) error) (account model.Account, requester Requester, err error) {
	if err := s.Read(ctx, func(tx *db.Tx) (err error) {
		if account, err = tx.Accounts.Get(id); err != nil || account.Guest || account.PasswordHash != "" {
			return err
		}
		if err := first(account); err != nil {
			return err
		}
		return s.fresh(tx, c, id)
	}); err != nil {
		return account, requester, err
	}
	if !account.Guest && account.PasswordHash == "" {
		return account, OtherRequest(c, id), nil
	}
	return s.withPassword(ctx, c, id, password, first)
}

// withPassword checks the account's password, counted like a log-in, and returns the
// requester for the known lane. Guests have no password. The other checks come first.
func (s *Service) withPassword(ctx context.Context, c model.Client, id model.AccountID, password string, first func(model.Account) error) (account model.Account, requester Requester, err error) {
	var a attempt
	var costs []string
	if err = s.Read(ctx, func(tx *db.Tx) (err error) {
		if account, err = tx.Accounts.Get(id); err != nil {
			return err
		}
		if account.Guest {
			return model.GuestOnly
		}
		if err := first(account); err != nil {
			return err
		}
		if costs, err = tx.Accounts.HashCosts(model.PlayerRealm); err != nil {
			return err
		}
		a = s.AttemptOf(model.PlayerRealm, account.Name, c)
		return s.CountersOf(tx, &a)
	}); err != nil {
		return account, requester, err
	}
	if err := s.MayHash(OtherRequest(c, id)); err != nil {
		return account, requester, err
	}
	if err := s.TryLogIn(ctx, &a, password, account.PasswordHash, costs); err != nil {
		return account, requester, err
	}
	a.known = true
	return account, a.requester(), s.Write(ctx, func(tx *db.Tx) error { return s.Succeed(tx, &a) })
}

// Reset sets a new password by a link an admin issued. All sessions end.
func (s *Service) Reset(ctx context.Context, c model.Client, token model.Secret, password string) error {
	if s.NoOwnLogin {
		return model.LoginOff
	}
	if err := CheckPassword(password, "", ""); err != nil {
		return err
	}
	if err := s.Write(ctx, func(tx *db.Tx) error {
		return s.SpendStored(tx, quota.LoginFailures, quota.Payer{Address: c.Address}) // as many links as log-ins may be tried
	}); err != nil {
		return err
	}
	if err := s.Read(ctx, func(tx *db.Tx) error {
		reset, err := tx.Accounts.Reset(token.Hash(), s.Now())
		if errors.Is(err, model.ErrNotFound) {
			return model.BadResetToken
		}
		if err != nil {
			return err
		}
		account, err := tx.Accounts.Get(reset.Account)
		if err != nil {
			return err
		}
		return CheckPassword(password, account.Name, account.Email)
	}); err != nil {
		return err
	}
	hash, err := s.Hasher.HashPassword(ctx, Requester{quota.Payer{Address: c.Address}, logInLane}, password)
	if err != nil {
		return s.Explain(err)
	}
	var out seat.Removed
	err = s.Write(ctx, func(tx *db.Tx) error {
		reset, err := tx.Accounts.UseReset(token.Hash(), s.Now())
		if errors.Is(err, model.ErrNotFound) {
			return model.BadResetToken
		}
		if err != nil {
			return err
		}
		account, err := tx.Accounts.Lock(reset.Account)
		if err != nil {
			return err
		}
		if err := CheckPassword(password, account.Name, account.Email); err != nil {
			return err
		}
		account.PasswordHash, account.Guest = hash, false
		if err := tx.Accounts.Save(account); err != nil {
			return err
		}
		_, out, err = seat.LogOut(tx, account.ID)
		return err
	})
	if err == nil {
		s.Seats.CloseRemoved(ctx, out)
	}
	return err
}

// Me returns the account with its record and its lobby ("" without a seat).
func (s *Service) Me(ctx context.Context, id model.AccountID) (a model.Account, r model.Record, l model.LobbyID, err error) {
	err = s.Read(ctx, func(tx *db.Tx) (err error) {
		if a, err = tx.Accounts.Get(id); err != nil {
			return err
		}
		if r, err = tx.Matches.Record(id); err != nil {
			return err
		}
		if l, err = tx.Lobbies.Of(id); errors.Is(err, model.ErrNotFound) {
			err = nil
		}
		return err
	})
	return a, r, l, err
}

// BanOf returns the ban that keeps an account out of lobbies and matches, nil without a
// ban. A banned account can log in and read: its player reads the reason of the ban.
func (s *Service) BanOf(ctx context.Context, c model.Client, id model.AccountID) (ban *model.Ban, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		b, err := tx.Bans.Of(id, c.Address, s.Now())
		if err == nil {
			ban = &b
		} else if !errors.Is(err, model.ErrNotFound) {
			return err
		}
		return nil
	})
	return ban, err
}

// Profile returns the name and record of an account. A private account has its name alone.
func (s *Service) Profile(ctx context.Context, id model.AccountID) (a model.Account, r model.Record, err error) {
	err = s.Read(ctx, func(tx *db.Tx) (err error) {
		if a, err = tx.Accounts.Get(id); err != nil {
			return err
		}
		a = model.Account{ID: a.ID, Name: a.Name, Guest: a.Guest}
		sharing, err := tx.Accounts.Sharing(id)
		if err == nil && sharing != model.ShareName {
			r, err = tx.Matches.Record(id)
		}
		return err
	})
	return a, r, err
}

// History lists an account's matches, latest first, below num before (0: from the
// latest), 50 at most.
func (s *Service) History(ctx context.Context, id model.AccountID, before int64) (rows []model.Played, err error) {
	return core.Get(ctx, s.Core, func(tx *db.Tx) ([]model.Played, error) { return tx.Matches.History(id, before, 50) })
}
