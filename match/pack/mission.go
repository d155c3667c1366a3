package pack

import (
	"slices"

	"github.com/fogkeep/fogkeep/internal/strictjson"
	"github.com/fogkeep/fogkeep/match/rules"
)

const (
	missionsMax = 32 // of a pack
	goalMax     = 1_000_000
)

// starsValue is the value of a mode that counts the stars of a mission.
const starsValue = "stars"

// Mission is a scenario that one person plays against the server for up to three stars. The mode of the scenario judges it:
// its values count the objectives, and its value "stars" the stars.
type Mission struct {
	ID         string      `json:"id"`   // the name of the scenario
	Mode       string      `json:"mode"` // of the scenario
	Objectives []Objective `json:"objectives"`
}

// Objective is a value of the mission's mode that reaches a goal.
type Objective struct {
	Value string `json:"value"`
	Goal  int32  `json:"goal"`
}

// missions reads the manifest's list of missions.
func (m *manifest) missions(p *Pack) error {
	rows := member(m.root, "missions")
	if rows == nil {
		return nil
	}
	if rows.Kind != '[' || len(rows.Kids) > missionsMax {
		m.fail(rows, "want a list of at most %d missions, got %s", missionsMax, rows.Got())
		return m.err()
	}
	for _, row := range rows.Kids {
		m.only(row, "scenario", "objectives")
		if id := member(row, "scenario"); id == nil || id.Kind != 's' {
			m.fail(row, `a mission needs the name of its "scenario"`)
		} else if out := (Mission{ID: id.Text}); m.mission(p, id, member(row, "objectives"), &out) {
			p.Missions = append(p.Missions, out)
		}
	}
	return m.err()
}

// mission checks a mission, and reads its objectives.
func (m *manifest) mission(p *Pack, id, objectives *strictjson.Node, out *Mission) bool {
	before := len(m.found)
	i := slices.IndexFunc(p.Scenarios, func(s Scenario) bool { return s.Name == out.ID })
	if i < 0 {
		m.fail(id, "the pack has no scenario %q", strictjson.Cut(out.ID))
		return false
	}
	if slices.ContainsFunc(p.Missions, func(o Mission) bool { return o.ID == out.ID }) {
		m.fail(id, "%q is a mission already", out.ID)
	}
	people, mode := 0, (*rules.Mode)(nil)
	s := p.Scenarios[i].read
	for _, seat := range s.Seats {
		if !seat.Bot {
			people++
		}
	}
	if people != 1 {
		m.fail(id, "the scenario has %d seats without a bot, a mission has one", people)
	}
	for _, rs := range p.Rulesets {
		if rs.ID == s.Ruleset {
			mode = rs.Rules.ModeByName(s.Options.Mode)
		}
	}
	if mode == nil {
		m.fail(id, "the scenario's mode %q is not of a ruleset of this pack", strictjson.Cut(s.Options.Mode))
		return false
	}
	out.Mode = mode.Name
	has := func(value string) bool {
		return slices.ContainsFunc(mode.Values, func(v rules.ModeValue) bool { return v.Name == value })
	}
	if !has(starsValue) {
		m.fail(id, "the mode %q has no value %q", mode.Name, starsValue)
	}
	if objectives == nil || objectives.Kind != '{' || len(objectives.Kids) == 0 {
		m.fail(id.In, `a mission needs "objectives": names of values of its mode, each with its goal`)
		return false
	}
	for _, o := range objectives.Kids {
		goal, whole := o.Milli()
		switch {
		case !has(o.Name):
			m.fail(o, "the mode %q has no value %q", mode.Name, strictjson.Cut(o.Name))
		case !whole || goal%1000 != 0 || goal < 1000 || goal > goalMax*1000:
			m.fail(o, "want a whole number from 1 to %d, got %s", goalMax, o.Got())
		}
		out.Objectives = append(out.Objectives, Objective{o.Name, int32(goal / 1000)})
		m.named(p, o, "modeValue."+o.Name)
	}
	m.named(p, id, "mission."+out.ID)
	m.named(p, id, "briefing."+out.ID)
	m.named(p, id, "stars."+out.ID)
	return len(m.found) == before
}

// named refuses a name of a mission for which texts/en.json has no text.
func (m *manifest) named(p *Pack, at *strictjson.Node, key string) {
	if p.texts["en"][key] == "" {
		m.fail(at, "texts/en.json has no %q", strictjson.Cut(key))
	}
}
