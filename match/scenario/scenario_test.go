package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

var update = flag.Bool("update", false, "write what happens now")

// library has what ships.
func library(t testing.TB) Library {
	t.Helper()
	maps, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	set, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	return Library{
		Map: func(id string) (*grid.Map, bool) {
			e, ok := maps.ByID(id)
			return e.Map, ok
		},
		Ruleset: func(id string) (*rules.Ruleset, bool) { return set, id == "skirmish" },
	}
}

// examples returns the scenarios of testdata by their names.
func examples(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".json")] = b
	}
	return out
}

// made parses a scenario and puts it on its map.
func made(t testing.TB, b []byte) *Lab {
	t.Helper()
	s, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Make(library(t))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestScenarios plays each scenario to its end. Its events equal testdata, each time, and its journal plays again
// to the same hashes.
func TestScenarios(t *testing.T) {
	for name, b := range examples(t) {
		l := made(t, b)
		var said bytes.Buffer
		records, err := journal.SetupRecords(journal.Header{Match: "lab", Start: &journal.StartOf{Scenario: l.Scenario.Name}}, l.Setup)
		if err != nil {
			t.Fatal(err)
		}
		w, err := l.Play(l.Scenario.Ticks, func(_ *sim.World, in []sim.Input, out *sim.Outcome) error {
			for _, a := range out.Answers {
				fmt.Fprintf(&said, "%d: seat %d order %d: %v\n", out.Tick, a.Slot, a.Seq, a.Code)
			}
			for _, n := range out.Notices {
				fmt.Fprintf(&said, "%d: seat %d order %d later: %v\n", out.Tick, n.Slot, n.Seq, n.Code)
			}
			records = append(records, journal.AppendTick(nil, &journal.Tick{Tick: out.Tick, Inputs: in, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range w.Entities() {
			hp, _ := e.Health()
			p := e.Pos()
			fmt.Fprintf(&said, "%v %s of %d at %.2f,%.2f health %d built %v holds %d seen by %02x\n", e.ID(), w.Rules().Types[e.Type()].Name, e.Slot(),
				float64(p.X)/grid.WUPerTile, float64(p.Y)/grid.WUPerTile, hp, e.Built(), e.Stock(), uint16(e.SeenBy()))
		}
		golden := "testdata/" + name + ".golden"
		if *update {
			if err := os.WriteFile(golden, said.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(want, said.Bytes()) {
			t.Errorf("%s: %v: it went\n%s\nwant\n%s", name, err, said.Bytes(), want)
		}
		again, sum, err := journal.Replay(func(each func(uint64, []byte) error) error {
			for n, rec := range records {
				if err := each(uint64(n), rec); err != nil {
					return err
				}
			}
			return nil
		}, nil)
		if err != nil || again.Tick() != w.Tick() || !bytes.Equal(again.Save(nil), w.Save(nil)) || sum.Header.Start.Scenario != l.Scenario.Name {
			t.Errorf("%s: its journal plays to tick %d: %v", name, again.Tick(), err)
		}
	}
}

// TestSchema: the schema of docs takes the scenarios that Parse takes, and refuses those
// with a member that there is not, as Parse does.
func TestSchema(t *testing.T) {
	raw, err := os.ReadFile("../../docs/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	fits := func(b []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			return err
		}
		return schema.Validate(v)
	}
	for name, b := range examples(t) {
		if err := fits(b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, old := range []string{`"seats": [`, `{"name": "`, `"tick": 1`, `"start": `} {
			bad := bytes.Replace(b, []byte(old), []byte(strings.Replace(old, `"`, `"x": 1, "`, 1)), 1)
			if bytes.Equal(bad, b) {
				continue
			}
			_, err := Parse(bad)
			if want := (*Error)(nil); !errors.As(err, &want) || fits(bad) == nil {
				t.Errorf("%s with a member too many before %s: Parse says %v, the schema %v", name, old, err, fits(bad))
			}
		}
	}
}

// TestRefusals: an error names its place.
func TestRefusals(t *testing.T) {
	good := string(examples(t)["economy"])
	for _, tt := range []struct{ old, new, path, why string }{
		{`"name": "A small economy"`, `"name": ""`, "/name", "empty"},
		{`"seed": 7`, `"seed": -1`, "/seed", "outside"},
		{`"seed": 7`, `"seed": 1e3`, "/seed", "whole number"},
		{`"seed": 7`, `"seed": {`, "/seed", "line 33, column 12: a comma too many"},
		{`"seed": 7`, `"seed": [[[[[[[[[[]]]]]]]]]]`, "/seed/0/0/0/0/0/0/0", "nested deeper than 8 levels"},
		{`"team": 1`, `"team": 16`, "/seats/1/team", "outside 0 to 15"},
		{`"start": [27, 18]`, `"start": [27]`, "/seats/1/start", "want [x, y]"},
		{`"start": [27, 18]`, `"start": [16.5, 2]`, "/seats/1/start", "not passable"},
		{`"start": [27, 18]`, `"start": [5, -1]`, "/seats/1/start/1", "number of tiles"},
		{`"ore": 300`, `"oar": 300`, "/seats/0/stock", "ruleset has only"},
		{`"mode": "skirmish"`, `"mode": "chess"`, "/options", "chess"},
		{`"type": "worker", "at": [8.5, 5.5]`, `"type": "wizard", "at": [8.5, 5.5]`, "/units/2/type", "wizard"},
		{`"at": [8.5, 5.5]`, `"at": [5, 5]`, "/units/2", "cannot stand"},
		{`"at": [8.5, 5.5]`, `"at": [16.5, 2.5]`, "/units/2", "cannot stand"},
		{`"at": [8.5, 5.5]`, `"at": [800, 5.5]`, "/units/2", "off the map"},
		{`"health": 20`, `"health": 2000`, "/units/2", "health is 2000"},
		{`"health": 20`, `"energy": 1`, "/units/2", "energy is 1"},
		{`{"name": "w", "seat": 0`, `{"name": "w"`, "/units/2", "a unit is a player's"},
		{`{"name": "w"`, `{"name": "cc"`, "/units/2/name", "name of another"},
		{`"at": [5, 12], "unbuilt": true`, `"at": [5, 6], "unbuilt": true`, "/units/1", "no room"},
		{`"type": "worker", "at"`, `"unbuilt": true, "type": "worker", "at"`, "/units/2", "under construction"},
		{`"amount": 60`, `"amount": 0`, "/resources/0", "amount"},
		{`"type": "ore-field"`, `"type": "worker"`, "/resources/0", "a unit is a player's"},
		{`"target": "ore"`, `"target": "gold"`, "/orders/1/target", "no entity is called"},
		{`"do": "harvest"`, `"do": "dance"`, "/orders/1/do", "unknown order"},
		{`"tick": 150`, `"tick": 1`, "/orders/2", "tick 1 follows tick 2"},
		{`"tick": 1,`, `"tick": 0,`, "/orders/0/tick", "outside"},
		{`"map": {`, `"map": "nowhere", "ruleset": {`, "/ruleset", "want a text"},
	} {
		bad := strings.Replace(good, tt.old, tt.new, 1)
		if bad == good {
			t.Fatalf("%s is not in the example", tt.old)
		}
		s, err := Parse([]byte(bad))
		if err == nil {
			_, err = s.Make(library(t))
		}
		e := (*Error)(nil)
		if !errors.As(err, &e) || e.Path != tt.path || !strings.Contains(e.Why, tt.why) {
			t.Errorf("%s: %v, want %s: %s", tt.new, err, tt.path, tt.why)
		}
	}
	for text, why := range map[string]string{
		"":      "the file is empty",
		"{} {}": "something follows the document",
		"[]":    "want an object",
		"{}":    "name is missing",
		`{"name": "x", "map": "nowhere", "seats": [{}, {}]}`: "unknown map",
		strings.Repeat(" ", BytesMax+1):                      "at most",
	} {
		s, err := Parse([]byte(text))
		if err == nil {
			_, err = s.Make(library(t))
		}
		if e := (*Error)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), why) {
			t.Errorf("%.20q: %v, want %q", text, err, why)
		}
	}
}

// TestHiddenIsUnknown: a scenario's order about an unseen unit is refused as
// a player's would be.
func TestHiddenIsUnknown(t *testing.T) {
	b := bytes.Replace(examples(t)["attack"], []byte(`"at": [11.5, 4.5]`), []byte(`"at": [20.5, 20.5]`), 1)
	l := made(t, b)
	var codes []string
	if _, err := l.Play(2, func(_ *sim.World, _ []sim.Input, out *sim.Outcome) error {
		for _, a := range out.Answers {
			codes = append(codes, a.Code.String())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(codes) != 1 || codes[0] == "OK" {
		t.Errorf("an order to attack what nobody sees is answered %v", codes)
	}
}

// FuzzScenario reads scenarios from outside: each is an [Error], or a match that can be
// played.
func FuzzScenario(f *testing.F) {
	lib := library(f)
	for _, b := range examples(f) {
		f.Add(b)
	}
	f.Add([]byte(`{"name": "x", "map": "twin-fords", "seats": [{"start": 0}, {"start": 1}], "units": [{"seat": 0, "type": "scout", "at": [20.125, 20]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Parse(b)
		var l *Lab
		if err == nil {
			l, err = s.Make(lib)
		}
		if e := (*Error)(nil); err != nil {
			if !errors.As(err, &e) {
				t.Fatalf("not an Error: %v", err)
			}
			return
		}
		if _, err := l.Play(4, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(l.Scenario.Name); err != nil {
			t.Fatal(err)
		}
	})
}

// TestOrdersNameSoMany: all orders together name a bounded number of units.
func TestOrdersNameSoMany(t *testing.T) {
	rows := strings.TrimSuffix(strings.Repeat(`"................",`, 16), ",")
	names := strings.TrimSuffix(strings.Repeat(`"a",`, NamedMax), ",")
	with := func(orders int) error {
		order := fmt.Sprintf(`{"tick": 1, "seat": 0, "do": "stop", "units": [%s]},`, names)
		_, err := Parse(fmt.Appendf(nil, `{"name": "x", "map": {"rows": [%s]}, "seats": [{"start": [1, 1]}], "units": [{"name": "a", "seat": 0, "type": "worker", "at": [1, 1]}], "orders": [%s]}`,
			rows, strings.TrimSuffix(strings.Repeat(order, orders), ",")))
		return err
	}
	if err := with(ScriptMax / NamedMax); err != nil {
		t.Error(err)
	}
	if err := with(ScriptMax/NamedMax + 1); err == nil || !strings.Contains(err.Error(), "/orders/64") {
		t.Errorf("one order too many: %v", err)
	}
}
