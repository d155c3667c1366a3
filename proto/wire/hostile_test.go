package wire

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// allocated returns how many bytes f takes from the heap.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

const unitsField = 3 // of an order

// For every content of a client's 16 KiB, reading it costs a bounded sum of
// memory, also if it is refused.
func TestClientMessageCostsItsBoundedSize(t *testing.T) {
	repeat := func(b []byte) []byte { return bytes.Repeat(b, ClientBytesMax/len(b)) }
	one := make([]uint32, 0, ClientBytesMax)
	for len(one) < orders.UnitsMax {
		one = append(one, 1)
	}
	var orders []*pb.Order
	for len(orders) < 7 { // as many of the longest as fit
		orders = append(orders, &pb.Order{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: one, To: &pb.Point{X: 1}})
	}
	full, err := proto.Marshal(&pb.ClientFrame{Orders: orders})
	if err != nil || len(full) > ClientBytesMax {
		t.Fatalf("%v, %d bytes", err, len(full))
	}
	rng := rand.New(rand.NewPCG(3, 3))
	noise := make([]byte, ClientBytesMax)
	for i := range noise {
		noise[i] = byte(rng.IntN(256))
	}
	packed := protowire.AppendTag(nil, fieldOrders, protowire.BytesType)
	packed = protowire.AppendBytes(packed, protowire.AppendBytes(protowire.AppendTag(nil, unitsField, protowire.BytesType), bytes.Repeat([]byte{1}, ClientBytesMax-16)))
	for name, b := range map[string][]byte{
		"longest orders":      full,
		"too many units":      packed,
		"empty orders":        repeat([]byte{fieldOrders<<3 | 2, 0}),
		"empty lines":         repeat([]byte{fieldSays<<3 | 2, 0}),
		"hellos":              repeat([]byte{1<<3 | 2, 0}),
		"cameras":             repeat([]byte{4<<3 | 2, 2, 8, 1}),
		"unknown fields":      repeat([]byte{0xfa, 0x7f, 1, 9}),
		"groups in groups":    repeat([]byte{9<<3 | 3}),
		"noise":               noise,
		"units one by one":    append([]byte{fieldOrders<<3 | 2, 0xfc, 0x7f}, bytes.Repeat([]byte{unitsField << 3, 1}, 8190)...),
		"places in one order": append([]byte{fieldOrders<<3 | 2, 0xfc, 0x7f}, bytes.Repeat([]byte{4<<3 | 2, 0}, 8190)...),
	} {
		if len(b) > ClientBytesMax {
			t.Fatalf("%s: %d bytes", name, len(b))
		}
		cost := allocated(func() { DecodeClient(b) })
		if cost > 20*ClientBytesMax {
			t.Errorf("%s: %d bytes cost %d", name, len(b), cost)
		}
		t.Logf("%s: %d bytes cost %d", name, len(b), cost)
	}
	if cost := allocated(func() { DecodeClient(make([]byte, ClientBytesMax+1)) }); cost > 1<<10+ClientBytesMax*2 {
		t.Errorf("a message over the limit cost %d", cost)
	}
}

// A server's message of the largest size costs a client in Go a bounded sum too.
func TestServerMessageCostsItsBoundedSize(t *testing.T) {
	field := func(num protowire.Number, body []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), body)
	}
	ones := bytes.Repeat([]byte{1}, ServerBytesMax-32)
	for name, b := range map[string][]byte{
		"leaves":        field(fLeave, ones),
		"packed rows":   field(fPacked, slices.Concat(damaged(t)["2^16 rows"], make([]byte, len(ones)-8))),
		"enters":        field(fEnter, ones),
		"motions":       field(fMotion, ones),
		"values":        field(values[view.ValueHealth].field, ones),
		"fires":         field(fFire, ones),
		"ghosts":        field(fGhosts, field(1, ones)),
		"mask rows":     field(fMask, field(1, bytes.Repeat([]byte{0}, len(ones)))),
		"events":        field(fEvents, field(1, ones)),
		"events of one": bytes.Repeat([]byte{fEvents<<3 | 2, 0}, 1<<20),
		"sights":        bytes.Repeat([]byte{fSights<<3 | 2, 0}, 1<<20),
	} {
		dec := Decoder{kinds: testKinds}
		if cost := allocated(func() { dec.Decode(b) }); cost > 64*ServerBytesMax {
			t.Errorf("%s: %d bytes cost %d", name, len(b), cost)
		} else {
			t.Logf("%s: %d bytes cost %d", name, len(b), cost)
		}
	}
}

// The largest snapshot of a match is within a client's limit:
// the widest map with the worst of masks, and as much in sight as one unit on
// each thirtieth tile, all hurt, firing, and told exactly.
func TestLargestFrameFits(t *testing.T) {
	const side, entities = grid.MapSideMax, 1 << 15
	d := &view.Diff{Snapshot: true, Tick: 1 << 31, HasHash: true, Hash: 1}
	for h := range grid.Handle(entities) {
		d.Enter = append(d.Enter, view.EnterRow{
			Handle: 2*h + 1, Type: uint16(testKinds.Types - 1), Owner: grid.Slot(testKinds.Players - 1), Cell: 256*side*side - 1, Course: 1 << 27,
		})
		d.Exact = append(d.Exact, view.ExactRow{Handle: 2*h + 1, Ago: 200, Fine: 4095})
		for i := range d.Values {
			d.Values[i] = append(d.Values[i], view.ValueRow{Handle: 2*h + 1, Value: 1 << 13})
		}
	}
	checkers := make([]uint32, side)
	for i := range checkers {
		checkers[i] = 1
	}
	for y := range side {
		d.Mask = append(d.Mask, view.MaskRow{Y: y, Visible: checkers, Explored: checkers})
	}
	b := AppendTeam(AppendClock(nil, d.Tick, 0, true), d, testKinds)
	if len(b) > ServerBytesMax*9/10 { // the own part comes besides
		t.Errorf("%d bytes, a client reads %d", len(b), ServerBytesMax)
	}
	dec := Decoder{kinds: testKinds}
	f, err := dec.Decode(b)
	if err != nil || len(f.Diff.Enter) != entities || len(f.Diff.Mask) != side {
		t.Errorf("%v", err)
	}
	t.Logf("%d bytes of at most %d", len(b), ServerBytesMax)
}
