package headless

import (
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// walled returns a map that a cliff splits, with a shut gate in the cliff and a lever on each side, and skirmish with both.
func walled(t *testing.T) (*grid.Map, *rules.Ruleset) {
	t.Helper()
	m := grid.NewMap("Walled", 64, 32)
	m.Starts = []grid.Tile{{X: 10, Y: 16}, {X: 53, Y: 16}}
	for _, at := range []grid.Tile{{X: 4, Y: 12}, {X: 4, Y: 15}, {X: 4, Y: 18}, {X: 7, Y: 10}, {X: 7, Y: 22}, {X: 4, Y: 24}} {
		m.Resources = append(m.Resources, at, grid.Tile{X: 63 - at.X, Y: at.Y})
	}
	for y := range int16(32) {
		for x := int16(31); x < 33 && y != 15 && y != 16; x++ {
			i := m.Index(grid.Tile{X: x, Y: y})
			m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
		}
	}
	m.Features = []grid.Feature{
		{Type: "lever", At: grid.Tile{X: 27, Y: 9}, Link: 1}, {Type: "sluice", At: grid.Tile{X: 31, Y: 15}, Link: 1},
		{Type: "lever", At: grid.Tile{X: 36, Y: 22}, Link: 1},
	}
	source, err := rules.ShippedText("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("walled.json", []byte(strings.Replace(string(source), `    {"name": "ore-field",`, `
    {"name": "sluice", "class": "structure", "width": 2, "height": 2, "health": 1, "moves": {"linked": true}},
    {"name": "lever", "class": "structure", "health": 1, "switch": {"range": 1, "hold": 15}},
    {"name": "ore-field",`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return m, rs
}

// Where a gate shuts the only way, bots hold its lever, march through, and win.
func TestBotsWinThroughGates(t *testing.T) {
	t.Parallel()
	m, rs := walled(t)
	for _, pair := range [][2]bot.Level{{bot.Easy, bot.Medium}, {bot.Hard, bot.Hard}} {
		on := 0
		r, err := told(t, Match{
			Map: m, Rules: rs, Seed: 3, TickRate: 5, FrameTicks: 2, LimitSeconds: 500,
			Seats: []Seat{{New: pair[0].New, Team: 0}, {New: pair[1].New, Team: 1, Start: 1}},
			Stepped: func(w *sim.World, _ *sim.Outcome) error {
				for _, e := range w.Entities() {
					if rs.Types[e.Type()].Feature.Switch != nil && e.Stock() != 0 {
						on++
					}
				}
				return nil
			},
		}).Play()
		if err != nil {
			t.Fatal(err)
		}
		if r.Winner != 1 || on == 0 {
			t.Errorf("%v: team %d won after %d ticks, %s, and levers were on for %d ticks", pair, r.Winner, r.Ticks, r.Reason, on)
		}
	}
}
