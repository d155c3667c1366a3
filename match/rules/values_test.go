package rules

import (
	"fmt"
	"strings"
	"testing"
)

// valued is a ruleset whose lines 2, 3 and 4 are values, abilities and types.
const valued = `{"name": "valued", "effects": [{"name": "ill", "kind": "slow", "duration": 1}], "start": [{"type": "man"}],
 "values": [%s],
 "abilities": [{"name": "boil", "kind": "rage", "duration": 1, "percent": 150, "threshold": 50}],
 "types": [%s]}`

func TestValuesAreRead(t *testing.T) {
	rs, err := Parse("valued.json", fmt.Appendf(nil, valued,
		`{"name": "rage", "max": 100}, {"name": "heat_2", "min": -20, "max": 40, "start": 1, "class": "seeing", "when": "initial", "per_second": 0, "step": 5, "hurt": -150, "priority": 255},
		 {"name": "fame", "max": 9, "class": "all", "when": "damaged"}`,
		`{"name": "man", "values": {"heat_2": -3, "rage": 50}}, {"name": "cook", "abilities": ["boil"], "values": {"rage": 0}}, {"name": "statue", "class": "structure", "relevant": "always", "tells": ["health"], "values": {"fame": 4}}, {"name": "stone"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Value{
		{Name: "rage", Max: 100, PerS: 10, Step: 1, Priority: 100},
		{"heat_2", -20, 40, 1, ValueSeeing, ValueInitial, 0, 5, -150, 255, Growth{}, [ValueLevelsMax]Level{}},
		{Name: "fame", Max: 9, Class: ValueAll, When: ValueWhileDamaged, PerS: 10, Step: 1, Priority: 100},
	}
	if fmt.Sprint(rs.Values) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", rs.Values, want)
	}
	for i, want := range []string{"[{0 50} {1 -3}]", "[{0 0}]", "[{2 4}]", "[]"} {
		if got := fmt.Sprint(rs.Types[i].Values); got != want {
			t.Errorf("%s has %s, want %s", rs.Types[i].Name, got, want)
		}
	}
	if n, ok := rs.ValueByName("heat_2"); !ok || n != 1 || rs.Types[0].HasValue(1) != 1 || rs.Types[1].HasValue(1) != -1 {
		t.Error("a value by its name, and its place in a type")
	}
	if _, ok := rs.ValueByName("sugar"); ok {
		t.Error("a value that was not declared")
	}
}

// TestValuesErrors: the error of each mistake names its line and field, or the value that the server never sends.
func TestValuesErrors(t *testing.T) {
	const man = `{"name": "man"}`
	rage := func(more string) string { return `{"name": "rage", "max": 100` + more + `}` }
	of := func(type_ string) string { return `{"name": "man", "values": ` + type_ + `}` }
	many := func(n int) (values, of string) {
		for i := range n {
			values += fmt.Sprintf(`{"name": "v%d", "max": 1},`, i)
			of += fmt.Sprintf(`"v%d": 0,`, i)
		}
		return strings.TrimSuffix(values, ","), strings.TrimSuffix(of, ",")
	}
	many33, _ := many(33)
	many9, of9 := many(9)
	for _, c := range []struct{ name, values, types, want string }{
		{"no name", `{"max": 1}`, man, `2: /values/0: "name" is missing`},
		{"a name with blanks", `{"name": "my rage", "max": 1}`, man, `2: /values/0/name: the name of a value has 1 to 32 of a-z, 0-9 and _`},
		{"a long name", `{"name": "` + strings.Repeat("x", 33) + `", "max": 1}`, man, `2: /values/0/name: the name of a value`},
		{"no bound", `{"name": "rage"}`, man, `2: /values/0: "max" is missing`},
		{"the wrong way round", `{"name": "rage", "min": 5, "max": 5}`, man, `2: /values/0/max: 5 is outside 6 to 1000000000`},
		{"without bounds", `{"name": "rage", "max": 1000000001}`, man, `2: /values/0/max: 1000000001 is outside 1 to 1000000000`},
		{"a start outside", rage(`, "start": 101`), man, `2: /values/0/start: 101 is outside 0 to 100`},
		{"a class", rage(`, "class": "team"`), man, `2: /values/0/class: unknown class "team"; there are owner, seeing, all`},
		{"a condition", rage(`, "when": "hungry"`), man, `2: /values/0/when: unknown condition "hungry"; there are change, initial, acting, affected, damaged`},
		{"a rate", rage(`, "per_second": 61`), man, `2: /values/0/per_second: 61 is outside 0 to 60`},
		{"no step", rage(`, "step": 0`), man, `2: /values/0/step: 0 is outside 1 to 1000000000`},
		{"by damage", rage(`, "hurt": 1001`), man, `2: /values/0/hurt: 1001 is outside -1000 to 1000`},
		{"misspelt", rage(`, "prioritty": 1`), man, `2: /values/0/prioritty: a value has no field "prioritty"`},
		{"twice", rage(``) + "," + rage(``), man, `2: /values/1/name: "rage" appears twice`},
		{"too many", many33, man, `2: /values: 33 entries, at most 32`},
		{"of a type, unknown", rage(``), of(`{"fury": 1}`), `4: /types/0/values/fury: values has no field "fury"`},
		{"of a type, beyond", rage(``), of(`{"rage": 101}`), `4: /types/0/values/rage: 101 is outside 0 to 100`},
		{"of a type, a list", rage(``), of(`["rage"]`), `4: /types/0/values: want an object, got a list`},
		{"of a type, too many", many9, of(`{` + of9 + `}`), `4: /types/0: "man" has 9 values, at most 8`},
		{"told to all of a man", rage(`, "class": "all"`), of(`{"rage": 1}`), `4: /types/0: "man": all teams learn of the value "rage", so only types that are always relevant can have it`},
		{
			"tells all of hidden harm", rage(`, "class": "all", "when": "damaged"`), `{"name": "man"}, {"name": "statue", "class": "structure", "relevant": "always", "values": {"rage": 1}}`,
			`4: /types/1: "statue": the value "rage" would tell all teams that it is damaged, but "tells" has no health`,
		},
		{"never acts", rage(`, "when": "acting"`), of(`{"rage": 1}`), `4: /types/0: "man" has the value "rage", which is sent while it is acting: it never is`},
		{
			"never affected", rage(`, "when": "affected"`), `{"name": "man"}, {"name": "hut", "class": "structure", "values": {"rage": 1}}`,
			`4: /types/1: "hut" has the value "rage", which is sent while it is affected: it never is`,
		},
	} {
		_, _, err := Check("valued.json", fmt.Appendf(nil, valued, c.values, c.types))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	if _, _, err := Check("valued.json", fmt.Appendf(nil, valued, rage(`, "when": "affected"`), of(`{"rage": 1}`))); err != nil {
		t.Errorf("an effect can be on a man: %v", err)
	}
}
