package lobby

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Desk is where one admin acts from: every change below is made in its name,
// after its role has been checked, with its audit row in the same transaction.
type Desk struct {
	s     *Service
	admin Admin
	from  Client
}

// AdminSession finds the admin behind a token.
func (s *Service) AdminSession(ctx context.Context, c Client, token Secret) (*Desk, error) {
	found, err := s.session(ctx, AdminRealm, token)
	if err != nil {
		return nil, err
	}
	return &Desk{s, found.Admin, c}, nil
}

// EmergencyDesk is for the command line: whoever can open the database may do
// anything anyway. The rows say "cli:" and the user's name.
func (s *Service) EmergencyDesk(user string) *Desk {
	return &Desk{s, Admin{Name: "cli:" + user, Role: Chief}, Client{}}
}

// Admin is the one who acts.
func (d *Desk) Admin() Admin { return d.admin }

// AdminLogIn opens an admin's session; the same work whether the admin exists
// or not, the same throttles as for players.
func (s *Service) AdminLogIn(ctx context.Context, c Client, name, password string) (Admin, Secret, error) {
	a := s.attemptOf(AdminRealm, name, c)
	if err := s.begin(ctx, &a); err != nil {
		return Admin{}, "", err
	}
	var admin Admin
	err := s.read(ctx, func(tx Tx) (err error) {
		admin, err = tx.AdminByName(LoginKey(name))
		if errors.Is(err, ErrNotFound) {
			admin, err = Admin{}, nil
		}
		return err
	})
	if err != nil {
		return Admin{}, "", err
	}
	ok, err := s.hasher.check(ctx, password, admin.PasswordHash)
	if err != nil {
		return Admin{}, "", s.explain(err)
	}
	if !ok || !admin.Disabled.IsZero() {
		return Admin{}, "", WrongCredentials
	}
	token := NewSecret()
	now := s.Now()
	err = s.write(ctx, func(tx Tx) error {
		again, err := tx.Admin(admin.ID)
		if err != nil {
			return err
		}
		if again.PasswordHash != admin.PasswordHash || !again.Disabled.IsZero() {
			return WrongCredentials
		}
		if c.Old != "" {
			if err := tx.EndSession(AdminRealm, c.Old.Hash()); err != nil {
				return err
			}
		}
		if err := a.succeed(tx, s.Limits, now); err != nil {
			return err
		}
		if err := tx.AddSession(Session{
			Hash: token.Hash(), Realm: AdminRealm, Admin: again, Address: c.Address.String(),
			UserAgent: cutText(c.UserAgent, 200), Created: now, Expires: now.Add(s.AdminLife),
		}); err != nil {
			return err
		}
		return (&Desk{s, again, c}).audit(tx, "login", again.Name, "")
	})
	return admin, token, err
}

// FirstAdmin makes the admin called "admin", with every right, if there is no
// admin at all, and returns its generated password; "" if there are admins.
// The password is in no log and no file: whoever starts the server prints it
// once.
func (s *Service) FirstAdmin(ctx context.Context) (password string, err error) {
	generated := string(NewSecret()[:20]) // 120 bits
	hash, err := s.hasher.hash(ctx, generated)
	if err != nil {
		return "", err
	}
	err = s.write(ctx, func(tx Tx) error {
		password = ""
		n, err := tx.CountAdmins()
		if err != nil || n > 0 {
			return err
		}
		password = generated
		if err := tx.AddAdmin(Admin{ID: newID(), Name: "admin", PasswordHash: hash, Role: Chief, Fog: true, Created: s.Now()}); err != nil {
			return err
		}
		return (&Desk{s, Admin{Name: "first start"}, Client{}}).audit(tx, "admin.add", "admin", "generated password")
	})
	if errors.Is(err, ErrTaken) { // another process was first
		return "", nil
	}
	return password, err
}

// act checks the role and runs a change together with its audit row. fn
// returns what to write into the row; an empty subject writes none.
func (d *Desk) act(ctx context.Context, least Role, action string, fn func(Tx) (subject, detail string, err error)) error {
	if !d.admin.Role.Covers(least) {
		return refuse(Forbidden, "this takes the role %s; yours is %s", least, d.admin.Role)
	}
	return d.s.write(ctx, func(tx Tx) error {
		if err := d.stillMay(tx, least); err != nil {
			return err
		}
		subject, detail, err := fn(tx)
		if err != nil {
			return err
		}
		return d.audit(tx, action, subject, detail)
	})
}

// stillMay looks at the role again inside the transaction: it may have been
// taken away since the request came in.
func (d *Desk) stillMay(tx Tx, least Role) error {
	if d.admin.ID == "" {
		return nil // the command line
	}
	now, err := tx.Admin(d.admin.ID)
	if err != nil {
		return err
	}
	if !now.Disabled.IsZero() || !now.Role.Covers(least) {
		return Forbidden
	}
	return nil
}

func (d *Desk) audit(tx Tx, action, subject, detail string) error {
	address := ""
	if d.from.Address.IsValid() {
		address = d.from.Address.String()
	}
	return tx.AddAudit(&AuditRow{
		At: d.s.Now(), Admin: d.admin.Name, Action: action, Subject: subject, Detail: cutText(detail, 1000), Address: address,
	})
}

// look runs a query for any admin.
func (d *Desk) look(ctx context.Context, fn func(Tx) error) error {
	if !d.admin.Role.Covers(Viewer) {
		return Forbidden
	}
	return d.s.read(ctx, fn)
}

// Fog lets the admin look through the fog of a match, with a row of the audit
// the first time in ten minutes for each match and pair of eyes ("all" or a
// team).
func (d *Desk) Fog(ctx context.Context, match MatchID, eyes string) error {
	if !d.admin.Fog {
		return refuse(Forbidden, "looking through the fog of a live match takes a right of its own")
	}
	subject := cutText(string(match), 64) + " eyes " + cutText(eyes, 20)
	since := d.s.Now().Add(-10 * time.Minute)
	seen := false
	if err := d.s.read(ctx, func(tx Tx) (err error) {
		seen, err = tx.AuditedSince(d.admin.Name, "match.fog", subject, since)
		return err
	}); err != nil || seen {
		return err
	}
	return d.s.write(ctx, func(tx Tx) error {
		now, err := tx.Admin(d.admin.ID)
		if err != nil {
			return err
		}
		if !now.Fog || !now.Disabled.IsZero() {
			return Forbidden
		}
		if seen, err = tx.AuditedSince(d.admin.Name, "match.fog", subject, since); err != nil || seen {
			return err
		}
		return d.audit(tx, "match.fog", subject, "")
	})
}

// Overview is the house at a glance.
type Overview struct {
	House House
	Live  []LiveMatch
	Open  int // lobbies that are not closed, 100 at most
}

// Overview returns the house at a glance.
func (d *Desk) Overview(ctx context.Context) (o Overview, err error) {
	err = d.look(ctx, func(tx Tx) (err error) {
		if o.House, err = tx.House(); err != nil {
			return err
		}
		list, err := tx.Lobbies(LobbyFilter{Limit: 100})
		o.Open = len(list)
		return err
	})
	if d.s.Matches != nil {
		o.Live = d.s.Matches.Live()
	}
	return o, err
}

// Accounts lists accounts by name.
func (d *Desk) Accounts(ctx context.Context, f AccountFilter) (list []Account, err error) {
	f.Limit = max(1, min(f.Limit, 200))
	err = d.look(ctx, func(tx Tx) (err error) {
		list, err = tx.Accounts(f)
		return err
	})
	return list, err
}

// AccountFile is what the house knows of one account.
type AccountFile struct {
	Account  Account
	Record   Record
	Sessions []Session
	Lobby    LobbyID
	Ban      *Ban
}

// Account opens one account's file.
func (d *Desk) Account(ctx context.Context, id AccountID) (f AccountFile, err error) {
	err = d.look(ctx, func(tx Tx) (err error) {
		if f.Account, err = tx.Account(id); err != nil {
			return err
		}
		if f.Record, err = tx.Record(id); err != nil {
			return err
		}
		if f.Sessions, err = tx.Sessions(PlayerRealm, string(id)); err != nil {
			return err
		}
		if f.Lobby, err = tx.LobbyOf(id); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		ban, err := tx.Banned(id, netip.Addr{}, d.s.Now())
		if err == nil {
			f.Ban = &ban
		} else if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return err
	})
	return f, err
}

// Lobbies lists lobbies, closed ones too if asked for.
func (d *Desk) Lobbies(ctx context.Context, f LobbyFilter) (list []*Lobby, err error) {
	f.Limit = max(1, min(f.Limit, 100))
	err = d.look(ctx, func(tx Tx) (err error) {
		list, err = tx.Lobbies(f)
		return err
	})
	return list, err
}

// Matches lists matches, newest first.
func (d *Desk) Matches(ctx context.Context, states []MatchState, before int64, limit int) (list []Match, err error) {
	err = d.look(ctx, func(tx Tx) (err error) {
		list, err = tx.Matches(states, before, max(1, min(limit, 100)))
		return err
	})
	return list, err
}

// Bans lists bans, newest first.
func (d *Desk) Bans(ctx context.Context, before int64, limit int) (list []Ban, err error) {
	err = d.look(ctx, func(tx Tx) (err error) {
		list, err = tx.Bans(before, max(1, min(limit, 200)))
		return err
	})
	return list, err
}

// Audit lists what admins did, newest first.
func (d *Desk) Audit(ctx context.Context, before int64, limit int) (list []AuditRow, err error) {
	err = d.look(ctx, func(tx Tx) (err error) {
		list, err = tx.Audit(before, max(1, min(limit, 200)))
		return err
	})
	return list, err
}

// Admins lists admins by name.
func (d *Desk) Admins(ctx context.Context) (list []Admin, err error) {
	err = d.look(ctx, func(tx Tx) (err error) {
		list, err = tx.Admins()
		return err
	})
	return list, err
}

// NewBan is a ban to be.
type NewBan struct {
	Account string // id or name; or
	Range   string // an address or a range such as 192.0.2.0/24
	Reason  string
	For     time.Duration // 0: for good
}

// Ban keeps an account or a range of addresses out. A banned account loses its
// sessions and its seat, and is thrown out of its match; of a banned range,
// those who come back meet it.
func (d *Desk) Ban(ctx context.Context, n NewBan) (ban Ban, err error) {
	reason, err := cleanLine(BadText, "reason", n.Reason, 200)
	if err != nil {
		return Ban{}, err
	}
	if (n.Account == "") == (n.Range == "") || n.For < 0 {
		return Ban{}, refuse(BadRequest, "name an account or a range, and a time that is not negative")
	}
	var prefix netip.Prefix
	if n.Range != "" {
		if prefix, err = parseRange(n.Range); err != nil {
			return Ban{}, err
		}
	}
	var left LobbyID
	var playing MatchID
	err = d.act(ctx, Moderator, "ban.add", func(tx Tx) (string, string, error) {
		now := d.s.Now()
		ban = Ban{Range: prefix, Reason: reason, By: d.admin.Name, Created: now}
		left, playing = "", ""
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
		if err := tx.AddBan(&ban); err != nil {
			return "", "", err
		}
		if ban.Account != "" {
			var err error
			if left, playing, err = d.throwOut(tx, ban.Account, "banned: "+reason); err != nil {
				return "", "", err
			}
		}
		return subject, "ban " + strconv.FormatInt(ban.ID, 10) + " until " + untilText(ban.Until) + ": " + reason, nil
	})
	if err != nil {
		return Ban{}, err
	}
	d.afterThrow(ctx, left, playing, ban.Account, "banned: "+reason)
	return ban, nil
}

func untilText(t time.Time) string {
	if t.IsZero() {
		return "ever"
	}
	return t.UTC().Format(time.RFC3339)
}

func parseRange(text string) (netip.Prefix, error) {
	bad := refuseField(BadRequest, "range", "is an address or a range such as 192.0.2.0/24, and not all of them")
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
func findAccount(tx Tx, who string) (Account, error) {
	account, err := tx.Account(AccountID(cutText(who, 64)))
	if errors.Is(err, ErrNotFound) {
		account, err = tx.AccountByLogin(LoginKey(who))
	}
	if errors.Is(err, ErrNotFound) {
		return account, refuse(NotFound, "there is no account %q", cutText(who, 64))
	}
	return account, err
}

// throwOut ends the account's sessions and frees its seat.
func (d *Desk) throwOut(tx Tx, a AccountID, reason string) (left LobbyID, playing MatchID, err error) {
	if _, err := tx.LockAccount(a); err != nil {
		return "", "", err
	}
	if _, err := tx.EndSessions(PlayerRealm, string(a), ""); err != nil {
		return "", "", err
	}
	if id, err := tx.LobbyOf(a); err == nil {
		l, err := tx.Lobby(id)
		if err != nil {
			return "", "", err
		}
		if l.State == Playing {
			playing = l.Match
		}
	}
	left, err = d.s.removeFromLobby(tx, a, reason)
	return left, playing, err
}

// afterThrow does what is outside the database, once it is kept.
func (d *Desk) afterThrow(ctx context.Context, left LobbyID, playing MatchID, a AccountID, reason string) {
	d.s.hub.wake(left)
	if playing != "" && d.s.Matches != nil {
		if err := d.s.Matches.Kick(ctx, playing, a, reason); err != nil {
			d.s.Logger.Error("lobby: kick from match", "match", playing, "err", err)
		}
	}
}

// LiftBan ends a ban.
func (d *Desk) LiftBan(ctx context.Context, id int64) (ban Ban, err error) {
	err = d.act(ctx, Moderator, "ban.lift", func(tx Tx) (string, string, error) {
		if ban, err = tx.LiftBan(id, d.s.Now()); err != nil {
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
func (d *Desk) Kick(ctx context.Context, who, reason string) error {
	reason, err := cleanLine(BadText, "reason", reason, 200)
	if err != nil {
		return err
	}
	var id AccountID
	var left LobbyID
	var playing MatchID
	err = d.act(ctx, Moderator, "account.kick", func(tx Tx) (string, string, error) {
		account, err := findAccount(tx, who)
		if err != nil {
			return "", "", err
		}
		id = account.ID
		left, playing, err = d.throwOut(tx, id, reason)
		return account.Name, reason, err
	})
	if err == nil {
		d.afterThrow(ctx, left, playing, id, reason)
	}
	return err
}

// EndSessions logs an account out everywhere.
func (d *Desk) EndSessions(ctx context.Context, who string) (n int64, err error) {
	err = d.act(ctx, Moderator, "account.sessions.end", func(tx Tx) (string, string, error) {
		account, err := findAccount(tx, who)
		if err != nil {
			return "", "", err
		}
		n, err = tx.EndSessions(PlayerRealm, string(account.ID), "")
		return account.Name, strconv.FormatInt(n, 10) + " sessions", err
	})
	return n, err
}

// ResetLife is how long a reset link works.
const ResetLife = 24 * time.Hour

// ResetPassword issues a single-use link's token. Links given out before stop
// working; the old password works until the link is used.
func (d *Desk) ResetPassword(ctx context.Context, who string) (token Secret, account Account, err error) {
	token = NewSecret()
	err = d.act(ctx, Chief, "account.reset", func(tx Tx) (string, string, error) {
		if account, err = findAccount(tx, who); err != nil {
			return "", "", err
		}
		if err := tx.DropResets(account.ID); err != nil {
			return "", "", err
		}
		return account.Name, "", tx.AddReset(Reset{Hash: token.Hash(), Account: account.ID, By: d.admin.Name, Expires: d.s.Now().Add(ResetLife)})
	})
	return token, account, err
}

// DeleteAccount deletes an account for good.
func (d *Desk) DeleteAccount(ctx context.Context, who string) error {
	var left LobbyID
	err := d.act(ctx, Chief, "account.delete", func(tx Tx) (string, string, error) {
		account, err := findAccount(tx, who)
		if err != nil {
			return "", "", err
		}
		left, err = d.s.deleteAccount(tx, account.ID)
		return string(account.ID), "", err // the id: the name is to be forgotten
	})
	d.s.hub.wake(left)
	return err
}

// Drain stops or allows new lobbies, seats and matches. Live matches go on.
func (d *Desk) Drain(ctx context.Context, on bool) error {
	return d.act(ctx, Chief, "house.drain", func(tx Tx) (string, string, error) {
		return strconv.FormatBool(on), "", tx.SetDraining(on)
	})
}

// Announce tells everyone in lobbies and matches something.
func (d *Desk) Announce(ctx context.Context, text string) error {
	text, err := cleanLine(BadText, "text", text, ChatLenMax)
	if err != nil {
		return err
	}
	var ids []LobbyID
	if err := d.act(ctx, Moderator, "house.announce", func(tx Tx) (string, string, error) {
		ids = nil
		for before := int64(0); ; {
			page, err := tx.Lobbies(LobbyFilter{Before: before, Limit: 100})
			if err != nil {
				return "", "", err
			}
			for _, l := range page {
				ids = append(ids, l.ID)
			}
			if len(page) < 100 {
				return "everyone", text, nil
			}
			before = page[len(page)-1].Num
		}
	}); err != nil {
		return err
	}
	for _, id := range ids { // one short lock each, not all at once
		if _, err := d.s.change(ctx, id, func(l *Lobby) error {
			l.note(AnnounceEvent, ChatLine{Name: "server", Text: text})
			return nil
		}); errors.Is(err, Unavailable) {
			return err
		}
	}
	if d.s.Matches != nil {
		return d.s.Matches.Announce(ctx, "", text)
	}
	return nil
}

// EndMatch breaks a match off without a winner. The match service writes the
// end into the journal and reports it; a match that no process runs any more
// is closed here.
func (d *Desk) EndMatch(ctx context.Context, id MatchID, reason string) error {
	reason, err := cleanLine(BadText, "reason", reason, 200)
	if err != nil {
		return err
	}
	var m Match
	if err := d.act(ctx, Moderator, "match.end", func(tx Tx) (string, string, error) {
		if m, err = tx.Match(id); err != nil {
			return "", "", err
		}
		if m.State == MatchDone || m.State == MatchFailed {
			return "", "", MatchOver
		}
		return string(id), reason, nil
	}); err != nil {
		return err
	}
	if d.s.Matches != nil {
		for _, live := range d.s.Matches.Live() {
			if live.Match == id {
				return d.s.Matches.Abort(ctx, id, reason)
			}
		}
	}
	return d.s.MatchEnded(ctx, Result{Match: id, Failed: true, Reason: "aborted"})
}

// CloseLobby shuts a lobby; a running match goes on without it.
func (d *Desk) CloseLobby(ctx context.Context, id LobbyID, reason string) error {
	reason, err := cleanLine(BadText, "reason", reason, 200)
	if err != nil {
		return err
	}
	err = d.act(ctx, Moderator, "lobby.close", func(tx Tx) (string, string, error) {
		l, err := tx.LockLobby(id)
		if err != nil {
			return "", "", err
		}
		if l.State == Closed {
			return "", "", LobbyClosed
		}
		l.note(AnnounceEvent, ChatLine{Name: "server", Text: "closed: " + reason})
		l.Shut()
		return l.Name, reason, d.s.save(tx, l)
	})
	d.s.hub.wake(id)
	return err
}

// AddAdmin makes an admin with a generated password, which it returns.
func (d *Desk) AddAdmin(ctx context.Context, name string, role Role, fog bool) (password string, err error) {
	if name, err = CleanName(name); err != nil {
		return "", err
	}
	if !role.Valid() {
		return "", refuseField(BadRequest, "role", "is viewer, moderator or admin")
	}
	if !d.admin.Role.Covers(Chief) {
		return "", Forbidden
	}
	password = string(NewSecret()[:20])
	hash, err := d.s.hasher.hash(ctx, password)
	if err != nil {
		return "", d.s.explain(err)
	}
	err = d.act(ctx, Chief, "admin.add", func(tx Tx) (string, string, error) {
		err := tx.AddAdmin(Admin{ID: newID(), Name: name, PasswordHash: hash, Role: role, Fog: fog, Created: d.s.Now()})
		return name, rights(role, fog), err
	})
	return password, err
}

func rights(r Role, fog bool) string {
	if fog {
		return string(r) + " and fog"
	}
	return string(r)
}

// AdminChange is what may be changed of an admin; nil leaves it.
type AdminChange struct {
	Role     *Role
	Fog      *bool
	Disabled *bool
}

// ChangeAdmin changes an admin's rights. Nobody changes its own, and so one
// chief always remains. Who is disabled is logged out.
func (d *Desk) ChangeAdmin(ctx context.Context, name string, c AdminChange) (admin Admin, err error) {
	if c.Role != nil && !c.Role.Valid() {
		return admin, refuseField(BadRequest, "role", "is viewer, moderator or admin")
	}
	err = d.act(ctx, Chief, "admin.change", func(tx Tx) (string, string, error) {
		if admin, err = tx.AdminByName(LoginKey(name)); err != nil {
			return "", "", err
		}
		if admin.ID == d.admin.ID {
			return "", "", refuse(Forbidden, "another admin must change your rights")
		}
		if c.Role != nil {
			admin.Role = *c.Role
		}
		if c.Fog != nil {
			admin.Fog = *c.Fog
		}
		if c.Disabled != nil {
			admin.Disabled = time.Time{}
			if *c.Disabled {
				admin.Disabled = d.s.Now()
				if _, err := tx.EndSessions(AdminRealm, admin.ID, ""); err != nil {
					return "", "", err
				}
			}
		}
		detail := rights(admin.Role, admin.Fog)
		if !admin.Disabled.IsZero() {
			detail += ", disabled"
		}
		return admin.Name, detail, tx.SaveAdmin(admin)
	})
	return admin, err
}

// NewAdminPassword generates a new password for an admin and logs it out
// everywhere.
func (d *Desk) NewAdminPassword(ctx context.Context, name string) (password string, err error) {
	if !d.admin.Role.Covers(Chief) {
		return "", Forbidden
	}
	password = string(NewSecret()[:20])
	hash, err := d.s.hasher.hash(ctx, password)
	if err != nil {
		return "", d.s.explain(err)
	}
	err = d.act(ctx, Chief, "admin.password", func(tx Tx) (string, string, error) {
		admin, err := tx.AdminByName(LoginKey(name))
		if err != nil {
			return "", "", err
		}
		admin.PasswordHash = hash
		if err := tx.SaveAdmin(admin); err != nil {
			return "", "", err
		}
		_, err = tx.EndSessions(AdminRealm, admin.ID, "")
		return admin.Name, "generated", err
	})
	return password, err
}

// ChangeOwnPassword sets the admin's own password for one who knows the old.
func (d *Desk) ChangeOwnPassword(ctx context.Context, old, password string) error {
	if err := CheckPassword(password, d.admin.Name, ""); err != nil {
		return err
	}
	a := d.s.attemptOf(AdminRealm, d.admin.Name, d.from)
	if err := d.s.begin(ctx, &a); err != nil {
		return err
	}
	ok, err := d.s.hasher.check(ctx, old, d.admin.PasswordHash)
	if err != nil {
		return d.s.explain(err)
	}
	if !ok {
		return WrongCredentials
	}
	hash, err := d.s.hasher.hash(ctx, password)
	if err != nil {
		return d.s.explain(err)
	}
	return d.act(ctx, Viewer, "admin.password", func(tx Tx) (string, string, error) {
		now, err := tx.Admin(d.admin.ID)
		if err != nil {
			return "", "", err
		}
		if now.PasswordHash != d.admin.PasswordHash {
			return "", "", WrongCredentials
		}
		now.PasswordHash = hash
		if err := tx.SaveAdmin(now); err != nil {
			return "", "", err
		}
		if err := a.succeed(tx, d.s.Limits, d.s.Now()); err != nil {
			return "", "", err
		}
		_, err = tx.EndSessions(AdminRealm, now.ID, d.from.Old.Hash())
		return now.Name, "", err
	})
}

// ResetLink is where a player uses a reset token. It is the fragment, which
// browsers send to nobody and servers never log.
func ResetLink(publicURL string, token Secret) string {
	return strings.TrimSuffix(publicURL, "/") + "/#reset=" + string(token)
}
