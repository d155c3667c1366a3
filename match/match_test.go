package match

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// A player joins, sees its own units, orders one to move, is answered, and sees
// it go there.
func TestOrderFromHandToEye(t *testing.T) {
	a := newServiceHarness(t, 64, 0, 1)
	c := a.join(0)
	scouts := c.mine("scout")
	if len(scouts) == 0 {
		t.Fatal("no scout in the first frame")
	}
	h := grid.Handle(scouts[0])
	from := c.Replica.Pos(c.Replica.Entities[h], c.Replica.Tick)
	to := grid.Tile{X: 24, Y: 24}.Center()
	seq := c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: []uint32{uint32(h)}, To: &pb.Point{X: to.X, Y: to.Y}})
	for range 120 {
		a.tick()
		c.read()
	}
	if len(c.answers) != 1 || c.answers[0].Seq != seq || c.answers[0].Code != 0 {
		t.Fatalf("answers %v, want order %d accepted", c.answers, seq)
	}
	at := c.Replica.Pos(c.Replica.Entities[h], c.Replica.Tick)
	if !at.Within(to, grid.Tiles(2)) {
		t.Errorf("the scout went from %v to %v, not to %v", from, at, to)
	}
}

// Units of others are refused as unknown, and the answer reveals nothing.
func TestStrangersUnitsAreUnknown(t *testing.T) {
	a := newServiceHarness(t, 64, 0, 1)
	c := a.join(0)
	c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_STOP, Units: []uint32{9999}})
	for range 200 { // the answer waits for the disk
		a.tick()
		c.read()
	}
	if len(c.answers) != 1 || c.welcome.Codes[c.answers[0].Code] != "UNKNOWN_UNIT" {
		t.Errorf("answers %v", c.answers)
	}
	for _, e := range c.Replica.Entities {
		if e.Owner == 1 {
			t.Errorf("an enemy %s is told from %d tiles away", c.welcome.Types[e.Type].Name, 60)
		}
	}
}

// A lost connection keeps its seat; the token brings the client back to it, and
// it goes on from the frame it applied last, with no snapshot.
func TestResumeGoesOnWhereItWas(t *testing.T) {
	a := newServiceHarness(t, 64, 0, 1)
	c, other := a.join(0), a.join(1)
	c.read() // the tick of the other's join
	c.pipe.Close()
	away := grid.Ticks(0) // until the reader has noticed, some more or fewer
	eventually.Holds(t, "the other player sees that the first is away", func() bool {
		a.tick()
		other.read()
		away++
		return away >= 10 && other.Replica.Players[0].State == view.Away
	})
	back := a.connect(&pb.Hello{Resume: c.welcome.Resume}, c.Replica.Tick)
	back.State = c.State
	a.asked()
	a.tick()
	other.read()
	back.read()
	if f := back.read(); f.Diff.Snapshot || f.Diff.Span != away+1 {
		t.Errorf("the first frame is snapshot %v, span %d", f.Diff.Snapshot, f.Diff.Span)
	}
	if back.welcome.Slot != 0 || other.Replica.Players[0].State != view.Playing {
		t.Errorf("slot %d, state %d", back.welcome.Slot, other.Replica.Players[0].State)
	}
}

// A second socket of the same player replaces the first, which gets the reason.
func TestOneSocketASeat(t *testing.T) {
	a := newServiceHarness(t, 64, 0, 1)
	first := a.join(0)
	second := a.join(0)
	if first.read(); first.closing == nil || first.closing.Code != "replaced" {
		t.Errorf("the first was told %v", first.closing)
	}
	<-first.served
	if len(second.mine("scout")) == 0 {
		t.Error("the second has no units")
	}
}

// A refused client gets one clear reason, and costs the others nothing.
func TestTheDoor(t *testing.T) {
	a := newServiceHarness(t, 64, 0, 1)
	inside := a.join(0)
	for _, c := range []struct {
		hello *pb.Hello
		code  string
	}{
		{&pb.Hello{Ticket: "forged"}, "bad_ticket"},
		{&pb.Hello{Resume: "forged"}, "bad_token"},
		{&pb.Hello{}, "no_ticket"},
		{&pb.Hello{Ticket: "0190f000-0000-7000-8000-00000000dead 0"}, "no_match"},
	} {
		out := a.connect(c.hello, 0)
		if out.read(); out.closing == nil || out.closing.Code != c.code {
			t.Errorf("%v was told %v, want %s", c.hello, out.closing, c.code)
		}
		<-out.served
	}
	a.tick()
	inside.read()
}

// A client that breaks the protocol is closed with a reason; its seat stays.
func TestBadMessageCloses(t *testing.T) {
	a := newServiceHarness(t, 64, 0, 1)
	c := a.join(0)
	if err := c.pipe.Write([]byte{0xFF, 0xFF, 0xFF}); err != nil {
		t.Fatal(err)
	}
	a.asked()
	a.tick()
	for c.closing == nil {
		c.read()
	}
	if c.closing.Code != "bad_message" {
		t.Errorf("closed with %v", c.closing)
	}
	<-c.served
	if back := a.join(0); len(back.mine("scout")) == 0 {
		t.Error("the seat is lost")
	}
}

// A client that does not read misses frames, not facts: when it reads again it gets all
// changes, and the match never waited for it.
func TestSlowClientSkips(t *testing.T) {
	a := newServiceHarness(t, 64, 0, 1)
	c := a.join(0)
	units := append(c.mine("soldier"), c.mine("scout")...)
	c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: units, To: &pb.Point{X: 30 << 10, Y: 30 << 10}})
	for range 100 { // queues hold some frames; the rest is skipped
		a.tick()
	}
	spans := 0
	for tries := 0; tries < 2000 && (spans == 0 || c.Replica.Tick < a.live.world.Tick()); tries++ {
		time.Sleep(100 * time.Microsecond) // acknowledgements and writers take real time
		a.tick()
		for c.Replica.Tick < a.live.seats.all[0].conn.Sent() {
			if f := c.read(); f.Diff.Span > 1 {
				spans++
			}
		}
	}
	if spans == 0 {
		t.Error("no frame over more than one tick: nothing was skipped")
	}
	m := a.live
	for _, s := range m.world.Knowledge(0).Seen(nil) {
		e := c.Replica.Entities[s.Handle]
		if e == nil {
			t.Errorf("handle %d is missing", s.Handle)
			continue
		}
		if at := c.Replica.Pos(e, c.Replica.Tick); !at.Within(m.world.Entity(s.ID).Pos(), 130) {
			t.Errorf("handle %d is at %v, the world has %v", s.Handle, at, m.world.Entity(s.ID).Pos())
		}
	}
}

// A surrender ends the match: both get the result, which is in the journal and reaches
// the reporter, which was down at first, and the journal replays.
func TestMatchEndsOnce(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 1)
	a.clerk.refuse = 1
	c, other := a.join(0), a.join(1)
	c.read()
	c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_SURRENDER})
	for a.tick() {
		if c.closing == nil {
			c.read()
		}
		if other.closing == nil {
			other.read()
		}
	}
	if c.Ended == nil || len(c.Ended.Winners) != 1 || c.Ended.Winners[0] != 1 {
		t.Errorf("told %+v, want team 1 as the winner", c.Ended)
	}
	r := <-a.clerk.results
	if r.Match != matchID || r.Ended == nil || r.Ended.Winner != 1 {
		t.Errorf("reported %+v", r)
	}
	a.service.Close()
	var ended *sim.Result
	read := func(each func(uint64, []byte) error) error {
		_, err := journal.ReadFile(a.dir.Path(matchID), each)
		return err
	}
	_, sum, err := journal.Replay(read, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ended = sum.Ended; ended == nil || ended.Winner != 1 || !sum.Delivered {
		t.Errorf("the journal says %+v, delivered %v", ended, sum.Delivered)
	}
}

// Chat to the team stays in the team, and a line that comes twice, as after a
// lost connection, is answered twice and said once.
func TestChatReachesWhoItIsFor(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 0, 1)
	cs := []*pipeClient{a.join(0), a.join(1), a.join(2)}
	cs[0].read()
	cs[0].read()
	cs[1].read()
	lines := &pb.ClientFrame{Says: []*pb.Say{{Seq: 1, Text: "to us"}, {Seq: 2, All: true, Text: "to all"}}}
	cs[0].send(lines)
	cs[0].send(lines)
	heard := make([][]string, 3)
	for range 200 {
		a.tick()
		for i, c := range cs {
			for _, s := range c.read().Said {
				heard[i] = append(heard[i], s.Text)
			}
		}
	}
	for i, want := range []int{2, 2, 1} {
		if len(heard[i]) != want {
			t.Errorf("player %d heard %q", i, heard[i])
		}
	}
	for i, x := range cs[0].answers {
		if x.Code != 0 || len(cs[0].answers) != 4 {
			t.Errorf("answer %d of %d: %v", i, len(cs[0].answers), x)
		}
	}
}

// A ping comes to the own team as it was meant, and to no other; an unknown kind is
// refused.
func TestPingsKeepTheirKind(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 0, 1)
	cs := []*pipeClient{a.join(0), a.join(1), a.join(2)}
	cs[0].read()
	cs[0].read()
	cs[1].read()
	sent := &pb.ClientFrame{}
	for seq, kind := range []pb.PingKind{pb.PingKind_PING_KIND_DANGER, pb.PingKind_PING_KIND_HELP, pb.PingKind_PING_KIND_LOOK, 0} {
		sent.Pings = append(sent.Pings, &pb.MapPing{Seq: uint32(seq + 1), Kind: kind, At: &pb.Point{X: int32(seq) << 10, Y: 5}})
	}
	cs[0].send(sent)
	heard := make([][]*pb.Pinged, 3)
	for range 200 {
		a.tick()
		for i, c := range cs {
			heard[i] = append(heard[i], c.read().Pinged...)
		}
	}
	for i, want := range []int{3, 3, 0} {
		if len(heard[i]) != want {
			t.Fatalf("player %d was shown %v", i, heard[i])
		}
		for n, p := range heard[i] {
			if was := sent.Pings[n]; p.Slot != 0 || p.Kind != was.Kind || !proto.Equal(p.At, was.At) {
				t.Errorf("player %d was shown %v, the ping was %v", i, p, was)
			}
		}
	}
	if n := len(cs[0].answers); n != 4 || cs[0].welcome.Codes[cs[0].answers[n-1].Code] != "MALFORMED" {
		t.Errorf("answers %v, want the last to be MALFORMED", cs[0].answers)
	}
}

// A shot that the client may show at once comes back to it, and to no other client, under
// the id that the client chose.
func TestStartedComesBackToWhoAsked(t *testing.T) {
	a := newServiceHarness(t, 64, 0, 0)
	c, mate := a.join(0), a.join(1)
	c.read()
	guns := c.mine("artillery")
	at := c.Replica.Pos(c.Replica.Entities[grid.Handle(guns[0])], c.Replica.Tick)
	c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK_GROUND, Units: guns, To: &pb.Point{X: at.X + 7<<10, Y: at.Y}, Request: 70007})
	for range 200 {
		a.tick()
		if own := mate.read().Own; own != nil && len(own.Started) > 0 {
			t.Fatalf("the team-mate was told %v", own.Started)
		}
		own := c.read().Own
		if own == nil || len(own.Started) == 0 {
			continue
		}
		e := c.Replica.Entities[own.Started[0].Handle]
		if own.Started[0].Request != 70007 || e == nil || c.welcome.Types[e.Type].Class != pb.TypeClass_TYPE_CLASS_PROJECTILE || e.Owner != 0 {
			t.Fatalf("told %v, which is %+v", own.Started, e)
		}
		return
	}
	t.Error("the shot never came back")
}
