package rules

import (
	"strings"
	"testing"
)

func TestChangesErrors(t *testing.T) {
	for _, c := range []struct{ effect, want string }{
		{`{"name": "x", "kind": "modify"}`, `"changes" is missing`},
		{`{"name": "x", "kind": "modify", "changes": []}`, `it changes nothing`},
		{`{"name": "x", "kind": "modify", "changes": [{"attribute": "luck", "add": 1}]}`, `unknown attribute "luck"; there are health, shield,`},
		{`{"name": "x", "kind": "modify", "changes": [{"attribute": "speed"}]}`, `a change needs one of`},
		{`{"name": "x", "kind": "modify", "changes": [{"attribute": "speed", "add": 65}]}`, `65 is outside -64 to 64, of speed`},
		{`{"name": "x", "kind": "modify", "changes": [{"attribute": "health", "add": 0.5}]}`, `want a multiple of 1, of health`},
		{`{"name": "x", "kind": "modify", "changes": [{"attribute": "armour", "percent": 1001}]}`, `1001 is outside 0 to 1000`},
		{`{"name": "x", "kind": "modify", "changes": [{"attribute": "armour", "cap_percent": 101}]}`, `101 is outside 1 to 100`},
		{`{"name": "x", "kind": "modify", "changes": [{"attribute": "sight", "cap": -1}]}`, `-1 is outside 0 to 1000000`},
		{`{"name": "x", "kind": "modify", "told": "team", "changes": [{"attribute": "shield", "add": 5}]}`, `effect "x" changes shield, which all who see a unit are shown`},
		{`{"name": "x", "kind": "slow", "duration": 1, "changes": []}`, `an effect of kind slow has no field "changes"`},
		{`{"name": "x", "kind": "slow"}`, `"duration" is missing`},
	} {
		_, err := Parse("x.json", []byte(`{"name": "x", "types": [{"name": "u"}], "effects": [`+c.effect+`]}`))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.effect, err, c.want)
		}
	}
	rs, err := Parse("x.json", []byte(`{"name": "x", "types": [{"name": "u"}], "effects": [{"name": "x", "kind": "modify", "told": "team",
		"changes": [{"attribute": "sight", "add": -1.5, "cap": 4}, {"attribute": "speed", "percent": 70, "cap_percent": 50}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	e := &rs.Effects[0]
	if !e.TeamOnly || e.DurationMs != 0 || !e.Refocuses() || e.Changes[0] != (AttributeChange{Attribute: AttributeSight, Add: -3, Cap: 9}) ||
		e.Changes[1] != (AttributeChange{Attribute: AttributeSpeed, Percent: -30, CapPercent: 50}) {
		t.Errorf("%+v", e)
	}
}

// No change overflows, and no value is below 0.
func TestSumBounds(t *testing.T) {
	most, least := AttributeChange{Add: 1_000_000, Percent: 900}, AttributeChange{Add: -1_000_000, Percent: -100}
	for a := range AttributeEnd {
		var s Sum
		s.Take(&most, 100)
		if v := s.Of(a, 1<<31-1); v != attributeMax {
			t.Errorf("%v: at most %d", a, v)
		}
		if v := (&Sum{percent: 5000}).Of(a, 100); v != a.PercentMax() {
			t.Errorf("%v: 100 grew to %d", a, v)
		}
		s = Sum{}
		s.Take(&least, 100)
		if v := s.Of(a, 100); v != 0 {
			t.Errorf("%v: at least %d", a, v)
		}
	}
}
