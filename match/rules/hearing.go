package rules

import "github.com/fogkeep/fogkeep/match/grid"

// SoundsMax bounds the classes of sounds.
const SoundsMax = 16

// soundRadiusMax is the widest radius of a sound, in tiles.
const soundRadiusMax = 64

// Sound is a sound that teams hear without sight of its source. They receive its class and
// a coarse place.
type Sound struct {
	Class  uint8     // index into Ruleset.Sounds
	Radius grid.Dist // a sound without a radius is not heard
}

// sound reads the sound of a weapon, an ability or a unit type.
func (r *rulesReader) sound(n *node, classes []string) (s Sound) {
	v := r.get(n, "sound")
	if v == nil {
		return s
	}
	if i, ok := r.ref(v, "class", "class of sounds", classes); ok {
		s.Class = uint8(i)
	}
	s.Radius = grid.Dist(r.milli(v, "radius", 1000, 1000, soundRadiusMax*1000) * grid.WUPerTile / 1000)
	r.need(v, "class")
	r.need(v, "radius")
	r.done(v, "a sound")
	return s
}
