package storetest

import (
	"testing"

	"github.com/fogkeep/fogkeep/lobby"
)

// rightsTakenAway: a request that came in before its admin's rights were taken
// away does nothing after it, and leaves no row.
func rightsTakenAway(t *testing.T, h *House, _ func() lobby.Store) {
	yes, no, viewer := true, false, lobby.Viewer
	for name, c := range map[string]struct {
		change lobby.AdminChange
		try    func(*lobby.Desk) error
	}{
		"role": {lobby.AdminChange{Role: &viewer}, func(d *lobby.Desk) error { return d.Drain(ctx, true) }},
		"all":  {lobby.AdminChange{Disabled: &yes}, func(d *lobby.Desk) error { return d.Announce(ctx, "hello") }},
		"fog":  {lobby.AdminChange{Fog: &no}, func(d *lobby.Desk) error { return d.Fog(ctx, "a match", "all") }},
		"eyes": {lobby.AdminChange{Disabled: &yes}, func(d *lobby.Desk) error { return d.Fog(ctx, "a match", "0") }},
	} {
		password, err := h.desk().AddAdmin(ctx, name, lobby.Chief, true)
		must(t, err)
		_, token, err := h.AdminLogIn(ctx, Home, name, password)
		must(t, err)
		began, err := h.AdminSession(ctx, Home, token)
		must(t, err)
		_, err = h.desk().ChangeAdmin(ctx, name, c.change)
		must(t, err)
		want(t, c.try(began), lobby.Forbidden)
		rows, err := h.desk().Audit(ctx, 0, 1)
		must(t, err)
		if rows[0].Action != "admin.change" {
			t.Errorf("%s: the refused left the row %+v", name, rows[0])
		}
	}
}
