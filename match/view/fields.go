package view

import (
	"fmt"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Field is one row of the field table: a field of the schema that a server
// sends. It says who may know the field, when and how exactly it is sent, and who
// computes it in between. The code takes that from here: the builder (whose
// entities a value is told of), the tracker (when a value or a course is due), the
// encoder (which part of a frame a field is in), the decoder, the traffic meter,
// the TypeScript client (web/sdk/src/gen/fields.ts is made from it) and
// docs/reference/protocol.md.
type Field struct {
	Name     string   // in proto/fogkeep/v1/server.proto; of a field of Own, its name there
	Audience Audience // may know it

	// For the traffic meter: a part of the traffic is a row of Fields.
	Group   string   // of parts that belong together
	Has     []string // the schema's fields, where the part has others than the one of its name
	Row     string   // of rows that begin with an entity's handle: the letter of each number's code in a packed frame ([wire.Codes]); "": it has no such rows
	Apart   bool     // its rows are packed in a field of their own, which old clients pass over
	Columns []string // of a message: its columns of which each number counts as a row
	Placed  bool     // it counts for structures

	Sent []Sent
}

// Schema returns the names of the row's fields in the schema.
func (f *Field) Schema() []string {
	if f.Has != nil {
		return f.Has
	}
	return []string{f.Name}
}

// Audience says which clients may know a field.
type Audience uint8

// The audiences of fields.
const (
	Receiver  Audience = iota // the receiver of the frame: it describes the connection
	Everybody                 // all players and spectators
	Team                      // the team, and spectators with its eyes; a value with it: the team's own entities alone
	Seeing                    // the teams that see the entity
	Owner                     // the player whose it is, alone
)

var audienceWords = [...]string{"the receiver", "everybody", "the team", "the teams that see it", "its owner"}

func (w Audience) String() string { return audienceWords[w] }

// Shared reports whether the field is in the part of a frame that all with the
// same eyes are sent.
func (w Audience) Shared() bool { return w == Everybody || w == Team || w == Seeing }

// Role says who computes a field between two updates.
type Role uint8

// Roles.
const (
	ByServer Role = iota // the server alone: clients show the last value
	ByOwner              // the owner's client predicts it
	ByAll                // every client computes it from the last update
)

// Sent says when and how exactly a field is sent, for one kind of entities.
type Sent struct {
	Of        string // the owner of the field
	Role      Role   // who computes it between two tellings
	When      When
	Exact     Exact
	Turn      int  // which goes first when bytes are short, 1 first
	Droppable bool // it may never come; other fields come in the end, over any link
}

// EffectClass is the value of an effect for a client that is short of bytes. Lower classes go first, and higher classes
// are dropped first.
type EffectClass uint8

// The classes of effects.
const (
	EffectAlert EffectClass = iota // a unit of the own team was hit: told in every frame that is sent
	EffectBlast                    // near the camera
	EffectShot                     // near the camera
	EffectFar                      // far from the camera
)

// effectClasses has the class that an event has near the camera.
var effectClasses = map[EventKind]EffectClass{
	EventAttacked: EffectAlert,
	EventBlast:    EffectBlast,
	EventAbility:  EffectBlast,
	EventHeard:    EffectBlast,
	EventShot:     EffectShot,
	EventBuilt:    EffectShot,
}

// Turn returns the class's turn in the table.
func (c EffectClass) Turn() int {
	if c == EffectAlert {
		return 2
	}
	return 5 + int(c)
}

// When says when a field is sent.
type When struct {
	Enter  bool   // as the entity comes into sight, if it is not 0
	Change bool   // when it changed
	PerS   int    // at most so many changes per second; 0: in the tick of the change
	AtOnce uint32 // bits of a value whose changes are sent in their tick all the same
	Words  string // additional conditions
}

func (w When) String() string {
	var out []string
	if w.Enter {
		out = append(out, "initial if not 0")
	}
	if w.Change {
		out = append(out, "on change")
	}
	if w.Words != "" {
		out = append(out, w.Words)
	}
	if w.PerS > 0 {
		out = append(out, fmt.Sprintf("at most %d per second", w.PerS))
	}
	text := strings.Join(out, ", ")
	for _, f := range Flags {
		if w.AtOnce&f.Bit != 0 {
			text += ", `" + f.Name + "` at once"
		}
	}
	return text
}

// Exact says how exactly a field is sent.
type Exact struct {
	Step  uint32    // a value is sent again when it differs by so much; 0 is 1
	Off   grid.Dist // a course is sent again when clients would be off by more
	Tile  bool      // and when they would be on another tile
	Words string    // "": exact
}

func (x Exact) String() string {
	switch {
	case x.Step > 1:
		return fmt.Sprintf("in steps of %d", x.Step)
	case x.Words != "":
		return x.Words
	}
	return "exact"
}

// change is sent in the tick of the change; ten is sent ten times per second.
var (
	change = When{Change: true}
	ten    = When{Enter: true, Change: true, PerS: 10}
)

// said makes the When of a field that is sent once.
func said(words string) When { return When{Words: words} }

// rounded makes the Exact of a field that is sent less exactly than the server has it.
func rounded(words string) Exact { return Exact{Words: words} }

// changesOf is of the counter of an attribute's changes.
func changesOf(attribute, of string) Sent {
	return Sent{
		of, ByAll, When{Enter: true, Change: true, Words: "only where a client that counts its rows of " + attribute + " would count wrong", PerS: 10},
		rounded("7 bits of ticks in which it changed since the enter"), 5, false,
	}
}

// burstTold is when a burst is sent. The builder knows when a client would count wrong: only then does the value
// change.
var burstTold = When{Enter: true, Change: true, Words: "that is where a client that counts on by the weapon's rate would count wrong", PerS: 10}

// ToleranceDefault is how far clients may be off about where something is, an
// eighth of a tile.
const ToleranceDefault grid.Dist = grid.WUPerTile / 8

// ValuesMax bounds the values that a mode shows.
const ValuesMax = rules.ModeValuesMax

// Fields has a row for each field of ServerFrame.
var Fields = [...]Field{
	{Name: "clock", Audience: Receiver, Group: "clock", Has: []string{"tick", "span", "skipped", "partial"}},
	{Name: "packed", Audience: Receiver, Group: "packed"},
	{Name: "packed_values", Audience: Receiver, Group: "packed"},
	{Name: "leave", Audience: Seeing, Group: "presence", Row: "g", Sent: []Sent{{"all entities", ByServer, said("at once"), rounded("handle"), 1, false}}},
	{Name: "destroyed", Audience: Seeing, Group: "presence", Row: "g", Sent: []Sent{{"all entities", ByServer, said("at once"), rounded("handle"), 1, false}}},
	{Name: "enter", Audience: Seeing, Group: "presence", Row: "epn", Sent: []Sent{
		{"own and allied units (autonomous)", ByServer, said("at once"), rounded("1/16 tile; course in 16,128 directions"), 3, false},
		{"structures, resources (static)", ByServer, said("at once"), rounded("world unit, with `exact`"), 3, false},
		{"others' units, projectiles (simulated)", ByServer, said("at once"), rounded("1/16 tile; course in 16,128 directions"), 4, false},
	}},
	{Name: "owner", Audience: Seeing, Group: "presence", Row: "gd", Sent: []Sent{{"entities that change hands", ByServer, change, Exact{}, 3, false}}},
	{Name: "motion", Audience: Seeing, Group: "motion", Row: "dmc", Sent: []Sent{
		motionAutonomous: {
			"own and allied units (autonomous)", ByOwner, said("at a beat, when a client would be on the wrong tile or 1/8 tile off"),
			Exact{Off: ToleranceDefault, Tile: true, Words: "1/16 tile, on the right tile, course in 16,128 directions; on a long way world unit (`exact`) and 1,048,576 directions"}, 3, false,
		},
		motionSimulated: {
			"others' units, projectiles (simulated)", ByAll, said("at a beat, when a client would be 1/8 tile off"),
			Exact{Off: ToleranceDefault, Words: "1/16 tile; course in 16,128 directions"}, 5, false,
		},
	}},
	{Name: "exact", Audience: Seeing, Group: "motion", Row: "dnn", Sent: []Sent{{"places that `enter` or `motion` gave as a cell", ByAll, said("with them, unless the middle of the cell is right"), rounded("world unit"), 3, false}}},
	{Name: "health", Audience: Seeing, Group: "values", Row: "dh", Sent: []Sent{{"units, structures", ByServer, ten, Exact{}, 5, false}}},
	{Name: "health_changes", Audience: Seeing, Group: "values", Row: "gd", Sent: []Sent{changesOf("health", "units, structures")}},
	{Name: "shield", Audience: Seeing, Group: "values", Row: "dh", Sent: []Sent{{"units, structures with a shield", ByServer, ten, Exact{}, 5, false}}},
	{Name: "shield_changes", Audience: Seeing, Group: "values", Row: "gd", Sent: []Sent{changesOf("shield", "units, structures with a shield")}},
	{Name: "flags", Audience: Seeing, Group: "values", Row: "gh", Sent: []Sent{{"units, structures", ByServer, When{Enter: true, Change: true, PerS: 10, AtOnce: FlagBuilding}, Exact{}, 5, false}}},
	{Name: "amount", Audience: Seeing, Group: "values", Row: "gn", Sent: []Sent{{"resources, structures being built or captured, features (static)", ByServer, ten, rounded("resources exact; progress 1/16"), 5, false}}},
	{Name: "burst", Audience: Seeing, Group: "values", Row: "gd", Sent: []Sent{{"entities with weapons", ByAll, burstTold, rounded("6 or 14 bits of the first weapon's shots since the enter"), 5, false}}},
	{Name: "burst_second", Audience: Seeing, Group: "values", Row: "gd", Sent: []Sent{{"entities with two weapons", ByAll, burstTold, rounded("the same of the second weapon"), 5, false}}},
	{Name: "last_bursts", Audience: Seeing, Group: "presence", Row: "tdn", Sent: []Sent{{
		"entities that left or died", ByServer, said("with it, where a client may have counted its shots wrong"), rounded("as `burst`"), 1, false,
	}}},
	{Name: "actions", Audience: Seeing, Group: "actions", Row: "gss", Sent: []Sent{{"units, structures", ByServer, said("initial if it runs any, at once as one starts or ends"), rounded("the tick at which it began, if the start was in sight"), 5, false}}},
	{Name: "effects", Audience: Seeing, Group: "actions", Row: "gssn", Sent: []Sent{{"units", ByServer, said("initial if it has any, at once as one begins, is renewed or ends, or its source leaves sight"), rounded("the tick at which it began, and its source, if both were in sight"), 5, false}}},
	{Name: "values", Audience: Seeing, Group: "values", Row: "gsn", Apart: true, Sent: []Sent{{
		"units, structures with declared values for the teams that see them, or for all", ByServer, said("as their declarations say"), rounded("in the steps of their declarations"), 5, false,
	}}},
	{Name: "ghosts", Audience: Team, Group: "fog", Columns: []string{"handle", "gone"}, Placed: true, Sent: []Sent{{"structures out of sight (static)", ByServer, said("as they leave sight, change or come back"), rounded("world unit"), 2, false}}},
	{Name: "mask", Audience: Team, Group: "fog", Columns: []string{"row"}, Sent: []Sent{{"own team", ByAll, said("rows: at join, after a mismatch, to clients that do not derive the fog"), Exact{}, 2, false}}},
	{Name: "mask_hash", Audience: Team, Group: "fog", Sent: []Sent{{"own team", ByServer, said("each second"), rounded("32 bits"), 2, false}}},
	{Name: "sights", Audience: Team, Group: "fog", Sent: []Sent{{"own team", ByAll, said("initial, as they begin; for fallen things of the own team only after skipped ticks"), rounded("tile, half tiles"), 2, false}}},
	{Name: "contacts", Audience: Team, Group: "fog", Columns: []string{"x"}, Sent: []Sent{{"own team", ByAll, said("as radar finds them"), rounded("cell of 8 x 8 tiles"), 2, false}}},
	{Name: "fire", Audience: Seeing, Group: "effects", Row: "gt", Sent: []Sent{
		{"entities with weapons, near the camera", ByAll, When{Words: "as it opens fire on another target", PerS: 10}, Exact{}, EffectShot.Turn(), true},
		{"entities with weapons, elsewhere", ByAll, said("as near the camera"), Exact{}, EffectFar.Turn(), true},
	}},
	{Name: "events", Audience: Team, Group: "effects", Columns: []string{"kind"}, Sent: []Sent{
		{"hits on the own team (alerts)", ByServer, said("in the tick it happens, at most one per second"), rounded("world unit"), EffectAlert.Turn(), true},
		{"blasts, abilities and sounds near the camera", ByServer, said("in the tick it happens"), rounded("world unit"), EffectBlast.Turn(), true},
		{"shots at the ground and finished structures near the camera", ByServer, said("in the tick it happens"), rounded("world unit"), EffectShot.Turn(), true},
		{"the same elsewhere", ByServer, said("in the tick it happens"), rounded("world unit"), EffectFar.Turn(), true},
	}},
	{Name: "answers", Audience: Owner, Group: "own", Sent: []Sent{{"orders, chat, pings", ByServer, said("once the journal has it"), Exact{}, 2, false}}},
	{Name: "own", Audience: Owner, Group: "own"},
	{Name: "said", Audience: Team, Group: "talk", Sent: []Sent{{"chat; to all, if it is said to all", ByServer, said("at once"), Exact{}, 2, false}}},
	{Name: "pinged", Audience: Team, Group: "talk", Sent: []Sent{{"places pointed at", ByServer, said("at once"), Exact{}, 2, false}}},
	{Name: "players", Audience: Everybody, Group: "match", Sent: []Sent{
		{"players", ByServer, change, Exact{}, 2, false},
		{"scores: of the own team, of all in modes that show them to all", ByServer, change, Exact{}, 2, false},
		{"values of the mode: open ones, and the own team's", ByServer, change, Exact{}, 2, false},
	}},
	{Name: "welcome", Audience: Receiver, Group: "match"},
	{Name: "ended", Audience: Everybody, Group: "match", Sent: []Sent{{"the match", ByServer, said("once"), Exact{}, 2, false}}},
	{Name: "closing", Audience: Receiver, Group: "match"},
	{Name: "waiting", Audience: Receiver, Group: "match"},
	{Name: "budget", Audience: Receiver, Group: "match"},
	{Name: "speed", Audience: Receiver, Group: "match"},
	{Name: "votes", Audience: Receiver, Group: "match"},
	{Name: "replay", Audience: Receiver, Group: "replay"},
	{Name: "timeline", Audience: Receiver, Group: "replay"},
}

// The rows of motion. A source of the team's sight is held to its tile.
const (
	motionAutonomous = iota
	motionSimulated
)

// The values of an entity: numbers that are sent as rows of [handle, value], in
// the order of the encoded frame. Each is 0 until it is sent.
const (
	ValueHealth = iota // the points missing to full health: the type's, as the effects that the team sees change it
	ValueFlags
	ValueAmount
	ValueBurst         // of the first weapon, see [Burst]
	ValueBurstSecond   // of the second weapon
	ValueHealthChanges // ticks in which health changed since it came into sight, modulo ChangesWrap
	ValueShield        // the points missing to full shield, alike
	ValueShieldChanges // as ValueHealthChanges
	ValueKinds
)

// ValueNames has the field of ServerFrame of each value.
var ValueNames = [ValueKinds]string{"health", "flags", "amount", "burst", "burst_second", "health_changes", "shield", "shield_changes"}

// Attribute is a value that clients show as it changes, and the value that counts its changes: a value that falls and
// rises again between two frames has changed too.
type Attribute struct{ Value, Changes int }

// Attributes lists the attributes of entities. A client adds one to its own copy
// of the counter for each row of the value that it gets of an entity it has. The
// counter is sent only where that would be wrong.
var Attributes = [...]Attribute{
	{ValueHealth, ValueHealthChanges},
	{ValueShield, ValueShieldChanges},
}

// ChangesWrap is where counters of changes begin anew: they take one byte on the
// wire.
const ChangesWrap = 128

// The flags of an entity: bits of its ValueFlags, as EntityFlag has them.
const (
	FlagCloaked   = 1
	FlagAlternate = 2
	FlagCarrying  = 32
	FlagBuilding  = 64
	FlagRepairing = 256
)

// Flags has the name of each flag. Which abilities an entity runs is no flag: each
// is an instance of its own (View.Actions).
var Flags = [...]struct {
	Name string
	Bit  uint32
}{
	{"cloaked", FlagCloaked},
	{"alternate", FlagAlternate},
	{"carrying", FlagCarrying},
	{"building", FlagBuilding},
	{"repairing", FlagRepairing},
}

// setPublic sets the values that are the same for all eyes that see e. The builder sets the values that it counts for
// each team. It reports whether a value changed.
func (u *Unit) setPublic(w *sim.World, k *kind, e *sim.Entity, health, shield int32) (changed bool) {
	v := &u.Values
	mostHealth, mostShield := k.health, k.shield
	if k.effects && e.Effects() > 0 {
		mostHealth, mostShield, _ = w.Most(e)
	}
	missing, drained := uint32(max(0, mostHealth-health)), uint32(max(0, mostShield-shield))
	flags, amount := flagsOf(k, e), amountOf(w, e)
	changed = missing^v[ValueHealth]|drained^v[ValueShield]|flags^v[ValueFlags]|amount^v[ValueAmount] != 0
	v[ValueHealth], v[ValueShield], v[ValueFlags], v[ValueAmount] = missing, drained, flags, amount
	return changed
}

// The values of a unit that only its owner knows: numbers that are sent as rows
// of [handle, value] in Own. Each is 0 until it is sent.
const (
	OwnerEnergy        = iota
	OwnerEnergyChanges // how often it was spent, modulo ChangesWrap
	OwnerFiring        // how its weapons are to be used: bits, see Own.firing in the protocol
	OwnerValueKinds
)

// OwnerValueNames has the field of Own of each value.
var OwnerValueNames = [OwnerValueKinds]string{OwnerEnergy: "energy", OwnerEnergyChanges: "energy_changes", OwnerFiring: "firing"}

// OwnerAttributes lists the attributes that only a unit's owner knows. Their
// counters are sent as they change: no row of the value makes a client count.
var OwnerAttributes = [...]Attribute{{OwnerEnergy, OwnerEnergyChanges}}

// ownerValues returns the values of a unit that only its owner knows.
func ownerValues(e *sim.Entity) [OwnerValueKinds]uint32 {
	return [OwnerValueKinds]uint32{
		OwnerEnergy:        uint32(max(0, e.Energy())) / 1000,
		OwnerEnergyChanges: uint32(e.EnergySpent()) % ChangesWrap,
		OwnerFiring:        e.Firing(),
	}
}

// OwnFields has a row for each field of Own, or for several that are sent
// together. Only their owner may know them.
var OwnFields = [...]Field{
	{Name: "resources", Audience: Owner, Sent: []Sent{{"player", ByServer, change, Exact{}, 2, false}}},
	{Name: "population", Has: []string{"population", "population_max"}, Audience: Owner, Sent: []Sent{{"player", ByServer, change, Exact{}, 2, false}}},
	{Name: "queues", Audience: Owner, Sent: []Sent{{"structures", ByOwner, When{Change: true, Words: "progress where clients would compute it a tenth wrong"}, rounded("exact; progress 1/255"), 2, false}}},
	{Name: "rallies", Audience: Owner, Sent: []Sent{{"structures", ByOwner, change, rounded("1/16 tile"), 2, false}}},
	{Name: "tasks", Audience: Owner, Sent: []Sent{{"units (autonomous)", ByOwner, change, rounded("kind exact; place 1/16 tile"), 2, false}}},
	{Name: "energy", Audience: Owner, Sent: []Sent{{"units, structures (autonomous)", ByServer, change, Exact{Step: 4}, 2, false}}},
	{Name: "energy_changes", Audience: Owner, Sent: []Sent{{"units, structures (autonomous)", ByServer, change, rounded("7 bits of how often it was spent"), 2, false}}},
	{Name: "firing", Audience: Owner, Sent: []Sent{{"units, structures (autonomous)", ByServer, change, Exact{}, 2, false}}},
	{Name: "ready", Audience: Owner, Sent: []Sent{{"units, structures (autonomous)", ByOwner, When{Change: true, Words: "not that time has made an ability ready"}, rounded("tick"), 2, false}}},
	{Name: "running", Audience: Owner, Sent: []Sent{{"units, structures (autonomous)", ByOwner, said("as an ability starts"), rounded("tick at which it ends, number of the order"), 2, false}}},
	{Name: "grants", Audience: Owner, Sent: []Sent{{"units, structures (autonomous)", ByServer, When{Enter: true, Change: true}, Exact{}, 2, false}}},
	{Name: "passengers", Audience: Owner, Sent: []Sent{{"transports", ByServer, change, Exact{}, 2, false}}},
	{Name: "owner_values", Audience: Owner, Sent: []Sent{{"units, structures with declared values for their owner", ByServer, said("as their declarations say"), rounded("in the steps of their declarations"), 2, false}}},
	{Name: "upgrades", Audience: Owner, Sent: []Sent{{"player: of its team", ByServer, change, Exact{}, 2, false}}},
	{Name: "started", Audience: Owner, Sent: []Sent{{"projectiles (autonomous)", ByOwner, said("as it comes into being"), Exact{}, 2, false}}},
	{Name: "cancelled", Has: []string{"cancelled", "cancelled_code"}, Audience: Owner, Sent: []Sent{{"units (autonomous)", ByServer, said("at once"), Exact{}, 2, false}}},
}

// plan is the part of the field table that the builder and the tracker use. The program ends at its start if the code
// cannot keep to a row.
type plan struct {
	public [ValueKinds]valuePlan
	owner  [OwnerValueKinds]valuePlan
	motion [2]Exact // by row: motionAutonomous, motionSimulated
	fire   When
	// hidden has a bit for each public value that clients receive for the team's own entities alone.
	hidden uint32
	// atOnce lists the public values that have bits whose changes are sent in
	// their tick.
	atOnce []int
}

// valuePlan is when and how exactly a value is sent.
type valuePlan struct {
	When
	step uint32
}

// tablePlan is the plan of the table.
var tablePlan = planOf(Fields[:], OwnFields[:])

func planOf(fields, own []Field) *plan {
	p := &plan{}
	for i, name := range ValueNames {
		f := fieldNamed(fields, name)
		p.public[i] = valuePlanOf(f)
		switch {
		case f.Audience == Team:
			p.hidden |= 1 << i
		case f.Audience != Seeing:
			panic(fmt.Sprintf("view: %s is in the part of a frame that a team shares: its audience is the teams that see the entity, or the team, not %s", name, f.Audience))
		}
		if f.Sent[0].When.AtOnce != 0 {
			p.atOnce = append(p.atOnce, i)
		}
	}
	for _, a := range Attributes {
		if p.public[a.Value].PerS != p.public[a.Changes].PerS {
			panic(fmt.Sprintf("view: clients count %s by the rows of %s: both have one rate", ValueNames[a.Changes], ValueNames[a.Value]))
		}
	}
	for i, name := range OwnerValueNames {
		p.owner[i] = valuePlanOf(fieldNamed(own, name))
	}
	for i := range own {
		if own[i].Audience != Owner {
			panic(fmt.Sprintf("view: own.%s is in the part of a frame for one player alone, not for %s", own[i].Name, own[i].Audience))
		}
	}
	for i, s := range fieldNamed(fields, "motion").Sent {
		p.motion[i] = s.Exact
	}
	p.fire = fieldNamed(fields, "fire").Sent[0].When
	return p
}

func valuePlanOf(f *Field) valuePlan {
	return valuePlan{f.Sent[0].When, max(1, f.Sent[0].Exact.Step)}
}

func fieldNamed(fields []Field, name string) *Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	panic("view: the field table has no row " + name)
}

// due reports whether a field with this rate is sent at a tick, with tickRate ticks per second; 0: it is sent at each
// tick, at any rate.
func (w *When) due(now grid.Tick, tickRate int) bool { return now%grid.Tick(w.every(tickRate)) == 0 }

// every returns how many ticks lie between two sendings.
func (w *When) every(tickRate int) grid.Ticks {
	if w.PerS == 0 || tickRate == 0 {
		return 1
	}
	return grid.Ticks(max(1, tickRate/w.PerS))
}

// off reports whether clients that were sent one value have to be sent another.
func (p *valuePlan) off(sent, is uint32) bool {
	return is >= sent+p.step || sent >= is+p.step
}
