package sim

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// AbilityKind is a kind of ability that another module adds. Its entries in a ruleset
// have name, kind, cooldown, duration, energy, drain, range, radius, needs and, if they
// are aimed at units, targets, with the same meaning as in fogkeep's own kinds; and the
// fields that Params declares.
//
// Fogkeep alone judges whether to carry out an order, from these fields and from the
// team's knowledge. It calls the functions later, once per tick in which the ability
// acts, after all units have moved. They must be pure functions of the values that the
// [UnitWorld] shows them: no clock, no random numbers but [UnitWorld.Rand], no order of a
// Go map, no goroutines, no floats, no variables that change. Otherwise a recovered match
// differs from the played match. A panic ends this match and no other. Functions may be
// nil.
type AbilityKind struct {
	Aim     orders.TargetMode // the target mode of its orders
	Lasting bool              // without a duration it runs until an order stops it
	Rooted  bool              // its unit cannot walk while it runs
	Passive bool              // no order starts it; Ready does. Its Aim is AimNone
	Params  []rules.Param
	Values  []rules.Value // that types with such an ability have, as if the ruleset had declared them
	// Check returns an entry's fault beyond its fields, or nil. A [rules.FieldError] names
	// the field. Parsing a ruleset calls it.
	Check func(p rules.Params) error
	// Ready reports whether a passive one starts. It is called each tick in which the
	// ability does not run, has cooled down and can be paid.
	Ready func(w UnitWorld) bool
	Start func(w UnitWorld)
	// Tick is called in each tick in which it runs, after that in which it started.
	Tick func(w UnitWorld)
	// Stop is called as it ends, by itself or by order. It is not called if it ends as
	// it starts, or if its unit dies.
	Stop func(w UnitWorld)
}

// EffectKind is a kind of effect on units that another module adds. Its entries in a
// ruleset have name, kind, duration and every, and the fields that Params declares. Its
// functions follow the rules of [AbilityKind].
type EffectKind struct {
	Params []rules.Param
	Check  func(p rules.Params) error
	// Modify returns the changes to units for as long as they have the effect. It is a
	// function of the entry alone. nil: no changes.
	Modify func(p rules.Params) Modifiers
	// Stacks is how often one player can put it on a unit; 0 is 1. Each time it is
	// renewed, and up to Stacks it counts once more.
	Stacks uint8
	Begin  func(w UnitWorld)
	Tick   func(w UnitWorld) // each "every" of its entry
	End    func(w UnitWorld) // not if its unit dies
}

// StacksMax is the highest [EffectKind.Stacks].
const StacksMax = 100

// Modifiers are an effect's changes to a unit. Several effects add up, and so does an
// effect that counts several times. The zero value is no change.
type Modifiers struct {
	Speed int32 // percent: -30 makes it walk at 70 percent of its speed
	Dealt int32 // percent of the damage of its weapons
	Taken int32 // percent of the damage that it takes
	Regen int32 // health a second; not below 0
}

// Bounds of modifiers.
const (
	ModifierMax = 1000 // percent, of one effect, above and below 0
	regenMax    = 1_000_000
)

// changes returns the modifiers as changes to attributes.
func (m Modifiers) changes() (out []rules.AttributeChange) {
	for _, c := range []rules.AttributeChange{{Attribute: rules.AttributeSpeed, Percent: m.Speed}, {Attribute: rules.AttributeDamage, Percent: m.Dealt}, {Attribute: rules.AttributeArmour, Percent: m.Taken}} {
		if c.Percent != 0 {
			out = append(out, c)
		}
	}
	return out
}

func (m Modifiers) check() error {
	for _, v := range []int32{m.Speed, m.Dealt, m.Taken} {
		if v < -ModifierMax || v > ModifierMax {
			return fmt.Errorf("it changes something by %d percent, at most %d", v, ModifierMax)
		}
	}
	if m.Regen < 0 || m.Regen > regenMax {
		return fmt.Errorf("it restores %d health per second, want 0 to %d", m.Regen, regenMax)
	}
	return nil
}

// RegisterAbility adds a kind of ability, which rulesets name by name: 1 to 32 of a-z,
// 0-9 and hyphens. version is above 0. It must change with everything that makes the
// kind do something else: journals name it, and a match is continued by the same version
// only.
//
// Call it in init, or at the start of main. It panics if the name is taken, if something
// of this is not so, or if a ruleset has named a registered kind before.
func RegisterAbility(name string, version uint32, k AbilityKind) {
	err := error(nil)
	switch {
	case k.Aim > orders.AimGround:
		err = fmt.Errorf("it is aimed at %d", k.Aim)
	case k.Passive && (k.Aim != orders.AimNone || k.Ready == nil):
		err = errors.New("a passive one has Ready, and has no target")
	case !k.Passive && k.Ready != nil:
		err = errors.New("only a passive one has Ready")
	default:
		err = rules.AddAbilityKind(name, rules.Kind{Version: version, Aimed: k.Aim == orders.AimUnit, Params: k.Params, Values: k.Values, Check: k.Check, Code: k})
	}
	if err != nil {
		panic("sim: register a kind of ability: " + err.Error())
	}
}

// RegisterEffect adds a kind of effect. The rules of [RegisterAbility] apply.
func RegisterEffect(name string, version uint32, k EffectKind) {
	err := error(nil)
	if k.Stacks = max(k.Stacks, 1); k.Stacks > StacksMax {
		err = fmt.Errorf("it counts %d times, at most %d", k.Stacks, StacksMax)
	} else {
		err = rules.AddEffectKind(name, rules.Kind{Version: version, Params: k.Params, Check: k.check, Code: k})
	}
	if err != nil {
		panic("sim: register a kind of effect: " + err.Error())
	}
}

func (k EffectKind) check(p rules.Params) error {
	if k.Check != nil {
		if err := k.Check(slices.Clone(p)); err != nil {
			return err
		}
	}
	return k.modify(p).check()
}

func (k EffectKind) modify(p rules.Params) Modifiers {
	if k.Modify == nil {
		return Modifiers{}
	}
	return k.Modify(slices.Clone(p))
}

// Kind names a registered kind that a ruleset uses.
type Kind struct {
	Of      string `json:"of"` // ability or effect
	Name    string `json:"name"`
	Version uint32 `json:"version"`
}

// KindsOf returns the registered kinds that a ruleset uses, each once, sorted.
func KindsOf(rs *rules.Ruleset) []Kind {
	var out []Kind
	for i := range rs.Abilities {
		if k, ok := addedAbility(&rs.Abilities[i]); ok {
			out = append(out, Kind{"ability", rs.Abilities[i].Kind, k.Version})
		}
	}
	for i := range rs.Effects {
		if e := &rs.Effects[i]; e.Kind == rules.EffectRegistered {
			k, _ := rules.AddedEffectKind(e.KindName) // the ruleset was read with it
			out = append(out, Kind{"effect", e.KindName, k.Version})
		}
	}
	slices.SortFunc(out, func(a, b Kind) int { return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Name, b.Name)) })
	return slices.Compact(out)
}

func addedAbility(a *rules.Ability) (rules.Kind, bool) {
	if _, shipped := abilities[a.Kind]; shipped {
		return rules.Kind{}, false
	}
	return rules.AddedAbilityKind(a.Kind)
}

// KindError says that this program lacks a kind of ability or effect that a match was
// played with, or has another version.
type KindError struct {
	Kind Kind   // with the version it was played by
	Have uint32 // 0: no version
}

func (e *KindError) Error() string {
	if e.Have == 0 {
		return fmt.Sprintf("the match has the kind %q of %s, which this program has not registered", e.Kind.Name, e.Kind.Of)
	}
	return fmt.Sprintf("the match was played by version %d of the kind %q of %s, this program has registered version %d", e.Kind.Version, e.Kind.Name, e.Kind.Of, e.Have)
}

// CheckKinds returns a [KindError] for the first of the kinds that this program does not
// have in that version.
func CheckKinds(kinds []Kind) error {
	for _, k := range kinds {
		have, ok := rules.Kind{}, false
		switch k.Of {
		case "ability":
			have, ok = rules.AddedAbilityKind(k.Name)
		case "effect":
			have, ok = rules.AddedEffectKind(k.Name)
		}
		if !ok || have.Version != k.Version {
			return &KindError{k, have.Version}
		}
	}
	return nil
}

// abilityOf returns the code of an entry's kind.
func abilityOf(a *rules.Ability) ability {
	if a.Script != nil {
		return ownAbility{AbilityKind: scriptedAbility(a)}
	}
	if added, ok := addedAbility(a); ok {
		return ownAbility{AbilityKind: added.Code.(AbilityKind)}
	}
	return abilities[a.Kind]
}

// Simulation names how this program simulates: [Behaviour], and behind a hyphen a digest of
// the modes and kinds that it has registered, if there are any. Programs with the same name
// can continue each other's matches. Call it after all registrations.
func Simulation() string {
	var rows []string
	for name, m := range registered.Rows() {
		rows = append(rows, fmt.Sprintln("mode", name, m.version))
	}
	ofAbilities, ofEffects := rules.AddedKinds()
	for name, k := range ofAbilities {
		rows = append(rows, fmt.Sprintln("ability", name, k.Version))
	}
	for name, k := range ofEffects {
		rows = append(rows, fmt.Sprintln("effect", name, k.Version))
	}
	return simulation(rows)
}

func simulation(rows []string) string {
	if len(rows) == 0 {
		return fmt.Sprint(Behaviour)
	}
	slices.Sort(rows)
	sum := sha256.Sum256([]byte(strings.Join(rows, "")))
	return fmt.Sprintf("%d-%x", Behaviour, sum[:8])
}

// ownAbility runs an [AbilityKind]. The world's own phases only note the events:
// [World.runTurns] calls the functions.
type ownAbility struct {
	idle
	AbilityKind
}

func (o ownAbility) info() abilityInfo {
	return abilityInfo{aim: o.Aim, lasting: o.Lasting, passive: o.Passive, rooted: o.Rooted}
}

func (ownAbility) start(_ *World, e *Entity, i int) { e.custom[i].begins = true }

// ownState is a unit's state of one ability of a registered kind.
type ownState struct {
	begins bool // Start is to be called
	runs   bool // Start was called, and Stop is to be
	bytes  string
}

// ownEffect is the state of an effect of a registered kind.
type ownEffect struct {
	begun bool
	count uint8     // how often it was put on the unit, at most its Stacks
	heals grid.Tick // when it next restores health
	bytes string
}

// kindState is the part of the state that only registered kinds have. It begins with
// their versions, so that hashes of two versions differ.
func (w *World) kindState(a *archive.Archive) {
	for i := range w.rt.kinds {
		k := w.rt.kinds[i]
		archive.Word(a, &k.Version)
		if k.Version != w.rt.kinds[i].Version {
			a.Fail("%w", &KindError{k, w.rt.kinds[i].Version})
		}
	}
}

// ownOf is the part of an entity's state that only registered kinds and declared values
// have.
func (w *World) ownOf(a *archive.Archive, e *Entity) {
	if int(e.typ) >= len(w.rt.types) {
		return // reindex refuses it
	}
	if w.rt.types[e.typ].hasCustom && a.Reading() {
		e.custom = w.newOwn(e.typ)
	}
	for i := range e.custom {
		s := &e.custom[i]
		a.Flag(&s.begins)
		a.Flag(&s.runs)
		keptBytes(a, &s.bytes)
	}
	for i := range e.effects {
		x := &e.effects[i]
		if int(x.kind) >= len(w.rt.effects) || w.rt.effects[x.kind].custom == nil {
			continue
		}
		a.Flag(&x.custom.begun)
		a.U8(&x.custom.count)
		archive.Word(a, &x.custom.heals)
		keptBytes(a, &x.custom.bytes)
	}
	w.valuesState(a, e)
}

func keptBytes(a *archive.Archive, s *string) {
	if a.ShortText(s); len(*s) > UnitBytesMax {
		a.Fail("%d bytes of a registered kind, at most %d", len(*s), UnitBytesMax)
	}
}

// newOwn returns the state of a new entity's registered abilities, nil if its type has no
// such ability.
func (w *World) newOwn(typ uint16) []ownState {
	if !w.rt.types[typ].hasCustom {
		return nil
	}
	return make([]ownState, len(w.rules.Types[typ].Abilities))
}
