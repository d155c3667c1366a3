package wire

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

var update = flag.Bool("update", false, "rewrite testdata and the page's table; read the difference before you commit it")

const (
	page       = "../../docs/reference/protocol.md"
	partsBegin = "<!-- parts: made by go test ./proto/wire -update -->\n"
	partsEnd   = "<!-- end of parts -->\n"
)

// The page's table equals the code's.
func TestPageHasTheParts(t *testing.T) {
	fresh(t, page, partsBegin, partsTable(), partsEnd)
}

// trafficVectors are messages with their sizes. The SDK's meter is held to them too.
type trafficVectors struct {
	About    string          `json:"about"`
	Players  int             `json:"players"`
	Classes  []string        `json:"classes"` // of the types
	Messages []trafficVector `json:"messages"`
}

type trafficVector struct {
	Client bool       `json:"client"` // a client sends it
	Hex    string     `json:"hex"`
	Counts []countRow `json:"counts"`
}

type countRow struct {
	Part  string `json:"part"`
	Group string `json:"group"`
	Class string `json:"class"`
	Bytes uint32 `json:"bytes"`
	Rows  uint32 `json:"rows"`
}

func TestTrafficVectors(t *testing.T) {
	k := Kinds{Players: 2, Types: 5}
	classes := []pb.TypeClass{pb.TypeClass_TYPE_CLASS_UNIT, pb.TypeClass_TYPE_CLASS_UNIT, pb.TypeClass_TYPE_CLASS_STRUCTURE, pb.TypeClass_TYPE_CLASS_RESOURCE, pb.TypeClass_TYPE_CLASS_PROJECTILE}
	out := trafficVectors{
		About:   "the sizes of messages, one after another, by part and class; written by go test ./proto/wire -update",
		Players: k.Players,
	}
	for _, c := range classes {
		out.Classes = append(out.Classes, ClassName(c))
	}
	meter := NewMeter(k, classes)
	add := func(client bool, b []byte) {
		v := trafficVector{Client: client, Hex: hex.EncodeToString(b)}
		var sizes Sizes
		if client {
			MeasureClient(b, &sizes)
		} else {
			meter.Measure(b, &sizes)
		}
		sizes.Each(func(p Part, c pb.TypeClass, n Count) {
			v.Counts = append(v.Counts, countRow{p.String(), PartTable[p].Group, ClassName(c), n.Bytes, n.Rows})
		})
		out.Messages = append(out.Messages, v)
	}

	first := &view.Diff{Tick: 412, Snapshot: true, HasHash: true, Hash: 0xDEADBEEF}
	for i, h := range []grid.Handle{1, 2, 3, 300, 70000} {
		first.Enter = append(first.Enter, view.EnterRow{Handle: h, Type: uint16(i), Owner: grid.Slot(i % 2), Cell: uint32(i) << 12, Course: view.Course(9000 * i)})
	}
	first.Exact = []view.ExactRow{{Handle: 2, Ago: 3, Fine: 4000}, {Handle: 300, Fine: 1}}
	first.Values[0] = []view.ValueRow{{Handle: 1, Value: 7}, {Handle: 3, Value: 900}}
	first.Ghosts = []view.Ghost{{Handle: 9, Type: 2, Owner: 1, Pos: grid.Pos{X: 5000, Y: 6000}}, {Handle: 900, Type: 2, Owner: 1}}
	first.Mask = []view.MaskRow{{Y: 3, Visible: []uint32{1, 2}, Explored: []uint32{0, 300}}, {Y: 9, Visible: []uint32{7}}}
	first.Sights = []view.Sight{{Tile: grid.Tile{X: 3, Y: 4}, Radius: 16, Until: 500}}
	first.Players = []view.PlayerNote{{Slot: 0, Player: view.Player{State: view.Playing}}, {Slot: 1, Player: view.Player{State: view.Away}}}
	add(false, AppendTeam(AppendClock(nil, 412, 0, true), first, k))

	next := &view.Diff{
		Span: 3, Leave: []grid.Handle{1, 300}, Destroyed: []grid.Handle{70000},
		Enter:     []view.EnterRow{{Handle: 4, Type: 4, Owner: grid.NoSlot, Cell: 77}},
		Motion:    []view.MotionRow{{Handle: 2, Place: 60, Course: 20000}, {Handle: 5, Place: 300000}}, // 5 was never told
		Fire:      []view.FireRow{{Handle: 2, Target: 3}, {Handle: 3, Target: 200}},
		Events:    []view.Event{{Kind: view.EventBlast, At: grid.Pos{X: 1, Y: 2}}, {Kind: view.EventHit, What: 3}},
		GhostGone: []grid.Handle{9},
	}
	for i := range next.Values {
		next.Values[i] = []view.ValueRow{{Handle: 3, Value: uint32(i) + 120}}
	}
	b := AppendTeam(AppendClock(nil, 0, 3, false), next, k)
	b = AppendAnswer(b, &sim.Answer{Seq: 7, Left: []orders.LeftOut{{Unit: 3, Code: orders.Unable}}})
	b = AppendAnswer(b, &sim.Answer{Seq: 8})
	b = AppendOwn(b, &view.OwnerDiff{Values: [view.OwnerValueKinds][]view.ValueRow{{{Handle: 2, Value: 9}}}})
	b = AppendSaid(b, &sim.Said{Slot: 1, To: ^grid.TeamSet(0), Text: "hello"})
	b = AppendPinged(b, 1, sim.PingHelp, grid.Pos{X: 9, Y: -8})
	add(false, append(b, 0x9a, 0x06, 1, 2)) // field 99
	next.Sights = first.Sights
	packed := pack(AppendClock(nil, 0, 3, false), AppendTeam(nil, next, k))
	add(false, packed)
	add(false, append([]byte{0xca, 0x02, 9}, protoBody(t, packed, fPacked)[:9]...)) // packed rows that are cut off

	for _, m := range []proto.Message{
		&pb.ServerFrame{Welcome: &pb.Welcome{Protocol: Protocol, MatchId: "m"}},
		&pb.ServerFrame{Waiting: &pb.Waiting{Ticks: 40}},
		&pb.ServerFrame{Ended: &pb.Ended{Reason: "surrender"}},
		&pb.ServerFrame{Closing: &pb.Closing{Code: "ended"}},
		&pb.ServerFrame{},
		&pb.ClientFrame{Hello: &pb.Hello{Protocol: Protocol, Ticket: "t"}},
		&pb.ClientFrame{
			Applied: 413, Orders: []*pb.Order{{Seq: 1, Units: []uint32{2, 300}}, {Seq: 2}}, Camera: &pb.Camera{X: 9},
			Says: []*pb.Say{{Seq: 3, Text: "x"}}, Pings: []*pb.MapPing{{Seq: 4, Kind: pb.PingKind_PING_KIND_LOOK}, {Seq: 5}},
			Pace: &pb.Pace{BytesPerS: 900}, Resync: true,
		},
	} {
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		_, client := m.(*pb.ClientFrame)
		add(client, b)
	}

	got, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	path := filepath.Join("testdata", "traffic.json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs from what the code gives: run go test ./proto/wire -update, read the difference, and change both sides of the wire", path)
	}
}
