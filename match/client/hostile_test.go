package client

import (
	"encoding/binary"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// FuzzServerStream plays a server that sends anything to a client that derives
// its fog. The client may find that the stream is broken; it may not break.
func FuzzServerStream(f *testing.F) {
	kinds := wire.Kinds{Players: 4, Types: 13}
	d := &view.Diff{
		Span: 1, Leave: []grid.Handle{3, 9}, Enter: []view.EnterRow{{Handle: 4, Type: 2, Owner: 1, Cell: 77, Course: 300}},
		Motion: []view.MotionRow{{Handle: 4, Place: 300000, Course: 1 << 21}}, Exact: []view.ExactRow{{Handle: 4, Ago: 3, Fine: 99}},
		Sights: []view.Sight{{Tile: grid.Tile{X: 9, Y: 9}, Radius: 12, Until: 30}}, Ghosts: []view.Ghost{{Handle: 7, Type: 3}},
		Mask: []view.MaskRow{{Y: 3, Visible: []uint32{2, 4}}}, HasHash: true, Hash: 1, Players: []view.PlayerNote{{Slot: 1, Player: view.Player{State: view.Away}}},
		Fire: []view.FireRow{{Handle: 4, Target: 4}}, Events: []view.Event{{Kind: view.EventBlast}},
	}
	snapshot := wire.AppendTeam(wire.AppendClock(nil, 50, 0, true), &view.Diff{
		Snapshot: true, Tick: 50, Enter: []view.EnterRow{{Handle: 3, Owner: 0, Cell: 9000, Course: 20000}, {Handle: 9, Owner: grid.NoSlot, Cell: 1}},
	}, kinds)
	next := wire.AppendTeam(wire.AppendClock(nil, 51, 1, false), d, kinds)
	f.Add(stream(snapshot, next))
	f.Add(stream(snapshot, wire.AppendTeam(wire.AppendClock(nil, 51, 400, false), &view.Diff{Span: 400, Skipped: 9, Leave: []grid.Handle{3}}, kinds)))
	f.Add(stream(next))
	own := &view.OwnerDiff{
		Resources: []uint32{300, 0}, HasPopulation: true, Population: 7, PopulationMax: 40, Started: []view.Started{{Request: 9, Handle: 3}},
		Cancelled: []view.Cancelled{{Unit: 3, Code: 15}},
	}
	f.Add(stream(snapshot, wire.AppendOwn(next, own)))
	m := grid.NewMap("fuzz", 64, 48)
	m.Occlusion = grid.OcclusionHighGround
	m.Starts = []grid.Tile{{X: 5, Y: 5}}
	welcome := &pb.Welcome{MapHash: m.Hash().String(), DyingSightTicks: 40, Players: []*pb.Player{{}, {Team: 1}, {Team: 2}, {Team: 3}}}
	for i := range kinds.Types {
		info := &pb.TypeInfo{Speed: uint32(i) * 9830, Sight: uint32(2 * i), FlyerSight: i%2 == 0, LevelBonus: 1}
		if i == 5 {
			info.Class = pb.TypeClass_TYPE_CLASS_PROJECTILE
		}
		welcome.Types = append(welcome.Types, info)
	}
	hello, err := proto.Marshal(&pb.ServerFrame{Welcome: welcome})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := New(Config{Map: OneMap(m), DerivesFog: true})
		if _, err := c.Receive(hello); err != nil {
			t.Fatal(err)
		}
		for frames := 0; len(b) > 0 && frames < 8; frames++ {
			var one []byte
			one, b = split(b)
			if _, err := c.Receive(one); err != nil {
				continue
			}
			for _, e := range c.Replica.Entities {
				if at := c.Replica.Pos(e, c.Tick()+7); !m.InPos(at) {
					t.Fatalf("%+v is reckoned at %v, off the map", e, at)
				}
			}
		}
	})
}

// stream joins messages, each behind its length.
func stream(messages ...[]byte) (out []byte) {
	for _, m := range messages {
		out = append(binary.BigEndian.AppendUint16(out, uint16(len(m))), m...)
	}
	return out
}

func split(b []byte) (one, rest []byte) {
	if len(b) < 2 {
		return nil, nil
	}
	n := min(int(binary.BigEndian.Uint16(b)), len(b)-2)
	return b[2 : 2+n], b[2+n:]
}
