package rules

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// The kinds "gale" and "dizzy" have one parameter of each kind.
func init() {
	params := []Param{
		{Name: "force", Kind: ParamWhole, Required: true, Default: 1, Min: 1, Max: 9},
		{Name: "reach", Kind: ParamTiles, Default: 2500, Max: 8000},
		{Name: "wait", Kind: ParamSeconds, Default: 500, Max: 60_000},
		{Name: "loud", Kind: ParamFlag},
		{Name: "summons", Kind: ParamType},
		{Name: "by", Kind: ParamWeapon},
		{Name: "leaves", Kind: ParamEffect},
		{Name: "eats", Kind: ParamResource},
	}
	check := func(p Params) error {
		switch p.Get("force") {
		case 6:
			return errors.New("six is unlucky")
		case 7:
			return &FieldError{"wait", "a force of seven cannot wait"}
		case 8:
			p.Get("undeclared")
		}
		p[0].Value = 99 // it is a copy
		return nil
	}
	for _, err := range []error{
		AddAbilityKind("gale", Kind{Version: 2, Params: params, Check: check}),
		AddAbilityKind("gust", Kind{Version: 1, Aimed: true}),
		AddEffectKind("dizzy", Kind{Version: 1, Params: params, Check: check}),
	} {
		if err != nil {
			panic(err)
		}
	}
}

// windy is a ruleset whose lines 3 and 5 are an ability and an effect.
const windy = `{"name": "windy", "resources": ["ore"], "types": [{"name": "man"}, {"name": "hut", "class": "structure"}],
 "weapons": [{"name": "gun"}], "abilities": [
 %s
 ], "effects": [{"name": "ill", "kind": "slow", "duration": 1},
 %s
 ]}`

func TestRegisteredKindsAreRead(t *testing.T) {
	const own = `"force": 3, "reach": 1.5, "wait": 2.25, "loud": true, "summons": "hut", "by": "gun", "leaves": "ill", "eats": "ore"`
	rs, err := Parse("windy.json", fmt.Appendf(nil, windy,
		`{"name": "blow", "kind": "gale", "cooldown": 3, "energy": 2, "range": 4, "radius": 2, "needs": ["hut"], `+own+`},
		{"name": "breathe", "kind": "gale", "force": 1}, {"name": "touch", "kind": "gust", "targets": "enemies"}`,
		`{"name": "spun", "kind": "dizzy", "duration": 4, "every": 0.25, `+own+`}`))
	if err != nil {
		t.Fatal(err)
	}
	a, e := rs.Abilities[0], rs.Effects[1]
	if a.Kind != "gale" || a.CooldownMs != 3000 || a.Energy != 2000 || a.Range != 4096 || a.Radius != 2048 || len(a.Needs) != 1 || a.Weapon != -1 || a.Effect != -1 || a.Targets != 0 {
		t.Errorf("%+v", a)
	}
	if e.Kind != EffectRegistered || e.KindName != "dizzy" || e.DurationMs != 4000 || e.EveryMs != 250 || e.Strength != 0 {
		t.Errorf("%+v", e)
	}
	for _, c := range []struct {
		p    Params
		want string
	}{
		{a.Params, "[{force 3} {reach 1536} {wait 2250} {loud 1} {summons 1} {by 0} {leaves 0} {eats 0}]"},
		{e.Params, "[{force 3} {reach 1536} {wait 2250} {loud 1} {summons 1} {by 0} {leaves 0} {eats 0}]"},
		{rs.Abilities[1].Params, "[{force 1} {reach 2560} {wait 500} {loud 0} {summons -1} {by -1} {leaves -1} {eats -1}]"},
	} {
		if got := fmt.Sprint(c.p); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	if rs.Abilities[2].Targets != TargetsEnemies || rs.Effects[0].KindName != "slow" {
		t.Errorf("%+v, %+v", rs.Abilities[2], rs.Effects[0])
	}
	if a.Params.Get("wait") != 2250 {
		t.Error("a parameter by its name")
	}
	if k, ok := AddedAbilityKind("gale"); !ok || k.Version != 2 {
		t.Errorf("%+v, %v", k, ok)
	}
	if _, ok := AddedEffectKind("gale"); ok {
		t.Error("an ability's kind is an effect's")
	}
}

// TestDefaultsOfParameters: a required field needs no default; an optional field's default
// is in its range.
func TestDefaultsOfParameters(t *testing.T) {
	for want, p := range map[string]Param{
		"": {Name: "heals", Required: true, Min: 1, Max: 100},
		"the default 0 is not between 1 and 100: choose another, or set Required":                {Name: "heals", Min: 1, Max: 100},
		"from 9 to 1: both bounds must be between -2147483648 and 2147483647, the smaller first": {Name: "heals", Required: true, Min: 9, Max: 1},
	} {
		if err := p.check(); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%+v: %v, want %s", p, err, want)
		}
	}
}

// The error of a bad entry of a registered kind names its line and its field.
func TestErrorsOfRegisteredKinds(t *testing.T) {
	const ill = `{"name": "b", "kind": "slow", "duration": 1}`
	for what, c := range map[string]struct{ ability, effect, want string }{
		"a required field":       {`{"name": "blow", "kind": "gale"}`, ill, `windy.json:3: /abilities/0: "force" is missing`},
		"outside":                {"{\"name\": \"blow\", \"kind\": \"gale\",\n\"force\": 10}", ill, `windy.json:4: /abilities/0/force: 10 is outside 1 to 9`},
		"half":                   {`{"name": "blow", "kind": "gale", "force": 1.5}`, ill, `windy.json:3: /abilities/0/force: want a whole number, got 1.5`},
		"far":                    {`{"name": "blow", "kind": "gale", "force": 1, "reach": 8.5}`, ill, `windy.json:3: /abilities/0/reach: 8.5 is outside 0 to 8`},
		"no flag":                {`{"name": "blow", "kind": "gale", "force": 1, "loud": 1}`, ill, `windy.json:3: /abilities/0/loud: want true or false, got 1`},
		"an unknown name":        {`{"name": "blow", "kind": "gale", "force": 1, "summons": "dragon"}`, ill, `windy.json:3: /abilities/0/summons: unknown type "dragon"; there are man, hut`},
		"a field of others":      {`{"name": "blow", "kind": "gale", "force": 1, "percent": 5}`, ill, `windy.json:3: /abilities/0/percent: an ability of kind gale has no field "percent"`},
		"the whole":              {`{"name": "blow", "kind": "gale", "force": 6}`, ill, `windy.json:3: /abilities/0: ability "blow": six is unlucky`},
		"its field":              {"{\"name\": \"blow\", \"kind\": \"gale\", \"force\": 7,\n \"wait\": 4}", ill, `windy.json:4: /abilities/0/wait: ability "blow": "wait": a force of seven cannot wait`},
		"its field, left out":    {`{"name": "blow", "kind": "gale", "force": 7}`, ill, `windy.json:3: /abilities/0: ability "blow": "wait": a force of seven cannot wait`},
		"a check that breaks":    {`{"name": "blow", "kind": "gale", "force": 8}`, ill, `windy.json:3: /abilities/0: ability "blow": its check broke: rules: the kind has declared no field "undeclared"`},
		"aimed at nobody":        {`{"name": "touch", "kind": "gust"}`, ill, `windy.json:3: /abilities/0: ability "touch": "targets" is missing`},
		"targets of one not so":  {`{"name": "blow", "kind": "gale", "force": 1, "targets": "all"}`, ill, `windy.json:3: /abilities/0/targets: ability "blow": abilities of kind gale are not aimed at units and have no targets`},
		"an effect's kind":       {`{"name": "blow", "kind": "dizzy"}`, ill, `windy.json:3: /abilities/0/kind: unknown kind of ability "dizzy"; there are apply, area, burn, cloak, deploy, rage, scan, script, sprint, gale, gust`},
		"of an effect":           {`{"name": "touch", "kind": "gust", "targets": "all"}`, `{"name": "b", "kind": "dizzy", "duration": 1}`, `windy.json:5: /effects/1: "force" is missing`},
		"an effect for no time":  {`{"name": "touch", "kind": "gust", "targets": "all"}`, `{"name": "b", "kind": "dizzy", "force": 1}`, `windy.json:5: /effects/1: "duration" is missing`},
		"an effect's other kind": {`{"name": "touch", "kind": "gust", "targets": "all"}`, `{"name": "b", "kind": "gale", "duration": 1}`, `windy.json:5: /effects/1/kind: unknown kind of effect "gale"; there are damage, shield, slow, modify, script, dizzy`},
	} {
		if _, err := Parse("windy.json", fmt.Appendf(nil, windy, c.ability, c.effect)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", what, err, c.want)
		}
	}
}
