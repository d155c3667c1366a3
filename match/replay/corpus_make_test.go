package replay_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/bot/headless"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
)

// This file makes the journals of testdata/corpus: go test ./match/replay -run
// TestCorpus -update. Each is a short match that plays out a part of the game.

// scene is a match that is played to a script.
type scene struct {
	name    string
	about   string
	seconds int
	rules   *rules.Ruleset
	players []sim.Player
	options sim.Options
	script  func(s *stage) // is called before each tick, and gives orders
}

const corpusRate = 20

// stage is a scene that is played.
type stage struct {
	t     *testing.T
	w     *sim.World
	in    []sim.Input
	seq   [grid.SlotsMax]uint32
	stops bool // a hand-over after the next tick
}

// at reports whether the next tick belongs to a time in seconds.
func (s *stage) at(seconds float64) bool { return s.w.Tick() == grid.Tick(seconds*corpusRate) }

// units are the handles of a player's units of some types.
func (s *stage) units(slot grid.Slot, types ...string) (out []grid.Handle) {
	for _, x := range s.w.Knowledge(s.w.Player(slot).Team).Seen(nil) {
		e := s.w.Entity(x.ID)
		for _, name := range types {
			if e.Slot() == slot && s.w.Rules().Types[e.Type()].Name == name {
				out = append(out, x.Handle)
			}
		}
	}
	if len(out) == 0 {
		s.t.Fatalf("tick %d: slot %d has none of %v", s.w.Tick(), slot, types)
	}
	return out
}

// foe is an enemy of a type that a player sees.
func (s *stage) foe(slot grid.Slot, name string) grid.Handle {
	team := s.w.Player(slot).Team
	for _, x := range s.w.Knowledge(team).Seen(nil) {
		if e := s.w.Entity(x.ID); e.Team() != team && s.w.Rules().Types[e.Type()].Name == name {
			return x.Handle
		}
	}
	s.t.Fatalf("tick %d: slot %d sees no %s", s.w.Tick(), slot, name)
	return 0
}

func (s *stage) input(in sim.Input) { s.in = append(s.in, in) }

func (s *stage) order(slot grid.Slot, o orders.Order) {
	s.seq[slot]++
	s.input(sim.Input{Kind: sim.InputOrder, Slot: slot, Seq: s.seq[slot], AsOf: s.w.Tick(), Order: o})
}

// send gives an order at a place in tiles.
func (s *stage) send(slot grid.Slot, k orders.Kind, units []grid.Handle, x, y int32) {
	s.order(slot, orders.Order{Kind: k, Units: units, HasPoint: true, Point: tiles(x, y)})
}

func tiles(x, y int32) grid.Pos { return grid.Tile{X: int16(x), Y: int16(y)}.Center() }

func (s *stage) typ(name string) uint16 {
	n, ok := s.w.Rules().TypeByName(name)
	if !ok {
		s.t.Fatalf("no type %s", name)
	}
	return n
}

func (s *stage) ability(name string) uint8 {
	n, ok := s.w.Rules().AbilityByName(name)
	if !ok {
		s.t.Fatalf("no ability %s", name)
	}
	return n
}

// use starts an ability without a target, or at o's target.
func (s *stage) use(slot grid.Slot, units []grid.Handle, ability string, o orders.Order) {
	o.Kind, o.Units, o.Ability = orders.UseAbility, units, s.ability(ability)
	s.order(slot, o)
}

// corpusMap is a field with a hill in its middle, and rocks beside it.
func corpusMap() *grid.Map {
	m := grid.NewMap("corpus", 40, 32)
	for y := 13; y < 20; y++ {
		for x := 17; x < 24; x++ {
			m.Levels[y*m.W+x] = 1
		}
	}
	for x := 14; x < 26; x += 3 {
		m.Terrain[24*m.W+x], m.Pass[24*m.W+x] = grid.Cliff, grid.PassOf(grid.Cliff)
	}
	m.Starts = []grid.Tile{{X: 9, Y: 9}, {X: 30, Y: 22}, {X: 30, Y: 9}, {X: 9, Y: 22}}
	m.Resources = []grid.Tile{{X: 4, Y: 6}, {X: 4, Y: 10}, {X: 35, Y: 21}, {X: 35, Y: 25}, {X: 35, Y: 6}, {X: 35, Y: 10}, {X: 4, Y: 21}, {X: 4, Y: 25}}
	return m
}

// corpusRules is the shipped ruleset with another beginning.
func corpusRules(t *testing.T, start string, settings map[string]any) *rules.Ruleset {
	t.Helper()
	set, err := simtest.LandmarkRules()
	if err != nil {
		t.Fatal(err)
	}
	return changedRules(t, set.Source, start, settings)
}

func changedRules(t *testing.T, source []byte, start string, settings map[string]any) *rules.Ruleset {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(source, &doc); err != nil {
		t.Fatal(err)
	}
	doc["start"] = json.RawMessage(start)
	for k, v := range settings {
		doc["settings"].(map[string]any)[k] = v
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	set, err := rules.Parse("corpus.json", b)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

var (
	twoPlayers   = []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}
	threePlayers = []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 2, Start: 2, Bot: true}}
	twoTeams     = []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 0, Start: 3}, {Team: 1, Start: 2, Bot: true}}
)

// scenes are the matches of the corpus, but for those between bots.
func scenes(t *testing.T) []scene {
	army := `[{"type": "command-centre"}, {"type": "caster", "count": 2}, {"type": "detector"}, {"type": "raider", "count": 2},
		{"type": "scout"}, {"type": "soldier", "count": 5}, {"type": "artillery", "grant": ["deploy"]}, {"type": "flyer"}]`
	village := `[{"type": "command-centre"}, {"type": "worker", "count": 6}, {"type": "barracks"}, {"type": "soldier", "count": 2}, {"type": "wall"}]`
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	rich := map[string]any{"start_stock": map[string]int{"ore": 3000, "gas": 1000}}
	return []scene{{
		name: "abilities", about: "each ability and each effect of the shipped rules, and a fight to a surrender", seconds: 30,
		rules: corpusRules(t, army, nil), players: twoPlayers, script: playAbilities,
	}, {
		name: "base", about: "harvest, build, train, rally points, cancelled work, an expansion", seconds: 90,
		rules: corpusRules(t, village, rich), players: twoPlayers, script: playBase,
	}, {
		name: "capture", about: "a landmark and a barracks change hands, a wall is destroyed", seconds: 50,
		rules: corpusRules(t, village, nil), players: twoPlayers, script: playCapture,
	}, {
		name: "people", about: "chat, pings, pauses, refused orders, absences, a take-over, two hand-overs, a team-mate's estate", seconds: 25,
		rules: shipped, players: twoTeams, options: sim.Options{AbandonMs: 60_000}, script: playPeople,
	}, {
		name: "deathmatch", about: "three teams to a score limit", seconds: 60,
		rules: corpusRules(t, army, nil), players: threePlayers, options: sim.Options{Mode: "deathmatch", ScoreLimit: 60}, script: playDeathmatch,
	}, {
		name: "scripted", about: "a mode, an ability and an effect by scripts", seconds: 25,
		rules: scriptedRules(t), players: twoPlayers, options: sim.Options{Mode: "script-hill"}, script: playScripted,
	}, {
		name: "movers", about: "repair, a wreck, salvage, a ride in a transport, an area that heals", seconds: 25,
		rules: moversRules(t), players: twoPlayers, script: playMovers,
	}}
}

func playAbilities(s *stage) {
	switch {
	case s.at(0.5):
		s.use(0, s.units(0, "scout"), "sprint", orders.Order{})
		s.send(0, orders.Move, s.units(0, "scout"), 22, 16)
		s.use(0, s.units(0, "artillery"), "deploy", orders.Order{})
		s.use(1, s.units(1, "raider"), "cloak", orders.Order{})
	case s.at(1):
		s.use(0, s.units(0, "command-centre"), "scan", orders.Order{HasPoint: true, Point: tiles(28, 20)})
		s.send(1, orders.Move, s.units(1, "raider"), 14, 12)
		army := orders.Order{Kind: orders.AttackMove, Units: s.units(1, "soldier", "caster", "detector", "flyer"), HasPoint: true, Point: tiles(14, 12), Together: true}
		s.order(1, army)
		s.send(0, orders.AttackMove, s.units(0, "soldier", "caster", "detector"), 16, 13)
	case s.at(5):
		s.use(1, s.units(1, "detector"), "shield", orders.Order{Target: s.units(1, "soldier")[0]})
		s.order(0, orders.Order{Kind: orders.StopAbility, Units: s.units(0, "artillery"), Ability: s.ability("deploy")})
	case s.at(6):
		s.order(1, orders.Order{Kind: orders.StopAbility, Units: s.units(1, "raider")[:1], Ability: s.ability("cloak")})
		s.send(0, orders.AttackGround, s.units(0, "artillery"), 18, 15)
		s.order(1, orders.Order{Kind: orders.Fire, Units: s.units(1, "soldier")[:1], Item: orders.FireHold})
	case s.at(7):
		s.use(0, s.units(0, "caster")[:1], "burn", orders.Order{HasPoint: true, Point: tiles(20, 16)})
		s.use(0, s.units(0, "caster")[1:], "slow", orders.Order{Target: s.foe(0, "soldier")})
		s.order(0, orders.Order{Kind: orders.Attack, Units: s.units(0, "soldier")[:1], Target: s.foe(0, "soldier")})
	case s.at(28):
		s.order(1, orders.Order{Kind: orders.Surrender})
	}
}

func playBase(s *stage) {
	workers := func(slot grid.Slot, from, to int) []grid.Handle { return s.units(slot, "worker")[from:to] }
	switch {
	case s.at(0.5):
		s.order(0, orders.Order{Kind: orders.Build, Units: workers(0, 0, 2), HasPoint: true, Point: tiles(27, 8), Type: s.typ("command-centre")})
		s.order(0, orders.Order{Kind: orders.Build, Units: workers(0, 2, 3), HasPoint: true, Point: tiles(14, 12), Type: s.typ("wall")})
		s.order(0, orders.Order{Kind: orders.Build, Units: workers(0, 2, 3), HasPoint: true, Point: tiles(14, 14), Type: s.typ("tower"), Queued: true})
		s.send(0, orders.Harvest, workers(0, 3, 5), 4, 10)
		s.order(1, orders.Order{Kind: orders.Build, Units: workers(1, 0, 1), HasPoint: true, Point: tiles(24, 20), Type: s.typ("factory")})
		for _, typ := range []string{"soldier", "caster", "raider"} {
			s.order(0, orders.Order{Kind: orders.Train, Units: s.units(0, "barracks"), Type: s.typ(typ)})
		}
		s.send(0, orders.SetRally, s.units(0, "barracks"), 16, 16)
		s.order(1, orders.Order{Kind: orders.Train, Units: s.units(1, "command-centre"), Type: s.typ("scout")})
	case s.at(3):
		s.order(0, orders.Order{Kind: orders.Cancel, Units: s.units(0, "barracks"), Item: 1})
		s.send(0, orders.Patrol, s.units(0, "soldier")[:1], 20, 12)
		s.order(0, orders.Order{Kind: orders.Follow, Units: s.units(0, "soldier")[1:2], Target: workers(0, 0, 1)[0]})
	case s.at(12):
		s.order(1, orders.Order{Kind: orders.Cancel, Units: s.units(1, "factory")})
		s.order(0, orders.Order{Kind: orders.Hold, Units: s.units(0, "soldier")[:1]})
	case s.at(13):
		s.order(0, orders.Order{Kind: orders.Stop, Units: s.units(0, "soldier")[1:2]})
	case s.at(85):
		s.stops = true // and nothing follows
	}
}

func playCapture(s *stage) {
	switch {
	case s.at(0.5):
		s.send(0, orders.Move, s.units(0, "soldier"), 19, 17)
	case s.at(12):
		s.send(0, orders.Move, s.units(0, "soldier"), 26, 21)
		// The barracks is captured, not fought for.
		s.order(0, orders.Order{Kind: orders.Fire, Units: s.units(0, "soldier"), Item: orders.FireHold})
		s.send(1, orders.Move, s.units(1, "soldier"), 36, 28)
	case s.at(20):
		s.order(0, orders.Order{Kind: orders.Attack, Units: s.units(0, "soldier", "worker"), Target: s.foe(0, "wall")})
	}
}

func playPeople(s *stage) {
	switch {
	case s.at(0):
		for slot := range grid.Slot(3) {
			s.input(sim.Input{Kind: sim.InputJoined, Slot: slot, All: true})
		}
		s.input(sim.Input{Kind: sim.InputToken, Slot: 0, Seq: 1})
		s.input(sim.Input{Kind: sim.InputBudget, Slot: grid.NoSlot, Seq: 200_000})
	case s.at(1):
		s.input(sim.Input{Kind: sim.InputChat, Slot: 0, Seq: 1, All: true, Text: "good luck, have fun"})
		s.input(sim.Input{Kind: sim.InputChat, Slot: 0, Seq: 2, Text: "I go north"})
		s.input(sim.Input{Kind: sim.InputPing, Slot: 1, Seq: 1, Ping: sim.PingDanger, Point: tiles(20, 10)})
		s.input(sim.Input{Kind: sim.InputPing, Slot: 1, Seq: 2, Ping: 99, Point: tiles(20, 10)})
		s.seq[0], s.seq[1] = 2, 2
	case s.at(2):
		s.input(sim.Input{Kind: sim.InputSpeed, Slot: 0, Seq: 100, All: true})
	case s.at(2.05):
		s.input(sim.Input{Kind: sim.InputSpeed, Slot: 0, Seq: 150})
	case s.at(3):
		s.order(0, orders.Order{Kind: orders.Move, Units: []grid.Handle{9999}, HasPoint: true, Point: tiles(3, 3)})
		s.order(0, orders.Order{Kind: orders.Train, Units: s.units(0, "command-centre"), Type: s.typ("soldier")})
		for range 70 { // more than may be given at once
			s.send(1, orders.Move, s.units(1, "scout"), 20, 16)
		}
		s.seq[0]--
		s.order(0, orders.Order{Kind: orders.Train, Units: s.units(0, "command-centre"), Type: s.typ("soldier")}) // again
	case s.at(5):
		s.input(sim.Input{Kind: sim.InputAway, Slot: 1})
		s.input(sim.Input{Kind: sim.InputTaken, Slot: 3, Seq: 1, Text: sim.TakenText("account-4", "Dora")})
		s.stops = true
	case s.at(6):
		s.input(sim.Input{Kind: sim.InputKept, Slot: grid.NoSlot, All: true})
	case s.at(8):
		s.input(sim.Input{Kind: sim.InputJoined, Slot: 1})
	case s.at(10):
		s.input(sim.Input{Kind: sim.InputAway, Slot: 2})
	case s.at(14):
		s.input(sim.Input{Kind: sim.InputGone, Slot: 2})
	case s.at(16):
		s.send(0, orders.AttackMove, s.units(0, "soldier"), 30, 22)
		s.input(sim.Input{Kind: sim.InputLeft, Slot: 1})
	}
}

func playDeathmatch(s *stage) {
	if s.at(0.5) {
		for slot := range grid.Slot(3) {
			s.send(slot, orders.AttackMove, s.units(slot, "soldier", "caster", "raider", "flyer", "scout"), 24, 14)
		}
	}
}

func playScripted(s *stage) {
	if s.at(0.5) {
		for slot := range grid.Slot(2) {
			s.send(slot, orders.AttackMove, s.units(slot, "guard")[:4-3*slot], 20, 16)
		}
	}
}

// scriptedRules have a mode, an ability and an effect by scripts.
func scriptedRules(t *testing.T) *rules.Ruleset {
	t.Helper()
	text, err := rules.WithScripts([]byte(`{
		"name": "scripted-guards", "start": [{"type": "hut"}, {"type": "guard", "count": 4}],
		"modes": [{"name": "script-hill", "script": "hill.star", "writes": ["win"], "areas": [{"name": "hill", "radius": 5}],
			"vars": [{"name": "held", "per": "team"}]}],
		"effects": [{"name": "dazed", "kind": "script", "script": "daze.star", "duration": 3, "every": 1, "stacks": 2,
			"changes": [{"attribute": "speed", "percent": 80}]}],
		"abilities": [{"name": "shove", "kind": "script", "script": "shove.star", "passive": true, "every": 0.1, "cooldown": 2, "radius": 3}],
		"types": [
			{"name": "guard", "health": 60, "sight": 9, "radius": 0.3, "speed": 2.5, "abilities": ["shove"]},
			{"name": "hut", "class": "structure", "health": 300, "sight": 7, "width": 2, "height": 2, "centre": true}
		]}`), map[string]string{
		"hill.star": `
def tick(w):
    teams = [u.team for u in w.inside("hill")]
    if not teams or [t for t in teams if t != teams[0]]:
        return []
    held = w.var("held", teams[0]) + 1
    return [set_var("held", held, of = teams[0])] + ([win(teams[0], "hill-held")] if held == 5 else [])
`,
		"shove.star": `
def _foes(u): return [x for x in u.near(u.radius) if x.kind == "unit" and x.team != u.team]
def ready(u): return len(_foes(u)) > 0
def start(u):
    out = []
    for x in _foes(u):
        out += [push(x, x.x - u.self.x, x.y - u.self.y), put(x, "dazed")]
    return out
`,
		"daze.star": "def tick(u): return damage(u.self, 8 + u.random(8, key = 1))\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	set, err := rules.Parse("scripted-guards.json", text)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// moversRules have units that repair, leave wrecks and salvage them.
func moversRules(t *testing.T) *rules.Ruleset {
	t.Helper()
	set, err := rules.Parse("movers.json", []byte(`{
		"name": "movers", "resources": ["ore"], "settings": {"start_stock": {"ore": 100}},
		"start": [{"type": "hut"}, {"type": "worker", "count": 2}, {"type": "tank", "count": 2}, {"type": "lifter"}],
		"weapons": [{"name": "gun", "range": 4, "cooldown": 1, "damage": 30}],
		"effects": [{"name": "mended", "kind": "modify", "duration": 1, "changes": [{"attribute": "regen", "add": 3}]}],
		"abilities": [{"name": "haven", "kind": "area", "look": "haven", "effect": "mended", "targets": "friends", "range": 4, "radius": 2, "duration": 4}],
		"types": [
			{"name": "haven", "class": "projectile"},
			{"name": "worker", "abilities": ["haven"], "health": 40, "sight": 6, "radius": 0.3, "speed": 3, "harvest": {"carry": 8, "time": 1},
			 "repairs": {"types": ["tank", "hut"], "health": 15, "percent": 50}},
			{"name": "tank", "health": 90, "sight": 7, "radius": 0.4, "speed": 3, "weapons": ["gun"], "cost": {"ore": 60}, "wreck": {"type": "scrap", "time": 15}},
			{"name": "hut", "class": "structure", "health": 300, "sight": 7, "width": 2, "height": 2, "centre": true, "drop_off": true},
			{"name": "lifter", "movement": "air", "health": 60, "sight": 5, "radius": 0.4, "speed": 4, "transport": {"types": ["tank"], "every": 0.5}},
			{"name": "scrap", "class": "resource", "resource": "ore", "stock": 60}
		]}`))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func playMovers(s *stage) {
	switch {
	case s.at(0.5):
		s.send(0, orders.AttackMove, s.units(0, "tank"), 19, 16)
		s.order(1, orders.Order{Kind: orders.Board, Units: s.units(1, "tank")[1:], Target: s.units(1, "lifter")[0]})
		s.send(1, orders.AttackMove, s.units(1, "tank")[:1], 20, 17)
	case s.at(5):
		s.send(1, orders.Unload, s.units(1, "lifter"), 34, 28)
		s.use(0, s.units(0, "worker")[1:], "haven", orders.Order{HasPoint: true, Point: tiles(18, 16)})
		s.send(0, orders.Move, s.units(0, "worker")[:1], 15, 14)
	case s.at(9):
		s.send(0, orders.Move, s.units(0, "tank")[:1], 15, 15)
		s.order(0, orders.Order{Kind: orders.Repair, Units: s.units(0, "worker")[:1], Target: s.units(0, "tank")[0]})
		s.send(0, orders.Harvest, s.units(0, "worker")[1:], 20, 17)
	}
}

// play plays a scene and returns its journal.
func (c *scene) play(t *testing.T) [][]byte {
	t.Helper()
	setup := sim.Setup{Map: corpusMap(), Rules: c.rules, Seed: 18, TickRate: corpusRate, Players: c.players, Options: c.options}
	recs := corpusSetup(t, c.name, setup)
	w, err := sim.New(setup)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	s := &stage{t: t, w: w}
	after := false // a hand-over: the next tick has a record whatever happens
	for w.Result() == nil && int(w.Tick()) < c.seconds*corpusRate {
		s.in = s.in[:0]
		c.script(s)
		out := w.Step(s.in)
		rec := journal.Tick{Tick: out.Tick, Inputs: sim.Compact(nil, s.in, out.Answers, len(c.players)), Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
		if !rec.Empty() || after {
			recs = append(recs, journal.AppendTick(nil, &rec))
		}
		if after = s.stops; s.stops {
			s.stops = false
			recs = append(recs, journal.StopRecord(journal.Stop{Tick: out.Tick, Hash: w.Rolling()}))
			if c.name == "base" {
				return recs
			}
		}
		if out.Ended != nil {
			recs = append(recs, journal.EndedRecord(*out.Ended), journal.DeliveredRecord())
		}
	}
	if w.Result() == nil && c.name == "capture" {
		recs = append(recs, journal.FailedRecord("the match broke off"))
	}
	return recs
}

func corpusSetup(t *testing.T, name string, setup sim.Setup) [][]byte {
	t.Helper()
	type seat struct {
		Name  string
		Color uint8
		Bot   bool
	}
	var extra struct {
		Seats []seat `json:"seats"`
	}
	for i, p := range setup.Players {
		extra.Seats = append(extra.Seats, seat{[]string{"Ada", "Bob", "Cleo", "Dan"}[i], uint8(i), p.Bot})
	}
	b, err := json.Marshal(extra)
	if err != nil {
		t.Fatal(err)
	}
	recs, err := journal.SetupRecords(journal.Header{Match: name, Build: "corpus", Extra: b}, setup)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return recs
}

// botMatch is a match between two bots, which play as people do: they gather, build,
// train and attack.
func botMatch(t *testing.T) (recs [][]byte) {
	t.Helper()
	set := corpusRules(t, `[{"type": "command-centre"}, {"type": "worker", "count": 6}, {"type": "soldier", "count": 3}]`,
		map[string]any{"start_stock": map[string]int{"ore": 900, "gas": 300}})
	m := headless.Match{
		Map: corpusMap(), Rules: set, Seed: 5, TickRate: 10, LimitSeconds: 120,
		Recorded: func(rec []byte) error {
			recs = append(recs, append([]byte(nil), rec...))
			return nil
		},
	}
	for i, level := range []bot.Level{bot.Hard, bot.Medium} {
		m.Seats = append(m.Seats, headless.Seat{New: level.New, Team: grid.Team(i), Start: i})
	}
	if _, err := m.Play(); err != nil {
		t.Fatal(err)
	}
	return recs
}

// writeCorpus makes the whole corpus anew.
func writeCorpus(t *testing.T, dir string) {
	t.Helper()
	all := map[string][][]byte{"bots": botMatch(t)}
	for _, c := range scenes(t) {
		all[c.name] = c.play(t)
	}
	old, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	for name, recs := range all {
		f, err := os.Create(filepath.Join(dir, name+".journal"))
		if err == nil {
			err = journal.Export(f, reading(recs))
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", name, err))
		}
	}
}

// reading yields records.
func reading(recs [][]byte) journal.Reader {
	return func(each func(uint64, []byte) error) error {
		for n, r := range recs {
			if err := each(uint64(n), r); err != nil {
				return err
			}
		}
		return nil
	}
}
