package rules

import (
	"fmt"
	"strings"
	"testing"
)

// grown is a ruleset with a value, effects, abilities and a weapon; its type has the value and the abilities.
func grown(value, effects, abilities, weapon string) string {
	return fmt.Sprintf(`{"name": "grown", "start": [{"type": "man"}], "values": [{"name": "rage", "max": 9%s}, {"name": "calm", "max": 9}],
 "effects": [{"name": "proud", "kind": "modify", "changes": [{"attribute": "damage", "percent": 110}]}%s],
 "abilities": [%s], "weapons": [{"name": "club"%s}],
 "types": [{"name": "man", "weapons": ["club"], "abilities": ["roar"], "values": {"rage": 0}}]}`, value, effects, abilities, weapon)
}

func TestGrowthIsRead(t *testing.T) {
	const roar = `{"name": "roar", "kind": "sprint", "percent": 120, "spends": {"value": "rage", "amount": 4}}`
	rs, _, err := Check("grown.json", []byte(grown(`, "deal": 50, "kill": -3, "death": 2, "death_range": 4.5, "second": -1,
		"levels": [{"at": 3, "effect": "proud"}, {"at": 9, "effect": "proud"}]`, "", roar, "")))
	if err != nil {
		t.Fatal(err)
	}
	v := &rs.Values[0]
	if got, want := v.Growth, (Growth{50, -3, 2, 4608, -1}); got != want {
		t.Errorf("growth %v, want %v", got, want)
	}
	if want := [ValueLevelsMax]Level{{3, 1}, {9, 1}}; v.Levels != want || rs.Abilities[0].Spends != (Spending{0, 4}) {
		t.Errorf("levels %v, the ability spends %v", v.Levels, rs.Abilities[0].Spends)
	}
	if rs.Values[1].Growth != (Growth{}) {
		t.Errorf("a value without events grows by %v", rs.Values[1].Growth)
	}
	for want, text := range map[string]string{
		`"death_range" needs "death"`:                                                       grown(`, "death_range": 3`, "", roar, ""),
		"/values/0/deal: 1001 is outside -1000 to 1000":                                     grown(`, "deal": 1001`, "", roar, ""),
		"/values/0/second: 100001 is outside":                                               grown(`, "second": 100001`, "", roar, ""),
		"/values/0/levels/0/at: 10 is outside 0 to 9":                                       grown(`, "levels": [{"at": 10, "effect": "proud"}]`, "", roar, ""),
		`/values/0/levels/0: "at" is missing`:                                               grown(`, "levels": [{"effect": "proud"}]`, "", roar, ""),
		`unknown effect "prod"`:                                                             grown(`, "levels": [{"at": 1, "effect": "prod"}]`, "", roar, ""),
		"/values/0/levels: 7 entries, at most 6":                                            grown(`, "levels": [`+strings.TrimSuffix(strings.Repeat(`{"at": 1, "effect": "proud"},`, 7), ",")+`]`, "", roar, ""),
		`effect "ill" is the effect of a level or an upgrade: want kind modify without`:     grown(`, "levels": [{"at": 1, "effect": "ill"}]`, `, {"name": "ill", "kind": "slow", "duration": 1}`, roar, ""),
		`effect "proud" is the effect of a level or an upgrade, so weapons`:                 grown(`, "levels": [{"at": 1, "effect": "proud"}]`, "", roar, `, "effect": "proud"`),
		`"roar" spends the value "calm", which "man" has not`:                               grown("", "", strings.Replace(roar, `"rage"`, `"calm"`, 1), ""),
		`/abilities/0/spends/amount: 0 is outside 1 to`:                                     grown("", "", strings.Replace(roar, `4`, `0`, 1), ""),
		`unknown value "fury"; there are rage, calm`:                                        grown("", "", strings.Replace(roar, `"rage"`, `"fury"`, 1), ""),
		`/abilities/0/spends: "amount" is missing`:                                          grown("", "", strings.Replace(roar, `, "amount": 4`, ``, 1), ""),
		`effect "brief" is the effect of a level or an upgrade: want kind modify without a`: grown(`, "levels": [{"at": 1, "effect": "brief"}]`, `, {"name": "brief", "kind": "modify", "duration": 1, "changes": [{"attribute": "damage", "percent": 110}]}`, roar, ""),
	} {
		if _, _, err := Check("grown.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestUpgradesAreRead(t *testing.T) {
	file := func(effect, upgrade, trains string) string {
		return fmt.Sprintf(`{"name": "u", "start": [{"type": "hall"}], "effects": [{"name": "tough", "kind": "modify"%s, "changes": [{"attribute": "health", "add": 5}]}],
 "types": [{"name": "man", "trains": [%s]}, {"name": "hall", "class": "structure", "trains": ["man", "drill"]}, {"name": "drill", "class": "upgrade"%s}]}`, effect, trains, upgrade)
	}
	const good = `, "build": 2, "needs": ["hall"], "effect": "tough", "of": ["man", "hall"]`
	rs, _, err := Check("u.json", []byte(file("", good, "")))
	if err != nil {
		t.Fatal(err)
	}
	if u := &rs.Types[2]; u.Class != ClassUpgrade || u.BuildMs != 2000 || !u.Improves(0) || !u.Improves(1) || u.Improves(2) || rs.Types[0].Improves(0) || !rs.Standing(0) {
		t.Errorf("%+v", u)
	}
	for want, text := range map[string]string{
		`/types/2: "of" is missing`:                                     file("", `, "effect": "tough"`, ""),
		`/types/2: "effect" is missing`:                                 file("", `, "of": ["man"]`, ""),
		`"drill" is neither unit nor structure`:                         file("", `, "effect": "tough", "of": ["drill"]`, ""),
		`"man" trains "drill", which is no unit, nor an upgrade`:        file("", good, `"drill"`),
		`effect "tough" is the effect of a level or an upgrade: want k`: file(`, "duration": 1`, good, ""),
		`an upgrade has no field "health"`:                              file("", good+`, "health": 5`, ""),
	} {
		if _, _, err := Check("u.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
