package rules

import "github.com/fogkeep/fogkeep/match/grid"

// Feature is the part of a structure type that changes the ground or is of use to units. The map places most features; they
// have no owner. A plain structure has the zero value.
type Feature struct {
	Breakable   bool // it takes harm without an owner
	Bridge      bool // units cross its tiles while it stands; without it, ground units cannot
	Flood       bool // water covers its tiles in its state 1: ships cross them then, and ground units before and after
	BlocksSight bool
	Moves       *Moves
	Pickup      *Pickup
	Switch      *Switch
	Mine        *Mine
}

// Moves says when a gate is open, a bridge raised, or ground flooded. One reason is enough.
type Moves struct {
	Near    grid.Dist // a unit of its owner's team is as near as this; 0: not for units
	EveryMs int32     // the length of a turn of its schedule; 0: no schedule
	ForMs   int32     // of each turn, the last part
	Linked  bool      // a switch with the same link is on
}

// Pickup is what the first unit on the tile gets.
type Pickup struct {
	Heal      int32
	Gives     Cost
	Effect    int16 // -1: no effect
	RespawnMs int32
}

// Switch is on while a unit stands near it, and for a time after that.
type Switch struct {
	Range  grid.Dist // from its edge to the unit
	HoldMs int32
}

// Mine goes off under the first foe on the ground that comes onto it and that its team sees. Other teams see it only
// where they detect.
type Mine struct {
	Weapon uint8 // its splash is that of the mine
	ArmMs  int32 // from its end of construction until it is armed
}

// Stateful reports whether features of the type have a state besides their health.
func (f *Feature) Stateful() bool {
	return f.Moves != nil || f.Pickup != nil || f.Switch != nil || f.Mine != nil
}

// Flat reports whether units cross the structure in each of its states.
func (f *Feature) Flat() bool { return f.Common() || f.Mine != nil }

// Common reports whether units of all teams use features of the type: they have no owner.
func (f *Feature) Common() bool { return f.Pickup != nil || f.Switch != nil }

// MapOnly reports whether only a map can place features of the type: all teams know of them from the start.
func (f *Feature) MapOnly() bool { return f.Bridge || f.Flood || f.BlocksSight }

// Any reports whether the type is more than a plain structure.
func (f *Feature) Any() bool { return *f != Feature{} }

// FeatureKind is the kind of a feature for clients, which draw it by that. The values equal those on the wire.
type FeatureKind uint8

// The kinds of features.
const (
	FeatureNone FeatureKind = iota
	FeatureObstacle
	FeatureBridge
	FeatureGate
	FeaturePickup
	FeatureSwitch
	FeatureMine
	FeatureFlood
)

// Kind returns the kind.
func (f *Feature) Kind() FeatureKind {
	switch {
	case f.Pickup != nil:
		return FeaturePickup
	case f.Switch != nil:
		return FeatureSwitch
	case f.Mine != nil:
		return FeatureMine
	case f.Bridge:
		return FeatureBridge
	case f.Flood:
		return FeatureFlood
	case f.Moves != nil:
		return FeatureGate
	case f.Any():
		return FeatureObstacle
	}
	return FeatureNone
}

// feature reads the feature of a structure type.
func (r *rulesReader) feature(n *node, t *Type, rs *Ruleset, effects, weapons []string) {
	f := &t.Feature
	f.Breakable, f.Bridge = r.boolean(n, "breakable", false), r.boolean(n, "bridge", false)
	f.Flood, f.BlocksSight = r.boolean(n, "flood", false), r.boolean(n, "blocks_sight", false)
	if v := r.get(n, "moves"); v != nil {
		f.Moves = &Moves{Near: r.tiles(v, "near", 0, 8), EveryMs: r.ms(v, "every", 0, 3_600_000), ForMs: r.ms(v, "for", 0, 3_600_000), Linked: r.boolean(v, "linked", false)}
		m := f.Moves
		if m.ForMs >= m.EveryMs && m.EveryMs+m.ForMs > 0 || m.EveryMs > 0 && m.ForMs == 0 {
			r.fail(v, `%q: "for" is a part of "every", and both are above 0`, t.Name)
		}
		if *m == (Moves{}) {
			r.fail(v, `%q: moves need "near", "every" or "linked"`, t.Name)
		}
		r.done(v, "moves")
	}
	if v := r.get(n, "pickup"); v != nil {
		f.Pickup = &Pickup{Heal: int32(r.whole(v, "heal", 0, 0, 1_000_000)), Gives: r.cost(v, "gives", rs), Effect: r.effectRef(v, effects), RespawnMs: r.ms(v, "respawn", 30_000, 3_600_000)}
		if f.Pickup.RespawnMs == 0 {
			r.fail(v, `%q: "respawn" is above 0`, t.Name)
		}
		t.Stock = 1 // it is there at the start
		r.done(v, "a pickup")
	}
	if v := r.get(n, "switch"); v != nil {
		f.Switch = &Switch{Range: r.tiles(v, "range", 1, 8), HoldMs: r.ms(v, "hold", 0, 600_000)}
		r.done(v, "a switch")
	}
	if v := r.get(n, "mine"); v != nil {
		f.Mine = &Mine{ArmMs: r.ms(v, "arm", 2000, 60_000)}
		r.need(v, "weapon")
		if i, ok := r.ref(v, "weapon", "weapon", weapons); ok {
			f.Mine.Weapon = uint8(i)
			if wp := &rs.Weapons[i]; wp.Splash == 0 || !wp.HitsGround {
				r.fail(v, "%q: the weapon of a mine hits the ground and has splash, %q does not", t.Name, wp.Name)
			}
		}
		r.done(v, "a mine")
	}
}

// checkFeature refuses features that contradict each other, or that would tell hidden things.
func (r *rulesReader) checkFeature(n *node, t *Type) {
	f := &t.Feature
	acts := len(t.Weapons)+len(t.Abilities)+len(t.Trains) > 0 || t.DropOff || t.Centre
	kinds := 0
	for _, is := range [...]bool{f.Flat(), f.Bridge, f.Flood, f.BlocksSight} {
		if is {
			kinds++
		}
	}
	switch {
	case !f.Any():
	case f.Pickup != nil && f.Switch != nil || f.Mine != nil && f.Common() || f.Moves != nil && (f.Flat() || f.BlocksSight) || kinds > 1:
		r.fail(n, "%q: a type is one of bridge, flood, blocks_sight, pickup, switch and mine, and only a bridge, a flood or a gate moves", t.Name)
	case f.Flood && (f.Moves == nil || f.Breakable):
		r.fail(n, `%q: a flood needs "moves", and is not breakable`, t.Name)
	case f.BlocksSight && (t.FootW != 1 || t.FootH != 1):
		r.fail(n, "%q: only a structure of one tile blocks sight", t.Name)
	case acts && (f.Stateful() || f.Bridge || f.BlocksSight):
		r.fail(n, "%q: such a feature has no weapons, abilities or products, and is no centre or drop_off", t.Name)
	case t.Relevance == RelevantAlways || t.CaptureMs > 0 && (f.Stateful() || f.Bridge):
		r.fail(n, "%q: a feature is not always relevant, and a bridge or one with a state cannot be captured", t.Name)
	}
}

// checkBuilt refuses features that only a map can place.
func (r *rulesReader) checkBuilt(v *node, t, built *Type) {
	if f := &built.Feature; f.MapOnly() || f.Common() {
		r.fail(v, "%q builds %q, which only a map can place", t.Name, built.Name)
	}
}
