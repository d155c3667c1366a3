package match

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// stateAt plays a journal to a tick and returns the state there.
func stateAt(t *testing.T, file []byte, at grid.Tick) (sim.Setup, []byte) {
	t.Helper()
	dir := folder(t, map[string][]byte{"original": file})
	var state []byte
	there := errors.New("there")
	_, sum, err := journal.Replay(reading(dir.Path("original")), func(w *sim.World, _ sim.Outcome) error {
		if w.Tick() == at {
			state = w.Save(nil)
			return there
		}
		return nil
	})
	if !errors.Is(err, there) {
		t.Fatalf("the journal does not reach tick %d: %v", at, err)
	}
	return sum.Setup, state
}

// branchOf returns the spec of a match that plays a journal's match on from a tick, by
// the same players.
func branchOf(t *testing.T, a *serviceHarness, at grid.Tick) Spec {
	t.Helper()
	setup, state := stateAt(t, a.killed(), at)
	from, err := sim.Branch(setup, state, setup.Players)
	if err != nil {
		t.Fatal(err)
	}
	spec := a.spec
	spec.Start = &Start{State: from.Start, Match: "the original"}
	return spec
}

// TestBranchedMatch begins a match at a tick of another match, with a hash and between
// two hashes. It is played on, comes back from its journal cut behind and inside of each
// record, and that journal plays again and names the original.
func TestBranchedMatch(t *testing.T) {
	a := newServiceHarness(t, 48, 0, 1)
	skirmish(a, 90)
	for _, at := range []grid.Tick{47, 60} {
		b := startServiceHarness(t, branchOf(t, a, at), Config{})
		if now := b.live.world.Tick(); now != at {
			t.Fatalf("the match begins at tick %d, want %d", now, at)
		}
		cs := skirmish(b, 70)
		if cs[0].Replica.Tick <= at {
			t.Fatalf("the client is at tick %d", cs[0].Replica.Tick)
		}
		if b.live.spec.Start.State != nil {
			t.Error("a running match keeps the state that it began with")
		}
		recoversAtEveryRecord(t, b, cs, 4) // setup, map, rules and one part
		sum := replays(t, folder(t, map[string][]byte{matchID: b.killed()}), matchID)
		if sum.Header.First() != at || sum.Header.Start.Match != "the original" {
			t.Errorf("the journal's start: %+v", sum.Header.Start)
		}
	}
}

// TestKilledBeforeItsFirstTick: a branch whose process is killed before its first record
// of a tick comes back at a tick that no client has seen.
func TestKilledBeforeItsFirstTick(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	skirmish(a, 90)
	b := startServiceHarness(t, branchOf(t, a, 47), Config{})
	c := b.revived(folder(t, map[string][]byte{matchID: b.killed()}), Config{})
	if c.live == nil || c.live.world.Tick() != 61 { // the hash of tick 60 would be on disk before the frame of 62
		t.Fatalf("the match is at %v", c.live)
	}
	c.join(0)
}

// TestBranchOutlivesTheOriginal: a branch is recovered from its saved state, and read to
// its end, when the original's journal is gone.
func TestBranchOutlivesTheOriginal(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	skirmish(a, 90)
	spec := branchOf(t, a, 60)
	if err := os.Remove(a.dir.Path(matchID)); err != nil {
		t.Fatal(err)
	}
	b := startServiceHarness(t, spec, Config{StateSeconds: 1})
	cs := skirmish(b, 70)
	b.live.journal.saving.Wait()
	file := b.killed()
	dir := folder(t, map[string][]byte{matchID: file})
	state, err := b.dir.State(matchID)
	if err != nil || state == nil || state.Tick <= 60 {
		t.Fatalf("saved state %+v, %v", state, err)
	}
	if err := dir.SaveState(matchID, *state); err != nil {
		t.Fatal(err)
	}
	c := b.revived(dir, Config{})
	if c.live == nil {
		t.Fatal("the match is lost")
	}
	straight, _ := straightTo(t, file, c.live.world.Tick())
	if got, want := c.live.world.Hash(), straight.Hash(); got != want {
		t.Fatalf("from the saved state %016x, from the start %016x", got, want)
	}
	c.back(cs...)
	c.end()
	replays(t, dir, matchID)
}

// TestLateSpectatorsOfABranch: they see the branch from its first ticks on, as late as
// their ticket says.
func TestLateSpectatorsOfABranch(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	skirmish(a, 90)
	spec := branchOf(t, a, 60)
	spec.Spectators, spec.SpectatorDelay = 1, 2*time.Second
	h := newHarness(t, t, spec, Config{})
	s, err := h.admit(wire.Hello{}, 0, Seat{Match: matchID, Account: "w", Spectator: true, Eyes: grid.NoTeam, Delay: spec.SpectatorDelay})
	if err != nil {
		t.Fatal(err)
	}
	first := grid.Tick(0)
	for range 60 {
		h.elapse()
		h.turn(false)
		for len(s.Out) > 0 {
			<-s.Out
		}
		if b := h.m.spectators.broadcasts[0]; b.shown != 0 && first == 0 {
			first = b.shown
			if first <= 60 || first > h.now()-40 {
				t.Fatalf("at tick %d the spectator sees tick %d", h.now(), first)
			}
		}
	}
	if first == 0 {
		t.Error("the spectator has seen nothing")
	}
}

// TestBranchTellsNoMoreThanThePast: arriving players of a branch get, byte for byte, the
// messages that the original match would send their new clients at that tick, had it gone
// on alone.
func TestBranchTellsNoMoreThanThePast(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	cs := skirmish(a, 98) // to a tick that has a hash
	b := startServiceHarness(t, branchOf(t, a, a.live.world.Tick()), Config{})
	for _, c := range cs {
		c.pipe.Close()
	}
	for range 3 {
		a.tick()
		b.tick()
	}
	forget := make(chan error, 1)
	go func() {
		forget <- a.live.do(t.Context(), func(m *live) { // no player of either team is there
			m.output.players.Keep(func(grid.Team) bool { return false })
			for _, st := range m.seats.all {
				st.backlog = feed.Backlog{}
			}
		})
	}()
	a.asked()
	frames := func(x *serviceHarness, waiting int) (out [][]byte) {
		var now []*pipeClient
		for slot := range grid.Slot(2) {
			now = append(now, x.connect(&pb.Hello{Ticket: fmt.Sprintf("%s %d", matchID, slot)}, 0))
			x.requested(waiting + int(slot) + 1)
		}
		x.tick()
		for _, n := range now {
			n.read()
			n.heard = func(msg []byte) { out = append(out, bytes.Clone(msg)) }
			n.read()
		}
		return out
	}
	want := frames(a, 1)
	if err := <-forget; err != nil {
		t.Fatal(err)
	}
	got := frames(b, 0)
	for i := range want {
		if !bytes.Equal(got[i], want[i]) || len(want[i]) < 100 {
			t.Errorf("player %d is sent %d bytes by the branch, %d by the match:\n%x\n%x", i, len(got[i]), len(want[i]), got[i], want[i])
		}
	}
	now := b.clients[0]
	now.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_STOP, Units: now.mine("soldier")})
	for range 6 {
		b.tick()
		now.read()
	}
	if len(now.answers) != 1 || now.answers[0].Code != 0 {
		t.Errorf("the first order of a branch is answered %v", now.answers)
	}
}
