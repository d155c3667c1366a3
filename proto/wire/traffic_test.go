package wire

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// testClasses are the classes of testKinds' types.
func testClasses() []pb.TypeClass {
	out := make([]pb.TypeClass, testKinds.Types)
	for i := range out {
		out[i] = pb.TypeClass(1 + i%int(Classes-1))
	}
	return out
}

// The table has each field of the messages, once, under its own name.
func TestTableOfPartsIsThatOfTheMessages(t *testing.T) {
	for side, m := range []protoreflect.ProtoMessage{&pb.ServerFrame{}, &pb.ClientFrame{}} {
		fields := m.ProtoReflect().Descriptor().Fields()
		for i := range fields.Len() {
			f := fields.Get(i)
			want := string(f.Name())
			if side == 0 && (want == "tick" || want == "span" || want == "skipped" || want == "partial") {
				want = "clock"
			}
			p := partOf[side][f.Number()]
			if row := &PartTable[p]; row.Name != want || row.Client != (side == 1) {
				t.Errorf("%s.%s is counted as %q, sent by a client: %v", m.ProtoReflect().Descriptor().Name(), f.Name(), row.Name, row.Client)
			}
		}
	}
}

// The meter counts each byte once, and each row for the class of
// the entity it names, however the message is cut between fields.
func TestMeterCountsEachByteAndRow(t *testing.T) {
	classes := testClasses()
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiff(t)
		clock := AppendClock(nil, d.Tick, d.Span, d.Snapshot)
		team := AppendTeam(nil, d, testKinds)
		own := AppendSaid(nil, &sim.Said{Slot: 1, To: ^grid.TeamSet(0), Text: "hello"})
		own = AppendAnswer(own, &sim.Answer{Seq: 7})
		own = AppendAnswer(own, &sim.Answer{Seq: 8})

		meter := NewMeter(testKinds, classes)
		var got Sizes
		for _, piece := range [][]byte{clock, team, own} {
			meter.Measure(piece, &got)
		}
		sum := 0
		got.Each(func(_ Part, _ pb.TypeClass, n Count) { sum += int(n.Bytes) })
		if want := len(clock) + len(team) + len(own); sum != want {
			t.Fatalf("measured %d bytes of %d", sum, want)
		}

		// The same from the diff: a row is the bytes that it adds.
		named := map[grid.Handle]pb.TypeClass{}
		want := map[[2]int]Count{}
		row := func(p Part, c pb.TypeClass, numbers ...uint64) {
			n := want[[2]int{int(p), int(c)}]
			for _, x := range numbers {
				n.Bytes += uint32(protowire.SizeVarint(x))
			}
			n.Rows++
			want[[2]int{int(p), int(c)}] = n
		}
		last := grid.Handle(0)
		for _, h := range d.Leave {
			row(PartNamed("leave"), 0, uint64(h-last)) // nothing was named before
			last = h
		}
		last = 0
		for _, r := range d.Enter {
			c := classes[r.Type]
			if r.Handle < namedMax {
				named[r.Handle] = c
			}
			row(PartNamed("enter"), c, uint64(r.Handle-last)*uint64(testKinds.Count())+uint64(testKinds.Of(r.Owner, r.Type)), uint64(r.Cell), uint64(r.Course))
			last = r.Handle
		}
		last = 0
		for _, r := range d.Motion {
			row(PartNamed("motion"), named[r.Handle], uint64(r.Handle-last), uint64(r.Place), uint64(r.Course))
			last = r.Handle
		}
		last = 0
		for _, r := range d.Values[view.ValueHealth] {
			row(PartNamed("health"), named[r.Handle], uint64(r.Handle-last), uint64(r.Value))
			last = r.Handle
		}
		for _, p := range []Part{PartNamed("leave"), PartNamed("enter"), PartNamed("motion"), PartNamed("health")} {
			for c := range Classes {
				n, w := got.Of(p, c), want[[2]int{int(p), int(c)}]
				if c == 0 { // the field's tag and length
					n.Bytes, w.Bytes = 0, 0
				}
				if n != w {
					t.Fatalf("%v of %v: measured %+v, there is %+v", p, c, n, w)
				}
			}
		}
		for p, w := range map[Part]int{
			PartNamed("answers"): 2, PartNamed("said"): 1, PartNamed("events"): len(d.Events), PartNamed("mask"): len(d.Mask), PartNamed("sights"): len(d.Sights),
			PartNamed("players"): len(d.Players), PartNamed("fire"): len(d.Fire),
		} {
			n := uint32(0)
			for c := range Classes {
				n += got.Of(p, c).Rows
			}
			if n != uint32(w) {
				t.Fatalf("%v: %d rows, there are %d", p, n, w)
			}
		}
		if n := got.Of(PartNamed("ghosts"), pb.TypeClass_TYPE_CLASS_STRUCTURE).Rows; n != uint32(len(d.Ghosts)+len(d.GhostGone)) {
			t.Fatalf("%d rows of ghosts, there are %d and %d gone", n, len(d.Ghosts), len(d.GhostGone))
		}
	})
}

func TestMeterLearnsFromEnters(t *testing.T) {
	classes := testClasses()
	meter := NewMeter(testKinds, classes)
	var first, then Sizes
	meter.Measure(AppendTeam(nil, &view.Diff{Enter: []view.EnterRow{{Handle: 9, Type: 1, Owner: 0}}}, testKinds), &first)
	leave := AppendTeam(nil, &view.Diff{Leave: []grid.Handle{9}}, testKinds)
	meter.Measure(leave, &then)
	if n := then.Of(PartNamed("leave"), classes[1]); n != (Count{1, 1}) {
		t.Errorf("the leave of a %v counts %+v", classes[1], n)
	}
	first.Add(&then)
	if n := first.Of(PartNamed("leave"), 0); n.Bytes != uint32(len(leave)-1) {
		t.Errorf("tag and length count %+v", n)
	}
	first.Clear()
	first.Each(func(p Part, c pb.TypeClass, n Count) { t.Errorf("after Clear: %v of %v is %+v", p, c, n) })
}

func TestClientMessagesAreMeasured(t *testing.T) {
	b, err := proto.Marshal(&pb.ClientFrame{
		Applied: 300, Orders: []*pb.Order{{Seq: 1}, {Seq: 2, Units: []uint32{4, 5}}}, Pings: []*pb.MapPing{{Seq: 3}}, Resync: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	var got Sizes
	MeasureClient(b, &got)
	for p, want := range map[Part]Count{PartNamed("applied"): {3, 1}, PartNamed("orders"): {4 + 8, 2}, PartNamed("pings"): {4, 1}, PartNamed("resync"): {2, 1}} {
		if n := got.Of(p, 0); n != want {
			t.Errorf("%v counts %+v, want %+v", p, n, want)
		}
	}
}

// FuzzMeter holds that any bytes can be measured, and that each byte counts.
func FuzzMeter(f *testing.F) {
	f.Add(AppendTeam(nil, &view.Diff{Leave: []grid.Handle{1, 900}, Enter: []view.EnterRow{{Handle: 1 << 30, Type: 2}}}, testKinds))
	f.Add([]byte{0x22, 0x03, 0xff, 0xff, 0xff, 0x5a, 0x02, 0x0a, 0xff})
	f.Add([]byte{0x03, 0x04, 0x18, 0x05})
	f.Fuzz(func(t *testing.T, b []byte) {
		meter := NewMeter(testKinds, testClasses())
		for _, measure := range []func([]byte, *Sizes){meter.Measure, MeasureClient, new(Meter).Measure} {
			var got Sizes
			measure(b, &got)
			sum := 0
			got.Each(func(_ Part, _ pb.TypeClass, n Count) { sum += int(n.Bytes) })
			if sum != len(b) {
				t.Fatalf("%d bytes of %d", sum, len(b))
			}
		}
		if len(meter.named) > namedMax {
			t.Fatalf("%d handles are remembered", len(meter.named))
		}
	})
}

func TestMeasuringAllocatesNothing(t *testing.T) {
	d := &view.Diff{Span: 1}
	for h := range grid.Handle(300) {
		d.Enter = append(d.Enter, view.EnterRow{Handle: h + 1, Cell: 1 << 22, Course: 9000})
		d.Motion = append(d.Motion, view.MotionRow{Handle: h + 1, Place: 60, Course: 9000})
	}
	b := AppendTeam(nil, d, testKinds)
	meter := NewMeter(testKinds, testClasses())
	var one, sum Sizes
	if n := testing.AllocsPerRun(100, func() {
		one.Clear()
		meter.Measure(b, &one)
		sum.Add(&one)
		sum.Each(func(Part, pb.TypeClass, Count) {})
	}); n > 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func BenchmarkMeasure(b *testing.B) {
	d := &view.Diff{Span: 1}
	for h := range grid.Handle(30) {
		d.Enter = append(d.Enter, view.EnterRow{Handle: 5*h + 1, Cell: 1 << 22, Course: 9000})
		d.Motion = append(d.Motion, view.MotionRow{Handle: 4*h + 2, Place: 60, Course: 9000})
	}
	frame := AppendTeam(nil, d, testKinds)
	meter := NewMeter(testKinds, testClasses())
	var one, sum Sizes
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		one.Clear()
		meter.Measure(frame, &one)
		sum.Add(&one)
	}
}
