package match

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// letter is a message on its way.
type letter struct {
	due grid.Tick
	b   []byte
}

// end is the far end of one seat's link: a whole client, and its link's faults.
type end struct {
	r    *linkHarness
	slot grid.Slot
	conn *connection // nil: not connected

	up, down           []letter
	upDelay, downDelay grid.Tick
	stalled            grid.Tick         // no message leaves the outbox before that tick
	narrow, room       int               // bytes per second that get through, 0: all; and now
	left               map[grid.Tick]int // rows that waited, by the tick of the frame

	player  playerClient // its state and its brains
	quiet   bool         // it gives no orders
	sure    bool         // its messages are never lost, and never repeated
	derives bool         // it works its fog out by itself
	acked   grid.Tick
	back    bool      // no frame has come since it connected again
	asked   grid.Tick // when it wants to be connected again
	forgot  bool      // it was a new page once

	inFlight int       // frames that a cut lost
	backAt   grid.Tick // when it came back from it

	started map[uint32]uint32

	open      map[uint32]*pb.ClientFrame // not answered, by number
	answers   []*pb.Answer
	cancelled []string
	heard     []string
	spoken    map[uint32]string // lines, by number

	onFrame func(f *wire.ServerFrame)
	onBytes func(b []byte)
	counts  linkCounts
}

// linkCounts counts a link's events.
type linkCounts struct {
	frames, bytes, bytesMost, snapshots, resumed, anew, waited, spans, short, replaced int
}

func newEnd(r *linkHarness, slot grid.Slot) *end {
	e := &end{r: r, slot: slot, player: playerClient{adversary: newAdversary(r.m.spec.Seed, slot, r.m.spec.Map)}, open: map[uint32]*pb.ClientFrame{}, spoken: map[uint32]string{}}
	e.forget()
	return e
}

// forget makes the client a new page, without state.
func (e *end) forget() {
	e.player = newPlayerClient(e.player.adversary, e.r.m.spec.Map, e.derives) // numbers go on in the new page
	e.started = map[uint32]uint32{}
}

// derive makes the client a new page that works its fog out by itself, or not.
func (e *end) derive(on bool) {
	e.derives = on
	e.forget()
}

// enter connects, with a ticket or to come back.
func (e *end) enter(resume bool) {
	e.r.t.Helper()
	hello, applied := wire.Hello{DerivesFog: e.derives}, grid.Tick(0)
	if resume {
		hello.Resume, applied = "token", e.player.Tick()
	}
	e.back = resume
	e.down, e.left, e.acked = nil, map[grid.Tick]int{}, applied
	if e.r.m.seats.all[e.slot].conn != nil {
		e.counts.replaced++
	}
	var err error
	if e.conn, err = e.r.admit(hello, applied, Seat{Match: matchID, Slot: e.slot, Serial: e.r.m.seats.all[e.slot].serial}); err != nil {
		e.r.t.Fatalf("slot %d cannot join: %v", e.slot, err)
	}
	if e.sure {
		return
	}
	e.up = nil
	for _, seq := range slices.Sorted(maps.Keys(e.open)) { // it may not have arrived
		e.post(e.open[seq])
	}
}

// cut breaks the connection, with all that is on its way.
func (e *end) cut() {
	if e.conn != nil {
		e.conn.HangUp()
	}
	e.conn, e.down = nil, nil
}

// say sends a message whose orders, lines and pings are new, each on its own,
// so that each can be sent again.
func (e *end) say(f *pb.ClientFrame) {
	one := func(seq uint32, part *pb.ClientFrame) {
		e.open[seq] = part
		e.post(part)
	}
	for _, o := range f.Orders {
		if o.Kind == pb.OrderKind_ORDER_KIND_ATTACK_GROUND {
			o.Request = o.Seq
		}
		one(o.Seq, &pb.ClientFrame{Orders: []*pb.Order{o}})
	}
	for _, s := range f.Says {
		s.Text = fmt.Sprintf("%d says %d", e.slot, s.Seq)
		to := "team"
		if s.All {
			to = "all"
		}
		e.spoken[s.Seq] = to
		one(s.Seq, &pb.ClientFrame{Says: []*pb.Say{s}})
	}
	for _, p := range f.Pings {
		one(p.Seq, &pb.ClientFrame{Pings: []*pb.MapPing{p}})
	}
	if f.Camera != nil || f.Pace != nil || f.Resync || f.Applied != 0 {
		e.post(&pb.ClientFrame{Camera: f.Camera, Pace: f.Pace, Resync: f.Resync})
	}
}

// post puts a message on its way; it has the client's acknowledgement.
func (e *end) post(f *pb.ClientFrame) {
	if e.conn == nil {
		return
	}
	f = proto.Clone(f).(*pb.ClientFrame)
	if e.player.Replica != nil {
		f.Applied, e.acked = uint32(e.player.Tick()), e.player.Tick()
	}
	b, err := proto.Marshal(f)
	if err != nil {
		e.r.t.Fatalf("%v", err)
	}
	due := e.r.now() + 1 + e.upDelay
	if n := len(e.up); n > 0 {
		due = max(due, e.up[n-1].due)
	}
	e.up = append(e.up, letter{due, b})
}

// deliver puts arrived messages into the inbox.
func (e *end) deliver(now grid.Tick) {
	for e.conn != nil && len(e.up) > 0 && e.up[0].due <= now && len(e.conn.In) < cap(e.conn.In) {
		f, err := wire.DecodeClient(e.up[0].b)
		if err != nil {
			e.r.t.Fatalf("a player's message: %v", err)
		}
		e.conn.In <- f
		e.up = e.up[1:]
	}
}

// collect takes frames out of the outbox, as a writer whose link has room does.
func (e *end) collect(now grid.Tick) {
	if e.conn == nil {
		return
	}
	if e.conn.Sent() == now {
		e.left[now] = 0
		if e.conn.Incomplete() {
			e.left[now] = e.conn.Pending()
		}
	}
	if now < e.stalled {
		return
	}
	e.room = min(e.room, 0) + e.narrow // of a second's rate ticks
	for range len(e.conn.Out) {
		if e.narrow > 0 && e.room <= 0 {
			return
		}
		b, open := <-e.conn.Out
		if !open {
			return
		}
		e.room -= len(b) * e.r.m.rate
		if e.onBytes != nil {
			e.onBytes(b)
		}
		due := now + e.downDelay
		if n := len(e.down); n > 0 {
			due = max(due, e.down[n-1].due)
		}
		e.down = append(e.down, letter{due, slices.Clone(b)})
		select {
		case e.conn.Free <- b:
		default:
		}
	}
}

// receive takes in arrived messages, and lets the player answer them.
func (e *end) receive(now grid.Tick) {
	for len(e.down) > 0 && e.down[0].due <= now {
		b := e.down[0].b
		e.down = e.down[1:]
		e.take(b)
	}
	if e.conn != nil && e.r.m.seats.all[e.slot].conn != e.conn { // it was let go
		e.conn, e.down = nil, nil
	}
	if e.conn == nil || e.player.Tick() == 0 {
		return
	}
	f := &pb.ClientFrame{}
	if !e.quiet {
		if e.slot%2 == 0 {
			f.Orders = e.player.mind.Think()
			for _, o := range f.Orders { // one count of numbers for both brains
				o.Seq = e.player.adversary.number()
			}
		}
		e.player.adversary.think(&e.player, f)
	}
	if e.player.Tick() >= e.acked+4 {
		f.Applied = 1
	}
	e.say(f)
}

func (e *end) take(b []byte) {
	e.r.t.Helper()
	l := &e.player
	f, err := l.Receive(b)
	if err != nil {
		e.r.t.Fatalf("slot %d: %v", e.slot, err)
	}
	switch {
	case f.Welcome != nil:
		if l.mind == nil {
			l.mind, err = bot.Medium.New(l.State)
		}
		if err != nil {
			e.r.t.Fatalf("%v", err)
		}
		return
	case f.Closing != nil:
		return
	}
	e.count(f, len(b))
	if l.MaskDiffers {
		e.r.t.Fatalf("slot %d, tick %d: the mask comes to %x, the server's to %x", e.slot, l.Tick(), l.MaskHash(), f.Diff.Hash)
	}
	e.takeOwn(f)
	l.mind.Take(f)
	if e.onFrame != nil {
		e.onFrame(f)
	}
}

func (e *end) count(f *wire.ServerFrame, size int) {
	c := &e.counts
	c.frames++
	c.bytes += size
	c.bytesMost = max(c.bytesMost, size)
	switch {
	case f.Diff.Snapshot:
		c.snapshots++
		if e.back {
			c.anew++
		}
	case e.back:
		c.resumed++
	case f.Diff.Span > 1:
		c.spans++
	}
	e.back = false
}

// takeOwn keeps the player's own messages outside its state.
func (e *end) takeOwn(f *wire.ServerFrame) {
	if own := f.Own; own != nil {
		for _, c := range own.Cancelled {
			e.cancelled = append(e.cancelled, fmt.Sprint(c.Unit, " ", e.player.Welcome.Codes[c.Code]))
		}
		for _, s := range own.Started {
			e.started[s.Request] = uint32(s.Handle)
		}
	}
	for _, a := range f.Answers {
		delete(e.open, a.Seq)
	}
	e.answers = append(e.answers, f.Answers...)
	for _, s := range f.Said {
		e.heard = append(e.heard, s.Text)
	}
}
