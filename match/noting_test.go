package match

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// TestAMatchIsNoted: beside the journal of a match are its players' cameras, their links'
// rates, the times of its ticks and the refused orders; the notes name no account, and go
// where the journal goes.
func TestAMatchIsNoted(t *testing.T) {
	folder := t.TempDir()
	d, err := notes.OpenDir(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{
		ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: 7, EveryTick: true,
		Seats: []SeatSpec{{Name: "Adelaide", Team: 0, Account: "account0"}, {Name: "Bertram", Team: 1, Start: 1, Account: "account1"}},
	}
	registry := prometheus.NewRegistry()
	a := startServiceHarness(t, spec, Config{Notes: d, Registerer: registry})
	c, other := a.join(0), a.join(1)
	run := func(ticks int) {
		for range ticks {
			if !a.tick() {
				return
			}
			for _, x := range []*pipeClient{c, other} {
				x.read() // each tick has a frame; its writer may be slow to run
				for len(x.pipe.(*link.PipeEnd).In) > 0 {
					x.read()
				}
			}
		}
	}
	for i := range 100 {
		c.send(&pb.ClientFrame{Camera: &pb.Camera{X: 5 + uint32(i)/4, Y: 9, Radius: 8}}) // it changes every fourth tick
		run(1)
	}
	c.send(&pb.ClientFrame{Says: []*pb.Say{{Text: "a secret plan", Seq: 1}}})
	seq := c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: []uint32{999}, To: &pb.Point{X: 7 << 10, Y: 7 << 10}})
	// Of two accounts of a client within half a minute the first counts; no number is larger than a minute can have.
	c.send(&pb.ClientFrame{Network: &pb.NetworkReport{Seconds: 60, Frames: 1200, Late: 1<<32 - 1, Gaps: 2, LongestMs: 1800, TripMs: 250, Corrections: 3, Drawn: 3600, Slow: 40}})
	c.send(&pb.ClientFrame{Network: &pb.NetworkReport{Gaps: 99}})
	run(61)

	n, err := d.Read(matchID)
	if err != nil || n == nil {
		t.Fatalf("%v, %v", n, err)
	}
	if len(n.Runs) != 1 || n.Runs[0].Rate != grid.TickRateDefault || n.Torn || n.Lost > 0 {
		t.Errorf("notes %+v", n.Runs)
	}
	if len(n.Cameras) < 15 || len(n.Cameras) > 100/5+1 {
		t.Errorf("%d cameras in five seconds", len(n.Cameras))
	}
	for i, x := range n.Cameras {
		if x.Slot != 0 || x.At.Y != 9 || x.Radius != 8 || i > 0 && (x.At == n.Cameras[i-1].At || x.Tick < n.Cameras[i-1].Tick+grid.TickRateDefault/notes.CamerasPerSecond) {
			t.Errorf("camera %d: %+v", i, x)
		}
	}
	links := map[grid.Slot]int{}
	for _, l := range n.Links {
		if links[l.Slot]++; (l.Sent < 100) == (links[l.Slot] == 1) || l.Messages == 0 || l.Frame > l.Tick || l.Frame+20 < l.Tick || l.Acked > l.Frame || l.Acked == 0 {
			t.Errorf("link %+v", l)
		}
	}
	if links[0] < 7 || links[1] < 7 || len(n.Times) < 7 || n.Times[3].Ticks != grid.TickRateDefault {
		t.Errorf("links %v, times %+v", links, n.Times)
	}
	account := notes.Account{Seconds: 60, Frames: 1200, Late: 1 << 17, Gaps: 2, LongestMs: 1800, TripMs: 250, Corrections: 3, Drawn: 3600, Slow: 40}
	if len(n.Reports) != 1 || n.Reports[0].Slot != 0 || n.Reports[0].Account != account {
		t.Errorf("reports %+v", n.Reports)
	}
	for event, want := range map[string]float64{"gap": 2, "slow_picture": 40, "late_frame": 1 << 17} {
		if got := testutil.ToFloat64(a.service.metrics.reported.WithLabelValues(event)); got != want {
			t.Errorf("%s counted %v times, want %v", event, got, want)
		}
	}
	families, err := registry.Gather()
	phases := 0
	for _, f := range families {
		if f.GetName() != "fogkeep_match_phase_seconds" {
			continue
		}
		for _, m := range f.GetMetric() {
			if phases++; m.GetHistogram().GetSampleCount() < 161 {
				t.Errorf("phase %v was measured %d times", m.GetLabel(), m.GetHistogram().GetSampleCount())
			}
		}
	}
	if err != nil || phases != 4 {
		t.Errorf("%d phases, %v", phases, err)
	}
	if len(n.Refused) != 1 || n.Refused[0].Slot != 0 {
		t.Fatalf("refused: %+v", n.Refused)
	}
	in, err := journal.DecodeInput(n.Refused[0].Input)
	if err != nil || in.Kind != sim.InputOrder || in.Seq != seq || len(in.Order.Units) != 1 || in.Order.Kind != orders.Move {
		t.Errorf("what was refused: %+v, %v", in, err)
	}

	a.ask(func() error { return a.service.Abort(t.Context(), matchID, "enough") })
	past := filepath.Join(folder, "past", matchID+notes.Suffix)
	a.until(func() bool { _, err := os.Stat(past); return err == nil })
	raw, err := os.ReadFile(past)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"Adelaide", "Bertram", "account", "secret"} {
		if strings.Contains(string(raw), word) {
			t.Errorf("the notes say %q", word)
		}
	}
}
