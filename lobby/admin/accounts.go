package admin

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// Accounts lists accounts by name.
func (as *Session) Accounts(ctx context.Context, f model.AccountFilter) ([]model.Account, error) {
	f.Limit = max(1, min(f.Limit, 200))
	return ask(ctx, as, func(tx *db.Tx) ([]model.Account, error) { return tx.Accounts.List(f) })
}

// AccountDetails is an admin's view of one account.
type AccountDetails struct {
	Account  model.Account
	Record   model.Record
	Sessions []model.Session
	Links    []model.ExternalLink // with external identities
	Lobby    model.LobbyID
	Ban      *model.Ban
}

// Account opens one account's file.
func (as *Session) Account(ctx context.Context, id model.AccountID) (f AccountDetails, err error) {
	err = as.query(ctx, func(tx *db.Tx) (err error) {
		if f.Account, err = tx.Accounts.Get(id); err != nil {
			return err
		}
		if f.Record, err = tx.Matches.Record(id); err != nil {
			return err
		}
		if f.Sessions, err = tx.Sessions.List(model.PlayerRealm, string(id)); err != nil {
			return err
		}
		if f.Links, err = tx.Accounts.Externals(id); err != nil {
			return err
		}
		if f.Lobby, err = tx.Lobbies.Of(id); err != nil && !errors.Is(err, model.ErrNotFound) {
			return err
		}
		ban, err := tx.Bans.Of(id, netip.Addr{}, as.s.Now())
		if err == nil {
			f.Ban = &ban
		} else if errors.Is(err, model.ErrNotFound) {
			err = nil
		}
		return err
	})
	return f, err
}

// Bans lists bans, newest first.
func (as *Session) Bans(ctx context.Context, before int64, limit int) ([]model.Ban, error) {
	return ask(ctx, as, func(tx *db.Tx) ([]model.Ban, error) { return tx.Bans.List(before, max(1, min(limit, 200))) })
}

// NewBan is a ban to be.
type NewBan struct {
	Account string // id or name; or
	Range   string // an address or a range such as 192.0.2.0/24
	Reason  string
	For     time.Duration // 0: for good
}

// Ban keeps an account or a range of addresses out. A banned account loses its sessions
// and its seat, and is removed from its match. A banned range takes effect at each
// connection from it.
func (as *Session) Ban(ctx context.Context, n NewBan) (ban model.Ban, err error) {
	reason, err := model.CleanLine(model.BadText, "reason", n.Reason, 200)
	if err != nil {
		return model.Ban{}, err
	}
	if (n.Account == "") == (n.Range == "") || n.For < 0 {
		return model.Ban{}, model.Refuse(model.BadRequest, "give an account or a range, and a duration that is not negative")
	}
	var prefix netip.Prefix
	if n.Range != "" {
		if prefix, err = parseRange(n.Range); err != nil {
			return model.Ban{}, err
		}
	}
	var out seat.Removed
	err = as.act(ctx, model.Moderator, "ban.add", func(tx *db.Tx) (string, string, error) {
		now := as.s.Now()
		ban = model.Ban{Range: prefix, Reason: reason, By: as.admin.Name, Created: now}
		out = seat.Removed{}
		if n.For > 0 {
			ban.Until = now.Add(n.For)
		}
		subject := ""
		if n.Account != "" {
			account, err := findAccount(tx, n.Account)
			if err != nil {
				return "", "", err
			}
			ban.Account, ban.Name = account.ID, account.Name
			subject = account.Name
		} else {
			subject = prefix.String()
		}
		var err error
		if out, err = as.s.addBan(tx, &ban); err != nil {
			return "", "", err
		}
		return subject, "ban " + strconv.FormatInt(ban.ID, 10) + ", " + admission.UntilText(ban.Until) + ": " + reason, nil
	})
	if err != nil {
		return model.Ban{}, err
	}
	as.s.Seats.CloseRemoved(ctx, out)
	return ban, nil
}

// addBan stores a ban and has it take effect on the account; then follows seat.Service.CloseRemoved.
func (s *Service) addBan(tx *db.Tx, b *model.Ban) (out seat.Removed, err error) {
	if err = tx.Bans.Add(b); err != nil || b.Account == "" {
		return out, err
	}
	switch b.Scope {
	case model.Search:
		err = s.Seats.OutOfParty(tx, b.Account)
	case "":
		if out, err = s.Seats.KickEverywhere(tx, b.Account, "banned: "+b.Reason); err == nil {
			err = s.Hooks.Tell(tx, hook.Notice{Kind: hook.HookBanned, Player: b.Account, Name: b.Name, Reason: b.Reason, Until: b.Until})
		}
	}
	return out, err
}

// lift ends a ban.
func (s *Service) lift(tx *db.Tx, id int64) (ban model.Ban, err error) {
	if ban, err = tx.Bans.Lift(id, s.Now()); err == nil && ban.Account != "" && ban.Scope == "" {
		err = s.Hooks.Tell(tx, hook.Notice{Kind: hook.HookUnbanned, Player: ban.Account, Name: ban.Name})
	}
	if err == nil && ban.Case != 0 && ban.Account != "" {
		err = tx.Relations.Changed(ban.Account) // its notice is gone
	}
	return ban, err
}

func parseRange(text string) (netip.Prefix, error) {
	bad := model.RefuseField(model.BadRequest, "range", "must be an address or a range such as 192.0.2.0/24, not all addresses")
	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil || p.Bits() == 0 || p.Addr().Is4In6() {
		return netip.Prefix{}, bad
	}
	return p.Masked(), nil
}

// findAccount takes an id or a name.
func findAccount(tx *db.Tx, query string) (model.Account, error) {
	account, err := tx.Accounts.Get(model.AccountID(model.CutText(query, 64)))
	if errors.Is(err, model.ErrNotFound) {
		account, err = tx.Accounts.ByLogin(model.LoginKey(query))
	}
	if errors.Is(err, model.ErrNotFound) {
		return account, model.Refuse(model.NotFound, "there is no account %q", model.CutText(query, 64))
	}
	return account, err
}

// LiftBan ends a ban.
func (as *Session) LiftBan(ctx context.Context, id int64) (ban model.Ban, err error) {
	err = as.act(ctx, model.Moderator, "ban.lift", func(tx *db.Tx) (string, string, error) {
		if ban, err = as.s.lift(tx, id); err != nil {
			return "", "", err
		}
		subject := ban.Name
		if ban.Range.IsValid() {
			subject = ban.Range.String()
		}
		return subject, "ban " + strconv.FormatInt(id, 10), nil
	})
	return ban, err
}

// Kick throws an account out of its lobby and match, and ends its sessions.
func (as *Session) Kick(ctx context.Context, query, reason string) error {
	reason, err := model.CleanLine(model.BadText, "reason", reason, 200)
	if err != nil {
		return err
	}
	var out seat.Removed
	err = as.act(ctx, model.Moderator, "account.kick", func(tx *db.Tx) (string, string, error) {
		account, err := findAccount(tx, query)
		if err != nil {
			return "", "", err
		}
		out, err = as.s.Seats.KickEverywhere(tx, account.ID, reason)
		return account.Name, reason, err
	})
	if err == nil {
		as.s.Seats.CloseRemoved(ctx, out)
	}
	return err
}

// EndSessions logs an account out everywhere.
func (as *Session) EndSessions(ctx context.Context, query string) (n int64, err error) {
	var out seat.Removed
	err = as.act(ctx, model.Moderator, "account.sessions.end", func(tx *db.Tx) (string, string, error) {
		account, err := findAccount(tx, query)
		if err != nil {
			return "", "", err
		}
		n, out, err = seat.LogOut(tx, account.ID)
		return account.Name, strconv.FormatInt(n, 10) + " sessions", err
	})
	if err == nil {
		as.s.Seats.CloseRemoved(ctx, out)
	}
	return n, err
}

// ResetLife is how long a reset link works.
const ResetLife = 24 * time.Hour

// ResetPassword issues a single-use link's token. Links given out before stop
// working; the old password works until the link is used.
func (as *Session) ResetPassword(ctx context.Context, query string) (token model.Secret, account model.Account, err error) {
	token = model.NewSecret()
	err = as.act(ctx, model.FullAdmin, "account.reset", func(tx *db.Tx) (string, string, error) {
		if account, err = findAccount(tx, query); err != nil {
			return "", "", err
		}
		if err := tx.Accounts.DropResets(account.ID); err != nil {
			return "", "", err
		}
		return account.Name, "", tx.Accounts.AddReset(model.Reset{Hash: token.Hash(), Account: account.ID, By: as.admin.Name, Expires: as.s.Now().Add(ResetLife)})
	})
	return token, account, err
}

// DeleteAccount deletes an account for good.
func (as *Session) DeleteAccount(ctx context.Context, query string) error {
	var out seat.Removed
	err := as.act(ctx, model.FullAdmin, "account.delete", func(tx *db.Tx) (string, string, error) {
		account, err := findAccount(tx, query)
		if err != nil {
			return "", "", err
		}
		out, err = as.s.Account.Delete(tx, account.ID)
		return string(account.ID), "", err // the id: the name is to be forgotten
	})
	if err == nil {
		as.s.Seats.CloseRemoved(ctx, out)
		as.s.Account.AnonymizeDeleted(ctx)
	}
	return err
}

// ResetLink returns the address of the page of lobby/api on which a player uses a reset
// token. The token is the fragment, which browsers never send and servers never log.
func ResetLink(publicURL string, token model.Secret) string {
	return strings.TrimSuffix(publicURL, "/") + "/api/reset#" + string(token)
}
