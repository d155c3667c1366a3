package simtest

import (
	"bytes"
	"fmt"

	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Omens changes the declared values of beacons by the clock. Call it before each step.
func Omens(w *sim.World) {
	for _, e := range w.Entities() {
		if w.Rules().Types[e.Type()].Name == "beacon" && w.Tick()%5 == 4 {
			n := int32(w.Tick()/5) + 1
			Edit(w).SetValue(e, 0, n%40)
			Edit(w).SetValue(e, 1, n%7)
		}
	}
}

// watch is the script of an ability that acts by its team's knowledge: its unit's fury grows with the foes around it,
// and it heals its own team's units. It changes its unit's other values at random.
const watch = `
def ready(u): return u.random(4) == 0
def start(u):
    near = u.near(u.radius)
    out = [set_value(u.self, "fury", len([x for x in near if x.team not in (u.team, None)]) + u.random(9, key = 9))]
    for i, name in enumerate(["rage", "grudge", "scars", "zeal", "daze", "pain"] if u.self.type == "soldier" else ["zeal"]):
        if u.random(2, key = i) == 0:
            n = u.self.value(name) + u.random(12, key = 20 + i) - 4
            out.append(set_value(u.self, name, n if n <= 60 else -5))
    return out + [heal(x, 1) for x in near if x.team == u.team and x.hp < x.max]
`

// ValuedRules returns the rules with landmarks, in which soldiers, scouts and beacons have
// values of all classes and conditions.
func ValuedRules() (*rules.Ruleset, error) {
	rs, err := LandmarkRules()
	if err != nil {
		return nil, err
	}
	b := rs.Source
	for _, change := range [][2]string{
		{`"types": [`, `"displays": [
    {"of": "rage", "bar": "marked", "color": "#f86000", "icon": "flame", "loss": "#ff4040", "gain": "#40ff40"}],
   "values": [
    {"name": "rage", "min": -5, "max": 100, "deal": 20, "kill": 5, "death": 1, "death_range": 6, "levels": [{"at": 20, "effect": "wrath"}]},
    {"name": "grudge", "min": -5, "max": 100, "when": "initial"},
    {"name": "fury", "min": -5, "max": 100, "class": "seeing"},
    {"name": "scars", "min": -5, "max": 100, "class": "seeing", "when": "initial"},
    {"name": "zeal", "min": -5, "max": 100, "class": "seeing", "when": "acting", "priority": 20},
    {"name": "daze", "min": -5, "max": 100, "class": "seeing", "when": "affected"},
    {"name": "pain", "min": -5, "max": 100, "class": "seeing", "when": "damaged", "step": 6, "per_second": 0},
    {"name": "fame", "max": 100, "class": "all"},
    {"name": "omen", "max": 100, "class": "seeing"}
  ],
  "types": [`},
		{`"abilities": [` + "\n", `"abilities": [
    {"name": "watch", "kind": "script", "script": "watch.star", "passive": true, "every": 0.5, "radius": 20},` + "\n"},
		{`"weapons": ["rifle"], "abilities": ["rage"],`, `"weapons": ["rifle"], "abilities": ["rage", "watch"],
     "values": {"rage": 3, "grudge": 7, "fury": 0, "scars": 4, "zeal": 9, "daze": 5, "pain": 0},`},
		{`"effects": [`, `"effects": [{"name": "wrath", "kind": "modify", "told": "team", "changes": [{"attribute": "damage", "percent": 105}]},`},
		{`{"name": "rage", "kind": "rage",`, `{"name": "rage", "kind": "rage", "spends": {"value": "rage", "amount": 2},`},
		{`"abilities": ["deploy"],`, `"abilities": ["deploy"], "values": {"rage": 0},`},
		{`"weapons": ["carbine"], "abilities": ["sprint"],`, `"weapons": ["carbine"], "abilities": ["sprint", "watch"],
     "values": {"fury": 2, "zeal": 1},`},
		{`"tells": ["amount"],`, `"tells": ["amount"], "values": {"fame": 2, "omen": 0},`},
	} {
		if bytes.Count(b, []byte(change[0])) != 1 {
			return nil, fmt.Errorf("valued rules: %s is not once in the ruleset", change[0])
		}
		b = bytes.Replace(b, []byte(change[0]), []byte(change[1]), 1)
	}
	b, err = rules.WithScripts(b, map[string]string{"watch.star": watch})
	if err != nil {
		return nil, fmt.Errorf("valued rules: %w", err)
	}
	return rules.Parse("valued.json", b)
}
