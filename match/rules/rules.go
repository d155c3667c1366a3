package rules

import (
	"embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/script"
)

// Class is the class of an entity.
type Class uint8

// The classes of entity.
const (
	ClassUnit Class = iota
	ClassStructure
	ClassResource
	ClassProjectile
	ClassUpgrade // a product of structures that stands nowhere
	classEnd
)

var classNames = []string{"unit", "structure", "resource", "projectile", "upgrade"}

func (c Class) String() string {
	if c < classEnd {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// Bounds of a ruleset.
const (
	ResourceKindsMax = 4
	TypesMax         = 256
	WeaponsMax       = 128
	AbilitiesMax     = 64
	EffectsMax       = 32
	UnitWeaponsMax   = 2
	UnitAbilitiesMax = 4
	UnitEffectsMax   = 4    // that end, and that one unit has at a time
	LastingMax       = 12   // that do not end
	HitsMax          = 8    // of one projectile, after the first
	SplitMax         = 8    // projectiles of one
	BurstMax         = 32   // shots of a weapon at a time
	radiusMax        = 1023 // WU: no unit is wider than two tiles
	shortName        = 32   // bytes, of a mode, a value and the like
)

// Cost is an amount of each resource.
type Cost [ResourceKindsMax]int32

// Ruleset is everything a designer tunes: the types of units and their powers, read from
// one data file (docs/reference/rules.md has the schema). It is read-only once parsed and any number
// of worlds may share it. Times are milliseconds, lengths world units, speeds world units
// per second: ticks come in when a world is made, so one ruleset serves every tick rate.
type Ruleset struct {
	Name       string
	Hash       RulesHash
	Source     []byte // the file
	Resources  []string
	Places     []uint16 // types of the map's resource places, by turns from each start outwards
	Armours    []string
	Sounds     []string // classes of sounds that teams hear
	Signatures []string // classes of signatures that radar finds
	Settings   Settings
	Weapons    []Weapon
	Abilities  []Ability
	Effects    []Effect
	Values     []Value
	Displays   []Display // of attributes that are not shown as usual
	Types      []Type    // the index is the type's number on the wire
	Start      []StartEntry
	Factions   []Faction
	Modes      []Mode
	Scripts    []Script
	Landmarks  []uint16 // types of structures without an owner, in the middle of the map
}

// RulesHash is the SHA-256 of a ruleset's file, which names it.
type RulesHash [32]byte

func (h RulesHash) String() string { return hex.EncodeToString(h[:]) }

// Settings are the rules that belong to no type.
type Settings struct {
	OrdersPerSecond int32 // sustained, a player
	OrderBurst      int32 // and at once
	StartStock      Cost
	PopMax          int32
	HighGround      int32 // percent of damage that goes uphill; 100 turns the rule off
	RevealOnFireMs  int32 // how long its victims see a shooter's tile; 0: not at all
	DyingSightMs    int32 // how long the dead still see
	RepathMs        int32 // a unit that gets nowhere searches again after this
	GiveUpMs        int32 // a builder waits four times as long for own units to leave its site
	RefundPercent   int32 // of a cancelled product's cost
	FriendlyFire    bool  // splash hurts own and allied units
	HandOver        bool  // a player who is gone past grace hands over to team-mates, else stands idle
	LagMaxMs        int32 // most lag that is made up for
	FlushTick       bool  // the teams' frames go out each tick, not at most 10 times a second
	HarvestRange    grid.Dist
	BuildRange      grid.Dist
	AcquireMs       int32 // how often an idle weapon looks for a target
	LeashRange      grid.Dist
	AssistMs        int32 // so long before an entity's end damage to it counts as an assist; 0: there are no assists
	AssistScore     int32 // percent of its score for an assist
	RadarSweepMs    int32 // from one look of all radar to the next
	RadarKeepMs     int32 // how long a contact lasts after radar found it last
}

// Weapon is a way to do damage.
type Weapon struct {
	Name                     string
	Range                    grid.Dist // from the shooter's middle to the target's edge
	MinRange                 grid.Dist
	CooldownMs               int32 // between shots
	WindUpMs                 int32 // from aiming to the shot
	Damage                   int32
	Versus                   []int32 // percent by armour kind
	Splash                   grid.Dist
	SplashEdge               int32 // percent of damage at the edge of the splash
	Speed                    int32 // of the projectile, WU a second; 0 is hit-scan
	Homing                   bool  // the projectile follows its target; else it flies to where it was aimed
	Look                     uint16
	HitsGround               bool
	HitsAir                  bool
	AtGround                 bool  // can be aimed at a place
	Burst                    int32 // shots at a time, 1 at least
	BurstMs                  int32 // between two shots
	Bounces                  int32 // times that its projectile goes on to another foe
	Pierces                  int32 // foes that its projectile hits after the first
	Splits                   int32 // projectiles into which its projectile splits
	SplitInto                int16
	SplitMs                  int32 // after which it splits; 0: at the end of its flight
	BounceRange, SplitSpread grid.Dist
	Lob                      grid.Dist // how high its projectile rises at the weapon's full range; 0: it flies straight
	Steered                  bool      // its homing projectile follows the orders of the unit that fired it
	Alternate                int16     // the weapon that the player can switch to, -1: no weapon
	Effect                   int16     // the effect of a hit on a unit, -1: no effect
	Sound                    Sound     // of a shot, where it is fired
}

// Against returns the percent of the weapon's damage that an armour kind lets through: 100
// in a ruleset without armour kinds.
func (w *Weapon) Against(armour uint8) int32 {
	if int(armour) >= len(w.Versus) {
		return 100
	}
	return w.Versus[armour]
}

// Ability is one entry of the ruleset's abilities; Kind names the code of match/sim that
// runs it, and the fields are the inputs of that code.
type Ability struct {
	Name       string
	Kind       string
	CooldownMs int32
	DurationMs int32 // 0: at once, or until stopped
	Energy     int32 // to start, thousandths
	Drain      int32 // energy a second while it runs, thousandths
	Range      grid.Dist
	Radius     grid.Dist
	Sight      uint8 // half tiles
	Damage     int32
	EveryMs    int32
	Percent    int32 // the change, in percent: speed, damage, health threshold
	Threshold  int32 // percent of health
	Weapon     int16 // a weapon it switches to, -1: no weapon
	Effect     int16 // its effect on its target, -1: no effect
	Look       int16 // of kind area: the projectile type that stands for the area, -1: no type
	Targets    Targets
	Detect     bool
	Needs      []uint16       // structures the player must have finished for it to be granted
	Sound      Sound          // as it starts
	Spends     Spending       // of a declared value, to start
	Script     *AbilityScript // of kind script
}

// AbilityKinds are the kinds of ability that come with fogkeep, sorted. Programs
// register more.
var AbilityKinds = []string{"apply", "area", "burn", "cloak", "deploy", "rage", "scan", "script", "sprint"}

// Targets says whose units an ability can be aimed at.
type Targets uint8

// The owners of target units. The values equal those on the wire.
const (
	TargetsFriends Targets = 1 << iota // the player's own and its allies'
	TargetsEnemies
	TargetsAll = TargetsFriends | TargetsEnemies
)

var targetNames = []string{"friends", "enemies", "all"}

// Effect is something that a weapon or an ability leaves on a unit for a time.
type Effect struct {
	Name       string
	Kind       EffectKind
	DurationMs int32 // 0: it does not end, of modify alone
	KindName   string
	Strength   int32             // of damage: each EveryMs; else percent, see the kind
	EveryMs    int32             // of damage, and of kind script
	Changes    []AttributeChange // of shield, slow and modify
	Script     *script.Program   // of kind script
	Stacks     uint8             // of kind script: how often it counts at most
	TeamOnly   bool              // of modify: the server sends it to the unit's own team alone
}

// EffectKind is the action of an effect on its unit.
type EffectKind uint8

// The kinds of effects.
const (
	EffectDamage EffectKind = iota // it loses Strength of health every EveryMs
	EffectShield                   // it takes Strength percent of all damage
	EffectSlow                     // it walks at Strength percent of its speed
	EffectModify                   // it changes attributes, also of a structure
	EffectScript                   // a script acts on it
	effectEnd
)

var effectKindNames = []string{"damage", "shield", "slow", "modify", "script"}

func (k EffectKind) String() string {
	if k < effectEnd {
		return effectKindNames[k]
	}
	return fmt.Sprintf("effect(%d)", uint8(k))
}

// UnitType is one type of entity.
type Type struct {
	Name         string
	Class        Class
	Mobile       bool
	Move         grid.MoveKind // of a unit
	FootW        int8          // of a structure, tiles
	FootH        int8
	Radius       grid.Dist // of a unit's body
	Health       int32
	Armour       uint8
	Shield       Shield
	Speed        int32 // WU a second
	Turn         int32 // 256ths of a turn a second
	Sight        uint8 // half tiles
	Detect       uint8 // half tiles
	LevelBonus   uint8
	Cost         Cost
	BuildMs      int32
	Pop          int32
	PopGives     int32
	Weapons      []uint8
	Abilities    []uint8
	EnergyMax    int32 // thousandths
	EnergyStart  int32
	EnergyRegen  int32 // a second
	Trains       []uint16
	Builds       []uint16
	Needs        []uint16 // structures the player must have finished
	Carry        int32    // how much it carries home
	HarvestMs    int32    // time to fill up
	DropOff      bool     // takes loads that workers carry home
	Stock        int32    // of a resource place
	Resource     uint8    // the resource's number
	Priority     uint8    // net priority, 255 first
	Threat       uint8    // target choice: higher first
	Score        int32
	Centre       bool // a team without one is defeated in skirmish
	Cloaked      bool // starts cloaked, if it has an ability of kind cloak
	Relevance    Relevance
	Tells        []string  // for RelevantAlways: the values that all teams get; the others are for its own team
	CaptureMs    int32     // of a structure: how long it takes to capture it; 0: it cannot be
	CaptureRange grid.Dist // how near to its edge
	Captures     bool      // a unit that captures
	Values       []TypeValue
	Sound        Sound // of a unit, while it moves
	Upgrade      Upgrade
	Feature      Feature // of a structure
	Repairs      Repairs // of a unit
	Wreck        Wreck
	Signature    uint8     // 1 + index into Ruleset.Signatures; 0: radar does not find it
	Radar        grid.Dist // 0: it has no radar
	Jam          Jam
	Transport    Transport
	Shore        bool  // a structure that stands beside water
	Slots        int32 // of a transport, that a unit takes
}

// Relevance says which teams learn of entities of a type.
type Relevance uint8

// The kinds of relevance.
const (
	RelevantSeen    Relevance = iota // teams that see it
	RelevantToOwner                  // its owner's alone, even in the sight of others
	RelevantAlways                   // all, from the start, in sight or not
)

var relevanceNames = []string{"seen", "owner", "always"}

// TellableValues are the values that a type of RelevantAlways may tell all teams, sorted.
// Their names are names of protocol fields.
var TellableValues = []string{"amount", "flags", "health"}

// Shield takes damage before health does, and comes back by itself after a while without
// hits.
type Shield struct {
	Max     int32 // 0: no shield
	Regen   int32 // thousandths a second
	DelayMs int32 // after the last hit
}

// StartEntry is a part of each player's start.
type StartEntry struct {
	Type  uint16
	Count int32
	Grant []uint8 // abilities that these units are granted regardless of the ability's needs
	Deny  []uint8 // abilities that these units are denied
}

// TypeByName returns the index of the type with that name.
func (rs *Ruleset) TypeByName(name string) (uint16, bool) {
	i := slices.IndexFunc(rs.Types, func(t Type) bool { return t.Name == name })
	return uint16(max(0, i)), i >= 0
}

// AbilityByName returns the index of the ability with that name.
func (rs *Ruleset) AbilityByName(name string) (uint8, bool) {
	i := slices.IndexFunc(rs.Abilities, func(a Ability) bool { return a.Name == name })
	return uint8(max(0, i)), i >= 0
}

//go:embed shipped/*.json shipped/*/*.star
var shipped embed.FS

// Shipped returns a ruleset that comes with fogkeep, by its file's name without ".json",
// which is also its own. The error of an unknown name lists the known names.
func Shipped(name string) (*Ruleset, error) {
	b, err := ShippedText(name)
	if err != nil {
		return nil, err
	}
	return Parse(name+".json", b)
}

// ShippedText returns the file of such a ruleset, with its scripts.
func ShippedText(name string) ([]byte, error) {
	if !slices.Contains(ShippedNames(), name) {
		return nil, fmt.Errorf("no ruleset %q; there are %v", name, ShippedNames())
	}
	file, err := shipped.ReadFile("shipped/" + name + ".json")
	if err != nil {
		return nil, err
	}
	scripts := map[string]string{}
	files, _ := shipped.ReadDir("shipped/" + name) // a ruleset without scripts has no folder
	for _, f := range files {
		b, _ := shipped.ReadFile("shipped/" + name + "/" + f.Name()) // an embedded file can be read
		scripts[f.Name()] = string(b)
	}
	return WithScripts(file, scripts)
}

// ShippedNames lists the rulesets that come with fogkeep.
func ShippedNames() []string {
	entries, _ := shipped.ReadDir("shipped") // sorted; an embedded folder can be read
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			names = append(names, name)
		}
	}
	return names
}
