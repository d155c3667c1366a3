package account

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// Guest makes an account without a password and logs it in. The server replaces an
// empty name, and adds a number to a taken one.
func (s *Service) Guest(ctx context.Context, c model.Client, name string) (model.Account, model.Secret, error) {
	if s.NoGuests {
		return model.Account{}, "", model.Refuse(model.LoginOff, "this server has no guests: log in")
	}
	if err := s.Spent(quota.NewGuests, quota.Payer{Address: c.Address}); err != nil {
		return model.Account{}, "", err
	}
	var err error
	if name = strings.TrimSpace(name); name == "" || strings.EqualFold(name, model.GuestBase) {
		name = model.GuestBase
	} else if name, err = model.CleanPlayerName(name); err != nil {
		return model.Account{}, "", err
	}
	var account model.Account
	token := model.NewSecret()
	for try := range 8 {
		account = model.Account{ID: model.AccountID(model.NewID()), Name: guestName(name, try), Guest: true, Created: s.Now()}
		err = s.Write(ctx, func(tx *db.Tx) error {
			if err := s.MayEnter(tx, c); err != nil {
				return err
			}
			if err := s.SpendStored(tx, quota.NewGuests, quota.Payer{Address: c.Address}); err != nil {
				return err
			}
			if err := tx.Accounts.Add(account); err != nil {
				return err
			}
			return s.open(tx, c, account, token)
		})
		if !errors.Is(err, model.ErrTaken) {
			break
		}
	}
	if errors.Is(err, model.ErrTaken) {
		err = model.NameTaken
	}
	if err != nil {
		return model.Account{}, "", err
	}
	return account, token, nil
}

// guestName appends a number when the plain name is taken: a random one, which does not
// reveal the number of guests.
func guestName(name string, try int) string {
	if try == 0 && name != model.GuestBase {
		return name
	}
	n := 0
	for _, b := range []byte(model.NewSecret()[:6]) {
		n = n*31 + int(b)
	}
	suffix := " " + strconv.Itoa(1000+n%999000)
	r := []rune(name)
	return strings.TrimSpace(string(r[:min(len(r), model.NameLenMax-len(suffix))])) + suffix
}

// Register makes an account with a password and logs it in.
func (s *Service) Register(ctx context.Context, c model.Client, name, email, password string) (model.Account, model.Secret, error) {
	if s.NoOwnLogin {
		return model.Account{}, "", model.LoginOff
	}
	account, err := newAccount(name, email, password, s.Now())
	if err == nil {
		err = s.Spent(quota.NewAccounts, quota.Payer{Address: c.Address})
	}
	if err != nil {
		return model.Account{}, "", err
	}
	err = s.Write(ctx, func(tx *db.Tx) error {
		if err := s.MayEnter(tx, c); err != nil {
			return err
		}
		return s.SpendStored(tx, quota.NewAccounts, quota.Payer{Address: c.Address})
	})
	if err != nil {
		return model.Account{}, "", err
	}
	// Counted above: this bounds how many names or emails a client can probe.
	if err := s.Read(ctx, func(tx *db.Tx) error { return isFree(tx, account) }); err != nil {
		return model.Account{}, "", err
	}
	newcomer := Requester{quota.Payer{Address: c.Address}, logInLane}
	if account.PasswordHash, err = s.Hasher.HashPassword(ctx, newcomer, password); err != nil {
		return model.Account{}, "", s.Explain(err)
	}
	token := model.NewSecret()
	err = s.Write(ctx, func(tx *db.Tx) error {
		if err := tx.Accounts.Add(account); err != nil {
			return taken(err)
		}
		a := s.AttemptOf(model.PlayerRealm, account.Name, c)
		if err := s.remember(tx, &a); err != nil {
			return err
		}
		return s.open(tx, c, account, token)
	})
	if err != nil {
		return model.Account{}, "", err
	}
	return account, token, nil
}

// isFree refuses a name or email that another account has.
func isFree(tx *db.Tx, a model.Account) error {
	for _, login := range []string{a.Name, a.Email} {
		if login == "" {
			continue
		}
		other, err := tx.Accounts.ByLogin(model.LoginKey(login))
		if err == nil && other.ID != a.ID {
			return model.NameTaken
		}
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			return err
		}
	}
	return nil
}

func newAccount(name, email, password string, now time.Time) (model.Account, error) {
	name, err := model.CleanPlayerName(name)
	if err != nil {
		return model.Account{}, err
	}
	if email, err = model.CleanEmail(email); err != nil {
		return model.Account{}, err
	}
	if err := CheckPassword(password, name, email); err != nil {
		return model.Account{}, err
	}
	return model.Account{ID: model.AccountID(model.NewID()), Name: name, Email: email, Created: now}, nil
}

// LogIn checks name or email with password and opens a session. An account
// that is not there, one without a password, and a wrong password are one
// answer after the same work: the same hashes, the same queries.
func (s *Service) LogIn(ctx context.Context, c model.Client, login, password string) (model.Account, model.Secret, error) {
	if s.NoOwnLogin {
		return model.Account{}, "", model.LoginOff
	}
	a := s.AttemptOf(model.PlayerRealm, login, c)
	var account model.Account
	var costs []string
	err := s.Read(ctx, func(tx *db.Tx) (err error) {
		if err := s.MayEnter(tx, c); err != nil {
			return err
		}
		if err := s.CountersOf(tx, &a); err != nil {
			return err
		}
		if costs, err = tx.Accounts.HashCosts(model.PlayerRealm); err != nil {
			return err
		}
		account, err = tx.Accounts.ByLogin(model.LoginKey(login))
		if errors.Is(err, model.ErrNotFound) {
			account, err = model.Account{}, nil
		}
		return err
	})
	if err != nil {
		return model.Account{}, "", err
	}
	if err := s.TryLogIn(ctx, &a, password, account.PasswordHash, costs); err != nil {
		return model.Account{}, "", err
	}
	rehash := ""
	if s.Hasher.stale(account.PasswordHash) {
		if rehash, err = s.Hasher.HashPassword(ctx, a.requester(), password); err != nil {
			return model.Account{}, "", s.Explain(err)
		}
	}
	token := model.NewSecret()
	err = s.Write(ctx, func(tx *db.Tx) error {
		now, err := tx.Accounts.Lock(account.ID)
		if errors.Is(err, model.ErrNotFound) || (err == nil && now.PasswordHash != account.PasswordHash) {
			return model.WrongCredentials // changed while we hashed
		}
		if err != nil {
			return err
		}
		if rehash != "" {
			now.PasswordHash = rehash
			if err := tx.Accounts.Save(now); err != nil {
				return err
			}
		}
		if err := s.Succeed(tx, &a); err != nil {
			return err
		}
		return s.open(tx, c, now, token)
	})
	if err != nil {
		return model.Account{}, "", err
	}
	return account, token, nil
}

// open adds a session and ends the client's previous one: a token from before the login
// is invalid after it.
func (s *Service) open(tx *db.Tx, c model.Client, a model.Account, token model.Secret) error {
	if c.Old != "" {
		if err := tx.Sessions.End(model.PlayerRealm, c.Old.Hash()); err != nil {
			return err
		}
	}
	now := s.Now()
	return tx.Sessions.Add(model.Session{
		Hash: token.Hash(), Realm: model.PlayerRealm, Account: a,
		Address: c.Address.String(), UserAgent: model.CutText(c.UserAgent, 200),
		Created: now, Expires: now.Add(s.SessionLife),
	})
}

// Session finds the player behind a token, and refuses a token from a banned address:
// the ban also stops players who logged in before it.
func (s *Service) Session(ctx context.Context, c model.Client, token model.Secret) (model.Session, error) {
	return s.SessionIn(ctx, model.PlayerRealm, token, func(tx *db.Tx) error { return s.MayEnter(tx, c) })
}

func (s *Service) SessionIn(ctx context.Context, realm model.Realm, token model.Secret, then func(*db.Tx) error) (model.Session, error) {
	if len(token) != model.SecretLen {
		return model.Session{}, model.Unauthenticated
	}
	var found model.Session
	err := s.Read(ctx, func(tx *db.Tx) (err error) {
		found, err = tx.Sessions.Get(realm, token.Hash(), s.Now())
		if errors.Is(err, model.ErrNotFound) {
			return model.Unauthenticated
		}
		if err != nil {
			return err
		}
		return then(tx)
	})
	return found, err
}

// LogOut ends one session. Ending an ended session is no error.
func (s *Service) LogOut(ctx context.Context, realm model.Realm, token model.Secret) error {
	if len(token) != model.SecretLen {
		return nil
	}
	var owner model.AccountID
	err := s.Write(ctx, func(tx *db.Tx) error {
		session, err := tx.Sessions.Get(realm, token.Hash(), s.Now())
		if errors.Is(err, model.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		owner = session.Account.ID
		return tx.Sessions.End(realm, token.Hash())
	})
	s.Hub.Recheck(owner)
	return err
}

// LogOutEverywhere ends all sessions of the account, this one too.
func (s *Service) LogOutEverywhere(ctx context.Context, a model.AccountID) error {
	var out seat.Removed
	err := s.Write(ctx, func(tx *db.Tx) (err error) {
		_, out, err = seat.LogOut(tx, a)
		return err
	})
	if err == nil {
		s.Seats.CloseRemoved(ctx, out)
	}
	return err
}

// taken names ErrTaken from a new account.
func taken(err error) error {
	if errors.Is(err, model.ErrTaken) {
		return model.NameTaken
	}
	return err
}
