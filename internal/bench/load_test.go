package bench

import (
	"encoding/json"
	"testing"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// The keys by which scripts read a load are there in every report, also where they are 0.
func TestLoadKeys(t *testing.T) {
	b, err := json.Marshal(LoadReport{})
	if err != nil {
		t.Fatal(err)
	}
	var has map[string]any
	if err := json.Unmarshal(b, &has); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"matches", "clients", "tick_late_p99_ms", "order_rtt_p99_ms", "server_core", "rss_mb", "mismatches", "resyncs", "reconnect_p99_s",
	} {
		if _, ok := has[key].(float64); !ok {
			t.Errorf("%s is missing: %s", key, b)
		}
	}
}

// A match of two players is played again. Of what a client says that it held, each
// difference from what it ought to hold is counted, and the first ten are named.
func TestLoadCountsMismatches(t *testing.T) {
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("flat", 64, 64)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 55, Y: 55}}
	setup := sim.Setup{Map: m, Rules: shipped, Seed: 3, TickRate: 20, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	records, err := journal.SetupRecords(journal.Header{Match: "one"}, setup)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(setup)
	if err != nil {
		t.Fatal(err)
	}
	for range reportEvery {
		out := w.Step(nil)
		records = append(records, journal.AppendTick(nil, &journal.Tick{Tick: out.Tick, Hashed: out.Hashed, Hash: out.Hash}))
	}
	held := (&judge{w.Map(), w.Rules(), obvious.NewField(w.Map())}).sights(truthOf(w))
	read := func(each func(uint64, []byte) error) error {
		for i, record := range records {
			if err := each(uint64(i), record); err != nil {
				return err
			}
		}
		return nil
	}
	at := w.Tick()
	compare := func(first, second []Sight, short map[shortAt]bool) (r LoadReport) {
		t.Helper()
		var clients []*loadClient
		for slot, got := range [][]Sight{first, second} {
			c := &loadClient{State: client.New(client.Config{Map: client.OneMap(m)}), match: "one", reports: map[grid.Tick][]Sight{at: got}}
			c.Welcome = &pb.Welcome{Team: uint32(slot), Slot: uint32(slot)}
			clients = append(clients, c)
		}
		left, n, wrong, err := compareMatch(read, clients, short)
		if err != nil {
			t.Fatal(err)
		}
		r.count(left, n, wrong)
		return r
	}
	if r := compare(held[0], held[1], nil); r.Mismatches != 0 || r.Compared != len(held[0])+len(held[1]) || len(held[0]) < 12 {
		t.Errorf("of what was held right: %+v", r)
	}
	if r := compare(held[0][1:], held[1], nil); r.Mismatches != 1 || len(r.FirstMismatches) != 1 {
		t.Errorf("of what lacks an entity: %+v", r)
	}
	if r := compare(held[0], nil, nil); r.Mismatches != len(held[1]) || len(r.FirstMismatches) != 10 {
		t.Errorf("of what lacks all: %+v", r)
	}
	if r := compare(nil, held[1], map[shortAt]bool{{0, at}: true}); r.Mismatches != 0 || r.Uncompared != 1 {
		t.Errorf("of one that was short: %+v", r)
	}
}
