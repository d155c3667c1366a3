package headless

import (
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// strait returns a map that a strait of five tiles splits, and skirmish with docks, ferries and gunboats.
func strait(t *testing.T) (*grid.Map, *rules.Ruleset) {
	t.Helper()
	m := grid.NewMap("Strait", 64, 32)
	m.Starts = []grid.Tile{{X: 10, Y: 16}, {X: 53, Y: 16}}
	for _, at := range []grid.Tile{{X: 4, Y: 12}, {X: 4, Y: 15}, {X: 4, Y: 18}} {
		m.Resources = append(m.Resources, at, grid.Tile{X: 63 - at.X, Y: at.Y})
	}
	for y := range int16(32) {
		for x := int16(30); x < 35; x++ {
			i := m.Index(grid.Tile{X: x, Y: y})
			m.Terrain[i], m.Pass[i] = grid.Water, grid.PassOf(grid.Water)|1<<grid.Naval
		}
	}
	source, err := rules.ShippedText("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), `"builds": ["command-centre", `, `"builds": ["command-centre", "dock", `, 1)
	text = strings.Replace(text, `    {"name": "ore-field",`, `
    {"name": "dock", "class": "structure", "shore": true, "width": 3, "height": 2, "health": 500, "sight": 6, "cost": {"ore": 100},
     "build": 10, "trains": ["ferry", "gunboat"]},
    {"name": "ferry", "movement": "naval", "radius": 0.4, "speed": 4, "turn": 768, "health": 200, "sight": 6, "cost": {"ore": 60},
     "build": 8, "pop": 1, "transport": {"slots": 6, "types": ["soldier", "artillery", "caster", "raider"], "every": 0.25, "range": 1.5}},
    {"name": "gunboat", "movement": "naval", "radius": 0.4, "speed": 3, "turn": 512, "health": 150, "sight": 8, "cost": {"ore": 120},
     "build": 14, "pop": 1, "weapons": ["tower-gun"]},
    {"name": "ore-field",`, 1)
	rs, err := rules.Parse("strait.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m, rs
}

// Over a strait a bot of a level that sails builds a dock and ships, lands its army, and beats one below it.
func TestBotsWinOverWater(t *testing.T) {
	t.Parallel()
	m, rs := strait(t)
	made := func(r Result, slot int, name string) int {
		n, _ := rs.TypeByName(name)
		return r.Seats[slot].Use[n].Made
	}
	for _, pair := range [][2]bot.Level{{bot.Easy, bot.Medium}, {bot.Medium, bot.Hard}} {
		r, err := told(t, Match{
			Map: m, Rules: rs, Seed: 3, TickRate: 5, FrameTicks: 2, LimitSeconds: 2400,
			Seats: []Seat{{New: pair[0].New, Team: 0}, {New: pair[1].New, Team: 1, Start: 1}},
		}).Play()
		if err != nil {
			t.Fatal(err)
		}
		if r.Winner != 1 || made(r, 1, "ferry") == 0 || made(r, 1, "gunboat") == 0 {
			t.Errorf("%v: team %d won after %d ticks, %s, with %d ferries and %d gunboats", pair, r.Winner, r.Ticks, r.Reason, made(r, 1, "ferry"), made(r, 1, "gunboat"))
		}
		if docks := made(r, 0, "dock"); docks > 0 != (pair[0] == bot.Medium) {
			t.Errorf("%v made %d docks", pair[0], docks)
		}
	}
}
