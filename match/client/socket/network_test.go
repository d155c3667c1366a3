package socket

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// records is a connection that keeps the reports that are sent over it.
type records struct{ got []*pb.NetworkReport }

func (*records) Read() ([]byte, error) { return nil, nil }
func (*records) Bye()                  {}
func (*records) Close() error          { return nil }
func (r *records) Send(f *pb.ClientFrame) error {
	if f.Network != nil {
		r.got = append(r.got, f.Network)
	}
	return nil
}

// TestNetworkReports: a player's client sends one account per minute, with late frames, a gap and the median time of its
// orders; a spectator's sends none.
func TestNetworkReports(t *testing.T) {
	for name, c := range map[string]struct {
		spectator bool
		inside    bool
		reports   int
	}{"a player": {reports: 2}, "a spectator": {spectator: true}, "inside the process": {inside: true}} {
		synctest.Test(t, func(t *testing.T) {
			m := grid.NewMap("Field", 16, 16)
			sent := &records{}
			s := &Client{State: client.New(client.Config{Map: client.OneMap(m)}), Route: NewRoute("ws://127.0.0.1", "")}
			if c.inside {
				s.Open = func(context.Context) (Link, error) { return sent, nil }
			}
			st := stream{Client: s, conn: sent}
			receive := func(f *pb.ServerFrame) {
				t.Helper()
				b, err := proto.Marshal(f)
				if err == nil {
					err = st.message(b)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			receive(&pb.ServerFrame{Welcome: &pb.Welcome{
				Protocol: wire.Protocol, MatchId: "m1", TickRate: 20, MapHash: m.Hash().String(), Resume: "r", Spectator: c.spectator,
				Players: []*pb.Player{{Name: "A"}}, Resources: []string{"ore"},
				Types: []*pb.TypeInfo{{Name: "scout", Class: pb.TypeClass_TYPE_CLASS_UNIT, Health: 60, Speed: 14000}},
			}})
			given := uint32(0)
			s.OnFrame = func(_ *wire.ServerFrame, out *pb.ClientFrame) {
				if s.Tick()%200 == 0 {
					given = s.Number()
					out.Orders = append(out.Orders, &pb.Order{Seq: given, Kind: pb.OrderKind_ORDER_KIND_STOP})
				}
			}
			pause := func(d time.Duration) { time.Sleep(d) } // of the bubble's clock
			for tick := uint32(1); tick <= 2410; tick++ {
				f := &pb.ServerFrame{Tick: tick}
				if given > 0 && tick%200 == 2 {
					f.Answers, given = []*pb.Answer{{Seq: given}}, 0
				}
				switch tick % 1200 {
				case 100, 101, 102: // the network holds three frames back
					pause(150 * time.Millisecond)
				case 103, 104, 105, 106, 107, 108:
				case 700: // the server stood still
					pause(2050 * time.Millisecond)
				default:
					pause(50 * time.Millisecond)
				}
				receive(f)
			}
			if len(sent.got) != c.reports {
				t.Fatalf("%s: %d reports", name, len(sent.got))
			}
			for _, r := range sent.got {
				if r.Seconds != 60 || r.Frames < 1150 || r.Late < 3 || r.Late > 8 || r.Gaps != 1 || r.LongestMs != 2050 || r.TripMs != 100 || r.Drawn != 0 {
					t.Errorf("%s: the report is %v", name, r)
				}
			}
		})
	}
}
