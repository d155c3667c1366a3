package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/fogkeep/fogkeep/internal/plain"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Identity is a person's identity at an identity provider. Its maker, package
// lobby/identity, has verified it.
type Identity struct {
	model.ExternalID
	Name    string    // the provider's name for the person; [Service.LogInExternal] makes it a valid one
	TokenID string    // the id of a token that logs in once; "": the token may log in again
	Expires time.Time // of the token with a TokenID
}

const (
	// ExternalsMax bounds the links of an account.
	ExternalsMax = 8
	// FreshLogIn is how old a session may be for what would let a thief of the
	// session stay, or shut its owner out: links, a first password, deletion.
	FreshLogIn = 15 * time.Minute

	NewNameTries = 8
)

// LogInExternal opens a session for a person whom an identity provider vouches for. A
// new identity goes to the client's guest, which becomes an account and keeps its id,
// seat and history; without a guest the identity gets a new account. Names and emails
// never find an account: both are the provider's word only.
func (s *Service) LogInExternal(ctx context.Context, c model.Client, person Identity) (account model.Account, token model.Secret, err error) {
	if err := person.Check(); err != nil {
		return model.Account{}, "", err
	}
	token = model.NewSecret()
	var in model.LobbyID
	var upgraded bool
	for range NewNameTries {
		err = s.Write(ctx, func(tx *db.Tx) (err error) {
			in, upgraded = "", false
			if err := s.MayEnter(tx, c); err != nil {
				return err
			}
			if err := s.showOnce(tx, person); err != nil {
				return err
			}
			account, err = tx.Accounts.ByExternal(person.ExternalID)
			switch {
			case err == nil:
				if account, err = tx.Accounts.Lock(account.ID); err == nil {
					err = tx.Accounts.UseExternal(person.ExternalID, s.Now())
				}
				if errors.Is(err, model.ErrNotFound) {
					err = model.ErrTaken // it has just been deleted, or the link has: look again
				}
			case errors.Is(err, model.ErrNotFound):
				if account, err = s.guestOf(tx, c); err == nil {
					upgraded = true
					account, in, err = s.upgradeByLink(tx, account.ID, person)
				} else if errors.Is(err, model.ErrNotFound) {
					if err = s.SpendStored(tx, quota.NewAccounts, quota.Payer{Address: c.Address}); err == nil {
						account, err = s.AddExternal(tx, person)
					}
				}
			}
			if err != nil {
				return err
			}
			return s.open(tx, c, account, token)
		})
		if !errors.Is(err, model.ErrTaken) { // another request took the name, or the identity itself, first
			break
		}
	}
	if err != nil {
		return model.Account{}, "", err
	}
	s.Hub.Wake(in)
	if upgraded {
		s.Hub.Recheck(account.ID)
	}
	return account, token, nil
}

// guestOf returns the guest that the client is logged in as, or [model.ErrNotFound].
func (s *Service) guestOf(tx *db.Tx, c model.Client) (model.Account, error) {
	if c.Old == "" {
		return model.Account{}, model.ErrNotFound
	}
	session, err := tx.Sessions.Get(model.PlayerRealm, c.Old.Hash(), s.Now())
	if err == nil && !session.Account.Guest {
		err = model.ErrNotFound
	}
	return session.Account, err
}

// AddExternal makes an account for an identity without one.
func (s *Service) AddExternal(tx *db.Tx, person Identity) (model.Account, error) {
	name, err := freeName(tx, playerNameOf(person.Name))
	if err != nil {
		return model.Account{}, err
	}
	a := model.Account{ID: model.AccountID(model.NewID()), Name: name, Created: s.Now()}
	if err := tx.Accounts.Add(a); err != nil {
		return model.Account{}, err
	}
	return a, s.link(tx, a.ID, person.ExternalID)
}

// upgradeByLink makes a guest an account. A name that the server gave it is replaced by
// the provider's. All its sessions end: another person may hold one.
func (s *Service) upgradeByLink(tx *db.Tx, id model.AccountID, person Identity) (a model.Account, in model.LobbyID, err error) {
	if a, err = tx.Accounts.Lock(id); err != nil {
		return a, "", err
	}
	if !a.Guest {
		return a, "", model.NotGuest
	}
	if number, ok := strings.CutPrefix(a.Name, model.GuestBase+" "); ok && strings.Trim(number, "0123456789") == "" {
		if a.Name, err = freeName(tx, playerNameOf(person.Name)); err != nil {
			return a, "", err
		}
		if in, err = s.Seats.Rename(tx, id, a.Name); err != nil {
			return a, "", err
		}
	}
	a.Guest = false
	if err := tx.Accounts.Save(a); err != nil {
		return a, "", err
	}
	if _, err := tx.Sessions.EndAll(model.PlayerRealm, string(id), ""); err != nil {
		return a, "", err
	}
	return a, in, s.link(tx, id, person.ExternalID)
}

func (s *Service) link(tx *db.Tx, a model.AccountID, id model.ExternalID) error {
	return tx.Accounts.LinkExternal(model.ExternalLink{ExternalID: id, Account: a, Created: s.Now(), Used: s.Now()})
}

// showOnce refuses a token with an id that was shown before. The database keeps the
// count, also across a restart.
func (s *Service) showOnce(tx *db.Tx, person Identity) error {
	if person.TokenID == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(person.Issuer + "\x00" + person.TokenID))
	n, _, err := tx.Throttle.Count("token:"+hex.EncodeToString(sum[:16]), 1, s.Now(), max(time.Second, person.Expires.Sub(s.Now())))
	if err == nil && n > 1 {
		err = model.Refuse(model.BadIdentityToken, "this token was shown before: ask your provider for a new one")
	}
	return err
}

// LinkExternal links an identity with the account that asks. A guest becomes an account
// by it, and gets a new session; an account keeps its session, which has to be fresh,
// and the secret is "". A repeated link has no effect.
func (s *Service) LinkExternal(ctx context.Context, c model.Client, id model.AccountID, person Identity) (account model.Account, token model.Secret, err error) {
	if err := person.Check(); err != nil {
		return model.Account{}, "", err
	}
	var in model.LobbyID
	err = s.Write(ctx, func(tx *db.Tx) (err error) {
		in, token = "", ""
		if err := s.MayEnter(tx, c); err != nil {
			return err
		}
		if err := s.showOnce(tx, person); err != nil {
			return err
		}
		if account, err = tx.Accounts.Lock(id); err != nil {
			return err
		}
		other, err := tx.Accounts.ByExternal(person.ExternalID)
		if err == nil {
			if other.ID != id {
				return model.IdentityTaken
			}
			return nil
		}
		if !errors.Is(err, model.ErrNotFound) {
			return err
		}
		if account.Guest {
			token = model.NewSecret()
			if account, in, err = s.upgradeByLink(tx, id, person); err != nil {
				return err
			}
			return s.open(tx, c, account, token)
		}
		if err := s.fresh(tx, c, id); err != nil {
			return err
		}
		links, err := tx.Accounts.Externals(id)
		if err != nil {
			return err
		}
		if len(links) >= ExternalsMax {
			return model.TooManyIdentities
		}
		return s.link(tx, id, person.ExternalID)
	})
	if errors.Is(err, model.ErrTaken) {
		err = model.IdentityTaken // another request was faster
	}
	if err != nil {
		return model.Account{}, "", err
	}
	s.Hub.Wake(in)
	if token != "" {
		s.Hub.Recheck(id)
	}
	return account, token, nil
}

// Externals lists the account's links, and reports whether it has a password.
func (s *Service) Externals(ctx context.Context, id model.AccountID) (list []model.ExternalLink, password bool, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		account, err := tx.Accounts.Get(id)
		if err != nil {
			return err
		}
		password = account.PasswordHash != ""
		list, err = tx.Accounts.Externals(id)
		return err
	})
	return list, password, err
}

// UnlinkExternal ends the link with a [model.ExternalID.Key], but not the last way into
// the account. The session has to be fresh.
func (s *Service) UnlinkExternal(ctx context.Context, c model.Client, id model.AccountID, key string) error {
	return s.Write(ctx, func(tx *db.Tx) error {
		account, err := tx.Accounts.Lock(id)
		if err != nil {
			return err
		}
		links, err := tx.Accounts.Externals(id)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(links, func(l model.ExternalLink) bool { return l.Key() == key })
		if i < 0 {
			return model.NotFound
		}
		if err := s.fresh(tx, c, id); err != nil {
			return err
		}
		rest := slices.Delete(slices.Clone(links), i, i+1)
		if (account.PasswordHash == "" || s.NoOwnLogin) && !slices.ContainsFunc(rest, func(l model.ExternalLink) bool { return slices.Contains(s.Issuers, l.Issuer) }) {
			return model.LastWayIn
		}
		return tx.Accounts.UnlinkExternal(id, links[i].ExternalID)
	})
}

// fresh refuses a session that was not opened just now; see [FreshLogIn].
func (s *Service) fresh(tx *db.Tx, c model.Client, id model.AccountID) error {
	if c.Old == "" {
		return model.LogInAgain
	}
	session, err := tx.Sessions.Get(model.PlayerRealm, c.Old.Hash(), s.Now())
	if errors.Is(err, model.ErrNotFound) || err == nil && (session.Account.ID != id || s.Now().Sub(session.Created) > FreshLogIn) {
		return model.LogInAgain
	}
	return err
}

// playerNameOf makes a valid name from the provider's name. From an email address it
// takes the part before the @: the rest is private.
func playerNameOf(text string) string {
	text, _, _ = strings.Cut(model.CutText(text, 200), "@")
	name := strings.Map(func(r rune) rune {
		if plain.InNames(r) || strings.ContainsRune(".-_", r) {
			return r
		}
		return ' '
	}, norm.NFKC.String(text))
	if runes := []rune(strings.Join(strings.Fields(name), " ")); len(runes) > model.NameLenMax {
		name = string(runes[:model.NameLenMax])
	}
	if name, err := model.CleanPlayerName(name); err == nil {
		return name
	}
	return "Player"
}

// freeName returns the name, or one like it that no account has.
func freeName(tx *db.Tx, name string) (string, error) {
	for try := range NewNameTries {
		free := guestName(name, try)
		_, err := tx.Accounts.ByLogin(model.LoginKey(free))
		if errors.Is(err, model.ErrNotFound) {
			return free, nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", model.NameTaken
}
