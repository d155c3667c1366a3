package rules

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tiny is the smallest ruleset with one of everything.
//
//go:embed testdata/tiny.json
var tiny string

func TestRulesAreRead(t *testing.T) {
	rs, err := Parse("tiny.json", []byte(tiny))
	if err != nil {
		t.Fatal(err)
	}
	man, gun := rs.Types[0], rs.Weapons[0]
	if man.Sight != 11 || man.Speed != 2048 || man.Health != 10 || man.Cost[0] != 5 || !man.Mobile {
		t.Errorf("man %+v", man)
	}
	if gun.Range != 4608 || gun.CooldownMs != 500 || gun.Versus[0] != 50 || gun.Speed != 8192 || gun.Look != 3 {
		t.Errorf("gun %+v", gun)
	}
	if rs.Start[0].Count != 3 || rs.Places[0] != 2 || len(rs.Types[1].Trains) != 1 {
		t.Errorf("%+v", rs)
	}
	again, _ := Parse("other.json", []byte(tiny+" "))
	if again.Hash == rs.Hash {
		t.Error("another file, the same hash")
	}
}

// TestRulesErrors: the error of each mistake names its line and field.
func TestRulesErrors(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"cut off", `"start": [{"type": "man", "count": 3}]` + "\n}", `"start": [`, "tiny.json:15:12: /start: the file ends too early"},
		{"no JSON", `"name": "tiny",`, `"name": tiny,`, `tiny.json:2:10: /name: "tiny" is no value of JSON: a text has double quotes`},
		{"after the end", `"count": 3}]` + "\n}", `"count": 3}]` + "\n} {}", "tiny.json:16:3: something follows the document"},
		{"part of a pack", `"resources"`, `"extends": "arsenal", "resources"`, `/extends: a ruleset that extends another is a part of a pack`},
		{"misspelt field", `"health": 50`, `"health": 50, "widht": 2`, `tiny.json:11: /types/1/widht: a structure type has no field "widht"`},
		{"unknown weapon", `"weapons": ["gun"]`, `"weapons": ["bow"]`, `tiny.json:10: /types/0/weapons/0: unknown weapon "bow"; there are gun`},
		{"unknown class", `"class": "resource"`, `"class": "tree"`, `tiny.json:12: /types/2/class: unknown class "tree"`},
		{"unknown ability kind", `"kind": "sprint"`, `"kind": "fly"`, `tiny.json:7: /abilities/0/kind: unknown kind of ability "fly"`},
		{"too fast", `"speed": 2,`, `"speed": 200,`, `tiny.json:10: /types/0/speed: 200 is outside 0 to 50`},
		{"too fine", `"cooldown": 0.5`, `"cooldown": 0.5001`, `tiny.json:4: /weapons/0/cooldown: want a number with at most three decimals, got 0.5001`},
		{"text for number", `"health": 10`, `"health": "10"`, `tiny.json:10: /types/0/health: want a number with at most three decimals, got "10"`},
		{"half a health", `"health": 10,`, `"health": 10.5,`, `tiny.json:10: /types/0/health: want a whole number, got 10.5`},
		{"third of a tile", `"sight": 5.5`, `"sight": 5.3`, `tiny.json:10: /types/0/sight: want a multiple of half a tile, got 5.3`},
		{"twice the same name", `"name": "hut"`, `"name": "man"`, `tiny.json:11: /types/1/name: "man" appears twice`},
		{"twice the same field", `"health": 50`, `"health": 50, "health": 60`, `tiny.json:11:55: /types/1: "health" appears twice`},
		{"no name", `"name": "hut", `, ``, `tiny.json:11: /types/1: "name" is missing`},
		{"trains a rock", `"trains": ["man"]`, `"trains": ["rock"]`, `tiny.json:11: /types/1/trains/0: "hut" trains "rock", which is no unit`},
		{"fires a man", `"type": "ball"`, `"type": "man"`, `tiny.json:4: /weapons/0: weapon "gun": "man" is no projectile type`},
		{"a hut lies on the map", `"places": ["rock"]`, `"places": ["hut"]`, `tiny.json:2: /places/0: "hut" is no resource`},
		{"a landmark walks", `"places": [`, `"landmarks": ["man"], "places": [`, `tiny.json:2: /landmarks/0: "man" is no structure, or has weapons or abilities`},
		{"all know of a man", `{"name": "man",`, `{"name": "man", "relevant": "always",`, `"man": only a structure without weapons and abilities can be always relevant`},
		{"a hut for its owner", `{"name": "hut",`, `{"name": "hut", "relevant": "owner",`, `"hut": only a unit can be relevant to its owner alone`},
		{"tells what is seen", `{"name": "hut",`, `{"name": "hut", "tells": ["health"],`, `"hut": only types that are always relevant have "tells"`},
		{"a sound of no class", `"range": 4.5`, `"range": 4.5, "sound": {"class": "bang", "radius": 4}`, `/weapons/0/sound/class: unknown class of sounds "bang"; there are none`},
		{"a sound too far", `"weapons": [`, `"sounds": ["bang"], "weapons": [{"name": "horn", "sound": {"class": "bang", "radius": 65}}, `, `/weapons/0/sound/radius: 65 is outside 1 to 64`},
		{"a jammer of one cell", `"types": [`, `"signatures": ["hull"], "types": [{"name": "veil", "jam": {"radius": 4, "scatter": 1}}, `, `/types/0/jam/scatter: "veil": contacts are scattered in blocks of 2 cells or more`},
		{"radar of no class", `"types": [`, `"types": [{"name": "dish", "radar": 20}, `, `/types/0: "dish": radar finds types with a signature, and the ruleset has no "signatures"`},
		{"a signature of its owner alone", `"types": [`, `"signatures": ["hull"], "types": [{"name": "spy", "signature": "hull", "relevant": "owner"}, `, `/types/0/signature: "spy": radar finds only types that are relevant to the teams that see them`},
		{"a sound without radius", `"weapons": [`, `"sounds": ["bang"], "weapons": [{"name": "horn", "sound": {"class": "bang"}}, `, `/weapons/0/sound: "radius" is missing`},
		{"the hut makes a sound", `{"name": "hut",`, `{"name": "hut", "sound": {},`, `/types/1/sound: a structure type has no field "sound"`},
		{"a man is captured", `{"name": "man",`, `{"name": "man", "capture": {},`, `"man": only a structure can be captured`},
		{"unknown resource", `"cost": {"ore": 5}`, `"cost": {"gold": 5}`, `tiny.json:10: /types/0/cost/gold: cost has no field "gold"`},
		{"out of range of itself", `"range": 4.5`, `"range": 4.5, "min_range": 5`, `tiny.json:4: /weapons/0: weapon "gun": min_range is beyond range`},
		{"grants what it has not", `"start": [`, `"start": [{"type": "hut", "grant": ["run"]}, `, `tiny.json:15: /start/0: "hut" has no ability "run"`},
		{"applies nothing", `"kind": "sprint"`, `"kind": "apply"`, `tiny.json:7: /abilities/0: ability "run": abilities of kinds apply and area have an effect, others must not have one`},
		{"applies to nobody", `"abilities": [`, `"effects": [{"name": "ill", "kind": "slow", "duration": 1}], "abilities": [{"name": "cast", "kind": "apply", "effect": "ill"}, `, `tiny.json:6: /abilities/0: ability "cast": abilities of kinds apply and area have targets, others must not have any`},
		{"an area of units", `"abilities": [`, `"effects": [{"name": "ill", "kind": "slow", "duration": 1}], "abilities": [{"name": "fog", "kind": "area", "effect": "ill", "targets": "all", "look": "man"}, `, `tiny.json:6: /abilities/0/look: ability "fog": its look "man" is no projectile type`},
		{"for no time", `"abilities": [`, `"effects": [{"name": "ill", "kind": "slow"}], "abilities": [`, `tiny.json:6: /effects/0: "duration" is missing`},
		{"null for number", `"health": 10`, `"health": null`, `tiny.json:10: /types/0/health: want a number with at most three decimals, got null`},
		{"beyond all numbers", `"health": 10,`, `"health": 99999999999999999999,`, `tiny.json:10: /types/0/health: 99999999999999999999 is outside 1 to 10000000`},
		{"a YAML word", `"health": 10,`, `"health": none,`, `tiny.json:10:29: /types/0/health: "none" is no value of JSON: a text has double quotes`},
		{"a mark before it", tiny[:3], "\xef\xbb\xbf" + tiny[:3], `tiny.json:1:1: the file begins with a byte order mark`},
		{"Latin-1", `"name": "hut"`, "\"name\": \"h\xfctte\"", `tiny.json:11:14: byte 0xfc is not UTF-8`},
		{"nothing", tiny, " \n", `tiny.json:1:1: the file is empty`},
		{"a control character", `"name": "hut"`, "\"name\": \"h\x01ut\"", `tiny.json:11:14: /types/1/name: a text with the control character U+0001`},
		{"deep", `"start": [`, `"deep": [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]], "start": [`, "tiny.json:15:25: /deep/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0: nested deeper than 16 levels"},
	} {
		if !strings.Contains(tiny, tt.old) {
			t.Fatalf("%s: the ruleset has no %s", tt.name, tt.old)
		}
		_, err := Parse("tiny.json", []byte(strings.Replace(tiny, tt.old, tt.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := Parse("big.json", make([]byte, RulesBytesMax+1)); err == nil {
		t.Error("a file without bound is read")
	}
}

// TestAllErrorsAtOnce: a file is refused with all that is wrong, by line, each with its
// place, and each once.
func TestAllErrorsAtOnce(t *testing.T) {
	_, err := Parse("all.json", []byte(`{"resources": [7, "ore"], "settings": [],
"weapons": [{"range": "far", "damage": null, "projectile": {}}],
"abilities": [{"name": "zap", "kind": "apply", "targets": "walls", "effect": 3}],
"types": [{"name": "man", "class": "unit", "health": 0, "weapons": ["bow", "bow"], "trains": ["hut"], "widht": 1}, 9,
 {"name": "hut", "class": "structure", "sight": 0.3, "cost": {"gold": 1}}],
"start": [{"count": 0}, {"type": "man", "grant": ["zap", "zip"]}], "places": ["man"]}`))
	want := []string{
		`1: "name" is missing`, `1: /resources/0: want a text, got 7`, `1: /settings: want an object, got a list`,
		`2: /weapons/0: "name" is missing`, `2: /weapons/0/range: want a number with at most three decimals, got "far"`,
		`2: /weapons/0/damage: want a number with at most three decimals, got null`, `2: /weapons/0/projectile: "type" is missing`,
		`2: /weapons/0/projectile: "speed" is missing`,
		`3: /abilities/0/targets: unknown targets "walls"; there are friends, enemies, all`, `3: /abilities/0/effect: unknown effect 3; there are none`,
		`4: /types/0/health: 0 is outside 1 to 10000000`, `4: /types/0/weapons/0: unknown weapon "bow"; there are none`, `4: /types/0/weapons/1: unknown weapon "bow"; there are none`,
		`4: /types/0/widht: a unit type has no field "widht"`, `4: /types/1: want an object, got 9`, `4: /types/0/trains/0: "man" trains "hut", which is no unit, nor an upgrade that a structure makes`,
		`5: /types/2/sight: want a multiple of half a tile, got 0.3`, `5: /types/2/cost/gold: cost has no field "gold"`,
		`6: /start/0/count: 0 is outside 1 to 10000`, `6: /start/0: "type" is missing`, `6: /start/1/grant/1: unknown ability "zip"; there are zap; did you mean "zap"?`,
		`6: /start/1: "man" has no ability "zap"`, `6: /places/0: "man" is no resource`,
	}
	var all *Problems
	if !errors.As(err, &all) {
		t.Fatal(err)
	}
	got := strings.Split(strings.ReplaceAll(err.Error(), "all.json:", ""), "\n")
	for _, w := range want {
		if n := slices.Index(got, w); n < 0 {
			t.Errorf("not said: %s", w)
		} else {
			got = slices.Delete(got, n, n+1)
		}
	}
	if len(got) > 0 {
		t.Errorf("said besides: %q", got)
	}
	// Broken JSON does not end the reading either.
	slips := strings.NewReplacer(`"resources": ["ore"]`, `resources: ["ore",]`, `"damage": 3,`, `"damage": 3. // much`+"\n", `"health": 50,`, `"health": 50 "sight": 0.3,`,
		`"count": 3`, `"count": 'three'`, `["gun"]`, `[gun, bow]`).Replace(tiny)
	_, err = Parse("tiny.json", []byte(slips))
	if want := `tiny.json:2:18: the name "resources" has no double quotes
tiny.json:2:35: /resources: a comma before ']'
tiny.json:4:60: /weapons/0/damage: "3." is no number of JSON
tiny.json:4:63: /weapons/0: JSON has no comments
tiny.json:5:2: /weapons/0: a comma is missing before this
tiny.json:11:89: /types/0/weapons/0: "gun" is no value of JSON: a text has double quotes
tiny.json:11:94: /types/0/weapons/1: "bow" is no value of JSON: a text has double quotes
tiny.json:11: /types/0/weapons/1: unknown weapon "bow"; there are gun
tiny.json:12:54: /types/1: a comma is missing before this
tiny.json:12: /types/1/sight: want a multiple of half a tile, got 0.3
tiny.json:16:37: /start/0/count: single quotes: JSON has double quotes
tiny.json:16: /start/0/count: want a number with at most three decimals, got "three"`; err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	many := `{"name": "x", "types": [` + strings.Repeat(`{"name": 1},`, 200) + `{}]}`
	if _, err := Parse("many.json", []byte(many)); !errors.As(err, &all) || len(all.List) != problemsMax {
		t.Errorf("of 201 errors %d are said", len(all.List))
	}
}

// TestUnworkableRulesets: a ruleset that can be read and never work is refused for new matches,
// and read from journals; an odd ruleset is accepted.
func TestUnworkableRulesets(t *testing.T) {
	long := strings.Repeat("x", nameBytesMax+1)
	for what, c := range map[string]struct{ old, new, wrong, odd string }{
		"as it is":           {" ", " ", "", ""},
		"needs itself":       {`{"name": "hut",`, `{"name": "hut", "needs": ["hut"],`, `11: /types/1/needs: it can never be had: hut needs hut`, ""},
		"each other":         {`{"name": "hut",`, `{"name": "inn", "class": "structure", "needs": ["hut"]}, {"name": "hut", "needs": ["inn"],`, `11: /types/2/needs: it can never be had: hut needs inn needs hut`, ""},
		"no percent":         {`, "percent": 150`, ``, `7: /abilities/0: "percent" is missing: without it an ability of kind sprint has no effect`, ""},
		"no energy":          {`"percent": 150`, `"percent": 150, "energy": 5`, `10: /types/0/abilities/0: "run" costs energy, but "man" has no energy`, ""},
		"a long name":        {`"name": "tiny"`, `"name": "` + long + `"`, `2: /name: a name of 65 bytes, at most 64`, ""},
		"a name from behind": {`"name": "tiny"`, `"name": "ti\u202eny"`, `2: /name: a name with the invisible character U+202E`, ""},
		"a NUL":              {`"name": "tiny"`, `"name": "ti\u0000ny"`, `2: /name: a name with the invisible character U+0000`, ""},
		"a name alone":       {`{"name": "hut",`, `{"name": "x"}, {"name": "hut", "trains": ["x"],`, "", `11: /types/1: "x" has only a name: it is a blind unit with 1 health that stands still`},
		"out of reach":       {`{"name": "hut",`, `{"name": "x", "class": "structure", "width": 2}, {"name": "hut",`, "", `11: /types/1: no player can get a "x": no type that leads from "start" makes it; a mode may`},
	} {
		if !strings.Contains(tiny, c.old) {
			t.Fatalf("%s: the ruleset has no %s", what, c.old)
		}
		text := strings.Replace(tiny, `"trains": ["man"]`, `"trains": ["man"], "centre": true`, 1)
		text = strings.Replace(text, `"start": [`, `"start": [{"type": "hut"}, `, 1)
		if strings.Contains(c.new, `"trains"`) {
			text = strings.Replace(text, `"trains": ["man"], `, "", 1)
		}
		text = strings.Replace(text, c.old, c.new, 1)
		if _, err := Parse("tiny.json", []byte(text)); err != nil {
			t.Errorf("%s: a journal's is refused: %v", what, err)
		}
		_, odd, err := Check("tiny.json", []byte(text))
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), "tiny.json:"+c.wrong) {
			t.Errorf("%s: %v, want %s", what, err, c.wrong)
		}
		said := ""
		for _, o := range odd {
			said += o.String() + "\n"
		}
		if (said == "") != (c.odd == "") || !strings.Contains(said, c.odd) {
			t.Errorf("%s: odd is %q, want %q", what, said, c.odd)
		}
	}
}

// texts is a ruleset with every field whose value is a text, once at least.
const texts = `{
 "name": "texts", "resources": ["ore"], "armours": ["skin"], "sounds": ["bang"], "signatures": ["hull"], "places": ["rock"], "landmarks": ["stone"],
 "settings": {"flush": "tick"},
 "weapons": [{"name": "gun", "range": 4, "alternate": "salvo", "projectile": {"type": "ball", "speed": 8, "split": {"into": "bit"}}},
  {"name": "bit", "projectile": {"type": "ball", "speed": 8}},
  {"name": "salvo", "burst": 3}],
 "abilities": [{"name": "dig-in", "kind": "deploy", "weapon": "gun", "needs": ["hut"]},
  {"name": "poison", "kind": "apply", "effect": "ill", "targets": "enemies"}],
 "effects": [{"name": "ill", "kind": "slow", "duration": 2}],
 "types": [
  {"name": "man", "class": "unit", "movement": "hover", "armour": "skin", "speed": 2,
   "weapons": ["gun"], "abilities": ["dig-in"], "needs": ["hut"], "builds": ["hut"]},
  {"name": "hut", "class": "structure", "trains": ["man"]},
  {"name": "stone", "class": "structure", "relevant": "always", "tells": ["amount"]},
  {"name": "rock", "class": "resource", "resource": "ore"},
  {"name": "ball", "class": "projectile"}
 ],
 "start": [{"type": "man", "count": 3, "grant": ["dig-in"]}, {"type": "man", "deny": ["dig-in"]}]
}`

// The fields of a ruleset that hold a text or a list of texts, and whether the texts are
// free: names that the file itself makes up. All other texts come from a known set.
var textFields = map[string]bool{
	"name": true, "resources": true, "armours": true, "sounds": true, "signatures": true,
	"places": false, "landmarks": false, "relevant": false, "tells": false, "flush": false, "type": false, "kind": false, "weapon": false, "needs": false, "class": false,
	"movement": false, "armour": false, "weapons": false, "abilities": false, "builds": false, "trains": false, "resource": false, "effect": false, "alternate": false, "into": false, "targets": false, "grant": false, "deny": false,
}

// The fields that hold an object.
var objectFields = []string{"split", "settings", "versus", "projectile", "energy", "harvest", "shield", "capture"}

// TestEveryTextOfARuleset: an unknown text is refused with file and line, in every field
// with a known set, and so is a value that is no text.
func TestEveryTextOfARuleset(t *testing.T) {
	if rs, err := Parse("texts.json", []byte(texts)); err != nil || !rs.Settings.FlushTick {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, v := range textValues(t, texts) {
		found[v.field] = true
		free, known := textFields[v.field]
		if !known {
			t.Errorf("line %d: %q is in no table of this test", v.line, v.field)
		}
		at := fmt.Sprintf("texts.json:%d: ", v.line)
		try := func(put, want string) {
			t.Helper()
			_, err := Parse("texts.json", []byte(texts[:v.from]+put+texts[v.to:]))
			if err == nil || !strings.Contains(err.Error(), at) || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %s: error %v, want %s…%s", v.field, put, err, at, want)
			}
		}
		try("7", "")
		try("null", "")
		if !free {
			misspelt := strconv.Quote(v.text + "x")
			try(misspelt, "unknown ")
			try(misspelt, misspelt+"; there are ")
			try(`""`, "unknown ")
		}
	}
	for field := range textFields {
		if !found[field] {
			t.Errorf("the ruleset of this test has no %q", field)
		}
	}
	for _, field := range fieldsRead(t) {
		if _, text := textFields[field]; !text && !slices.Contains(objectFields, field) {
			t.Errorf("read.go reads %q, which is in no table of this test", field)
		}
	}
}

// textValue is one text of a JSON document.
type textValue struct {
	field    string // the nearest
	text     string
	from, to int // with its quotes
	line     int
}

func textValues(t *testing.T, doc string) (out []textValue) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(doc))
	var value func(field string)
	value = func(field string) {
		tok, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch x := tok.(type) {
		case string:
			to := int(d.InputOffset())
			out = append(out, textValue{field, x, to - len(x) - 2, to, 1 + strings.Count(doc[:to], "\n")})
		case json.Delim:
			for d.More() {
				if x == '{' {
					key, err := d.Token()
					if err != nil {
						t.Fatal(err)
					}
					value(key.(string))
				} else {
					value(field)
				}
			}
			if _, err := d.Token(); err != nil {
				t.Fatal(err)
			}
		}
	}
	value("")
	return out
}

// fieldsRead returns the fields that read.go reads as texts, lists of
// texts or by hand.
func fieldsRead(t *testing.T) (fields []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "read.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"str", "names", "refs", "refs8", "get"}, method.Sel.Name) {
			return true
		}
		if lit, ok := call.Args[1].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			field, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			fields = append(fields, field)
		}
		return true
	})
	if len(fields) < 20 {
		t.Fatalf("only %d fields found: the search is broken", len(fields))
	}
	return fields
}

// TestShipped: the rulesets that come with fogkeep are complete for the game.
func TestShipped(t *testing.T) {
	if _, err := Shipped("nothing"); err == nil || !strings.Contains(err.Error(), "skirmish") {
		t.Errorf("the error of an unknown ruleset is %v", err)
	}
	for _, name := range ShippedNames() {
		if rs, err := Shipped(name); err != nil || rs.Name != name {
			t.Errorf("the ruleset of the file %s.json calls itself %q: %v", name, rs.Name, err)
		}
	}
	rs, _ := Shipped("skirmish")
	for _, name := range []string{
		"worker", "scout", "soldier", "artillery", "caster", "flyer", "detector", "raider",
		"command-centre", "barracks", "factory", "tower", "wall",
	} {
		if _, ok := rs.TypeByName(name); !ok {
			t.Errorf("skirmish has no %s", name)
		}
	}
	if len(rs.Resources) != 2 {
		t.Errorf("skirmish has the resources %v", rs.Resources)
	}
}

// An absent time is that of docs/reference/rules.md.
func TestAbsentTimes(t *testing.T) {
	rs, err := Parse("times.json", []byte(`{"name": "times", "resources": ["ore"], "types": [{"name": "man", "speed": 1},
 {"name": "ship", "speed": 1, "wreck": {"type": "scrap"}, "transport": {"types": ["man"]}},
 {"name": "hall", "class": "structure", "capture": {}}, {"name": "scrap", "class": "resource", "resource": "ore", "stock": 9}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rs.Types[1].Wreck.LastsMs, int32(60_000); got != want {
		t.Errorf("a wreck lasts %d ms, want %d", got, want)
	}
	if got, want := rs.Types[1].Transport.EveryMs, int32(1000); got != want {
		t.Errorf("a unit gets out each %d ms, want %d", got, want)
	}
	if got, want := rs.Types[2].CaptureMs, int32(10_000); got != want {
		t.Errorf("a capture takes %d ms, want %d", got, want)
	}
}
