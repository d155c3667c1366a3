package match

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Ten thousand messages of clients that send arbitrary bytes, through whole connections
// into a live match. The match survives each, every closing has a reason, memory does not
// grow with them, and the others' frames come each tick.
func TestTenThousandHostileMessages(t *testing.T) { // not beside others: it measures the heap
	const seed = 41
	messages := 10_000
	if raceOn {
		messages = 2500
	}
	a := newServiceHarness(t, 48, 0, 1, 1)
	calm := a.join(0)
	h := &hostile{a: a, rng: rand.New(rand.NewPCG(seed, 0)), closed: map[string]int{}, ended: make(chan string, messages)}
	h.connect(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: matchID + " 1"}}, true)
	var before, after runtime.MemStats
	for h.sent < messages {
		for range 1 + h.rng.IntN(6) {
			h.send()
		}
		if !a.tick() {
			t.Fatalf("seed %d, after %d messages: the match failed: %s", seed, h.sent, a.live.end.failed)
		}
		if f := calm.read(); f.Diff.Span > 1 {
			t.Fatalf("a frame over %d ticks for somebody who did nothing", f.Diff.Span)
		}
		h.follow()
		if before.HeapAlloc == 0 && h.sent > messages/4 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes in %d messages", grown, messages*3/4)
	}
	for code := range h.closed {
		if !slices.Contains([]string{"bad_message", "replaced", "no_hello", "version", "bad_token", "no_ticket", "too_slow"}, code) {
			t.Errorf("%d connections were closed with %q", h.closed[code], code)
		}
	}
	for _, code := range []string{"bad_message", "replaced", "no_hello", "version", "bad_token", "no_ticket"} {
		if h.closed[code] == 0 {
			t.Errorf("nobody was closed with %q: the test does not reach it", code)
		}
	}
	t.Logf("%d messages over %d connections, closed with %v; the match is at tick %d", h.sent, h.connections, h.closed, calm.Replica.Tick)
}

// hostile is a client that breaks all rules.
type hostile struct {
	a           *serviceHarness
	rng         *rand.Rand
	pipe        *link.PipeEnd // the newest connection's
	ended       chan string   // codes that connections were closed with
	seq         uint32
	open, sent  int
	connections int
	closed      map[string]int

	mu       sync.Mutex
	resume   string // of the newest connection that was welcomed
	welcomed int    // its number
}

// connect opens a connection. Most hellos have a right to the seat.
func (h *hostile) connect(hello *pb.ClientFrame, welcome bool) {
	near, far := link.Pipe()
	h.pipe = near
	h.connections++
	h.open++
	served := make(chan struct{})
	go func() {
		defer close(served)
		h.a.service.Serve(far)
	}()
	h.a.clients = append(h.a.clients, &pipeClient{pipe: near, served: served})
	go h.listen(near, h.connections)
	b, err := proto.Marshal(hello)
	if err != nil {
		h.a.t.Fatal(err)
	}
	h.pipe.Out <- b
	if welcome {
		h.a.asked()
	}
}

// again connects once more, now and then with a new ticket, or with a broken hello.
func (h *hostile) again() {
	h.mu.Lock()
	resume := h.resume
	h.mu.Unlock()
	hello := &pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Resume: resume}, Applied: h.number()}
	switch h.rng.IntN(12) {
	case 0:
		hello.Hello = nil
	case 1:
		hello.Hello.Protocol = 9
	case 2:
		hello.Hello.Resume = "made up"
	case 3:
		hello.Hello.Resume = ""
	case 4: // as a client without its token: it may have closed its connection before the welcome
		hello.Hello.Resume, hello.Hello.Ticket = "", matchID+" 1"
		h.connect(hello, true)
		return
	default:
		h.connect(hello, true)
		return
	}
	h.connect(hello, false)
}

// listen reads until the end of the connection of a number, and notes the server's
// reason.
func (h *hostile) listen(near link.Transport, number int) {
	code := "nothing"
	for {
		b, err := near.Read()
		if err != nil {
			h.ended <- code
			return
		}
		var f pb.ServerFrame
		switch err := proto.Unmarshal(b, &f); {
		case err != nil:
			code = err.Error()
		case f.Welcome != nil:
			h.mu.Lock()
			if number > h.welcomed { // in any order: the token of an older connection is void
				h.welcomed, h.resume = number, f.Welcome.Resume
			}
			h.mu.Unlock()
		case f.Closing != nil && f.Closing.Text != "":
			code = f.Closing.Code
		}
	}
}

// follow notes which connections have ended, and opens others.
func (h *hostile) follow() {
	h.a.t.Helper()
	for {
		select {
		case code := <-h.ended:
			h.closed[code]++
			h.open--
			continue
		default:
		}
		break
	}
	if h.open == 0 || h.rng.IntN(40) == 0 && h.open < 3 {
		h.again()
	}
}

// send sends a message, if the pipe has room: like TCP, it has no room while the server
// does not read.
func (h *hostile) send() {
	select {
	case h.pipe.Out <- h.message():
		h.sent++
	default:
	}
}

// number is a critical number, or any.
func (h *hostile) number() uint32 {
	limits := []uint32{0, 1, 2, 127, 128, 255, 1 << 14, 1<<16 - 1, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 1}
	switch h.rng.IntN(3) {
	case 0:
		return limits[h.rng.IntN(len(limits))]
	case 1:
		return h.rng.Uint32N(400)
	}
	return h.rng.Uint32()
}

// message returns a well formed message, or one with some wrong bytes, or random bytes.
func (h *hostile) message() []byte {
	f := &pb.ClientFrame{Applied: h.number()}
	for range h.rng.IntN(4) {
		h.seq++
		o := &pb.Order{
			Seq: h.seq, Kind: pb.OrderKind(h.rng.IntN(18)), Queued: h.rng.IntN(2) == 0, Together: h.rng.IntN(2) == 0, Target: h.number(), What: h.number() % 300, Request: h.number(),
		}
		if o.Kind == pb.OrderKind_ORDER_KIND_SURRENDER {
			o.Kind = pb.OrderKind(99)
		}
		for range h.rng.IntN(40) {
			o.Units = append(o.Units, 1+h.rng.Uint32N(60))
		}
		if h.rng.IntN(3) != 0 {
			o.To = &pb.Point{X: int32(h.number()), Y: int32(h.number())}
		}
		if h.rng.IntN(9) == 0 {
			o.Seq = h.number()
		}
		f.Orders = append(f.Orders, o)
	}
	switch h.rng.IntN(8) {
	case 0:
		f.Camera = &pb.Camera{X: h.number() % 1025, Y: h.number() % 1025, Radius: h.number() % 1025}
	case 1:
		f.Pace = &pb.Pace{BytesPerS: h.number(), FramesPerS: h.number()}
	case 2:
		f.Resync = true
	case 3:
		h.seq++
		f.Says = append(f.Says, &pb.Say{Seq: h.seq, All: true, Text: "\x00<b>\u202e"})
	case 4:
		h.seq++
		f.Pings = append(f.Pings, &pb.MapPing{Seq: h.seq, Kind: pb.PingKind(h.rng.IntN(6)), At: &pb.Point{X: int32(h.number()), Y: int32(h.number())}})
	}
	b, err := proto.Marshal(f)
	if err != nil {
		h.a.t.Fatal(err)
	}
	switch h.rng.IntN(60) {
	case 0: // some bytes go wrong
		for range 1 + h.rng.IntN(3) {
			if len(b) > 0 {
				b[h.rng.IntN(len(b))] = byte(h.rng.IntN(256))
			}
		}
	case 1:
		b = b[:h.rng.IntN(len(b)+1)]
	case 2: // not a message
		b = make([]byte, h.rng.IntN(300))
		for i := range b {
			b[i] = byte(h.rng.IntN(256))
		}
	case 3: // too long
		b = slices.Repeat(append(b, 1), wire.ClientBytesMax/(len(b)+1)+1)
	case 4: // the same field again and again: later ones of a kind that is not known
		b = append(b, slices.Repeat([]byte{0xfa, 0x7f, 3, 1, 2, 3}, 2000)...)
	case 5:
		b, _ = proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol}})
	}
	return b
}
