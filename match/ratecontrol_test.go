package match

import (
	"testing"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// A client that never acknowledges gets a frame per second, with the parts that are never
// cut: its clock and its own units live. Once it acknowledges, no row waits for long.
func TestSilentClientGetsAFramePerSecond(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 0, 1)
	cs := []*pipeClient{a.join(0), a.join(1), a.join(2)}
	cs[0].read()
	cs[0].read()
	cs[1].read()
	mute, mate := cs[0], cs[1]
	mute.silent = true
	for _, c := range cs {
		c.send(&pb.ClientFrame{Orders: []*pb.Order{{
			Seq: 1, Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE, To: &pb.Point{X: 32 << 10, Y: 32 << 10},
			Units: append(append(c.mine("soldier"), c.mine("scout")...), c.mine("worker")...),
		}}})
	}
	s := a.live.seats.all[0].conn
	play := func(ticks int) (frames int) {
		for range ticks {
			a.tick()
			for _, c := range cs[1:] {
				if f := c.read(); f.Diff.Span != 1 {
					t.Fatalf("player %d notices: a frame over %d ticks", c.welcome.Slot, f.Diff.Span)
				}
			}
			if s.Sent() == a.live.world.Tick() {
				mute.read()
				frames++
				compareOwn(t, a, mute)
			}
		}
		return frames
	}
	play(3 * a.live.rate)
	before := mute.bytes
	const seconds = 2 * link.MuteSeconds
	if frames := play(seconds * a.live.rate); frames != seconds {
		t.Errorf("%d frames in %d seconds", frames, seconds)
	}
	if perS := (mute.bytes - before) / seconds; perS > 600 {
		t.Errorf("%d bytes a second", perS)
	}
	if s.InFlight() > link.InFlightMax || a.live.seats.all[0].conn != s {
		t.Errorf("%d frames are remembered; the connection is over: %v", s.InFlight(), a.live.seats.all[0].conn != s)
	}
	mute.silent, mute.acked = false, 0
	mute.send(&pb.ClientFrame{Applied: uint32(mute.Replica.Tick)})
	// A manual clock runs ahead of readers.
	eventually.Holds(t, "the reader hands over what the client told", func() bool { return len(s.In) > 0 })
	if frames := play(2 * a.live.rate); frames < 2*a.live.rate-2 || s.Incomplete() {
		t.Errorf("%d frames in two seconds after it told; something waits: %v", frames, s.Incomplete())
	}
	sameAs(t, mate.Replica, mute.Replica)
}

// sameAs holds that two of a team hold the same things.
func sameAs(t *testing.T, want, got *client.Replica) {
	t.Helper()
	if len(want.Entities) != len(got.Entities) || want.Tick != got.Tick {
		t.Errorf("one holds %d entities at tick %d, its mate %d at %d", len(got.Entities), got.Tick, len(want.Entities), want.Tick)
	}
	for h, e := range want.Entities {
		f := got.Entities[h]
		if f == nil || want.Pos(e, want.Tick) != got.Pos(f, got.Tick) || e.Values[view.ValueHealth] != f.Values[view.ValueHealth] || e.Values[view.ValueHealthChanges] != f.Values[view.ValueHealthChanges] {
			t.Errorf("handle %d is %+v to one and %+v to its mate", h, f, e)
		}
	}
}

// A client that takes no frames for longer than the server keeps changes gets one
// snapshot, not a queue of frames.
func TestALongStallEndsInOneSnapshot(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 0, 1)
	stuck, mate := a.join(0), a.join(1)
	stuck.read()
	for _, c := range []*pipeClient{stuck, mate} {
		c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE, To: &pb.Point{X: 32 << 10, Y: 32 << 10},
			Units: append(c.mine("soldier"), c.mine("scout")...)})
	}
	s := a.live.seats.all[0].conn
	step := func() {
		a.tick()
		mate.read()
	}
	for range (view.KeepSeconds + 5) * a.live.rate {
		step()
		if len(s.Out) > link.OutboxMessages {
			t.Fatalf("%d messages wait for the writer", len(s.Out))
		}
	}
	snapshots, frames := 0, 0
	for tick := 0; tick < 40*a.live.rate && (snapshots == 0 || s.Incomplete() || stuck.Replica.Tick < a.live.world.Tick()); tick++ {
		for stuck.Replica.Tick < s.Sent() {
			if f := stuck.read(); f.Diff.Snapshot {
				snapshots++
			}
			frames++
		}
		if snapshots == 0 || s.Incomplete() || stuck.Replica.Tick < a.live.world.Tick() {
			step()
		}
	}
	if snapshots != 1 {
		t.Errorf("%d snapshots in %d frames", snapshots, frames)
	}
	sameAs(t, mate.Replica, stuck.Replica)
}

// The server closes a client that takes no bytes for half a minute, with the reason
// behind the queued frames. Its cost is bounded until then.
func TestClientThatTakesNoBytesIsClosed(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 1)
	stuck, other := a.join(0), a.join(1)
	stuck.silent = true
	other.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: other.mine("scout"), To: &pb.Point{X: 20 << 10, Y: 20 << 10}})
	s := a.live.seats.all[0].conn
	for tick := 0; a.live.seats.all[0].conn == s; tick++ {
		if tick > (link.MuteSeconds+feed.BacklogSeconds+2)*a.live.rate {
			t.Fatal("it is still there")
		}
		a.tick()
		if f := other.read(); f.Diff.Span != 1 {
			t.Fatalf("the other notices: a frame over %d ticks", f.Diff.Span)
		}
		if len(s.Out) > link.OutboxMessages+1 || s.InFlight() > link.InFlightMax {
			t.Fatalf("%d messages and %d frames are held for it", len(s.Out), s.InFlight())
		}
	}
	for stuck.closing == nil {
		stuck.read()
	}
	if c := stuck.closing; c.Code != "too_slow" || !c.Retry {
		t.Errorf("it was told %v", c)
	}
}
