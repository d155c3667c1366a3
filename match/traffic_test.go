package match

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// ledgerOf is a client's own count of the bytes to it.
type ledgerOf struct {
	meter *wire.Meter
	sum   spec.Sums
}

func (l *ledgerOf) hear(m *live) func([]byte) {
	l.meter = m.output.feeds.NewMeter()
	return func(b []byte) {
		var sizes wire.Sizes
		l.meter.Measure(b, &sizes)
		l.sum.AddSizes(&sizes)
		l.sum.AddSent(len(b))
	}
}

// The server's count for a client equals the client's own count of its socket's bytes: by
// part, by class and in all; for a client short of bytes, too.
func TestTrafficIsCountedAsClientsCountIt(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	registry := prometheus.NewRegistry()
	played := spec.Match{ID: matchID, Map: flatMap(64), Rules: shipped(t), Seed: 7, EveryTick: true}
	for i, team := range []grid.Team{0, 0, 1} {
		played.Seats = append(played.Seats, spec.Seat{Name: string('A' + rune(i)), Team: team, Start: i})
	}
	a := startServiceHarness(t, played, Config{Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), Registerer: registry})
	ledgers := make([]ledgerOf, 3)
	var cs []*pipeClient
	for slot := range grid.Slot(3) {
		c := a.connect(&pb.Hello{Ticket: matchID + " " + string('0'+rune(slot))}, 0)
		c.heard = ledgers[slot].hear(a.live)
		cs = append(cs, c)
		for len(a.live.requests.queue) < int(slot)+1 {
			a.asked()
		}
	}
	a.tick()
	for _, c := range cs {
		c.read() // the welcome
		c.read()
		units := append(append(c.mine("soldier"), c.mine("scout")...), c.mine("worker")...)
		c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE, Units: units, To: &pb.Point{X: 32 << 10, Y: 32 << 10}})
	}
	cs[1].send(&pb.ClientFrame{Pace: &pb.Pace{BytesPerS: feed.BytesPerSMin}})
	seconds := 70
	for tick := 2; tick <= 20*seconds; tick++ {
		a.tick()
		for _, c := range cs {
			c.read()
		}
	}
	done := make(chan struct{})
	go func() { // the caller waits for the next tick
		defer close(done)
		_, got, err := a.service.clientTraffic(context.Background(), matchID)
		if err != nil || len(got) != 4 || got[3].slot != grid.NoSlot || got[3].match != (spec.Sums{}) {
			t.Errorf("traffic of %d clients: %v", len(got), err)
			return
		}
		for i := range ledgers {
			g, want := got[i], ledgers[i].sum
			if g.slot != grid.Slot(i) {
				t.Errorf("client %d is of slot %d", i, g.slot)
			}
			received := g.match.Received()
			same := g.match.Sent() == want.Sent()
			for p := range wire.Parts {
				same = same && (wire.PartTable[p].Client || g.match.Part(p) == want.Part(p))
			}
			for c := range wire.Classes {
				same = same && g.match.Class(c) == want.Class(c)
			}
			if !same {
				t.Errorf("client %d counts\n%v\nthe server\n%v", i, want, g.match)
			}
			if received.Rows < uint64(2*seconds) || received.Bytes < received.Rows {
				t.Errorf("client %d sent %+v", i, received)
			}
			if m, s := g.minute.Sent(), g.match.Sent(); g.second.Sent().Rows != 20 || m.Rows != 1200 || s.Rows != uint64(20*seconds)+1 {
				t.Errorf("client %d was sent %d messages in a second, %d in a minute, %d in all", i, g.second.Sent().Rows, m.Rows, s.Rows)
			}
			for _, p := range []wire.Part{wire.PartNamed("enter"), wire.PartNamed("motion"), wire.PartNamed("health"), wire.PartNamed("welcome"), wire.PartNamed("own")} {
				if want.Part(p).Bytes == 0 {
					t.Errorf("client %d was sent no %v", i, p)
				}
			}
			if want.Class(pb.TypeClass_TYPE_CLASS_UNIT).Bytes == 0 || want.Class(pb.TypeClass_TYPE_CLASS_STRUCTURE).Bytes == 0 {
				t.Errorf("client %d was told of no units or structures: %v", i, want)
			}
			classes := uint64(0)
			for c := range wire.Classes {
				classes += want.Class(c).Bytes
			}
			if classes != want.Sent().Bytes {
				t.Errorf("client %d: classes sum up to %d bytes of %d", i, classes, want.Sent().Bytes)
			}
		}
	}()
	a.asked()
	a.tick()
	<-done
	checkMetrics(t, registry, ledgers)
	checkLog(t, log.Bytes(), seconds)
}

// checkMetrics compares /metrics with the sum of the clients' counts, and checks that no
// metric names a match, a player or a slot.
func checkMetrics(t *testing.T, registry *prometheus.Registry, ledgers []ledgerOf) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			name := f.GetName()
			for _, l := range m.Label {
				if !slices.Contains([]string{"part", "class", "phase"}, l.GetName()) {
					t.Errorf("%s has the label %s", name, l.GetName())
				}
				if l.GetName() == "part" {
					sums[name+" "+l.GetValue()] += m.GetCounter().GetValue()
				}
			}
			sums[name] += m.GetCounter().GetValue()
		}
	}
	var want spec.Sums
	for i := range ledgers {
		want.Add(&ledgers[i].sum)
	}
	if got := uint64(sums["fogkeep_match_sent_bytes_total"]); got != want.Sent().Bytes {
		t.Errorf("metrics count %d bytes, clients %d", got, want.Sent().Bytes)
	}
	for p := range wire.Parts {
		if n := want.Part(p); !wire.PartTable[p].Client && (uint64(sums["fogkeep_match_sent_bytes_total "+p.String()]) != n.Bytes || uint64(sums["fogkeep_match_sent_rows_total "+p.String()]) != n.Rows) {
			t.Errorf("metrics count %v bytes of %v, clients %d", sums["fogkeep_match_sent_bytes_total "+p.String()], p, n.Bytes)
		}
	}
	if sums["fogkeep_match_received_rows_total orders"] != 3 {
		t.Errorf("metrics count %v orders received", sums["fogkeep_match_received_rows_total orders"])
	}
}

// checkLog reads the lines of the traffic: one per second, whose groups sum up to its
// bytes.
func checkLog(t *testing.T, log []byte, seconds int) {
	t.Helper()
	lines := 0
	for _, line := range strings.Split(strings.TrimSpace(string(log)), "\n") {
		var l struct {
			Msg     string
			Bytes   int
			Groups  map[string]int
			Parts   map[string]int
			Classes map[string]int
			Clients map[string]int
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if l.Msg != "traffic" {
			continue
		}
		lines++
		for _, p := range wire.PartTable {
			if p.Client {
				l.Parts[p.Name], l.Groups["orders"], l.Groups["connection"] = 0, 0, 0
			}
		}
		for name, by := range map[string]map[string]int{"groups": l.Groups, "parts": l.Parts, "classes": l.Classes, "clients": l.Clients} {
			sum := 0
			for _, n := range by {
				sum += n
			}
			if sum != l.Bytes || sum == 0 {
				t.Errorf("%s sum up to %d bytes: %s", name, sum, line)
			}
		}
	}
	if lines != seconds {
		t.Errorf("%d lines in %d seconds", lines, seconds)
	}
}

// The counts of the last second and minute are exact, to the second.
func TestMeterForgetsToTheSecond(t *testing.T) {
	m := meter{of: new(counts)}
	b, err := proto.Marshal(&pb.ServerFrame{Span: 3})
	if err != nil {
		t.Fatal(err)
	}
	for s := 1; s <= 200; s++ {
		for range s {
			m.Message(b)
		}
		m.roll()
		minute := 0
		for i := max(1, s-minuteSeconds+1); i <= s; i++ {
			minute += i
		}
		for _, c := range []struct {
			name string
			got  *spec.Sums
			want int
		}{{"second", &m.second, s}, {"minute", &m.minute, minute}, {"match", &m.match, s * (s + 1) / 2}} {
			want := spec.Count{Bytes: uint64(2 * c.want), Rows: uint64(c.want)}
			if c.got.Sent() != want || c.got.Part(wire.PartNamed("clock")) != want || c.got.Class(0) != want || c.got.Group("clock") != want {
				t.Fatalf("second %d: the %s has %+v, want %+v", s, c.name, c.got.Sent(), want)
			}
		}
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	count := counting([]byte{26, 2, 4, 7})
	if n := testing.AllocsPerRun(100, count); n > 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// counting counts a shared frame for one client, as match/feed does: its clock
// and own part are measured, the shared part has been.
func counting(shared []byte) func() {
	m := meter{of: new(counts)}
	by := wire.NewMeter(wire.Kinds{Players: 2, Types: 3}, []pb.TypeClass{1, 2, 3})
	clock, own := []byte{16, 3}, wire.AppendAnswer(nil, &sim.Answer{Seq: 4})
	var of, sizes wire.Sizes
	by.Measure(shared, &of)
	return func() {
		sizes.Clear()
		by.Measure(clock, &sizes)
		by.Measure(own, &sizes)
		sizes.Add(&of)
		m.Frame(len(clock)+len(shared)+len(own), &sizes, false)
	}
}

// BenchmarkCount is the cost of counting a shared frame for one client.
func BenchmarkCount(b *testing.B) {
	count := counting([]byte{26, 2, 4, 7, 34, 3, 1, 1, 1, 42, 6, 1, 2, 3, 1, 2, 3, 50, 4, 1, 1, 1, 1})
	b.ReportAllocs()
	for b.Loop() {
		count()
	}
}
