package match

import (
	"bytes"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// TestCancellationsDoNotTellWhoSpoke holds a leak that was found and fixed (docs/contributing/fog.md).
// An order ends early in a tick in which an enemy talks to its own team, or no client
// sends a message. Only in the first match does the tick have a journal record of its
// own. The player gets the same bytes at the same ticks in both matches, and the
// cancellation in that very tick.
func TestCancellationsDoNotTellWhoSpoke(t *testing.T) {
	t.Parallel()
	var sent [2][][]byte
	for speaks := range 2 {
		spec := Spec{
			ID: matchID, Map: flatMap(64), Rules: shipped(t), Seed: 5, TickRate: 20, EveryTick: true,
			Seats: []SeatSpec{{Name: "player", Team: 0, Start: 0}, {Name: "enemy", Team: 1, Start: 1}},
		}
		r := newLinkHarness(t, t, spec, Config{})
		edit := simtest.Edit(r.m.world)
		add := func(slot grid.Slot, name string, x, y int16) (id grid.EntityID) {
			typ, _ := spec.Rules.TypeByName(name)
			return edit.Add(slot, typ, grid.Tile{X: x, Y: y}.Center()).ID()
		}
		unit, foe := add(0, "worker", 30, 40), add(1, "detector", 34, 40)
		for _, e := range r.ends {
			e.quiet, e.sure = true, true
			e.enter(false)
		}
		player, now := r.ends[0], []byte(nil)
		player.onBytes = func(b []byte) { now = append(now, b...) }
		tick := func() {
			now = nil
			r.tick()
			sent[speaks] = append(sent[speaks], now)
		}
		for range 4 {
			tick()
		}
		name := func(id grid.EntityID) uint32 {
			n, ok := r.m.world.Knowledge(0).HandleOf(r.m.world.Entity(id))
			if !ok {
				t.Fatalf("%v is not in sight", id)
			}
			return uint32(n)
		}
		player.say(&pb.ClientFrame{Orders: []*pb.Order{{
			Seq: 1, Kind: pb.OrderKind_ORDER_KIND_FOLLOW, Units: []uint32{name(unit)}, Target: name(foe),
		}}})
		for range 6 {
			tick()
		}
		if _, runs := r.m.world.Entity(unit).Running(); !runs {
			t.Fatal("the order does not run")
		}
		edit.Move(r.m.world.Entity(foe), grid.Tile{X: 50, Y: 30}.Center()) // out of sight: the order ends
		if speaks == 1 {
			r.ends[1].say(&pb.ClientFrame{Says: []*pb.Say{{Seq: 1}}})
		}
		records := r.log.next
		tick()
		if want := uint64(speaks); r.log.next-records != want || r.log.synced >= r.log.next && speaks == 1 {
			t.Fatalf("the tick has %d records, want %d; %d of %d are on disk", r.log.next-records, want, r.log.synced, r.log.next)
		}
		if got := r.queued[0].cancelled; len(got) != 1 || !slices.Equal(player.cancelled, got) {
			t.Errorf("enemy speaks: %v: the player is told of %v in the tick in which %v ended", speaks == 1, player.cancelled, got)
		}
		for range 6 {
			tick()
		}
		if _, runs := r.m.world.Entity(unit).Running(); runs || len(r.ends[0].heard) > 0 {
			t.Fatal("the order still runs, or the player hears the enemy")
		}
	}
	for i := range sent[0] {
		if !bytes.Equal(sent[0][i], sent[1][i]) {
			t.Errorf("tick %d: %d bytes are sent, %d if the enemy speaks: %x, %x", i+1, len(sent[0][i]), len(sent[1][i]), sent[0][i], sent[1][i])
		}
	}
}
