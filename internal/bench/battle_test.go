package bench

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// modem is what 28.8 kbit/s carry, bytes a second.
const modem = 3600

// A battle of 640 units, half in sight of each client, fits a
// modem's budget, message headers included, and at every beat each client is
// right: the units in sight, their places within an eighth of a tile, units that carry the team's sight on their
// very tile, and health at the ticks that tell it; and the fog that it derives is the server's.
func TestBattleFitsAModem(t *testing.T) {
	const warm, ticks = 100, 100
	r, err := newBattleHarness(80)
	if err != nil {
		t.Fatal(err)
	}
	clients := make([]harnessClient, len(r.teams))
	for i := range clients {
		if clients[i], err = newHarnessClient(r, grid.Team(i)); err != nil {
			t.Fatal(err)
		}
	}
	engaged, alive := 0, 0
	for range warm + ticks {
		if r.w.Tick() == warm {
			r.bytes, r.seen = 0, 0
		}
		r.tick()
		for i := range clients {
			if !r.atBeat() {
				break
			}
			clients[i].take(t, r, &r.teams[i])
			if t.Failed() {
				return
			}
		}
		if r.w.Tick() > warm {
			e, a := engagedUnits(r.w)
			engaged, alive = engaged+e, alive+a
		}
	}
	per := ticks * len(clients)
	perS := float64(r.w.TickRate()) * (float64(r.bytes)/float64(per) + frameOverhead/float64(r.beat))
	seen, share := r.seen/per, float64(engaged)/float64(alive)
	t.Logf("%.0f B/s a client on the wire, %d in sight, %.0f%% engaged", perS, seen, 100*share)
	if perS > modem || seen < 200 || share < 0.5 {
		t.Errorf("%.0f B/s a client on the wire, %d in sight, %.0f%% engaged: that is no battle on a modem", perS, seen, 100*share)
	}
}

// harnessClient is a client of a team of a harness: it knows its frames' bytes. The views beside it are complete.
type harnessClient struct {
	*client.State
	builder *view.Builder
	whole   view.View
}

func newHarnessClient(r *harness, team grid.Team) (c harnessClient, err error) {
	rs := r.w.Rules()
	welcome := &pb.Welcome{MapHash: r.w.Map().Hash().String(), Team: uint32(team), DyingSightTicks: uint32(r.w.DyingSight())}
	for i := range rs.Types {
		t := &rs.Types[i]
		info := &pb.TypeInfo{
			Speed: uint32(r.w.Speed(uint16(i))), Sight: uint32(t.Sight), LevelBonus: uint32(t.LevelBonus),
			FlyerSight: t.Class == rules.ClassUnit && t.Move == grid.Air,
		}
		if t.Class > rules.ClassStructure {
			info.Class = pb.TypeClass_TYPE_CLASS_RESOURCE // or a projectile: neither sees
		}
		welcome.Types = append(welcome.Types, info)
	}
	for s := range r.w.Players() {
		welcome.Players = append(welcome.Players, &pb.Player{Team: uint32(r.w.Player(grid.Slot(s)).Team)})
	}
	b, err := proto.Marshal(&pb.ServerFrame{Welcome: welcome})
	if err != nil {
		return c, err
	}
	c.State = client.New(client.Config{Map: client.OneMap(r.w.Map()), DerivesFog: true})
	c.builder = view.NewBuilder(team)
	_, err = c.Receive(b)
	return c, err
}

// take takes in the harness's last frame for the team, and compares the client's state with the team's view.
func (c *harnessClient) take(t *testing.T, r *harness, team *harnessTeam) {
	t.Helper()
	now := r.w.Tick()
	if _, err := c.Receive(append(wire.AppendClock(nil, now, grid.Ticks(r.beat), now == r.beat), team.frame...)); err != nil {
		t.Fatal(err)
	}
	if c.MaskDiffers {
		t.Errorf("tick %d, team %d: the fog is another", now, team.view.Team)
	}
	c.builder.BuildFrom(r.cache, r.w, &c.whole)
	if len(c.Replica.Entities) != len(c.whole.Units) {
		t.Errorf("tick %d, team %d: %d entities are held, %d are in sight", now, team.view.Team, len(c.Replica.Entities), len(c.whole.Units))
	}
	for i := range c.whole.Units {
		u := &c.whole.Units[i]
		e := c.Replica.Entities[u.Handle]
		if e == nil {
			t.Fatalf("tick %d, team %d: handle %d is in sight and not held", now, team.view.Team, u.Handle)
		}
		at := c.Replica.Pos(e, now)
		switch {
		case e.Type != u.Type || e.Owner != u.Owner:
			t.Errorf("tick %d, team %d: handle %d is held as %+v, it is %+v", now, team.view.Team, u.Handle, e, u)
		case !at.Within(u.Pos, view.ToleranceDefault) || u.Exact && at.Tile() != u.Pos.Tile():
			t.Errorf("tick %d, team %d: handle %d is held to be at %v, it is %+v", now, team.view.Team, u.Handle, at, u)
		case now%r.values == 0 && e.Values[view.ValueHealth] != u.Values[view.ValueHealth]:
			t.Errorf("tick %d, team %d: of handle %d %d health is held to be missing, it is %+v", now, team.view.Team, u.Handle, e.Values[view.ValueHealth], u)
		}
	}
}
