package match

import (
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// A spectator that is short of bytes gets fewer frames, which are complete all the same;
// the server closes a spectator that takes no bytes for long.
func TestSpectatorOnANarrowLink(t *testing.T) {
	const late, budget = time.Second, 1000
	th := newSpectatorHarness(t, 6, Config{}, late, nil)
	soldier, _ := th.m.spec.Rules.TypeByName("soldier")
	for i := range 240 {
		simtest.Edit(th.m.world).Add(grid.Slot(i%2*2), soldier, grid.Tile{X: int16(8 + i%30), Y: int16(16 + i/30*2)}.Center())
	}
	th.script = func(now grid.Tick, slot int, f *pb.ClientFrame) { // all units run to and fro
		f.Orders, f.Says, f.Pings = nil, nil, nil
		if l := th.players[slot]; int(now)%60 == slot*5 {
			units := []uint32{}
			for _, h := range l.Replica.Handles() {
				if l.Replica.Entities[h].Owner == grid.Slot(slot) {
					units = append(units, uint32(h))
				}
			}
			f.Orders = []*pb.Order{{
				Seq: 1<<20 + uint32(now), Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: units,
				To: &pb.Point{X: int32(10+now*7%28) << 10, Y: int32(10+now*11%28) << 10},
			}}
		}
	}
	wide := th.sit("wide", grid.NoTeam, late, true)
	narrow := th.sit("narrow", grid.NoTeam, late, true)
	narrow.sends = func(grid.Tick) *pb.ClientFrame { return &pb.ClientFrame{Pace: &pb.Pace{BytesPerS: budget}} }
	mute := th.sit("mute", grid.NoTeam, late, true)
	mute.stalls = func(now grid.Tick) bool { return now > 60 && mute.m.spectators.count() == 3 && now < 900 }
	bytes := map[*spectatorClient]int{}
	const from, to = 80, 800
	for range to {
		th.step()
		for _, g := range th.spectators {
			for _, b := range g.sent {
				if th.now() > from {
					bytes[g] += len(b)
				}
			}
		}
	}
	const seconds = (to - from) / 20
	t.Logf("in %d seconds %d bytes in %d frames, and %d in %d with %d bytes a second", seconds, bytes[wide], wide.frames, bytes[narrow], narrow.frames, budget)
	if bytes[wide] < budget*seconds {
		t.Errorf("a wide link had only %d bytes: that proves little", bytes[wide])
	}
	if most := budget*(seconds+feed.BurstSeconds) + 8<<10; bytes[narrow] > most || narrow.frames < seconds/6 || narrow.closing != nil {
		t.Errorf("a narrow link had %d bytes, at most %d, in %d frames; closed with %v", bytes[narrow], most, narrow.frames, narrow.closing)
	}
	if wide.wrong+narrow.wrong > 0 {
		t.Errorf("at odds about the fog: %d and %d times", wide.wrong, narrow.wrong)
	}
	if mute.conn != nil {
		if c := lastOf(t, mute.conn); c == nil || c.Code != "too_slow" {
			t.Errorf("who takes nothing is told %v", c)
		}
	}
	if n := th.m.info.Load().Spectators; len(n) != 3 || n[2].Connected {
		t.Errorf("listed as %+v", n)
	}
}
