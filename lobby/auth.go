package lobby

import (
	"context"
	"errors"
	"strconv"
	"strings"
)

// Guest makes an account without a password and logs it in. An empty name is
// given one; a name that is taken is told from others by a number.
func (s *Service) Guest(ctx context.Context, c Client, name string) (Account, Secret, error) {
	if strings.TrimSpace(name) == "" {
		name = "Guest"
	}
	name, err := cleanPlayerName(name)
	if err != nil {
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
			if err := s.limit(tx, "new:guest:"+c.Network(), s.Limits.NewGuests, s.Limits.Window); err != nil {
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

// guestName appends a number when the plain name is taken: drawn, not counted,
// so that it tells nothing of how many there are.
func guestName(name string, try int) string {
	if try == 0 && name != "Guest" {
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
	account, err := s.newAccount(name, email, password)
	if err != nil {
		return Account{}, "", err
	}
	err = s.write(ctx, func(tx Tx) error {
		if err := s.mayEnter(tx, c); err != nil {
			return err
		}
		return s.limit(tx, "new:account:"+c.Network(), s.Limits.NewAccounts, s.Limits.Window)
	})
	if err != nil {
		return Account{}, "", err
	}
	// Hashed before the store is asked: a name that is taken costs the same.
	if account.PasswordHash, err = s.hasher.hash(ctx, password); err != nil {
		return Account{}, "", s.explain(err)
	}
	token := NewSecret()
	err = s.write(ctx, func(tx Tx) error {
		if err := tx.AddAccount(account); err != nil {
			return taken(err)
		}
		a := s.attemptOf(PlayerRealm, account.Name, c)
		if err := tx.AddPlace(a.key, a.network, s.Now()); err != nil {
			return err
		}
		return s.open(tx, c, account, token)
	})
	if err != nil {
		return Account{}, "", err
	}
	return account, token, nil
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
// answer after the same work: one hash, the same queries.
func (s *Service) LogIn(ctx context.Context, c Client, login, password string) (Account, Secret, error) {
	a := s.attemptOf(PlayerRealm, login, c)
	if err := s.begin(ctx, &a, func(tx Tx) error { return s.mayEnter(tx, c) }); err != nil {
		return Account{}, "", err
	}
	var account Account
	err := s.read(ctx, func(tx Tx) (err error) {
		account, err = tx.AccountByLogin(LoginKey(login))
		if errors.Is(err, ErrNotFound) {
			account, err = Account{}, nil
		}
		return err
	})
	if err != nil {
		return Account{}, "", err
	}
	ok, err := s.hasher.check(ctx, password, account.PasswordHash)
	if err != nil {
		return Account{}, "", s.explain(err)
	}
	if !ok {
		return Account{}, "", WrongCredentials
	}
	rehash := ""
	if s.hasher.stale(account.PasswordHash) {
		if rehash, err = s.hasher.hash(ctx, password); err != nil {
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
		if err := a.succeed(tx, s.Limits, s.Now()); err != nil {
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
	until := "for good"
	if !b.Until.IsZero() {
		until = "until " + b.Until.UTC().Format("2006-01-02 15:04 MST")
	}
	return refuse(code, "banned %s: %s", until, b.Reason)
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
	var in LobbyID
	err := s.write(ctx, func(tx Tx) error {
		session, err := tx.Session(realm, token.Hash(), s.Now())
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if in, err = seatedIn(tx, session.Account.ID); err != nil {
			return err
		}
		return tx.EndSession(realm, token.Hash())
	})
	s.hub.wake(in)
	return err
}

// seatedIn returns the lobby whose streams an account may have open: whoever
// ends its sessions wakes them, so that they end too.
func seatedIn(tx Tx, a AccountID) (LobbyID, error) {
	id, err := tx.LobbyOf(a)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return id, err
}

// endSessions ends all sessions of a player.
func endSessions(tx Tx, a AccountID) (n int64, in LobbyID, err error) {
	if in, err = seatedIn(tx, a); err != nil {
		return 0, "", err
	}
	n, err = tx.EndSessions(PlayerRealm, string(a), "")
	return n, in, err
}

// LogOutEverywhere ends all sessions of the account, this one too.
func (s *Service) LogOutEverywhere(ctx context.Context, a AccountID) error {
	var in LobbyID
	err := s.write(ctx, func(tx Tx) (err error) {
		_, in, err = endSessions(tx, a)
		return err
	})
	s.hub.wake(in)
	return err
}

// Upgrade makes a guest an account: the id, the seat and the history stay. All
// its sessions end but the new one.
func (s *Service) Upgrade(ctx context.Context, c Client, id AccountID, name, email, password string) (Account, Secret, error) {
	fresh, err := s.newAccount(name, email, password)
	if err != nil {
		return Account{}, "", err
	}
	hash, err := s.hashFor(ctx, id, password)
	if err != nil {
		return Account{}, "", err
	}
	token := NewSecret()
	var account Account
	err = s.write(ctx, func(tx Tx) error {
		if account, err = tx.LockAccount(id); err != nil {
			return err
		}
		if !account.Guest {
			return NotGuest
		}
		account.Name, account.Email, account.PasswordHash, account.Guest = fresh.Name, fresh.Email, hash, false
		if err := tx.SaveAccount(account); err != nil {
			return taken(err)
		}
		if _, err := tx.EndSessions(PlayerRealm, string(id), ""); err != nil {
			return err
		}
		return s.open(tx, c, account, token)
	})
	if err != nil {
		return Account{}, "", err
	}
	return account, token, nil
}

// taken names ErrTaken from a new account.
func taken(err error) error {
	if errors.Is(err, ErrTaken) {
		return NameTaken
	}
	return err
}

// ChangePassword sets a new password for one who knows the old, ends every
// session and opens a new one.
func (s *Service) ChangePassword(ctx context.Context, c Client, id AccountID, old, password string) (Secret, error) {
	account, err := s.proven(ctx, c, id, old)
	if err != nil {
		return "", err
	}
	if err := CheckPassword(password, account.Name, account.Email); err != nil {
		return "", err
	}
	hash, err := s.hashFor(ctx, id, password)
	if err != nil {
		return "", err
	}
	token := NewSecret()
	var in LobbyID
	err = s.write(ctx, func(tx Tx) error {
		now, err := tx.LockAccount(id)
		if err != nil {
			return err
		}
		if now.PasswordHash != account.PasswordHash {
			return WrongCredentials
		}
		now.PasswordHash = hash
		if err := tx.SaveAccount(now); err != nil {
			return err
		}
		if err := tx.DropResets(id); err != nil {
			return err
		}
		if _, in, err = endSessions(tx, id); err != nil {
			return err
		}
		return s.open(tx, c, now, token)
	})
	s.hub.wake(in)
	return token, err
}

// proven checks the account's password, counted like a log-in. Guests have
// none.
func (s *Service) proven(ctx context.Context, c Client, id AccountID, password string) (Account, error) {
	var account Account
	err := s.read(ctx, func(tx Tx) (err error) {
		account, err = tx.Account(id)
		return err
	})
	if err != nil {
		return account, err
	}
	if account.Guest {
		return account, GuestOnly
	}
	a := s.attemptOf(PlayerRealm, account.Name, c)
	if err := s.begin(ctx, &a, anyone); err != nil {
		return account, err
	}
	ok, err := s.hasher.check(ctx, password, account.PasswordHash)
	if err != nil {
		return account, s.explain(err)
	}
	if !ok {
		return account, WrongCredentials
	}
	return account, s.write(ctx, func(tx Tx) error { return a.succeed(tx, s.Limits, s.Now()) })
}

// DeleteAccount ends an account for good: sessions, seat, name, email and
// hash go; matches keep a row that says "deleted". Guests need no password.
func (s *Service) DeleteAccount(ctx context.Context, c Client, id AccountID, password string) error {
	var account Account
	err := s.read(ctx, func(tx Tx) (err error) {
		account, err = tx.Account(id)
		return err
	})
	if err == nil && !account.Guest {
		_, err = s.proven(ctx, c, id, password)
	}
	if err != nil {
		return err
	}
	var changed LobbyID
	err = s.write(ctx, func(tx Tx) (err error) {
		changed, err = s.deleteAccount(tx, id)
		return err
	})
	s.hub.wake(changed)
	return err
}

func (s *Service) deleteAccount(tx Tx, id AccountID) (LobbyID, error) {
	account, err := tx.LockAccount(id)
	if err != nil {
		return "", err
	}
	changed, err := s.removeFromLobby(tx, id, "the account was deleted")
	if err != nil {
		return "", err
	}
	if _, err := tx.EndSessions(PlayerRealm, string(id), ""); err != nil {
		return "", err
	}
	if err := tx.DropResets(id); err != nil {
		return "", err
	}
	account.Name, account.Email, account.PasswordHash = "deleted "+string(id), "", ""
	account.Guest, account.Deleted = true, s.Now()
	return changed, tx.SaveAccount(account)
}

// Reset sets a new password by a link an admin issued. All sessions end.
func (s *Service) Reset(ctx context.Context, c Client, token Secret, password string) error {
	if err := CheckPassword(password, "", ""); err != nil {
		return err
	}
	if err := s.write(ctx, func(tx Tx) error {
		return s.limit(tx, "reset:"+c.Network(), s.Limits.PerNetwork, s.Limits.Window)
	}); err != nil {
		return err
	}
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		return s.explain(err)
	}
	var in LobbyID
	err = s.write(ctx, func(tx Tx) error {
		reset, err := tx.UseReset(token.Hash(), s.Now())
		if errors.Is(err, ErrNotFound) {
			return BadResetToken
		}
		if err != nil {
			return err
		}
		account, err := tx.LockAccount(reset.Account)
		if err != nil {
			return err
		}
		if err := CheckPassword(password, account.Name, account.Email); err != nil {
			return err
		}
		account.PasswordHash, account.Guest = hash, false
		if err := tx.SaveAccount(account); err != nil {
			return err
		}
		_, in, err = endSessions(tx, account.ID)
		return err
	})
	s.hub.wake(in)
	return err
}

// Me returns the account with its record and the lobby it sits in ("" for
// none).
func (s *Service) Me(ctx context.Context, id AccountID) (a Account, r Record, l LobbyID, err error) {
	err = s.read(ctx, func(tx Tx) (err error) {
		if a, err = tx.Account(id); err != nil {
			return err
		}
		if r, err = tx.Record(id); err != nil {
			return err
		}
		if l, err = tx.LobbyOf(id); errors.Is(err, ErrNotFound) {
			err = nil
		}
		return err
	})
	return a, r, l, err
}

// Profile returns what anyone may know of an account: its name and record.
func (s *Service) Profile(ctx context.Context, id AccountID) (a Account, r Record, err error) {
	err = s.read(ctx, func(tx Tx) (err error) {
		if a, err = tx.Account(id); err != nil {
			return err
		}
		a = Account{ID: a.ID, Name: a.Name, Guest: a.Guest}
		r, err = tx.Record(id)
		return err
	})
	return a, r, err
}

// History lists what an account has played, latest first, below num before (0:
// from the latest), 50 at most.
func (s *Service) History(ctx context.Context, id AccountID, before int64) (rows []Played, err error) {
	err = s.read(ctx, func(tx Tx) (err error) {
		rows, err = tx.History(id, before, 50)
		return err
	})
	return rows, err
}
