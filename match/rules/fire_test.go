package rules

import (
	"strings"
	"testing"
)

// TestFireErrors: a projectile has no two ways of flight that exclude each other.
func TestFireErrors(t *testing.T) {
	for _, c := range []struct{ projectile, want string }{
		{`"homing": true, "lob": 2`, `weapon "gun": a projectile that homes or pierces is not lobbed`},
		{`"pierces": 1, "lob": 2`, `weapon "gun": a projectile that homes or pierces is not lobbed`},
		{`"steered": true`, `weapon "gun": only a homing projectile is steered`},
		{`"bounces": 1`, `weapon "gun": only a homing projectile bounces`},
		{`"homing": true, "pierces": 1`, `weapon "gun": a homing projectile does not pierce`},
		{`"lob": 17`, "/weapons/0/projectile/lob: 17 is outside 0 to 16"},
		{`"homing": true, "steered": true, "bounces": 1`, ""},
		{`"lob": 2, "split": {"into": "bit"}`, ""},
	} {
		_, err := Parse("fire.json", []byte(`{"name": "fire", "weapons": [{"name": "gun", "range": 4, "projectile": {"type": "ball", "speed": 8, `+c.projectile+`}},
 {"name": "bit", "projectile": {"type": "ball", "speed": 8}}],
 "types": [{"name": "ball", "class": "projectile"}]}`))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.projectile, err, c.want)
		}
	}
}
