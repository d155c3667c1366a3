package rules

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/internal/strictjson"
	"github.com/fogkeep/fogkeep/match/grid"
)

// RulesBytesMax bounds the file of a ruleset.
const RulesBytesMax = 1 << 20

// Parse reads a ruleset. name is the file's name, for errors. The error is [*Problems].
func Parse(name string, b []byte) (*Ruleset, error) {
	rs, r := read(b)
	return rs, refusal(name, r.broken)
}

// Check reads a ruleset as [Parse] does, for use in new matches: it also refuses values
// that can be read and can never work. Journals of matches that began with such a ruleset
// are read all the same. odd lists the oddities of an accepted ruleset.
func Check(name string, b []byte) (rs *Ruleset, odd []Problem, err error) {
	rs, r := read(b)
	if err := refusal(name, slices.Concat(r.broken, r.senseless)); err != nil {
		return nil, nil, err
	}
	return rs, r.odd, nil
}

func refusal(name string, list []Problem) error {
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return &Problems{name, list}
}

// read reads a ruleset as far as it can be read. It is nil if something is broken.
func read(b []byte) (*Ruleset, *rulesReader) {
	r := &rulesReader{}
	return r.ruleset(b), r
}

func (r *rulesReader) ruleset(b []byte) *Ruleset {
	if len(b) > RulesBytesMax {
		r.broken = []Problem{{Line: 1, Why: fmt.Sprintf("%d bytes, at most %d", len(b), RulesBytesMax)}}
		return nil
	}
	root, problems := strictjson.Parse(b, levelsMax, problemsMax)
	if r.broken = problems; root == nil {
		return nil
	}
	for _, kid := range root.Kids {
		if kid.Name == "extends" {
			r.fail(kid, "a ruleset that extends another is a part of a pack: check the whole pack, by fogkeep pack check FOLDER")
			return nil
		}
	}
	rs := &Ruleset{Hash: sha256.Sum256(b), Source: append([]byte(nil), b...)}
	rs.Name = r.str(root, "name")
	rs.Resources = r.names(root, "resources", ResourceKindsMax)
	rs.Armours = r.names(root, "armours", 16)
	rs.Sounds = r.names(root, "sounds", SoundsMax)
	rs.Signatures = r.names(root, "signatures", signaturesMax)
	r.scripts(root, rs)
	types := r.list(root, "types", TypesMax)
	typeNames := r.namesOf(types)
	weapons := r.list(root, "weapons", WeaponsMax)
	weaponNames := r.namesOf(weapons)
	abilities := r.list(root, "abilities", AbilitiesMax)
	abilityNames := r.namesOf(abilities)
	effects := r.list(root, "effects", EffectsMax)
	effectNames := r.namesOf(effects)
	values := r.list(root, "values", ValuesMax)
	names := &listed{typeNames, weaponNames, effectNames, rs.Sounds, r.namesOf(values)}
	for _, n := range effects {
		rs.Effects = append(rs.Effects, r.effect(n, rs))
	}
	for _, n := range weapons {
		rs.Weapons = append(rs.Weapons, r.weapon(n, rs, names))
	}
	for _, n := range abilities {
		rs.Abilities = append(rs.Abilities, r.ability(n, rs, names))
	}
	for _, n := range values {
		rs.Values = append(rs.Values, r.value(n, effectNames))
	}
	r.displays(root, rs)
	for _, n := range types {
		rs.Types = append(rs.Types, r.unitType(n, rs, typeNames, weaponNames, abilityNames, effectNames))
	}
	r.settings(root, rs)
	r.modes(root, rs, typeNames)
	rs.Start = r.start(root, rs, typeNames, abilityNames)
	r.factions(root, rs, typeNames, abilityNames)
	rs.Landmarks = r.refs(root, "landmarks", 16, "type", typeNames)
	r.each(root, "landmarks", typeNames, func(v *node, t int) {
		if lt := &rs.Types[t]; lt.Class != ClassStructure || len(lt.Weapons)+len(lt.Abilities) > 0 {
			r.fail(v, "%q is no structure, or has weapons or abilities", lt.Name)
		} else if lt.Feature.MapOnly() || lt.Feature.Mine != nil {
			r.fail(v, "only a map can place %q", lt.Name)
		}
	})
	rs.Places = r.refs(root, "places", 16, "type", typeNames)
	r.each(root, "places", typeNames, func(v *node, t int) {
		if rs.Types[t].Class != ClassResource {
			r.fail(v, "%q is no resource", rs.Types[t].Name)
		}
	})
	r.done(root, "a ruleset")
	if len(rs.Types) == 0 {
		r.fail(root, "a ruleset needs types")
	}
	r.cross(types, weapons, rs, typeNames)
	r.areas(abilities, rs)
	r.standing(effects, rs)
	if len(r.broken) > 0 {
		return nil
	}
	r.sense(root, types, abilities, rs)
	return rs
}

// each visits the members of a list of names that are known.
func (r *rulesReader) each(n *node, key string, names []string, visit func(v *node, i int)) {
	if v := r.get(n, key); v != nil && v.Kind == '[' && !v.Bad {
		for _, kid := range v.Kids {
			if i := slices.Index(names, kid.Text); i >= 0 && !kid.Bad {
				visit(kid, i)
			}
		}
	}
}

// cross makes the checks that need the whole ruleset.
func (r *rulesReader) cross(types, weapons []*node, rs *Ruleset, names []string) {
	for i := range rs.Weapons {
		w := &rs.Weapons[i]
		if w.Speed > 0 && rs.Types[w.Look].Class != ClassProjectile {
			r.fail(weapons[i], "weapon %q: %q is no projectile type", w.Name, rs.Types[w.Look].Name)
		}
		if w.Splits > 0 {
			if into := &rs.Weapons[w.SplitInto]; into.Speed == 0 || into.Splits > 0 {
				r.fail(weapons[i], "weapon %q: it splits into shots of %q, which have no projectile or split themselves", w.Name, into.Name)
			}
		}
		if w.Alternate >= 0 && rs.Weapons[w.Alternate].Alternate >= 0 {
			r.fail(r.get(weapons[i], "alternate"), "weapon %q: its alternate fire %q has an alternate fire itself", w.Name, rs.Weapons[w.Alternate].Name)
		}
	}
	for i := range rs.Types {
		t := &rs.Types[i]
		r.each(types[i], "trains", names, func(v *node, p int) {
			if c := rs.Types[p].Class; c != ClassUnit && (c != ClassUpgrade || t.Class != ClassStructure) {
				r.fail(v, "%q trains %q, which is no unit, nor an upgrade that a structure makes", t.Name, rs.Types[p].Name)
			}
		})
		r.upgraded(types[i], rs, names)
		r.salvaged(types[i], rs, t, names)
		r.carried(types[i], rs, t, names)
		r.each(types[i], "builds", names, func(v *node, p int) {
			if rs.Types[p].Class != ClassStructure {
				r.fail(v, "%q builds %q, which is no structure", t.Name, rs.Types[p].Name)
			}
			r.checkBuilt(v, t, &rs.Types[p])
		})
	}
}

func (r *rulesReader) names(n *node, key string, most int) []string {
	var out []string
	for _, v := range r.list(n, key, most) {
		if v.Kind != 's' || v.Text == "" {
			r.fail(v, "want a text, got %s", v.Got())
			continue
		}
		if slices.Contains(out, v.Text) {
			r.fail(v, "%q appears twice", cut(v.Text))
		}
		r.plain(v)
		out = append(out, v.Text)
	}
	return out
}

// namesOf collects the "name" of each member, which must differ.
func (r *rulesReader) namesOf(list []*node) []string {
	var out []string
	for _, n := range list {
		name := r.str(n, "name")
		if name != "" && slices.Contains(out, name) {
			r.fail(r.get(n, "name"), "%q appears twice", cut(name))
		}
		out = append(out, name)
	}
	return out
}

func (r *rulesReader) refs(n *node, key string, most int, subject string, names []string) []uint16 {
	var out []uint16
	for _, v := range r.list(n, key, most) {
		if i := r.oneOf(v, subject, names); !v.Bad {
			out = append(out, uint16(i))
		}
	}
	return out
}

func (r *rulesReader) refs8(n *node, key string, most int, subject string, names []string) []uint8 {
	var out []uint8
	for _, v := range r.refs(n, key, most, subject, names) {
		out = append(out, uint8(v))
	}
	return out
}

// tiles reads a length given in tiles, as world units.
func (r *rulesReader) tiles(n *node, key string, def, hi int64) grid.Dist {
	return grid.Dist(r.milli(n, key, def*1000, 0, hi*1000) * grid.WUPerTile / 1000)
}

// ms reads a time given in seconds. The default, the bound and the result are in milliseconds.
func (r *rulesReader) ms(n *node, key string, defMs, hiMs int64) int32 {
	return int32(r.milli(n, key, defMs, 0, hiMs))
}

// halfTiles reads a radius of sight given in tiles, as half tiles.
func (r *rulesReader) halfTiles(n *node, key string) uint8 {
	m := r.number(n, key, 0, 0, 32_000, 500)
	if m%500 != 0 {
		r.fail(r.get(n, key), "want a multiple of half a tile, got %s", r.get(n, key).Got())
	}
	return uint8(m / 500)
}

func (r *rulesReader) cost(n *node, key string, rs *Ruleset) Cost {
	var c Cost
	v := r.get(n, key)
	r.see(field{in: n, name: key, form: "amounts", hi: 1_000_000_000})
	if v == nil {
		return c
	}
	for i, name := range rs.Resources {
		c[i] = int32(r.whole(v, name, 0, 0, 1_000_000))
	}
	r.done(v, key)
	return c
}

// effectRef reads the name of an effect, -1 without one.
func (r *rulesReader) effectRef(n *node, effects []string) int16 {
	if i, ok := r.ref(n, "effect", "effect", effects); ok {
		return int16(i)
	}
	return -1
}

func (r *rulesReader) effect(n *node, rs *Ruleset) Effect {
	e := Effect{Name: r.str(n, "name"), DurationMs: r.ms(n, "duration", 0, 600_000)}
	e.Kind = EffectKind(r.kindOf(n, "kind of effect", effectKindNames))
	e.KindName = e.Kind.String()
	switch e.Kind {
	case EffectDamage:
		e.Strength = int32(r.whole(n, "damage", 1, 1, 1_000_000))
		e.EveryMs = r.ms(n, "every", 500, 60_000)
	case EffectModify:
		r.modifies(n, &e)
	case EffectScript:
		r.effectScript(n, rs, &e)
	default:
		e.Strength = int32(r.whole(n, "percent", 50, 1, 100))
		of := AttributeArmour
		if e.Kind == EffectSlow {
			of = AttributeSpeed
		}
		e.Changes = []AttributeChange{{Attribute: of, CapPercent: e.Strength}}
	}
	if e.Kind != EffectModify {
		r.need(n, "duration")
	}
	r.done(n, "an effect of kind "+e.KindName)
	return e
}

func (r *rulesReader) weapon(n *node, rs *Ruleset, names *listed) Weapon {
	w := Weapon{
		Name:       r.str(n, "name"),
		Range:      r.tiles(n, "range", 0, 64),
		MinRange:   r.tiles(n, "min_range", 0, 64),
		CooldownMs: r.ms(n, "cooldown", 1000, 600_000),
		WindUpMs:   r.ms(n, "wind_up", 0, 60_000),
		Damage:     int32(r.whole(n, "damage", 0, 0, 1_000_000)),
		Splash:     r.tiles(n, "splash", 0, 16),
		SplashEdge: int32(r.whole(n, "splash_edge", 50, 0, 100)),
		HitsGround: r.boolean(n, "hits_ground", true),
		HitsAir:    r.boolean(n, "hits_air", false),
		AtGround:   r.boolean(n, "at_ground", false),
	}
	for range rs.Armours {
		w.Versus = append(w.Versus, 100)
	}
	r.see(field{in: n, name: "versus", form: "amounts", def: 100_000, hi: 1_000_000})
	if v := r.get(n, "versus"); v != nil {
		for i, a := range rs.Armours {
			w.Versus[i] = int32(r.whole(v, a, 100, 0, 1000))
		}
		r.done(v, "versus")
	}
	if v := r.get(n, "projectile"); v != nil {
		w.Speed = int32(r.milli(v, "speed", 0, 100, 200_000) * grid.WUPerTile / 1000)
		w.Homing = r.boolean(v, "homing", false)
		look, ok := r.ref(v, "type", "type", names.types)
		if w.Look = uint16(look); !ok {
			w.Speed = 0 // there is no type to hold it to
		}
		r.need(v, "type")
		r.need(v, "speed")
		r.manyHits(v, &w, names.weapons)
		r.done(v, "a projectile")
	}
	w.Effect = r.effectRef(n, names.effects)
	w.Sound = r.sound(n, rs.Sounds)
	r.fireModes(n, &w, names.weapons)
	if w.MinRange > w.Range {
		r.fail(n, "weapon %q: min_range is beyond range", w.Name)
	}
	r.done(n, "a weapon")
	return w
}

func (r *rulesReader) ability(n *node, rs *Ruleset, names *listed) Ability {
	a := Ability{
		Name:       r.str(n, "name"),
		CooldownMs: r.ms(n, "cooldown", 0, 3_600_000),
		DurationMs: r.ms(n, "duration", 0, 3_600_000),
		Energy:     int32(r.milli(n, "energy", 0, 0, 1_000_000)),
		Drain:      int32(r.milli(n, "drain", 0, 0, 1_000_000)),
		Range:      r.tiles(n, "range", 0, 1024),
		Radius:     r.tiles(n, "radius", 0, 32),
		Percent:    100, Weapon: -1, Effect: -1, Look: -1,
	}
	a.Spends = r.spends(n, names.values)
	a.Sound = r.sound(n, names.sounds)
	a.Kind = AbilityKinds[r.kindOf(n, "kind of ability", AbilityKinds)]
	a.Needs = r.refs(n, "needs", 16, "type", names.types)
	if i, ok := r.ref(n, "targets", "targets", targetNames); ok {
		a.Targets = Targets(1 + i)
	}
	subject := fmt.Sprintf("ability %q", a.Name)
	aimed := a.Kind == "apply"
	if a.Kind == "script" {
		a.Script = r.abilityScript(n, rs)
		aimed = a.Script.Aim == 1
	} else {
		r.shippedAbility(n, &a, names)
		if a.Kind == "area" {
			aimed = true
			r.need(n, "look")
			if i, ok := r.ref(n, "look", "type", names.types); ok {
				a.Look = int16(i)
			}
		}
		if aimed != (r.get(n, "effect") != nil) && !n.Bad {
			r.fail(n, "%s: abilities of kinds apply and area have an effect, others must not have one", subject)
		}
	}
	switch present := r.get(n, "targets") != nil; {
	case aimed == present || n.Bad:
	case a.Kind == "script":
		r.fail(n, `%s: "targets" go with the aim "unit"`, subject)
	default:
		r.fail(n, "%s: abilities of kinds apply and area have targets, others must not have any", subject)
	}
	r.done(n, "an ability of kind "+a.Kind)
	return a
}

// kindOf reads an entry's kind, and returns its place among the kinds.
func (r *rulesReader) kindOf(n *node, subject string, kinds []string) int {
	v := r.get(n, "kind")
	if v == nil {
		r.need(n, "kind")
		return 0
	}
	i := r.oneOf(v, subject, kinds)
	n.Bad = n.Bad || v.Bad
	return i
}

// listed are the names that a ruleset's entries may use.
type listed struct{ types, weapons, effects, sounds, values []string }

// shippedAbility reads the fields that the shipped kinds share.
func (r *rulesReader) shippedAbility(n *node, a *Ability, names *listed) {
	a.Sight = r.halfTiles(n, "sight")
	a.Damage = int32(r.whole(n, "damage", 0, 0, 1_000_000))
	a.EveryMs = r.ms(n, "every", 500, 60_000)
	a.Percent = int32(r.whole(n, "percent", 100, 0, 1000))
	a.Threshold = int32(r.whole(n, "threshold", 0, 0, 100))
	a.Detect = r.boolean(n, "detect", false)
	if i, ok := r.ref(n, "weapon", "weapon", names.weapons); ok {
		a.Weapon = int16(i)
	}
	a.Effect = r.effectRef(n, names.effects)
}

func (r *rulesReader) unitType(n *node, rs *Ruleset, types, weapons, abilities, effects []string) Type {
	t := Type{Name: r.str(n, "name")}
	if v := r.get(n, "class"); v != nil {
		t.Class = Class(r.oneOf(v, "class", classNames))
	}
	t.Priority = uint8(r.whole(n, "priority", 100, 0, 255))
	switch t.Class {
	case ClassProjectile:
		r.done(n, "a projectile type")
		return t
	case ClassUpgrade:
		r.upgrade(n, rs, &t, types)
		return t
	case ClassResource:
		t.FootW, t.FootH = 1, 1
		t.Stock = int32(r.whole(n, "stock", 1000, 1, 1_000_000_000))
		if v := r.get(n, "resource"); v != nil {
			t.Resource = uint8(r.oneOf(v, "resource", rs.Resources))
		}
		r.need(n, "resource")
		r.done(n, "a resource type")
		return t
	case ClassUnit:
		if v := r.get(n, "movement"); v != nil {
			t.Move = grid.MoveKind(r.oneOf(v, "movement", []string{"ground", "hover", "naval", "air"}))
		}
		t.Radius = max(1, min(radiusMax, r.tiles(n, "radius", 0, 1)))
		t.Speed = int32(r.milli(n, "speed", 0, 0, 50_000) * grid.WUPerTile / 1000)
		t.Turn = int32(r.whole(n, "turn", 256, 1, 65536))
		t.Mobile = t.Speed > 0
		t.Sound = r.sound(n, rs.Sounds)
	case ClassStructure:
		t.FootW = int8(r.whole(n, "width", 1, 1, 8))
		t.FootH = int8(r.whole(n, "height", 1, 1, 8))
		t.Turn = 256
		t.Centre, t.Shore = r.boolean(n, "centre", false), r.boolean(n, "shore", false)
		r.feature(n, &t, rs, effects, weapons)
	}
	t.Health = int32(r.whole(n, "health", 1, 1, 10_000_000))
	if v := r.get(n, "armour"); v != nil {
		t.Armour = uint8(r.oneOf(v, "armour", rs.Armours))
	}
	if v := r.get(n, "shield"); v != nil {
		t.Shield = Shield{
			Max: int32(r.whole(v, "max", 1, 1, 1_000_000)), Regen: int32(r.milli(v, "regen", 0, 0, 1_000_000)), DelayMs: r.ms(v, "delay", 0, 600_000),
		}
		r.done(v, "a shield")
	}
	t.Sight, t.Detect = r.halfTiles(n, "sight"), r.halfTiles(n, "detect")
	t.LevelBonus = uint8(r.whole(n, "level_bonus", 0, 0, grid.LevelsMax))
	t.Cost = r.cost(n, "cost", rs)
	t.BuildMs = r.ms(n, "build", 0, 3_600_000)
	t.Pop = int32(r.whole(n, "pop", 0, 0, 1000))
	t.PopGives = int32(r.whole(n, "pop_gives", 0, 0, 100_000))
	t.Weapons = r.refs8(n, "weapons", UnitWeaponsMax, "weapon", weapons)
	t.Abilities = r.refs8(n, "abilities", UnitAbilitiesMax, "ability", abilities)
	if v := r.get(n, "energy"); v != nil {
		t.EnergyMax = int32(r.milli(v, "max", 0, 0, 1_000_000))
		t.EnergyStart = int32(r.milli(v, "start", 0, 0, int64(t.EnergyMax)))
		t.EnergyRegen = int32(r.milli(v, "regen", 0, 0, 1_000_000))
		r.done(v, "energy")
	}
	t.Trains = r.refs(n, "trains", TypesMax, "type", types)
	t.Builds = r.refs(n, "builds", TypesMax, "type", types)
	t.Needs = r.refs(n, "needs", 16, "type", types)
	if v := r.get(n, "harvest"); v != nil {
		t.Carry = int32(r.whole(v, "carry", 1, 1, 1_000_000))
		t.HarvestMs = max(1, r.ms(v, "time", 3000, 600_000))
		r.done(v, "harvest")
	}
	t.DropOff = r.boolean(n, "drop_off", false)
	t.Threat = uint8(r.whole(n, "threat", 1, 0, 255))
	t.Score = int32(r.whole(n, "score", 0, 0, 1_000_000))
	t.Cloaked = r.boolean(n, "cloaked", false)
	if v := r.get(n, "relevant"); v != nil {
		t.Relevance = Relevance(r.oneOf(v, "relevance", relevanceNames))
	}
	for _, v := range r.list(n, "tells", len(TellableValues)) {
		if i := r.oneOf(v, "value", TellableValues); !v.Bad {
			t.Tells = append(t.Tells, TellableValues[i])
		}
	}
	t.Captures = t.Class == ClassUnit && r.boolean(n, "captures", false)
	if v := r.get(n, "capture"); v != nil {
		t.CaptureMs = max(1, r.ms(v, "time", 10_000, 600_000))
		t.CaptureRange = r.tiles(v, "range", 2, 8)
		r.done(v, "capture")
	}
	t.Wreck, t.Transport = r.wreck(n, types), r.transport(n, types)
	if t.Class == ClassUnit {
		t.Repairs, t.Slots = r.repairs(n, types), int32(r.whole(n, "slots", 1, 1, TransportSlotsMax))
	}
	r.relevance(n, &t)
	r.radar(n, &t, rs.Signatures)
	r.typeValues(n, rs, &t)
	r.checkFeature(n, &t)
	r.done(n, "a "+t.Class.String()+" type")
	return t
}

// relevance refuses types that would reveal hidden things: all teams learn of an always
// relevant type, so it must stand still and must not act.
func (r *rulesReader) relevance(n *node, t *Type) {
	switch {
	case t.Relevance == RelevantAlways && (t.Class != ClassStructure || len(t.Weapons)+len(t.Abilities) > 0):
		r.fail(n, "%q: only a structure without weapons and abilities can be always relevant", t.Name)
	case t.Relevance == RelevantToOwner && t.Class != ClassUnit:
		r.fail(n, "%q: only a unit can be relevant to its owner alone", t.Name)
	case t.Relevance != RelevantAlways && t.Tells != nil:
		r.fail(n, `%q: only types that are always relevant have "tells"`, t.Name)
	case t.Relevance == RelevantToOwner && t.Sound.Radius > 0:
		r.fail(n, "%q: a unit that is relevant to its owner alone makes no sound", t.Name)
	case t.CaptureMs > 0 && t.Class != ClassStructure:
		r.fail(n, "%q: only a structure can be captured", t.Name)
	}
}

func (r *rulesReader) settings(root *node, rs *Ruleset) {
	n := r.get(root, "settings")
	if n == nil {
		n = &node{Kind: '{', Line: root.Line}
	}
	rs.Settings = Settings{
		OrdersPerSecond: int32(r.whole(n, "orders_per_second", 20, 1, 10_000)),
		OrderBurst:      int32(r.whole(n, "order_burst", 40, 1, 10_000)),
		StartStock:      r.cost(n, "start_stock", rs),
		PopMax:          int32(r.whole(n, "pop_max", 200, 1, 100_000)),
		HighGround:      int32(r.whole(n, "uphill_damage", 100, 0, 100)),
		RevealOnFireMs:  r.ms(n, "reveal_on_fire", 0, 60_000),
		DyingSightMs:    r.ms(n, "dying_sight", 0, 60_000),
		RepathMs:        r.ms(n, "repath", 1000, 60_000),
		GiveUpMs:        r.ms(n, "give_up", 8000, 600_000),
		RefundPercent:   int32(r.whole(n, "refund_percent", 100, 0, 100)),
		FriendlyFire:    r.boolean(n, "friendly_fire", false),
		HandOver:        r.boolean(n, "hand_over", true),
		LagMaxMs:        r.ms(n, "lag_max", 150, 1000),
		HarvestRange:    r.tiles(n, "harvest_range", 1, 8),
		BuildRange:      r.tiles(n, "build_range", 1, 8),
		AcquireMs:       r.ms(n, "acquire", 200, 10_000),
		LeashRange:      r.tiles(n, "leash", 8, 64),
		AssistMs:        r.ms(n, "assist", 0, 60_000),
		AssistScore:     int32(r.whole(n, "assist_score", 0, 0, 100)),
		RadarSweepMs:    r.ms(n, "radar_sweep", 1000, 60_000),
		RadarKeepMs:     r.ms(n, "radar_keep", 5000, 60_000),
	}
	if v := r.get(n, "flush"); v != nil {
		r.oneOf(v, "flush", []string{"tick"})
		rs.Settings.FlushTick = true
	}
	r.done(n, "settings")
}

func (r *rulesReader) start(of *node, rs *Ruleset, types, abilities []string) (out []StartEntry) {
	for _, n := range r.list(of, "start", TypesMax) {
		e := StartEntry{Count: int32(r.whole(n, "count", 1, 1, 10_000))}
		i, ok := r.ref(n, "type", "type", types)
		e.Type = uint16(i)
		r.need(n, "type")
		e.Grant = r.refs8(n, "grant", UnitAbilitiesMax, "ability", abilities)
		e.Deny = r.refs8(n, "deny", UnitAbilitiesMax, "ability", abilities)
		r.done(n, "an entry of start")
		if ok && rs.Types[e.Type].Class > ClassStructure {
			r.fail(n, "%q is neither unit nor structure", rs.Types[e.Type].Name)
		} else if ok && (rs.Types[e.Type].Feature.MapOnly() || rs.Types[e.Type].Feature.Common()) {
			r.fail(n, "only a map can place %q", rs.Types[e.Type].Name)
		}
		for _, a := range slices.Concat(e.Grant, e.Deny) {
			if ok && !slices.Contains(rs.Types[e.Type].Abilities, a) {
				r.fail(n, "%q has no ability %q", rs.Types[e.Type].Name, rs.Abilities[a].Name)
			}
		}
		out = append(out, e)
	}
	return out
}
