package rules

import (
	"strings"
	"testing"
)

func TestMines(t *testing.T) {
	for _, c := range []struct{ mine, more, wrong string }{
		{`{"weapon": "blast"}`, "", ""},
		{`{}`, "", `"weapon" is missing`},
		{`{"weapon": "gun"}`, "", `has splash, "gun" does not`},
		{`{"weapon": "blast", "arm": 61}`, "", "arm"},
		{`{"weapon": "blast"}`, `, "weapons": ["gun"]`, "has no weapons"},
		{`{"weapon": "blast"}`, `, "switch": {}`, "is one of"},
		{`{"weapon": "blast"}`, `, "capture": {"time": 3}`, "cannot be captured"},
	} {
		rs, err := Parse("mines.json", []byte(`{"name": "mines", "weapons": [{"name": "gun"}, {"name": "blast", "splash": 1}],
"types": [{"name": "man", "speed": 1, "builds": ["mine"]}, {"name": "mine", "class": "structure", "mine": `+c.mine+c.more+`}]}`))
		if c.wrong == "" && err == nil {
			if m := rs.Types[1].Feature; m.Mine.ArmMs != 2000 || m.Kind() != FeatureMine || !m.Stateful() {
				t.Errorf("a mine is %+v", m.Mine)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s%s: %v, want %q", c.mine, c.more, err, c.wrong)
		}
	}
}
