package script

func whole(name string) Param { return Param{Name: name} }

func text(name string) Param { return Param{Name: name, Form: FormText} }

func of(name string) Param { return Param{Name: name, Form: FormUnit} }

func optional(p Param) Param { p.Optional = true; return p }

// Modes lists the events and effects of the scripts of modes. The world calls them: they read the whole world, and write
// the declared effects alone.
var Modes = &Table{
	Events: []Event{
		{"begin", []string{"w"}},
		{"created", []string{"w", "unit"}},
		{"order", []string{"w", "slot", "kind", "units"}},
		{"ability", []string{"w", "unit", "name"}},
		{"built", []string{"w", "unit"}},
		{"died", []string{"w", "unit", "slot"}},
		{"entered", []string{"w", "unit", "area"}},
		{"left", []string{"w", "unit", "area"}},
		{"timer", []string{"w", "name"}},
		{"tick", []string{"w"}},
	},
	Effects: []EffectDef{
		{"damage", []Param{of("unit"), whole("amount")}},
		{"defeat", []Param{whole("slot")}},
		{"draw", []Param{text("reason")}},
		{"give", []Param{whole("slot"), text("resource"), whole("amount")}},
		{"heal", []Param{of("unit"), whole("amount")}},
		{"kill", []Param{of("unit")}},
		{"own", []Param{of("unit"), whole("slot")}},
		{"reveal", []Param{whole("team"), whole("x"), whole("y"), whole("radius"), whole("ms")}},
		{"score", []Param{whole("slot"), whole("amount")}},
		{"set_timer", []Param{text("name"), whole("ms")}},
		{"set_value", []Param{text("name"), whole("team"), whole("amount")}},
		{"set_var", []Param{text("name"), whole("amount"), optional(whole("of"))}},
		{"spawn", []Param{whole("slot"), text("type"), whole("x"), whole("y")}},
		{"stop_timer", []Param{text("name")}},
		{"win", []Param{whole("team"), text("reason")}},
	},
}

// Memory are the effects on a mode's own memory, which no client gets. Each script of a mode has them.
var Memory = []string{"set_timer", "set_var", "stop_timer"}

// Abilities and Effects list the events and effects of the scripts of abilities and effects. A team calls them: they
// read the knowledge of the unit's team.
var (
	Abilities = &Table{Events: append([]Event{{"ready", []string{"u"}}}, unitEvents...), Effects: unitEffects}
	Effects   = &Table{Events: unitEvents, Effects: unitEffects}
)

var unitEvents = []Event{{"start", []string{"u"}}, {"tick", []string{"u"}}, {"stop", []string{"u"}}}

var unitEffects = []EffectDef{
	{"damage", []Param{of("unit"), whole("amount")}},
	{"damage_area", []Param{whole("x"), whole("y"), whole("radius"), whole("amount"), whole("edge"), {"friends", FormFlag, true}}},
	{"end", nil},
	{"heal", []Param{of("unit"), whole("amount")}},
	{"lift", []Param{of("unit"), text("effect")}},
	{"move", []Param{of("unit"), whole("x"), whole("y")}},
	{"push", []Param{of("unit"), whole("dx"), whole("dy")}},
	{"put", []Param{of("unit"), text("effect")}},
	{"reveal", []Param{whole("x"), whole("y"), whole("radius"), whole("ms"), {"detect", FormFlag, true}}},
	{"set_value", []Param{of("unit"), text("name"), whole("amount")}},
	{"spawn", []Param{text("type"), whole("x"), whole("y")}},
	{"strike", []Param{of("unit"), text("weapon")}},
}
