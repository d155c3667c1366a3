package lobby

import (
	"context"
	"errors"
	"time"
)

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

// Admins lists admins by name.
func (d *Desk) Admins(ctx context.Context) (list []Admin, err error) {
	err = d.look(ctx, func(tx Tx) (err error) {
		list, err = tx.Admins()
		return err
	})
	return list, err
}

// Drain stops or allows new lobbies, seats and matches. Live matches go on.
func (d *Desk) Drain(ctx context.Context, on bool) error {
	return d.act(ctx, Chief, "house.drain", func(tx Tx) (string, string, error) {
		return map[bool]string{true: "on", false: "off"}[on], "", tx.SetDraining(on)
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
			l.note(AnnounceEvent, "", ChatLine{Name: "server", Text: text})
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

// KeepMatch says whether a match goes on while no person is connected to it,
// where its options would end it.
func (d *Desk) KeepMatch(ctx context.Context, id MatchID, on bool) error {
	if err := d.act(ctx, Moderator, "match.keep", func(tx Tx) (string, string, error) {
		m, err := tx.Match(id)
		if err == nil && m.State != MatchLive {
			err = MatchOver
		}
		return string(id), map[bool]string{true: "on", false: "off"}[on], err
	}); err != nil || d.s.Matches == nil {
		return err
	}
	return d.s.Matches.Keep(ctx, id, on)
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
		l.note(AnnounceEvent, "", ChatLine{Name: "server", Text: "closed: " + reason})
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
	password, hash, err := d.generate(ctx, func(tx Tx) error {
		_, err := tx.AdminByName(LoginKey(name))
		if err == nil {
			return ErrTaken
		}
		if !errors.Is(err, ErrNotFound) {
			return err
		}
		return d.mayGrant(tx, role, fog)
	})
	if err != nil {
		return "", err
	}
	err = d.act(ctx, Chief, "admin.add", func(tx Tx) (string, string, error) {
		if err := d.mayGrant(tx, role, fog); err != nil {
			return "", "", err
		}
		err := tx.AddAdmin(Admin{ID: newID(), Name: name, PasswordHash: hash, Role: role, Fog: fog, Created: d.s.Now()})
		return name, rights(role, fog), err
	})
	return password, err
}

// generate makes a password of 120 random bits and its hash, once may has passed.
func (d *Desk) generate(ctx context.Context, may func(Tx) error) (password, hash string, err error) {
	if !d.admin.Role.Covers(Chief) {
		return "", "", Forbidden
	}
	if err := d.look(ctx, func(tx Tx) error {
		if _, err := d.stillMay(tx, Chief); err != nil {
			return err
		}
		return may(tx)
	}); err != nil {
		return "", "", err
	}
	password = string(NewSecret()[:20])
	if hash, err = d.s.hasher.hash(ctx, d.asker(), password); err != nil {
		return "", "", d.s.explain(err)
	}
	return password, hash, nil
}

// mayGrant refuses to give rights that the admin who gives them does not have.
// Making an admin, raising one, letting a disabled one in again and giving one a
// new password are all ways to get what it may do.
func (d *Desk) mayGrant(tx Tx, role Role, fog bool) error {
	own, err := d.stillMay(tx, Chief)
	if err != nil {
		return err
	}
	switch {
	case !own.Role.Covers(role):
		return refuse(Forbidden, "nobody gives the role %s without having it", role)
	case fog && !own.Fog:
		return refuse(Forbidden, "nobody gives the right to look through the fog without having it")
	}
	return nil
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
// chief always remains. Nobody gives rights that it does not have; anybody may
// take them. Who is disabled is logged out.
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
		before := admin
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
		if !before.Disabled.IsZero() && admin.Disabled.IsZero() {
			before = Admin{} // had nothing
		}
		fog := admin.Fog && !before.Fog
		if fog || !before.Role.Covers(admin.Role) {
			if err := d.mayGrant(tx, admin.Role, fog); err != nil {
				return "", "", err
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
	find := func(tx Tx) (Admin, error) {
		admin, err := tx.AdminByName(LoginKey(name))
		if err != nil {
			return admin, err
		}
		return admin, d.mayGrant(tx, admin.Role, admin.Fog)
	}
	password, hash, err := d.generate(ctx, func(tx Tx) error {
		_, err := find(tx)
		return err
	})
	if err != nil {
		return "", err
	}
	err = d.act(ctx, Chief, "admin.password", func(tx Tx) (string, string, error) {
		admin, err := find(tx)
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
	var costs []string
	if err := d.look(ctx, func(tx Tx) (err error) {
		if costs, err = tx.HashCosts(AdminRealm); err != nil {
			return err
		}
		return d.s.look(tx, &a)
	}); err != nil {
		return err
	}
	if err := d.s.tryLogIn(ctx, &a, old, d.admin.PasswordHash, costs); err != nil {
		return err
	}
	hash, err := d.s.hasher.hash(ctx, d.asker(), password)
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
		if err := d.s.succeed(tx, &a); err != nil {
			return "", "", err
		}
		_, err = tx.EndSessions(AdminRealm, now.ID, d.from.Old.Hash())
		return now.Name, "", err
	})
}
