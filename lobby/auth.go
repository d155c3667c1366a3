package lobby

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/budget"
)

// Guest makes an account without a password and logs it in. An empty name is
// given one; a name that is taken is told from others by a number.
func (s *Service) Guest(ctx context.Context, c Client, name string) (Account, Secret, error) {
	if s.NoGuests {
		return Account{}, "", refuse(LoginOff, "this server has no guests: log in")
	}
	if err := s.spent(budget.NewGuests, budget.Who{Address: c.Address}); err != nil {
		return Account{}, "", err
	}
	var err error
	if name = strings.TrimSpace(name); name == "" || strings.EqualFold(name, guestBase) {
		name = guestBase
	} else if name, err = cleanPlayerName(name); err != nil {
		return Account{}, "", err
	}
	var account Account
	token := NewSecret()
	for try := range 8 {
		account = Account{ID: AccountID(newID()), Name: guestName(name, try), Guest: true, Created: s.Now()}
		err = s.write(ctx, func(tx Tx) error {
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
		if !errors.Is(err, ErrTaken) {
			break
		}
	}
	if errors.Is(err, ErrTaken) {
		err = NameTaken
	}
	if err != nil {
		return Account{}, "", err
	}
	return account, token, nil
}

// guestBase begins the name of a guest who gave none.
const guestBase = "Guest"

// guestName appends a number when the plain name is taken: drawn, not counted,
// so that it tells nothing of how many there are.
func guestName(name string, try int) string {
	if try == 0 && name != guestBase {
		return name
	}
	n := 0
	for _, b := range []byte(NewSecret()[:6]) {
		n = n*31 + int(b)
	}
	suffix := " " + strconv.Itoa(1000+n%999000)
	r := []rune(name)
	return strings.TrimSpace(string(r[:min(len(r), NameLenMax-len(suffix))])) + suffix
}

// Register makes an account with a password and logs it in.
func (s *Service) Register(ctx context.Context, c Client, name, email, password string) (Account, Secret, error) {
	if s.NoOwnLogin {
		return Account{}, "", LoginOff
	}
	account, err := s.newAccount(name, email, password)
	if err == nil {
		err = s.spent(budget.NewAccounts, budget.Who{Address: c.Address})
	}
	if err != nil {
		return Account{}, "", err
	}
	err = s.write(ctx, func(tx Tx) error {
		if err := s.mayEnter(tx, c); err != nil {
			return err
		}
		return s.spend(tx, budget.NewAccounts, budget.Who{Address: c.Address})
	})
	if err != nil {
		return Account{}, "", err
	}
	// Counted above, so that nobody asks for names or emails without end.
	if err := s.read(ctx, func(tx Tx) error { return isFree(tx, account) }); err != nil {
		return Account{}, "", err
	}
	newcomer := requester{budget.Who{Address: c.Address}, logInLane}
	if account.PasswordHash, err = s.hasher.hash(ctx, newcomer, password); err != nil {
		return Account{}, "", s.explain(err)
	}
	token := NewSecret()
	err = s.write(ctx, func(tx Tx) error {
		if err := tx.AddAccount(account); err != nil {
			return taken(err)
		}
		a := s.attemptOf(PlayerRealm, account.Name, c)
		if err := s.remember(tx, &a); err != nil {
			return err
		}
		return s.open(tx, c, account, token)
	})
	if err != nil {
		return Account{}, "", err
	}
	return account, token, nil
}

// isFree refuses a name or email that another account has.
func isFree(tx Tx, a Account) error {
	for _, login := range []string{a.Name, a.Email} {
		if login == "" {
			continue
		}
		other, err := tx.AccountByLogin(LoginKey(login))
		if err == nil && other.ID != a.ID {
			return NameTaken
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

func (s *Service) newAccount(name, email, password string) (Account, error) {
	name, err := cleanPlayerName(name)
	if err != nil {
		return Account{}, err
	}
	if email, err = CleanEmail(email); err != nil {
		return Account{}, err
	}
	if err := CheckPassword(password, name, email); err != nil {
		return Account{}, err
	}
	return Account{ID: AccountID(newID()), Name: name, Email: email, Created: s.Now()}, nil
}

// LogIn checks name or email with password and opens a session. An account
// that is not there, one without a password, and a wrong password are one
// answer after the same work: the same hashes, the same queries.
func (s *Service) LogIn(ctx context.Context, c Client, login, password string) (Account, Secret, error) {
	if s.NoOwnLogin {
		return Account{}, "", LoginOff
	}
	a := s.attemptOf(PlayerRealm, login, c)
	var account Account
	var costs []string
	err := s.read(ctx, func(tx Tx) (err error) {
		if err := s.mayEnter(tx, c); err != nil {
			return err
		}
		if err := s.countersOf(tx, &a); err != nil {
			return err
		}
		if costs, err = tx.HashCosts(PlayerRealm); err != nil {
			return err
		}
		account, err = tx.AccountByLogin(LoginKey(login))
		if errors.Is(err, ErrNotFound) {
			account, err = Account{}, nil
		}
		return err
	})
	if err != nil {
		return Account{}, "", err
	}
	if err := s.tryLogIn(ctx, &a, password, account.PasswordHash, costs); err != nil {
		return Account{}, "", err
	}
	rehash := ""
	if s.hasher.stale(account.PasswordHash) {
		if rehash, err = s.hasher.hash(ctx, a.requester(), password); err != nil {
			return Account{}, "", s.explain(err)
		}
	}
	token := NewSecret()
	err = s.write(ctx, func(tx Tx) error {
		now, err := tx.LockAccount(account.ID)
		if errors.Is(err, ErrNotFound) || (err == nil && now.PasswordHash != account.PasswordHash) {
			return WrongCredentials // changed while we hashed
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
		return Account{}, "", err
	}
	return account, token, nil
}

// open adds a session and ends the one the client came with: a token that was
// known before the login is worth nothing after it.
func (s *Service) open(tx Tx, c Client, a Account, token Secret) error {
	if c.Old != "" {
		if err := tx.EndSession(PlayerRealm, c.Old.Hash()); err != nil {
			return err
		}
	}
	now := s.Now()
	return tx.AddSession(Session{
		Hash: token.Hash(), Realm: PlayerRealm, Account: a,
		Address: c.Address.String(), UserAgent: cutText(c.UserAgent, 200),
		Created: now, Expires: now.Add(s.SessionLife),
	})
}

// mayEnter refuses clients from banned addresses before anything is made for
// them.
func (s *Service) mayEnter(tx Tx, c Client) error {
	ban, err := tx.Banned("", c.Address, s.Now())
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return banned(ban)
}

func banned(b Ban) *Error {
	code := BannedAddress
	if b.Account != "" {
		code = BannedAccount
	}
	return refuse(code, "banned %s: %s", untilText(b.Until), b.Reason)
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
func (s *Service) Session(ctx context.Context, c Client, token Secret) (Session, error) {
	return s.session(ctx, PlayerRealm, token, func(tx Tx) error { return s.mayEnter(tx, c) })
}

func (s *Service) session(ctx context.Context, realm Realm, token Secret, then func(Tx) error) (Session, error) {
	if len(token) != secretLen {
		return Session{}, Unauthenticated
	}
	var found Session
	err := s.read(ctx, func(tx Tx) (err error) {
		found, err = tx.Session(realm, token.Hash(), s.Now())
		if errors.Is(err, ErrNotFound) {
			return Unauthenticated
		}
		if err != nil {
			return err
		}
		return then(tx)
	})
	return found, err
}

// LogOut ends one session. Ending one that is over is no error.
func (s *Service) LogOut(ctx context.Context, realm Realm, token Secret) error {
	if len(token) != secretLen {
		return nil
	}
	var who AccountID
	err := s.write(ctx, func(tx Tx) error {
		session, err := tx.Session(realm, token.Hash(), s.Now())
		if errors.Is(err, ErrNotFound) {
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
func (s *Service) LogOutEverywhere(ctx context.Context, a AccountID) error {
	var out removed
	err := s.write(ctx, func(tx Tx) (err error) {
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
func logOut(tx Tx, a AccountID) (n int64, out removed, err error) {
	out = removed{account: a, why: &Error{Code: LoggedOut}}
	if out.epoch, err = tx.EndEpoch(a); err != nil {
		return 0, out, err
	}
	n, err = tx.EndSessions(PlayerRealm, string(a), "")
	return n, out, err
}

// taken names ErrTaken from a new account.
func taken(err error) error {
	if errors.Is(err, ErrTaken) {
		return NameTaken
	}
	return err
}
