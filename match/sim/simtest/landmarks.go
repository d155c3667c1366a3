package simtest

import (
	"bytes"
	"fmt"

	"github.com/fogkeep/fogkeep/match/rules"
)

// LandmarkRules returns the skirmish ruleset with what it does not use: a beacon
// that is nobody's at first and that all know of, barracks and a beacon that
// soldiers capture, a marker that only its owner's team learns of, and sounds of
// howitzers, of artillery that drives and of burning ground, radar of towers and casters
// that finds workers and artillery, and two kinds of jammers.
func LandmarkRules() (*rules.Ruleset, error) {
	rs, err := rules.Shipped("skirmish")
	if err != nil {
		return nil, fmt.Errorf("landmark rules: %w", err)
	}
	b := rs.Source
	for _, change := range [][2]string{
		{`"trains": ["worker", "scout"]`, `"trains": ["worker", "scout", "drill"]`},
		{`"effects": [`, `"effects": [{"name": "drilled", "kind": "modify", "changes": [{"attribute": "regen", "add": 1}, {"attribute": "sight", "add": 1, "percent": 110}]},`},
		{`{"name": "shell",`, `{"name": "drill", "class": "upgrade", "build": 1, "effect": "drilled", "of": ["soldier"]},
    {"name": "shell",`},
		{`"places": [`, `"landmarks": ["beacon"], "sounds": ["cannon", "engine", "spell"], "signatures": ["tools", "guns"], "places": [`},
		{`"leash": 8,`, `"leash": 8, "radar_sweep": 1.05, "radar_keep": 3, "assist": 10, "assist_score": 40,`},
		{`{"name": "howitzer",`, `{"name": "howitzer", "sound": {"class": "cannon", "radius": 12},`},
		{`{"name": "artillery",`, `{"name": "artillery", "sound": {"class": "engine", "radius": 7}, "signature": "guns",`},
		{`{"name": "worker",`, `{"name": "worker", "signature": "tools",`},
		{`{"name": "caster",`, `{"name": "caster", "radar": 15,`},
		{`{"name": "tower",`, `{"name": "tower", "radar": 14,`},
		{`{"name": "scout",`, `{"name": "scout", "jam": {"radius": 6, "scatter": 2},`},
		{`{"name": "flyer",`, `{"name": "flyer", "jam": {"radius": 6},`},
		{`{"name": "burn", "kind": "burn",`, `{"name": "burn", "kind": "burn", "sound": {"class": "spell", "radius": 12},`},
		{`"effects": [`, `"effects": [
    {"name": "marked", "kind": "modify", "duration": 2, "changes": [{"attribute": "health", "percent": 110}, {"attribute": "reflect", "add": 50}]},
    {"name": "dazzled", "kind": "modify", "told": "team", "duration": 1, "changes": [{"attribute": "range", "add": -1, "cap": 6}, {"attribute": "cooldown", "percent": 120, "cap_percent": 90}, {"attribute": "sight", "add": -0.5, "percent": 80, "cap": 6}]},`},
		{`{"name": "rifle",`, `{"name": "rifle", "effect": "marked",`},
		{`{"name": "tower-gun",`, `{"name": "tower-gun", "effect": "dazzled",`},
		{`{"name": "soldier",`, `{"name": "soldier", "captures": true,`},
		{`{"name": "barracks",`, `{"name": "barracks", "capture": {"time": 2, "range": 2},`},
		{`{"name": "ore-field",`, `{"name": "beacon", "class": "structure", "width": 2, "height": 2, "health": 500, "armour": "building",
     "sight": 6, "relevant": "always", "tells": ["amount"], "capture": {"time": 2, "range": 2}, "threat": 0},
    {"name": "marker", "radius": 0.2, "speed": 2, "health": 10, "armour": "light", "sight": 3, "relevant": "owner"},
    {"name": "ore-field",`},
	} {
		if bytes.Count(b, []byte(change[0])) != 1 {
			return nil, fmt.Errorf("landmark rules: %s is not once in the ruleset", change[0])
		}
		b = bytes.Replace(b, []byte(change[0]), []byte(change[1]), 1)
	}
	return rules.Parse("landmarks.json", b)
}
