package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
	"github.com/fogkeep/fogkeep/match/sim"
)

// A match whose start units have no room on its map is not started, and the lobby learns
// the slot, the wanted number and the number that found room.
func TestStartUnitsHaveNoRoom(t *testing.T) {
	m := grid.NewMap("Walled in", 32, 32)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 24, Y: 24}}
	for y := int16(22); y <= 26; y++ {
		for x := int16(22); x <= 26; x++ {
			if x == 22 || x == 26 || y == 22 || y == 26 {
				i := m.Index(grid.Tile{X: x, Y: y})
				m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
			}
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "walled.tmj"), mapfile.WriteTMJ(m), 0o600); err != nil {
		t.Fatal(err)
	}
	library, problems, err := mapfile.OpenLibrary(dir)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	journals, err := journal.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rulesets, err := shippedRulesets()
	if err != nil {
		t.Fatal(err)
	}
	service := match.New(match.Config{Journals: journals})
	defer service.Close()
	a := &matchAdapter{Service: service, maps: mapCatalogue{mapfile.NewCatalogue(library)}, rulesets: rulesets}
	spec := model.Spec{Match: "01900000-0000-7000-8000-000000000001", Options: model.DefaultOptions(), Seed: 1}
	for _, e := range library.List() {
		if e.Map.Name == m.Name {
			spec.Map.ID = e.ID
		}
	}
	for i := range 2 {
		spec.Participants = append(spec.Participants, model.Participant{Name: "p", Start: i, Team: grid.Team(i)})
	}
	_, err = a.Start(t.Context(), spec)
	if e := model.AsError(err); e.Code != model.StartRefused || !strings.Contains(e.Text(), "slot 1: ") || !strings.Contains(e.Text(), "start units placed") {
		t.Errorf("error %v, want one that names slot 1 and how many units have room", err)
	}
	if len(service.Matches()) != 0 {
		t.Errorf("%d matches run", len(service.Matches()))
	}
}

// TestMapsWithMoreStartsThanTeams: a lobby may have more seats than there are teams.
func TestMapsWithMoreStartsThanTeams(t *testing.T) {
	m := grid.NewMap("wide", 160, 160)
	for i := range grid.SlotsMax {
		m.Starts = append(m.Starts, grid.Tile{X: int16(10 + 20*(i%8)), Y: int16(10 + 20*(i/8))})
	}
	library, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	if err := library.Add(m); err != nil {
		t.Fatal(err)
	}
	rulesets, err := shippedRulesets()
	if err != nil {
		t.Fatal(err)
	}
	a := &matchAdapter{Service: &match.Service{}, maps: mapCatalogue{mapfile.NewCatalogue(library)}, rulesets: rulesets}
	if err := a.Check(model.Spec{Map: model.MapInfo{ID: "wide"}, Options: model.DefaultOptions()}); err != nil {
		t.Errorf("a lobby with a map for %d players: %v", grid.SlotsMax, err)
	}
}

// TestOptionsReachTheMatch: the limits are the simulation's, in its units.
func TestOptionsReachTheMatch(t *testing.T) {
	var given map[string]any
	if err := json.Unmarshal([]byte(`{"mode":"deathmatch","timeLimitMinutes":240,"scoreLimit":7,"revealOnFire":false}`), &given); err != nil {
		t.Fatal(err)
	}
	o, err := model.ParseOptions(model.DefaultOptions(), given)
	if err != nil {
		t.Fatal(err)
	}
	got := simOptions(o)
	if got.Mode != "deathmatch" || got.TimeLimitMs != 240*60*1000 || got.ScoreLimit != 7 || !got.NoReveal {
		t.Errorf("%+v", got)
	}
}

// TestOptionRowsFitTheMatch: the lobby has each option of the simulation except the two
// options of the ruleset, and the form offers the simulation's modes.
func TestOptionRowsFitTheMatch(t *testing.T) {
	o, other := model.DefaultOptions(), model.DefaultOptions()
	for i := range model.OptionTable {
		switch v := model.OptionTable[i].Value(&other).(type) {
		case *int:
			*v++
		case *bool:
			*v = !*v
		case *string:
			*v += "-other"
		}
	}
	both := func(o model.Options) reflect.Value {
		out := simOptions(o)
		out.Leavers, _ = leaversOf(o)
		return reflect.ValueOf(out)
	}
	a, b := both(o), both(other)
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		if ours := name == "OrdersPerSecond" || name == "OrderBurst"; ours != a.Field(i).Equal(b.Field(i)) {
			t.Errorf("%s is %v, and %v if all options of the lobby are others", name, a.Field(i), b.Field(i))
		}
	}
	for _, d := range model.OptionTable {
		for _, mode := range d.Modes {
			if !slices.Contains(sim.Modes(), mode) {
				t.Errorf("option %s is of the mode %s, which there is not", d.Name, mode)
			}
		}
		if d.Name == "mode" {
			var offered []string
			for _, v := range d.Values {
				offered = append(offered, v.Value)
			}
			if slices.Sort(offered); !slices.Equal(offered, sim.Modes()) {
				t.Errorf("the form offers %v, there are %v", offered, sim.Modes())
			}
		}
	}
	if optionName("score limit") != "scoreLimit" || optionName("nonsense") != "" {
		t.Error("a refused option is not told by its name in the lobby")
	}
}

func shippedRulesets() (*rulesetLibrary, error) {
	l, err := rulesfile.Shipped()
	r := &rulesetLibrary{}
	r.Store(l)
	return r, err
}
