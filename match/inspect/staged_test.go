package inspect

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
)

var update = flag.Bool("update", false, "make the staged match and its answers anew; read the difference before you commit it")

// stagedRow is what the obvious scan says of one entity of the staged match, for the
// test of the inspector's page. Line and blocked are the look's own, which the scan has
// checked.
type stagedRow struct {
	Tick    uint32  `json:"tick"`
	ID      uint32  `json:"id"`
	Type    string  `json:"type"`
	Team    int     `json:"team"`
	Seen    bool    `json:"seen"`
	Reason  string  `json:"reason"`
	Now     string  `json:"now,omitempty"`
	Line    []Point `json:"line,omitempty"`
	Blocked *Point  `json:"blocked,omitempty"`
}

// stagedTicks is how long the staged match lasts.
const stagedTicks = 60

// TestStaged: a match that begins with units behind a cliff, cloaked, far away and in
// sight. Its journal and its answers, by the obvious scan, are files for the test of the
// page (web/e2e/inspect.test.mjs). They are of this build: where sim.Behaviour changes,
// they are made anew.
func TestStaged(t *testing.T) {
	at := func(x, y int16) grid.Pos { return grid.Tile{X: x, Y: y}.Center() }
	w := landmarkWorld(t, func(m *grid.Map) {
		for y := int16(13); y < 21; y++ {
			i := m.Index(grid.Tile{X: 28, Y: y})
			m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
		}
	})
	edit := simtest.Edit(w)
	var staged []grid.EntityID
	add := func(slot grid.Slot, name string, x, y int16) *sim.Entity {
		typ, _ := w.Rules().TypeByName(name)
		e := edit.Add(slot, typ, at(x, y))
		if e == nil {
			t.Fatalf("no room for a %s at %d,%d", name, x, y)
		}
		staged = append(staged, e.ID())
		return e
	}
	add(0, "scout", 24, 17)
	add(1, "worker", 31, 17)   // behind the cliff
	add(1, "worker", 22, 24)   // in sight
	add(1, "barracks", 18, 24) // in sight, later remembered
	hidden := add(1, "raider", 21, 19)
	edit.SetEnergy(hidden, 1<<20)
	edit.Cloak(hidden)
	add(1, "marker", 25, 19)
	add(1, "scout", 34, 34) // out of range
	for _, e := range w.Entities() {
		if w.Rules().Types[e.Type()].Name == "beacon" {
			staged = append(staged, e.ID())
		}
	}
	w.Step(nil)
	setup := sim.Setup{Map: w.Map(), Rules: w.Rules(), TickRate: 10, Seed: 5, Options: sim.Options{Mode: w.Mode()}, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 0, Start: 2}}}
	setup, err := sim.Branch(setup, w.Save(nil), setup.Players)
	if err != nil {
		t.Fatal(err)
	}
	records, err := journal.SetupRecords(journal.Header{
		Match: "staged", Build: "test", MadeMs: 1_780_000_000_000, Start: &journal.StartOf{Scenario: "staged"},
		Extra: []byte(`{"seats":[{"Name":"Ada","Color":1},{"Name":"Bob","Color":2},{"Name":"Cleo","Color":3}]}`),
	}, setup)
	if err != nil {
		t.Fatal(err)
	}
	if w, err = sim.New(setup); err != nil {
		t.Fatal(err)
	}
	handle := func(slot grid.Slot, id grid.EntityID) grid.Handle {
		h, _ := w.Knowledge(w.Player(slot).Team).HandleOf(w.Entity(id))
		return h
	}
	occurred, rows := map[string]int{}, []stagedRow{}
	look := func() {
		if err := check(w, occurred); err != nil {
			t.Fatal(err)
		}
		s := newScan(w)
		for _, id := range staged {
			e := w.Entity(id)
			if e == nil {
				continue
			}
			for _, got := range At(w).Why(e) {
				want := s.judge(e, grid.Team(got.Team))
				row := stagedRow{uint32(w.Tick()), uint32(id), w.Rules().Types[e.Type()].Name, got.Team, e.SeenBy().Has(grid.Team(got.Team)), want.reason, want.now, got.Line, nil}
				if got.Blocked != nil {
					row.Blocked = &got.Blocked.Point
				}
				rows = append(rows, row)
			}
		}
	}
	first := w.Tick()
	look()
	for n := range stagedTicks {
		var in []sim.Input
		switch n {
		case 9:
			in = append(in,
				sim.Input{Kind: sim.InputOrder, Slot: 0, Seq: 1, AsOf: w.Tick(), Order: orders.Order{Kind: orders.Move, Units: []grid.Handle{handle(0, staged[0])}, HasPoint: true, Point: at(34, 12)}},
				sim.Input{Kind: sim.InputOrder, Slot: 1, Seq: 1, AsOf: w.Tick(), Order: orders.Order{Kind: orders.Move, Units: []grid.Handle{handle(1, staged[1])}, HasPoint: true, Point: grid.Pos{X: -5000, Y: 9}}})
		case 20:
			in = append(in, sim.Input{Kind: sim.InputOrder, Slot: 1, Seq: 2, AsOf: w.Tick(), Order: orders.Order{Kind: orders.Attack, Units: []grid.Handle{handle(1, staged[6])}, Target: 3999}})
		}
		out := w.Step(in)
		rec := journal.Tick{Tick: out.Tick, Inputs: sim.Compact(nil, in, out.Answers, 3), Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
		if !rec.Empty() {
			records = append(records, journal.AppendTick(nil, &rec))
		}
		if (w.Tick()-first)%10 == 0 {
			look()
		}
	}
	for _, reason := range []string{ReasonOwn, ReasonAlways, ReasonSight, ReasonRange, ReasonBlocked, ReasonCloaked, ReasonOwner, ReasonGhost} {
		n := 0
		for _, r := range rows {
			if r.Reason == reason {
				n++
			}
		}
		if n == 0 {
			t.Errorf("nothing of the stage is %s", reason)
		}
	}
	dir := journaltest.OpenDir(t)
	log, err := dir.Create("staged")
	if err != nil {
		t.Fatal(err)
	}
	for n, rec := range records {
		if err := log.Append(uint64(n), rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(dir.Path("staged"))
	if err != nil {
		t.Fatal(err)
	}
	answers := []byte("[\n")
	for i, r := range rows {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if answers = append(append(answers, "  "...), b...); i < len(rows)-1 {
			answers = append(answers, ',')
		}
		answers = append(answers, '\n')
	}
	answers = append(answers, "]\n"...)
	for name, want := range map[string][]byte{"staged.journal": raw, "staged.golden.json": answers} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not of this build (%v): run go test ./match/inspect -run TestStaged -update", path, err)
		}
	}
}
