package wire

import (
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

const (
	limitsBegin = "<!-- limits: made by go test ./proto/wire -update -->\n"
	limitsEnd   = "<!-- end of limits -->\n"
	limitsTS    = "../../web/sdk/src/gen/limits.ts"
)

// The page's tables of limits and of orders, and the client's constants equal the code's.
func TestLimitsAreToldOnce(t *testing.T) {
	fresh(t, page, limitsBegin, limitsTable(), limitsEnd)
	fresh(t, page, "<!-- orders: made by go test ./proto/wire -update -->\n", ordersTable(), "<!-- end of orders -->\n")
	freshFile(t, limitsTS, limitConstants())
}

// freshFile compares a generated file with the code's output.
func freshFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err == nil && string(got) == want {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the code gives (%v): run go test ./proto/wire -update", path, err)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fresh holds the part of a page between two marks to the code's output.
func fresh(t *testing.T, path, begin, want, end string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), begin)
	table, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table: %s", path, begin)
	}
	if table == want {
		return
	}
	if !*update {
		t.Fatalf("%s has another table than the code: run go test %s -update", path, "./proto/wire")
	}
	if err := os.WriteFile(path, []byte(head+begin+want+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// An excess over a limit of one order, line or ping costs only this one: the
// rest of the message is read as if it were not there, and it takes no more
// memory than its number.
func TestBeyondALimitIsAnswered(t *testing.T) {
	good := &pb.Order{Seq: 9, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: []uint32{4}}
	long := make([]uint32, orders.UnitsMax+1)
	for _, c := range []struct {
		limit string
		in    *pb.ClientFrame
		want  sim.Input
	}{
		{"units_an_order", &pb.ClientFrame{Orders: []*pb.Order{{Seq: 7, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: long}}}, sim.Input{Kind: sim.InputOrder}},
		{"order_type", &pb.ClientFrame{Orders: []*pb.Order{{Seq: 7, Kind: pb.OrderKind_ORDER_KIND_BUILD, What: orderTypeMax + 1}}}, sim.Input{Kind: sim.InputOrder}},
		{"order_type", &pb.ClientFrame{Orders: []*pb.Order{{Seq: 7, Kind: pb.OrderKind_ORDER_KIND_TRAIN, What: orderTypeMax + 1}}}, sim.Input{Kind: sim.InputOrder}},
		{"order_ability", &pb.ClientFrame{Orders: []*pb.Order{{Seq: 7, Kind: pb.OrderKind_ORDER_KIND_ABILITY, What: orderAbilityMax + 1}}}, sim.Input{Kind: sim.InputOrder}},
		{"order_ability", &pb.ClientFrame{Orders: []*pb.Order{{Seq: 7, Kind: pb.OrderKind_ORDER_KIND_STOP_ABILITY, What: 1 << 31}}}, sim.Input{Kind: sim.InputOrder}},
		{"order_item", &pb.ClientFrame{Orders: []*pb.Order{{Seq: 7, Kind: pb.OrderKind_ORDER_KIND_CANCEL, What: orderItemMax + 1}}}, sim.Input{Kind: sim.InputOrder}},
		{"line_bytes", &pb.ClientFrame{Says: []*pb.Say{{Seq: 7, Text: strings.Repeat("x", sim.TextBytesMax+1)}}}, sim.Input{Kind: sim.InputChat}},
		{"a ping without a place", &pb.ClientFrame{Pings: []*pb.MapPing{{Seq: 7, Kind: pb.PingKind_PING_KIND_HELP}}}, sim.Input{Kind: sim.InputPing}},
	} {
		c.in.Orders = append(c.in.Orders, good)
		c.want.Seq = 7
		b, err := proto.Marshal(c.in)
		if err != nil {
			t.Fatal(err)
		}
		f, err := DecodeClient(b)
		if err != nil || len(f.Inputs) != 2 {
			t.Errorf("%s: %v, %d inputs", c.limit, err, len(f.Inputs))
			continue
		}
		for _, in := range f.Inputs {
			switch in.Seq {
			case 7:
				if in.Kind != c.want.Kind || in.Order.Kind != orders.None || in.Order.Units != nil || in.Text != "" || in.Ping.Valid() {
					t.Errorf("%s: comes out as %+v", c.limit, in)
				}
			case 9:
				if in.Order.Kind != orders.Stop || len(in.Order.Units) != 1 {
					t.Errorf("%s: the order beside it comes out as %+v", c.limit, in)
				}
			default:
				t.Errorf("%s: number %d", c.limit, in.Seq)
			}
		}
	}
	b, err := proto.Marshal(&pb.ClientFrame{Camera: &pb.Camera{X: 65536, Y: 3, Radius: 1 << 31}})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := DecodeClient(b); err != nil || *f.Camera != (Camera{grid.Tile{X: grid.MapSideMax, Y: 3}, grid.MapSideMax}) {
		t.Errorf("a camera far off: %v, %+v", err, f.Camera)
	}
}

// A whole order of the largest size fits into a message, with any handles.
func TestTheLargestOrderFitsIntoAMessage(t *testing.T) {
	o := &pb.Order{Seq: 1<<32 - 1, Kind: 16, Queued: true, Together: true, Target: 1<<32 - 1, What: 1<<32 - 1, Request: 1<<32 - 1, To: &pb.Point{X: -1 << 31, Y: -1 << 31}}
	for range orders.UnitsMax {
		o.Units = append(o.Units, 1<<32-1)
	}
	b, err := proto.Marshal(&pb.ClientFrame{Applied: 1<<32 - 1, Orders: []*pb.Order{o}})
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > ClientBytesMax {
		t.Errorf("%d bytes of at most %d", len(b), ClientBytesMax)
	}
}
