package admin

import (
	"context"
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Admins manages the admins in the name of one.
type Admins struct{ as *Session }

// Admins returns the admins as the acting one manages them.
func (as *Session) Admins() Admins { return Admins{as} }

// List lists admins by name.
func (a Admins) List(ctx context.Context) ([]model.Admin, error) {
	return ask(ctx, a.as, func(tx *db.Tx) ([]model.Admin, error) { return tx.Admins.List() })
}

// Add makes an admin with a generated password, which it returns.
func (a Admins) Add(ctx context.Context, name string, role model.Role, fog bool) (password string, err error) {
	if name, err = model.CleanName(name); err != nil {
		return "", err
	}
	if !role.Valid() {
		return "", model.RefuseField(model.BadRequest, "role", "must be viewer, moderator or admin")
	}
	password, hash, err := a.generate(ctx, func(tx *db.Tx) error {
		_, err := tx.Admins.ByName(model.LoginKey(name))
		if err == nil {
			return model.ErrTaken
		}
		if !errors.Is(err, model.ErrNotFound) {
			return err
		}
		return a.mayGrant(tx, role, fog)
	})
	if err != nil {
		return "", err
	}
	err = a.as.act(ctx, model.FullAdmin, "admin.add", func(tx *db.Tx) (string, string, error) {
		if err := a.mayGrant(tx, role, fog); err != nil {
			return "", "", err
		}
		err := tx.Admins.Add(model.Admin{ID: model.NewID(), Name: name, PasswordHash: hash, Role: role, Fog: fog, Created: a.as.s.Now()})
		return name, rights(role, fog), err
	})
	return password, err
}

// generate makes a password of 120 random bits and its hash, once may has passed.
func (a Admins) generate(ctx context.Context, may func(*db.Tx) error) (password, hash string, err error) {
	if !a.as.admin.Role.Covers(model.FullAdmin) {
		return "", "", model.Forbidden
	}
	if err := a.as.query(ctx, func(tx *db.Tx) error {
		if _, err := a.as.stillMay(tx, model.FullAdmin); err != nil {
			return err
		}
		return may(tx)
	}); err != nil {
		return "", "", err
	}
	password = string(model.NewSecret()[:20])
	if hash, err = a.as.s.Account.Hasher.HashPassword(ctx, requester(a.as), password); err != nil {
		return "", "", a.as.s.Explain(err)
	}
	return password, hash, nil
}

// mayGrant refuses to give rights that the giving admin does not have. Making an admin,
// raising or enabling one, and setting another's password are all ways to get that
// admin's rights.
func (a Admins) mayGrant(tx *db.Tx, role model.Role, fog bool) error {
	admin, err := a.as.stillMay(tx, model.FullAdmin)
	if err != nil {
		return err
	}
	switch {
	case !admin.Role.Covers(role):
		return model.Refuse(model.Forbidden, "you cannot give the role %s, which you do not have", role)
	case fog && !admin.Fog:
		return model.Refuse(model.Forbidden, "you cannot give the right to look through the fog, which you do not have")
	}
	return nil
}

func rights(r model.Role, fog bool) string {
	if fog {
		return string(r) + " and fog"
	}
	return string(r)
}

// AdminChange is a change of an admin; nil leaves a field.
type AdminChange struct {
	Role     *model.Role
	Fog      *bool
	Disabled *bool
}

// Change changes an admin's rights. No admin changes its own, and so one chief
// always remains. An admin gives only rights that it has, but may take any. A disabled
// admin is logged out.
func (a Admins) Change(ctx context.Context, name string, c AdminChange) (admin model.Admin, err error) {
	if c.Role != nil && !c.Role.Valid() {
		return admin, model.RefuseField(model.BadRequest, "role", "must be viewer, moderator or admin")
	}
	err = a.as.act(ctx, model.FullAdmin, "admin.change", func(tx *db.Tx) (string, string, error) {
		if admin, err = tx.Admins.ByName(model.LoginKey(name)); err != nil {
			return "", "", err
		}
		if admin.ID == a.as.admin.ID {
			return "", "", model.Refuse(model.Forbidden, "another admin must change your rights")
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
				admin.Disabled = a.as.s.Now()
				if _, err := tx.Sessions.EndAll(model.AdminRealm, admin.ID, ""); err != nil {
					return "", "", err
				}
			}
		}
		if !before.Disabled.IsZero() && admin.Disabled.IsZero() {
			before = model.Admin{} // had no value
		}
		fog := admin.Fog && !before.Fog
		if fog || !before.Role.Covers(admin.Role) {
			if err := a.mayGrant(tx, admin.Role, fog); err != nil {
				return "", "", err
			}
		}
		detail := rights(admin.Role, admin.Fog)
		if !admin.Disabled.IsZero() {
			detail += ", disabled"
		}
		return admin.Name, detail, tx.Admins.Save(admin)
	})
	return admin, err
}

// NewPassword generates a new password for an admin and logs it out
// everywhere.
func (a Admins) NewPassword(ctx context.Context, name string) (password string, err error) {
	find := func(tx *db.Tx) (model.Admin, error) {
		admin, err := tx.Admins.ByName(model.LoginKey(name))
		if err != nil {
			return admin, err
		}
		return admin, a.mayGrant(tx, admin.Role, admin.Fog)
	}
	password, hash, err := a.generate(ctx, func(tx *db.Tx) error {
		_, err := find(tx)
		return err
	})
	if err != nil {
		return "", err
	}
	err = a.as.act(ctx, model.FullAdmin, "admin.password", func(tx *db.Tx) (string, string, error) {
		admin, err := find(tx)
		if err != nil {
			return "", "", err
		}
		admin.PasswordHash = hash
		if err := tx.Admins.Save(admin); err != nil {
			return "", "", err
		}
		_, err = tx.Sessions.EndAll(model.AdminRealm, admin.ID, "")
		return admin.Name, "generated", err
	})
	return password, err
}
