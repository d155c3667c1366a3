package admin

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Session is where one admin acts from: every change below is made in its name,
// after its role has been checked, with its audit row in the same transaction.
type Session struct {
	s      *Service
	admin  model.Admin
	from   model.Client
	origin string // of the command line: see [Operator]
}

// Session finds the admin behind a token.
func (s *Service) Session(ctx context.Context, c model.Client, token model.Secret) (*Session, error) {
	found, err := s.Account.SessionIn(ctx, model.AdminRealm, token, account.Anyone)
	if err != nil {
		return nil, err
	}
	return &Session{s: s, admin: found.Admin, from: c}, nil
}

// OperatorSession is for the command line: an operator who can open the database may do
// anything anyway. The rows say "cli:" and the user's name, and its id.
func (s *Service) OperatorSession(o Operator) *Session {
	return &Session{s: s, admin: model.Admin{Name: "cli:" + o.Name, Role: model.FullAdmin, Fog: true}, origin: o.from()}
}

// requester returns the admin as the requester of a hash.
func requester(as *Session) account.Requester {
	return account.Known(quota.Payer{Account: "admin:" + as.admin.ID, Address: as.from.Address, Trusted: true})
}

// Admin returns the acting admin.
func (as *Session) Admin() model.Admin { return as.admin }

// AdminLogIn opens an admin's session; the same work whether the admin exists
// or not, the same throttles as for players.
func (s *Service) AdminLogIn(ctx context.Context, c model.Client, name, password string) (model.Admin, model.Secret, error) {
	a := s.Account.AttemptOf(model.AdminRealm, name, c)
	var admin model.Admin
	var costs []string
	err := s.Read(ctx, func(tx *db.Tx) (err error) {
		if err := s.Account.CountersOf(tx, &a); err != nil {
			return err
		}
		if costs, err = tx.Accounts.HashCosts(model.AdminRealm); err != nil {
			return err
		}
		admin, err = tx.Admins.ByName(model.LoginKey(name))
		if errors.Is(err, model.ErrNotFound) {
			admin, err = model.Admin{}, nil
		}
		return err
	})
	if err != nil {
		return model.Admin{}, "", err
	}
	hash := admin.PasswordHash
	if !admin.Disabled.IsZero() {
		hash = ""
	}
	if err := s.Account.TryLogIn(ctx, &a, password, hash, costs); err != nil {
		if errors.Is(err, model.WrongCredentials) {
			s.Logger.Warn("lobby: an admin's log-in was refused", "name", model.CutText(name, 40), "address", c.Address)
		}
		return model.Admin{}, "", err
	}
	token := model.NewSecret()
	now := s.Now()
	err = s.Write(ctx, func(tx *db.Tx) error {
		again, err := tx.Admins.Get(admin.ID)
		if err != nil {
			return err
		}
		if again.PasswordHash != admin.PasswordHash || !again.Disabled.IsZero() {
			return model.WrongCredentials
		}
		if c.Old != "" {
			if err := tx.Sessions.End(model.AdminRealm, c.Old.Hash()); err != nil {
				return err
			}
		}
		if err := s.Account.Succeed(tx, &a); err != nil {
			return err
		}
		if err := tx.Sessions.Add(model.Session{
			Hash: token.Hash(), Realm: model.AdminRealm, Admin: again, Address: c.Address.String(),
			UserAgent: model.CutText(c.UserAgent, 200), Created: now, Expires: now.Add(s.AdminLife),
		}); err != nil {
			return err
		}
		return (&Session{s: s, admin: again, from: c}).audit(tx, "login", again.Name, "")
	})
	return admin, token, err
}

// FirstAdmin makes the admin called "admin", with every right, if there is no admin at
// all, and returns its generated password; "" if there are admins. The password is in
// no log and no file: the command that starts the server prints it once.
func (s *Service) FirstAdmin(ctx context.Context) (password string, err error) {
	count := 0
	if err := s.Read(ctx, func(tx *db.Tx) (err error) {
		count, err = tx.Admins.Count()
		return err
	}); err != nil || count > 0 {
		return "", err
	}
	generated := string(model.NewSecret()[:20]) // 120 bits
	hash, err := s.Account.Hasher.HashPassword(ctx, account.Known(quota.Payer{Trusted: true}), generated)
	if err != nil {
		return "", err
	}
	err = s.Write(ctx, func(tx *db.Tx) error {
		password = ""
		n, err := tx.Admins.Count()
		if err != nil || n > 0 {
			return err
		}
		password = generated
		if err := tx.Admins.Add(model.Admin{ID: model.NewID(), Name: "admin", PasswordHash: hash, Role: model.FullAdmin, Fog: true, Created: s.Now()}); err != nil {
			return err
		}
		return (&Session{s: s, admin: model.Admin{Name: "first start"}}).audit(tx, "admin.add", "admin", "generated password")
	})
	if errors.Is(err, model.ErrTaken) { // another process was first
		return "", nil
	}
	return password, err
}

// act checks the role and runs a change together with its audit row. fn returns the
// content of the row; an empty subject writes no row.
func (as *Session) act(ctx context.Context, least model.Role, action string, fn func(*db.Tx) (subject, detail string, err error)) error {
	if !as.admin.Role.Covers(least) {
		return model.Refuse(model.Forbidden, "this needs the role %s; yours is %s", least, as.admin.Role)
	}
	return as.s.Write(ctx, func(tx *db.Tx) error {
		if _, err := as.stillMay(tx, least); err != nil {
			return err
		}
		subject, detail, err := fn(tx)
		if err != nil {
			return err
		}
		return as.audit(tx, action, subject, detail)
	})
}

// stillMay looks at the admin again inside the transaction, and returns it as it
// is now: its role may have been taken away since the request came in.
func (as *Session) stillMay(tx *db.Tx, least model.Role) (model.Admin, error) {
	if as.admin.ID == "" {
		return as.admin, nil // the command line
	}
	now, err := tx.Admins.Get(as.admin.ID)
	if err == nil && (!now.Disabled.IsZero() || !now.Role.Covers(least)) {
		err = model.Forbidden
	}
	return now, err
}

func (as *Session) audit(tx *db.Tx, action, subject, detail string) error {
	address := as.origin
	if as.from.Address.IsValid() {
		address = as.from.Address.String()
	}
	return tx.Audit.Add(&model.AuditRow{
		At: as.s.Now(), Admin: as.admin.Name, Action: action, Subject: subject, Detail: model.CutText(detail, 1000), Address: address,
	})
}

// query runs a query for any admin.
func (as *Session) query(ctx context.Context, fn func(*db.Tx) error) error {
	if !as.admin.Role.Covers(model.Viewer) {
		return model.Forbidden
	}
	return as.s.Read(ctx, fn)
}

// ask reads one value for any admin.
func ask[T any](ctx context.Context, as *Session, read func(*db.Tx) (T, error)) (out T, err error) {
	err = as.query(ctx, func(tx *db.Tx) (err error) {
		out, err = read(tx)
		return err
	})
	return out, err
}

// MayLook refuses an admin who may look into no match, or, with live, into no live one.
func (as *Session) MayLook(live bool) error {
	if as.admin.Fog || !live && as.admin.Role.Covers(model.Moderator) {
		return nil
	}
	return noFog()
}

func noFog() error {
	return model.Refuse(model.Forbidden, "you need the right to look through the fog of live matches")
}

// mayLookAt refuses an admin without the right to look through the fog. Moderators may look at the past matches of cases.
func mayLookAt(tx *db.Tx, a model.Admin, match model.MatchID) error {
	if a.Fog {
		return nil
	}
	m, err := tx.Matches.Get(match)
	if err == nil && m.Result != nil && a.Role.Covers(model.Moderator) {
		var has bool
		if has, err = tx.Cases.HasMatch(match); has {
			return nil
		}
	}
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return err
	}
	return noFog()
}

// AllowFog lets the admin look through the fog of a match, with a row of the audit
// the first time in ten minutes for each match and pair of eyes ("all" or a
// team's number). The row counts teams from 1, as all that people read does.
// There is no row for a match that there is not: neither in the database nor, as kept
// says, in a journal. kept may be nil.
func (as *Session) AllowFog(ctx context.Context, match model.MatchID, eyes string, holds func() bool) error {
	if team, err := strconv.ParseUint(eyes, 10, 8); err == nil {
		eyes = fmt.Sprint("team ", team+1)
	}
	subject := model.CutText(string(match), 64) + " eyes " + model.CutText(eyes, 20)
	since := as.s.Now().Add(-10 * time.Minute)
	seen := false
	if err := as.s.Read(ctx, func(tx *db.Tx) (err error) {
		if err = mayLookAt(tx, as.admin, match); err != nil {
			return err
		}
		seen, err = tx.Audit.Since(as.admin.Name, "match.fog", subject, since)
		return err
	}); err != nil || seen {
		return err
	}
	return as.s.Write(ctx, func(tx *db.Tx) error {
		now, err := tx.Admins.Get(as.admin.ID)
		if err != nil {
			return err
		}
		if !now.Disabled.IsZero() {
			return model.Forbidden
		}
		if err := mayLookAt(tx, now, match); err != nil {
			return err
		}
		// Of several looks at once one has the row. A match may be gone from the database
		// while its journal is still kept.
		if _, err := tx.Matches.Lock(match); err != nil && !(errors.Is(err, model.ErrNotFound) && holds != nil && holds()) {
			return err
		}
		if seen, err = tx.Audit.Since(as.admin.Name, "match.fog", subject, since); err != nil || seen {
			return err
		}
		return as.audit(tx, "match.fog", subject, "")
	})
}

// Audit lists what admins did, newest first.
func (as *Session) Audit(ctx context.Context, before int64, limit int) ([]model.AuditRow, error) {
	return ask(ctx, as, func(tx *db.Tx) ([]model.AuditRow, error) { return tx.Audit.List(before, max(1, min(limit, 200))) })
}
