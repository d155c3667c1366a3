package match

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// A client that sends as fast as it can is read as fast as the rules allow, is answered,
// and costs no other client a frame.
func TestFloodCostsOthersNothing(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 1)
	loud, calm := a.join(0), a.join(1)
	loud.read()
	loud.silent = true // its orders acknowledge frames
	var b []byte
	seq := uint32(0)
	flood := func() []byte {
		f := &pb.ClientFrame{Applied: uint32(loud.Replica.Tick)}
		for range 64 {
			seq++
			f.Orders = append(f.Orders, &pb.Order{Seq: seq, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: []uint32{1, 2, 3, 77, 99999}})
		}
		out, err := proto.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	limited, ok := 0, 0
	for n := 0; n < 100 || n < 1000 && (limited == 0 || ok == 0); n++ {
		for range 8 { // twice the intake of a tick
			b = flood()
			select {
			case loud.pipe.(*link.PipeEnd).Out <- b:
			default: // as TCP would: no room, the sender waits
			}
		}
		a.tick()
		if f := calm.read(); f.Diff.Span > 1 {
			t.Fatalf("the calm client got a frame over %d ticks", f.Diff.Span)
		}
		loud.readAll() // a reader that gets no processor time acknowledges no frame, and gets fewer
		for _, x := range loud.answers {
			switch loud.welcome.Codes[x.Code] {
			case "RATE_LIMITED":
				limited++
			case "OK":
				ok++
			}
		}
		loud.answers = nil
	}
	if got := len(a.live.inputs.accepted); got > drainMessages*64 {
		t.Errorf("%d inputs in one tick", got)
	}
	if limited == 0 || ok == 0 || ok > 300 {
		t.Errorf("%d orders were accepted, %d limited", ok, limited)
	}
}
