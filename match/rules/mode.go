package rules

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Bounds of modes.
const (
	ModesMax      = 8  // of a ruleset
	ModeValuesMax = 8  // of a mode
	AreasMax      = 16 // of a mode
	TriggersMax   = 32 // of a mode
	TriggerParts  = 8  // conditions of a trigger, and actions
	RespawnsMax   = 8  // of a mode
	modeAmountMax = 1_000_000
)

// Mode is a kind of match that a ruleset declares: areas of the map, values that players are shown, and triggers.
type Mode struct {
	Name       string
	Defeat     Defeat
	OpenScores bool
	Values     []ModeValue
	Areas      []Area
	Triggers   []Trigger
	Respawns   []Respawn
	Script     *ModeScript // nil: no script
}

// Defeat says when a player is out.
type Defeat uint8

// The ways to be out.
const (
	DefeatCentre Defeat = iota // its team has no structure that is a centre
	DefeatUnits                // it has nothing that moves or shoots
	DefeatNever                // by triggers, surrender and departure alone
)

var defeatNames = []string{"centre", "units", "never"}

// ModeValue is a whole number of each team that a mode shows.
type ModeValue struct {
	Name string
	Open bool // all players are shown all teams'; else each team its own until the end
}

// Area is a circle of the map.
type Area struct {
	Name    string
	AtStart bool  // around the start of the player or team that a trigger runs for
	X, Y    int32 // else in thousandths of the map's width and height
	Radius  grid.Dist
}

// Trigger acts on each team, or on each player, for which its conditions hold.
type Trigger struct {
	PerPlayer bool // it runs for each living player, else for each team with a living player
	EveryMs   int32
	Once      bool // it acts at most once for a team or player
	If        []Condition
	Do        []Action
}

// Respawn brings the units of a type back after their end.
type Respawn struct {
	Type    uint16
	DelayMs int32
	Limit   uint16 // returns of one player in a match
	Area    int
	Near    int // index of a type of structure, beside which they come back while the player has one; -1: none
	Value   int // index of the value that shows the seconds that are left; -1: none
}

// ConditionKind is a question about a team or a player.
type ConditionKind uint8

// The kinds of conditions. All but ConditionHolds, ConditionSees and ConditionBots compare a number with bounds.
const (
	ConditionBots    ConditionKind = iota // bots alone play it
	ConditionHolds                        // it has a unit in an area, and no other team has
	ConditionOwns                         // finished units and structures of a type
	ConditionPresent                      // its units in an area
	ConditionScore                        // its score
	ConditionSees                         // its team sees the middle of an area
	ConditionStock                        // of a resource
	ConditionTime                         // seconds of match time
	ConditionValue                        // of the mode
)

var conditionNames = []string{"bots", "holds", "owns", "present", "score", "sees", "stock", "time", "value"}

// Condition is one question of a trigger.
type Condition struct {
	Kind     ConditionKind
	Not      bool
	Area     int // index, where the kind has one
	Of       int // index of a type, a resource or a value
	Min, Max int32
}

// ActionKind is an action of a trigger.
type ActionKind uint8

// The kinds of actions.
const (
	ActionAdd    ActionKind = iota // an amount to a value of the team, never below 0
	ActionDefeat                   // the player, or all players of the team, are out
	ActionGive                     // an amount of a resource, to each player
	ActionReveal                   // an area, to the team, for a time
	ActionScore                    // an amount; of a team to its first player
	ActionSet                      // a value of the team
	ActionSpawn                    // units of a type in an area, for each player
	ActionWin                      // the match ends
)

var actionNames = []string{"add", "defeat", "give", "reveal", "score", "set", "spawn", "win"}

// Action is one action of a trigger.
type Action struct {
	Kind       ActionKind
	Area       int
	Of         int // index of a type, a resource or a value
	Amount     int32
	DurationMs int32
	Sight      uint8 // half tiles
	Reason     string
}

// ModeByName returns the ruleset's mode with that name, or nil.
func (rs *Ruleset) ModeByName(name string) *Mode {
	for i := range rs.Modes {
		if rs.Modes[i].Name == name {
			return &rs.Modes[i]
		}
	}
	return nil
}

func (r *rulesReader) modes(root *node, rs *Ruleset, types []string) {
	list := r.list(root, "modes", ModesMax)
	r.namesOf(list)
	for _, n := range list {
		rs.Modes = append(rs.Modes, r.mode(n, rs, types))
	}
}

func (r *rulesReader) mode(n *node, rs *Ruleset, types []string) Mode {
	m := Mode{Name: r.modeName(n, "name"), OpenScores: r.boolean(n, "open_scores", false)}
	if v := r.get(n, "defeat"); v != nil {
		m.Defeat = Defeat(r.oneOf(v, "defeat", defeatNames))
	}
	values := r.list(n, "values", ModeValuesMax)
	valueNames := r.namesOf(values)
	for _, v := range values {
		m.Values = append(m.Values, ModeValue{r.modeName(v, "name"), r.boolean(v, "open", false)})
		if i := len(m.Values) - 1; i > 0 && m.Values[i].Open && !m.Values[i-1].Open {
			r.fail(v, "%q is open: open values come first", m.Values[i].Name)
		}
		r.done(v, "a value of a mode")
	}
	areas := r.list(n, "areas", AreasMax)
	areaNames := r.namesOf(areas)
	for _, v := range areas {
		m.Areas = append(m.Areas, r.area(v))
	}
	x := modeNames{values: valueNames, areas: areaNames, types: types, resources: rs.Resources}
	for _, v := range r.list(n, "triggers", TriggersMax) {
		t := Trigger{EveryMs: max(1, r.ms(v, "every", 1000, 3_600_000)), Once: r.boolean(v, "once", false)}
		if of := r.get(v, "for"); of != nil {
			t.PerPlayer = r.oneOf(of, "receiver", []string{"team", "player"}) == 1
		}
		for _, c := range r.list(v, "if", TriggerParts) {
			t.If = append(t.If, r.condition(c, &x))
		}
		for _, c := range r.list(v, "do", TriggerParts) {
			t.Do = append(t.Do, r.action(c, &x, rs))
		}
		r.need(v, "do")
		r.done(v, "a trigger")
		m.Triggers = append(m.Triggers, t)
	}
	for _, v := range r.list(n, "respawns", RespawnsMax) {
		m.Respawns = append(m.Respawns, r.respawn(v, &x, rs, &m))
	}
	m.Script = r.modeScript(n, rs)
	r.done(n, "a mode")
	return m
}

// modeName reads a name that options, results and clients use.
func (r *rulesReader) modeName(n *node, key string) string {
	name := r.str(n, key)
	if v := r.get(n, key); v != nil && !v.Bad && !IsCode(name) {
		r.fail(v, "want 1 to %d of a-z, 0-9 and hyphens, got %q", shortName, cut(name))
	}
	return name
}

// IsCode reports whether a text has 1 to 32 characters, and only a-z, 0-9 and hyphens.
func IsCode(s string) bool {
	return s != "" && len(s) <= shortName && !slices.ContainsFunc([]byte(s), func(c byte) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-'
	})
}

func (r *rulesReader) area(n *node) Area {
	a := Area{Name: r.str(n, "name"), Radius: max(1, r.tiles(n, "radius", 4, 32)), AtStart: r.boolean(n, "at_start", false)}
	a.X, a.Y = int32(r.milli(n, "x", 50_000, 0, 100_000)/100), int32(r.milli(n, "y", 50_000, 0, 100_000)/100)
	r.done(n, "an area")
	return a
}

// modeNames are the names to which the parts of a mode's triggers refer.
type modeNames struct{ values, areas, types, resources []string }

// part reads the thing that a condition or an action is about.
func (r *rulesReader) part(n *node, key string, names []string) int {
	r.need(n, key)
	subject := key
	if key == "value" {
		subject = "value of the mode"
	}
	i, _ := r.ref(n, key, subject, names)
	return i
}

func (r *rulesReader) condition(n *node, x *modeNames) Condition {
	c := Condition{Not: r.boolean(n, "not", false), Min: 0, Max: 1 << 30}
	r.need(n, "kind")
	if v := r.get(n, "kind"); v != nil {
		c.Kind = ConditionKind(r.oneOf(v, "kind of condition", conditionNames))
	}
	subject := "a condition of kind " + conditionNames[c.Kind]
	switch c.Kind {
	case ConditionHolds, ConditionPresent, ConditionSees:
		c.Area = r.part(n, "area", x.areas)
	case ConditionOwns:
		c.Of = r.part(n, "type", x.types)
	case ConditionStock:
		c.Of = r.part(n, "resource", x.resources)
	case ConditionValue:
		c.Of = r.part(n, "value", x.values)
	}
	switch c.Kind {
	case ConditionBots, ConditionHolds, ConditionSees:
	default:
		least := r.get(n, "min") != nil
		c.Min = int32(r.whole(n, "min", 0, 0, 1_000_000_000))
		if c.Max = int32(r.whole(n, "max", 1_000_000_000, 0, 1_000_000_000)); !least && r.get(n, "max") == nil && !n.Bad {
			r.fail(n, `%s needs "min" or "max"`, subject)
		}
	}
	r.done(n, subject)
	return c
}

func (r *rulesReader) respawn(n *node, x *modeNames, rs *Ruleset, m *Mode) Respawn {
	s := Respawn{Area: r.part(n, "area", x.areas), Near: -1, Value: -1}
	s.DelayMs, s.Limit = int32(r.milli(n, "delay", 10_000, 1000, 3600_000)), uint16(r.whole(n, "limit", 1000, 1, 1000))
	r.need(n, "type")
	if i, ok := r.ref(n, "type", "type", x.types); ok && i < len(rs.Types) {
		s.Type = uint16(i)
		if rs.Types[i].Class != ClassUnit {
			r.fail(n, "%q is no unit", rs.Types[i].Name)
		} else if slices.ContainsFunc(m.Respawns, func(o Respawn) bool { return o.Type == s.Type }) {
			r.fail(n, "%q has a respawn already", rs.Types[i].Name)
		}
	}
	if i, ok := r.ref(n, "near", "type", x.types); ok && i < len(rs.Types) {
		if s.Near = i; rs.Types[i].Class != ClassStructure {
			r.fail(n, "%q is no structure", rs.Types[i].Name)
		}
	}
	if i, ok := r.ref(n, "value", "value of the mode", x.values); ok {
		if s.Value = i; m.Values[i].Open {
			r.fail(n, "%q is open: it would show all players that a unit is gone", m.Values[i].Name)
		}
	}
	r.done(n, "a respawn")
	return s
}

func (r *rulesReader) action(n *node, x *modeNames, rs *Ruleset) Action {
	a := Action{}
	r.need(n, "kind")
	if v := r.get(n, "kind"); v != nil {
		a.Kind = ActionKind(r.oneOf(v, "kind of action", actionNames))
	}
	amount := func(lo int64) {
		r.need(n, "amount")
		a.Amount = int32(r.whole(n, "amount", max(lo, 1), lo, modeAmountMax))
	}
	switch a.Kind {
	case ActionAdd:
		a.Of = r.part(n, "value", x.values)
		amount(-modeAmountMax)
	case ActionSet:
		a.Of = r.part(n, "value", x.values)
		amount(0)
	case ActionGive:
		a.Of = r.part(n, "resource", x.resources)
		amount(-modeAmountMax)
	case ActionScore:
		amount(-modeAmountMax)
	case ActionReveal:
		a.Area = r.part(n, "area", x.areas)
		a.Sight, a.DurationMs = r.halfTiles(n, "sight"), r.ms(n, "duration", 1000, 20_000)
		r.need(n, "sight")
	case ActionSpawn:
		a.Area = r.part(n, "area", x.areas)
		a.Amount = int32(r.whole(n, "count", 1, 1, 32))
		if a.Of = r.part(n, "type", x.types); a.Of < len(rs.Types) && rs.Types[a.Of].Class != ClassUnit {
			r.fail(n, "%q is no unit", rs.Types[a.Of].Name)
		}
	case ActionWin:
		a.Reason = r.modeName(n, "reason")
	}
	r.done(n, "an action of kind "+actionNames[a.Kind])
	return a
}
