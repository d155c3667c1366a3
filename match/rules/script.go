package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/fogkeep/fogkeep/internal/strictjson"
	"github.com/fogkeep/fogkeep/match/script"
)

// Bounds of scripts.
const (
	ScriptsMax    = 32 // of a ruleset
	ModeVarsMax   = 16 // of a mode
	ModeTimersMax = 8  // of a mode
)

// Script is the text of a script, in the language of package script. Modes, abilities and effects name it.
type Script struct{ Name, Text string }

// ModeScript is the script of a mode, and the memory that it declares.
type ModeScript struct {
	Program *script.Program
	EveryMs int32 // between two events "tick"
	Vars    []ModeVar
	Timers  []string
}

// ModeVar is a whole number in the memory of a mode's script. No client gets it.
type ModeVar struct {
	Name            string
	Per             VarPer
	Min, Max, Start int32
}

// VarPer says how many numbers a [ModeVar] is.
type VarPer uint8

// The kinds of variables.
const (
	PerMatch VarPer = iota
	PerTeam
	PerPlayer
)

var varPerNames = []string{"match", "team", "player"}

// WithScripts returns the file of a ruleset with scripts in its list "scripts", by name. The file must not have that list: the
// error is [Problems] without a file.
func WithScripts(file []byte, scripts map[string]string) ([]byte, error) {
	if len(scripts) == 0 {
		return file, nil
	}
	body := bytes.TrimSpace(file)
	var has map[string]json.RawMessage
	if err := json.Unmarshal(body, &has); err != nil {
		return file, nil // reading it names each fault
	}
	if has["scripts"] != nil {
		p := Problem{Line: 1, Pointer: "/scripts", Why: "there are files of scripts beside this file, which has scripts itself"}
		if root, _ := strictjson.Parse(file, levelsMax, 1); root != nil {
			i := slices.IndexFunc(root.Kids, func(n *node) bool { return n.Name == "scripts" })
			p.Line = int(root.Kids[i].Line)
		}
		return nil, &Problems{List: []Problem{p}}
	}
	var list []byte
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		row, err := json.Marshal(map[string]string{"name": name, "text": scripts[name]})
		if err != nil {
			return nil, fmt.Errorf("script %s: %w", name, err)
		}
		list = append(append(list, ",\n    "...), row...)
	}
	body = bytes.TrimSpace(body[:len(body)-1])
	comma := ","
	if len(has) == 0 {
		comma = ""
	}
	return slices.Concat(body, []byte(comma+"\n  \"scripts\": ["), list[1:], []byte("\n  ]\n}\n")), nil
}

// scripts reads the list of scripts. Users of a script compile it.
func (r *rulesReader) scripts(root *node, rs *Ruleset) {
	list := r.list(root, "scripts", ScriptsMax)
	r.namesOf(list)
	for _, n := range list {
		rs.Scripts = append(rs.Scripts, Script{r.str(n, "name"), r.source(n)})
		r.done(n, "a script")
	}
}

// source reads the text of a script, which is no name.
func (r *rulesReader) source(n *node) string {
	v := r.get(n, "text")
	r.see(field{in: n, name: "text", form: "source", hi: script.SourceMax, required: true})
	switch {
	case v == nil:
		r.need(n, "text")
	case v.Kind != 's' || len(v.Text) > script.SourceMax || v.Text == "":
		r.fail(v, "want a text of at most %d bytes, got %s", script.SourceMax, v.Got())
	default:
		return v.Text
	}
	return ""
}

// program compiles the script that an entry names. Several entries may name one script.
func (r *rulesReader) program(n *node, rs *Ruleset, on *script.Table, effects []string) *script.Program {
	names := make([]string, len(rs.Scripts))
	for i := range rs.Scripts {
		names[i] = rs.Scripts[i].Name
	}
	i, ok := r.ref(n, "script", "script", names)
	if !ok || rs.Scripts[i].Text == "" {
		return nil
	}
	p, faults := script.Compile(names[i], rs.Scripts[i].Text, on, effects)
	v := r.get(n, "script")
	for _, f := range faults {
		v.Bad = true
		noteProblem(&r.broken, Problem{File: f.Script, Line: f.Line, Pointer: v.Pointer(), Why: f.Why})
	}
	return p
}

// modeScript reads the script of a mode, its memory and the effects that it declares.
func (r *rulesReader) modeScript(n *node, rs *Ruleset) *ModeScript {
	if r.get(n, "script") == nil && r.saw == nil {
		return nil
	}
	s := &ModeScript{EveryMs: max(1, r.ms(n, "every", 1000, 3_600_000))}
	vars := r.list(n, "vars", ModeVarsMax)
	r.namesOf(vars)
	for _, v := range vars {
		x := ModeVar{Name: r.modeName(v, "name")}
		if per := r.get(v, "per"); per != nil {
			x.Per = VarPer(r.oneOf(per, "owner of a variable", varPerNames))
		}
		x.Min = int32(r.whole(v, "min", 0, -ValueLimit, ValueLimit-1))
		x.Max = int32(r.whole(v, "max", ValueLimit, int64(x.Min)+1, ValueLimit))
		x.Start = int32(r.whole(v, "start", int64(min(max(0, x.Min), x.Max)), int64(x.Min), int64(x.Max)))
		r.done(v, "a variable")
		s.Vars = append(s.Vars, x)
	}
	s.Timers = r.names(n, "timers", ModeTimersMax)
	writes := slices.Clone(script.Memory)
	for _, v := range r.list(n, "writes", len(script.Modes.Effects)) {
		if i := r.oneOf(v, "effect of scripts", script.Modes.EffectNames()); !v.Bad {
			writes = append(writes, script.Modes.Effects[i].Name)
		}
	}
	s.Program = r.program(n, rs, script.Modes, writes)
	return s
}

// AbilityScript is the script of an ability, and the fields of a kind that go with it.
type AbilityScript struct {
	Program *script.Program
	Aim     uint8 // the target mode of its orders, as in package orders
	Lasting bool  // without a duration it runs until an order stops it
	Rooted  bool  // its unit cannot walk while it runs
	Passive bool  // no order starts it
	EveryMs int32 // between two events "tick"
}

var aimNames = []string{"none", "unit", "ground"}

// abilityScript reads the fields of an ability of kind script.
func (r *rulesReader) abilityScript(n *node, rs *Ruleset) *AbilityScript {
	s := &AbilityScript{
		Lasting: r.boolean(n, "lasting", false), Rooted: r.boolean(n, "rooted", false), Passive: r.boolean(n, "passive", false),
		EveryMs: r.ms(n, "every", 1000, 60_000),
	}
	if i, ok := r.ref(n, "aim", "aim", aimNames); ok {
		s.Aim = uint8(i)
	}
	r.need(n, "script")
	s.Program = r.program(n, rs, script.Abilities, script.Abilities.EffectNames())
	switch {
	case s.Passive && s.Aim != 0:
		r.fail(r.get(n, "aim"), "a passive ability has no aim")
	case !s.Passive && s.Program.Handles("ready"):
		r.fail(r.get(n, "script"), "only a passive ability has a handler of \"ready\"")
	}
	return s
}

// effectScript reads the fields of an effect of kind script.
func (r *rulesReader) effectScript(n *node, rs *Ruleset, e *Effect) {
	e.Kind, e.EveryMs, e.Stacks = EffectScript, r.ms(n, "every", 500, 60_000), uint8(r.whole(n, "stacks", 1, 1, 100))
	if r.get(n, "changes") != nil || r.saw != nil {
		e.Changes = r.changes(n)
	}
	r.need(n, "script")
	e.Script = r.program(n, rs, script.Effects, script.Effects.EffectNames())
}
