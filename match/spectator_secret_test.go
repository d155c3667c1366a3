package match

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// The ticks of the tests below. Two runs are the same until splitAt; then players'
// actions differ as much as possible.
const lateBy = 2 * time.Second

const splitAt, runFor = grid.Tick(260), 380

const amongUs = "they do not know that we are here"

// split is a way for a match to go on differently.
type split struct {
	name string
	does func(th *spectatorHarness, slot int, f *pb.ClientFrame)
	cut  bool // a player loses its connection
	ends bool // the match ends by it
}

var splits = []split{
	{name: "other orders", does: func(th *spectatorHarness, slot int, f *pb.ClientFrame) {
		l := th.players[slot]
		f.Orders = nil
		var units []uint32
		for _, h := range l.Replica.Handles() {
			if e := l.Replica.Entities[h]; e.Owner == grid.Slot(slot) {
				units = append(units, uint32(h))
			}
		}
		if (th.now()-splitAt)%20 == 0 {
			f.Orders = []*pb.Order{{
				Seq: 1<<20 + uint32(th.now()), Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE, Units: units[:min(60, len(units))],
				To: &pb.Point{X: 24 << 10, Y: 24 << 10},
			}}
		}
	}},
	{name: "talk", does: func(th *spectatorHarness, slot int, f *pb.ClientFrame) {
		if (th.now()-splitAt)%40 == 0 {
			f.Says = []*pb.Say{{Seq: 1<<20 + uint32(th.now()), All: true, Text: "they are in the north"}, {Seq: 1<<21 + uint32(th.now()), Text: amongUs}}
		}
	}},
	{name: "a player is cut off", cut: true},
	{name: "surrender", ends: true, does: func(th *spectatorHarness, slot int, f *pb.ClientFrame) {
		f.Orders = nil
		if slot >= 2 && th.now() == splitAt {
			f.Orders = []*pb.Order{{Seq: 1 << 20, Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}
		}
	}},
}

// audience plays a match with spectators of all kinds and returns their messages, by
// tick. how nil: no split.
func audience(t *testing.T, how *split) (sent [][][]string, th *spectatorHarness) {
	t.Helper()
	th = newSpectatorHarness(t, 9, Config{}, lateBy, nil)
	if how != nil && how.does != nil {
		th.script = func(now grid.Tick, slot int, f *pb.ClientFrame) {
			if now >= splitAt {
				how.does(th, slot, f)
			}
		}
	}
	th.sit("all", grid.NoTeam, lateBy, true)
	th.sit("rows", grid.NoTeam, lateBy, false)
	th.sit("one team", 1, lateBy, true)
	g := th.sit("slow", grid.NoTeam, lateBy, true)
	g.stalls = func(now grid.Tick) bool { return now/25%4 == 1 }
	for range runFor {
		if how != nil && how.cut && th.now() == splitAt {
			th.players[2].conn.HangUp()
			th.players[2].conn = nil
		}
		th.step()
		var tick [][]string
		for _, g := range th.spectators {
			tick = append(tick, slices.Clone(g.sent))
		}
		sent = append(sent, tick)
	}
	return sent, th
}

// foretold returns the first sign of an event that a spectator gets before it is due, ""
// without one. It reports whether the spectator got a sign at all.
func foretold(t *testing.T, how *split, plain [][][]string) (early string, ever bool) {
	t.Helper()
	sent, th := audience(t, how)
	for _, g := range th.spectators {
		if slices.Contains(g.said, amongUs) {
			return fmt.Sprintf("%q hears what a team says among itself", g.seat.Account), true
		}
	}
	for i := range plain {
		now := grid.Tick(i + 1)
		for k, g := range th.spectators {
			if slices.Equal(plain[i][k], sent[i][k]) {
				continue
			}
			// Players' actions at splitAt arrive in the tick after it.
			if now <= splitAt+ticksOf(lateBy) {
				return fmt.Sprintf("%s: tick %d: %q is sent %d messages, and %d others when %s from tick %d on",
					how.name, now, g.seat.Account, len(plain[i][k]), len(sent[i][k]), how.name, splitAt), true
			}
			ever = true
		}
	}
	return "", ever
}

// No action of a player and no fate of the match changes a bit of a spectator's messages,
// or their ticks, before the spectator's delay has passed.
func TestNothingOfTheDelayIsTold(t *testing.T) {
	t.Parallel()
	plain, _ := audience(t, nil)
	again, _ := audience(t, nil)
	for i := range plain {
		for k := range plain[i] {
			if !slices.Equal(plain[i][k], again[i][k]) {
				t.Fatalf("tick %d: a run does not repeat", i+1)
			}
		}
	}
	for i := range splits {
		how := &splits[i]
		early, ever := foretold(t, how, plain)
		if early != "" {
			t.Error(early)
		}
		if !ever {
			t.Errorf("%s: nothing was ever told of it: that proves little", how.name)
		}
	}
}

// Players get the same messages, to the byte and the tick, with or without spectators,
// and with any messages from spectators.
func TestSpectatorsCostPlayersNothing(t *testing.T) {
	play := func(watched bool) (heard [][]string, hash uint64, records uint64) {
		th := newSpectatorHarness(t, 5, Config{}, lateBy, func(s *Spec) {
			if !watched {
				s.Spectators = 0
			}
		})
		seq := uint32(0)
		noise := func(now grid.Tick) *pb.ClientFrame {
			seq += 2
			return &pb.ClientFrame{
				Resync: now%50 == 0, Camera: &pb.Camera{X: 3, Y: 3, Radius: 9}, Pings: []*pb.MapPing{{Kind: 1, At: &pb.Point{X: 1, Y: 1}, Seq: seq}},
				Orders: []*pb.Order{{Seq: seq + 1, Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: []uint32{1, 2, 3}, To: &pb.Point{X: 9999, Y: 9999}}},
				Says:   []*pb.Say{{All: true, Text: "over here", Seq: seq + 2}},
			}
		}
		for range 300 {
			switch now := th.now(); {
			case !watched:
			case now == 20:
				th.sit("all", grid.NoTeam, lateBy, true).sends = noise
				th.sit("live", 1, 0, false).sends = noise
			case now == 150:
				th.sit("later", 0, lateBy, false).sends = noise
			case now == 200:
				th.spectators[0].cut()
			case now == 230:
				if err := th.spectators[0].enter(true); err != nil {
					t.Fatal(err)
				}
			}
			th.step()
			for _, b := range th.heard {
				heard = append(heard, slices.Clone(b))
			}
		}
		for _, g := range th.spectators {
			if g.frames == 0 || len(g.answers) == 0 {
				t.Errorf("%s: %d frames, %d answers", g.seat.Account, g.frames, len(g.answers))
			}
			for _, a := range g.answers {
				if code := g.Welcome.Codes[a.Code]; code != "NOT_ALIVE" {
					t.Fatalf("%s: an order is answered %s", g.seat.Account, code)
				}
			}
		}
		return heard, th.m.world.Hash(), th.log.next
	}
	alone, hash, records := play(false)
	watched, hashWatched, recordsWatched := play(true)
	if hash != hashWatched || records != recordsWatched {
		t.Errorf("state %x and %d records, and with spectators %x and %d", hash, records, hashWatched, recordsWatched)
	}
	for i := range alone {
		if !slices.Equal(alone[i], watched[i]) {
			t.Fatalf("tick %d: player %d is sent other messages when somebody watches", i/harnessSeats+1, i%harnessSeats)
		}
	}
}
