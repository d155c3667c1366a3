package bench

import (
	"encoding/json"
	"io"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/bot/headless"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/verify"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
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

// A match is played again. The comparison leaves out rows that the notes list as not sent,
// and is a mismatch elsewhere; the first ten of all matches are named.
func TestLoadCountsMismatches(t *testing.T) {
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("flat", 64, 64)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 55, Y: 55}}
	var records [][]byte
	c := &verify.Client{Name: "slot 0"}
	played := headless.Match{
		Map: m, Rules: shipped, Seed: 3, LimitSeconds: 11, Seats: []headless.Seat{{New: bot.Easy.New}, {Team: 1, Start: 1}},
		Recorded: func(record []byte) error {
			records = append(records, slices.Clone(record))
			return nil
		},
		Framed: func(_ grid.Slot, b []byte) { c.Messages = append(c.Messages, slices.Clone(b)) },
	}
	if _, err := played.Play(); err != nil {
		t.Fatal(err)
	}
	read := func(each func(uint64, []byte) error) error {
		for i, record := range records {
			if err := each(uint64(i), record); err != nil {
				return err
			}
		}
		return nil
	}
	var r LoadReport
	compare := func(links ...notes.Link) {
		t.Helper()
		left, found := compareMatch(read, []*verify.Client{c}, links)
		r = LoadReport{}
		r.count(left, &found)
	}
	compare()
	both := r.Compared
	if r.Mismatches != 0 || r.Uncompared != 0 || both < 24 {
		t.Errorf("of what was held right: %+v", r)
	}
	compare(notes.Link{Tick: 100, Pending: 3}, notes.Link{Tick: 200})
	if r.Mismatches != 0 || r.Uncompared != 1 || r.Compared == 0 || r.Compared >= both {
		t.Errorf("of one that was short: %+v", r)
	}
	c.Messages = c.Messages[:30]
	f := &pb.ServerFrame{Tick: 200}
	snapshot, err := proto.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	c.Messages = append(c.Messages, snapshot)
	compare()
	if r.Mismatches == 0 || len(r.FirstMismatches) != min(10, r.Mismatches) {
		t.Errorf("of what lacks all: %+v", r)
	}
	for range 3 {
		r.count(0, &verify.Report{Wrong: []error{io.EOF, io.EOF, io.EOF, io.EOF}})
	}
	if len(r.FirstMismatches) != 10 {
		t.Errorf("%d mismatches are named", len(r.FirstMismatches))
	}
}
