package lobby

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Guest makes an account without a password and logs it in. An empty name is
// given one; a name that is taken is told from others by a number.
func (s *Service) Guest(ctx context.Context, c model.Client, name string) (model.Account, model.Secret, error) {
	if s.NoGuests {
		return model.Account{}, "", model.Refuse(model.LoginOff, "this server has no guests: log in")
	}
	if err := s.spent(budget.NewGuests, budget.Who{Address: c.Address}); err != nil {
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
		err = s.write(ctx, func(tx *db.Tx) error {
			if err := s.mayEnter(tx, c); err != nil {
				return err
			}
			if err := s.spend(tx, budget.NewGuests, budget.Who{Address: c.Address}); err != nil {
				return err
			}
			if err := tx.AddAccount(account); err != nil {
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

// guestName appends a number when the plain name is taken: drawn, not counted,
// so that it tells nothing of how many there are.
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
	account, err := s.newAccount(name, email, password)
	if err == nil {
		err = s.spent(budget.NewAccounts, budget.Who{Address: c.Address})
	}
	if err != nil {
		return model.Account{}, "", err
	}
	err = s.write(ctx, func(tx *db.Tx) error {
		if err := s.mayEnter(tx, c); err != nil {
			return err
		}
		return s.spend(tx, budget.NewAccounts, budget.Who{Address: c.Address})
	})
	if err != nil {
		return model.Account{}, "", err
	}
	// Counted above, so that nobody asks for names or emails without end.
	if err := s.read(ctx, func(tx *db.Tx) error { return isFree(tx, account) }); err != nil {
		return model.Account{}, "", err
	}
	newcomer := requester{budget.Who{Address: c.Address}, logInLane}
	if account.PasswordHash, err = s.hasher.hash(ctx, newcomer, password); err != nil {
		return model.Account{}, "", s.explain(err)
	}
	token := model.NewSecret()
	err = s.write(ctx, func(tx *db.Tx) error {
		if err := tx.AddAccount(account); err != nil {
			return taken(err)
		}
		a := s.attemptOf(model.PlayerRealm, account.Name, c)
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
		other, err := tx.AccountByLogin(model.LoginKey(login))
		if err == nil && other.ID != a.ID {
			return model.NameTaken
		}
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			return err
		}
	}
	return nil
}

func (s *Service) newAccount(name, email, password string) (model.Account, error) {
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
	return model.Account{ID: model.AccountID(model.NewID()), Name: name, Email: email, Created: s.Now()}, nil
}

// LogIn checks name or email with password and opens a session. An account
// that is not there, one without a password, and a wrong password are one
// answer after the same work: the same hashes, the same queries.
func (s *Service) LogIn(ctx context.Context, c model.Client, login, password string) (model.Account, model.Secret, error) {
	if s.NoOwnLogin {
		return model.Account{}, "", model.LoginOff
	}
	a := s.attemptOf(model.PlayerRealm, login, c)
	var account model.Account
	var costs []string
	err := s.read(ctx, func(tx *db.Tx) (err error) {
		if err := s.mayEnter(tx, c); err != nil {
			return err
		}
		if err := s.countersOf(tx, &a); err != nil {
			return err
		}
		if costs, err = tx.HashCosts(model.PlayerRealm); err != nil {
			return err
		}
		account, err = tx.AccountByLogin(model.LoginKey(login))
		if errors.Is(err, model.ErrNotFound) {
			account, err = model.Account{}, nil
		}
		return err
	})
	if err != nil {
		return model.Account{}, "", err
	}
	if err := s.tryLogIn(ctx, &a, password, account.PasswordHash, costs); err != nil {
		return model.Account{}, "", err
	}
	rehash := ""
	if s.hasher.stale(account.PasswordHash) {
		if rehash, err = s.hasher.hash(ctx, a.requester(), password); err != nil {
			return model.Account{}, "", s.explain(err)
		}
	}
	token := model.NewSecret()
	err = s.write(ctx, func(tx *db.Tx) error {
		now, err := tx.LockAccount(account.ID)
		if errors.Is(err, model.ErrNotFound) || (err == nil && now.PasswordHash != account.PasswordHash) {
			return model.WrongCredentials // changed while we hashed
		}
		if err != nil {
			return err
		}
		if rehash != "" {
			now.PasswordHash = rehash
			if err := tx.SaveAccount(now); err != nil {
				return err
			}
		}
		if err := s.succeed(tx, &a); err != nil {
			return err
		}
		return s.open(tx, c, now, token)
	})
	if err != nil {
		return model.Account{}, "", err
	}
	return account, token, nil
}

// open adds a session and ends the one the client came with: a token that was
// known before the login is worth nothing after it.
func (s *Service) open(tx *db.Tx, c model.Client, a model.Account, token model.Secret) error {
	if c.Old != "" {
		if err := tx.EndSession(model.PlayerRealm, c.Old.Hash()); err != nil {
			return err
		}
	}
	now := s.Now()
	return tx.AddSession(model.Session{
		Hash: token.Hash(), Realm: model.PlayerRealm, Account: a,
		Address: c.Address.String(), UserAgent: model.CutText(c.UserAgent, 200),
		Created: now, Expires: now.Add(s.SessionLife),
	})
}

// mayEnter refuses clients from banned addresses before anything is made for
// them.
func (s *Service) mayEnter(tx *db.Tx, c model.Client) error {
	ban, err := tx.Banned("", c.Address, s.Now())
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return banned(ban)
}

func banned(b model.Ban) *model.Error {
	code := model.BannedAddress
	if b.Account != "" {
		code = model.BannedAccount
	}
	return model.Refuse(code, "banned %s: %s", untilText(b.Until), b.Reason)
}

// untilText is how long a ban holds, for people.
func untilText(t time.Time) string {
	if t.IsZero() {
		return "for good"
	}
	return "until " + t.UTC().Format("2006-01-02 15:04 MST")
}

// Session finds the player behind a token, and refuses it where it comes from
// now if that address is banned: whoever logged in before the ban acts no more
// either.
func (s *Service) Session(ctx context.Context, c model.Client, token model.Secret) (model.Session, error) {
	return s.session(ctx, model.PlayerRealm, token, func(tx *db.Tx) error { return s.mayEnter(tx, c) })
}

func (s *Service) session(ctx context.Context, realm model.Realm, token model.Secret, then func(*db.Tx) error) (model.Session, error) {
	if len(token) != model.SecretLen {
		return model.Session{}, model.Unauthenticated
	}
	var found model.Session
	err := s.read(ctx, func(tx *db.Tx) (err error) {
		found, err = tx.Session(realm, token.Hash(), s.Now())
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

// LogOut ends one session. Ending one that is over is no error.
func (s *Service) LogOut(ctx context.Context, realm model.Realm, token model.Secret) error {
	if len(token) != model.SecretLen {
		return nil
	}
	var who model.AccountID
	err := s.write(ctx, func(tx *db.Tx) error {
		session, err := tx.Session(realm, token.Hash(), s.Now())
		if errors.Is(err, model.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		who = session.Account.ID
		return tx.EndSession(realm, token.Hash())
	})
	s.hub.recheck(who)
	return err
}

// LogOutEverywhere ends all sessions of the account, this one too.
func (s *Service) LogOutEverywhere(ctx context.Context, a model.AccountID) error {
	var out removed
	err := s.write(ctx, func(tx *db.Tx) (err error) {
		_, out, err = logOut(tx, a)
		return err
	})
	if err == nil {
		s.closeRemoved(ctx, out)
	}
	return err
}

// logOut ends all sessions of a player, and with its epoch all tickets, resume
// tokens and sockets. Its seats stay.
func logOut(tx *db.Tx, a model.AccountID) (n int64, out removed, err error) {
	out = removed{account: a, why: &model.Error{Code: model.LoggedOut}}
	if out.epoch, err = tx.EndEpoch(a); err != nil {
		return 0, out, err
	}
	n, err = tx.EndSessions(model.PlayerRealm, string(a), "")
	return n, out, err
}

// taken names ErrTaken from a new account.
func taken(err error) error {
	if errors.Is(err, model.ErrTaken) {
		return model.NameTaken
	}
	return err
}
