package rules

import (
	"slices"
)

// Bounds of factions.
const (
	FactionsMax    = 16
	factionTextMax = 200 // bytes
)

// Faction is a side that a player chooses: it begins with other things, and makes other types.
type Faction struct {
	Name  string
	Text  string // tells players about it
	Color uint32 // 0xRRGGBB, for lists; 0: the faction has no colour
	Start []StartEntry
	Makes []bool // by type number: its players may train or build the type
}

// FactionByName returns the number of a faction, 1 and up; 0: there is no faction of the name.
func (rs *Ruleset) FactionByName(name string) uint8 {
	return uint8(1 + slices.IndexFunc(rs.Factions, func(f Faction) bool { return f.Name == name }))
}

// StartOf returns the start of a faction's players. 0 is no faction: the start of the ruleset.
func (rs *Ruleset) StartOf(faction uint8) []StartEntry {
	if faction == 0 {
		return rs.Start
	}
	return rs.Factions[faction-1].Start
}

// Makes reports whether players of a faction may train or build a type; 0 is no faction, which makes all types.
func (rs *Ruleset) Makes(faction uint8, typ uint16) bool {
	return faction == 0 || rs.Factions[faction-1].Makes[typ]
}

// factions reads the factions of a ruleset, after its types and its start.
func (r *rulesReader) factions(root *node, rs *Ruleset, types, abilities []string) {
	list := r.list(root, "factions", FactionsMax)
	r.namesOf(list)
	for _, n := range list {
		f := Faction{Name: r.modeName(n, "name"), Start: rs.Start, Makes: make([]bool, len(rs.Types))}
		f.Text = r.words(n, "text", factionTextMax)
		f.Color = r.color(n, "color")
		if r.get(n, "start") != nil {
			f.Start = r.start(n, rs, types, abilities)
		}
		for class, key := range map[Class]string{ClassStructure: "builds", ClassUnit: "trains"} {
			all := r.get(n, key) == nil
			for i := range rs.Types {
				f.Makes[i] = f.Makes[i] || all && (rs.Types[i].Class == class || key == "trains" && rs.Types[i].Class == ClassUpgrade)
			}
			for _, t := range r.refs(n, key, TypesMax, "type", types) {
				f.Makes[t] = true
			}
			r.each(n, key, types, func(v *node, t int) {
				if c := rs.Types[t].Class; c != class && (key != "trains" || c != ClassUpgrade) {
					r.fail(v, "%q %s %q, which is no %s", f.Name, key, rs.Types[t].Name, class)
				}
			})
		}
		r.done(n, "a faction")
		rs.Factions = append(rs.Factions, f)
	}
}

// words reads a text that may be absent.
func (r *rulesReader) words(n *node, key string, most int) string {
	v := r.get(n, key)
	r.see(field{in: n, name: key, form: "text", hi: int64(most)})
	switch {
	case v == nil:
		return ""
	case v.Kind != 's' || v.Text == "":
		r.fail(v, "want a text, got %s", v.Got())
	case len(v.Text) > most:
		r.fail(v, "a text of %d bytes, at most %d", len(v.Text), most)
	}
	return v.Text
}
