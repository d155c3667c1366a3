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
	"github.com/fogkeep/fogkeep/visibility"
)

// modem is what 28.8 kbit/s carry, bytes a second.
const modem = 3600

// A battle of 640 units, half of them in sight of each client, fits a
// modem's budget, message headers included, and at every tick each client is
// right: who is in sight, where within an eighth of a tile, what carries the
// team's sight on its very tile, and health at the ticks that tell it; and the
// fog that it derives is the server's.
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
	perS := float64(r.w.TickRate()) * (float64(r.bytes)/float64(per) + frameOverhead)
	seen, share := r.seen/per, float64(engaged)/float64(alive)
	t.Logf("%.0f B/s a client on the wire, %d in sight, %.0f%% engaged", perS, seen, 100*share)
	if perS > modem || seen < 200 || share < 0.5 {
		t.Errorf("%.0f B/s a client on the wire, %d in sight, %.0f%% engaged: that is no battle on a modem", perS, seen, 100*share)
	}
}

// harnessClient is a client of a team of a harness: it knows its frames' bytes.
type harnessClient struct {
	dec     wire.Decoder
	replica *client.Replica
	fog     *client.Fog
}

func newHarnessClient(r *harness, team grid.Team) (c harnessClient, err error) {
	rs := r.w.Rules()
	welcome := &pb.Welcome{Types: make([]*pb.TypeInfo, len(rs.Types)), Players: make([]*pb.Player, r.w.Players())}
	eyes := make([]client.Eye, len(rs.Types))
	for i := range rs.Types {
		ty := &rs.Types[i]
		welcome.Types[i] = &pb.TypeInfo{}
		eyes[i] = client.Eye{
			Radius: visibility.Radius(ty.Sight), Flyer: ty.Class == rules.ClassUnit && ty.Move == grid.Air,
			LevelBonus: ty.LevelBonus, Blind: ty.Class > rules.ClassStructure,
		}
	}
	own := grid.SlotSet(0)
	for s := range welcome.Players {
		welcome.Players[s] = &pb.Player{}
		if r.w.Player(grid.Slot(s)).Team == team {
			own = own.With(grid.Slot(s))
		}
	}
	b, err := proto.Marshal(&pb.ServerFrame{Welcome: welcome})
	if err != nil {
		return c, err
	}
	if _, err = c.dec.Decode(b); err != nil {
		return c, err
	}
	c.replica = client.NewReplica(r.w.Map().W, r.w.Map().H, view.Speeds(r.w))
	c.fog, err = client.NewFog(r.w.Map(), eyes, own, r.w.DyingSight())
	return c, err
}

// take takes in the harness's last frame for the team, and compares what the client
// holds with what the team sees.
func (c *harnessClient) take(t *testing.T, r *harness, team *harnessTeam) {
	t.Helper()
	now := r.w.Tick()
	f, err := c.dec.Decode(append(wire.AppendClock(nil, now, 1, now == 1), team.frame...))
	if err != nil {
		t.Fatal(err)
	}
	c.fog.Before(c.replica, &f.Diff)
	if err := c.replica.Apply(&f.Diff); err != nil {
		t.Fatal(err)
	}
	if !c.fog.After(c.replica, &f.Diff) {
		t.Errorf("tick %d, team %d: the fog is another", now, team.view.Team)
	}
	if len(c.replica.Entities) != len(team.view.Units) {
		t.Errorf("tick %d, team %d: %d entities are held, %d are in sight", now, team.view.Team, len(c.replica.Entities), len(team.view.Units))
	}
	for i := range team.view.Units {
		u := &team.view.Units[i]
		e := c.replica.Entities[u.Handle]
		if e == nil {
			t.Fatalf("tick %d, team %d: handle %d is in sight and not held", now, team.view.Team, u.Handle)
		}
		at := c.replica.Pos(e, now)
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
