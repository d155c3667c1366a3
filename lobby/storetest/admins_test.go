package storetest

import (
	"errors"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// rightsTakenAway: a request that came in before its admin lost its rights has no
// effect afterwards, and leaves no row.
func rightsTakenAway(t *testing.T, h *Harness, _ func() db.Store) {
	yes, no, viewer := true, false, model.Viewer
	for name, c := range map[string]struct {
		change admin.AdminChange
		try    func(*admin.Session) error
	}{
		"role": {admin.AdminChange{Role: &viewer}, func(d *admin.Session) error { return d.Drain(ctx, true) }},
		"all":  {admin.AdminChange{Disabled: &yes}, func(d *admin.Session) error { return d.Announce(ctx, "hello") }},
		"fog":  {admin.AdminChange{Fog: &no}, func(d *admin.Session) error { return d.AllowFog(ctx, "a match", "all", nil) }},
		"eyes": {admin.AdminChange{Disabled: &yes}, func(d *admin.Session) error { return d.AllowFog(ctx, "a match", "0", nil) }},
	} {
		password, err := h.admin().Admins().Add(ctx, name, model.FullAdmin, true)
		must(t, err)
		_, token, err := h.Admin.AdminLogIn(ctx, Home, name, password)
		must(t, err)
		began, err := h.Admin.Session(ctx, Home, token)
		must(t, err)
		_, err = h.admin().Admins().Change(ctx, name, c.change)
		must(t, err)
		want(t, c.try(began), model.Forbidden)
		rows, err := h.admin().Audit(ctx, 0, 1)
		must(t, err)
		if rows[0].Action != "admin.change" {
			t.Errorf("%s: the refused left the row %+v", name, rows[0])
		}
	}
}

// grants: an admin without the right to look through the fog gets it in no way: not by
// a new admin, a raised one, another's new password, or an enabled one. It may give its
// own rights, and take any.
func grants(t *testing.T, h *Harness, _ func() db.Store) {
	enter := func(name string, role model.Role, fog bool) *admin.Session {
		password, err := h.admin().Admins().Add(ctx, name, role, fog)
		must(t, err)
		_, token, err := h.Admin.AdminLogIn(ctx, Home, name, password)
		must(t, err)
		d, err := h.Admin.Session(ctx, Home, token)
		must(t, err)
		return d
	}
	chief, seer := enter("chief", model.FullAdmin, false), enter("seer", model.FullAdmin, true)
	enter("watcher", model.Viewer, true)
	enter("blind", model.Viewer, false)
	yes, no, top, viewer := true, false, model.FullAdmin, model.Viewer
	add := func(d *admin.Session, name string, fog bool) error {
		_, err := d.Admins().Add(ctx, name, model.Viewer, fog)
		return err
	}
	change := func(d *admin.Session, name string, c admin.AdminChange) error {
		_, err := d.Admins().Change(ctx, name, c)
		return err
	}
	password := func(d *admin.Session, name string) error {
		_, err := d.Admins().NewPassword(ctx, name)
		return err
	}
	for i, c := range []struct {
		err error
		may bool
	}{
		{add(chief, "puppet", true), false},
		{add(chief, "helper", false), true},
		{add(seer, "second sight", true), true},
		{change(chief, "blind", admin.AdminChange{Fog: &yes}), false},
		{change(chief, "blind", admin.AdminChange{Role: &top}), true},
		{change(chief, "blind", admin.AdminChange{Role: &viewer, Fog: &no}), true},
		{change(seer, "blind", admin.AdminChange{Fog: &yes}), true},
		{change(chief, "blind", admin.AdminChange{Fog: &no}), true},
		{change(chief, "watcher", admin.AdminChange{Role: &top}), true}, // it had the fog already
		{password(chief, "watcher"), false},
		{password(chief, "helper"), true},
		{password(seer, "watcher"), true},
		{change(chief, "watcher", admin.AdminChange{Disabled: &yes}), true},
		{change(chief, "watcher", admin.AdminChange{Disabled: &no}), false},
		{change(chief, "watcher", admin.AdminChange{Disabled: &no, Fog: &no}), true},
		{password(chief, "watcher"), true},
	} {
		if c.may && c.err != nil || !c.may && !errors.Is(c.err, model.Forbidden) {
			t.Errorf("%d: %v, may %t", i, c.err, c.may)
		}
	}
	// The right is looked at as it is now, not as it was at the log-in.
	must(t, change(h.admin(), "seer", admin.AdminChange{Fog: &no}))
	want(t, add(seer, "too late", true), model.Forbidden)
}
