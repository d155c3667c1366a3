//go:build !race

package match

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// limit returns a row of the table of limits.
func limit(name string) int {
	for _, l := range wire.Limits {
		if l.Name == name {
			return l.Max
		}
	}
	panic("no limit " + name)
}

// splitBacklog splits waiting orders and lines into messages, by the table of limits
// alone, in the order of the numbers.
func splitBacklog(open map[uint32]*pb.ClientFrame) (out []*pb.ClientFrame) {
	now := &pb.ClientFrame{}
	for _, seq := range slices.Sorted(maps.Keys(open)) {
		next := proto.Clone(now).(*pb.ClientFrame)
		proto.Merge(next, open[seq])
		if len(next.Orders) > limit("orders_a_message") || len(next.Says) > limit("lines_a_message") ||
			len(next.Pings) > limit("pings_a_message") || proto.Size(next) > limit("message_bytes")-16 {
			out = append(out, now)
			next = proto.Clone(open[seq]).(*pb.ClientFrame)
		}
		now = next
	}
	return append(out, now)
}

// A client gives more than a message holds while it is cut off, comes back over any link,
// is cut again while it sends, and repeats the unanswered orders, split by the table. The
// server never closes it; each number is judged once, and each line is heard once.
func TestAnyBacklogComesThrough(t *testing.T) {
	cuts, most := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		spec := Spec{
			ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: rapid.Uint64().Draw(rt, "seed"), TickRate: 10, EveryTick: true,
			Seats: []SeatSpec{{Name: "mate", Team: 0, Start: 0}, {Name: "cut", Team: 0, Start: 3}, {Name: "foe", Team: 1, Start: 1}},
		}
		r := newLinkHarness(t, rt, spec, Config{})
		for _, e := range r.ends {
			e.quiet, e.sure = true, true
			e.enter(false)
		}
		e, open, seq := r.ends[1], map[uint32]*pb.ClientFrame{}, uint32(0)
		judged := map[uint32]int{}
		tick := func(n int) {
			for range n {
				r.log.synced = r.log.next
				r.tick()
				for _, row := range r.m.seats.all[1].backlog.Answers.Rows() {
					if row.At == r.now() && !row.What.Again {
						judged[row.What.Seq]++
						if c := row.What.Code; c == orders.Stale || c == orders.Malformed {
							rt.Fatalf("number %d is answered %v", row.What.Seq, c)
						}
					}
				}
				for _, a := range e.answers {
					delete(open, a.Seq)
				}
				e.answers = nil
			}
		}
		tick(5)
		lines := map[uint32]string{}
		give := func(n int) {
			for range n {
				if len(open) > 0 && seq+1-slices.Min(slices.Collect(maps.Keys(open))) >= uint32(limit("numbers_kept")) {
					return
				}
				seq++
				f := &pb.ClientFrame{}
				switch rapid.IntRange(0, 9).Draw(rt, "kind") {
				case 0:
					lines[seq] = fmt.Sprint(seq, " ", strings.Repeat("x", rapid.IntRange(0, limit("line_bytes")-8).Draw(rt, "text")))
					f.Says = []*pb.Say{{Seq: seq, Text: lines[seq]}}
				case 1:
					f.Pings = []*pb.MapPing{{Seq: seq, Kind: pb.PingKind_PING_KIND_HELP, At: &pb.Point{X: 5, Y: 5}}}
				default:
					o := &pb.Order{Seq: seq, Kind: pb.OrderKind_ORDER_KIND_STOP}
					for h := range rapid.SampledFrom([]int{1, 20, limit("units_an_order")}).Draw(rt, "units") {
						o.Units = append(o.Units, uint32(h+1)<<rapid.SampledFrom([]int{0, 17}).Draw(rt, "large"))
					}
					f.Orders = []*pb.Order{o}
				}
				open[seq] = f
			}
		}
		send := func() {
			messages := splitBacklog(open)
			most = max(most, len(messages))
			for _, f := range messages {
				e.post(f)
			}
		}
		for range rapid.IntRange(1, 6).Draw(rt, "cuts") {
			cuts++
			e.cut()
			e.up = nil
			give(rapid.IntRange(0, 140).Draw(rt, "given"))
			tick(rapid.IntRange(1, 20).Draw(rt, "away"))
			e.upDelay, e.downDelay = grid.Tick(rapid.IntRange(0, 6).Draw(rt, "up")), grid.Tick(rapid.IntRange(0, 6).Draw(rt, "down"))
			e.enter(true)
			tick(1 + int(e.downDelay))
			send()
			tick(rapid.IntRange(0, 12).Draw(rt, "sends"))
			if e.conn == nil {
				rt.Fatalf("the server let it go")
			}
		}
		for round := 0; len(open) > 0; round++ {
			if round == 50 {
				rt.Fatalf("%d numbers are not answered", len(open))
			}
			if round%10 == 9 { // a message of the cut's own time may be gone with it
				send()
			}
			tick(10)
		}
		for n := uint32(1); n <= seq; n++ {
			if judged[n] != 1 {
				rt.Fatalf("number %d was judged %d times", n, judged[n])
			}
		}
		heard := map[string]int{}
		for _, text := range r.ends[0].heard {
			heard[text]++
		}
		for n, text := range lines {
			if row, ok := heard[text]; ok && row != 1 {
				rt.Fatalf("line %d was heard %d times", n, row)
			}
		}
	})
	if cuts < 50 || most < 4 {
		t.Errorf("%d cuts and at most %d messages: that proves little", cuts, most)
	}
}
