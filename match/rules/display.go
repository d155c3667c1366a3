package rules

import (
	"slices"
	"strconv"
	"strings"
)

// Display says how clients show an attribute of units and structures: health, shield, energy or a declared value. It
// changes nothing of what a client receives.
type Display struct {
	Of    string
	Bar   string // when its bar is over the entity, see displayBars; "": it has no bar
	Color uint32 // of its bars, 0xRRGGBB; 0: the usual one
	Icon  string // of its row in the panel of a selected entity; "": it has no row
	Loss  uint32 // colour of the numbers that rise as it falls; 0: there are none
	Gain  uint32 // the same as it grows
}

// The choices of displays, sorted.
var (
	displayOf    = []string{"energy", "health", "shield"}
	displayBars  = []string{"always", "marked", "setting"}
	displayIcons = []string{"bolt", "drop", "flame", "heart", "shield", "skull", "star", "sword"}
)

// displays reads how the ruleset's attributes are shown.
func (r *rulesReader) displays(root *node, rs *Ruleset) {
	of := slices.Clone(displayOf)
	for i := range rs.Values {
		of = append(of, rs.Values[i].Name)
	}
	for _, n := range r.list(root, "displays", len(displayOf)+ValuesMax) {
		r.need(n, "of")
		i, ok := r.ref(n, "of", "shown attribute", of)
		d := Display{Color: r.color(n, "color"), Loss: r.color(n, "loss"), Gain: r.color(n, "gain")}
		if ok {
			d.Of = of[i]
		}
		if slices.ContainsFunc(rs.Displays, func(x Display) bool { return x.Of == d.Of }) {
			r.fail(r.get(n, "of"), "%q appears twice", d.Of)
		}
		if i, ok := r.ref(n, "bar", "time of a bar", displayBars); ok {
			d.Bar = displayBars[i]
		}
		if i, ok := r.ref(n, "icon", "icon", displayIcons); ok {
			d.Icon = displayIcons[i]
		}
		r.done(n, "a display")
		rs.Displays = append(rs.Displays, d)
	}
}

// color reads a colour as 0xRRGGBB, 0 without one. Black is no colour.
func (r *rulesReader) color(n *node, key string) uint32 {
	text := r.words(n, key, len("#RRGGBB"))
	if text == "" {
		return 0
	}
	hex, hash := strings.CutPrefix(text, "#")
	color, err := strconv.ParseUint(hex, 16, 24)
	if err != nil || !hash || len(hex) != 6 {
		r.fail(r.get(n, key), "want a colour as #RRGGBB, got %q", cut(text))
	}
	return uint32(color)
}
