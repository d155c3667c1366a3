package wire

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

var testKinds = Kinds{Players: 4, Types: 13}

func drawHandles(t *rapid.T, name string) []grid.Handle {
	hs := rapid.SliceOfDistinct(rapid.Uint32Range(1, 1<<20), func(h uint32) uint32 { return h }).Draw(t, name)
	slices.Sort(hs)
	out := make([]grid.Handle, len(hs))
	for i, h := range hs {
		out[i] = grid.Handle(h)
	}
	return out
}

// each draws one row for each of some sorted handles.
func each[T any](t *rapid.T, name string, row func(grid.Handle) T) []T {
	var out []T
	for _, h := range drawHandles(t, name) {
		out = append(out, row(h))
	}
	return out
}

func drawDiff(t *rapid.T) *view.Diff {
	u32 := func(name string) uint32 { return rapid.Uint32().Draw(t, name) }
	owner := func() grid.Slot {
		return rapid.SampledFrom([]grid.Slot{0, 1, 2, 3, grid.NoSlot}).Draw(t, "owner")
	}
	typ := func() uint16 { return rapid.Uint16Range(0, 12).Draw(t, "type") }
	tile := func() grid.Tile {
		return grid.Tile{X: rapid.Int16Range(0, 1023).Draw(t, "x"), Y: rapid.Int16Range(0, 1023).Draw(t, "y")}
	}
	d := &view.Diff{Leave: drawHandles(t, "leave"), Destroyed: drawHandles(t, "destroyed"), GhostGone: drawHandles(t, "gone")}
	if d.Snapshot = rapid.Bool().Draw(t, "snapshot"); d.Snapshot {
		d.Tick = grid.Tick(rapid.Uint32Range(1, 1<<31).Draw(t, "tick"))
	} else {
		d.Span = grid.Ticks(rapid.Uint32Range(1, 1000).Draw(t, "span"))
		d.Skipped = grid.Ticks(rapid.Uint32Range(0, 999).Draw(t, "skipped"))
	}
	d.Enter = each(t, "enter", func(h grid.Handle) view.EnterRow {
		return view.EnterRow{Handle: h % 50000000, Type: typ(), Owner: owner(), Cell: u32("cell"), Course: view.Course(u32("course"))}
	})
	d.Owners = each(t, "owners", func(h grid.Handle) view.OwnerRow { return view.OwnerRow{Handle: h, Owner: owner()} })
	d.Motion = each(t, "motion", func(h grid.Handle) view.MotionRow {
		return view.MotionRow{Handle: h, Place: view.Place(u32("place")), Course: view.Course(u32("course"))}
	})
	d.Exact = each(t, "exact", func(h grid.Handle) view.ExactRow {
		return view.ExactRow{Handle: h, Ago: grid.Ticks(u32("ago")), Fine: u32("fine")}
	})
	d.Declared = each(t, "declared", func(h grid.Handle) view.Declared {
		return view.Declared{Handle: h, Value: uint8(u32("number") % 256), N: u32("difference")}
	})
	d.Fire = each(t, "fire", func(h grid.Handle) view.FireRow { return view.FireRow{Handle: h, Target: grid.Handle(u32("target"))} })
	for i := range d.Values {
		d.Values[i] = each(t, "value", func(h grid.Handle) view.ValueRow { return view.ValueRow{Handle: h, Value: u32("value")} })
	}
	d.Ghosts = each(t, "ghosts", func(h grid.Handle) view.Ghost {
		return view.Ghost{Handle: h, Type: typ(), Owner: owner(), Pos: tile().Center(), Facing: 9, Missing: 77}
	})
	y := 0
	for range rapid.IntRange(0, 5).Draw(t, "rows") {
		y += rapid.IntRange(1, 50).Draw(t, "gap")
		row := view.MaskRow{Y: y, Visible: rapid.SliceOfN(rapid.Uint32Range(0, 1024), 0, 9).Draw(t, "visible")}
		if len(row.Visible) == 0 {
			row.Explored = []uint32{u32("run")}
		}
		d.Mask = append(d.Mask, row)
	}
	if d.HasHash = rapid.Bool().Draw(t, "hashed"); d.HasHash {
		d.Hash = u32("hash")
	}
	for range rapid.IntRange(0, 3).Draw(t, "events") {
		d.Events = append(d.Events, view.Event{Kind: view.EventBlast, At: tile().Center(), What: u32("what"), Source: 3, Target: 0})
	}
	for range rapid.IntRange(0, 2).Draw(t, "sights") {
		d.Sights = append(d.Sights, view.Sight{Tile: tile(), Radius: 17, Flyer: true, LevelBonus: 2, Until: d.Tick + 40})
	}
	d.Players = []view.PlayerNote{{Slot: 2, Player: view.Player{State: view.Away}}}
	return d
}

// A written frame is read back the same, by the generated code underneath.
func TestTeamPartSurvivesTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiff(t)
		b := AppendTeam(AppendClock(nil, d.Tick, d.Span, d.Snapshot), d, testKinds)
		dec := Decoder{kinds: testKinds}
		f, err := dec.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Diff.Sights { // the wire tells ticks from now
			f.Diff.Sights[i].Until += d.Tick
		}
		if diff := cmp.Diff(d, &f.Diff, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("sent (-) and read (+) differ:\n%s", diff)
		}
	})
}

// In the steady state a frame is written without a single allocation.
func TestTeamPartAllocatesNothing(t *testing.T) {
	d := &view.Diff{Span: 1}
	for h := range grid.Handle(300) {
		d.Enter = append(d.Enter, view.EnterRow{Handle: h + 1, Cell: 1 << 22, Course: 9000})
		d.Motion = append(d.Motion, view.MotionRow{Handle: h + 1, Place: 60, Course: 9000})
		d.Leave = append(d.Leave, h+400)
	}
	buf := make([]byte, 0, 1<<16)
	if n := testing.AllocsPerRun(100, func() { buf = AppendTeam(buf[:0], d, testKinds) }); n > 1 {
		t.Errorf("%v allocations a frame", n)
	}
}

func TestOwnPartSurvivesTheWire(t *testing.T) {
	far := uint32(3000)
	want := &view.OwnerDiff{
		Resources: []uint32{300, 0}, HasPopulation: true, PopulationMax: 40,
		Queues:  []view.Queue{{Handle: 9, Types: []uint16{2, 2, 3}, Progress: 128}, {Handle: 12}, {Handle: 400, Types: []uint16{1}}},
		Rallies: []view.RallyRow{{Handle: 9, Has: true}, {Handle: 400, Has: true, Cell: far}, {Handle: 401}},
		Tasks: []view.TaskRow{
			{Handle: 4, Doing: uint8(orders.AttackMove), HasTo: true}, {Handle: 5, Doing: uint8(orders.AttackMove), HasTo: true},
			{Handle: 8, Doing: uint8(orders.Hold)}, {Handle: 9, Doing: uint8(orders.Move), HasTo: true, Cell: far},
			{Handle: 10}, {Handle: 300, Doing: uint8(orders.Surrender), HasTo: true, Cell: far},
		},
		Declared:  []view.Declared{{Handle: 4, Value: 3, N: 7}, {Handle: 4, Value: 5}},
		Values:    [view.OwnerValueKinds][]view.ValueRow{{{Handle: 4, Value: 50}, {Handle: 7}}},
		Ready:     []view.ReadyRow{{Handle: 4, Ability: 1, In: 990}, {Handle: 4}},
		Cancelled: []view.Cancelled{{Unit: 4, Code: uint8(orders.TargetLost)}},
		Started:   []view.Started{{Request: 70000, Handle: 12}},
	}
	var run Answers
	answers := []sim.Answer{
		{Seq: 12, Code: orders.OK, Left: []orders.LeftOut{{Unit: 3, Code: orders.Unable}}},
		{Seq: 13}, {Seq: 14}, {Seq: 15}, {Seq: 17}, {Seq: 18, Code: orders.Unable}, {Seq: 19, Code: orders.Unable},
	}
	b := AppendOwn(nil, want)
	for i := range answers {
		b = run.Append(b, &answers[i])
	}
	b = run.Flush(b)
	b = AppendSaid(b, &sim.Said{Slot: 3, To: ^grid.TeamSet(0), Text: "hello"})
	b = AppendPinged(b, 1, sim.PingDanger, grid.Pos{X: 9, Y: 8})
	dec := Decoder{kinds: testKinds}
	f, err := dec.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, f.Own); d != "" {
		t.Error(d)
	}
	var got []string
	for _, a := range f.Answers {
		got = append(got, fmt.Sprint(a.Seq, a.Code, a.LeftOut, a.LeftOutCode))
	}
	unable := uint32(orders.Unable)
	if all := fmt.Sprint(got); all != fmt.Sprintf("[12 0 [3] [%d] 13 0 [] [] 14 0 [] [] 15 0 [] [] 17 0 [] [] 18 %d [] [] 19 %d [] []]", unable, unable, unable) {
		t.Errorf("read the answers as %s", all)
	}
	var m pb.ServerFrame
	if err := proto.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Answers) != 4 {
		t.Errorf("answers in %d messages: %v", len(m.Answers), m.Answers)
	}
	if len(f.Said) != 1 || f.Said[0].Text != "hello" || len(f.Pinged) != 1 || f.Pinged[0].Kind != pb.PingKind_PING_KIND_DANGER {
		t.Errorf("read %v and %v", f.Said, f.Pinged)
	}
}

// Rows that are cut short are refused, and answers are not spelled out without
// end.
func TestBrokenOwnPartsAreRefused(t *testing.T) {
	for name, m := range map[string]*pb.ServerFrame{
		"a queue without its length":    {Own: &pb.Own{Queues: []uint32{1}}},
		"a queue without progress":      {Own: &pb.Own{Queues: []uint32{1, 2, 3, 3}}},
		"a queue longer than all":       {Own: &pb.Own{Queues: []uint32{1, 1 << 31, 3, 3}}},
		"a task without its kind":       {Own: &pb.Own{Tasks: []uint32{1}}},
		"a task without its cell":       {Own: &pb.Own{Tasks: []uint32{1, 1}}},
		"half a rally point":            {Own: &pb.Own{Rallies: []uint32{1}}},
		"half an energy":                {Own: &pb.Own{Energy: []uint32{1}}},
		"two thirds of an ability":      {Own: &pb.Own{Ready: []uint32{1, 2}}},
		"half of what was started":      {Own: &pb.Own{Started: []uint32{1}}},
		"four thousand million answers": {Answers: []*pb.Answer{{Seq: 1, More: 1<<32 - 1}}},
	} {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		dec := Decoder{kinds: testKinds}
		if _, err := dec.Decode(b); !errors.Is(err, ErrServer) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each kind of ping comes in as it goes out; an unknown kind is for the match to refuse.
func TestPingKindsSurviveTheWire(t *testing.T) {
	for n := range pb.PingKind(len(pb.PingKind_name) + 1) {
		b, err := proto.Marshal(&pb.ClientFrame{Pings: []*pb.MapPing{{Seq: 1, Kind: n, At: &pb.Point{X: 5}}}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := DecodeClient(b)
		if err != nil {
			t.Fatal(err)
		}
		_, named := pb.PingKind_name[int32(n)]
		if got := f.Inputs[0].Ping; got.Valid() != (named && n != 0) || got.Valid() && int32(got) != int32(n) {
			t.Errorf("ping kind %v comes in as %d", n, got)
		}
	}
}

func TestEveryOrderKindHasANumber(t *testing.T) {
	if len(pb.OrderKind_name) != orders.Kinds {
		t.Errorf("%d kinds on the wire, %d in orders.Forms", len(pb.OrderKind_name), orders.Kinds)
	}
	for k := orders.None + 1; int(k) < orders.Kinds; k++ {
		w := WireKind(k)
		if _, named := pb.OrderKind_name[int32(w)]; !named || w == pb.OrderKind_ORDER_KIND_UNSPECIFIED || kindOf(w) != k {
			t.Errorf("order kind %v has the number %d of the wire, which is %v", k, w, kindOf(w))
		}
	}
}

func TestClientMessagesAreBounded(t *testing.T) {
	order := func(units int) *pb.Order {
		o := &pb.Order{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_STOP}
		for i := range units {
			o.Units = append(o.Units, uint32(i+1))
		}
		return o
	}
	many := func(n int) (out []*pb.Order) {
		for range n {
			out = append(out, order(1))
		}
		return out
	}
	for _, c := range []struct {
		name string
		m    *pb.ClientFrame
		want string // part of the error, "" for none
	}{
		{"empty", &pb.ClientFrame{}, ""},
		{"most units", &pb.ClientFrame{Orders: []*pb.Order{order(orders.UnitsMax)}}, ""},
		{"most orders", &pb.ClientFrame{Orders: many(ordersMax)}, ""},
		{"too many orders", &pb.ClientFrame{Orders: many(ordersMax + 1)}, "field 3: 65 times"},
		{"no sequence number", &pb.ClientFrame{Orders: []*pb.Order{{Kind: pb.OrderKind_ORDER_KIND_STOP}}}, "order 0: no sequence number"},
		{"too many lines", &pb.ClientFrame{Says: slices.Repeat([]*pb.Say{{Seq: 1, Text: "x"}}, saysMax+1)}, "field 5: 5 times"},
		{"too many pings", &pb.ClientFrame{Pings: slices.Repeat([]*pb.MapPing{{Seq: 1}}, pingsMax+1)}, "field 6: 5 times"},
		{"a line without number", &pb.ClientFrame{Says: []*pb.Say{{Text: "x"}}}, "chat line 0: no sequence number"},
		{"a ping without number", &pb.ClientFrame{Pings: []*pb.MapPing{{}}}, "ping 0: no sequence number"},
		{"long ticket", &pb.ClientFrame{Hello: &pb.Hello{Ticket: strings.Repeat("x", 300)}}, "hello"},
	} {
		b, err := proto.Marshal(c.m)
		if err != nil {
			t.Fatal(err)
		}
		switch _, err := DecodeClient(b); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	if _, err := DecodeClient(make([]byte, ClientBytesMax+1)); err == nil {
		t.Error("a message over the limit was read")
	}
}

func FuzzDecodeClient(f *testing.F) {
	seed, err := proto.Marshal(&pb.ClientFrame{
		Applied: 9, Hello: &pb.Hello{Protocol: 1, Ticket: "t"}, Camera: &pb.Camera{X: 3, Y: 4, Radius: 20},
		Orders: []*pb.Order{{Seq: 3, Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: []uint32{1, 2, 3}, To: &pb.Point{X: 1, Y: -1}}},
		Says:   []*pb.Say{{Seq: 4, Text: "hi"}}, Pings: []*pb.MapPing{{Seq: 5, At: &pb.Point{}}}, Pace: &pb.Pace{BytesPerS: 9},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte{0x1a, 0x80})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := DecodeClient(b)
		if err == nil && len(m.Inputs) > ordersMax+saysMax+pingsMax {
			t.Fatalf("%d inputs", len(m.Inputs))
		}
	})
}
