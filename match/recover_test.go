package match

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// killed returns the match's journal as a kill would leave it now, if the disk has all
// records.
func (a *serviceHarness) killed() []byte {
	a.t.Helper()
	if err := a.live.journal.log.Wait(a.t.Context(), a.live.journal.log.Next()-1); err != nil {
		a.t.Fatal(err)
	}
	b, err := os.ReadFile(a.dir.Path(a.spec.ID))
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

// folder returns a folder with the given journals in it.
func folder(t *testing.T, journals map[string][]byte) *journal.Dir {
	t.Helper()
	dir := journaltest.OpenDir(t)
	for id, b := range journals {
		if err := os.WriteFile(dir.Path(id), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// revived starts another service on a folder, as the next process would. live
// is nil if the match did not come back.
func (a *serviceHarness) revived(dir *journal.Dir, cfg Config) *serviceHarness {
	a.t.Helper()
	b := &serviceHarness{t: a.t, clock: NewManual(time.Unix(5000, 0)), clerk: &clerk{results: make(chan Result, 4)}, spec: a.spec, dir: dir}
	cfg.Journals, cfg.Admitter, cfg.Reporter, cfg.Clock, cfg.Key = dir, doormanOf(&a.spec), b.clerk, b.clock, a.service.cfg.Key
	b.service = New(cfg)
	if err := b.service.Recover(a.t.Context(), nil); err != nil {
		a.t.Fatal(err)
	}
	b.live = b.service.find(a.spec.ID)
	a.t.Cleanup(b.end)
	return b
}

// end stops the service and everything that the test connected to it.
func (a *serviceHarness) end() {
	for _, c := range a.clients {
		c.pipe.Close()
	}
	a.service.Close()
	for _, c := range a.clients {
		<-c.served
	}
}

// back resumes a client's seat with all it holds, and plays the ticks until it
// has its first frame.
func (a *serviceHarness) back(cs ...*pipeClient) []*pipeClient {
	a.t.Helper()
	var out []*pipeClient
	for _, c := range cs {
		n := a.connect(&pb.Hello{Resume: c.welcome.Resume}, c.Replica.Tick)
		n.State = c.State
		out = append(out, n)
	}
	a.requested(len(cs))
	a.tick()
	for _, c := range out {
		c.read()
		if c.welcome == nil {
			a.t.Fatalf("no welcome but %v", c.closing)
		}
		c.read()
	}
	return out
}

// skirmish plays two players' armies into each other for so many ticks.
func skirmish(a *serviceHarness, ticks int) []*pipeClient {
	cs := []*pipeClient{a.join(0), a.join(1)}
	cs[0].read()
	for i := range ticks {
		if i%7 == 3 {
			for _, c := range cs {
				units := append(append(c.mine("soldier"), c.mine("scout")...), c.mine("artillery")...)
				if len(units) > 0 {
					x, y := int32(20+i*5%24), int32(44-i*3%24)
					c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE, Units: units, To: &pb.Point{X: x << 10, Y: y << 10}})
				}
			}
		}
		a.tick()
		for _, c := range cs {
			c.read()
		}
	}
	return cs
}

// records returns where each record of a journal file ends, the head first.
func records(t *testing.T, file []byte) []int {
	t.Helper()
	ends := []int{8}
	for at := 8; at < len(file); {
		at += 8 + int(binary.LittleEndian.Uint32(file[at:]))
		ends = append(ends, at)
	}
	return ends
}

// TestRecoverAtEveryRecord cuts a journal behind each record and inside of each, as a
// kill may. From any such rest the match comes back in the state of the records, plays
// on, and its journal still replays.
func TestRecoverAtEveryRecord(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	recoversAtEveryRecord(t, a, skirmish(a, 90), 3) // setup, map and rules
}

// recoversAtEveryRecord cuts the journal of a match. It begins with so many records of
// the setup.
func recoversAtEveryRecord(t *testing.T, a *serviceHarness, cs []*pipeClient, setup int) {
	t.Helper()
	file := a.killed()
	ends := records(t, file)
	if len(ends) < 15 {
		t.Fatalf("only %d records", len(ends)-1)
	}
	for n := 1; n < len(ends); n++ {
		if raceOn && n%4 != 0 { // the others are played without it
			continue
		}
		for _, cut := range []int{ends[n], ends[n] - 1, ends[n-1] + (ends[n]-ends[n-1])/2} {
			whole := n
			if cut < ends[n] {
				whole--
			}
			dir := folder(t, map[string][]byte{matchID: file[:cut]})
			b := a.revived(dir, Config{})
			if whole < setup {
				if _, err := os.Stat(dir.Path(matchID)); b.live != nil || !errors.Is(err, os.ErrNotExist) {
					t.Fatalf("cut at %d: a match without its setup: %v, %v", cut, b.live, err)
				}
				b.end()
				continue
			}
			if b.live == nil {
				t.Fatalf("cut at %d, %d whole records: the match is lost", cut, whole)
			}
			straight, last := straightTo(t, file[:ends[whole]], b.live.world.Tick())
			if got, want := b.live.world.Hash(), straight.Hash(); got != want || b.live.world.Tick() <= last {
				t.Fatalf("cut at %d: tick %d after record of tick %d, state %016x, straight %016x", cut, b.live.world.Tick(), last, got, want)
			}
			if n%4 == 0 && cut == ends[n] && whole > 5 {
				now := b.back(cs...)
				for _, c := range now {
					c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_STOP, Units: c.mine("soldier")})
				}
				for range 45 {
					b.tick()
				}
			}
			b.end()
			replays(t, dir, matchID)
		}
	}
}

// straightTo plays a journal's records and then on without inputs; it also
// returns the tick of the last record.
func straightTo(t *testing.T, file []byte, to grid.Tick) (*sim.World, grid.Tick) {
	t.Helper()
	dir := folder(t, map[string][]byte{"straight": file})
	w, _, err := journal.Replay(reading(dir.Path("straight")), nil)
	if err != nil {
		t.Fatal(err)
	}
	last := w.Tick()
	for w.Tick() < to {
		w.Step(nil)
	}
	return w, last
}

func reading(path string) journal.Reader {
	return func(each func(uint64, []byte) error) error {
		_, err := journal.ReadFile(path, each)
		return err
	}
}

// replays wants a match's journal to play again with every answer and hash.
func replays(t *testing.T, dir *journal.Dir, id string) journal.Summary {
	t.Helper()
	_, sum, err := journal.Replay(reading(dir.Path(id)), nil)
	if err != nil {
		t.Fatalf("the journal does not replay: %v", err)
	}
	return sum
}

// TestKillsInAMatch kills a match again and again. The players come back by their tokens,
// accepted orders are done and answered as before, no player sees a tick twice, and the
// journal replays from its first record to the result.
func TestKillsInAMatch(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 1)
	cs := skirmish(a, 37)
	accepted := uint32(0)
	for kill := range 6 {
		seen := max(cs[0].Replica.Tick, cs[1].Replica.Tick)
		units := cs[0].mine("worker")
		accepted = cs[0].order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: units, To: &pb.Point{X: int32(12+kill) << 10, Y: 14 << 10}})
		for tries := 0; !slices.ContainsFunc(cs[0].answers, func(x *pb.Answer) bool { return x.Seq == accepted && x.Code == 0 }); tries++ {
			if tries > 100 {
				t.Fatal("no answer")
			}
			a.tick()
			for _, c := range cs {
				c.read()
			}
		}
		b := a.revived(folder(t, map[string][]byte{matchID: a.killed()}), Config{})
		a.end()
		if kill%2 == 1 && b.live != nil { // and once more, before a player is back
			again := b.revived(folder(t, map[string][]byte{matchID: b.killed()}), Config{})
			b.end()
			b = again
		}
		if b.live == nil {
			t.Fatal("the match is lost")
		}
		cs = b.back(cs...)
		for i, c := range cs {
			if c.Replica.Tick <= seen {
				t.Fatalf("kill %d: player %d is at tick %d, and was at %d before", kill, i, c.Replica.Tick, seen)
			}
		}
		// The order is asked about again: it is answered as before.
		cs[0].answers = nil
		again := &pb.Order{Seq: accepted, Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: units, To: &pb.Point{X: 1 << 10, Y: 1 << 10}}
		cs[0].send(&pb.ClientFrame{Orders: []*pb.Order{again}, Applied: uint32(cs[0].Tick())})
		for range 20 + 7*kill {
			b.tick()
			for _, c := range cs {
				c.read()
			}
		}
		if n := len(cs[0].answers); n == 0 || cs[0].answers[n-1].Seq != accepted || cs[0].answers[n-1].Code != 0 {
			t.Fatalf("kill %d: order %d asked again is answered %v", kill, accepted, cs[0].answers)
		}
		a = b
	}
	cs[1].order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_SURRENDER})
	for a.tick() {
		for _, c := range cs {
			if c.closing == nil {
				c.read()
			}
		}
	}
	if r := <-a.clerk.results; r.Ended == nil || r.Ended.Winner != 0 || r.Ticks != r.Ended.Tick {
		t.Errorf("result %+v", r)
	}
	a.end()
	if sum := replays(t, a.dir, matchID); sum.Ended == nil || !sum.Delivered {
		t.Errorf("the journal says %+v", sum)
	}
}

// TestRecoveredSnapshotTellsNoMore: a client that comes back to a recovered match gets,
// byte for byte, the messages that the match without a kill would send it on a return
// from nothing at the same tick.
func TestRecoveredSnapshotTellsNoMore(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	cs := skirmish(a, 90)
	b := a.revived(folder(t, map[string][]byte{matchID: a.killed()}), Config{})
	from := b.live.world.Tick()

	// The match without a kill plays on alone to the same tick; then no player of either
	// team is there.
	for a.live.world.Tick() < from-1 {
		a.tick()
		for _, c := range cs {
			c.read()
		}
	}
	for _, c := range cs {
		c.pipe.Close()
	}
	for a.live.world.Tick() < from {
		a.tick()
	}
	forget := make(chan error, 1)
	go func() {
		forget <- a.live.do(context.Background(), func(m *live) {
			m.output.players.Keep(func(grid.Team) bool { return false })
		})
	}()
	a.asked()

	frames := func(x *serviceHarness, waiting int) [][]byte {
		var out [][]byte
		var now []*pipeClient
		for i, c := range cs {
			n := x.connect(&pb.Hello{Resume: c.welcome.Resume}, from)
			n.State = c.State
			x.requested(waiting + i + 1)
			now = append(now, n)
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
		// The kill may have ended questions to the players: an empty list of them (field 45) says so.
		before, after, ok := bytes.Cut(got[i], []byte{0xea, 2, 0})
		if got[i] = slices.Concat(before, after); !ok {
			t.Errorf("player %d does not learn that no question is open", i)
		}
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("player %d is sent %d bytes after the kill, %d bytes without:\n%x\n%x", i, len(got[i]), len(want[i]), got[i], want[i])
		}
		if len(want[i]) < 100 {
			t.Errorf("player %d: a snapshot of %d bytes", i, len(want[i]))
		}
	}
}

// TestStopAndStart: a server that is stopped in order lets its players know that
// the match goes on, and it does.
func TestStopAndStart(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 1)
	cs := skirmish(a, 25)
	at := a.live.world.Tick()
	a.service.Close()
	for _, c := range cs {
		for c.closing == nil {
			c.read()
		}
		if c.closing.Code != "stopping" || !c.closing.Retry {
			t.Errorf("closed with %v", c.closing)
		}
		c.closing = nil
	}
	b := a.revived(a.dir, Config{})
	if b.live == nil || b.live.world.Tick() < at {
		t.Fatalf("stopped at tick %d, came back as %v", at, b.live)
	}
	cs = b.back(cs...)
	for range 20 {
		b.tick()
		for _, c := range cs {
			c.read()
		}
	}
	b.end()
	replays(t, b.dir, matchID)
}

// TestSavedStateShortensRecovery: a match of more than half a minute comes back from its
// saved state, to the same world as from the journal's start. A damaged state, or another
// match's, costs only time.
func TestSavedStateShortensRecovery(t *testing.T) {
	t.Parallel()
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	a := startServiceHarness(t, Spec{
		ID: matchID, Map: flatMap(48), Rules: rules, Seed: 7, TickRate: grid.TickRateMin, EveryTick: true,
		Seats: []SeatSpec{{Team: 0}, {Team: 1, Start: 1, Income: 25, Handicap: grid.Handicap{Start: 50, Income: 150, Damage: 80}}},
	}, Config{})
	cs := skirmish(a, StateSeconds*grid.TickRateMin+15)
	a.live.journal.saving.Wait()
	state, err := a.dir.State(matchID)
	if err != nil || state == nil || state.Tick != StateSeconds*grid.TickRateMin {
		t.Fatalf("saved %+v, %v", state, err)
	}
	file := a.killed()
	straight, _ := straightTo(t, file, 0)
	for name, change := range map[string]func(s *journal.State){
		"as saved": func(*journal.State) {},
		"damaged": func(s *journal.State) { // in many places: one bit may be in a part that is worked out anew
			for i := len(s.Bytes) / 2; i < len(s.Bytes); i += 7 {
				s.Bytes[i] ^= 1
			}
		},
		"cut":          func(s *journal.State) { s.Bytes = s.Bytes[:len(s.Bytes)/2] },
		"another tick": func(s *journal.State) { s.Tick -= grid.TickRateMin },
		"no such tick": func(s *journal.State) { s.Tick += 1000 },
		"another hash": func(s *journal.State) { s.Hash++ },
	} {
		dir := folder(t, map[string][]byte{matchID: file})
		other := *state
		other.Bytes = bytes.Clone(state.Bytes)
		change(&other)
		if err := dir.SaveState(matchID, other); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		b := a.revived(dir, Config{Logger: slog.New(slog.NewTextHandler(&said, nil))})
		if b.live == nil {
			t.Fatalf("%s: the match is lost", name)
		}
		if h := b.service.Matches()[0].Seats[1].Handicap; h != a.live.spec.Seats[1].Handicap || h.Damage != 80 {
			t.Errorf("%s: the handicap is %+v", name, h)
		}
		world := *b.live.world
		for straight.Tick() < world.Tick() {
			straight.Step(nil)
		}
		if world.Hash() != straight.Hash() {
			t.Errorf("%s: another state than from the start", name)
		}
		if warned := strings.Contains(said.String(), "played from its start"); warned == (name == "as saved") {
			t.Errorf("%s: warned %v:\n%s", name, warned, &said)
		}
		b.end()
	}
	for _, c := range cs {
		c.pipe.Close()
	}
}

// TestPlayersGatherAfterAKill: a recovered match stands still until all its players are
// back, but only for the bounded wait.
func TestPlayersGatherAfterAKill(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 1)
	cs := skirmish(a, 10)
	file := a.killed()
	b := a.revived(folder(t, map[string][]byte{matchID: file}), Config{})
	at := b.live.world.Tick()
	early := b.connect(&pb.Hello{Resume: cs[0].welcome.Resume}, cs[0].Replica.Tick)
	b.asked()
	for range 30 {
		b.tick()
	}
	if b.live.world.Tick() != at || b.service.Matches()[0].State != "paused" {
		t.Errorf("one of two is back: at tick %d, %s, came back at %d", b.live.world.Tick(), b.service.Matches()[0].State, at)
	}
	late := b.connect(&pb.Hello{Resume: cs[1].welcome.Resume}, cs[1].Replica.Tick)
	b.asked()
	b.tick()
	for _, c := range []*pipeClient{early, late} {
		if c.read(); c.welcome == nil {
			t.Fatalf("no welcome but %v", c.closing)
		}
		if f := c.read(); !f.Diff.Snapshot || c.Replica.Tick != at+1 {
			t.Errorf("the first frame is of tick %d, snapshot %v", c.Replica.Tick, f.Diff.Snapshot)
		}
	}

	alone := a.revived(folder(t, map[string][]byte{matchID: file}), Config{})
	for range int(gatherWait.Seconds())*20 + 1 {
		alone.tick()
	}
	if alone.live.world.Tick() <= at || alone.service.Matches()[0].State != "running" {
		t.Error("nobody comes back, and the match waits for ever")
	}
}

// TestKickedStaysKicked: removed players, and players away for too long, are so after a
// kill.
func TestKickedStaysKicked(t *testing.T) {
	a := newServiceHarness(t, 64, 0, 0, 1)
	cs := []*pipeClient{a.join(0), a.join(1), a.join(2)}
	a.ask(func() error {
		return a.service.End(context.Background(), "account0", Ending{Match: matchID, ForGood: true, Why: link.Refusal{Code: "kicked", Text: "out"}})
	})
	a.tick()
	b := a.revived(folder(t, map[string][]byte{matchID: a.killed()}), Config{})
	c := b.connect(&pb.Hello{Resume: cs[0].welcome.Resume}, 1)
	b.asked()
	b.tick()
	for c.closing == nil {
		c.read()
	}
	if c.closing.Code != "kicked" {
		t.Errorf("closed with %v", c.closing)
	}
}

// TestSpectatorsComeBack: a spectator's token opens its seat in the recovered
// match, with the eyes and the delay that it had.
func TestSpectatorsComeBack(t *testing.T) {
	t.Parallel()
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	a := startServiceHarness(t, Spec{
		ID: matchID, Map: flatMap(48), Rules: rules, Seed: 7, EveryTick: true,
		Seats: []SeatSpec{{Team: 0}, {Team: 1, Start: 1}}, Spectators: 2, SpectatorDelay: time.Second,
	}, Config{})
	cs := skirmish(a, 30)
	b := a.revived(folder(t, map[string][]byte{matchID: a.killed()}), Config{})
	for _, delay := range []time.Duration{0, time.Second} {
		token := a.service.newToken(Seat{Match: matchID, Account: "watcher" + delay.String(), Spectator: true, Eyes: grid.NoTeam, Delay: delay})
		c := b.connect(&pb.Hello{Resume: token}, 20)
		b.asked()
		b.tick()
		if c.read(); c.welcome == nil || !c.welcome.Spectator || c.welcome.Team != uint32(grid.NoTeam) {
			t.Errorf("%v late: %v, %v", delay, c.welcome, c.closing)
		}
	}
	b.back(cs...)
	if n := len(b.service.Matches()[0].Spectators); n != 2 {
		t.Errorf("%d spectators in the recovered match", n)
	}
}
