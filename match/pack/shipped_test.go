package pack

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/bot/headless"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/scenario"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// act is an order that a player gives to its first units of some types.
type act struct {
	second int
	do     orders.Kind
	x, y   int // in tiles
	of     []string
	count  int    // of the units; 0: all
	make   string // the type that is trained or built
	queued bool
}

// plans win the missions against the orders of the scenarios.
var plans = map[string]struct {
	stars int32
	acts  []act
}{
	"first-ore": {3, firstOre(60, 9, 130)},
	"dark-roads": {2, []act{
		{second: 1, do: orders.Move, x: 68, y: 11, of: []string{"scout"}},
		{second: 1, do: orders.Move, x: 73, y: 13, of: []string{"scout"}, queued: true},
		{second: 1, do: orders.Move, x: 62, y: 47, of: []string{"scout"}, queued: true},
		{second: 1, do: orders.Move, x: 52, y: 42, of: []string{"scout"}, queued: true},
		{second: 1, do: orders.Move, x: 35, y: 75, of: []string{"scout"}, queued: true},
		{second: 1, do: orders.Move, x: 23, y: 82, of: []string{"scout"}, queued: true},
		{second: 1, do: orders.Move, x: 15, y: 15, of: []string{"scout"}, queued: true},
	}},
	"high-ground": {1, []act{
		{second: 1, do: orders.AttackMove, x: 31, y: 20, of: army},
		{second: 30, do: orders.AttackMove, x: 34, y: 13, of: army},
		{second: 90, do: orders.AttackMove, x: 34, y: 55, of: []string{"artillery"}},
		{second: 95, do: orders.AttackMove, x: 33, y: 54, of: []string{"soldier", "scout"}},
		{second: 180, do: orders.AttackMove, x: 44, y: 54, of: army},
		{second: 240, do: orders.AttackMove, x: 50, y: 54, of: army},
		{second: 320, do: orders.AttackMove, x: 54, y: 47, of: army},
		{second: 360, do: orders.AttackMove, x: 50, y: 54, of: army},
	}},
	"the-pass": {3, thePass()},
	"night-raid": {1, []act{
		{second: 1, do: orders.Move, x: 60, y: 30, of: []string{"raider"}},
		{second: 1, do: orders.Move, x: 56, y: 53, of: []string{"raider"}, queued: true},
		{second: 1, do: orders.AttackMove, x: 57, y: 55, of: []string{"raider"}, queued: true},
	}},
	"convoy": {3, []act{
		{second: 1, do: orders.AttackMove, x: 32, y: 31, of: []string{"soldier"}},
		{second: 60, do: orders.AttackMove, x: 45, y: 42, of: []string{"soldier"}},
		{second: 110, do: orders.AttackMove, x: 55, y: 45, of: []string{"soldier"}},
		{second: 130, do: orders.Move, x: 55, y: 45, of: []string{"worker"}},
	}},
	"two-hills": {1, twoHills()},
}

var army = []string{"soldier", "artillery", "scout"}

// thePass trains soldiers without a pause, beside the command centre: before the towers they die one by one.
func thePass() []act {
	out := []act{
		{second: 1, do: orders.Harvest, x: 1, y: 21, of: []string{"worker"}},
		{second: 1, do: orders.SetRally, x: 11, y: 17, of: []string{"barracks"}},
	}
	for s := 1; s < 470; s += 5 {
		out = append(out, act{second: s, do: orders.Train, of: []string{"barracks"}, make: "soldier"})
	}
	return out
}

// twoHills takes the southern hill with all soldiers, then the northern one with the gun and all that were trained.
func twoHills() []act {
	out := []act{
		{second: 1, do: orders.Harvest, x: 1, y: 21, of: []string{"worker"}},
		{second: 1, do: orders.AttackMove, x: 18, y: 53, of: army},
		{second: 1, do: orders.SetRally, x: 20, y: 18, of: []string{"barracks"}},
	}
	for s := 1; s < 500; s += 8 {
		out = append(out, act{second: s, do: orders.Train, of: []string{"barracks"}, make: "soldier"})
	}
	return out
}

// firstOre gathers, trains a worker every few seconds until a time, builds a barracks, and trains soldiers. A builder who
// waits for ore asks again.
func firstOre(build, every, until int) []act {
	out := []act{
		{second: 1, do: orders.Harvest, x: 9, y: 4, of: []string{"worker"}},
		{second: 1, do: orders.SetRally, x: 5, y: 5, of: []string{"command-centre"}},
	}
	for s := 1; s < until; s += every {
		out = append(out, act{second: s, do: orders.Train, of: []string{"command-centre"}, make: "worker"})
		if s < build {
			out = append(out, act{second: s + 2, do: orders.Harvest, x: 5, y: 5, of: []string{"worker"}})
		}
	}
	for s := build; s < build+8; s++ {
		out = append(out, act{second: s, do: orders.Build, x: 16, y: 8, of: []string{"worker"}, count: 1, make: "barracks"})
	}
	out = append(out, act{second: build + 40, do: orders.Harvest, x: 5, y: 5, of: []string{"worker"}})
	for s := build + 20; s < 280; s += 4 {
		out = append(out, act{second: s, do: orders.Train, of: []string{"barracks"}, make: "soldier"})
	}
	return out
}

// TestASteadyPlanLeavesAStar: who builds a little later than they could does not get the third.
func TestASteadyPlanLeavesAStar(t *testing.T) {
	p, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	r := played(t, p, p.Missions[0], firstOre(80, 9, 60)).Result()
	if r == nil || r.Winner != 0 || r.Players[0].Values["stars"] != 2 {
		t.Errorf("result %+v, want a win with two stars", r)
	}
}

// TestEachMissionCanBeWon plays each shipped mission to its last star that a plan reaches.
func TestEachMissionCanBeWon(t *testing.T) {
	p, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Missions) != 8 {
		t.Fatalf("%d missions, want 8", len(p.Missions))
	}
	for _, m := range p.Missions {
		t.Run(m.ID, func(t *testing.T) {
			if m.ID == "last-keep" {
				commanded(t, p, m)
				return
			}
			t.Parallel()
			plan := plans[m.ID]
			w := played(t, p, m, plan.acts)
			r := w.Result()
			if r == nil || r.Winner != 0 || r.Reason != "mission-done" || r.Players[0].Values["stars"] != plan.stars {
				t.Fatalf("tick %d: result %+v, want a win with %d stars", w.Tick(), r, plan.stars)
			}
			for _, o := range m.Objectives {
				if n := r.Players[0].Values[o.Value]; n < o.Goal {
					t.Errorf("won with %s at %d of %d", o.Value, n, o.Goal)
				}
			}
		})
	}
}

// TestMissionsAreLostInTime leaves the player idle.
func TestMissionsAreLostInTime(t *testing.T) {
	p, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	w := played(t, p, p.Missions[1], nil)
	if r := w.Result(); r == nil || r.Winner != 1 || r.Reason != "mission-time" || r.Players[0].Values["stars"] != 0 || w.Tick() != 12_000 {
		t.Errorf("tick %d: result %+v, want a loss without stars after ten minutes", w.Tick(), r)
	}
}

// TestWrongMissions: each wrong mission is refused with its place.
func TestWrongMissions(t *testing.T) {
	for _, x := range []struct{ file, text, by, want string }{
		{"pack.json", `"scenario": "first-ore"`, `"scenario": 7`, `pack.json:8: /missions/0: a mission needs the name of its "scenario"`},
		{"pack.json", `"scenario": "first-ore"`, `"scenario": "second-ore"`, `pack.json:8: /missions/0/scenario: the pack has no scenario "second-ore"`},
		{"pack.json", `"scenario": "dark-roads", "objectives": {"camps": 3, "home": 1}`, `"scenario": "first-ore", "objectives": {"workers": 3}`, `pack.json:9: /missions/1/scenario: "first-ore" is a mission already`},
		{"pack.json", `"home": 1`, `"hone": 1`, `pack.json:9: /missions/1/objectives/hone: the mode "dark-roads" has no value "hone"`},
		{"pack.json", `"home": 1`, `"home": 0`, `pack.json:9: /missions/1/objectives/home: want a whole number from 1 to 1000000, got 0`},
		{"pack.json", `"home": 1`, `"home": 1.5`, `/missions/1/objectives/home: want a whole number`},
		{"pack.json", `{"camps": 3, "home": 1}`, `{}`, `pack.json:9: /missions/1: a mission needs "objectives"`},
		{"pack.json", `"scenario": "dark-roads"`, `"goal": 1, "scenario": "dark-roads"`, `pack.json:9: /missions/1/goal: unknown name "goal"`},
		{"scenarios/dark-roads.json", `"start": 2, "bot": true`, `"start": 2`, `pack.json:9: /missions/1/scenario: the scenario has 2 seats without a bot, a mission has one`},
		{"scenarios/dark-roads.json", `"mode": "dark-roads"`, `"mode": "skirmish"`, `the scenario's mode "skirmish" is not of a ruleset of this pack`},
		{"scenarios/dark-roads.json", `"mode": "dark-roads"`, `"mode": "first-ore"`, `the mode "first-ore" has no value "camps"`},
		{"rules/missions.json", `{"name": "home"}, {"name": "stars"}`, `{"name": "home"}, {"name": "star"}`, `pack.json:9: /missions/1/scenario: the mode "dark-roads" has no value "stars"`},
		{"texts/en.json", `"home": "Bring a scout home",`, ``, `pack.json:9: /missions/1/objectives/home: texts/en.json has no "modeValue.home"`},
		{"texts/en.json", `"dark-roads": "Dark roads",`, ``, `texts/en.json has no "mission.dark-roads"`},
		{"texts/en.json", `"dark-roads": "A star for each scout that lives.",`, ``, `texts/en.json has no "stars.dark-roads"`},
	} {
		src, err := shippedSource()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(src.files[x.file]), x.text) {
			t.Fatalf("%s has no %q", x.file, x.text)
		}
		for _, name := range src.under("scenarios", ".json") { // two are enough
			if m := path.Base(name); m != "first-ore.json" && m != "dark-roads.json" {
				delete(src.files, name)
			}
		}
		src.files[x.file] = []byte(strings.ReplaceAll(string(src.files[x.file]), x.text, x.by))
		if _, err := check(src, nil); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %s: %v\nwant %s", x.file, x.by, err, x.want)
		}
	}
}

func lab(t *testing.T, p *Pack, m Mission) *scenario.Lab {
	t.Helper()
	i := slices.IndexFunc(p.Scenarios, func(s Scenario) bool { return s.Name == m.ID })
	maps, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.Scenarios[i].read.Make(scenario.Library{
		Map: func(id string) (*grid.Map, bool) {
			e, ok := maps.ByID(id)
			return e.Map, ok
		},
		Ruleset: func(string) (*rules.Ruleset, bool) { return p.Rulesets[0].Rules, true },
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// played plays a mission with a plan against the orders of its scenario.
func played(t *testing.T, p *Pack, m Mission, acts []act) *sim.World {
	t.Helper()
	l := lab(t, p, m)
	w, err := sim.New(l.Setup)
	if err != nil {
		t.Fatal(err)
	}
	seq := uint32(0)
	for w.Result() == nil && w.Tick() < 13_000 {
		var in []sim.Input
		give := func(o sim.Scripted) {
			seq++
			in = append(in, w.Input(&o, seq))
		}
		for _, a := range acts {
			if grid.Tick(a.second*w.TickRate()) == w.Tick() {
				give(a.scripted(w, p.Rulesets[0].Rules))
			}
		}
		for _, o := range l.Script {
			if o.Tick == w.Tick()+1 {
				give(o)
			}
		}
		out := w.Step(in)
		if len(out.Faults) > 0 {
			t.Fatalf("tick %d: %v", w.Tick(), out.Faults)
		}
	}
	return w
}

func (a *act) scripted(w *sim.World, rs *rules.Ruleset) sim.Scripted {
	o := sim.Scripted{Tick: w.Tick() + 1}
	o.Order.Kind, o.Order.Queued = a.do, a.queued
	if a.x != 0 {
		o.Order.HasPoint, o.Order.Point = true, grid.Tile{X: int16(a.x), Y: int16(a.y)}.Center()
	}
	o.Order.Type, _ = rs.TypeByName(a.make)
	for _, e := range w.Entities() {
		if e.Slot() == 0 && slices.Contains(a.of, rs.Types[e.Type()].Name) && (a.count == 0 || len(o.Units) < a.count) {
			o.Units = append(o.Units, e.ID())
		}
	}
	return o
}

// commanded plays a mission between bots, the stronger one in the player's seat.
func commanded(t *testing.T, p *Pack, m Mission) {
	l := lab(t, p, m)
	r, err := headless.Match{
		Map: l.Setup.Map, Rules: l.Setup.Rules, Seed: l.Setup.Seed, Options: l.Setup.Options, Start: l.Setup.Start, LimitSeconds: 700,
		Seats: []headless.Seat{{New: bot.Hard.New, Team: 0, Start: 0}, {New: bot.Medium.New, Team: 1, Start: 1}},
	}.Play()
	if err != nil || r.Winner != 0 || r.Reason != "mission-done" {
		t.Errorf("result %+v, %v, want a win", r, err)
	}
}
