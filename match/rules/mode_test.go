package rules

import (
	"strings"
	"testing"
)

// TestRespawnErrors: a respawn is of a unit, once of each type, and its value is the team's own.
func TestRespawnErrors(t *testing.T) {
	for _, c := range []struct{ respawns, want string }{
		{`{"type": "man", "area": "home", "near": "hut", "value": "left"}`, ""},
		{`{"type": "man", "area": "home", "value": "told"}`, `/modes/0/respawns/0: "told" is open: it would show all players that a unit is gone`},
		{`{"type": "hut", "area": "home"}`, `/modes/0/respawns/0: "hut" is no unit`},
		{`{"type": "man", "area": "home", "near": "man"}`, `/modes/0/respawns/0: "man" is no structure`},
		{`{"type": "man", "area": "home"}, {"type": "man", "area": "home"}`, `/modes/0/respawns/1: "man" has a respawn already`},
		{`{"type": "man"}`, `/modes/0/respawns/0: "area" is missing`},
		{`{"area": "home"}, {"area": "home"}`, `/modes/0/respawns/1: "type" is missing`},
		{`{"type": "man", "area": "home", "delay": 0}`, `/modes/0/respawns/0/delay: 0 is outside 1 to 3600`},
		{`{"type": "man", "area": "home", "limit": 0}`, `/modes/0/respawns/0/limit: 0 is outside 1 to 1000`},
		{`{"type": "man", "area": "home", "value": "gold"}`, `value: unknown value of the mode "gold"`},
	} {
		_, err := Parse("respawn.json", []byte(`{"name": "respawn", "types": [{"name": "man"}, {"name": "hut", "class": "structure"}], "modes": [
 {"name": "m", "values": [{"name": "told", "open": true}, {"name": "left"}], "areas": [{"name": "home", "at_start": true}], "respawns": [`+c.respawns+`]}]}`))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.respawns, err, c.want)
		}
	}
}
