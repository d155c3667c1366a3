package rules

import (
	"slices"
	"strings"
)

// neededBy lists the fields without which an ability of a kind has no effect.
var neededBy = map[string][]string{
	"area":   {"duration", "radius"},
	"burn":   {"damage", "duration", "radius"},
	"deploy": {"weapon"},
	"rage":   {"duration", "percent", "threshold"},
	"scan":   {"duration", "sight"},
	"sprint": {"percent"},
}

// shippedModes are the modes that every match can have.
var shippedModes = []string{"deathmatch", "skirmish"}

// sense notes readable values that can never work, and oddities. It reads only a ruleset
// without errors.
func (r *rulesReader) sense(root *node, types, abilities []*node, rs *Ruleset) {
	for i, a := range rs.Abilities {
		for _, field := range neededBy[a.Kind] {
			if r.get(abilities[i], field) == nil {
				note(&r.senseless, abilities[i], "%q is missing: without it an ability of kind %s has no effect", field, a.Kind)
			}
		}
	}
	for i := range rs.Types {
		t := &rs.Types[i]
		for k, a := range t.Abilities {
			if x := rs.Abilities[a]; x.Energy+x.Drain > 0 && t.EnergyMax == 0 {
				note(&r.senseless, r.get(types[i], "abilities").Kids[k], "%q costs energy, but %q has no energy", x.Name, t.Name)
			} else if s := x.Spends; s.Amount > 0 && t.HasValue(s.Value) < 0 {
				note(&r.senseless, r.get(types[i], "abilities").Kids[k], "%q spends the value %q, which %q has not", x.Name, rs.Values[s.Value].Name, t.Name)
			}
		}
		r.senseValues(types[i], rs, t)
		if way := rs.needsItself(uint16(i)); way != nil {
			note(&r.senseless, r.get(types[i], "needs"), "it can never be had: %s", strings.Join(way, " needs "))
		}
		if len(types[i].Kids) == 1 {
			note(&r.odd, types[i], "%q has only a name: it is a blind unit with 1 health that stands still", t.Name)
		}
	}
	for _, n := range r.list(root, "modes", ModesMax) {
		if name := r.get(n, "name"); slices.Contains(shippedModes, name.Text) {
			note(&r.senseless, name, "%q is a mode of fogkeep itself", name.Text)
		}
	}
	r.beginning(root, types, rs)
}

// needsItself returns the names of the types on the way from a type's needs back to it,
// nil if there is no way.
func (rs *Ruleset) needsItself(start uint16) []string {
	from := map[uint16]uint16{} // the type that was found to need one
	for next := []uint16{start}; len(next) > 0; next = next[1:] {
		for _, n := range rs.Types[next[0]].Needs {
			if _, seen := from[n]; seen {
				continue
			}
			from[n] = next[0]
			if n != start {
				next = append(next, n)
				continue
			}
			way := []string{rs.Types[start].Name}
			for at := from[start]; at != start; at = from[at] {
				way = append(way, rs.Types[at].Name)
			}
			way = append(way, rs.Types[start].Name)
			slices.Reverse(way)
			return way
		}
	}
	return nil
}

// beginning notes oddities of the players' start, and things that players can never get
// from there.
func (r *rulesReader) beginning(root *node, types []*node, rs *Ruleset) {
	place := func(key string) *node {
		if v := r.get(root, key); v != nil {
			return v
		}
		return root
	}
	if len(rs.Start) == 0 {
		note(&r.odd, place("start"), "\"start\" is empty: players begin without units")
	}
	if !slices.ContainsFunc(rs.Start, func(s StartEntry) bool { return rs.Types[s.Type].Centre }) {
		note(&r.odd, place("start"), "no type of \"start\" is a \"centre\": in the mode skirmish everybody has lost at the first tick")
	}
	if len(rs.Places) == 0 && slices.ContainsFunc(rs.Types, func(t Type) bool { return t.Carry > 0 }) {
		note(&r.odd, place("places"), "\"places\" is empty: workers have no place to mine")
	}
	all := rs.Start
	for _, f := range rs.Factions {
		all = slices.Concat(all, f.Start)
	}
	has := rs.reach(0, all)
	for i, t := range rs.Types {
		if !has[i] && t.Class <= ClassStructure && len(rs.Start) > 0 && !t.Feature.Any() { // a map places features
			note(&r.odd, types[i], "no player can get a %q: no type that leads from \"start\" makes it; a mode may", t.Name)
		}
	}
	for i, n := range r.list(root, "factions", FactionsMax) {
		f, lists := &rs.Factions[i], []*node(nil)
		for _, key := range []string{"trains", "builds"} {
			if v := r.get(n, key); v != nil {
				lists = append(lists, v.Kids...)
			}
		}
		has := rs.reach(uint8(1+i), f.Start)
		for _, v := range lists {
			if t, _ := rs.TypeByName(v.Text); !has[t] {
				note(&r.odd, v, "%q cannot get a %q: no type that leads from its start makes it; a capture or a mode may", f.Name, v.Text)
			}
		}
	}
}

// reach returns for each type whether players of a faction can get it from a start: 0 is no faction.
func (rs *Ruleset) reach(faction uint8, start []StartEntry) []bool {
	has := make([]bool, len(rs.Types))
	for _, s := range start {
		has[s.Type] = true
	}
	for _, t := range rs.Landmarks {
		has[t] = true
	}
	for _, m := range rs.Modes {
		for _, t := range m.Triggers {
			for _, a := range t.Do {
				if a.Kind == ActionSpawn {
					has[a.Of] = true
				}
			}
		}
	}
	for more := true; more; {
		more = false
		for i := range rs.Types {
			for _, made := range slices.Concat(rs.Types[i].Trains, rs.Types[i].Builds) {
				if has[i] && !has[made] && rs.Makes(faction, made) && !slices.ContainsFunc(rs.Types[made].Needs, func(n uint16) bool { return !has[n] }) {
					has[made], more = true, true
				}
			}
		}
	}
	return has
}
